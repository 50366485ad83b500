import { Clipboard, Notification } from '@jupyterlab/apputils';
import { Column } from './column';
import * as fmt from './format';
import { highlighting } from './languages';
import { Linkage } from './linkage';
import { Links } from './links';
import { Listing } from './listing';
import { button, element, select } from './markup';
import { decodeLineMap, decodeText } from './payload';
import type { Kernel, Report, Stage } from './schema';
import type { Services } from './services';
import { kernelLabel } from './summary';

const NAMES: Record<string, string> = {
  llir: 'll',
  amdgcn: 's',
  cuda: 'cu',
  tir: 'tir.py',
  tir_lowered: 'lowered.tir.py',
  source: 'py'
};

/** How a pair begins, and what may be done with it. */
export interface Choice {
  kernel: number;
  /** "" when the default stage is meant. */
  stage: string;
  /** A second stage beside the first; "" for none. */
  beside: string;
  open: boolean;
  closable: boolean;
}

/**
 * The cell's source at the left and stages of a kernel at the right, linked both ways.
 *
 * Nothing is inflated and no editor is made before it is open. Knows one report; not where it is shown.
 */
export class Pair {
  readonly node = element('div', 'klab-pair');

  constructor(
    private readonly services: Services,
    private readonly report: Report,
    choice: Choice,
    private readonly onKernel: (kernel: Kernel) => void = () => undefined
  ) {
    this.right = new Column(services, this.linkage);
    this.second = new Column(services, this.linkage);
    this.choice = { ...choice, kernel: Math.max(0, Math.min(choice.kernel, report.kernels.length - 1)) };
    this.node.append(this.bar, this.body);
    this.node.addEventListener('focusin', () => services.active.touch(this));
    this.node.addEventListener('pointerdown', () => services.active.touch(this));
    // What the listings do with these keys is theirs: the notebook would move to another cell.
    this.body.addEventListener('keydown', event => {
      if (
        [
          'ArrowUp',
          'ArrowDown',
          'ArrowLeft',
          'ArrowRight',
          'PageUp',
          'PageDown',
          'Home',
          'End',
          'Enter',
          'Escape'
        ].includes(event.key)
      ) {
        event.stopPropagation();
      } else if (event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey)) {
        event.stopPropagation();
      }
    });
    services.preferences.changed.connect(this.onPreferences, this);
    services.active.touch(this);
    void this.draw();
  }

  get kernel(): Kernel {
    return this.report.kernels[this.choice.kernel];
  }

  /** The stages that can be chosen: all but the source, which stands at the left. */
  get stages(): Stage[] {
    const others = this.kernel.stages.filter(stage => stage.name !== 'source');
    return others.length ? others : this.kernel.stages;
  }

  /** The chosen stage; where the kernel has none of that name, the default one, else the last. */
  get stage(): Stage | undefined {
    const named = (name: string): Stage | undefined => this.stages.find(stage => stage.name === name);
    return named(this.choice.stage) ?? named(this.services.preferences.defaultStage) ?? this.stages.at(-1);
  }

  /** What is chosen now, to begin another pair with. */
  get chosen(): Choice {
    return { ...this.choice };
  }

  /** Ends when what was chosen last is on the page. */
  get ready(): Promise<void> {
    return this.drawn;
  }

  show(name: string): void {
    this.choice.stage = name;
    this.choice.open = true;
    void this.draw();
  }

  /** The next stage, or (-1) the previous one. */
  step(by: 1 | -1): void {
    const at = this.stages.findIndex(stage => stage === this.stage);
    const next = this.stages[at + by];
    if (next) {
      this.show(next.name);
    }
  }

  copy(): void {
    this.withText((text, stage) => {
      Clipboard.copyToSystem(text);
      Notification.emit(`${stage.name} copied: ${fmt.count(stage.lines, 'line')}`, 'success', { autoClose: 2000 });
    });
  }

  download(): void {
    this.withText((text, stage) => {
      const link = element('a', '');
      link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
      link.download = `${this.kernel.name}.${this.kernel.target}.${NAMES[stage.name] ?? stage.name}`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }

  openSearch(): void {
    this.right.listing?.openSearch();
  }

  dispose(): void {
    this.services.preferences.changed.disconnect(this.onPreferences, this);
    this.services.active.forget(this);
    this.close();
    this.node.remove();
  }

  private draw(): Promise<void> {
    this.drawBar();
    this.onKernel(this.kernel);
    this.body.hidden = !this.choice.open;
    this.drawn = this.choice.open ? this.fill() : Promise.resolve(this.close());
    return this.drawn;
  }

  private drawBar(): void {
    const focused = this.bar.contains(document.activeElement) && document.activeElement?.getAttribute('role') === 'tab';
    const tabs = element('div', 'klab-tabs', ...this.stages.map(stage => this.tab(stage)));
    tabs.setAttribute('role', 'tablist');
    tabs.setAttribute('aria-label', 'stages');
    tabs.addEventListener('keydown', event => {
      if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
        event.stopPropagation();
        event.preventDefault();
        this.step(event.key === 'ArrowRight' ? 1 : -1);
      }
    });
    const kernels = this.report.kernels;
    const chooseKernel = (at: number): void => {
      this.choice.kernel = at;
      void this.draw();
    };
    const labels = kernels.map(kernel => kernelLabel(kernel, this.report));
    const picker = kernels.length > 1 && select('kernel and configuration', labels, this.choice.kernel, chooseKernel);
    this.bar.replaceChildren(
      ...[picker, tabs, this.choice.open && this.tools()].filter((part): part is HTMLElement => !!part)
    );
    if (focused) {
      tabs.querySelector<HTMLElement>('[aria-selected=true]')?.focus();
    }
  }

  private tab(stage: Stage): HTMLElement {
    const selected = this.choice.open && stage === this.stage;
    const facts =
      stage.encoding === 'omitted' ? 'not embedded' : `${fmt.count(stage.lines, 'line')}, ${fmt.size(stage.bytes, 2)}`;
    const made = button('klab-tab', stage.name, `${stage.name}: ${facts}`, () => {
      if (selected && this.choice.closable) {
        this.choice.open = false;
        void this.draw();
      } else {
        this.show(stage.name);
      }
    });
    made.append(element('span', 'klab-facts', facts));
    made.dataset.stage = stage.name;
    made.setAttribute('role', 'tab');
    made.setAttribute('aria-selected', String(selected));
    made.tabIndex = selected || !this.choice.open ? 0 : -1;
    return made;
  }

  private tools(): HTMLElement {
    const names = ['one stage', ...this.stages.map(stage => `+ ${stage.name}`)];
    const at = this.stages.findIndex(stage => stage.name === this.choice.beside) + 1;
    const beside = select('second stage beside the first', names, at, chosen => {
      this.choice.beside = this.stages[chosen - 1]?.name ?? '';
      void this.draw();
    });
    return element(
      'div',
      'klab-tools',
      beside,
      button('klab-tool', 'Search', 'search in this stage', () => this.openSearch()),
      button('klab-tool', 'Copy', 'copy this stage', () => this.copy()),
      button('klab-tool', 'Download', 'download this stage', () => this.download()),
      this.choice.closable &&
        button('klab-tool', 'Close', 'close source and stage', () => {
          this.choice.open = false;
          void this.draw();
        })
    );
  }

  private async fill(): Promise<void> {
    const stage = this.stage;
    const beside = this.stages.find(item => item.name === this.choice.beside);
    if (!stage) {
      this.body.replaceChildren(element('div', 'klab-said', 'no stage was kept'));
      return;
    }
    await this.fillSource();
    await Promise.all([this.right.show(stage), beside ? this.second.show(beside) : this.second.dispose()]);
    if (!this.source || !this.choice.open) {
      return;
    }
    this.body.replaceChildren(this.sourceNode, this.right.node, ...(beside ? [this.second.node] : []));
    this.body.classList.toggle('klab-three', Boolean(beside));
    // A source line is bright when one of the stages shown has a line of it.
    const shown = [this.right.links, beside ? this.second.links : null].filter(links => links?.any) as Links[];
    const source = this.sourceLinks;
    const bright = (line: number): boolean => shown.some(links => links.has(source.cellLine(line) ?? 0));
    this.source.setLinks(source, line => shown.length > 0 && !bright(line));
    const picked = this.linkage.picked;
    if (picked !== null) {
      this.linkage.pick(picked, this.source);
    }
  }

  private async fillSource(): Promise<void> {
    const kernel = this.kernel;
    if (this.source !== null && (this.report.cell.source || this.sourceOf === kernel)) {
      return;
    }
    const [text, links] = await this.sourceText();
    const language = await highlighting(this.services.languages, 'python');
    if (kernel !== this.kernel || !this.choice.open) {
      return;
    }
    this.source?.dispose();
    this.sourceOf = kernel;
    this.sourceLinks = links;
    const content = { text, links, language, cellLines: false, label: 'source of the cell' };
    this.source = new Listing(this.linkage, content, this.services.preferences.fontSize);
    this.sourceNode.replaceChildren(this.source.node);
  }

  /** The cell as its lines are counted (the magic line is line 1); where no cell was run, the kernel's own source. */
  private async sourceText(): Promise<[string, Links]> {
    const { magic, source } = this.report.cell;
    const own = this.kernel.stages.find(stage => stage.name === 'source');
    if (source || !own || own.encoding === 'omitted') {
      const text = `${magic}\n${source}`.replace(/\n$/, '');
      return [text, Links.identity(text.split('\n').length)];
    }
    return [((await decodeText(own)) ?? '').replace(/\n$/, ''), new Links(await decodeLineMap(own.line_map))];
  }

  private close(): void {
    this.source?.dispose();
    this.source = null;
    this.right.dispose();
    this.second.dispose();
    this.body.replaceChildren();
  }

  private withText(action: (text: string, stage: Stage) => void): void {
    const stage = this.stage;
    if (stage && this.right.text !== null) {
      action(this.right.text, stage);
    } else if (stage) {
      const why = stage.encoding === 'omitted' ? stage.note : 'open it first';
      Notification.emit(`${stage.name} is not here: ${why}`, 'warning', { autoClose: 6000 });
    }
  }

  private onPreferences(): void {
    const size = this.services.preferences.fontSize;
    for (const listing of [this.source, this.right.listing, this.second.listing]) {
      listing?.setFontSize(size);
    }
  }

  private readonly linkage = new Linkage();
  private readonly bar = element('div', 'klab-bar');
  private readonly body = element('div', 'klab-columns');
  private readonly sourceNode = element('div', 'klab-column');
  private readonly right: Column;
  private readonly second: Column;
  private readonly choice: Choice;
  private source: Listing | null = null;
  private sourceOf: Kernel | null = null;
  private sourceLinks = Links.identity(0);
  private drawn: Promise<void> = Promise.resolve();
}
