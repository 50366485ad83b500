"""`make bench`: every program under benchmarks/, one after another; each prints what it measured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """The worst exit status of the programs; 1 when there is none to run."""
    programs = sorted((ROOT / "benchmarks").glob("[!_]*.py"))
    if not programs:
        print("benchmarks/ holds no programs")
        return 1
    worst = 0
    for program in programs:
        print(f"== {program.relative_to(ROOT)}", flush=True)
        worst = max(worst, subprocess.run([sys.executable, program], cwd=ROOT).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
