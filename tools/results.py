"""docs/results/README.md from the JSON files beside it: no figure in the docs is typed by hand.

python tools/results.py [--check]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "results"
HEAD = """# Results

Each table is made from the JSON file named above it (`python tools/results.py`), which a program in `benchmarks/` wrote on the
machine it names.
"""


def page() -> str:
    """The page's text."""
    return HEAD + "".join(_section(path) for path in sorted(FOLDER.glob("*.json")))


def _section(path: Path) -> str:
    facts = json.loads(path.read_text())
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    where = f"{facts['gpu'] or 'no GPU'}, driver {facts['driver'] or '–'}, Python {facts['python']}, {versions}"
    lines = [f"\n## {path.name}\n", f"`{facts['program']}`; {where}.\n"]
    lines.append("| entry | language | target | verdict | ran on | time µs (p10–p90) | n | at least µs | of the roof | limited by |")
    lines.append("|---|---|---|---|---|---|---|---|---|---|")
    lines += [_row(row) for row in facts["rows"]]
    methods = sorted({f"{row['method']}, {'cold' if row['cold_cache'] else 'warm'} L2" for row in facts["rows"] if row["method"]})
    if methods:
        lines.append(f"\nTimes: median of n calls, by {'; '.join(methods)}.")
    return "\n".join(lines) + "\n"


def _row(row: dict[str, Any]) -> str:
    verdict = {True: "right", False: "wrong (meant to be)", None: "not verified"}[row["verdict"]]
    time = f"{row['time_us']:.2f} ({row['low_us']:.2f}–{row['high_us']:.2f})" if row["time_us"] else "not measured"
    share = f"{row['fraction']:.0%}" if row["fraction"] else "–"
    bound = f"{row['bound_us']:.2f}" if row["bound_us"] else "–"
    cells = (
        row["entry"],
        row["language"],
        row["target"],
        verdict,
        row["ran_on"] or "–",
        time,
        row["runs"] or "–",
        bound,
        share,
        row["limited_by"],
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def main() -> int:
    """Write the page; with ``--check`` only compare it, and fail when it differs."""
    target = FOLDER / "README.md"
    if "--check" in sys.argv[1:]:
        current = target.read_text() if target.exists() else ""
        if current != page():
            print("docs/results/README.md is not what its JSON files say: run python tools/results.py")
            return 1
        return 0
    target.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
