"""The roofline as a small static SVG: for HTML that runs no script and for pages of either colour.

Draws what `geometry` says and nothing else. Neutral colours on a transparent background; under 6 KB with a few points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

from kernel_lab.roofline.geometry import COLOURS, X_MAX, X_MIN, Item, Picture, emphasised, picture, spread, ticks
from kernel_lab.targets import Target

_WIDTH, _PLOT_BOTTOM = 680, 300
_LEFT, _RIGHT, _TOP = 62, 506, 30
_MAX_LEGEND = 8
_INK, _FAINT = "#7d7d7d", "#8884"


def svg(items: Item | Iterable[Item], target: Target) -> str:
    """Reports, rooflines or (name, roofline) pairs under ``target``'s roof, as one SVG element with its own size."""
    shown = picture(items, target)
    rows = min(len(shown.marks), _MAX_LEGEND + 1)
    height = _PLOT_BOTTOM + 44 + 16 * rows
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'font-family="sans-serif" font-size="11" fill="{_INK}" role="img"><title>{escape(shown.title)}</title>',
        f'<text x="{_LEFT}" y="16" font-size="13" font-weight="bold">{escape(shown.title)}</text>',
        *_axes(shown),
        *_roofs(shown),
        *_marks(shown),
        "</svg>",
    ]
    return "".join(parts)


def _x(value: float) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * math.log10(value / X_MIN) / math.log10(X_MAX / X_MIN), 1)


def _y(value: float, shown: Picture) -> float:
    return round(_PLOT_BOTTOM - (_PLOT_BOTTOM - _TOP) * math.log10(value / shown.y_min) / math.log10(shown.y_max / shown.y_min), 1)


def _axes(shown: Picture) -> list[str]:
    lines, words = "", []
    for power in ticks(X_MIN, X_MAX):
        x = _x(10.0**power)
        lines += f"M{x} {_TOP}V{_PLOT_BOTTOM}"
        words.append(f'<text x="{x}" y="{_PLOT_BOTTOM + 14}" text-anchor="middle">{_plain(power)}</text>')
    for power in ticks(shown.y_min, shown.y_max):
        y = _y(10.0**power, shown)
        lines += f"M{_LEFT} {y}H{_RIGHT}"
        words.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{_plain(power - 12)}</text>')
    middle = (_LEFT + _RIGHT) / 2
    return [
        f'<path d="{lines}" stroke="{_FAINT}" fill="none"/>',
        *words,
        f'<text x="{middle}" y="{_PLOT_BOTTOM + 30}" text-anchor="middle">arithmetic intensity, flop/byte</text>',
        f'<text transform="translate(14 {(_TOP + _PLOT_BOTTOM) / 2})rotate(-90)" text-anchor="middle">TFLOP/s</text>',
    ]


def _roofs(shown: Picture) -> list[str]:
    parts = []
    strong = emphasised(shown)
    if shown.bandwidth:
        end = min(X_MAX, max((roof.value for roof in shown.roofs), default=shown.y_max) / shown.bandwidth)
        x1, y1, x2, y2 = _x(X_MIN), _y(shown.bandwidth * X_MIN, shown), _x(end), _y(shown.bandwidth * end, shown)
        parts.append(f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{_INK}" stroke-width="1.6"/>')
        middle, y = round((x1 + x2) / 2 - 8, 1), round((y1 + y2) / 2, 1)
        parts.append(f'<text x="{middle}" y="{y}" text-anchor="end">{escape(shown.bandwidth_label)}</text>')
    heights = [_y(roof.value, shown) for roof in shown.roofs]
    for roof, y, label in zip(shown.roofs, heights, spread(heights, 12), strict=True):
        on = not strong.isdisjoint(roof.names)
        style = f'stroke-width="{1.6 if on else 0.8}"' + ("" if roof.matrix else ' stroke-dasharray="5 3"')
        parts.append(f'<path d="M{_x(roof.ridge)} {y}H{_RIGHT}" stroke="{_INK}" {style}/>')
        weight = ' font-weight="bold"' if on and shown.marks else ""
        parts.append(f'<text x="{_RIGHT + 5}" y="{round(label + 3.5, 1)}" font-size="10"{weight}>{escape(roof.label)}</text>')
    return parts


def _marks(shown: Picture) -> list[str]:
    parts = []
    for index, mark in enumerate(shown.marks):
        colour = COLOURS[index % len(COLOURS)]
        shape = _shape(_x(mark.x), _y(mark.y, shown), mark.measured, colour)
        parts.append(
            shape.replace("/>", f"><title>{escape(' · '.join(mark.details))[:300]}</title></{shape[1:].split()[0]}>")
            if index < 4
            else shape
        )
        y = _PLOT_BOTTOM + 48 + 16 * index
        if index < _MAX_LEGEND:
            parts.append(_shape(_LEFT + 6, y - 4, mark.measured, colour))
            parts.append(f'<text x="{_LEFT + 18}" y="{y}">{escape(_short(mark.label))}</text>')
        elif index == _MAX_LEGEND:
            parts.append(f'<text x="{_LEFT + 18}" y="{y}">and {len(shown.marks) - _MAX_LEGEND} more</text>')
    return parts


def _shape(x: float, y: float, measured: bool, colour: str) -> str:
    if measured:
        return f'<circle cx="{x}" cy="{y}" r="5" fill="{colour}"/>'
    return f'<path d="M{x} {round(y - 6, 1)}l6 6l-6 6l-6-6z" fill="none" stroke="{colour}" stroke-width="2"/>'


def _short(text: str) -> str:
    return text if len(text) <= 100 else text[:99] + "…"


def _plain(power: int) -> str:
    return f"{10.0**power:,.0f}" if power >= 0 else f"{10.0**power:.{-power}f}"
