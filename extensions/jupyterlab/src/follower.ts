import { type Cell, CodeCell } from '@jupyterlab/cells';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { IOutputAreaModel } from '@jupyterlab/outputarea';
import type { Inspector } from './inspector';
import { isReport, MIME_TYPE } from './payload';
import type { Report } from './schema';

/** Tells the inspector which report the active cell of the active notebook has, now and whenever it runs again. */
export class Follower {
  constructor(
    private readonly tracker: INotebookTracker,
    private readonly inspector: Inspector
  ) {
    tracker.activeCellChanged.connect(this.onCell, this);
    tracker.currentChanged.connect(this.onNotebook, this);
    this.onCell();
  }

  private onNotebook(): void {
    this.inspector.reset();
    this.onCell();
  }

  private onCell(): void {
    this.outputs?.changed.disconnect(this.onOutputs, this);
    const cell: Cell | null = this.tracker.activeCell;
    // A cell of a notebook that is being closed has no model any more.
    this.outputs = (cell instanceof CodeCell && !cell.isDisposed && cell.model?.outputs) || null;
    this.outputs?.changed.connect(this.onOutputs, this);
    this.onOutputs();
  }

  private onOutputs(): void {
    this.inspector.follow(this.outputs && latest(this.outputs));
  }

  private outputs: IOutputAreaModel | null = null;
}

/** The last report among outputs. */
function latest(outputs: IOutputAreaModel): Report | null {
  for (let at = outputs.length - 1; at >= 0; at--) {
    const data: unknown = outputs.get(at).data[MIME_TYPE];
    if (isReport(data)) {
      return data;
    }
  }
  return null;
}
