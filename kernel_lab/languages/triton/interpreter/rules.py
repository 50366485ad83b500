"""The compiler's own rules on shapes and dots, applied in the interpreter too, with messages that name argument and value.

Knows Triton's semantic layer and the backend of the target; the rules are the backend's functions, never copies. What a
broken rule raises is the caller's choice, so that a compile worker can use the same messages.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from kernel_lab.targets import Target

Fail = Callable[[str, str], Exception]


@dataclasses.dataclass
class Adopted:
    """The target whose rules the interpreter follows now, and the launch options of its backend."""

    target: Target
    option_names: frozenset[str] = frozenset()


def backend_of(target: Target) -> Any:
    """Triton's backend object for ``target``; no driver and no GPU are needed."""
    from triton.backends import backends

    from kernel_lab.languages.triton.offline import gpu_target

    gpu = gpu_target(target)
    for backend in backends.values():
        if backend.compiler.supports_target(gpu):
            return backend.compiler(gpu)
    raise LookupError(f"this Triton has no backend for {target.arch}")


def adopt_backend(interpreter: Any, target: Target) -> Any:
    """Give the interpreter's builder the backend's dot limits and precisions; returns the backend's default options."""
    backend = backend_of(target)
    options = backend.parse_options({})
    builder = interpreter.interpreter_builder
    builder.codegen_fns["min_dot_size"] = backend.get_codegen_implementation(options)["min_dot_size"]
    builder.options = dataclasses.replace(
        builder.options,
        default_dot_input_precision=options.default_dot_input_precision,
        allowed_dot_input_precisions=options.allowed_dot_input_precisions,
    )
    return options


def is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def install(adopted: Adopted, fail: Fail) -> None:
    """Name argument and value where ``tl.arange``, a block shape or ``tl.dot`` breaks a rule.

    ``fail(what, hint)`` makes the exception that is raised. Idempotent per process.
    """
    import triton.language as language
    from triton import _utils
    from triton.language import semantic
    from triton.tools import tensor_descriptor

    owner = semantic.TritonSemantic
    if getattr(owner, "_kernel_lab_rules", False):
        return
    owner._kernel_lab_rules = True
    stock_arange, stock_dot, stock_shape = owner.arange, owner.dot, _utils.validate_block_shape

    @functools.wraps(stock_arange)
    def arange(self: Any, start: Any, end: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(start, int) and isinstance(end, int):
            if end <= start:
                raise fail(f"tl.arange({start}, {end}): the end is not greater than the start", "give a range of at least one")
            if not is_power_of_two(end - start):
                raise fail(f"tl.arange({start}, {end}): the length {end - start} is not a power of two", _next_power(end - start))
        return stock_arange(self, start, end, *args, **kwargs)

    def validate_block_shape(shape: Any) -> Any:
        for axis, length in enumerate(shape):
            if isinstance(length, int) and not is_power_of_two(length):
                sizes = ", ".join(map(str, shape))
                raise fail(f"block shape ({sizes}): element {axis} is {length}, not a power of two", _next_power(length))
        return stock_shape(shape)

    @functools.wraps(stock_dot)
    def dot(self: Any, lhs: Any, rhs: Any, *args: Any, **kwargs: Any) -> Any:
        _check_dot(self, lhs, rhs, adopted.target.name, fail)
        return stock_dot(self, lhs, rhs, *args, **kwargs)

    owner.arange, owner.dot = arange, dot
    for module in (_utils, language.core, tensor_descriptor):
        if hasattr(module, "validate_block_shape"):
            module.validate_block_shape = validate_block_shape


def _next_power(length: int) -> str:
    size = 1 << max(length - 1, 0).bit_length()
    return f"use {size} and mask what lies beyond {length}"


def _check_dot(semantic: Any, lhs: Any, rhs: Any, target_name: str, fail: Fail) -> None:
    limits = semantic.builder.codegen_fns.get("min_dot_size")
    if limits is None or not (lhs.type.is_block() and rhs.type.is_block()) or len(lhs.shape) != len(rhs.shape) or len(lhs.shape) < 2:
        return
    if lhs.dtype.primitive_bitwidth != rhs.dtype.primitive_bitwidth:
        raise fail(f"tl.dot: the operands are {lhs.dtype} and {rhs.dtype}", "convert one of them with .to(…) so that both have one dtype")
    least = limits(lhs.type, rhs.type)
    (m, k), n = (int(getattr(s, "value", s)) for s in lhs.shape[-2:]), int(getattr(rhs.shape[-1], "value", rhs.shape[-1]))
    for name, size, limit in zip("MNK", (m, n, k), least, strict=True):
        if size < limit:
            shapes = f"({m}×{k} @ {k}×{n})"
            what = f"tl.dot: {name} = {size} is below the least {name} of {limit} for {lhs.dtype} operands on {target_name} {shapes}"
            raise fail(what, f"use blocks with {name} >= {limit}, or multiply and tl.sum")
