"""Triton. This file and `entries` can be read without Triton; everything else in the folder runs in workers."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kernel_lab.errors import MissingPackage
from kernel_lab.languages.protocol import Mode, Session
from kernel_lab.languages.triton import entries
from kernel_lab.targets import Target


class TritonLanguage:
    """The `kernel_lab.languages.Language` for Triton."""

    name = "triton"
    title = "Triton"
    magic = "triton"
    package = "triton"

    def entries(self, tree: ast.Module, names: Mapping[str, Any]) -> list[str]:
        """See `entries.entries`."""
        return entries.entries(tree, names)

    def supports(self, target: Target) -> str | None:
        """Triton compiles for NVIDIA GPUs from sm_70 and for AMD's."""
        if target.backend not in ("cuda", "hip"):
            return f"Triton does not compile for {target.arch}"
        return None

    @contextmanager
    def session(self, target: Target, mode: Mode) -> Iterator[Session]:
        """Open a session; raises `MissingPackage` where Triton is not installed."""
        if importlib.util.find_spec("triton") is None:
            why = "" if sys.platform == "linux" else f" (Triton has no wheels for {sys.platform}; use Linux or WSL)"
            raise MissingPackage(f"Triton is not installed{why}", hint="pip install triton")
        from kernel_lab.languages.triton.session import open_session

        with open_session(target, mode) as session:
            yield session


LANGUAGE = TritonLanguage()
