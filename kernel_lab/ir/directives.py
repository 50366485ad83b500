"""Generated C++: which cell line each line of CUDA, HIP or Metal source comes from, by its ``#line`` directives.

A C compiler counts on from a ``#line`` until the next one. Generated code has no such order, and what follows a directive may come from
anywhere, so a directive is believed for the statement behind it only: one line, after a ``#pragma`` one more, and the lines of a vector
expression that code generation spread over temporaries. Everything else has no line rather than a wrong one.
"""

from __future__ import annotations

import re

from kernel_lab.ir.files import same_file

_LINE = re.compile(r'^\s*#\s*line\s+(\d+)(?:\s+"((?:[^"\\]|\\.)*)")?')
_TEMPORARY = re.compile(r"\b(?:__\d+|v_(?:_\d+)?)\b")


def line_map(text: str, file: str, library_line: int | None = None) -> tuple[int | None, ...]:
    """For each line of ``text``, the 1-based line of ``file`` it comes from, or None.

    ``library_line``: the line of ``file`` that code with a directive into another file belongs to, where the caller knows that only
    one tile operation (a single ``T.gemm``) expands from library code.
    """
    mapped: list[int | None] = []
    current: int | None = None
    name = ""
    fresh = False  # nothing of the directive's statement was seen yet
    for line in text.splitlines():
        bare = line.strip()
        match = _LINE.match(line) if bare.startswith("#") else None
        found: int | None = None
        if match:
            name = match[2] if match[2] is not None else name
            current = int(match[1]) if same_file(name, file) else library_line
            fresh = True
        elif fresh:
            found = current
            fresh = bare.startswith("#pragma")
        elif _TEMPORARY.search(bare):
            found = current
        else:
            current = None
        mapped.append(found)
    return tuple(mapped)
