/**
 * The parts of a report around its stages: mirrors `kernel_lab/render/kernels.py` and `sections.py`.
 *
 * Takes its claims from `summary` and its numbers from `format`.
 */
import * as fmt from './format';
import { bullets, element, folded, muted, question, table, type Part } from './markup';
import type { Case, Kernel, Report, Verdict } from './schema';
import * as summary from './summary';

const MAX_CASES = 40;
const MAX_NOTES = 6;
const MAX_LAUNCHES = 3;
const MAX_PRINTED = 8 * 1024;
const BADGES: Record<summary.Word, string> = {
  right: 'klab-right',
  WRONG: 'klab-wrong',
  'not verified': 'klab-unverified'
};

/** Kernel, language, target, and the verdict in a word. */
export function header(report: Report): HTMLElement {
  const first = report.kernels[0];
  const word = summary.word(report);
  return element(
    'div',
    'klab-header',
    element('code', 'klab-name', summary.title(report)),
    first && element('span', '', fmt.language(first.language)),
    element('span', '', summary.targetName(report)),
    element('span', `klab-verdict ${BADGES[word]}`, word)
  );
}

/** What one program of a kernel takes, its configuration and its launches. */
export function resources(kernel: Kernel): HTMLElement {
  const configuration = fmt.mapping(kernel.configuration);
  const values = summary.resources(kernel).map(([label, value]) => `${label} ${value}`);
  return element(
    'div',
    'klab-resources',
    configuration && element('code', '', configuration),
    muted(values.join(' · ')),
    ...kernel.launches.slice(0, MAX_LAUNCHES).map(launch => {
      const rows = launch.arguments.map(item => [item.name, item.type, item.value ?? '', item.assumptions.join(', ')]);
      const head = element('span', '', 'launch ', muted(`${launch.grid.join(' × ')} programs`));
      return folded(false, head, rows.length > 0 && table(['argument', 'type', 'value', 'assumed'], rows));
    })
  );
}

/** All configurations of a report in one table; null where there is only one. */
export function configurations(report: Report): HTMLElement | null {
  if (report.kernels.length < 2) {
    return null;
  }
  const labels = summary.resources(report.kernels[0]).map(([label]) => label);
  const rows = report.kernels.map(kernel => [
    kernel.name,
    kernel.target,
    fmt.mapping(kernel.configuration),
    ...summary.resources(kernel).map(([, value]) => value)
  ]);
  return folded(
    false,
    fmt.count(rows.length, 'configuration'),
    table(['kernel', 'target', 'configuration', ...labels], rows)
  );
}

/** What was rejected, and why; null where nothing was. */
export function rejected(report: Report): HTMLElement | null {
  if (!report.rejected.length) {
    return null;
  }
  const rows = report.rejected.map(item => [
    item.kernel,
    fmt.mapping(item.configuration),
    item.reason,
    fmt.atLine(item.cell_line)
  ]);
  const head = `${fmt.count(rows.length, 'configuration')} rejected`;
  return folded(!report.kernels.length, head, table(['kernel', 'configuration', 'reason', 'where'], rows));
}

/** Question 2: the verdict in a sentence; the cases and checks behind it, unfolded when it is WRONG. */
export function right(report: Report): HTMLElement {
  const word = summary.word(report);
  const line = element('span', '', element('strong', '', word), `: ${summary.verdictLine(report)}`);
  const verdict = report.verdict;
  const folds = verdict !== null && (verdict.cases.length > 0 || Object.keys(verdict.checks).length > 0);
  return question('2. Is it right?', folds ? folded(word === 'WRONG', line, ...cases(verdict), checks(verdict)) : line);
}

