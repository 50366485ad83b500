"""One kernel of the corpus with its reference, and the inputs that several of them share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

GEMM = "a: {0}[M, K], b: {0}[K, N]"
ROWS = "x: {0}[M, N], w: {0}[N], b: {0}[N]"
QKV = "q: {0}[B, H, M, D], k: {0}[B, H, M, D], v: {0}[B, H, M, D]"
ADD = "x: {0}[n], y: {0}[n]"
HEADS = {"B": 1, "H": 2, "M": 200, "D": 64}


@dataclass(frozen=True)
class Entry:
    """A kernel with its reference; ``options`` go to `verify`."""

    name: str
    run: Callable[..., Any]
    reference: Callable[..., Any]
    inputs: str
    sizes: Mapping[str, int]
    options: Mapping[str, Any] = field(default_factory=dict)
    scale: float = 1.0
