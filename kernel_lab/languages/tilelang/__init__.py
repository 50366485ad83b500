"""TileLang as a kernel language: what can be said of it without importing it, and how to open a session.

Importing this folder imports no compiler. The rooms: `entries` (which function is meant), `specialise` (sizes and constants
bound), `kernels` (parameters and their roles), `standin` (kernels that are recorded, not compiled), `lowering` with `lines`
and `nvcc` (stages), `running` with `arguments` (on a GPU), `explain` (errors), `calls` (calls in the notebook's own process).
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from kernel_lab.errors import MissingPackage, TargetError
from kernel_lab.languages.protocol import Mode, Session
from kernel_lab.languages.tilelang.calls import refuse_calls, watch_calls
from kernel_lab.languages.tilelang.entries import entries as find_entries
from kernel_lab.languages.tilelang.targets import unsupported
from kernel_lab.targets import Target

__all__ = ["LANGUAGE", "TileLang", "refuse_calls", "watch_calls"]


@dataclass(frozen=True)
class TileLang:
    """The TileLang language; see `kernel_lab.languages.protocol.Language`."""

    name: str = "tilelang"
    title: str = "TileLang"
    magic: str = "tile"
    package: str = "tilelang"

    def entries(self, tree: ast.Module, names: Mapping[str, Any]) -> list[str]:
        """Names of the cell's kernels, ``@tilelang.jit`` and ``@tilelang.autotune`` before ``@T.prim_func``; found statically."""
        return find_entries(tree, names)

    def supports(self, target: Target) -> str | None:
        """None when TileLang compiles for ``target``, else the reason why not."""
        return unsupported(target)

    def session(self, target: Target, mode: Mode) -> AbstractContextManager[Session]:
        """Open a session. Raises `MissingPackage` without TileLang, `TargetError` for a target it does not compile for."""
        return _session(target, mode)


@contextmanager
def _session(target: Target, mode: Mode) -> Iterator[Session]:
    if importlib.util.find_spec("tilelang") is None:
        raise MissingPackage("TileLang is not installed", hint="pip install tilelang")
    reason = unsupported(target)
    if reason is not None:
        raise TargetError(reason, hint="name another --target, as sm_90 or gfx942")
    from kernel_lab.languages.tilelang.session import open_session

    with open_session(target, mode) as session:
        yield session


LANGUAGE = TileLang()
