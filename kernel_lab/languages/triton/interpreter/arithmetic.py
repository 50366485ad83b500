"""Arithmetic of Triton's interpreter builder made to agree with compiled code.

Knows the builder's operations and nothing of launches or of the language above. Three corrections: operands held as bit
patterns (bf16, float8) are computed in float32 and rounded back to nearest even; comparisons give int1, whatever their
operands; integer, boolean and NaN cases follow LLVM's semantics on every Triton version.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from kernel_lab.languages.triton.interpreter import formats
from kernel_lab.languages.triton.interpreter.where import not_verified

FLOATING = (
    *("fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "fma", "precise_divf", "approx_divf"),
    *("minimumf", "minnumf", "maximumf", "maxnumf", "clampf", "fabs", "floor", "ceil"),
    *("exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "precise_sqrt", "rsqrt", "erf"),
)
FLOAT_COMPARISONS = tuple(f"fcmp{order}{kind}" for order in "OU" for kind in ("LT", "GT", "LE", "GE", "EQ", "NE"))
INTEGER_COMPARISONS = tuple(f"icmp{kind}" for kind in ("SLE", "SLT", "SGE", "SGT", "ULE", "ULT", "UGE", "UGT", "EQ", "NE"))
BOOLEAN_ARITHMETIC = ("add", "sub", "mul")


def install(interpreter: Any) -> None:
    """Correct the arithmetic of ``interpreter`` (the module ``triton.runtime.interpreter``)."""
    builder = interpreter.InterpreterBuilder
    handle_type = interpreter.TensorHandle
    int1 = interpreter.tl.int1

    def stored_format(arguments: tuple[Any, ...]) -> Any:
        """The dtype of the first operand held as a bit pattern, or None."""
        for argument in arguments:
            if argument.__class__ is handle_type and argument.dtype.scalar.name in formats.STORED:
                return argument.dtype.scalar
        return None

    def lifted(argument: Any) -> Any:
        if argument.__class__ is handle_type and argument.dtype.scalar.name in formats.STORED:
            return handle_type(formats.decode(argument.data, argument.dtype.scalar.name), interpreter.tl.float32)
        return argument

    def floating(original: Any) -> Any:
        @functools.wraps(original)
        def create(self: Any, *arguments: Any, **named: Any) -> Any:
            dtype = stored_format(arguments)
            if dtype is None:
                return original(self, *arguments, **named)
            result = original(self, *map(lifted, arguments), **named)
            return handle_type(formats.encode(result.data, dtype.name), dtype)

        return create

    def comparison(original: Any) -> Any:
        @functools.wraps(original)
        def create(self: Any, *arguments: Any, **named: Any) -> Any:
            if stored_format(arguments) is not None:
                arguments = tuple(map(lifted, arguments))
            # Stock Triton labels the result with the operands' dtype, and a later conversion then misreads the bytes.
            return handle_type(original(self, *arguments, **named).data, int1)

        return create

    def boolean(original: Any, operation: Any) -> Any:
        @functools.wraps(original)
        def create(self: Any, lhs: Any, rhs: Any) -> Any:
            if lhs.data.dtype == np.bool_ and rhs.data.dtype == np.bool_:  # int1 wraps: True + True is False
                return handle_type((operation(lhs.data.astype(np.int8), rhs.data.astype(np.int8)) & 1).astype(np.bool_), lhs.dtype.scalar)
            return original(self, lhs, rhs)

        return create

    def binary(operation: Any) -> Any:
        return lambda self, lhs, rhs: self.binary_op(lhs, rhs, operation)

    # LLVM's minnum and maxnum drop NaN; Triton 3.6's interpreter lets it through.
    builder.create_minnumf = binary(np.fmin)
    builder.create_maxnumf = binary(np.fmax)
    if not hasattr(interpreter._interpreter, "fma_fp32"):
        builder.create_fma = _fused(interpreter)
    builder.create_clampf = _clamp(interpreter)
    builder.create_histogram = _histogram(interpreter)

    for name in FLOATING:
        _replace(builder, name, floating)
    for name in FLOAT_COMPARISONS + INTEGER_COMPARISONS:
        _replace(builder, name, comparison)
    for name, operation in zip(BOOLEAN_ARITHMETIC, (np.add, np.subtract, np.multiply), strict=True):
        _replace(builder, name, functools.partial(boolean, operation=operation))
    _install_memory(interpreter)


def _replace(builder: Any, name: str, wrapper: Any) -> None:
    original = getattr(builder, f"create_{name}", None)
    if original is not None:
        setattr(builder, f"create_{name}", wrapper(original))


def _fused(interpreter: Any) -> Any:
    """An fma that rounds once: the product of two float32 is exact in float64."""

    def create_fma(self: Any, x: Any, y: Any, z: Any) -> Any:
        result = np.multiply(x.data, y.data, dtype=np.float64) + z.data
        return interpreter.TensorHandle(result.astype(z.data.dtype), z.dtype.scalar)

    return create_fma


def _clamp(interpreter: Any) -> Any:
    """Clamp with the NaN rule asked for: dropped by default (LLVM's minnum of maxnum), propagated on request."""

    def create_clampf(self: Any, value: Any, low: Any, high: Any, propagate_nan: Any) -> Any:
        if propagate_nan == interpreter._ir.PROPAGATE_NAN.NONE:
            return self.create_minnumf(self.create_maxnumf(value, low), high)
        return self.create_minimumf(self.create_maximumf(value, low), high)

    return create_clampf


def _histogram(interpreter: Any) -> Any:
    """Counts as int32, whatever the input's width; values outside 0 … bins - 1 are dropped."""

    def create_histogram(self: Any, source: Any, bins: int, mask: Any = None) -> Any:
        valid = (source.data >= 0) & (source.data < bins)
        if mask is not None:
            valid = valid & mask.data
        counts = np.bincount(source.data[valid].astype(np.int64).ravel(), minlength=bins)
        return interpreter.TensorHandle(counts.astype(np.int32), interpreter.tl.int32)

    return create_histogram


def _install_memory(interpreter: Any) -> None:
    """Atomics and NaN padding on formats held as bit patterns."""
    builder = interpreter.InterpreterBuilder
    handle_type = interpreter.TensorHandle
    native = interpreter._interpreter
    stock_rmw = builder.create_atomic_rmw
    stock_load = builder.create_descriptor_load

    def create_atomic_rmw(self: Any, operation: Any, ptr: Any, value: Any, mask: Any, *rest: Any, **named: Any) -> Any:
        dtype = value.dtype.scalar
        if dtype.name not in formats.STORED:
            return stock_rmw(self, operation, ptr, value, mask, *rest, **named)
        if operation not in (interpreter._ir.ATOMIC_OP.FADD, interpreter._ir.ATOMIC_OP.XCHG):
            raise not_verified(f"atomic {str(operation).rsplit('.', 1)[-1].lower()} on {dtype.name}")
        # Programs run one after another, so one element at a time is atomic; duplicates within a block add up.
        pointers, values, active = (np.atleast_1d(a) for a in np.broadcast_arrays(ptr.data, value.data, mask.data))
        old = np.zeros(pointers.shape, dtype=value.data.dtype)
        always: Any = np.ones(1, dtype=bool)
        for index in np.ndindex(pointers.shape):
            if not active[index]:
                continue
            place = np.array([pointers[index]], dtype=np.uint64)
            before = native.load(place, always, np.zeros(1, dtype=old.dtype), old.dtype)
            old[index] = before[0]
            after = np.array([values[index]], dtype=old.dtype)
            if operation == interpreter._ir.ATOMIC_OP.FADD:
                after = formats.encode(formats.decode(before, dtype.name) + formats.decode(after, dtype.name), dtype.name)
            native.store(place, after, always)
        return handle_type(old, dtype)

    def create_descriptor_load(self: Any, descriptor: Any, indices: Any, *rest: Any, **named: Any) -> Any:
        dtype = descriptor.base.get_element_ty()
        padding = interpreter._ir.PADDING_OPTION
        if descriptor.padding != padding.PAD_NAN or dtype.name not in formats.STORED:
            return stock_load(self, descriptor, indices, *rest, **named)
        _, inside = descriptor.materialize_pointers(indices)
        descriptor.padding = padding.PAD_ZERO
        try:
            loaded = stock_load(self, descriptor, indices, *rest, **named)
        finally:
            descriptor.padding = padding.PAD_NAN
        nan = formats.encode(np.array([np.nan]), dtype.name)
        return handle_type(np.where(np.asarray(getattr(inside, "data", inside)), loaded.data, nan), dtype)

    builder.create_atomic_rmw = create_atomic_rmw
    builder.create_descriptor_load = create_descriptor_load
