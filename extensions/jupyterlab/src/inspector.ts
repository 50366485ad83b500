import { codeIcon } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import { element, muted } from './markup';
import { Pair } from './pair';
import type { Report } from './schema';
import * as sections from './sections';
import type { Services } from './services';

/** The side panel: one report with more room. Keeps kernel and stage when the next report comes. */
export class Inspector extends Widget {
  constructor(private readonly services: Services) {
    super();
    this.id = 'kernel-lab-inspector';
    this.addClass('klab-inspector');
    this.title.icon = codeIcon;
    this.title.caption = 'Kernel Lab inspector';
    this.node.append(this.note, this.content);
    this.show_(null);
  }

  get pair(): Pair | null {
    return this._pair;
  }

  /** Shows the latest report of the active cell; null says that it has none, and what was there stays. */
  follow(report: Report | null): void {
    if (report !== null && report !== this.report) {
      this.show_(report);
    }
    this.note.textContent =
      report === null && this.report !== null ? 'the active cell has no report; this is the last one' : '';
  }

  /** Forgets what is shown: another notebook is at the front. */
  reset(): void {
    this.show_(null);
  }

  override dispose(): void {
    this._pair?.dispose();
    super.dispose();
  }

  private show_(report: Report | null): void {
    const chosen = this._pair?.chosen;
    this._pair?.dispose();
    this._pair = null;
    this.report = report;
    if (report === null || !report.kernels.length) {
      const head = report && [sections.header(report), sections.rejected(report) ?? muted('no kernel was compiled')];
      const hint = element(
        'div',
        'klab-said',
        'Run a cell with %%triton or %%tile, or select one that ran: its source and stages appear here.'
      );
      this.content.replaceChildren(...(head ?? [hint]));
      return;
    }
    const facts = element('div', '');
    const choice = chosen ?? { kernel: 0, stage: '', beside: '', open: true, closable: false };
    this._pair = new Pair(this.services, report, choice, kernel => facts.replaceChildren(sections.resources(kernel)));
    this.content.replaceChildren(sections.header(report), facts, this._pair.node);
  }

  private readonly note = element('div', 'klab-note');
  private readonly content = element('div', 'klab-content');
  private report: Report | null = null;
  private _pair: Pair | null = null;
}
