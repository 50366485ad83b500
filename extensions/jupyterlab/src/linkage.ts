import { Signal, type ISignal } from '@lumino/signaling';

/** What is linked at the moment: the cell line under the pointer, and the one that was chosen. Several listings share one. */
export class Linkage {
  /** Emits who changed it; null for the program itself. */
  get changed(): ISignal<this, object | null> {
    return this._changed;
  }

  get hovered(): number | null {
    return this._hovered;
  }

  get picked(): number | null {
    return this._picked;
  }

  /** The pointer is over something of this cell line, or (null) over nothing linked. */
  hover(cellLine: number | null): void {
    if (cellLine !== this._hovered) {
      this._hovered = cellLine;
      this._changed.emit(null);
    }
  }

  /** A line was chosen by click or key; the listings other than `by` scroll to it. */
  pick(cellLine: number | null, by: object): void {
    this._picked = cellLine;
    this._changed.emit(by);
  }

  private readonly _changed = new Signal<this, object | null>(this);
  private _hovered: number | null = null;
  private _picked: number | null = null;
}
