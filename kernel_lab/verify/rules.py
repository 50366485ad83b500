"""Rules: what each operation of a reference adds to the running error.

A rule takes an `Operation` and returns the new error bound (a tuple, one per output, or one for all; None is exact). Three kinds:
movement (the operation is applied to the errors), pointwise (the operation is evaluated at perturbed inputs, which gives
conditioning and propagation at once), and reductions or contractions (√K·u·scale, with the scale from absolute values).
Knows nothing of kernels; the constants are set by the corpus in ``tests/verify``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import torch

if TYPE_CHECKING:
    from kernel_lab.verify.running_error import RunningError

Error: TypeAlias = torch.Tensor | None
INPUT_ULPS = 2.0
"""Perturbation of a pointwise input, in units of its roundoff: ``exp(x)`` as ``exp2(x·log2 e)`` rounds its argument so."""
OUTPUT_ULPS = 4.0
"""Rounding of a pointwise result: covers ``ex2.approx``, ``rsqrt.approx`` and fast division (2⁻²² relative)."""
CHAIN = 2.0
"""Factor on √K·u·scale of a sum over K."""


@dataclass(frozen=True)
class Operation:
    """One operation as it was dispatched: ``args`` before, ``result`` after."""

    mode: RunningError
    func: Any
    args: Any
    kwargs: Any
    result: Any

    def error(self, index: int) -> torch.Tensor:
        """The error of argument ``index``, zeros where exact."""
        value = self.args[index]
        found = self.mode.error(value)
        return torch.zeros((), dtype=torch.float64, device=value.device).expand(value.shape) if found is None else found

    def add(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        """Two errors of one value: their sum, or the root of their squares when errors are independent."""
        return torch.hypot(*torch.broadcast_tensors(a, b)) if self.mode.independent else a + b

    def total(self, errors: torch.Tensor, dims: list[int], keep: bool) -> torch.Tensor:
        """The error of a sum over ``dims``."""
        if not dims:
            return errors
        if self.mode.independent:
            return (errors * errors).sum(dim=dims, keepdim=keep).sqrt()
        return errors.sum(dim=dims, keepdim=keep)

    def get(self, name: str, default: Any = None) -> Any:
        """The argument called ``name`` in the operation's schema, wherever it was passed."""
        if name in self.kwargs:
            return self.kwargs[name]
        index = next((i for i, a in enumerate(self.func._schema.arguments) if a.name == name), len(self.args))
        return self.args[index] if index < len(self.args) else default

    def chain(self, count: float) -> float:
        """The relative error of a sum of ``count`` terms, over the sum of their absolute values."""
        return CHAIN * math.sqrt(max(count, 1.0)) * self.mode.unit


