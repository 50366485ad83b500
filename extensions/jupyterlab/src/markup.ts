/**
 * DOM elements from text: the only way in which foreign text enters the page is `textContent`, so nothing of it is ever markup.
 */
import { printable, UNKNOWN } from './format';

/** Columns that may wrap. */
const PROSE = new Set(['reason', 'detail', 'assumed', 'configuration', 'value']);

export type Part = Node | string | null | undefined | false;

/** An element with a class and parts; strings become text nodes. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  classes: string,
  ...parts: Part[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (classes) {
    made.className = classes;
  }
  for (const part of parts) {
    if (part) {
      // A string becomes a text node, never markup; terminal escapes in it say nothing to a reader.
      made.append(typeof part === 'string' ? printable(part) : part);
    }
  }
  return made;
}

/** A button that says what it does to those who cannot see it. */
export function button(classes: string, label: string, title: string, action: () => void): HTMLButtonElement {
  const made = element('button', classes, label);
  made.type = 'button';
  made.title = title;
  made.setAttribute('aria-label', title);
  made.addEventListener('click', action);
  return made;
}

/** A drop-down; `action` gets the index that was chosen. */
export function select(
  title: string,
  options: string[],
  chosen: number,
  action: (at: number) => void
): HTMLSelectElement {
  const made = element('select', 'klab-select', ...options.map(option => element('option', '', option)));
  made.title = title;
  made.setAttribute('aria-label', title);
  made.selectedIndex = chosen;
  made.addEventListener('change', () => action(made.selectedIndex));
  return made;
}

/** What folds away under a head that stays. */
export function folded(open: boolean, head: Part, ...body: Part[]): HTMLDetailsElement {
  const made = element('details', '', element('summary', '', head), ...body);
  made.open = open;
  return made;
}

/** A list, one line each. */
export function bullets(items: Part[]): HTMLUListElement {
  return element('ul', 'klab-list', ...items.map(item => element('li', '', item)));
}

/** A table without the columns that are empty or unknown in every row; rows marked as failed are tinted. */
export function table(head: string[], rows: string[][], failed: boolean[] = []): HTMLElement {
  const kept = head.map((_, at) => at).filter(at => rows.some(row => row[at] !== '' && row[at] !== UNKNOWN));
  const prose = kept.map(at => (PROSE.has(head[at]) ? 'klab-prose' : ''));
  const titles = element('tr', '', ...kept.map((at, n) => element('th', prose[n], head[at])));
  const cells = (row: string[]): HTMLElement[] => kept.map((at, n) => element('td', prose[n], row[at]));
  const body = rows.map((row, n) => element('tr', failed[n] ? 'klab-failed' : '', ...cells(row)));
  return element(
    'div',
    'klab-scroll',
    element('table', 'klab-table', element('thead', '', titles), element('tbody', '', ...body))
  );
}

/** A row: the question at the left, its answer beside it. */
export function question(label: string, ...answer: Part[]): HTMLElement {
  return element('div', 'klab-question', element('div', 'klab-label', label), element('div', 'klab-answer', ...answer));
}

/** Text of less weight. */
export function muted(...parts: Part[]): HTMLElement {
  return element('span', 'klab-muted', ...parts);
}
