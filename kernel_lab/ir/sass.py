"""SASS: which cell line each machine instruction comes from, by the markers of ``nvdisasm -g``, ``-gi`` and ``-gp``.

A marker ``//## File "…", line N`` holds until the next one; with ``-gi`` a group of markers is a call chain, innermost first, of
which the innermost frame that lies in the file counts (see `locations`).

The line table of a cubin inherits PTX's wrong lines inside inline assembly (see `ptx`), so every masked load would be placed some
lines too low. ``-gp`` markers name the PTX line of each instruction: `relate` takes the true line from the PTX instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernel_lab.ir import ptx as ptx_text
from kernel_lab.ir.files import same_file

_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-fA-F]{4,}\*/")
_FRAME = re.compile(r'(?:File|inlined at) "((?:[^"\\]|\\.)*)", line (\d+)')
_MARKER = "//##"
_NO_LINE = "//## no source line"
_ASYNC_MMA = re.compile(r"\b(?:[A-Z]*GMMA|UTC[A-Z]*MMA)\b(?:\.(\d+)x(\d+)x(\d+))?")
_PTX_MMA = re.compile(r"^[^/]*\b(?:wgmma\.mma_async|tcgen05\.mma)\b(?:[\w.:]*?\.m(\d+)n(\d+)k(\d+)\b)?")
_PTX = ".nv_debug_ptx_txt"


def is_instruction(line: str) -> bool:
    """Whether a line of a disassembly is a machine instruction."""
    return bool(_INSTRUCTION.match(line))


class _Markers:
    """The state that markers leave behind: the cell line and the PTX line in force."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.cell: int | None = None
        self.ptx: int | None = None
        self._grouped = False  # whether this group already gave frames
        self._found = False

    def marker(self, line: str) -> None:
        if _NO_LINE in line:
            self.cell, self._grouped = None, True
            return
        frames = [(name, int(number)) for name, number in _FRAME.findall(line)]
        if frames and frames[0][0] == _PTX:
            self.ptx = frames[0][1]
            return
        if not self._grouped:
            self.cell, self._grouped, self._found = None, True, False
        for name, number in frames:
            if not self._found and number and same_file(name, self.file):
                self.cell, self._found = number, True

    def instruction(self) -> None:
        self._grouped = False

    def reset(self) -> None:
        self.cell = self.ptx = None
        self._grouped = False


def line_map(text: str, file: str) -> tuple[int | None, ...]:
    """For each line of a disassembly, the 1-based line of ``file`` it comes from, or None (markers, labels, directives)."""
    state = _Markers(file)
    mapped: list[int | None] = []
    for line in text.splitlines():
        bare = line.lstrip()
        found: int | None = None
        if bare.startswith(_MARKER):
            state.marker(bare)
        elif _INSTRUCTION.match(line):
            state.instruction()
            found = state.cell
        elif bare.startswith(".section"):
            state.reset()
        mapped.append(found)
    return tuple(mapped)


def relate(raw: str, ptx: str, file: str) -> str:
    """The disassembly ``raw`` of ``nvdisasm -c -gi -gp`` with markers that tell the truth about ``file``.

    ``ptx`` is the very text that was assembled. The markers of ``raw`` are replaced by one ``//## File "…", line N`` wherever the
    cell line changes, and by ``//## no source line`` where instructions come from no line of the file.
    """
    ptx_lines = ptx.splitlines()
    ptx_map = ptx_text.line_map(ptx, file)
    genuine = set(ptx_map)
    raw_lines = raw.splitlines()
    matrix = iter(_matrix_lines(raw_lines, ptx_lines, ptx_map))
    state = _Markers(file)
    shown: list[str] = []
    last: int | str | None = "nothing yet"
    for line in raw_lines:
        bare = line.lstrip()
        if bare.startswith(_MARKER):
            state.marker(bare)
            continue
        if _INSTRUCTION.match(line):
            state.instruction()
            found = next(matrix) if _ASYNC_MMA.search(line) else _true_line(state, ptx_lines, ptx_map, genuine)
            if found != last:
                shown.append(f'\t//## File "{file}", line {found}' if found is not None else f"\t{_NO_LINE}")
                last = found
        elif bare.startswith(".section"):
            state.reset()
            last = "nothing yet"
        shown.append(line)
    return "\n".join(shown) + "\n"


def _true_line(state: _Markers, ptx_lines: Sequence[str], ptx_map: Sequence[int | None], genuine: set[int | None]) -> int | None:
    at = state.ptx
    if at is not None and 0 < at <= len(ptx_lines) and ptx_text.is_instruction(ptx_lines[at - 1]):
        return ptx_map[at - 1]
    # prologue code belongs to no PTX instruction; a line that no PTX instruction has is one of the wrong ones
    return state.cell if state.cell in genuine else None


def _matrix_lines(raw: Sequence[str], ptx: Sequence[str], ptx_map: Sequence[int | None]) -> list[int | None]:
    """The cell line of each asynchronous matrix instruction of a disassembly, in its order; None where it cannot be known."""
    machine = [match for line in raw if _INSTRUCTION.match(line) and (match := _ASYNC_MMA.search(line))]
    issued = [(match, line) for text, line in zip(ptx, ptx_map, strict=True) if (match := _PTX_MMA.match(text))]
    if len({line for _, line in issued}) == 1:
        return [issued[0][1]] * len(machine)
    # several dots: they keep their order, so equal numbers and equal shapes pair up
    if len(machine) == len(issued):
        shapes = [(a.groups(), b.groups()) for a, (b, _) in zip(machine, issued, strict=True)]
        if all(None in one or None in other or one == other for one, other in shapes):
            return [line for _, line in issued]
    return [None] * len(machine)
