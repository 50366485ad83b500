/**
 * A stage's line map, looked up both ways. Lines are counted from 1, as in the cell, where the magic line is line 1.
 */
export class Links {
  /** `map[n - 1]` is the cell line that line n of the stage comes from, or null. */
  constructor(private readonly map: readonly (number | null)[]) {
    map.forEach((cellLine, at) => {
      if (cellLine !== null) {
        const lines = this.inverse.get(cellLine);
        if (lines) {
          lines.push(at + 1);
        } else {
          this.inverse.set(cellLine, [at + 1]);
        }
      }
    });
  }

  /** A text whose lines are the cell's own. */
  static identity(lines: number): Links {
    return new Links(Array.from({ length: lines }, (_, at) => at + 1));
  }

  /** Whether any line is linked at all. */
  get any(): boolean {
    return this.inverse.size > 0;
  }

  /** The cell line of a stage's line, or null. */
  cellLine(line: number): number | null {
    return this.map[line - 1] ?? null;
  }

  /** The stage's lines of a cell line, ascending. */
  lines(cellLine: number): readonly number[] {
    return this.inverse.get(cellLine) ?? [];
  }

  /** Whether a cell line has a line in this stage. */
  has(cellLine: number): boolean {
    return this.inverse.has(cellLine);
  }

  /** The line of the stage that is nearest to `from` among those of a cell line; null when there is none. */
  nearest(cellLine: number, from: number): number | null {
    const lines = this.lines(cellLine);
    return lines.length
      ? lines.reduce((best, line) => (Math.abs(line - from) < Math.abs(best - from) ? line : best))
      : null;
  }

  /** The next line after `from` (before it, for -1) that is linked; null at the end. */
  nextLinked(from: number, step: 1 | -1): number | null {
    for (let line = from + step; line >= 1 && line <= this.map.length; line += step) {
      if (this.cellLine(line) !== null) {
        return line;
      }
    }
    return null;
  }

  private readonly inverse = new Map<number, number[]>();
}
