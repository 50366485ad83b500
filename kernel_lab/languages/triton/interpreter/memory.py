"""Loads, stores and atomics of the interpreter kept inside the tensors of their launch.

Knows the builder's memory operations and the arguments of a launch; nothing of verdicts. Stock Triton reads and writes
whatever lies at an address, so a forgotten mask passes for right, or spoils the heap of the process for those after it.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernel_lab.errors import OutOfBounds
from kernel_lab.languages.triton.interpreter.where import located

NEAR = 1 << 20
"""Bytes from a tensor within which an address outside all tensors is said to be that tensor's."""

_FIXES = {
    "load": "tl.load(pointers, mask=offsets < n, other=0)",
    "store": "tl.store(pointers, values, mask=offsets < n)",
    "atomic": "mask=offsets < n",
}


@dataclass(frozen=True)
class Extent:
    """One tensor argument: its name, its first element's address, and the bytes of its storage (end exclusive)."""

    name: str
    first: int
    start: int
    end: int


class Memory:
    """What the launch that is running may touch; nothing is checked where that cannot be known."""

    def __init__(self) -> None:
        self.extents: tuple[Extent, ...] = ()
        self.known = False
        self._starts: Any = np.zeros(0, dtype=np.uint64)
        self._ends: Any = np.zeros(0, dtype=np.uint64)

    def begin(self, extents: tuple[Extent, ...]) -> None:
        """A launch with these tensors begins."""
        merged: list[list[int]] = []
        for start, end in sorted((extent.start, extent.end) for extent in extents):
            if merged and start < merged[-1][1]:  # two storages over the same memory
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        self.extents, self.known = extents, bool(extents)
        self._starts = np.array([start for start, _ in merged], dtype=np.uint64)
        self._ends = np.array([end for _, end in merged], dtype=np.uint64)

    def check(self, kind: str, pointers: Any, mask: Any, itemsize: int, program: Any) -> None:
        """Raise `OutOfBounds` when a lane that the mask leaves on is outside every tensor of the launch."""
        if not self.known or pointers.size == 0:
            return
        low, high = int(pointers.min()), int(pointers.max()) + itemsize
        if any(extent.start <= low and high <= extent.end for extent in self.extents):
            return
        active = pointers[np.broadcast_to(mask, pointers.shape)]
        at = np.searchsorted(self._starts, active, side="right") - 1
        inside = (at >= 0) & (active + np.uint64(itemsize) <= self._ends[at])
        if not inside.all():
            raise self._failure(kind, active, inside, itemsize, program)

    def _failure(self, kind: str, active: Any, inside: Any, itemsize: int, program: Any) -> OutOfBounds:
        address = int(active[~inside][0])
        of = self._owner(int(active[inside][0]) if inside.any() else address)
        place = f", in program {tuple(int(i) for i in program)}"
        if of is None:
            names = ", ".join(dict.fromkeys(extent.name for extent in self.extents))
            what, hint = f"out-of-bounds {kind}: the address is in none of {names}{place}", "check the offsets and the strides"
        else:
            element, count = (address - of.first) // itemsize, max(of.end - of.first, 0) // itemsize
            past = "before the start" if address < of.first else f"past the end (it holds {count})"
            what = f"out-of-bounds {kind} of {of.name}: element {element} is {past}{place}"
            hint = f"mask the lanes that lie outside, {_FIXES[kind]}, or correct the offsets"
        return located(OutOfBounds, what, hint)

    def _owner(self, address: int) -> Extent | None:
        distance = {extent: max(extent.start - address, address - extent.end, 0) for extent in self.extents}
        nearest = min(self.extents, key=lambda extent: distance[extent])
        return nearest if distance[nearest] < NEAR else None


def extents_of(names: list[str], args: Any, kwargs: dict[str, Any]) -> tuple[Extent, ...]:
    """The tensors among a launch's arguments, those in tuples and descriptors included."""
    found: list[Extent] = []

    def walk(name: str, value: Any) -> None:
        if isinstance(value, tuple):
            for item in value:
                walk(name, item)
        elif hasattr(value, "data_ptr"):
            tensor = value if hasattr(value, "untyped_storage") else value.base  # triton.reinterpret's wrapper
            storage = tensor.untyped_storage()
            found.append(Extent(name, tensor.data_ptr(), storage.data_ptr(), storage.data_ptr() + storage.nbytes()))
        elif hasattr(value, "base") and hasattr(value, "block_shape"):
            walk(name, value.base)

    for name, value in [*zip(names, args, strict=False), *kwargs.items()]:
        walk(name, value)
    return tuple(found)


def install(interpreter: Any) -> None:
    """Check every access that ``interpreter`` (the module ``triton.runtime.interpreter``) makes. Called once, after other corrections."""
    builder, executor = interpreter.InterpreterBuilder, interpreter.GridExecutor
    memory = Memory()
    stock_arguments = executor._init_args_hst

    def _init_args_hst(self: Any, args: Any, kwargs: Any) -> Any:
        on_host, named = stock_arguments(self, args, kwargs)
        try:
            extents = extents_of(self.arg_names, on_host, named)
        except (AttributeError, RuntimeError, TypeError):
            extents = ()  # an argument of an unknown kind: nothing is claimed about addresses
        memory.begin(extents)
        return on_host, named

    def checked(kind: str, original: Any, pointer: int, mask: int | None) -> Any:
        @functools.wraps(original)
        def create(self: Any, *args: Any, **named: Any) -> Any:
            handle = args[pointer]
            lanes = True if mask is None else args[mask].data
            itemsize = interpreter._get_np_dtype(handle.get_element_ty()).itemsize
            memory.check(kind, np.asarray(handle.data), lanes, itemsize, self.grid_idx)
            return original(self, *args, **named)

        return create

    def create_int_to_ptr(self: Any, *args: Any, **named: Any) -> Any:
        memory.known = False  # an address from elsewhere, as of a table of pointers
        return stock_to_pointer(self, *args, **named)

    stock_to_pointer = builder.create_int_to_ptr
    builder.create_int_to_ptr = create_int_to_ptr
    builder.create_masked_load = checked("load", builder.create_masked_load, 0, 1)
    builder.create_masked_store = checked("store", builder.create_masked_store, 0, 2)
    builder.create_atomic_rmw = checked("atomic", builder.create_atomic_rmw, 1, 3)
    builder.create_atomic_cas = checked("atomic", builder.create_atomic_cas, 0, None)
    executor._init_args_hst = _init_args_hst
