"""The seam between the product and a kernel language.

A language lives in its own folder and is registered in `kernel_lab.languages`. Nothing outside that folder imports its
compiler. A `Language` is cheap to import (no torch, no compiler); a `Session`, opened in a worker process for one target,
may import anything.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Literal, Protocol

from kernel_lab.problem import InputSpec, Problem
from kernel_lab.results import Finding, Kernel, Rejected
from kernel_lab.targets import Target

Mode = Literal["compile", "interpret", "device"]


@dataclass(frozen=True)
class Lowered:
    """What lowering gave: the kernels in launch order, the configurations that were rejected, and findings.

    ``dot_precision`` is "tf32" where dots of float32 operands round these to tf32, None otherwise: a verdict must allow for it.
    """

    kernels: tuple[Kernel, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    findings: tuple[Finding, ...] = ()
    dot_precision: str | None = None


@dataclass
class Loaded:
    """A cell executed in a fresh module of a worker, ready to be lowered or called.

    ``file`` is the name under which the cell's text is known to `linecache` (locations in IR carry it); its line numbers
    are cell lines: line 1 is the magic line.
    """

    module: ModuleType
    file: str
    source: str
    line_offset: int = 0
    extras: dict[str, Any] = field(default_factory=dict)


class Session(Protocol):
    """A language at work for one target in one worker. Entered before the cell is executed, so that it can set drivers."""

    def inputs(self, entry: Any, problem: Problem) -> InputSpec | None:
        """The inputs that the entry's own types declare, or None when the language cannot know them."""

    def lower(self, loaded: Loaded, entry: Any, problem: Problem, arguments: Callable[[], Sequence[Any]]) -> Lowered:
        """Compile what ``entry`` launches; ``arguments()`` makes one set of inputs. Raises `CompileError`, `EntryError`."""

    def runnable(self, loaded: Loaded, entry: Any, problem: Problem) -> Callable[..., Any]:
        """A callable ``(*inputs) → outputs`` that runs the kernel here. Raises `NotRunnable` where that cannot be done."""

    def explain(self, error: BaseException, loaded: Loaded) -> BaseException:
        """The error as a `KernelLabError` with the cell line, or the error itself when this language does not know it."""


class Language(Protocol):
    """A kernel language: what can be said without importing its compiler, and how to open a session."""

    name: str
    title: str
    magic: str
    package: str

    def entries(self, tree: ast.Module, names: Mapping[str, Any]) -> list[str]:
        """Names that the cell defines and that may be the entry, the likeliest first; found statically."""

    def supports(self, target: Target) -> str | None:
        """None when the language compiles for ``target``, else the reason why not."""

    def session(self, target: Target, mode: Mode) -> AbstractContextManager[Session]:
        """Open a session. Raises `MissingPackage` naming what to install."""
