"""Inline styles of the static HTML: the subset that every front end keeps, right on white and on dark.

JupyterLab's sanitizer (untrusted notebooks) drops `<style>`, `id`, `aria-*` and every inline property or value outside its list:
no `tab-size`, no `position: sticky`, no `var()` in borders or fonts, no `inherit`. It keeps flex, `rgba()`, `details` and
`summary`. GitHub drops styles altogether, so order and tags must read without them. Hence no colour is set for text except on
a ground of our own: text inherits the theme's colour, muted text is translucent, lines and panels are translucent grey. That is
right in JupyterLab light and dark, in VS Code, in Colab and on a bare page, with no variable to be missing. Knows no HTML.
"""

from __future__ import annotations

_LINE = "rgba(128,128,128,0.4)"
_FAINT = "rgba(128,128,128,0.1)"
_CODE = "font-family:monospace;font-size:12px;line-height:16px"

ROOT = f"border:1px solid {_LINE};border-radius:4px;padding:6px 10px;margin:2px 0 8px 0;font-size:13px;line-height:1.4;text-align:left"
HEADER = "display:flex;flex-wrap:wrap;align-items:baseline;margin:0 0 4px 0"
NAME = "font-family:monospace;font-size:14px;font-weight:700;margin-right:10px;background-color:transparent;padding:0"
PLAIN = "margin-right:10px"
MUTED = "opacity:0.75"
SMALL = "opacity:0.75;font-size:11px"

# White text on these three stays above 4.5:1; the word stands beside the colour for whoever does not see it.
_BADGE = "color:rgb(255,255,255);font-weight:700;border-radius:3px;padding:1px 8px"
BADGES = {
    "right": f"{_BADGE};background-color:rgb(27,122,61)",
    "WRONG": f"{_BADGE};background-color:rgb(190,30,30)",
    "not verified": f"{_BADGE};background-color:rgb(105,105,105)",
}

QUESTION = f"display:flex;flex-wrap:wrap;border-top:1px solid {_LINE};padding:3px 0"
LABEL = "flex:0 0 178px;font-weight:600;font-size:12px"
ANSWER = "flex:1 1 420px;min-width:0;overflow-wrap:break-word"

CHIPS = "display:flex;flex-wrap:wrap"
CHIP = "margin:0 12px 0 0;max-width:100%;min-width:0"
SUMMARY = "cursor:pointer"
CODE = "font-family:monospace;font-size:12px;background-color:transparent;padding:0"

PANEL = f"border:1px solid {_LINE};border-radius:3px;background-color:{_FAINT};max-height:420px;overflow:auto;margin:3px 0"
LISTING = "border-collapse:collapse;border:none;margin:0;table-layout:auto;width:auto;font-size:12px"
LISTING_ROW = "background-color:transparent"
GUTTER_CELL = f"border:none;border-right:1px solid {_LINE};padding:3px 6px;margin:0;vertical-align:top;text-align:right;opacity:0.65"
STRIP_CELL = f"border:none;border-right:1px solid {_LINE};padding:3px 6px;margin:0;vertical-align:top;text-align:left"
TEXT_CELL = "border:none;padding:3px 8px;margin:0;vertical-align:top;text-align:left;max-width:none"
PRE = f"{_CODE};white-space:pre;margin:0;padding:0;border:none;background-color:transparent;overflow:visible;word-break:normal"
OUTPUT = f"{_CODE};white-space:pre-wrap;margin:0;padding:3px 8px;border:none;background-color:transparent"

TABLE = "border-collapse:collapse;border:none;margin:3px 0;table-layout:auto;width:auto;font-size:12px"
ROW = "background-color:transparent"
ROW_FAILED = "background-color:rgba(190,30,30,0.15)"
HEAD = f"border:none;border-bottom:1px solid {_LINE};padding:2px 7px 2px 3px;text-align:left;font-weight:600;vertical-align:bottom"
_CELL = f"border:none;border-bottom:1px solid {_FAINT};padding:2px 7px 2px 3px;text-align:left;vertical-align:top"
CELL = f"{_CELL};white-space:nowrap"
CELL_PROSE = f"{_CELL};white-space:normal;min-width:200px"
SCROLL = "overflow:auto;max-width:100%"

# Kinds of instructions in a bar: each at 3:1 or better on white and on a dark page; letters stand beside them.
KINDS = {"tensor": "rgb(47,111,214)", "memory": "rgb(200,120,20)", "special": "rgb(0,150,120)", "rest": "rgba(128,128,128,0.5)"}

LIST = "margin:0;padding:0 0 0 18px"
ITEM = "margin:0"
# The chart draws in mid-greys on no ground of its own: an image cannot see the theme around it.
CHART = "display:block;max-width:100%;height:auto;margin:4px 0"
FOOTER = f"border-top:1px solid {_LINE};padding:3px 0 0 0;opacity:0.75;font-size:11px;overflow-wrap:break-word"
