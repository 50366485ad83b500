"""The bound: how far each element of an output may lie from the float64 reference.

``|out − ref64| ≤ u·(|ref64| + E) + E``: u rounds to the output's dtype, E is the larger of the rounding model and a small multiple of the
eager run's error. One eager element may be exact by luck, so its error is pooled: relative to the model's own scale, over
elements of like scale. Knows nothing of kernels or of names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

EAGER_MULTIPLE = 3.0
"""Multiple of the eager run's largest pooled error."""
NARROW_MULTIPLE = 6.0
"""The same for outputs of 16 bits and fewer: kernels round their intermediates at other places than the reference does (the P of flash
attention before it is normalised, a scaled k, a delta from the rounded output). Emulated attention forward and backward, 32 seeds
with and without causal mask, lies at 0.7 of the bound with this multiple and pools no lower than the largest; at 3.1 with 3 and
pools alone."""
POOL = 64
"""Fewest elements in a pool; below this, more seeds are drawn (`Samples`)."""
_SINGLE = 2.0**-24


def unit(dtype: torch.dtype) -> float:
    """Unit roundoff: half the spacing at 1; 0 for integers."""
    return float(torch.finfo(dtype).eps) / 2 if dtype.is_floating_point else 0.0


def smallest(dtype: torch.dtype) -> float:
    """The absolute error that underflow may add: half the smallest subnormal; for float32 its flush to zero."""
    info = torch.finfo(dtype)
    if dtype == torch.float64:
        return float(info.tiny)
    return float(torch.finfo(torch.float32).tiny) if dtype.itemsize >= 4 or dtype == torch.bfloat16 else float(info.tiny * info.eps / 2)


@dataclass(frozen=True)
class Samples:
    """Errors of the eager run of one output beyond its final rounding, and the scale of each, both float64 and flat."""

    error: torch.Tensor
    scale: torch.Tensor


def scale_of(want: torch.Tensor, model: torch.Tensor | None) -> torch.Tensor:
    """The scale that rounding errors follow: the model where it is known, and a float32 ulp of the value."""
    own = want.abs().nan_to_num(nan=0.0, posinf=0.0) * _SINGLE
    return own if model is None else own + torch.where(model.isfinite(), model, 0.0)


def sample(want: torch.Tensor, model: torch.Tensor | None, eager: torch.Tensor) -> Samples:
    """The eager run's errors where both are finite; ``eager`` of want's shape, in its own dtype."""
    error = (eager.double() - want).abs() - unit(eager.dtype) * want.abs() - smallest(eager.dtype)
    usable = want.isfinite() & eager.double().isfinite()
    return Samples(error.clamp_min(0.0)[usable], scale_of(want, model)[usable])


def allowance(want: torch.Tensor, model: torch.Tensor | None, samples: Sequence[Samples], dtype: torch.dtype) -> torch.Tensor:
    """E for each element: max(model, a multiple of the pooled eager error); the model alone where there are no samples.

    ``dtype`` is the output's. In 16 bits and fewer the pools are levelled: an element's roundings may sit where those of its own
    pool do not.
    """
    known = torch.zeros_like(want) if model is None else torch.where(model.isfinite(), model, 0.0)
    if not samples:
        guess = want.abs().nan_to_num(nan=0.0, posinf=0.0) * (256 * _SINGLE)
        return known if model is None else torch.where(model.isfinite(), known, guess)
    scale = scale_of(want, model)
    error, scales = torch.cat([s.error for s in samples]), torch.cat([s.scale for s in samples])
    narrow = dtype.itemsize <= 2
    pooled = _pooled(error, scales, scale, level=narrow)
    return torch.maximum(known, (NARROW_MULTIPLE if narrow else EAGER_MULTIPLE) * pooled)


def _pooled(error: torch.Tensor, scales: torch.Tensor, scale: torch.Tensor, *, level: bool) -> torch.Tensor:
    """The largest error ÷ scale among samples of like scale (of any scale with ``level``), times ``scale``; absolute errors where the
    scale is 0."""
    result = torch.zeros_like(scale)
    zero = scales == 0
    if bool(zero.any()):
        result = torch.where(scale == 0, error[zero].max(), result)
    if bool((~zero).any()):
        ratio, octave = error[~zero] / scales[~zero], scales[~zero].log2().floor().long()
        octaves, inverse, counts = octave.unique(return_inverse=True, return_counts=True)
        largest = torch.zeros(len(octaves), dtype=torch.float64, device=error.device)
        largest.scatter_reduce_(0, inverse, ratio, "amax")
        edges, ratios = _merge(octaves.tolist(), counts.tolist(), largest.tolist())
        where = torch.bucketize(
            scale.clamp_min(1e-300).log2().floor().contiguous(),
            torch.tensor(edges[1:], dtype=torch.float64, device=scale.device),
            right=True,
        )
        if level:
            ratios = [max(ratios)] * len(ratios)
        height = torch.tensor(ratios, dtype=torch.float64, device=scale.device)[where]
        result = torch.where(scale > 0, height * scale, result)
    return result


def _merge(octaves: list[int], counts: list[int], largest: list[float]) -> tuple[list[int], list[float]]:
    """Neighbouring octaves joined until each pool has `POOL` elements: the lower edges and the largest ratios."""
    edges: list[int] = []
    ratios: list[float] = []
    filled = POOL
    for octave, count, ratio in zip(octaves, counts, largest, strict=True):
        if filled >= POOL:
            edges.append(octave)
            ratios.append(ratio)
            filled = count
        else:
            ratios[-1] = max(ratios[-1], ratio)
            filled += count
    if filled < POOL and len(ratios) > 1:
        last = ratios.pop()
        edges.pop()
        ratios[-1] = max(ratios[-1], last)
    return edges, ratios
