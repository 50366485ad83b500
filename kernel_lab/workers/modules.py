"""The user's own modules in this process: those imported from files outside the installed packages, and whether they were edited.

Knows nothing of jobs or languages. A worker outlives many runs; a helper module that is edited between two of them must
not answer with its old code.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import sysconfig

Stamp = tuple[str, int, int]
"""A file, the time of its last change in nanoseconds, its size in bytes."""

_STANDARD = tuple(os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "platstdlib"))


def own_modules() -> dict[str, Stamp]:
    """Name → stamp of each module whose source the user may edit; kernel_lab itself is none of them."""
    found: dict[str, Stamp] = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__dict__", {}).get("__file__")  # getattr would wake modules that load when first asked
        if not isinstance(file, str) or not file.endswith(".py") or name == "__main__" or name.partition(".")[0] == "kernel_lab":
            continue
        if file.startswith(_STANDARD) or "site-packages" in file or "dist-packages" in file:
            continue
        with contextlib.suppress(OSError):
            state = os.stat(file)
            found[name] = (file, state.st_mtime_ns, state.st_size)
    return found


_seen: dict[str, Stamp] = {}


def remember() -> None:
    """Note the state of the modules that are loaded now."""
    for name, stamp in own_modules().items():
        _seen.setdefault(name, stamp)


def forget_edited() -> None:
    """Let all own modules be imported anew when a file of one of them has changed since `remember`."""
    now = own_modules()
    if any(now[name] != stamp for name, stamp in _seen.items() if name in now):
        for name in now:
            sys.modules.pop(name, None)
        _seen.clear()
        importlib.invalidate_caches()
