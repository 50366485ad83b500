import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeLineMap, decodeText, isReport, unpack, versionOf } from '../src/payload';
import type { Report, Stage } from '../src/schema';

const { payloads } = JSON.parse(readFileSync('tests/fixtures/reports.json', 'utf8')) as {
  payloads: Record<string, Report>;
};
const pack = (text: string): string => deflateSync(Buffer.from(text)).toString('base64');
const facts = { name: 'ptx', syntax: 'ptx', lines: 2, bytes: 9 };

describe('texts', () => {
  it('come back as they were, plain or packed', async () => {
    expect(await decodeText({ ...facts, encoding: 'plain', text: 'a\nµ', line_map: [] })).toBe('a\nµ');
    const long = 'ld.global µ → \ud83d\ude80\n'.repeat(20_000);
    expect(await decodeText({ ...facts, encoding: 'zlib+base64', data: pack(long), line_map: [] })).toBe(long);
  });

  it('are null when they were left out', async () => {
    expect(await decodeText({ ...facts, encoding: 'omitted', note: 'elsewhere' })).toBeNull();
  });

  it('are refused when damaged, cut off, or of an unknown encoding', async () => {
    await expect(unpack('!!')).rejects.toThrow();
    await expect(unpack(Buffer.from('no zlib').toString('base64'))).rejects.toThrow();
    const cut = Buffer.from(pack('x'.repeat(99_999)), 'base64')
      .subarray(0, 40)
      .toString('base64');
    await expect(unpack(cut)).rejects.toThrow();
    await expect(decodeText({ ...facts, encoding: 'lzma' } as unknown as Stage)).rejects.toThrow(
      'unknown encoding "lzma"'
    );
  });

  it('are refused above 64 MiB', async () => {
    await expect(unpack(pack('\0'.repeat(64 * 1024 * 1024 + 1)))).rejects.toThrow('larger than 64 MiB');
  });
});

describe('line maps', () => {
  const runs = [
    [12, 3],
    [null, 2],
    [4, 1]
  ] as [number | null, number][];

  it('are runs of a cell line and a count', async () => {
    expect(await decodeLineMap(runs)).toEqual([12, 12, 12, null, null, 4]);
  });

  it('may be packed, or missing', async () => {
    expect(await decodeLineMap({ encoding: 'zlib+base64', data: pack(JSON.stringify(runs)) })).toHaveLength(6);
    expect(await decodeLineMap(undefined)).toEqual([]);
  });

  it('are refused when they claim more lines than any text has', async () => {
    await expect(decodeLineMap([[1, 1e12]])).rejects.toThrow('more lines');
  });
});

describe('a payload', () => {
  it('of the package is a report, and each of its stages has a map as long as its text', async () => {
    for (const report of Object.values(payloads)) {
      expect(isReport(report)).toBe(true);
      for (const stage of report.kernels.flatMap(kernel => kernel.stages)) {
        if (stage.encoding !== 'omitted') {
          const text = (await decodeText(stage)) ?? '';
          expect(text.replace(/\n$/, '').split('\n')).toHaveLength(stage.lines);
          expect((await decodeLineMap(stage.line_map)).length).toBeLessThanOrEqual(stage.lines);
        }
      }
    }
  });

  it('of another version, or of none, is not', () => {
    const report = Object.values(payloads)[0];
    expect(isReport({ ...report, schema_version: 2 })).toBe(false);
    expect(versionOf({ ...report, schema_version: 2 })).toBe(2);
    for (const other of [
      null,
      undefined,
      3,
      'x',
      {},
      { schema_version: 1 },
      { schema_version: '1', kernels: [], cell: {} }
    ]) {
      expect(isReport(other)).toBe(false);
    }
  });
});
