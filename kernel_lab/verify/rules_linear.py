"""Rules for contractions and reductions: √K·u·scale, with the scale from absolute values. Importing this registers them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from kernel_lab.verify.rules import INPUT_ULPS, OUTPUT_ULPS, Error, Operation, functional, rule

_aten = torch.ops.aten
SPREAD = 3.0
"""Allowed random part of operand truncation, over √(A²·B²), in units of its mean."""
NARROW = 0.5
"""Standard deviation of the relative rounding of an operand, in units of its roundoff (uniform, and smaller in an upper octave)."""
Product = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def _contraction(op: Operation, product: Product, a: int, b: int, length: float) -> torch.Tensor:
    """|A|·E_B + E_A·|B| + E_A·E_B + √K·u·|A|·|B| for ``product(args[a], args[b])`` over ``length`` terms.

    A computed operand may be rounded to the inputs' dtype on its way into the tensor core (as flash attention does with the
    probabilities). With independent errors those roundings enter, and squares are summed.
    """
    left, right = op.args[a].abs().double(), op.args[b].abs().double()
    left_error, right_error = op.mode.error(op.args[a]), op.mode.error(op.args[b])
    computed = left_error is not None or right_error is not None
    op.mode.chained |= computed
    if op.mode.independent:
        left, right = left * left, right * right
        left_error, right_error = (None if e is None else e * e for e in (left_error, right_error))
        total = product(left, right) * ((NARROW * op.mode.narrow_unit) ** 2 if computed else op.mode.unit**2)
    else:
        total = product(left, right) * op.chain(length)
        if op.mode.operand:
            spread = product(left * left, right * right).clamp_min(0.0).sqrt() * SPREAD
            total = total + (product(op.args[a].double(), op.args[b].double()).abs() + spread) * op.mode.operand
    if right_error is not None:
        total = total + product(left if left_error is None else left + left_error, right_error)
    if left_error is not None:
        total = total + product(left_error, right)
    return total.clamp_min(0.0).sqrt() if op.mode.independent else total


def _addend(op: Operation, product: torch.Tensor, alpha: float, beta: float) -> torch.Tensor:
    """``beta·C + alpha·(A·B)``, given the product's error."""
    total = op.add(product * abs(alpha), op.error(0) * abs(beta))
    return op.add(
        total, (op.args[0].abs().double() * abs(beta) + op.result.abs().double().nan_to_num(posinf=0.0)) * (OUTPUT_ULPS * op.mode.unit)
    )


@rule("mm", "bmm", "mv", "dot", "vdot")
def matmul(op: Operation) -> Error:
    """A·B."""
    call = functional(op.func)
    return _contraction(op, lambda x, y: call(x, y), 0, 1, op.args[0].shape[-1])


@rule("addmm", "baddbmm", "addmv")
def addmm(op: Operation) -> Error:
    """beta·C + alpha·A·B."""
    call = {"addmm": _aten.mm, "baddbmm": _aten.bmm, "addmv": _aten.mv}[op.func.overloadpacket.__name__.rstrip("_")]
    product = _contraction(op, lambda x, y: call(x, y), 1, 2, op.args[1].shape[-1])
    return _addend(op, product, float(op.kwargs.get("alpha", 1)), float(op.kwargs.get("beta", 1)))


@rule("convolution")
def convolution(op: Operation) -> Error:
    """A convolution is a contraction over input channels and window."""
    weight, rest = op.args[1], op.args[3:]
    transposed = bool(op.args[6])
    length = weight.numel() / max(weight.shape[1] if transposed else weight.shape[0], 1)
    total = _contraction(op, lambda x, w: _aten.convolution(x, w, None, *rest), 0, 1, length)
    if op.args[2] is not None:
        bias = op.error(2) + op.args[2].abs().double() * (OUTPUT_ULPS * op.mode.unit)
        total = total + bias.reshape(-1, *([1] * (op.result.dim() - 2)))
    return total


