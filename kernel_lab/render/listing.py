"""A stage's text in HTML: folded, capped, with the cell's line numbers in a gutter.

Knows stages and markup, not what a report says. How much of each text is shown is decided once for a whole report
(`allot`), so that many configurations do not make a heavy notebook.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from kernel_lab.render import css
from kernel_lab.render import format as fmt
from kernel_lab.render.markup import Markup, element, escape
from kernel_lab.results import Stage

MAX_LINES = 400
MAX_STAGE_BYTES = 40 * 1024
REPORT_BYTES = 72 * 1024  # of stage text in one report's HTML; the payload holds more
LEAST_BYTES = 512  # less of a text is no use to anyone

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Excerpt:
    """The head of a stage's text: ``lines`` shown out of ``total``."""

    lines: tuple[str, ...]
    total: int

    @property
    def whole(self) -> bool:
        return len(self.lines) == self.total


@dataclass(frozen=True)
class Strip:
    """What stands beside a text: by cell line, with what explains it (of the lines that are shown) and a table below."""

    lines: Mapping[int, Markup]
    legend: Callable[[Sequence[int | None]], Markup]
    table: Markup | None = None

    @property
    def size(self) -> int:
        """Bytes of HTML, about."""
        return sum(map(len, self.lines.values())) + len(self.table or "")


def cost(stage: Stage) -> int:
    """Bytes of HTML text that this stage would take with nothing but its own caps."""
    shown = excerpt(stage, MAX_STAGE_BYTES).lines
    return sum(_weight(line) for line in shown)


def allot(costs: Mapping[Key, int], budget: int) -> dict[Key, int]:
    """Share ``budget`` bytes: small wants are met in full, the large ones get equal shares of what remains."""
    given: dict[Key, int] = {}
    room, left = max(budget, 0), len(costs)
    for key, want in sorted(costs.items(), key=lambda item: item[1]):
        given[key] = min(want, room // left)
        room -= given[key]
        left -= 1
    return given


def excerpt(stage: Stage, limit: int) -> Excerpt:
    """The first lines of ``stage``: at most 400, and at most ``limit`` bytes once escaped."""
    lines = fmt.lines_of(stage.text)
    taken, room = 0, min(limit, MAX_STAGE_BYTES)
    for line in lines[:MAX_LINES]:
        room -= _weight(line)
        if room < 0:
            break
        taken += 1
    return Excerpt(tuple(lines[:taken]), len(lines))


def fold(stage: Stage, limit: int, where: str, *, strip: Strip | None = None) -> Markup:
    """``stage`` as a folded element; ``where`` says how to get the whole text; ``strip`` goes beside its lines."""
    size = len(stage.text.encode("utf-8", "replace"))
    total = len(fmt.lines_of(stage.text))
    facts = f" {fmt.count(total, 'line')}, {fmt.size(size, 2)}" if stage.text else " (no text)"
    head = element(
        "summary",
        element("code", stage.name, style=css.CODE),
        element("span", facts, style=css.SMALL),
        style=css.SUMMARY,
        title=stage.syntax,
    )
    if not stage.text:
        return element("details", head, element("div", where, style=css.SMALL), style=css.CHIP, class_="klab-stage")
    part = excerpt(stage, limit) if limit >= min(LEAST_BYTES, size) else Excerpt((), total)
    return element("details", head, _body(stage, part, size, where, strip), style=css.CHIP, class_="klab-stage")


def _body(stage: Stage, part: Excerpt, size: int, where: str, strip: Strip | None) -> Sequence[Markup | None]:
    shown = len(part.lines)
    numbers = [None if n >= len(stage.line_map) else stage.line_map[n] for n in range(shown)]
    mapped = any(number is not None for number in numbers)
    text = element("td", _column(part.lines), style=css.TEXT_CELL)
    gutter = None
    if mapped:
        column = _column("" if number is None else str(number) for number in numbers)
        gutter = element("td", column, style=css.GUTTER_CELL, title="cell line")
    if strip is not None and not any(number in strip.lines for number in numbers):
        strip = None  # these lines became nothing: a helper that was not called, a text from elsewhere
    beside = None
    if strip is not None:
        bars = (strip.lines.get(number, Markup("")) if number is not None else Markup("") for number in numbers)
        beside = element("td", _column(bars), style=css.STRIP_CELL)
    panel = None
    if shown:
        rows = element("tbody", element("tr", gutter, beside, text, style=css.LISTING_ROW))
        panel = element("div", element("table", rows, style=css.LISTING), style=css.PANEL)
    said = []
    if not part.whole:
        said.append(f"the first {shown:,} of {part.total:,} lines ({fmt.size(size, 2)}); {where}" if shown else f"not shown here; {where}")
    if mapped:
        said.append("numbers at the left are cell lines")
    return [
        element("div", ". ".join(said), style=css.SMALL) if said else None,
        strip.legend(numbers) if strip is not None else None,
        panel,
        strip.table if strip is not None else None,
    ]


def _column(lines: Iterable[str]) -> Markup:
    # HTML drops a newline right after <pre>; writing one keeps an empty first line, so that gutter and text stay level.
    return element("pre", "\n", [part for at, line in enumerate(lines) for part in (("\n", line) if at else (line,))], style=css.PRE)


def _weight(line: str) -> int:
    return len(escape(line).encode()) + 1