function cases(verdict: Verdict): Part[] {
  const why = new Map<string, number>();
  for (const { reason } of verdict.cases) {
    if (reason) {
      why.set(reason, (why.get(reason) ?? 0) + 1);
    }
  }
  const reasons = [...why].map(([reason, times]) => (times === 1 ? reason : `${reason} (${fmt.count(times, 'case')})`));
  const many = verdict.cases.length > MAX_CASES;
  const sorted = many ? [...verdict.cases].sort((a, b) => Number(a.passed) - Number(b.passed)) : verdict.cases;
  const shown = sorted.slice(0, MAX_CASES);
  const head = ['sizes', 'dtypes', 'result', 'max error', 'bound', 'error/bound', 'worst at', 'got', 'want'];
  return [
    reasons.length > 0 && bullets(reasons.slice(0, MAX_NOTES)),
    shown.length > 0 &&
      table(
        head,
        shown.map(row),
        shown.map(item => !item.passed)
      ),
    many && muted(`and ${fmt.count(sorted.length - MAX_CASES, 'more case')}: kernel_lab.last().verdict.cases`)
  ];
}

function row(item: Case): string[] {
  const known = item.max_error !== null && item.bound !== null;
  return [
    fmt.mapping(item.sizes),
    summary.dtypes(item),
    item.passed ? '✓ right' : '✗ WRONG',
    fmt.number(item.max_error),
    fmt.number(item.bound),
    known ? fmt.number(summary.strain(item)) : fmt.UNKNOWN,
    summary.spot(item) || fmt.UNKNOWN,
    fmt.number(item.got, 6),
    fmt.number(item.want, 6)
  ];
}

function checks(verdict: Verdict): Part {
  const entries = Object.entries(verdict.checks);
  const mark = (passed: boolean | null): string =>
    passed === null ? '? not looked at' : passed ? '✓ passed' : '✗ FAILED';
  const rows = entries.map(([name, check]) => [name, mark(check.passed), check.detail]);
  const failed = entries.map(([, check]) => check.passed === false);
  return rows.length > 0 && table(['check', 'result', 'detail'], rows, failed);
}

/** Question 3: measured time or bound; the chart (a data address, or null) and the sources of its numbers folded below. */
export function fast(report: Report, chart: string | null): HTMLElement {
  const said = summary.speed(report);
  const line = element('span', '', said.measured && element('strong', '', 'measured: '), said.headline);
  const image = chart === null ? null : element('img', 'klab-chart');
  if (image && chart) {
    image.src = chart;
    image.alt = `Roofline of ${report.roofline?.target ?? ''}: ${said.headline}`;
  }
  const label = '3. How fast, how far off?';
  return question(label, image || said.details.length ? folded(false, line, image, bullets(said.details)) : line);
}

/** Question 4: warnings and notes with their cell lines. */
export function after(report: Report): HTMLElement {
  const lines = summary.notes(report).map(note => {
    const place = note.cellLine !== null && element('strong', '', `${fmt.atLine(note.cellLine)}: `);
    return element('span', '', place, note.text);
  });
  const rest = lines.slice(MAX_NOTES);
  return question(
    '4. What next?',
    lines.length ? bullets(lines.slice(0, MAX_NOTES)) : muted('no warnings'),
    rest.length > 0 && folded(false, `${rest.length} more`, bullets(rest))
  );
}

/** What the cell's code printed; null when nothing. */
export function printed(report: Report): HTMLElement | null {
  const text = fmt.printable(report.printed).replace(/^\n+|\n+$/g, '');
  if (!text) {
    return null;
  }
  const left = text.length - MAX_PRINTED;
  const cut = left > 0 ? `${text.slice(0, MAX_PRINTED)}\n… ${left} more characters: kernel_lab.last().printed` : text;
  const head = `printed ${fmt.count(text.split('\n').length, 'line')}`;
  return question('Output', folded(false, head, element('pre', 'klab-printed', cut)));
}

/** Versions, GPU, seed, the cell's hash; and the version of this extension where it is not the one of the package. */
export function footer(report: Report, version: string): HTMLElement {
  const made = report.stamp?.versions.kernel_lab;
  const differs =
    made !== undefined && made !== version
      ? `made by kernel_lab ${made}, shown by its JupyterLab extension ${version}: install both of one version`
      : null;
  return element(
    'div',
    'klab-footer',
    summary.stampParts(report).join(' · '),
    differs && element('div', 'klab-warning', differs)
  );
}
