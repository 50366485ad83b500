"""Building HTML from parts, with everything escaped unless it is already markup.

Knows nothing of reports. A `Markup` is HTML; any other string is text and is escaped when it becomes part of an element.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

from kernel_lab.render import format as fmt

_VOID = frozenset({"img", "br", "meta"})

Part = str | None | Iterable["Part"]


class Markup(str):
    """A string that is HTML already."""

    __slots__ = ()


def escape(text: str) -> Markup:
    """``text`` as HTML, made printable first."""
    return Markup(html.escape(fmt.printable(text)))


def join(*parts: Part) -> Markup:
    """The parts one after another, nested iterables flattened, None left out."""
    done: list[str] = []
    for part in parts:
        if part is None:
            continue
        if isinstance(part, Markup):
            done.append(part)
        elif isinstance(part, str):
            done.append(escape(part))
        else:
            done.append(join(*part))
    return Markup("".join(done))


def element(tag: str, *parts: Part, style: str = "", **attributes: str | bool | None) -> Markup:
    """An element; ``class_`` stands for class, True for an attribute without a value, None or False for its absence."""
    named: dict[str, str | bool | None] = {**attributes, "style": style or None}
    text = "".join(
        f" {key.rstrip('_')}" if value is True else f' {key.rstrip("_")}="{escape(value)}"'
        for key, value in named.items()
        if value is not None and value is not False
    )
    return Markup(f"<{tag}{text}>") if tag in _VOID else Markup(f"<{tag}{text}>{join(*parts)}</{tag}>")
