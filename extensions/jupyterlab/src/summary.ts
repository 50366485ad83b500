/**
 * What a report says, in sentences: mirrors `kernel_lab/render/summary.py`, word for word (a test compares them).
 *
 * Knows reports, no DOM. A missing verdict becomes "not verified", and a time without a measurement stays a bound.
 */
import * as fmt from './format';
import type { Case, Kernel, Report, Roofline } from './schema';

export type Word = 'right' | 'WRONG' | 'not verified';

/** Question 3 in words; `measured` is true only when the report holds a measurement. */
export interface Speed {
  headline: string;
  details: string[];
  measured: boolean;
}

/** One line of question 4. */
export interface Note {
  text: string;
  cellLine: number | null;
}

/** The verdict in a word. "right" takes a passed verdict with at least one case behind it. */
export function word(report: Report): Word {
  const verdict = report.verdict;
  if (verdict === null || verdict.passed === null) {
    return 'not verified';
  }
  return !verdict.passed ? 'WRONG' : verdict.cases.length ? 'right' : 'not verified';
}

/** How far a case uses its bound: error / bound, infinite when it failed without numbers, 0 when nothing is known. */
export function strain(item: Case): number {
  if (item.max_error === null || item.bound === null) {
    return item.passed ? 0 : Infinity;
  }
  const [error, bound] = [fmt.toNumber(item.max_error), fmt.toNumber(item.bound)];
  if (Number.isNaN(error) || Number.isNaN(bound)) {
    return Infinity;
  }
  return bound === 0 ? (error === 0 ? 0 : Infinity) : error / bound;
}

/** The case to show first: a failed one before a passed one, then the largest error in units of its bound. */
export function worstCase(cases: Case[]): Case | null {
  const worse = (a: Case, b: Case): boolean => (a.passed !== b.passed ? !b.passed : strain(b) > strain(a));
  return cases.reduce<Case | null>((best, item) => (best === null || worse(best, item) ? item : best), null);
}

/** Question 2 in a sentence, without the verdict's word. */
export function verdictLine(report: Report): string {
  const verdict = report.verdict;
  if (verdict === null) {
    return 'no reference was compared';
  }
  if (word(report) === 'not verified') {
    return fmt.oneLine(verdict.reason || (verdict.passed ? 'no case was run' : 'the reason is not known'));
  }
  const failed = verdict.cases.filter(item => !item.passed).length;
  const total = fmt.count(verdict.cases.length, 'case');
  const parts = [failed ? `${failed} of ${total} failed` : total];
  if (verdict.ran_on) {
    parts[0] += ` on ${verdict.ran_on === 'interpreter' ? 'the CPU (interpreter)' : verdict.ran_on}`;
  }
  const worst = worstCase(verdict.cases);
  if (worst) {
    parts.push(`worst ${caseLine(worst)}`);
  }
  if (verdict.reason) {
    parts.push(fmt.oneLine(verdict.reason));
  }
  return parts.join('; ');
}

/** Sizes, error against bound, and where. */
export function caseLine(item: Case): string {
  const where = [fmt.mapping(item.sizes), dtypes(item)].filter(Boolean).join(', ');
  const head = where ? `${where}: ` : '';
  if (item.max_error === null) {
    return head + (item.reason ? fmt.oneLine(item.reason) : item.passed ? 'passed' : 'failed');
  }
  let text = `${head}error ${fmt.number(item.max_error)}, bound ${fmt.number(item.bound)}`;
  const at = spot(item);
  if (at) {
    text += ` at ${at}`;
  }
  if (!item.passed && item.got !== null && item.want !== null) {
    text += ` (got ${fmt.number(item.got, 6)}, want ${fmt.number(item.want, 6)})`;
  }
  return text;
}

/** The output and the element of it that is worst; "" when neither is known. */
export function spot(item: Case): string {
  return (item.output ?? '') + (item.worst_index !== null ? fmt.index(item.worst_index) : '');
}

/** The dtypes of a case: "f16" when all are the same, else by name. */
export function dtypes(item: Case): string {
  const distinct = new Set(Object.values(item.dtypes));
  return distinct.size === 1 ? [...distinct][0] : fmt.mapping(item.dtypes);
}

/** As in "H100 SXM (sm_90)": the architecture, and the GPU whose peaks are meant where one is known. */
export function targetName(report: Report): string {
  const arch = report.kernels[0]?.target ?? '';
  const meant = report.roofline?.target ?? '';
  return arch && meant ? (meant.includes(arch) ? meant : `${meant} (${arch})`) : arch || meant || 'no target';
}

/** The name in the header: the kernel when there is one, else the entry. */
export function title(report: Report): string {
  const names = [...new Set(report.kernels.map(kernel => kernel.name))];
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return names.length ? names.slice(0, 3).join(', ') + more : report.name;
}

/** A kernel among the others of its report: its name, target where there are several, and configuration. */
export function kernelLabel(kernel: Kernel, report: Report): string {
  const targets = new Set(report.kernels.map(item => item.target));
  const configuration = fmt.mapping(kernel.configuration);
  return [kernel.name, targets.size > 1 && kernel.target, configuration].filter(Boolean).join(' · ');
}

