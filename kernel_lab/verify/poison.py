"""Poison: memory that nobody initialised is filled with a pattern, so that an element never written shows.

`poisoned` is entered round the kernel's run only. It sees every allocation without a defined content that goes through
torch's dispatcher (`torch.empty`, `empty_like`, `empty_strided`, `Tensor.new_empty`, …), on any device, in this thread and in
autograd's. Knows nothing of references or bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from kernel_lab.dispatch import Mode

PATTERNS = (0, 1)
"""Pattern 0 is NaN for floats; pattern 1 is finite, and tells an element never written from a NaN that was computed."""
_FLOATS = (float("nan"), -23552.0)
_FACTORIES = (
    "empty",
    "empty_like",
    "empty_strided",
    "empty_permuted",
    "new_empty",
    "new_empty_strided",
)


def value(dtype: torch.dtype, pattern: int) -> Any:
    """The value that fills memory of ``dtype``: NaN or -23552 (a power of two for float8), a large odd integer, True or False."""
    if dtype.is_complex:
        return complex(_FLOATS[pattern], _FLOATS[pattern])
    if dtype.is_floating_point:
        small = pattern == 1 and torch.finfo(dtype).max < 65504
        return -192.0 if small else _FLOATS[pattern]
    if dtype == torch.bool:
        return pattern == 0
    largest = torch.iinfo(dtype).max
    return largest - 2 * (largest // 6) if pattern == 0 else largest // 2 - 2


def fill(tensor: torch.Tensor, pattern: int) -> torch.Tensor:
    """Fill ``tensor`` in place with the pattern's value; returns it."""
    with torch.no_grad():
        return tensor.detach().fill_(value(tensor.dtype, pattern)) if tensor.numel() else tensor


def is_poison(tensor: torch.Tensor, pattern: int) -> torch.Tensor:
    """A mask of the elements that hold the pattern's value (any NaN, for pattern 0 of floats)."""
    filling = value(tensor.dtype, pattern)
    wide = tensor.double() if tensor.dtype.is_floating_point else tensor
    return wide.isnan() if filling != filling else wide == filling


class _Poison(Mode):
    def __init__(self, pattern: int) -> None:
        super().__init__()
        self.pattern = pattern

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.overloadpacket.__name__ in _FACTORIES and func.namespace == "aten":
            fill(result, self.pattern)
        return result


@contextmanager
def poisoned(pattern: int = 0) -> Iterator[None]:
    """While entered, uninitialised memory holds ``value(dtype, pattern)``."""
    if pattern not in PATTERNS:
        raise ValueError(f"pattern {pattern} is not one of {PATTERNS}")
    with _Poison(pattern):
        yield
