"""Writes fixtures/reports.json: payloads of the package's sample reports, and what the package says of them.

The tests here hold the extension to the same words. Run in the project's environment after a change of `kernel_lab/render`:
``python extensions/jupyterlab/tests/fixtures.py``; a test of the package fails until that is done.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
PATH = Path(__file__).parent / "fixtures" / "reports.json"
NUMBERS = (None, 0, 1, 7, 999, 1000, 123456, 999999, 1e6, 98432.0, 0.5, 0.001, 0.00099, 0.0123456, 1.5, 12.345, 123.456, 1234.5, 999999.5)
NUMBERS += (0.05, 0.0999, 999.6, 1023, 1024, 1536, 10240, 232448, 1048576, 5e9, 3.35e12, 989.5e12, 1e-9, -2.5, float("nan"), float("inf"))

WITH_TEXTS = "right"
ROOM = 32 * 1024


def fixture() -> dict[str, Any]:
    """The whole file as data."""
    from kernel_lab.render import format as fmt
    from kernel_lab.render import payload, summary
    from kernel_lab.results import to_json
    from tests.render import samples

    reports = {name: report for name, report in samples.ALL.items() if report not in (samples.HUGE, samples.MANY)}
    formats = {
        "number": fmt.number,
        "time": fmt.time,
        "size": fmt.size,
        "size2": lambda value: fmt.size(value, 2),
        "quantity": lambda value: fmt.quantity(value, "B"),
        "percent": fmt.percent,
    }
    return {
        # One of them with its texts is enough.
        "payloads": {name: payload.payload(report, budget=ROOM if name == WITH_TEXTS else 0) for name, report in reports.items()},
        "said": {name: _said(report, summary) for name, report in reports.items()},
        "formats": {name: [[to_json(value), show(value)] for value in NUMBERS] for name, show in formats.items()},
    }


def _said(report: Any, summary: Any) -> dict[str, Any]:
    from kernel_lab.render.payload import payload, payload_to_report

    # As a saved notebook carries it: keys sorted, lone surrogates replaced.
    report = payload_to_report(json.loads(json.dumps(payload(report), sort_keys=True)))
    speed = summary.speed(report)
    return {
        "word": summary.word(report),
        "title": summary.title(report),
        "target": summary.target_name(report.kernels[0] if report.kernels else None, report, None),
        "verdict": summary.verdict_line(report),
        "speed": [speed.headline, list(speed.details), speed.measured],
        "resources": [[list(pair) for pair in summary.resources(kernel)] for kernel in report.kernels],
        "notes": [[note.text, note.cell_line] for note in summary.notes(report)],
        "stamp": summary.stamp_parts(report),
    }


def text() -> str:
    """The file's text, the same on every run."""
    return json.dumps(fixture(), indent=1, sort_keys=True, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(text(), encoding="utf-8")
