/**
 * How the lines of a listing are marked: under the pointer, chosen, current, or dimmed for having no link.
 *
 * Decorates the lines in view only: a cell line may have thousands of lines in a stage.
 */
import { RangeSetBuilder, StateEffect, StateField, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  gutter,
  GutterMarker,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate
} from '@codemirror/view';

export interface Marks {
  hovered: ReadonlySet<number>;
  picked: ReadonlySet<number>;
  current: number | null;
}

export const setMarks = StateEffect.define<Marks>();

const none: Marks = { hovered: new Set(), picked: new Set(), current: null };

const field = StateField.define<Marks>({
  create: () => none,
  update: (value, transaction) =>
    transaction.effects.reduce((last, effect) => (effect.is(setMarks) ? effect.value : last), value)
});

/** Lines for which `dimmed` holds are drawn fainter; the others answer to `setMarks`. */
export function marks(dimmed: (line: number) => boolean): Extension {
  const build = (view: EditorView): DecorationSet => {
    const builder = new RangeSetBuilder<Decoration>();
    const { hovered, picked, current } = view.state.field(field);
    for (const { from, to } of view.visibleRanges) {
      for (let position = from; position <= to;) {
        const line = view.state.doc.lineAt(position);
        const classes = [
          hovered.has(line.number) && 'klab-hovered',
          picked.has(line.number) && 'klab-picked',
          line.number === current && 'klab-current',
          dimmed(line.number) && 'klab-dimmed'
        ].filter(Boolean);
        if (classes.length) {
          builder.add(line.from, line.from, Decoration.line({ class: classes.join(' ') }));
        }
        position = line.to + 1;
      }
    }
    return builder.finish();
  };
  const plugin = ViewPlugin.define(
    view => ({
      decorations: build(view),
      update(update: ViewUpdate) {
        if (
          update.docChanged ||
          update.viewportChanged ||
          update.startState.field(field) !== update.state.field(field)
        ) {
          this.decorations = build(update.view);
        }
      }
    }),
    { decorations: value => value.decorations }
  );
  return [field, plugin];
}

class CellLine extends GutterMarker {
  constructor(private readonly line: number) {
    super();
  }

  override eq(other: CellLine): boolean {
    return this.line === other.line;
  }

  override toDOM(): Node {
    return document.createTextNode(String(this.line));
  }
}

/** A gutter with the cell line of every line that has one. */
export function gutterOf(cellLine: (line: number) => number | null): Extension {
  return gutter({
    class: 'klab-cell-lines',
    lineMarker(view, block) {
      const line = cellLine(view.state.doc.lineAt(block.from).number);
      return line === null ? null : new CellLine(line);
    },
    initialSpacer: () => new CellLine(999)
  });
}
