"""Reductions and scans of the interpreter: rounded at every step, in the tree shape of the hardware.

Knows Triton's ``ReduceOps`` and ``ScanOps`` and nothing of launches. Sums of 16-bit floats round after each addition, as
compiled code does. Other reductions apply the kernel's own combine function to whole slices, pairing neighbours, so that
a function that is associative but not commutative keeps its operands' order.
"""

from __future__ import annotations

import dis
from typing import Any

import numpy as np

from kernel_lab.languages.triton.interpreter import formats

ROUNDED = formats.STORED | {"fp16"}


def install(interpreter: Any) -> None:
    """Correct ``ReduceOps.apply_impl``, ``ScanOps.apply_impl`` and the narrowing in ``to_tensor``."""
    reduce_ops, scan_ops = interpreter.ReduceOps, interpreter.ScanOps
    language, handle_type, numpy_dtype = interpreter.tl, interpreter.TensorHandle, interpreter._get_np_dtype
    standard = language.standard
    stock_reduce, stock_scan = reduce_ops.apply_impl, scan_ops.apply_impl

    def family(*names: str) -> tuple[Any, ...]:
        return tuple(found for found in (getattr(standard, name, None) for name in names) if found is not None)

    largest = family("_elementwise_max")
    smallest = family("_elementwise_min")
    index_of_largest = family("_argmax_combine_tie_break_left", "_argmax_combine_tie_break_fast")
    index_of_smallest = family("_argmin_combine_tie_break_left", "_argmin_combine_tie_break_fast")

    def to_tensor(self: Any, value: Any, dtype: Any) -> Any:
        data = np.asarray(value)
        shape = list(data.shape)
        data = np.atleast_1d(data).astype(numpy_dtype(dtype))  # narrows by wrapping, as registers do
        return language.core.tensor(handle_type(data, dtype.scalar), language.block_type(dtype, shape) if shape else dtype)

    interpreter.ReduceScanOpInterface.to_tensor = to_tensor

    def values_of(tensor: Any) -> Any:
        data = tensor.handle.data
        return formats.decode(data, tensor.dtype.name) if tensor.dtype.name in formats.STORED else data

    def rounded(values: Any, dtype: Any) -> Any:
        return formats.encode(values, dtype.name) if dtype.name in formats.STORED else values.astype(numpy_dtype(dtype))

    def dropped(values: Any, axis: Any, keep: bool) -> Any:
        return values if keep or axis is None else np.squeeze(values, axis=axis)

    def sum_rounding_each_step(self: Any, tensor: Any) -> Any:
        dtype, axis = tensor.dtype, self.axis
        data = tensor.handle.data
        values = values_of(tensor)
        shape = values.shape
        if axis is None:
            values, axis = values.reshape(-1), 0
        while values.shape[axis] > 1:
            low, high = np.split(values, 2, axis=axis)
            bits = rounded(low.astype(np.float32) + high.astype(np.float32), dtype)
            values = formats.decode(bits, dtype.name) if dtype.name in formats.STORED else bits
        result = rounded(values, dtype).astype(data.dtype)
        if self.axis is None:
            return self.to_tensor(result.reshape((1,) * len(shape)) if self.keep_dims else result.reshape(()), dtype)
        return self.to_tensor(dropped(result, axis, self.keep_dims), dtype)

    def extremum(self: Any, tensor: Any, sign: int) -> Any:
        """Largest (sign 1) or smallest (sign -1), NaN dropped unless all are NaN."""
        values = values_of(tensor)
        result = (np.fmax if sign > 0 else np.fmin).reduce(values, axis=self.axis, keepdims=self.keep_dims)
        return self.to_tensor(rounded(np.asarray(result), tensor.dtype), tensor.dtype)

    def extremum_and_index(self: Any, input: Any, sign: int) -> Any:
        tensor = input[0]
        values = values_of(tensor)
        if np.issubdtype(values.dtype, np.floating):
            ordered = np.where(np.isnan(values), -np.inf, values * sign)
            where = np.argmax(ordered, axis=self.axis, keepdims=self.keep_dims)
        else:
            where = (np.argmax if sign > 0 else np.argmin)(values, axis=self.axis, keepdims=self.keep_dims)
        dtype = input[1].dtype if len(input) > 1 else language.int32
        return extremum(self, tensor, sign), self.to_tensor(np.asarray(where), dtype)

    def reduce_apply(self: Any, input: Any) -> Any:
        combine = self.combine_fn
        if combine in standard_sum and input[0].dtype.name in ROUNDED:
            return sum_rounding_each_step(self, input[0])
        if combine in largest:
            return extremum(self, input[0], 1)
        if combine in smallest:
            return extremum(self, input[0], -1)
        if combine in index_of_largest:
            return extremum_and_index(self, input, 1)
        if combine in index_of_smallest:
            return extremum_and_index(self, input, -1)
        if combine not in standard_sum and elementwise(combine):
            return reduce_by_slices(self, input)
        return stock_reduce(self, input)

    def reduce_by_slices(self: Any, input: Any) -> Any:
        axis = self.axis or 0
        slices = [t.handle.data.reshape(-1) if self.axis is None else t.handle.data for t in input]
        dtypes = [t.dtype for t in input]
        while slices[0].shape[axis] > 1:
            pick = [slice(None)] * slices[0].ndim
            even, odd = ((*pick[:axis], slice(start, None, 2)) for start in (0, 1))
            left = [self.to_tensor(np.ascontiguousarray(s[even]), d) for s, d in zip(slices, dtypes, strict=True)]
            right = [self.to_tensor(np.ascontiguousarray(s[odd]), d) for s, d in zip(slices, dtypes, strict=True)]
            combined = self.combine_fn(*left, *right)
            combined = combined if isinstance(combined, tuple) else (combined,)
            slices = [np.broadcast_to(c.handle.data, l.handle.data.shape) for c, l in zip(combined, left, strict=True)]
        results = []
        for data, dtype, tensor in zip(slices, dtypes, input, strict=True):
            if self.axis is None:
                data = data.reshape((1,) * len(tensor.shape) if self.keep_dims else ())
            else:
                data = dropped(data, axis, self.keep_dims)
            results.append(self.to_tensor(data, dtype))
        return results

    def scan_apply(self: Any, input: Any) -> Any:
        tensor = input[0]
        running = np.add if self.combine_fn in standard_sum else np.multiply if self.combine_fn in standard_product else None
        if running is None or tensor.dtype.name not in formats.STORED:
            return stock_scan(self, input)
        values = np.moveaxis(values_of(tensor), self.axis, 0)
        values = values[::-1] if self.reverse else values
        result = np.empty(values.shape, dtype=tensor.handle.data.dtype)
        total = values[0]
        for position in range(len(values)):
            if position:
                total = running(total, values[position])
            result[position] = rounded(total, tensor.dtype)
            total = formats.decode(result[position], tensor.dtype.name)
        result = result[::-1] if self.reverse else result
        return [self.to_tensor(np.ascontiguousarray(np.moveaxis(result, 0, self.axis)), tensor.dtype)]

    standard_sum = family("_sum_combine")
    standard_product = family("_prod_combine")
    reduce_ops.apply_impl = reduce_apply
    scan_ops.apply_impl = scan_apply


def elementwise(combine: Any) -> bool:
    """Whether a combine function may be given whole slices: it neither branches nor loops, nor does a function it calls."""
    function = getattr(combine, "fn", None)
    if function is None or not callable(combine):
        return False
    jumps = any("JUMP" in i.opname or i.opname == "FOR_ITER" for i in dis.get_instructions(function))
    callees = [function.__globals__.get(name) for name in function.__code__.co_names]
    return not jumps and all(elementwise(c) for c in callees if type(c) is type(combine) and c is not combine)
