"""Failures: one class per kind, each saying what was wrong, where in the cell, and what to do next.

Knows nothing of the other rooms. Every message fits in 12 lines; `str(error)` is the whole message, and IPython shows it
instead of a traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MAX_LINES = 11


class KernelLabError(Exception):
    """Base of all failures that kernel_lab explains.

    ``what`` says what was wrong, ``cell_line`` is the 1-based line of the cell (the magic line is line 1),
    ``excerpt`` that line's text, and ``hint`` the next step.
    """

    def __init__(
        self,
        what: str,
        *,
        cell_line: int | None = None,
        excerpt: str | None = None,
        hint: str | None = None,
        detail: str | None = None,
    ) -> None:
        self.what = what
        self.cell_line = cell_line
        self.excerpt = excerpt
        self.hint = hint
        self.detail = detail
        super().__init__(self.message())

    def message(self) -> str:
        """The message, at most 11 lines long."""
        lines = self.what.strip().splitlines()
        if self.cell_line is not None:
            text = (self.excerpt or "").strip()
            lines.append(f"  cell line {self.cell_line}" + (f": {text}" if text else ""))
        tail = [f"  → {line}" if i == 0 else f"    {line}" for i, line in enumerate((self.hint or "").splitlines())]
        room = MAX_LINES - len(lines) - len(tail)
        if self.detail and room > 0:
            lines += [f"  {line}" for line in self.detail.strip().splitlines()[:room]]
        if len(lines) + len(tail) > MAX_LINES:
            lines = [*lines[: MAX_LINES - len(tail) - 1], "  …"]
        return "\n".join(lines + tail)

    def __str__(self) -> str:
        return self.message()

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.__dict__.copy()))

    def _render_traceback_(self) -> list[str]:
        """IPython's hook: the lines shown in place of a traceback."""
        return [f"{type(self).__name__}: {self.message()}"]


def _rebuild(kind: type[KernelLabError], state: dict[str, object]) -> KernelLabError:
    error = kind.__new__(kind)
    error.__dict__.update(state)
    Exception.__init__(error, error.message())
    return error


class OptionError(KernelLabError):
    """A magic's option, or a verb's argument, is unknown, misspelt or malformed."""


class InputError(KernelLabError):
    """An input specification does not say what inputs to make."""


class EntryError(KernelLabError):
    """It is not clear which function is meant, or it is not one that launches kernels."""


class TargetError(KernelLabError):
    """A target that is not known, or that this language cannot compile for."""


class CellError(KernelLabError):
    """The cell's own code raised (syntax error, unknown name, an exception)."""


class CompileError(KernelLabError):
    """The kernel compiler refused the kernel."""


class ReferenceFailed(KernelLabError):
    """The reference is missing, or raised."""


class VerificationFailed(KernelLabError):
    """The kernel disagrees with its reference. Raised after the report was shown."""


class OutOfBounds(KernelLabError):
    """The kernel reads or writes outside the tensors that it was given. Verification turns it into a verdict of wrong."""


class WorkerDied(KernelLabError):
    """The process that ran the kernel ended without an answer."""


class GpuFault(KernelLabError):
    """The GPU stopped the kernel: illegal or misaligned address, failed assertion. The process that launched it is spent."""


class JobTimeout(KernelLabError):
    """A job ran past its time limit and was stopped."""


class MissingPackage(KernelLabError):
    """A package or tool that is needed is not installed."""


class NotRunnable(KernelLabError):
    """The kernel cannot be run on this machine; it may still have been compiled. Turns into a verdict of None."""


class NoGpu(KernelLabError):
    """Something that only a GPU can answer (a time) was asked on a machine without one."""


def suggest(word: str, known: Iterable[str], *, label: str = "known") -> str:
    """A next step for an unknown word: the nearest known one, or the list of them."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    listing = f"{label}: {', '.join(names)}"
    return f"did you mean {close[0]!r}? {listing}" if close else listing
