import type { Pair } from './pair';

/** The pair of listings that commands act on: the one with the focus, else the one touched last that is still in sight. */
export class Active {
  /** A pair was touched. */
  touch(pair: Pair): void {
    this.pairs = [pair, ...this.pairs.filter(other => other !== pair)];
  }

  forget(pair: Pair): void {
    this.pairs = this.pairs.filter(other => other !== pair);
  }

  get pair(): Pair | null {
    return this.pairs.find(pair => pair.node.checkVisibility()) ?? null;
  }

  private pairs: Pair[] = [];
}
