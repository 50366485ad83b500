"""Rules for operations that move elements: the same movement is applied to the errors. Importing this registers them."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree

from kernel_lab.verify.rules import Error, Operation, functional, rule


def _errors_for_values(op: Operation) -> tuple[Any, Any]:
    """The arguments with each floating tensor replaced by its error, and each floating number by 0."""

    def swap(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.dtype.is_floating_point:
            found = op.mode.error(value)
            return torch.zeros(value.shape, dtype=torch.float64, device=value.device) if found is None else found
        return value

    return pytree.tree_map(swap, op.args), pytree.tree_map(swap, op.kwargs)


@rule("cat", "stack", "index", "gather", "index_select", "embedding", "roll", "flip", "repeat", "tril", "triu", "slice_scatter",
      "select_scatter", "slice_backward", "select_backward", "diag_embed", "unfold_copy", "unfold_backward", "scatter", "index_copy",
      "masked_select", "_unsafe_index", "take", "pixel_shuffle", "diagonal_scatter", "masked_scatter", "expand_copy", "diagonal_backward",
      "_unsafe_view", "_reshape_copy", "trace", "im2col", "_unsafe_masked_index")  # fmt: skip
def moved(op: Operation) -> Error:
    """The operation, applied to the errors."""
    if not op.result.dtype.is_floating_point:
        return None
    args, kwargs = _errors_for_values(op)
    found: torch.Tensor = functional(op.func)(*args, **kwargs)
    return found.abs()


@rule("constant_pad_nd")
def padded(op: Operation) -> Error:
    """The filling is exact."""
    return torch.ops.aten.constant_pad_nd(op.error(0), op.args[1], 0.0)


@rule("copy")
def copied(op: Operation) -> Error:
    """The source's error, broadcast."""
    found = op.mode.error(op.args[1])
    return None if found is None else found.expand(op.args[0].shape)


@rule("max", "min", "amax", "amin", "median", "aminmax")
def extreme(op: Operation) -> tuple[Error, ...]:
    """An extreme of several values is as uncertain as the most uncertain of them; the index is taken as exact."""
    if isinstance(op.get("other"), torch.Tensor):
        return (torch.maximum(op.error(0), op.error(1)),)
    found = op.mode.error(op.args[0])
    values, count = (op.result[0], len(op.result)) if isinstance(op.result, (tuple, list)) else (op.result, 1)
    if found is None or not found.numel():
        return (None,) * count
    dims = op.get("dim")
    keep = bool(op.get("keepdim", False))
    everything = dims is None or dims == []
    largest = found.amax() if everything else found.amax(dim=dims, keepdim=keep)
    return (largest.expand(values.shape), *([None] * (count - 1)))


@rule("sort", "topk")
def ordered(op: Operation) -> tuple[Error, ...]:
    """Sorting is 1-Lipschitz: no element is more uncertain than the most uncertain of its row."""
    found = op.mode.error(op.args[0])
    if found is None:
        return (None, None)
    dim = op.kwargs.get("dim", next((a for a in op.args[2:] if isinstance(a, int) and not isinstance(a, bool)), -1))
    return (found.amax(dim=dim, keepdim=True).expand(op.result[0].shape), None)
