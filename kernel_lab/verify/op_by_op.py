"""A mode of torch in which each operation on narrow floats is computed in float32, then rounded to the dtype torch would give it.

So every intermediate is as coarse as the kernel's dtype makes it, free of a CPU's half-precision accumulation. Knows neither the
reference nor the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from kernel_lab.dispatch import Mode
from kernel_lab.verify.rules import functional

# Their first result has the inputs' dtype, the others (statistics) stay in float32.
_STATISTICS = ("native_layer_norm", "native_group_norm", "native_batch_norm", "_fused_rms_norm", "_scaled_dot_product")


class OpByOp(Mode):
    """Each operation on narrow floats is computed in float32 and its result rounded to the dtype torch would give it."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        schema = func._schema
        written = [i for i, a in enumerate(schema.arguments) if a.alias_info is not None and a.alias_info.is_write]
        floats = [t for t in pytree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor) and t.dtype.is_floating_point]
        is_view = not written and any(r.alias_info is not None for r in schema.returns)
        cast = func.overloadpacket.__name__ in ("_to_copy", "copy_", "clone", "_unsafe_view", "set_", "resize_")
        if is_view or cast or not any(t.dtype.itemsize < 4 for t in floats) or "out" in kwargs or written not in ([], [0]):
            return func(*args, **kwargs)
        target = kwargs.get("dtype") or _promoted(floats)
        if "dtype" in kwargs and target.is_floating_point:
            kwargs["dtype"] = torch.promote_types(target, torch.float32)
        wide = pytree.tree_map(_float32, (args, kwargs))
        if written:
            args[0].copy_(functional(func)(*wide[0], **wide[1]))
            return args[0]
        result = func(*wide[0], **wide[1])

        def narrow(value: Any) -> Any:
            return value.to(target) if isinstance(value, torch.Tensor) and value.dtype == torch.float32 and target.itemsize < 4 else value

        if isinstance(result, (tuple, list)) and func.overloadpacket.__name__.startswith(_STATISTICS):
            return (narrow(result[0]), *result[1:])
        return pytree.tree_map(narrow, result)


def _float32(value: Any) -> Any:
    narrow = isinstance(value, torch.Tensor) and value.dtype.is_floating_point and value.dtype.itemsize < 4
    return value.to(torch.float32) if narrow else value


def _promoted(floats: Sequence[torch.Tensor]) -> torch.dtype:
    """The dtype of an operation on these tensors: 0-d tensors do not widen others."""
    leading = [t.dtype for t in floats if t.dim()] or [t.dtype for t in floats]
    dtype = leading[0]
    for other in leading[1:]:
        if other != dtype:
            narrow8 = [d for d in (dtype, other) if d.itemsize == 1]
            dtype = torch.promote_types(dtype, other) if not narrow8 else max(dtype, other, key=lambda d: d.itemsize)
    return dtype
