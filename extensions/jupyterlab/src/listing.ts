import { defaultKeymap } from '@codemirror/commands';
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { jupyterTheme } from '@jupyterlab/codemirror';
import type { Linkage } from './linkage';
import type { Links } from './links';
import { gutterOf, marks, setMarks } from './marks';

/** What a listing shows: a text, the cell lines of its lines, and how it is highlighted. */
export interface Content {
  text: string;
  links: Links;
  language: Extension;
  /** Whether the cell's line numbers stand beside the text's own. */
  cellLines: boolean;
  label: string;
}

/**
 * A text in a read-only editor whose lines are linked to cell lines.
 *
 * CodeMirror draws only what is in view, so that a megabyte opens at once. Knows one text and the `Linkage` that it shares with others;
 * nothing of reports.
 */
export class Listing {
  readonly node = document.createElement('div');

  constructor(
    private readonly linkage: Linkage,
    content: Content,
    fontSize: number
  ) {
    this.links = content.links;
    this.node.className = 'klab-listing';
    this.setFontSize(fontSize);
    this.view = new EditorView({
      parent: this.node,
      state: EditorState.create({ doc: content.text, extensions: this.extensions(content) })
    });
    linkage.changed.connect(this.onLinkage, this);
    this.update();
  }

  dispose(): void {
    this.linkage.changed.disconnect(this.onLinkage, this);
    this.view.destroy();
    this.node.remove();
  }

  /** Lines that are linked are drawn as such; the source's change with the stage beside it. */
  setLinks(links: Links, dimmed: (line: number) => boolean): void {
    this.links = links;
    this.view.dispatch({ effects: this.look.reconfigure(marks(dimmed)) });
    this.update();
  }

  /** 0 is JupyterLab's own size of code. */
  setFontSize(size: number): void {
    this.node.style.setProperty('--klab-font-size', size > 0 ? `${size}px` : 'var(--jp-code-font-size)');
  }

  openSearch(): void {
    openSearchPanel(this.view);
  }

  focus(): void {
    this.view.focus();
  }

  /** Brings a line into view, in the middle when it was not. */
  scrollTo(line: number): void {
    const bounded = Math.max(1, Math.min(line, this.view.state.doc.lines));
    const position = this.view.state.doc.line(bounded).from;
    const block = this.view.lineBlockAt(position);
    const { scrollTop, clientHeight } = this.view.scrollDOM;
    const visible = block.top >= scrollTop && block.bottom <= scrollTop + clientHeight;
    if (!visible) {
      this.view.dispatch({ effects: EditorView.scrollIntoView(position, { y: 'center', x: 'start' }) });
    }
  }

  private extensions(content: Content): Extension {
    return [
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorState.lineSeparator.of('\n'),
      EditorView.contentAttributes.of({
        tabindex: '0',
        'aria-label': content.label,
        role: 'textbox',
        'aria-readonly': 'true'
      }),
      jupyterTheme,
      content.language,
      lineNumbers(),
      content.cellLines ? gutterOf(line => this.links.cellLine(line)) : [],
      this.look.of(marks(line => this.links.any && this.links.cellLine(line) === null)),
      search({ top: true }),
      highlightSelectionMatches(),
      keymap.of([
        { key: 'ArrowDown', run: () => this.step(1) },
        { key: 'ArrowUp', run: () => this.step(-1) },
        { key: 'Mod-ArrowDown', run: () => this.stepLinked(1) },
        { key: 'Mod-ArrowUp', run: () => this.stepLinked(-1) },
        { key: 'Escape', run: () => this.pick(null) },
        ...searchKeymap,
        ...defaultKeymap
      ]),
      EditorView.domEventHandlers({
        mousemove: event => this.linkage.hover(this.cellLineAt(event)),
        mouseleave: () => this.linkage.hover(null),
        click: event => {
          const line = this.lineAt(event);
          // A text that is being selected is not a click on its last line.
          if (line !== null && this.view.state.selection.main.empty) {
            this.pick(line);
          }
        }
      })
    ];
  }

  private lineAt(event: MouseEvent): number | null {
    // By height rather than by character: the whole row counts, however short its text.
    const top = this.view.documentTop;
    const height = event.clientY - top;
    if (height < 0 || height > this.view.contentHeight) {
      return null;
    }
    return this.view.state.doc.lineAt(this.view.lineBlockAtHeight(height).from).number;
  }

  private cellLineAt(event: MouseEvent): number | null {
    const line = this.lineAt(event);
    return line === null ? null : this.links.cellLine(line);
  }

  private step(by: 1 | -1): boolean {
    const line = (this.current ?? (by > 0 ? 0 : this.view.state.doc.lines + 1)) + by;
    return line < 1 || line > this.view.state.doc.lines ? true : this.pick(line);
  }

  private stepLinked(by: 1 | -1): boolean {
    const line = this.links.nextLinked(this.current ?? (by > 0 ? 0 : this.view.state.doc.lines + 1), by);
    return line === null ? true : this.pick(line);
  }

  private pick(line: number | null): boolean {
    this.current = line;
    if (line !== null) {
      this.scrollTo(line);
    }
    this.linkage.pick(line === null ? null : this.links.cellLine(line), this);
    return true;
  }

  private onLinkage(_: Linkage, by: object | null): void {
    if (by !== null && by !== this) {
      const picked = this.linkage.picked;
      const middle = this.view.state.doc.lineAt(this.view.lineBlockAtHeight(this.view.scrollDOM.scrollTop).from).number;
      const line = picked === null ? null : this.links.nearest(picked, this.current ?? middle);
      this.current = line;
      if (line !== null) {
        this.scrollTo(line);
      }
    }
    this.update();
  }

  private update(): void {
    const { hovered, picked } = this.linkage;
    const linesOf = (cellLine: number | null): ReadonlySet<number> =>
      new Set(cellLine === null ? [] : this.links.lines(cellLine));
    this.view.dispatch({
      effects: setMarks.of({ hovered: linesOf(hovered), picked: linesOf(picked), current: this.current })
    });
  }

  private readonly view: EditorView;
  private readonly look = new Compartment();
  private links: Links;
  private current: number | null = null;
}
