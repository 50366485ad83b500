"""Matrix products of the interpreter with the operand and accumulator precision of the hardware.

Knows the builder's ``create_dot`` and nothing above it. Products are formed and accumulated in float32 (integers exactly),
then rounded to the accumulator's dtype; float32 operands under ``input_precision="tf32"`` are rounded to TF32 first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernel_lab.languages.triton.interpreter import formats


def install(interpreter: Any) -> None:
    """Correct ``create_dot`` (and the operands of ``create_dot_scaled``, where Triton has it)."""
    builder = interpreter.InterpreterBuilder
    handle_type = interpreter.TensorHandle
    tf32 = getattr(interpreter._ir.INPUT_PRECISION, "TF32", None)

    def operand(handle: Any, precision: Any) -> Any:
        name = handle.dtype.scalar.name
        if name in formats.STORED:
            return formats.decode(handle.data, name)
        if name == "fp16":
            return handle.data.astype(np.float32)
        if name == "fp32" and precision == tf32:
            return formats.round_to_tf32(handle.data)
        return handle.data

    def create_dot(self: Any, a: Any, b: Any, accumulator: Any, input_precision: Any = None, *rest: Any) -> Any:
        dtype = accumulator.dtype.scalar
        if a.dtype.scalar.is_int():
            # float64 products of int8 are exact for K up to 2^37, and BLAS makes them fast.
            product = np.matmul(a.data.astype(np.float64), b.data.astype(np.float64)).astype(np.int64)
            return handle_type((product + accumulator.data).astype(accumulator.data.dtype), dtype)
        product = np.matmul(operand(a, input_precision), operand(b, input_precision))
        return handle_type((product + accumulator.data).astype(accumulator.data.dtype), dtype)

    builder.create_dot = create_dot

    stock_operand = getattr(interpreter, "_mxfp_value_handle_to_float32", None)
    if stock_operand is not None:

        def scaled_operand(handle: Any) -> Any:
            name = handle.dtype.scalar.name
            if name in formats.STORED:
                return formats.decode(handle.data, name)
            return handle.data.astype(np.float32) if name == "fp16" else stock_operand(handle)

        interpreter._mxfp_value_handle_to_float32 = scaled_operand
