"""Conversions between dtypes as the compilers do them: to nearest even, from and to bit-pattern formats.

Wraps the conversions of Triton's interpreter builder; knows nothing of launches. Stock Triton truncates float32 → bf16,
and turns float8 overflow and NaN into other numbers.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from kernel_lab.languages.triton.interpreter import formats

CONVERSIONS = ("si_to_fp", "ui_to_fp", "fp_to_si", "fp_to_ui", "fp_ext", "fp_trunc", "int_cast")


def install(interpreter: Any) -> None:
    """Correct the conversions of ``interpreter`` (the module ``triton.runtime.interpreter``)."""
    builder = interpreter.InterpreterBuilder
    handle_type = interpreter.TensorHandle
    numpy_dtype = interpreter._get_np_dtype
    toward_zero_mode = interpreter._ir.ROUNDING_MODE.RTZ

    def convert(source: Any, target_type: Any, toward_zero: bool) -> Any:
        target = target_type.scalar
        values = formats.decode(source.data, source.dtype.scalar.name) if source.dtype.scalar.name in formats.STORED else source.data
        if target.name in formats.STORED:
            data = formats.encode(values, target.name, toward_zero=toward_zero)
        elif target.name == "fp16" and toward_zero:
            data = formats.round_to_half_toward_zero(values)
        else:
            data = values.astype(numpy_dtype(target))
        return handle_type(data, target)

    def involves_patterns(source: Any, target_type: Any) -> bool:
        return source.dtype.scalar.name in formats.STORED or target_type.scalar.name in formats.STORED

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
