import { describe, expect, it } from 'vitest';
import { Linkage } from '../src/linkage';
import { Links } from '../src/links';

const links = new Links([null, 4, 4, null, 6, 4]);

describe('links', () => {
  it('lead from a stage line to its cell line, and back to all of its lines', () => {
    expect([1, 2, 5, 6, 7].map(line => links.cellLine(line))).toEqual([null, 4, 6, 4, null]);
    expect(links.lines(4)).toEqual([2, 3, 6]);
    expect(links.lines(5)).toEqual([]);
    expect(links.has(6) && !links.has(1)).toBe(true);
  });

  it('find the line nearest to where one is', () => {
    expect(links.nearest(4, 1)).toBe(2);
    expect(links.nearest(4, 5)).toBe(6);
    expect(links.nearest(9, 5)).toBeNull();
  });

  it('step over lines without one', () => {
    expect(links.nextLinked(0, 1)).toBe(2);
    expect(links.nextLinked(3, 1)).toBe(5);
    expect(links.nextLinked(5, -1)).toBe(3);
    expect(links.nextLinked(6, 1)).toBeNull();
    expect(links.nextLinked(2, -1)).toBeNull();
  });

  it('say when there are none', () => {
    expect(new Links([null, null]).any).toBe(false);
    expect(Links.identity(3).lines(2)).toEqual([2]);
  });
});

describe('linkage', () => {
  it('tells who chose a line, and nothing when the pointer stays on the same one', () => {
    const linkage = new Linkage();
    const told: (object | null)[] = [];
    linkage.changed.connect((_, by) => told.push(by));
    linkage.hover(4);
    linkage.hover(4);
    linkage.pick(6, links);
    expect(told).toEqual([null, links]);
    expect([linkage.hovered, linkage.picked]).toEqual([4, 6]);
  });
});