def _dims(op: Operation) -> list[int]:
    value = op.get("dim")
    rank = op.args[0].dim()
    if value is None or isinstance(value, bool) or value == []:
        return list(range(rank))
    return [d % rank for d in ([value] if isinstance(value, int) else value)] if rank else []


def _count(op: Operation, dims: list[int]) -> int:
    return math.prod(op.args[0].shape[d] for d in dims)


def _total(values: torch.Tensor, dims: list[int], keep: bool) -> torch.Tensor:
    return values.sum(dim=dims, keepdim=keep) if dims else values


@rule("sum", "mean", "nansum")
def summed(op: Operation) -> Error:
    """Σ E + √K·u·Σ|x|, over K for a mean."""
    dims, keep = _dims(op), bool(op.get("keepdim", False))
    count = _count(op, dims)
    values = op.args[0].abs().double()
    total = op.total(op.error(0), dims, keep) + _total(values * op.chain(count), dims, keep)
    if op.func.overloadpacket.__name__ == "mean":
        total = total / max(count, 1) + op.result.abs().double() * (OUTPUT_ULPS * op.mode.unit)
    return total


@rule("var", "std", "var_mean", "std_mean")
def variance(op: Operation) -> tuple[Error, ...]:
    """Two passes: the mean's error, then Σ(x−μ)² with each deviation rounded at the scale |x| + |μ|."""
    values, error, unit = op.args[0].double(), op.error(0), op.mode.unit
    dims, keep = _dims(op), bool(op.get("keepdim", False))
    count = _count(op, dims)
    correction = op.get("correction", int(bool(op.get("unbiased", True))))
    divisor = max(count - (1 if correction is None else float(correction)), 1e-300)
    mean = _total(values, dims, True) / max(count, 1)
    mean_error = _total(error + values.abs() * op.chain(count), dims, True) / max(count, 1) + mean.abs() * OUTPUT_ULPS * unit
    deviation = (values - mean).abs()
    rounding = error + (values.abs() + mean.abs()) * INPUT_ULPS * unit
    squares = deviation * deviation
    # Σ(x−μ) = 0: the mean's own error enters squared only.
    square_error = (2 * deviation + rounding) * rounding + mean_error * mean_error + squares * op.chain(count)
    spread = _total(squares, dims, keep) / divisor
    spread_error = _total(square_error, dims, keep) / divisor + spread * OUTPUT_ULPS * unit
    name = op.func.overloadpacket.__name__
    if name.startswith("std"):
        low = (spread - spread_error).clamp_min(0.0).sqrt()
        spread_error = torch.maximum((spread + spread_error).sqrt() - spread.sqrt(), spread.sqrt() - low)
        spread_error = spread_error + spread.sqrt() * OUTPUT_ULPS * unit
    return (spread_error, mean_error if keep else _total(mean_error, dims, False)) if name.endswith("mean") else (spread_error,)


@rule("linalg_vector_norm")
def norm(op: Operation) -> Error:
    """The 2-norm and the 1-norm; other orders are unknown."""
    order, dims, keep = float(op.get("ord", 2)), _dims(op), bool(op.get("keepdim", False))
    values, error, count = op.args[0].abs().double(), op.error(0), _count(op, _dims(op))
    if order == 1:
        return _total(error + values * op.chain(count), dims, keep)
    if order != 2:
        return torch.full(op.result.shape, float("inf"), dtype=torch.float64, device=values.device)
    return _total(error * error, dims, keep).sqrt() + op.result.abs().double() * (op.chain(count) + OUTPUT_ULPS * op.mode.unit)


@rule("cumsum")
def cumsum(op: Operation) -> Error:
    """A sum per element, its length the position."""
    dim = op.args[1]
    values, error = op.args[0].abs().double(), op.error(0)
    count = op.args[0].shape[dim] if op.args[0].dim() else 1
    carried = (error * error).cumsum(dim).sqrt() if op.mode.independent else error.cumsum(dim)
    return carried + (values * op.chain(count)).cumsum(dim)


