"""Counting the flops and bytes of a torch callable: a dispatch mode that sees every operation, on meta tensors.

Needs torch; knows no target. Imported by `work.count` when something is counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.flop_counter import flop_registry

from kernel_lab.dispatch import Mode
from kernel_lab.problem import DTYPES
from kernel_lab.roofline.work import SMALL_ELEMENTS, WIDTH, Work

_SHORT = {getattr(torch, attribute): name for name, attribute in DTYPES.items()}

# Tagged pointwise by torch, but nothing is computed.
_MOVES = frozenset(
    [
        "clone",
        "copy_",
        "copy",
        "_to_copy",
        "fill",
        "fill_",
        "zero_",
        "where",
        "masked_fill",
        "masked_fill_",
        "alias",
        "lift_fresh",
        "lift_fresh_copy",
    ]
)
# One flop per element of the first input.
_REDUCTIONS = frozenset(
    [
        "sum",
        "mean",
        "prod",
        "amax",
        "amin",
        "max",
        "min",
        "argmax",
        "argmin",
        "var",
        "std",
        "norm",
        "linalg_vector_norm",
        "cumsum",
        "cumprod",
        "cummax",
        "cummin",
        "any",
        "all",
        "logcumsumexp",
        "nansum",
        "median",
        "mode",
        "count_nonzero",
        "aminmax",
    ]
)
# Fused operations: flops per element of the first input, as the operations that they stand for (max, sub, exp, sum, div, …).
_FUSED = {
    "_softmax": 5,
    "_log_softmax": 5,
    "logsumexp": 4,
    "_safe_softmax": 5,
    "native_layer_norm": 8,
    "_fused_rms_norm": 4,
    "native_group_norm": 8,
    "native_batch_norm": 8,
    "_native_batch_norm_legit": 8,
    "_softmax_backward_data": 4,
    "_log_softmax_backward_data": 4,
    "native_layer_norm_backward": 14,
    "var_mean": 4,
    "std_mean": 4,
}


class _Counter(Mode):
    """Adds up flops by dtype, for dots and for everything else; remembers the storages that were written."""

    def __init__(self) -> None:
        super().__init__()
        self.dots: Counter[str] = Counter()
        self.others: Counter[str] = Counter()
        self.written: dict[int, torch.Tensor] = {}
        self.operations = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        packet = func._overloadpacket
        if packet not in flop_registry:
            with self:  # a composite operation is counted by its parts
                result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        result = func(*args, **kwargs)
        self._add(func, packet, args, kwargs, result)
        return result

    def _add(self, func: Any, packet: Any, args: Any, kwargs: Any, result: Any) -> None:
        name = packet.__name__
        inputs = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        outputs = [leaf for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)]
        self.operations += 1
        for argument, value in zip(func._schema.arguments, args, strict=False):
            if argument.alias_info is not None and argument.alias_info.is_write and isinstance(value, torch.Tensor):
                self.written[_storage(value)] = value
        if packet in flop_registry:
            floating = [tensor.dtype for tensor in inputs if tensor.dim() >= 2] or [tensor.dtype for tensor in inputs]
            self.dots[_short(floating[0])] += int(flop_registry[packet](*args, **kwargs, out_val=result))
        elif name in _FUSED and inputs:
            self.others[_short(inputs[0].dtype)] += _FUSED[name] * inputs[0].numel()
        elif name in _REDUCTIONS and inputs and torch.Tag.pointwise not in func.tags:
            self.others[_short(inputs[0].dtype)] += inputs[0].numel()
        elif torch.Tag.pointwise in func.tags and outputs and name not in _MOVES:
            wide = [tensor.dtype for tensor in (*inputs, *outputs) if tensor.dtype.is_floating_point]
            self.others[_short(wide[0] if wide else outputs[0].dtype)] += outputs[0].numel()


def count(reference: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Work | None, str | None]:
    """See `kernel_lab.roofline.work.count`."""
    tensors = [leaf for leaf in tree_leaves(tuple(arguments)) if isinstance(leaf, torch.Tensor)]
    if not tensors:
        return None, "the reference takes no tensors"
    try:
        with torch.device("meta"):
            return _run(reference, _on_meta(arguments), tensors, "counted from the reference")
    except Exception as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        reason = f"the reference does not run on tensors without data: {first[:160]}"
    if any(tensor.device.type != "cpu" for tensor in tensors):
        return None, reason
    if sum(tensor.numel() for tensor in tensors) >= SMALL_ELEMENTS:
        return None, f"{reason}; and its inputs are too large to run it for counting"
    try:
        copies = tree_map(lambda leaf: leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf, list(arguments))
        return _run(reference, copies, tensors, "counted from a run of the reference")
    except Exception as error:
        return None, f"the reference raised {type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:160]}"


def _run(
    reference: Callable[..., Any], arguments: Sequence[Any], tensors: list[torch.Tensor], source: str
) -> tuple[Work | None, str | None]:
    inside = {_storage(leaf) for leaf in tree_leaves(tuple(arguments)) if isinstance(leaf, torch.Tensor)}
    with _Counter() as counter:
        result = reference(*arguments)
    outputs = [leaf for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)]
    returned = {_storage(tensor) for tensor in outputs}
    outputs += [tensor for key, tensor in counter.written.items() if key in inside and key not in returned]
    if not counter.operations or not outputs:
        return None, "the reference gives no tensor, or computes outside torch: there is nothing to count"
    dots, others = sum(counter.dots.values()), sum(counter.others.values())
    uses_dot = dots > 0  # also when the rest is more: the faster units give the bound that holds in any case
    main = counter.dots if uses_dot else counter.others
    dtype = main.most_common(1)[0][0] if main else _short(tensors[0].dtype)
    notes: tuple[str, ...] = ()
    narrow = _widest_matrix(tensors) if uses_dot else None
    if narrow is not None and WIDTH.get(dtype, 0) > WIDTH[narrow]:
        # A reference that upcasts says what is right, not what the kernel multiplies with.
        notes = (f"the reference multiplies in {dtype}; the kernel's dot is taken to be in its inputs' {narrow}",)
        dtype = narrow
    return Work(float(dots + others), float(_footprint(tensors) + _footprint(outputs)), dtype, uses_dot, source, notes), None


def _on_meta(arguments: Sequence[Any]) -> list[Any]:
    """The arguments without data. Tensors that are one object stay one."""
    made: dict[int, torch.Tensor] = {}

    def convert(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        if id(leaf) not in made:
            made[id(leaf)] = torch.empty_strided(leaf.size(), leaf.stride(), dtype=leaf.dtype, device="meta")
        return made[id(leaf)]

    return list(tree_map(convert, list(arguments)))


def _footprint(tensors: Sequence[torch.Tensor]) -> int:
    """Bytes that the tensors touch: a view seen twice counts once, broadcast dimensions once, overlapping views their storage at most."""
    by_storage: dict[int, dict[Any, int]] = {}
    sizes: dict[int, int] = {}
    for tensor in tensors:
        elements = math.prod(size for size, stride in zip(tensor.size(), tensor.stride(), strict=True) if stride != 0 or size == 0)
        key = (tensor.storage_offset(), tuple(tensor.size()), tuple(tensor.stride()), tensor.dtype)
        by_storage.setdefault(_storage(tensor), {})[key] = elements * tensor.element_size()
        sizes[_storage(tensor)] = tensor.untyped_storage().nbytes()
    return sum(min(sum(views.values()), sizes[storage]) for storage, views in by_storage.items())


def _widest_matrix(tensors: Sequence[torch.Tensor]) -> str | None:
    kinds = {_short(tensor.dtype) for tensor in tensors if tensor.dim() >= 2 and tensor.dtype.is_floating_point}
    return max(kinds & WIDTH.keys(), key=lambda kind: WIDTH[kind], default=None)


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def _short(dtype: torch.dtype) -> str:
    return _SHORT.get(dtype, str(dtype).removeprefix("torch."))
