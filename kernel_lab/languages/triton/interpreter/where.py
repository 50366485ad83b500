"""Where in the cell something happened: the innermost Python frame, or traceback entry, that belongs to a cell's file.

Knows nothing of Triton. A cell's code is compiled under a file name that begins with ``<cell `` and whose line 1 is the
magic line, so a frame's line number is the cell line.
"""

from __future__ import annotations

import linecache
import sys
from types import FrameType, TracebackType
from typing import TypeVar

from kernel_lab.errors import KernelLabError, NotRunnable

CELL_PREFIX = "<cell "

Failure = TypeVar("Failure", bound=KernelLabError)


def cell_location(frame: FrameType | None = None) -> tuple[int | None, str | None]:
    """The line in the cell (1 = the magic line) that is being executed, and its text; (None, None) outside a cell."""
    frame = frame or sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(CELL_PREFIX):
            return frame.f_lineno, linecache.getline(name, frame.f_lineno).strip() or None
        frame = frame.f_back
    return None, None


def raised_at(error: BaseException) -> tuple[int | None, str | None]:
    """The cell line at which ``error`` arose, followed through the exceptions that caused it, and the line's text."""
    place: tuple[int | None, str | None] = (None, None)
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        entry: TracebackType | None = cause.__traceback__
        while entry is not None:
            name = entry.tb_frame.f_code.co_filename
            if name.startswith(CELL_PREFIX):
                place = entry.tb_lineno, linecache.getline(name, entry.tb_lineno).strip() or None
            entry = entry.tb_next
        cause = cause.__cause__
    return place


def root_cause(error: BaseException) -> BaseException:
    """The exception at the start of the chain of causes; a kernel_lab error in the chain wins, being already explained."""
    seen: set[int] = set()
    while error.__cause__ is not None and id(error) not in seen and not isinstance(error, KernelLabError):
        seen.add(id(error))
        error = error.__cause__
    return error


def located(kind: type[Failure], what: str, hint: str | None = None) -> Failure:
    """A failure of class ``kind`` that carries the cell line being executed."""
    line, excerpt = cell_location(sys._getframe(1))
    return kind(what, cell_line=line, excerpt=excerpt, hint=hint)


def not_verified(operation: str, hint: str | None = None) -> NotRunnable:
    """The answer to an operation that a CPU cannot run: "not verified: OPERATION at cell line N", never a failure."""
    line, excerpt = cell_location(sys._getframe(1))
    place = f" at cell line {line}" if line is not None else ""
    return NotRunnable(
        f"not verified: {operation}{place}",
        cell_line=line,
        excerpt=excerpt,
        hint=hint or "the kernel is still compiled; a GPU of the target's kind can verify it",
    )
