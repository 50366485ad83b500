"""Comparison of one output with the float64 reference, element by element: NaN and infinity first, then the bound.

Knows nothing of how the allowed error came about.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from kernel_lab.verify.bound import smallest, unit


@dataclass(frozen=True)
class Comparison:
    """Element-wise, of the output's shape: which are wrong, ``|got − want|`` (inf where only one is finite) and the allowed error.

    ``forgiven`` counts elements where the reference itself, in the kernel's dtype, is not finite, as the kernel is.
    """

    wrong: torch.Tensor
    error: torch.Tensor
    bound: torch.Tensor
    forgiven: int = 0

    def worst(self) -> int | None:
        """Flat index of the element that exceeds its bound most (the first that is not finite before all), None if empty."""
        if not self.error.numel():
            return None
        ratio = torch.where(self.bound > 0, self.error / self.bound, self.error * 1e300).nan_to_num(nan=-1.0, posinf=float("inf")).flatten()
        # Only a wrong element may be shown as the worst when there are any.
        wrong = self.wrong.flatten()
        if bool(wrong.any()):
            ratio = torch.where(wrong, ratio, -2.0)
        return int((ratio == ratio.max()).nonzero()[0])


def compare_exact(got: torch.Tensor, want: torch.Tensor, model: torch.Tensor | None) -> Comparison:
    """Integers and bools: equal, or as far apart as rounding before a cast to integer allows (``model``)."""
    error = (got.double() - want.double()).abs()
    if got.dtype != torch.bool and want.dtype != torch.bool:
        # Beyond 2⁵³ float64 would not see the difference.
        error = torch.where((got != want) & (error == 0), 1.0, error)
    bound = torch.zeros_like(error) if model is None else model.floor()
    return Comparison(error > bound, error, bound)


def compare_floats(
    got: torch.Tensor,
    want: torch.Tensor,
    allowance: torch.Tensor,
    *,
    eager: torch.Tensor | None = None,
    atol: float | None = None,
    rtol: float | None = None,
) -> Comparison:
    """Floats against float64 ``want``; the bound is ``u·(|want| + E) + E``, or ``atol + rtol·|want|`` where the user gave one.

    ``u`` is the coarser of the output's dtype and the reference's (``eager``).
    """
    value, size = got.double(), want.abs().nan_to_num(nan=0.0, posinf=0.0)
    coarse = max((got.dtype, *(() if eager is None else (eager.dtype,))), key=unit)
    if atol is None and rtol is None:
        bound = unit(coarse) * (size + allowance) + allowance + smallest(coarse)
    else:
        bound = (atol or 0.0) + (rtol or 0.0) * size
    both_nan = value.isnan() & want.isnan()
    error = torch.where(both_nan | (value == want), 0.0, (value - want).abs()).nan_to_num(nan=float("inf"), posinf=float("inf"))
    wrong = torch.where(error.isinf(), True, error > bound)
    largest = float(torch.finfo(got.dtype).max)
    # A finite value past the largest number of the output's dtype becomes infinite there (FP8: NaN, or the largest number).
    overflow = (want.abs() + bound >= largest) & (value.sign() == want.sign()) & value.isinf()
    if got.dtype.itemsize == 1:
        overflow = overflow | ((want.abs() + bound >= largest) & (value.isnan() | value.isinf() | (value == want.sign() * largest)))
    forgiven = torch.zeros_like(wrong)
    if eager is not None:
        reference = eager.double()
        forgiven = want.isfinite() & ~overflow & ((value.isnan() & reference.isnan()) | (value.isinf() & (value == reference)))
    wrong = wrong & ~overflow & ~forgiven
    error = torch.where(overflow | forgiven, 0.0, error)
    return Comparison(wrong, error, bound, int(forgiven.sum()))
