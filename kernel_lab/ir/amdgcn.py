"""AMDGCN assembly: which cell line each instruction comes from, by ``.loc`` and the call chain in its comment.

LLVM writes ``.loc 2 50 21 ; standard.py:50:21 @[ <cell 8f3a2c>:42:16 @[ … ] ]``: the directive names the innermost frame, the comment its
callers, by file names without directories. The innermost frame that lies in the file counts (see `locations`).
"""

from __future__ import annotations

import re

from kernel_lab.ir.files import caller_in
from kernel_lab.ir.ptx import file_table

_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)[^;]*(?:;\s*(.*))?$")


def line_map(text: str, file: str) -> tuple[int | None, ...]:
    """For each line of ``text``, the 1-based line of ``file`` it comes from, or None."""
    lines = text.splitlines()
    inside = file_table(lines, file)
    current: int | None = None
    assembly = False
    mapped: list[int | None] = []
    for line in lines:
        bare = line.strip()
        found: int | None = None
        if bare.startswith(".loc"):
            if not assembly and (match := _LOC.match(line)):
                current = int(match[2]) if int(match[1]) in inside and int(match[2]) else caller_in(match[4] or "", file)
        elif bare.startswith(";"):
            # inline assembly may count its own lines up from the source line, as in PTX
            assembly = "ASMSTART" in bare or (assembly and "ASMEND" not in bare)
        elif bare.startswith((".section", ".Lfunc_end")):
            current = None
        elif bare and bare[0] != "." and not bare.split(";", 1)[0].rstrip().endswith(":"):
            found = current
        mapped.append(found)
    return tuple(mapped)
