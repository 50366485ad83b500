"""GPUs as data: limits, peaks and where each number comes from; and which GPU is in this machine.

The front of the folder: `Target`, and the functions that give one. Imports no torch and no compiler. A new GPU is a row
in `nvidia` or `amd`; a new architecture a row in `architectures`.
"""

from __future__ import annotations

from kernel_lab.targets.choice import default, set_default
from kernel_lab.targets.listing import html_table, table
from kernel_lab.targets.machine import here
from kernel_lab.targets.names import known, lookup, targets
from kernel_lab.targets.occupancy import occupancy
from kernel_lab.targets.target import Target

__all__ = ["Target", "default", "here", "html_table", "known", "lookup", "occupancy", "set_default", "sources", "table", "targets"]


def sources(target: str | Target) -> str:
    """Every number of a target, with its unit and where it is written. Raises `TargetError` for a name that is not known."""
    from kernel_lab.targets import listing

    return listing.sources(lookup(target) if isinstance(target, str) else target)