@rule("prod", "cumprod")
def product(op: Operation) -> Error:
    """Relative errors add up; K roundings. Unknown where a factor is 0 and in doubt."""
    values = op.args[0].double()
    relative = op.error(0) / values.abs()
    relative = relative.nan_to_num(nan=0.0, posinf=float("inf")) + OUTPUT_ULPS * op.mode.unit
    total = relative.cumsum(op.args[1]) if "cumprod" in op.func.overloadpacket.__name__ else None
    if total is None:
        dims = _dims(op)
        total = _total(relative, dims, bool(op.get("keepdim", False)))
    return op.result.abs().double() * torch.expm1(total)


def _exponent(op: Operation, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    """For exp(x − max x): the error of each exponent, and the relative error of the weighted sum of exponentials."""
    values, unit = op.args[0].double(), op.mode.unit
    if not values.dim():
        return op.error(0) + unit, op.error(0) + unit
    largest = values.amax(dim, keepdim=True)
    scale = torch.where(values.isfinite(), values.abs() + largest.abs(), 0.0)
    exponent = op.error(0) + scale * (INPUT_ULPS * unit) + OUTPUT_ULPS * unit
    shares = torch.softmax(values, dim)
    total = op.total(shares * torch.where(shares > 0, exponent, 0.0), [dim], True) + op.chain(values.shape[dim])
    return exponent, total


@rule("_softmax", "_safe_softmax")
def softmax(op: Operation) -> Error:
    """p·(e^(δ + Σp·δ) − 1), δ the error of x − max x."""
    exponent, total = _exponent(op, op.args[1])
    return (op.result.abs().double() * torch.expm1(exponent + total + OUTPUT_ULPS * op.mode.unit)).clamp_max(1.0)


@rule("_log_softmax")
def log_softmax(op: Operation) -> Error:
    """x − max x − log Σ: the exponent's error, and the sum's relative error; the logarithm is rounded at the scale 1."""
    exponent, total = _exponent(op, op.args[1])
    return exponent + total + (1 + op.result.abs().double().nan_to_num(posinf=0.0)) * (OUTPUT_ULPS * op.mode.unit)


@rule("logsumexp")
def logsumexp(op: Operation) -> Error:
    """As log softmax, for one dimension; unknown for several."""
    dims, keep = _dims(op), bool(op.get("keepdim", False))
    if len(dims) != 1:
        return torch.full(op.result.shape, float("inf"), dtype=torch.float64, device=op.result.device)
    _, total = _exponent(op, dims[0])
    total = total if keep else total.squeeze(dims[0])
    return total + (1 + op.result.abs().double().nan_to_num(posinf=0.0)) * (OUTPUT_ULPS * op.mode.unit)


@rule("scatter_add", "index_add", "index_put", "_unsafe_index_put", "_index_put_impl")
def accumulated(op: Operation) -> Error:
    """Errors accumulate as the values do; the longest chain is the number of sources that meet in one element."""
    call = functional(op.func)
    args: list[Any] = list(op.args)
    source = 3 if "index_put" not in op.func.overloadpacket.__name__ else 2
    accumulates = source == 3 or bool(op.get("accumulate", False))
    errors, sizes, ones = list(args), list(args), list(args)
    errors[0], errors[source] = op.error(0), op.error(source)
    moved: torch.Tensor = call(*errors, **op.kwargs)
    if not accumulates:
        return moved
    sizes[0], sizes[source] = args[0].abs().double(), args[source].abs().double()
    ones[0], ones[source] = torch.zeros_like(sizes[0]), torch.ones_like(sizes[source])
    count: torch.Tensor = call(*ones, **op.kwargs)
    chain = op.chain(float(count.max()) if count.numel() else 1.0)
    scale: torch.Tensor = call(*sizes, **op.kwargs)
    return moved + scale * chain * (count > 0)
