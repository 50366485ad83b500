"""Every notebook runs from its first cell to its last, in a kernel of this very environment.

A cell tagged "raises-exception" must raise: a lesson about a mistake that no longer is one fails here.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """tools/demo.py."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("demo")


def errors(cell: Any) -> list[Any]:
    """The error outputs of a cell."""
    return [output for output in cell.get("outputs", []) if output.output_type == "error"]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, demo: ModuleType) -> None:
    notebook = demo.execute(path, say=False)
    for cell in notebook.cells:
        if "raises-exception" in cell.metadata.get("tags", []):
            assert errors(cell), f"this cell is meant to raise and did not:\n{cell.source}"
    demo.to_html(notebook, path.stem)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_committed_without_outputs(path: Path) -> None:
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    assert [cell.source for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")] == []
