"""Shrunk sizes keep what masks, tails and vector widths depend on."""

from __future__ import annotations

import math

import pytest

from kernel_lab.verify.sizes import interpretable

LIMIT = 2**24


@pytest.mark.parametrize(
    "sizes",
    [{"n": 98432}, {"M": 64, "N": 781}, {"n": 0}, {"n": 1}, {}, {"M": 4096, "N": 4096}],
)
def test_small_problems_stay(sizes: dict[str, int]) -> None:
    assert interpretable(sizes) == (sizes, False)


@pytest.mark.parametrize(
    "sizes",
    [
        {"n": 2**28},
        {"n": 2**28 + 37},
        {"M": 8192, "N": 8192, "K": 8192},
        {"M": 4097, "N": 8192, "K": 129},
        {"B": 4, "H": 32, "N": 4096, "D": 64},
        {"M": 10**6, "N": 10**6 + 96},
    ],
)
def test_large_problems_shrink_and_keep_their_residues(sizes: dict[str, int]) -> None:
    shrunk, changed = interpretable(sizes)
    assert changed
    assert math.prod(shrunk.values()) <= LIMIT
    assert list(shrunk) == list(sizes)
    for name, size in sizes.items():
        assert shrunk[name] % 128 == size % 128
        assert shrunk[name] <= size
        assert shrunk[name] == size or shrunk[name] >= 129


def test_the_largest_goes_first() -> None:
    shrunk, _ = interpretable({"M": 2**20, "N": 256, "D": 64})
    assert (shrunk["N"], shrunk["D"]) == (256, 64)


def test_sizes_that_cannot_shrink_stay_above_the_limit() -> None:
    sizes = {name: 200 for name in "abcd"}
    shrunk, changed = interpretable(sizes, limit=1000)
    assert (shrunk == sizes and not changed) or all(size >= 129 for size in shrunk.values())


def test_does_not_change_its_argument() -> None:
    sizes = {"n": 2**30}
    interpretable(sizes)
    assert sizes == {"n": 2**30}
