/** What the extension says of a report is what the package says of it, word for word. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as fmt from '../src/format';
import type { Number as Num, Report } from '../src/schema';
import * as summary from '../src/summary';

interface Fixture {
  payloads: Record<string, Report>;
  said: Record<string, Record<string, unknown>>;
  formats: Record<string, [Num | null, string][]>;
}

const fixture = JSON.parse(readFileSync('tests/fixtures/reports.json', 'utf8')) as Fixture;

describe('the words of a report', () => {
  for (const [name, report] of Object.entries(fixture.payloads)) {
    it(`of ${name}`, () => {
      const { headline, details, measured } = summary.speed(report);
      const said = {
        word: summary.word(report),
        title: summary.title(report),
        target: summary.targetName(report),
        verdict: summary.verdictLine(report),
        speed: [headline, details, measured],
        resources: report.kernels.map(summary.resources),
        notes: summary.notes(report).map(note => [note.text, note.cellLine]),
        stamp: summary.stampParts(report)
      };
      expect(said).toEqual(fixture.said[name]);
    });
  }
});

describe('numbers', () => {
  const formats: Record<string, (value: Num | null) => string> = {
    number: fmt.number,
    time: fmt.time,
    size: fmt.size,
    size2: value => fmt.size(value, 2),
    quantity: value => fmt.quantity(value, 'B'),
    percent: fmt.percent
  };
  for (const [name, format] of Object.entries(formats)) {
    it(`as ${name}`, () => {
      expect(fixture.formats[name].map(([value]) => [value, format(value)])).toEqual(fixture.formats[name]);
    });
  }
});
