"""Verification: is the kernel right? Cases, the bound, the checks, the verdict.

A pure library over torch, run inside a worker process. It knows nothing of Triton, TileLang, IPython or of how a kernel is
launched: it is given a callable. `sizes` needs no torch, so that the notebook process may import it.

- `verdict.verify` is the front door: it runs the kernel on each case; `judging` compares and judges one.
- `reference` evaluates the reference in float64, and in the kernel's dtype `op_by_op`.
- `running_error` carries a rounding-error bound through the reference; `rules` says how for each operation.
- `bound` turns both into the allowed error of each element, `compare` looks for elements beyond it, `reasons` words them.
- `poison` makes uninitialised memory visible; `arguments` copies, flattens and names nested values; `sizes` shrinks problems.
"""

from __future__ import annotations

from typing import Any

from kernel_lab.verify.sizes import interpretable

__all__ = ["interpretable", "verify"]


def __getattr__(name: str) -> Any:
    if name == "verify":
        from kernel_lab.verify.verdict import verify

        return verify
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
