"""Arguments and outputs: nested values copied, cast, flattened and named.

Nested means tuples, lists and dicts of tensors, numbers and None. Knows nothing of kernels or bounds.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch


def map_tensors(function: Callable[[torch.Tensor], Any], value: Any) -> Any:
    """``value`` with ``function`` applied to each tensor in it; other leaves are kept."""
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, dict):
        return {key: map_tensors(function, item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_tensors(function, item) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(map_tensors(function, item) for item in value)
    return value


def copy(value: Any) -> Any:
    """A deep copy of the tensors in ``value`` that keeps strides, offsets and which of them share memory."""
    storages: dict[int, torch.UntypedStorage] = {}

    def one(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.layout != torch.strided:
            return tensor.clone()
        storage = tensor.untyped_storage()
        if storage._cdata not in storages:
            storages[storage._cdata] = storage.clone()
        twin = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        twin.set_(storages[storage._cdata], tensor.storage_offset(), tensor.size(), tensor.stride())
        return twin.requires_grad_(tensor.requires_grad)

    return map_tensors(one, value)


def cast(value: Any, dtype: torch.dtype) -> Any:
    """``value`` with its floating tensors narrower than ``dtype`` cast to it; integers and bools are kept."""

    def one(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.dtype.is_floating_point and tensor.dtype.itemsize < dtype.itemsize:
            return tensor.detach().to(dtype).requires_grad_(tensor.requires_grad)
        return tensor

    return map_tensors(one, value)


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors in ``value``, in order."""
    found: list[torch.Tensor] = []
    map_tensors(found.append, value)
    return found


def flatten(value: Any, name: str = "output") -> list[tuple[str, torch.Tensor | None]]:
    """The leaves of an output with their names ("output", "output[1]", "output['loss']"); numbers become 0-d tensors."""
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in flatten(item, f"{name}[{key!r}]")]
    if isinstance(value, (tuple, list)):
        return [leaf for index, item in enumerate(value) for leaf in flatten(item, f"{name}[{index}]")]
    if value is None or isinstance(value, torch.Tensor):
        return [(name, value)]
    if isinstance(value, (bool, int)):
        return [(name, torch.tensor(value))]
    return [(name, torch.as_tensor(value, dtype=torch.float64 if isinstance(value, float) else None))]


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors hold the same values, NaN equal to NaN."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.is_floating_point and a.dtype.itemsize == 1:
        a, b = a.float(), b.float()
    return bool(((a == b) | ((a != a) & (b != b))).all())


def argument_names(function: Any, count: int) -> list[str]:
    """Names for ``count`` positional arguments: the parameters of ``function`` where it has a signature, else "argument 0", …"""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [names[index] if index < len(names) else f"argument {index}" for index in range(count)]


def accepts(function: Any, count: int) -> bool | None:
    """Whether ``function`` can be called with ``count`` positional arguments; None when it has no signature."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return None
    return True


def dtype_name(dtype: torch.dtype) -> str:
    """The name of a dtype without the module: "float16"."""
    return str(dtype).removeprefix("torch.")


def describe_dtypes(names: Sequence[str], arguments: Sequence[Any]) -> dict[str, str]:
    """Argument name → dtype, for the arguments that are tensors."""
    return {name: dtype_name(item.dtype) for name, item in zip(names, arguments, strict=False) if isinstance(item, torch.Tensor)}