Rule: TypeAlias = Callable[[Operation], "Error | tuple[Error, ...]"]
_RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for operations by name (``add_`` and ``add.out`` count as ``add``)."""

    def register(function: Rule) -> Rule:
        _RULES.update(dict.fromkeys(names, function))
        return function

    return register


def find(func: Any) -> Rule | None:
    """The rule for an operation, or None."""
    name = base_name(func)
    if name in _RULES:
        return _RULES[name]
    return pointwise if torch.Tag.pointwise in func.tags and torch.Tag.nondeterministic_seeded not in func.tags else None


def base_name(func: Any) -> str:
    """``aten.add_.Tensor`` → "add"."""
    name = str(func.overloadpacket.__name__)
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def functional(func: Any) -> Any:
    """The variant of an in-place or ``out`` operation that returns its result."""
    packet = getattr(torch.ops.aten, base_name(func), None)
    overload = func._overloadname.removesuffix("_out").replace("out", "default")
    return getattr(packet, overload, None) or packet


def snapshot(mode: RunningError, tensor: torch.Tensor) -> torch.Tensor:
    """A copy of a tensor that is about to be written, with its error."""
    twin = tensor.clone()
    mode.set_error(twin, mode.error(tensor))
    return twin


# Pointwise -------------------------------------------------------------------------------------------------------------

_EXACT = {
    "abs", "neg", "relu", "ceil", "floor", "round", "trunc", "sign", "sgn", "eq", "ne", "lt", "le", "gt", "ge", "maximum", "minimum",
    "clamp", "clamp_min", "clamp_max", "fmax", "fmin", "isnan", "isinf", "isfinite", "logical_and", "logical_or", "logical_not",
    "logical_xor", "bitwise_and", "bitwise_or", "bitwise_not", "bitwise_xor", "threshold", "threshold_backward", "hardtanh",
    "_to_copy", "clone", "lift_fresh_copy", "signbit", "nan_to_num",
}  # fmt: skip
# Operations with an inner cancellation: their absolute error does not fall below this many ulps of the named scale.
_FLOOR_ONE = {"sigmoid", "tanh", "erf", "expm1", "log1p", "softplus", "sin", "cos", "log_sigmoid_forward", "sigmoid_backward", "erfc"}
_FLOOR_INPUT = {"gelu", "silu", "mish", "hardswish"}


@rule("_to_copy", "clone", "lift_fresh_copy")
def pointwise(op: Operation) -> Error:
    """|f(x ± d) − f(x)| summed over the inputs, with d the input's error and a rounding of it, and a rounding of the result."""
    name, mode = base_name(op.func), op.mode
    call = functional(op.func)
    args = list(op.args)
    result = op.result
    exact = name in _EXACT
    ulp = 0.0 if exact else mode.unit
    total: Error = None
    for index, value in enumerate(args):
        if not isinstance(value, torch.Tensor):
            continue
        error = mode.error(value)
        if not exact and value.dtype.is_floating_point:
            own = value.abs().double() * (INPUT_ULPS * ulp)
            error = own if error is None else error + own
        if error is None:
            continue
        step: Error = None
        for moved in _perturb(value, error):
            away = _difference(call(*args[:index], moved, *args[index + 1 :], **op.kwargs), result, error)
            step = away if step is None else torch.maximum(step, away)
        total = step if total is None or step is None else op.add(total, step)
    if result.dtype.is_floating_point and not exact:
        own = result.abs().double() * (OUTPUT_ULPS * ulp)
        own = torch.where(result.isfinite(), own, 0.0)
        if name in _FLOOR_ONE:
            own = own + OUTPUT_ULPS * ulp
        elif name in _FLOOR_INPUT:
            own = own + args[0].abs().double().nan_to_num(posinf=0.0) * (OUTPUT_ULPS * ulp)
        total = own if total is None else op.add(total, own)
    return total


def _perturb(value: torch.Tensor, error: torch.Tensor) -> list[torch.Tensor]:
    if value.dtype == torch.bool:
        return [value ^ (error > 0)]
    if not value.dtype.is_floating_point:
        step = error.nan_to_num(posinf=2.0**30).round().to(value.dtype)
        return [value + step, value - step]
    step = torch.where(value.isfinite(), error, 0.0).to(value.dtype)
    return [value + step, value - step]


def _difference(other: torch.Tensor, result: torch.Tensor, error: torch.Tensor) -> torch.Tensor:
    """How far ``other`` lies from ``result``; 0 where the result is not finite or the perturbed input left the domain."""
    if not result.dtype.is_floating_point:
        return (other.double() - result.double()).abs()
    away = (other - result).abs().double()
    outside = torch.where(error.isinf().expand(away.shape), float("inf"), 0.0) if error.isinf().any() else torch.zeros_like(away)
    return torch.where(result.isfinite(), torch.where(away.isnan(), outside, away), 0.0)


@rule("where")
def where(op: Operation) -> Error:
    """The error of the chosen side; where the condition itself is in doubt, the distance between the sides too."""
    condition, a, b = op.args[:3]
    error = torch.where(condition, op.error(1), op.error(2))
    doubt = op.mode.error(condition)
    return error if doubt is None else error + torch.where(doubt > 0, (a - b).abs().double(), 0.0)


@rule("masked_fill")
def masked_fill(op: Operation) -> Error:
    """No error where it was filled."""
    found = op.mode.error(op.args[0])
    filled: Error = None if found is None else found.masked_fill(op.args[1], 0.0)
    return filled


@rule("zero", "uniform", "normal", "random", "bernoulli", "rand_like", "randn_like", "zeros_like", "ones_like", "full_like", "empty_like",
      "new_zeros", "new_ones", "new_full", "new_empty", "new_empty_strided", "empty_strided", "argmax", "argmin", "fill")  # fmt: skip
def fresh(op: Operation) -> Error:
    """The result does not carry its inputs' errors."""
    return None
