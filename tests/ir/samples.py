"""The sample stages in ``data/`` (made by ``regenerate.py``) and their cell, for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"
FILE = "<cell 8f3a2c>"
CELL = (DATA / "cell.txt").read_text().splitlines()


def sample(name: str) -> str:
    """The text of a sample such as ``softmax-sm_90-triton39.ptx``."""
    return (DATA / name).read_text()


def cell_text(line: int | None) -> str | None:
    """The text of a cell line, None for None."""
    return None if line is None else CELL[line - 1].strip()
