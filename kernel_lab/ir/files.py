"""Files: whether a name in a debug location means the file we ask about.

Knows nothing of any stage's syntax. Cells are known to compilers by pseudo-names such as ``<cell 8f3a2c>``; on the way through
a compiler such a name may gain a directory (``/home/me/<cell 8f3a2c>``), be split into directory and name, or lose its directory.
"""

from __future__ import annotations

import re

_FRAME = re.compile(r"^(.*):(\d+):(\d+)$")


def same_file(found: str, file: str, directory: str = "") -> bool:
    """Whether ``found``, in ``directory`` when it was split, names ``file``. A bare ``file`` matches in any directory."""
    if found == file:
        return True
    whole = f"{directory.rstrip('/')}/{found}" if directory and not found.startswith("/") else found
    return whole == file or whole.endswith("/" + file)


def same_base(found: str, file: str) -> bool:
    """As `same_file`, where the compiler prints names without their directories: the last part decides."""
    return same_file(found, file) or file.endswith("/" + found)


def caller_in(comment: str, file: str) -> int | None:
    """The line of the innermost caller in ``file`` of a call chain as LLVM comments it: ``a:1:2 @[ b:3:4 @[ c:5:6 ] ]``."""
    for part in comment.split(" @[ ")[1:]:
        match = _FRAME.match(part.rstrip(" ]"))
        if match and int(match[2]) and same_base(match[1], file):
            return int(match[2])
    return None
