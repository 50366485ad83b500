"""Rendering: results → text, HTML, report JSON.

Renderers never compile and never measure; what they say comes from the report alone. Importing this room imports no torch,
IPython or plotly.
A standalone page of reports is `kernel_lab.render.page.page`.
"""

from __future__ import annotations

from typing import Any

from kernel_lab.render import html, page, payload, text
from kernel_lab.render.payload import payload_to_report, schema
from kernel_lab.results import MIME_TYPE, Report
from kernel_lab.targets import Target

__all__ = ["bundle", "html", "page", "payload", "payload_to_report", "schema", "text"]


def bundle(report: Report, *, target: Target | None = None) -> dict[str, Any]:
    """The MIME bundle of a report: its JSON, static HTML and plain text. ``target`` names the GPU and gives the chart its roof."""
    return {
        MIME_TYPE: payload.payload(report),
        "text/html": str(html.html(report, target=target)),
        "text/plain": text.text(report, target=target),
    }
