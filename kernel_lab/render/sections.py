"""The four questions of a report as HTML sections.

Takes its claims from `summary` and its numbers from `format`; knows no front end and compiles nothing.
"""

from __future__ import annotations

import base64
import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kernel_lab.render import css, listing, summary
from kernel_lab.render import format as fmt
from kernel_lab.render.markup import Markup, Part, element, join
from kernel_lab.results import Case, Kernel, Launch, Rejected, Report, Verdict
from kernel_lab.targets import Target, lookup

MAX_CASES = 40
MAX_NOTES = 6
MAX_STAGED = 4
MAX_PRINTED = 8 * 1024
_PROSE = frozenset({"reason", "detail", "assumed", "configuration", "value"})  # columns that may wrap
_DOT = " \N{MIDDLE DOT} "
_ASIDE = 4  # a configuration beyond the first gets at most 1/4 of the room that the first ones leave


def question(label: str, *answer: Part) -> Markup:
    """A row: the question at the left, its answer beside it (below it on a narrow page)."""
    return element("div", element("div", label, style=css.LABEL), element("div", *answer, style=css.ANSWER), style=css.QUESTION)


def muted(*parts: Part) -> Markup:
    """Text of less weight."""
    return element("span", *parts, style=css.MUTED)


def folded(head: Part, *body: Part, open_: bool = False) -> Markup:
    """A details element; its summary stays visible."""
    return element("details", element("summary", head, style=css.SUMMARY), *body, open=open_)


# 1. What did it become?


def became(report: Report) -> Markup:
    """Stages, resources and configurations of every kernel, and what was rejected."""
    groups = summary.groups(report.kernels)
    rooms = _rooms(report, {group[0][0] for group in groups})
    parts: list[Part] = [_group(group, report, rooms, named=len(groups) > 1) for group in groups]
    if not groups:
        parts.append("no kernel was compiled")
    if report.rejected:
        parts.append(folded(summary.rejected_line(report), _rejected(report.rejected), open_=not groups))
    return question("1. What did it become?", *parts)


def _rooms(report: Report, first: set[int]) -> dict[tuple[int, str], int]:
    """Bytes for each stage's text: the first configuration of each kernel is served before the others."""
    wanted = {(at, name): listing.cost(stage) for at, kernel in enumerate(report.kernels) for name, stage in kernel.stages.items()}
    rooms = listing.allot({key: want for key, want in wanted.items() if key[0] in first}, listing.REPORT_BYTES)
    rest = (listing.REPORT_BYTES - sum(rooms.values())) // _ASIDE if len(report.kernels) > len(first) else 0
    return rooms | listing.allot({key: want for key, want in wanted.items() if key[0] not in first}, rest)


def _group(group: list[tuple[int, Kernel]], report: Report, rooms: Mapping[tuple[int, str], int], *, named: bool) -> Markup:
    position, kernel = group[0]
    parts: list[Part] = []
    if named:
        parts.append(element("div", element("code", kernel.name, style=css.CODE), muted(f" {kernel.target}")))
    parts.append(_stages(position, kernel, report, rooms))
    parts.append(_resources(kernel))
    if len(group) > 1:
        parts.append(folded(fmt.count(len(group) - 1, "more configuration"), _others(group[1:], report, rooms)))
    return element("div", *parts)


def _others(group: list[tuple[int, Kernel]], report: Report, rooms: Mapping[tuple[int, str], int]) -> Markup:
    """Further configurations: the first few with their stages, all others as rows of a table."""
    near, far = group[:MAX_STAGED], group[MAX_STAGED:]
    parts: list[Part] = [element("div", _resources(kernel), _stages(at, kernel, report, rooms)) for at, kernel in near]
    if far:
        labels = tuple(label for label, _ in summary.resources(far[0][1]))
        rows = [(str(at), fmt.mapping(kernel.configuration), *(value for _, value in summary.resources(kernel))) for at, kernel in far]
        parts += [table(("no.", "configuration", *labels), rows), muted("stages: kernel_lab.last().kernels[no.].stages")]
    return join(*parts)


