"""Questions 2 to 4 of a report as HTML sections, and what the cell printed (question 1 is `kernels`).

Takes its claims from `summary` and its numbers from `format`; knows no front end and compiles nothing.
"""

from __future__ import annotations

import base64
import importlib
from collections import Counter
from dataclasses import replace

from kernel_lab.render import css, summary
from kernel_lab.render import format as fmt
from kernel_lab.render.markup import Markup, element, join
from kernel_lab.render.parts import bullets, folded, muted, question, table
from kernel_lab.results import Case, Report, Verdict
from kernel_lab.targets import Target, lookup

MAX_CASES = 40
MAX_NOTES = 6
MAX_PRINTED = 8 * 1024


# 2. Is it right?


def right(report: Report) -> Markup:
    """The verdict in a sentence; the cases and checks behind it, unfolded when it is WRONG."""
    word, verdict = summary.word(report), report.verdict
    line = join(element("strong", word), ": ", summary.verdict_line(report))
    if verdict is None or not (verdict.cases or verdict.checks):
        return question("2. Is it right?", line)
    return question("2. Is it right?", folded(line, _cases(verdict), _checks(verdict), open_=word == "WRONG"))


def _cases(verdict: Verdict) -> Markup | None:
    """Why cases failed, then all cases: failed ones first when there are too many to show."""
    if not verdict.cases:
        return None
    reasons = Counter(case.reason for case in verdict.cases if case.reason)
    why = [reason if times == 1 else f"{reason} ({fmt.count(times, 'case')})" for reason, times in reasons.items()]
    shown = sorted(verdict.cases, key=lambda case: case.passed) if len(verdict.cases) > MAX_CASES else list(verdict.cases)
    shown, left = shown[:MAX_CASES], len(shown) - MAX_CASES
    head = ("sizes", "dtypes", "result", "max error", "bound", "error/bound", "worst at", "got", "want")
    body = table(head, [_case(case) for case in shown], [not case.passed for case in shown])
    more = muted(f"and {fmt.count(left, 'more case')}: kernel_lab.last().verdict.cases") if left > 0 else None
    return join(bullets(why[:MAX_NOTES]) if why else None, body, more)


def _case(case: Case) -> tuple[str, ...]:
    known = case.max_error is not None and case.bound is not None
    spot = (case.output or "") + (fmt.index(case.worst_index) if case.worst_index is not None else "")
    return (
        fmt.mapping(case.sizes),
        summary.dtypes(case),
        "✓ right" if case.passed else "✗ WRONG",
        fmt.number(case.max_error),
        fmt.number(case.bound),
        fmt.number(summary.strain(case)) if known else fmt.UNKNOWN,
        spot or fmt.UNKNOWN,
        fmt.number(case.got, 6),
        fmt.number(case.want, 6),
    )


def _checks(verdict: Verdict) -> Markup | None:
    marks = {True: "✓ passed", False: "✗ FAILED", None: "? not looked at"}
    rows = [(name, marks[check.passed], check.detail) for name, check in verdict.checks.items()]
    return table(("check", "result", "detail"), rows, [check.passed is False for check in verdict.checks.values()]) if rows else None


# 3. How fast, and how far from the limit?


def fast(report: Report, target: Target | None) -> Markup:
    """Measured time or bound, with the chart and the sources of its numbers folded below."""
    said = summary.speed(report)
    line = join(element("strong", "measured: "), said.headline) if said.measured else Markup(element("span", said.headline))
    image = chart(report, target)
    if not said.details and image is None:
        return question("3. How fast, how far off?", line)
    return question("3. How fast, how far off?", folded(line, image, bullets(said.details)))


def chart(report: Report, target: Target | None) -> Markup | None:
    """The roofline's static chart as an image, or None where there is nothing to draw or it cannot be drawn."""
    if report.roofline is None or report.roofline.intensity is None:
        return None
    roofline = replace(report.roofline, measured=report.roofline.measured and report.measurement is not None)
    try:  # the chart is an extra: a report must show without it, whatever goes wrong there
        roof = target or _meant(roofline.target)
        drawn = str(importlib.import_module("kernel_lab.roofline.svg").svg((report.name, roofline), roof))
    except Exception:
        return None
    data = base64.b64encode(drawn.encode("utf-8", "replace")).decode("ascii")
    what = "measured point" if roofline.measured else "bound, not measured"
    limit = f", limited by {roofline.limited_by}" if roofline.limited_by else ""
    alt = f"Roofline of {roofline.target}: {what} at intensity {fmt.number(roofline.intensity)} flop/byte{limit}"
    return element("img", src=f"data:image/svg+xml;base64,{data}", alt=alt, style=css.CHART)


def _meant(label: str) -> Target:
    """The target whose label a roofline carries: "H100 SXM (sm_90)", or "sm_90, taken as H100 SXM"."""
    return next(found for found in map(lookup, (label.split(",")[0], label)) if found.label == label)


# 4. What next?


def after(report: Report) -> Markup:
    """Warnings and notes with their cell lines."""
    found = summary.notes(report)
    if not found:
        return question("4. What next?", muted("no warnings"))
    lines = [join(_place(note.cell_line), note.text) for note in found]
    rest = folded(f"{len(lines) - MAX_NOTES} more", bullets(lines[MAX_NOTES:])) if len(lines) > MAX_NOTES else None
    return question("4. What next?", bullets(lines[:MAX_NOTES]), rest)


def _place(cell_line: int | None) -> Markup | None:
    return None if cell_line is None else element("strong", f"{fmt.at_line(cell_line)}: ")


def printed(report: Report) -> Markup | None:
    """What the cell's code printed, folded and capped."""
    text = report.printed.strip("\n")
    if not text:
        return None
    left = len(text) - MAX_PRINTED
    cut = text[:MAX_PRINTED] + f"\n… {left:,} more characters: kernel_lab.last().printed" if left > 0 else text
    head = f"printed {fmt.count(len(fmt.lines_of(text)), 'line')}"
    return question("Output", folded(head, element("div", element("pre", cut, style=css.OUTPUT), style=css.PANEL)))
