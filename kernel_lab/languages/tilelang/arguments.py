"""Arguments of a kernel call: checked by name before the kernel sees them, and outputs allocated.

Imports torch only inside functions; needs neither TileLang nor a GPU, so that the messages can be tested anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernel_lab.errors import InputError
from kernel_lab.languages.tilelang.kernels import Parameter, TileKernel
from kernel_lab.problem import evaluate

# TVM's spelling → torch's, where they differ
_TORCH = {"float8_e4m3": "float8_e4m3fn", "bool": "bool"}


def check_arguments(parameters: Sequence[Parameter], arguments: Sequence[Any], device: str = "cuda") -> dict[str, int]:
    """Check a call's arguments against the parameters it must give, and return the values of symbolic sizes.

    Raises `InputError` naming the argument: "A is on cpu, the kernel needs cuda".
    """
    if len(arguments) != len(parameters):
        names = ", ".join(item.name for item in parameters)
        raise InputError(f"the kernel takes {len(parameters)} arguments, {len(arguments)} were given", hint=f"it takes: {names}")
    sizes: dict[str, int] = {}
    for parameter, value in zip(parameters, arguments, strict=True):
        name, dims = parameter.name, parameter.dims
        if dims is None:
            if hasattr(value, "shape") and getattr(value, "ndim", 0) > 0:
                raise InputError(f"{name} is a tensor of rank {value.ndim}, the kernel needs one number ({parameter.dtype})")
            continue
        if not hasattr(value, "shape") or not hasattr(value, "dtype"):
            raise InputError(f"{name} is a {type(value).__name__}, the kernel needs a {parameter.dtype} tensor of rank {len(dims)}")
        where = getattr(getattr(value, "device", None), "type", None)
        if where is not None and where != device:
            raise InputError(f"{name} is on {where}, the kernel needs {device}", hint=f'{name} = {name}.to("{device}")')
        if len(value.shape) != len(dims):
            raise InputError(f"{name} has rank {len(value.shape)}, the kernel needs {len(dims)}", hint=f"its shape: [{', '.join(dims)}]")
        wanted = _TORCH.get(parameter.dtype, parameter.dtype)
        if (got := str(value.dtype).removeprefix("torch.")) != wanted:
            raise InputError(f"{name} has dtype {got}, the kernel needs {wanted}", hint=f"{name} = {name}.to(torch.{wanted})")
        _check_shape(name, dims, tuple(int(size) for size in value.shape), sizes)
        if hasattr(value, "is_contiguous") and not value.is_contiguous():
            strides = tuple(value.stride())
            raise InputError(f"{name} has strides {strides}, the kernel needs it contiguous", hint=f"{name} = {name}.contiguous()")
    return sizes


def _check_shape(name: str, dims: Sequence[str], shape: Sequence[int], sizes: dict[str, int]) -> None:
    for axis, (dim, size) in enumerate(zip(dims, shape, strict=True)):
        if dim.isidentifier():
            known = sizes.setdefault(dim, size)
        elif dim.lstrip("-").isdigit():
            known = int(dim)
        else:
            continue
        if known != size:
            because = f" ({dim})" if dim.isidentifier() else ""
            raise InputError(
                f"{name} has size {size} along axis {axis}, the kernel needs {known}{because}",
                hint=f"its shape: [{', '.join(dims)}]; the kernel was specialised with --sizes",
            )


def allocate(kernel: TileKernel, arguments: Sequence[Any], *, device: Any = "cpu", poison: bool = True) -> list[Any]:
    """Tensors for the outputs of one call: NaN (integers: the least value but one) where the kernel only stores, so that what it
    leaves unwritten shows; zero where it accumulates with atomics. ``arguments`` are those of the inputs, in order; the first
    tensor among them says the device."""
    import torch

    parameters = kernel.parameters()
    given = [item for item in parameters if item.is_input]
    sizes: dict[str, int] = {}
    for parameter, value in zip(given, arguments, strict=False):
        if parameter.dims is None:
            if isinstance(value, int):
                sizes[parameter.name] = value
            continue
        device = getattr(value, "device", device)
        for dim, size in zip(parameter.dims, getattr(value, "shape", ()), strict=False):
            if dim.isidentifier():
                sizes[dim] = int(size)
    made = []
    for parameter in parameters:
        if not parameter.is_output or parameter.is_input:
            continue
        shape = tuple(evaluate(dim, sizes) for dim in parameter.dims or ())
        dtype = getattr(torch, _TORCH.get(parameter.dtype, parameter.dtype), None)
        if dtype is None:
            raise InputError(f"output {parameter.name} has type {parameter.dtype}, which torch does not have")
        value = torch.zeros(shape, dtype=dtype, device=device)
        if poison and parameter.role != "accumulated":
            _poison(value)
        made.append(value)
    return made


def _poison(value: Any) -> None:
    import torch

    if value.dtype.is_floating_point:
        value.copy_(torch.full(value.shape, float("nan"), device=value.device).to(value.dtype))
    elif value.dtype != torch.bool:
        value.fill_(torch.iinfo(value.dtype).min + 1)


def order_arguments(kernel: TileKernel, inputs: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
    """All arguments in the kernel's own order."""
    given, made = iter(inputs), iter(outputs)
    return [next(given) if item.is_input else next(made) for item in kernel.parameters()]


def results(kernel: TileKernel, ordered: Sequence[Any]) -> Any:
    """What a call returns: the output, a tuple of several in the kernel's order, by ``out_idx`` order where that is given."""
    parameters = kernel.parameters()
    indices = list(kernel.out_idx) if kernel.out_idx else [index for index, item in enumerate(parameters) if item.is_output]
    found = tuple(ordered[index] for index in indices)
    return found[0] if len(found) == 1 else found
