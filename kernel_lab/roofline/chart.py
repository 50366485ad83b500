"""The roofline as a plotly figure.

Draws what `geometry` says and nothing else; plotly is imported when a figure is made. Greys and a transparent background
that can be read on light and dark pages alike; ``theme`` (light, dark, both) only strengthens the text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from kernel_lab.errors import MissingPackage
from kernel_lab.roofline.geometry import COLOURS, X_MAX, X_MIN, Item, Picture, crowded, emphasised, picture, spread, ticks
from kernel_lab.targets import Target

_LINE, _FAINT = "#7d7d7d", "rgba(128,128,128,0.25)"
_TEXT = {"light": "#6b6b6b", "dark": "#a0a0a0", "both": "#7b7b7b"}  # each still legible on the other's page


def figure(items: Item | Iterable[Item], target: Target, *, theme: str = "light") -> Any:
    """Reports, rooflines or (name, roofline) pairs under ``target``'s roof, as a ``plotly.graph_objects.Figure``.

    A hollow diamond is a bound, on its roof; a filled circle was measured. Raises `MissingPackage` without plotly.
    """
    try:
        import plotly.graph_objects as go
    except ImportError:
        raise MissingPackage("the roofline chart needs plotly", hint="pip install plotly") from None
    shown = picture(items, target)
    text = _TEXT.get(theme, _TEXT["light"])
    made = go.Figure(layout=_layout(shown, text))
    _roofs(made, shown, text)
    for index, mark in enumerate(shown.marks):
        colour = COLOURS[index % len(COLOURS)]
        made.add_scatter(
            x=[mark.x],
            y=[mark.y],
            mode="markers" if crowded(shown, index) else "markers+text",
            text=[mark.name],
            textposition="bottom right",
            textfont={"color": colour},
            name=mark.label,
            marker={
                "symbol": "circle" if mark.measured else "diamond-open",
                "size": 11,
                "color": colour,
                "line": {"width": 0 if mark.measured else 2, "color": colour},
            },
            hovertemplate="<br>".join(_escape(line) for line in mark.details) + "<extra></extra>",
        )
    return made


def _layout(shown: Picture, text: str) -> dict[str, Any]:
    axis = {"type": "log", "gridcolor": _FAINT, "linecolor": _LINE, "zeroline": False, "tickcolor": _LINE, "fixedrange": False}
    y_powers = ticks(shown.y_min, shown.y_max)
    return {
        "title": {"text": _escape(shown.title), "font": {"size": 15}, "x": 0.01, "xanchor": "left"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": text, "size": 12},
        "template": None,
        "height": 440 + 22 * max(0, len(shown.marks) - 1),
        "margin": {"l": 70, "r": 210, "t": 44, "b": 50},
        "legend": {"orientation": "h", "yanchor": "top", "y": -0.16, "x": 0, "xanchor": "left", "bgcolor": "rgba(0,0,0,0)"},
        "hoverlabel": {"align": "left"},
        "xaxis": {
            **axis,
            "title": {"text": "arithmetic intensity, flop/byte"},
            "range": [math.log10(X_MIN), math.log10(X_MAX)],
            "tickvals": [10.0**power for power in ticks(X_MIN, X_MAX)],
            "ticktext": [f"{10.0**power:,g}" for power in ticks(X_MIN, X_MAX)],
        },
        "yaxis": {
            **axis,
            "title": {"text": "TFLOP/s"},
            "range": [math.log10(shown.y_min), math.log10(shown.y_max)],
            "tickvals": [10.0**power for power in y_powers],
            "ticktext": [f"{10.0 ** (power - 12):,g}" for power in y_powers],
        },
    }


def _roofs(made: Any, shown: Picture, text: str) -> None:
    strong = emphasised(shown)
    highest = max((roof.value for roof in shown.roofs), default=shown.y_max)
    if shown.bandwidth:
        end = min(X_MAX, highest / shown.bandwidth)
        made.add_scatter(
            x=[X_MIN, end],
            y=[shown.bandwidth * X_MIN, shown.bandwidth * end],
            mode="lines",
            line={"color": _LINE, "width": 2},
            showlegend=False,
            hovertemplate=f"{shown.bandwidth_label}<extra></extra>",
        )
        made.add_annotation(
            x=math.log10(X_MIN * end) / 2, y=math.log10(shown.bandwidth * math.sqrt(X_MIN * end)), text=shown.bandwidth_label,
            showarrow=False, xanchor="right", yanchor="middle", xshift=-8, font={"size": 12, "color": text},
        )  # fmt: skip
    # A label is some 13 pixels high, and the axis about 330.
    down = spread([-math.log10(roof.value) for roof in shown.roofs], 13 / 330 * math.log10(shown.y_max / shown.y_min))
    for roof, height in zip(shown.roofs, down, strict=True):
        on = not strong.isdisjoint(roof.names)
        made.add_scatter(
            x=[roof.ridge, X_MAX],
            y=[roof.value, roof.value],
            mode="lines",
            line={"color": _LINE, "width": 2 if on else 1, "dash": "solid" if roof.matrix else "dash"},
            showlegend=False,
            hovertemplate=f"{roof.label} TFLOP/s, dense<extra></extra>",
        )
        made.add_annotation(
            x=1, xref="paper", y=-height, text=f"<b>{roof.label}</b>" if on and shown.marks else roof.label, showarrow=False,
            xanchor="left", yanchor="middle", xshift=4, font={"size": 11, "color": text},
        )  # fmt: skip


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
