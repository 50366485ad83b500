"""A reader of the HTML that a report gives, and what a front end leaves of HTML that it does not trust."""

from __future__ import annotations

from html.parser import HTMLParser

# What JupyterLab 4.6 keeps in an untrusted notebook: a strict reading of @jupyterlab/apputils' sanitizer, for what is used here.
TAGS = {"div", "span", "code", "strong", "details", "summary", "pre", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "img"}
ATTRIBUTES = {"class", "style", "title", "open", "src", "alt"}
LENGTH = r"(0|[0-9.]+(px|em|%))"
COLOUR = r"(rgb\(\d+,\d+,\d+\)|rgba\(\d+,\d+,\d+,[0-9.]+\)|transparent)"
BORDER = rf"(none|{LENGTH} solid {COLOUR})"
STYLES = {
    **dict.fromkeys(("border", "border-top", "border-bottom", "border-right"), BORDER),
    **dict.fromkeys(("margin", "padding"), rf"{LENGTH}( {LENGTH}){{0,3}}"),
    **dict.fromkeys(("margin-right", "border-radius", "font-size", "max-height", "min-width"), LENGTH),
    **dict.fromkeys(("color", "background-color"), COLOUR),
    "max-width": rf"({LENGTH}|none)",
    "width": rf"({LENGTH}|auto)",
    "height": "auto",
    "line-height": rf"([0-9.]+|{LENGTH})",
    "opacity": r"0\.\d+",
    "display": "flex|block",
    "flex": rf"\d \d {LENGTH}",
    "flex-wrap": "wrap",
    "align-items": "baseline",
    "font-family": "monospace",
    "font-weight": r"\d00",
    "overflow": "auto|visible",
    "overflow-wrap": "break-word",
    "white-space": "pre|pre-wrap|normal|nowrap",
    "word-break": "normal",
    "text-align": "left|right",
    "vertical-align": "top|bottom",
    "table-layout": "auto",
    "border-collapse": "collapse",
    "cursor": "pointer",
}
VOID = {"img"}


class Reader(HTMLParser):
    """Reads HTML into its tags with attributes and its text; fails on tags that are not closed in order."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.visible = ""
        self._open: list[str] = []
        self._hidden: list[int] = []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "details" and "open" not in dict(attrs):
            self._hidden.append(len(self._open))

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1] == tag
        if self._hidden and self._hidden[-1] == len(self._open):
            self._hidden.pop()
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self.text += data
        inside = len(self._hidden) - (1 if self._hidden and self._open[-1:] and "summary" in self._open[self._hidden[-1] :] else 0)
        if inside <= 0:
            self.visible += data
