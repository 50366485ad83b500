"""Which target is meant when none is named. Holds the one piece of state of this folder: the session's default."""

from __future__ import annotations

import os

from kernel_lab.errors import TargetError
from kernel_lab.targets.machine import here
from kernel_lab.targets.names import lookup
from kernel_lab.targets.target import Target

VARIABLE = "KERNEL_LAB_TARGET"
FALLBACK = "H100 SXM"
_chosen: Target | None = None


def set_default(name: str | Target | None) -> Target:
    """Make ``name`` the default of this process, or with None forget the choice; gives the default now. Raises `TargetError`."""
    global _chosen
    _chosen = lookup(name) if isinstance(name, str) else name
    return default()


def default() -> Target:
    """The target when none is named: `set_default`'s, else the variable KERNEL_LAB_TARGET's, else the GPU here, else an H100 SXM."""
    if _chosen is not None:
        return _chosen
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        try:
            return lookup(named)
        except TargetError as error:
            raise TargetError(f"{VARIABLE}: {error.what}") from None
    return here() or lookup(FALLBACK)
