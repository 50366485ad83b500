"""Kernels emulated in torch, right ones and wrong ones: they set the constants of the bound."""

from __future__ import annotations

from tests.verify.corpus.entry import Entry
from tests.verify.corpus.right import RIGHT
from tests.verify.corpus.wrong import WRONG

__all__ = ["RIGHT", "WRONG", "Entry"]