/** What one program takes, as [label, value]; unknown is a dash. */
export function resources(kernel: Kernel): [string, string][] {
  const taken = kernel.resources;
  let occupancy = fmt.percent(taken.occupancy);
  if (taken.occupancy !== null && taken.limited_by) {
    occupancy += ` (limited by ${taken.limited_by})`;
  }
  return [
    ['registers', fmt.number(taken.registers)],
    ['spills', taken.spill_bytes === 0 ? 'none' : fmt.size(taken.spill_bytes)],
    ['shared', fmt.size(taken.shared_bytes)],
    ['warps', fmt.number(taken.num_warps)],
    ['threads', fmt.number(taken.threads)],
    ['barriers', fmt.number(taken.barriers)],
    ['occupancy', occupancy]
  ];
}

/** Question 3. A number is called measured only when there is a measurement. */
export function speed(report: Report): Speed {
  const { measurement, roofline } = report;
  const details = roofline ? roofDetails(roofline) : [];
  if (measurement === null) {
    return { headline: boundLine(roofline), details, measured: false };
  }
  const cache = measurement.cold_cache ? 'cold' : 'warm';
  const spread = `${fmt.time(measurement.low_us)}–${fmt.time(measurement.high_us)}`;
  let headline =
    `${fmt.time(measurement.time_us)} median (p10–p90 ${spread}, ` +
    `n=${measurement.runs}, ${measurement.method}, ${cache} cache) on ${measurement.device}`;
  if (roofline?.measured && roofline.fraction !== null) {
    headline += `; ${fmt.percent(roofline.fraction)} of the ceiling`;
    if (fmt.toNumber(roofline.fraction) > 1) {
      headline += ', more than the roof allows: the peak, the work count or the timing is wrong';
    }
  }
  if (roofline?.limited_by) {
    headline += `; limited by ${roofline.limited_by}`;
  }
  if (roofline && roofline.bound_us !== null) {
    details.unshift(`the roof of ${roofline.target} allows ${fmt.time(roofline.bound_us)}`);
  }
  return { headline, details, measured: true };
}

function boundLine(roofline: Roofline | null): string {
  if (roofline === null) {
    return 'not measured, and no roofline';
  }
  if (roofline.bound_us === null) {
    const missing = (['flops', 'bytes'] as const).filter(name => roofline[name] === null);
    const options = missing.map(name => `--${name}`).join(' ');
    const why = missing.length ? `${missing.join(' and ')} not known; declare with ${options}` : 'no peak known';
    return `not measured, and no bound on ${roofline.target}: ${why}`;
  }
  const line = `bound, not measured: at least ${fmt.time(roofline.bound_us)} on ${roofline.target}`;
  return line + (roofline.limited_by ? `: limited by ${roofline.limited_by}` : '');
}

function roofDetails(roofline: Roofline): string[] {
  const lines: string[] = [];
  if (roofline.intensity !== null) {
    lines.push(`intensity ${fmt.number(roofline.intensity)} flop/byte`);
  }
  if (roofline.flops !== null || roofline.bytes !== null) {
    const source = roofline.work_source ? ` (${roofline.work_source})` : '';
    lines.push(`work ${fmt.quantity(roofline.flops, 'flop')}, ${fmt.quantity(roofline.bytes, 'B')}${source}`);
  }
  if (roofline.ceiling !== null) {
    lines.push(`ceiling at this intensity ${fmt.quantity(roofline.ceiling, 'FLOP/s')}`);
  }
  if (roofline.peak_flops !== null || roofline.peak_bytes !== null) {
    const name = roofline.peak_name ? ` ${roofline.peak_name}` : '';
    const rates = `${fmt.quantity(roofline.peak_flops, 'FLOP/s')}${name}, ${fmt.quantity(roofline.peak_bytes, 'B/s')} DRAM`;
    lines.push(`peaks of ${roofline.target}: ${rates}`);
  }
  return [...lines, ...roofline.sources.map(source => `source: ${source}`)];
}

/** Question 4: warnings first, then what the kernels and the verdict note; each said once. */
export function notes(report: Report): Note[] {
  const found: Note[] = report.warnings.map(item => ({ text: item.text, cellLine: item.cell_line }));
  for (const kernel of report.kernels) {
    found.push(...kernel.notes.map(text => ({ text: `${kernel.name}: ${text}`, cellLine: null })));
  }
  found.push(...(report.verdict?.notes ?? []).map(text => ({ text, cellLine: null })));
  const said = new Set<string>();
  return found.filter(note => {
    const key = `${note.cellLine} ${note.text}`;
    return !said.has(key) && said.add(key);
  });
}

/** The footer: versions, GPU, seed, the cell's hash. */
export function stampParts(report: Report): string[] {
  const stamp = report.stamp;
  const versions = stamp ? Object.entries(stamp.versions).map(([name, version]) => `${name} ${version}`) : [];
  const made = stamp ? [...versions, stamp.gpu ?? 'no GPU', `seed ${stamp.seed}`, stamp.created] : [];
  return report.cell.hash ? [...made, `cell ${report.cell.hash.slice(0, 12)}`] : made;
}
