/**
 * Numbers and names as people read them: mirrors `kernel_lab/render/format.py`, word for word (a test compares them).
 *
 * Knows only plain values. An unknown value (null) is shown as an en dash, never as zero.
 */
import type { Number as Num } from './schema';

export const UNKNOWN = '–';
// eslint-disable-next-line no-control-regex
const CONTROL = /\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g;
const LANGUAGES: Record<string, string> = { triton: 'Triton', tilelang: 'TileLang' };

/** A payload's number: JSON cannot write three of them. */
export function toNumber(value: Num): number {
  return value === 'nan' ? NaN : value === 'inf' ? Infinity : value === '-inf' ? -Infinity : value;
}

/** `value` with so many significant digits; "nan" and "inf" as they are, null as a dash. */
export function number(value: Num | null, digits = 3): string {
  if (value === null) {
    return UNKNOWN;
  }
  const plain = toNumber(value);
  if (!Number.isFinite(plain)) {
    return Number.isNaN(plain) ? 'nan' : plain > 0 ? 'inf' : '-inf';
  }
  if (Number.isInteger(plain) && Math.abs(plain) < 1e6) {
    return grouped(plain);
  }
  const magnitude = Math.abs(plain);
  if (magnitude >= 1e-3 && magnitude < 1e6) {
    const shown = rounded(plain, digits).toPrecision(digits);
    return shown.includes('e') ? grouped(halfEven(plain)) : trimmed(shown);
  }
  const [mantissa, exponent] = rounded(plain, digits)
    .toExponential(digits - 1)
    .split('e');
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}

/** A time given in microseconds, in ns, µs, ms or s. */
export function time(us: Num | null): string {
  if (us === null) {
    return UNKNOWN;
  }
  const plain = toNumber(us);
  for (const [limit, factor, unit] of [
    [0.1, 1e3, 'ns'],
    [1e3, 1, 'µs'],
    [1e6, 1e-3, 'ms']
  ] as const) {
    if (plain < limit) {
      return `${number(plain * factor)} ${unit}`;
    }
  }
  return Number.isFinite(plain) ? `${number(plain * 1e-6)} s` : `${number(plain)} µs`;
}

/** A number of bytes in B, KiB, MiB or GiB (powers of 1024). */
export function size(count: Num | null, digits = 3): string {
  if (count === null) {
    return UNKNOWN;
  }
  let value = toNumber(count);
  if (!Number.isFinite(value)) {
    return `${number(value)} B`;
  }
  let unit = 'B';
  for (const larger of ['KiB', 'MiB', 'GiB', 'TiB']) {
    if (Math.abs(value) < 1024) {
      break;
    }
    value /= 1024;
    unit = larger;
  }
  const whole = unit === 'B' || value >= 10 ** (digits - 1);
  return `${whole ? halfEven(value).toFixed(0) : trimmed(rounded(value, digits).toPrecision(digits))} ${unit}`;
}

/** A count or rate with an SI prefix (powers of 1000). */
export function quantity(value: Num | null, unit: string): string {
  if (value === null) {
    return UNKNOWN;
  }
  let plain = toNumber(value);
  if (!Number.isFinite(plain)) {
    return `${number(plain)} ${unit}`;
  }
  let prefix = '';
  for (const larger of ['k', 'M', 'G', 'T', 'P', 'E']) {
    if (Math.abs(plain) < 1000) {
      break;
    }
    plain /= 1000;
    prefix = larger;
  }
  return `${number(plain)} ${prefix}${unit}`;
}

/** A fraction as a percentage, never clamped. */
export function percent(fraction: Num | null): string {
  if (fraction === null) {
    return UNKNOWN;
  }
  const plain = toNumber(fraction) * 100;
  return Number.isFinite(plain) ? `${general(plain)} %` : number(fraction);
}

/** A number with its noun: "1 case", "6 cases". */
export function count(n: number, noun: string): string {
  return `${grouped(n)} ${n === 1 ? noun : `${noun}s`}`;
}

/** `M=64, N=128`; "" for an empty mapping. */
export function mapping(values: Record<string, unknown>): string {
  const shown = (value: unknown): string =>
    value === null
      ? 'None'
      : value === true
        ? 'True'
        : value === false
          ? 'False'
          : typeof value === 'object'
            ? JSON.stringify(value)
            : String(value);
  return Object.entries(values)
    .map(([key, value]) => `${key}=${shown(value)}`)
    .join(', ');
}

/** An element's index, `[3, 17]`. */
export function index(position: number[] | null): string {
  return position === null ? UNKNOWN : `[${position.join(', ')}]`;
}

/** A language's name as its users write it. */
export function language(name: string): string {
  return LANGUAGES[name] ?? name;
}

/** The place as "cell line 7"; "" when no line is known. */
export function atLine(cellLine: number | null): string {
  return cellLine === null ? '' : `cell line ${cellLine}`;
}

/** `text` without terminal escapes and control characters, with newlines of one kind. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROL, '');
}

/** `text` on one line, cut with an ellipsis beyond `limit` characters. */
export function oneLine(text: string, limit = 400): string {
  const joined = printable(text).trim().split(/\s+/).join(' ');
  const characters = [...joined];
  return characters.length <= limit
    ? joined
    : `${characters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`;
}

/** To so many significant digits, ties to even as Python rounds (JavaScript rounds them up). */
function rounded(value: number, digits: number): number {
  const [mantissa, exponent] = Math.abs(value).toExponential(30).split('e');
  const all = mantissa.replace('.', '');
  const tie = /^50*$/.test(all.slice(digits)) && Number(all[digits - 1]) % 2 === 0;
  const kept = `${all[0]}.${all.slice(1, digits)}e${exponent}`;
  return tie ? Math.sign(value) * Number(kept) : Number(value.toPrecision(digits));
}

/** To a whole number, ties to even. */
function halfEven(value: number): number {
  const near = Math.round(value);
  return Math.abs(value % 1) === 0.5 && near % 2 !== 0 ? near - 1 : near;
}

/** Thousands set apart by commas, whatever the reader's locale: as Python's ",". */
function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** "1.50" → "1.5". */
function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** As Python's ".3g". */
function general(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude >= 999.5 || magnitude < 1e-4)) {
    const [mantissa, exponent] = rounded(value, 3).toExponential(2).split('e');
    return `${trimmed(mantissa)}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
  }
  return trimmed(rounded(value, 3).toPrecision(3));
}
