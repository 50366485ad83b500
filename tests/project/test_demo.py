"""The page of `make demo` stands by itself: charts included, nothing fetched from elsewhere."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

nbformat = pytest.importorskip("nbformat")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """tools/demo.py."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("demo")


def notebook(mime: str, value: object) -> object:
    """A notebook whose only cell has one output."""
    new = nbformat.v4
    output = new.new_output("display_data", data={mime: value})
    return new.new_notebook(cells=[new.new_markdown_cell("# Title"), new.new_code_cell("x", outputs=[output])])


def test_a_page_needs_no_network_and_knows_both_themes(demo: ModuleType) -> None:
    page = demo.to_html(notebook("text/html", "<p>a report</p>"), "quickstart")
    assert "a report" in page
    assert "<script" not in page
    assert "(prefers-color-scheme: dark)" in page


def test_a_chart_brings_its_library_along(demo: ModuleType) -> None:
    figure = {"data": [{"type": "scatter", "x": [1, 2], "y": [3, 4]}], "layout": {}}
    page = demo.to_html(notebook("application/vnd.plotly.v1+json", figure), "quickstart")
    assert "Plotly.newPlot" in page
    assert len(page) > 3_000_000


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://cdn.example/x.js"></script>',
        "<img src='//cdn.example/x.png'>",
        '<link rel="stylesheet" href="https://cdn.example/x.css">',
    ],
)
def test_a_page_that_would_fetch_is_refused(demo: ModuleType, html: str) -> None:
    with pytest.raises(RuntimeError, match="outside itself"):
        demo.to_html(notebook("text/html", html), "quickstart")
