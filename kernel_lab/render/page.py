"""A standalone HTML page of reports, for the command line and for demos.

Brings what a front end otherwise gives: a ground, a text colour, a font, light or dark as the reader's system says. Loads nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernel_lab.render.html import html
from kernel_lab.render.markup import Markup, element
from kernel_lab.results import Report
from kernel_lab.targets import Target

# The names are JupyterLab's, so that a report looks the same here and there.
_STYLE = """
:root { color-scheme: light dark; --jp-layout-color0: #ffffff; --jp-content-font-color1: #1f2328; }
@media (prefers-color-scheme: dark) { :root { --jp-layout-color0: #111417; --jp-content-font-color1: #e6e8ea; } }
html { background: var(--jp-layout-color0); color: var(--jp-content-font-color1); }
body { max-width: 1180px; margin: 24px auto; padding: 0 20px; font: 14px/1.45 system-ui, "Segoe UI", "Helvetica Neue", sans-serif; }
h1 { font-size: 20px; font-weight: 600; margin: 0 0 16px; }
.klab-report { margin-bottom: 16px !important; }
summary:focus-visible { outline: 2px solid #2f7de1; outline-offset: 2px; }
@media print { details > :not(summary) { max-height: none !important; } }
"""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def page(title: str, reports: Iterable[Report], *, target: Target | None = None) -> str:
    """A complete HTML document with a heading and the reports one below the other."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", content=_POLICY, **{"http-equiv": "Content-Security-Policy"}),
        element("title", title),
        element("style", Markup(_STYLE)),
    )
    body = element("body", element("h1", title), [html(report, target=target) for report in reports])
    return "<!doctype html>\n" + element("html", head, body, lang="en") + "\n"
