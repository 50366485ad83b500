import type { IRenderMime } from '@jupyterlab/rendermime';
import { Widget } from '@lumino/widgets';
import { element, question } from './markup';
import { Pair } from './pair';
import { isReport, MIME_TYPE, versionOf } from './payload';
import { SCHEMA_VERSION, type Report } from './schema';
import * as sections from './sections';
import type { Services } from './services';

const CHART = /src="(data:image\/svg\+xml;base64,[A-Za-z0-9+/=]+)"/;

/** A report below its cell. What it cannot read it leaves to the static HTML that comes with it, and says why. */
export class ReportWidget extends Widget implements IRenderMime.IRenderer {
  constructor(private readonly services: Services) {
    super();
    this.addClass('klab-report');
    // MathJax would read "$" in compiler output as mathematics.
    this.node.classList.add('tex2jax_ignore', 'mathjax_ignore');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.clear();
    const data: unknown = model.data[MIME_TYPE];
    if (!isReport(data)) {
      return this.renderStatic(model, versionOf(data));
    }
    const html = model.data['text/html'];
    const chart = typeof html === 'string' ? (CHART.exec(html)?.[1] ?? null) : null;
    this.node.append(
      sections.header(data),
      this.became(data),
      sections.right(data),
      sections.fast(data, chart),
      sections.after(data)
    );
    const printed = sections.printed(data);
    this.node.append(...(printed ? [printed] : []), sections.footer(data, this.services.version));
  }

  override dispose(): void {
    this.clear();
    super.dispose();
  }

  private became(report: Report): HTMLElement {
    const answer = element('div', '');
    if (report.kernels.length) {
      const facts = element('div', '');
      const choice = {
        kernel: 0,
        stage: '',
        beside: '',
        open: this.services.preferences.openInReports,
        closable: true
      };
      this.pair = new Pair(this.services, report, choice, kernel => facts.replaceChildren(sections.resources(kernel)));
      answer.append(this.pair.node, facts);
    } else {
      answer.append('no kernel was compiled');
    }
    answer.append(
      ...[sections.configurations(report), sections.rejected(report)].filter(
        (part): part is HTMLElement => part !== null
      )
    );
    const made = question('1. What did it become?', answer);
    made.classList.add('klab-became');
    return made;
  }

  private async renderStatic(model: IRenderMime.IMimeModel, version: number | null): Promise<void> {
    const has = version === null ? 'of no known version' : `of schema version ${version}`;
    const update =
      version !== null && version > SCHEMA_VERSION
        ? 'update the extension (pip install -U kernel_lab), '
        : 'run the cell again ';
    const advice = `${update}${version !== null && version > SCHEMA_VERSION ? 'then reload the page' : 'to make it anew'}`;
    const said = `This report is ${has}; this JupyterLab extension (kernel_lab ${this.services.version}) reads version ${SCHEMA_VERSION}. `;
    this.node.append(element('div', 'klab-warning', `${said}Below is its static form: ${advice}.`));
    const mimeType = ['text/html', 'text/plain'].find(type => model.data[type] !== undefined);
    if (mimeType) {
      this.fallback = this.services.rendermime.createRenderer(mimeType);
      this.node.append(this.fallback.node);
      await this.fallback.renderModel(model);
    }
  }

  private clear(): void {
    this.pair?.dispose();
    this.pair = null;
    this.fallback?.dispose();
    this.fallback = null;
    this.node.replaceChildren();
  }

  private pair: Pair | null = null;
  private fallback: IRenderMime.IRenderer | null = null;
}
