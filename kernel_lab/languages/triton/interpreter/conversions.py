"""Conversions between dtypes as the compilers do them: to nearest even, from and to bit-pattern formats.

Wraps the conversions of Triton's interpreter builder; knows nothing of launches. Stock Triton truncates float32 → bf16,
turns float8 overflow and NaN into other numbers, and leaves float → integer out of range to the CPU.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from kernel_lab.languages.triton.interpreter import formats

CONVERSIONS = ("si_to_fp", "ui_to_fp", "fp_to_si", "fp_to_ui", "fp_ext", "fp_trunc", "int_cast")


def _remembering(interpreter: Any) -> Any:
    """Triton's dtype → NumPy dtype, looked up by name: stock Triton builds its table anew at every call."""
    stock, pointer = interpreter._get_np_dtype, interpreter.tl.pointer_type
    known: dict[str, Any] = {}

    def numpy_dtype(dtype: Any) -> Any:
        element = dtype.scalar
        if isinstance(element, pointer):
            return stock(element)
        found = known.get(element.name)
        if found is None:
            found = known[element.name] = stock(element)
        return found

    return numpy_dtype


def _to_integer(values: Any, dtype: Any) -> Any:
    """float → integer as GPUs convert: saturating at the width (8-bit results at 16 bits, then truncated); NaN gives 0.

    (NaN to int64 gives the least one. LLVM leaves all this undefined; these are the results of PTX's cvt.rzi on an H200.)
    """
    wide = np.dtype(f"{dtype.kind if dtype.kind == 'u' else 'i'}{max(dtype.itemsize, 2)}")
    limits = np.iinfo(wide)
    exact = values.astype(np.float64)
    low, high = exact <= limits.min, exact >= limits.max
    whole = np.where(low | high | np.isnan(exact), 0, exact).astype(wide)
    whole = np.where(high, limits.max, np.where(low, limits.min, whole)).astype(wide)
    if wide.itemsize == 8:
        whole = np.where(np.isnan(exact), np.int64(-(2**63)).astype(wide), whole)
    return whole.astype(dtype)


def install(interpreter: Any) -> None:
    """Correct the conversions of ``interpreter`` (the module ``triton.runtime.interpreter``)."""
    builder = interpreter.InterpreterBuilder
    handle_type = interpreter.TensorHandle
    numpy_dtype = interpreter._get_np_dtype = _remembering(interpreter)
    toward_zero_mode = interpreter._ir.ROUNDING_MODE.RTZ

    def convert(source: Any, target_type: Any, toward_zero: bool) -> Any:
        target = target_type.scalar
        values = formats.decode(source.data, source.dtype.scalar.name) if source.dtype.scalar.name in formats.STORED else source.data
        if target.name in formats.STORED:
            data = formats.encode(values, target.name, toward_zero=toward_zero)
        elif target.name == "fp16" and toward_zero:
            data = formats.round_to_half_toward_zero(values)
        elif target.is_int() and values.dtype.kind == "f":
            data = _to_integer(values, numpy_dtype(target))
        else:
            data = values.astype(numpy_dtype(target))
        return handle_type(data, target)

    def involves_patterns(source: Any, target_type: Any) -> bool:
        source_name, target = source.dtype.scalar.name, target_type.scalar
        return source_name in formats.STORED or target.name in formats.STORED or (target.is_int() and source.data.dtype.kind == "f")

    def converting(original: Any) -> Any:
        @functools.wraps(original)
        def create(self: Any, source: Any, target_type: Any, *rest: Any, **named: Any) -> Any:
            if involves_patterns(source, target_type):
                return convert(source, target_type, False)
            return original(self, source, target_type, *rest, **named)

        return create

    for name in (*(f"create_{kind}" for kind in CONVERSIONS), "cast_impl"):
        setattr(builder, name, converting(getattr(builder, name)))

    def create_fp_to_fp(self: Any, source: Any, target_type: Any, rounding_mode: Any = None, *rest: Any) -> Any:
        return convert(source, target_type, rounding_mode == toward_zero_mode)

    builder.create_fp_to_fp = create_fp_to_fp

    def get_bf16(self: Any, value: float) -> Any:
        return handle_type(formats.encode(np.array([value], dtype=np.float32), "bf16"), interpreter.tl.bfloat16)

    builder.get_bf16 = get_bf16
