"""The few shapes that a report's HTML is made of: a question with its answer, a fold, a list, a table.

Knows markup and styles; nothing of reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kernel_lab.render import css
from kernel_lab.render import format as fmt
from kernel_lab.render.markup import Markup, Part, element

_PROSE = frozenset({"reason", "detail", "assumed", "configuration", "value", "kinds"})  # columns that may wrap


def question(label: str, *answer: Part) -> Markup:
    """A row: the question at the left, its answer beside it (below it on a narrow page)."""
    return element("div", element("div", label, style=css.LABEL), element("div", *answer, style=css.ANSWER), style=css.QUESTION)


def muted(*parts: Part) -> Markup:
    """Text of less weight."""
    return element("span", *parts, style=css.MUTED)


def folded(head: Part, *body: Part, open_: bool = False) -> Markup:
    """A details element; its summary stays visible."""
    return element("details", element("summary", head, style=css.SUMMARY), *body, open=open_)


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