def _stages(position: int, kernel: Kernel, report: Report, rooms: Mapping[tuple[int, str], int]) -> Markup:
    chips = [
        listing.fold(stage, rooms.get((position, name), 0), summary.where_text(position, name, report))
        for name, stage in kernel.stages.items()
    ]
    return element("div", *chips, *(_launch(launch) for launch in kernel.launches[:3]), style=css.CHIPS)


def _launch(launch: Launch) -> Markup:
    grid = " × ".join(str(extent) for extent in launch.grid)
    head = element("summary", "launch ", element("span", f"{grid} programs", style=css.SMALL), style=css.SUMMARY)
    rows = [(argument.name, argument.type, argument.value or "", ", ".join(argument.assumptions)) for argument in launch.arguments]
    return element("details", head, table(("argument", "type", "value", "assumed"), rows) if rows else None, style=css.CHIP)


def _resources(kernel: Kernel) -> Markup:
    config = fmt.mapping(kernel.configuration)
    values = _DOT.join(f"{label} {value}" for label, value in summary.resources(kernel))
    return element("div", element("code", config, style=css.CODE) if config else None, " " if config else None, muted(values))


def _rejected(items: Iterable[Rejected]) -> Markup:
    rows = [(item.kernel, fmt.mapping(item.configuration), item.reason, fmt.at_line(item.cell_line)) for item in items]
    return table(("kernel", "configuration", "reason", "where"), rows)


# 2. Is it right?


def right(report: Report) -> Markup:
    """The verdict in a sentence; the cases and checks behind it, unfolded when it is WRONG."""
    word, verdict = summary.word(report), report.verdict
    line = join(element("strong", word), ": ", summary.verdict_line(report))
    if verdict is None or not (verdict.cases or verdict.checks):
        return question("2. Is it right?", line)
    return question("2. Is it right?", folded(line, _cases(verdict), _checks(verdict), open_=word == "WRONG"))


def _cases(verdict: Verdict) -> Markup | None:
    if not verdict.cases:
        return None
    shown = sorted(verdict.cases, key=lambda case: case.passed) if len(verdict.cases) > MAX_CASES else list(verdict.cases)
    head = ("sizes", "dtypes", "result", "max error", "bound", "error / bound", "worst element", "got", "want", "reason")
    body = table(head, [_case(case) for case in shown[:MAX_CASES]], [not case.passed for case in shown[:MAX_CASES]])
    left = len(shown) - MAX_CASES
    return join(body, muted(f"and {fmt.count(left, 'more case')}: kernel_lab.last().verdict.cases") if left > 0 else None)


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
        case.reason or "",
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
        drawn = str(importlib.import_module("kernel_lab.roofline.svg").svg((report.name, roofline), target or lookup(roofline.target)))
    except Exception:
        return None
    data = base64.b64encode(drawn.encode("utf-8", "replace")).decode("ascii")
    what = "measured point" if roofline.measured else "bound, not measured"
    limit = f", limited by {roofline.limited_by}" if roofline.limited_by else ""
    alt = f"Roofline of {roofline.target}: {what} at intensity {fmt.number(roofline.intensity)} flop/byte{limit}"
    return element("img", src=f"data:image/svg+xml;base64,{data}", alt=alt, style=css.CHART)


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


def bullets(items: Iterable[str]) -> Markup:
    """A list, one line each."""
    return element("ul", [element("li", item, style=css.ITEM) for item in items], style=css.LIST)


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], failed: Iterable[bool] = ()) -> Markup:
    """A table without the columns that are empty or unknown in every row; rows where ``failed`` is true are tinted."""
    kept = [at for at in range(len(head)) if any(row[at] not in ("", fmt.UNKNOWN) for row in rows)]
    marks = [*failed] or [False] * len(rows)

    def cells() -> Iterator[Markup]:
        for row, bad in zip(rows, marks, strict=True):
            values = [element("td", row[at], style=css.CELL_PROSE if head[at] in _PROSE else css.CELL) for at in kept]
            yield element("tr", values, style=css.ROW_FAILED if bad else css.ROW)

    titles = element("tr", [element("th", head[at], style=css.HEAD) for at in kept], style=css.ROW)
    body = element("table", element("thead", titles), element("tbody", cells()), style=css.TABLE)
    return element("div", body, style=css.SCROLL)
