"""Sizes that an interpreter on a CPU can bear, and that still meet a kernel's masks, tails and alignments.

Knows only integers; imports nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

ALIGNMENT = 128
"""Residues modulo this power of two are kept: they decide on masks, tails and vector widths."""
SMALLEST = 2 * ALIGNMENT
"""No size is shrunk below about this many elements (one whole block and a residue)."""


def interpretable(sizes: Mapping[str, int], limit: int = 2**24) -> tuple[dict[str, int], bool]:
    """Shrink ``sizes`` until their product is at most ``limit``, the largest first; returns them and whether any changed.

    Each size keeps its residue modulo 128, so what divided it by a power of two up to 128 still does, and a tail of 37 stays
    a tail of 37. Sizes below 256 stay as they are, so the product may remain above ``limit``. Zeros and ones stay.
    """
    shrunk = dict(sizes)
    while prod(shrunk.values()) > limit:
        candidates = {name: smaller for name, size in shrunk.items() if (smaller := _halve(size)) < size}
        if not candidates:
            break
        largest = max(candidates, key=lambda name: shrunk[name])
        shrunk[largest] = candidates[largest]
    return shrunk, shrunk != dict(sizes)


def _halve(size: int) -> int:
    """About half of ``size`` with the same residue modulo 128; at least one whole block, or two where there is no residue."""
    blocks, residue = divmod(size, ALIGNMENT)
    fewest = 1 if residue else SMALLEST // ALIGNMENT
    return size if blocks <= fewest else max(blocks // 2, fewest) * ALIGNMENT + residue
