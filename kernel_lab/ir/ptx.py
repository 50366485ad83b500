"""PTX: which cell line each instruction comes from, by ``.loc`` and ``.file``.

A ``.loc`` holds until the next one. Call chains are followed to the innermost frame that lies in the file (see `locations`): newer
LLVM writes them as ``inlined_at`` (one step; the next step is the latest ``.loc`` of that position), older LLVM only into the
comment. Labels, directives and comments have no line.

Inside inline assembly LLVM counts the assembly's own lines up from the source line (a load written at cell line 10 appears as
lines 10, 11, 12 …), which is wrong for text that a compiler generated: there the location before ``// begin inline asm`` holds.
"""

from __future__ import annotations

import re

from kernel_lab.ir.files import caller_in, same_file

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"((?:[^"\\]|\\.)*)")?')
_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*?inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?")
_PUNCTUATION = {"{", "}", "(", ")", ");"}

Position = tuple[int, int, int]


def file_table(lines: list[str], file: str) -> set[int]:
    """The numbers that ``.file`` directives (one name, or directory and name) give to ``file``."""
    inside: set[int] = set()
    for line in lines:
        if ".file" in line and (match := _FILE.match(line)):
            first, second = match[2], match[3]
            if same_file(second, file, first) if second is not None else same_file(first, file):
                inside.add(int(match[1]))
    return inside


def is_instruction(line: str) -> bool:
    """Whether a line of PTX is (part of) an instruction: no directive, label, comment or lone bracket."""
    bare = line.split("//", 1)[0].strip()
    return bool(bare) and bare[0] not in ".$" and bare not in _PUNCTUATION and not bare.endswith(":")


def line_map(text: str, file: str) -> tuple[int | None, ...]:
    """For each line of ``text``, the 1-based line of ``file`` it comes from, or None."""
    lines = text.splitlines()
    inside = file_table(lines, file)
    parents: dict[Position, int | None] = {}  # position → the line in the file that its latest .loc led to
    current: int | None = None
    assembly = False
    mapped: list[int | None] = []
    for line in lines:
        bare = line.strip()
        if bare.startswith("// begin inline asm"):
            assembly = True
        elif bare.startswith("// end inline asm"):
            assembly = False
        elif bare.startswith(".loc"):
            if not assembly and (match := _LOC.match(line)):
                number, row, column = int(match[1]), int(match[2]), int(match[3])
                current = row if number in inside and row else None
                if match[4] is not None:
                    caller = (int(match[4]), int(match[5]), int(match[6]))
                    if current is None:
                        current = caller[1] if caller[0] in inside and caller[1] else parents.get(caller)
                elif current is None and "@[" in line:
                    current = caller_in(line.partition("//")[2], file)
                parents[number, row, column] = current
        elif line.startswith("}"):
            current = None
        elif current is not None and is_instruction(line):
            mapped.append(current)
            continue
        mapped.append(None)
    return tuple(mapped)
