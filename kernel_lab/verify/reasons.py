"""Reasons: what a failed comparison says to the kernel's author, in one or two short sentences, each only when it is true."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from kernel_lab.verify.compare import Comparison

_SMALLEST_BLOCK = 8


def number(value: float | None) -> str:
    """A value for reading: "nan", "0.53", "1.2e-07", integers whole."""
    if value is None:
        return "?"
    return f"{value:.0f}" if value == value and abs(value) < 1e15 and value == int(value) else f"{value:.4g}"


def unravel(index: int, shape: torch.Size) -> tuple[int, ...]:
    """A flat index as coordinates."""
    found: list[int] = []
    for size in reversed(shape):
        found.append(index % size)
        index //= size
    return tuple(reversed(found))


def describe(
    comparison: Comparison,
    got: torch.Tensor,
    want: torch.Tensor,
    sizes: Mapping[str, int],
    never: torch.Tensor | None = None,
) -> str:
    """The reason of a failed case: how many are wrong, the worst with got, want and bound, and what the wrong ones share."""
    wrong, shape = comparison.wrong, comparison.wrong.shape
    count, total = int(wrong.sum()), wrong.numel()
    worst = comparison.worst()
    assert worst is not None
    first = int(wrong.flatten().nonzero()[0])
    where = f"first at {unravel(first, shape)}" if first == worst else f"worst at {unravel(worst, shape)}"
    values = (
        f"got {number(_at(got, worst))}, want {number(_at(want, worst))} (allowed error {comparison.bound.flatten()[worst].item():.2g})"
    )
    head = f"{count} of {total} elements wrong, {where}: {values}" if shape else f"wrong: {values}"
    shared = [text for text in (_kind(wrong, got, want, never), _place(wrong, sizes), _pattern(wrong, got, want)) if text]
    return "; ".join((head, *shared))


def _at(tensor: torch.Tensor, index: int) -> float:
    return float(tensor.flatten()[index])


def _kind(wrong: torch.Tensor, got: torch.Tensor, want: torch.Tensor, never: torch.Tensor | None) -> str | None:
    many = "all of them" if int(wrong.sum()) > 1 else "it is"
    if never is not None and bool(never[wrong].all()):
        return "none of them was ever written" if int(wrong.sum()) > 1 else "it was never written"
    values = got[wrong].double()
    if bool(values.isnan().all()):
        return f"{many} NaN"
    if bool(values.isinf().all()):
        return f"{many} infinite"
    return f"{many} 0" if bool((values == 0).all()) else None


def _place(wrong: torch.Tensor, sizes: Mapping[str, int]) -> str | None:
    """Whether the wrong elements fill the part of one dimension beyond a multiple of a power of two, or one row or column."""
    if not wrong.dim() or bool(wrong.all()):
        return None
    for axis, size in enumerate(wrong.shape):
        others = [d for d in range(wrong.dim()) if d != axis]
        hit = wrong.any(dim=others) if others else wrong
        indices = hit.nonzero().flatten()
        low, high, count = int(indices[0]), int(indices[-1]), len(indices)
        name = _dimension(axis, size, wrong.shape, sizes)
        block = _SMALLEST_BLOCK
        start = 0
        while block <= size:
            edge = size - size % block
            if edge < size and low >= edge:
                start = edge
                break
            block *= 2
        if start and 2 * count >= size - start:
            return f"all of them in {name} ≥ {start}: a tail" if size - start > 1 else f"all of them in the last {name}: a tail"
        if low == high and size > 2 and wrong.dim() > 1:
            return f"all of them at {name} = {low}"
        if count == high - low + 1 and 2 * count <= size and count >= _SMALLEST_BLOCK:
            return f"all of them in {low} ≤ {name} ≤ {high}"
    return None


def _dimension(axis: int, size: int, shape: torch.Size, sizes: Mapping[str, int]) -> str:
    """The name of the size that this dimension has, where only one can be meant."""
    names = [name for name, value in sizes.items() if value == size]
    if len(names) == 1 and list(shape).count(size) == 1:
        return names[0]
    return "index" if len(shape) == 1 else f"dimension {axis}"


def _pattern(wrong: torch.Tensor, got: torch.Tensor, want: torch.Tensor) -> str | None:
    """A constant factor, a transposed or a shifted result: mistakes that leave a signature."""
    values, expected = got[wrong].double(), want[wrong].double()
    if len(values) >= 4 and bool(values.isfinite().all()) and bool((expected != 0).all()):
        ratio = values / expected
        middle = float(ratio.median())
        if middle != 0.0 and abs(middle - 1) >= 0.0005 and float((ratio - middle).abs().max()) <= 0.01 * abs(middle):
            return f"each is about {middle:.3g} × what is wanted"
    many = int(wrong.sum()) * 4 > wrong.numel() >= 16
    if many and wrong.dim() == 2 and wrong.shape[0] == wrong.shape[1] and _close(got.T, want):
        return "the result is transposed"
    if many and wrong.dim() >= 1:
        for axis, size in enumerate(wrong.shape):
            if size > 2:
                head, tail = (slice(None),) * axis + (slice(1, None),), (slice(None),) * axis + (slice(None, -1),)
                if _close(got[head], want[tail]) or _close(got[tail], want[head]):
                    return f"the result is shifted by one along dimension {axis}"
    return None


def _close(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors agree to within a thousandth of their largest value, and are not constant."""
    left, right = a.double(), b.double()
    if not bool(left.isfinite().all() & right.isfinite().all()):
        return False
    spread = float(right.max() - right.min())
    return spread > 0 and float((left - right).abs().max()) <= 1e-2 * spread
