/**
 * The report's JSON as a notebook keeps it, read back: mirrors `kernel_lab/render/payload.py`.
 *
 * Knows the encodings of texts and line maps, no DOM. A notebook is foreign data: nothing above 64 MiB is inflated.
 */
import { SCHEMA_VERSION, type LineMap, type Report, type Stage } from './schema';

export const MIME_TYPE = `application/vnd.kernel-lab.report.v${SCHEMA_VERSION}+json`;
export const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/** The schema version that `data` says it has; null when it says none. */
export function versionOf(data: unknown): number | null {
  const version = (data as { schema_version?: unknown } | null | undefined)?.schema_version;
  return typeof version === 'number' ? version : null;
}

/** Whether `data` is a report of the version that this extension was built for. */
export function isReport(data: unknown): data is Report {
  const report = data as Partial<Report> | null;
  return versionOf(data) === SCHEMA_VERSION && Array.isArray(report?.kernels) && typeof report?.cell === 'object';
}

/** The text of a stage, or null when it is not embedded. Rejects on damaged data. */
export async function decodeText(stage: Stage): Promise<string | null> {
  switch (stage.encoding) {
    case 'plain':
      return stage.text;
    case 'zlib+base64':
      return unpack(stage.data);
    case 'omitted':
      return null;
    default:
      throw new Error(`unknown encoding ${JSON.stringify((stage as { encoding: unknown }).encoding)}`);
  }
}

/** For each line of a stage the cell line it comes from, or null. */
export async function decodeLineMap(map: LineMap | undefined): Promise<(number | null)[]> {
  const runs = Array.isArray(map) ? map : map ? (JSON.parse(await unpack(map.data)) as [number | null, number][]) : [];
  const total = runs.reduce((sum, [, count]) => sum + count, 0);
  if (!(total <= MAX_DECODED_BYTES)) {
    throw new Error('a line map of more lines than any stage has');
  }
  return runs.flatMap(([line, count]) => new Array<number | null>(count).fill(line));
}

/** Deflated UTF-8 text in base64, inflated. */
export async function unpack(data: string): Promise<string> {
  const bytes = Uint8Array.from(atob(data), character => character.charCodeAt(0));
  const source = new Blob([bytes]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>;
  const reader = source.pipeThrough(new DecompressionStream('deflate')).getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let room = MAX_DECODED_BYTES;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return parts.join('') + decoder.decode();
    }
    room -= value.byteLength;
    if (room < 0) {
      await reader.cancel();
      throw new Error('compressed text is larger than 64 MiB');
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
}
