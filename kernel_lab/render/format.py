"""Numbers and names as people read them: times, sizes, rates, shapes.

Knows only plain values; never a report, HTML or a notebook. An unknown value (None) is shown as an en dash, never as zero.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

UNKNOWN = "\N{EN DASH}"
# Control characters say nothing to a reader, and tools put terminal colours and worse into their messages.
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_LANGUAGES = {"triton": "Triton", "tilelang": "TileLang"}


def number(value: float | None, digits: int = 3) -> str:
    """``value`` with ``digits`` significant digits; "nan" and "inf" as they are, None as a dash."""
    if value is None:
        return UNKNOWN
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if not math.isfinite(value):
        return str(float(value))
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{int(value):,}"
    if 1e-3 <= abs(value) < 1e6:
        shown = f"{value:.{digits}g}"
        return f"{value:,.0f}" if "e" in shown else shown
    return f"{value:.{digits - 1}e}"


def time(us: float | None) -> str:
    """A time given in microseconds, in ns, µs, ms or s."""
    if us is None:
        return UNKNOWN
    for limit, factor, unit in ((0.1, 1e3, "ns"), (1e3, 1.0, "µs"), (1e6, 1e-3, "ms")):
        if us < limit:
            return f"{number(us * factor)} {unit}"
    return f"{number(us * 1e-6)} s" if math.isfinite(us) else f"{us} µs"


def size(count: float | None, digits: int = 3) -> str:
    """A number of bytes in B, KiB, MiB or GiB (powers of 1024), with ``digits`` significant digits or whole."""
    if count is None:
        return UNKNOWN
    if not math.isfinite(count):
        return f"{count} B"
    value, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if abs(value) < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.0f} {unit}" if unit == "B" or value >= 10 ** (digits - 1) else f"{value:.{digits}g} {unit}"


def quantity(value: float | None, unit: str) -> str:
    """A count or rate with an SI prefix (powers of 1000): ``quantity(9.895e14, "FLOP/s")`` → "990 TFLOP/s"."""
    if value is None:
        return UNKNOWN
    if not math.isfinite(value):
        return f"{value} {unit}"
    prefix = ""
    for larger in ("k", "M", "G", "T", "P", "E"):
        if abs(value) < 1000:
            break
        value, prefix = value / 1000, larger
    return f"{number(value)} {prefix}{unit}"


def percent(fraction: float | None) -> str:
    """A fraction as a percentage, never clamped."""
    if fraction is None:
        return UNKNOWN
    return f"{fraction * 100:.3g} %" if math.isfinite(fraction) else f"{fraction}"


def count(n: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: "1 case", "6 cases"."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def mapping(values: Mapping[str, Any]) -> str:
    """``M=64, N=128``; "" for an empty mapping."""
    return ", ".join(f"{key}={value}" for key, value in values.items())


def index(position: Iterable[int] | None) -> str:
    """An element's index, ``[3, 17]``."""
    return UNKNOWN if position is None else f"[{', '.join(str(i) for i in position)}]"


def language(name: str) -> str:
    """A language's name as its users write it."""
    return _LANGUAGES.get(name, name)


def at_line(cell_line: int | None) -> str:
    """The place as "cell line 7"; "" when no line is known."""
    return "" if cell_line is None else f"cell line {cell_line}"


def lines_of(text: str) -> list[str]:
    """The lines of a stage as ``line_map`` counts them: split at newlines alone, no empty line after the last."""
    parts = text.split("\n")
    return parts[:-1] if parts[-1] == "" else parts


def printable(text: str) -> str:
    """``text`` without terminal escapes and control characters, with newlines of one kind, writable as UTF-8."""
    clean = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return clean.encode("utf-8", "replace").decode()


def one_line(text: str, limit: int = 400) -> str:
    """``text`` on one line, cut with an ellipsis beyond ``limit`` characters."""
    joined = " ".join(printable(text).split())
    return joined if len(joined) <= limit else joined[: limit - 1].rstrip() + "…"
