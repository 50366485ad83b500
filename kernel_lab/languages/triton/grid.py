"""Launch grids: what a user may write between the brackets, as three positive numbers, or an error that names the axis.

A pure function of the grid, the kernel's arguments and the target; knows nothing of Triton.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kernel_lab.errors import CompileError
from kernel_lab.targets import Target

AXES = "xyz"


def normalise(grid: Any, meta: Mapping[str, Any], target: Target) -> tuple[int, int, int]:
    """The grid as programs per axis (x, y, z).

    ``grid`` is an integer, a sequence of one to three integers, or a callable that gives either from ``meta`` (the
    kernel's arguments by name). A zero is allowed and launches nothing. Raises `CompileError` for another shape, a
    negative size, or a size above ``target.max_grid``.
    """
    source = "grid"
    if callable(grid):
        grid, source = _called(grid, meta), "the grid function's result"
    sizes = _sizes(grid, source)
    for axis, (size, limit) in enumerate(zip(sizes, target.max_grid, strict=False)):
        if size < 0:
            raise CompileError(f"{source} {sizes}: axis {axis} ({AXES[axis]}) is negative: {size}", hint="a grid size is zero or more")
        if size > limit:
            hint = "put the longest dimension on axis 0, or let each program do more" if axis else "let each program do more"
            what = f"{source} {sizes}: axis {axis} ({AXES[axis]}) is {size}, above the limit of {limit} on {target.name}"
            raise CompileError(what, hint=hint)
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _called(grid: Callable[[Mapping[str, Any]], Any], meta: Mapping[str, Any]) -> Any:
    try:
        return grid(meta)
    except KeyError as error:
        name = error.args[0] if error.args else "?"
        raise CompileError(
            f"the grid function asks for {name!r}, which is no argument of the kernel", hint=f"the arguments are: {', '.join(meta)}"
        ) from error


def _sizes(grid: Any, source: str) -> tuple[int, ...]:
    entries: Sequence[Any]
    if isinstance(grid, (str, bytes, Mapping)) or grid is None:
        raise CompileError(f"{source} is {grid!r}", hint="give one to three integers: (x,), (x, y) or (x, y, z)")
    try:
        entries = (operator.index(grid),)
    except TypeError:
        try:
            entries = tuple(grid)
        except TypeError:
            raise CompileError(f"{source} is {grid!r}", hint="give one to three integers: (x,), (x, y) or (x, y, z)") from None
    if not 1 <= len(entries) <= len(AXES):
        raise CompileError(f"{source} has {len(entries)} axes: {tuple(entries)!r}", hint="a grid has one to three axes")
    sizes = []
    for axis, entry in enumerate(entries):
        try:
            sizes.append(operator.index(entry))
        except TypeError:
            what = f"{source}: axis {axis} ({AXES[axis]}) is {entry!r}, not an integer"
            raise CompileError(what, hint="divide with triton.cdiv or // to get a whole number of programs") from None
    return tuple(sizes)
