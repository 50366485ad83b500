"""What may stand between a launch's brackets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernel_lab.errors import CompileError
from kernel_lab.languages.triton.grid import normalise
from kernel_lab.targets import Target

SM90 = Target("sm_90", "cuda")


@pytest.mark.parametrize(
    ("grid", "sizes"),
    [
        ([3], (3, 1, 1)),
        (3, (3, 1, 1)),
        (np.int64(3), (3, 1, 1)),
        ((2, 3), (2, 3, 1)),
        ((2, 3, 4), (2, 3, 4)),
        ((0,), (0, 1, 1)),
        (lambda meta: [meta["n"] // meta["BLOCK"], 2], (4, 2, 1)),
        (lambda meta: meta["n"], (16, 1, 1)),
        ((2**31 - 1,), (2**31 - 1, 1, 1)),
    ],
)
def test_accepted(grid: Any, sizes: tuple[int, int, int]) -> None:
    assert normalise(grid, {"n": 16, "BLOCK": 4}, SM90) == sizes


@pytest.mark.parametrize(
    ("grid", "what"),
    [
        ((1, 65536), "grid (1, 65536): axis 1 (y) is 65536, above the limit of 65535 on sm_90"),
        ((1, 1, 70000), "grid (1, 1, 70000): axis 2 (z) is 70000, above the limit of 65535 on sm_90"),
        ((1, -2), "grid (1, -2): axis 1 (y) is negative: -2"),
        ((1, 1, 1, 1), "grid has 4 axes: (1, 1, 1, 1)"),
        ((), "grid has 0 axes: ()"),
        ((2.5,), "grid: axis 0 (x) is 2.5, not an integer"),
        (None, "grid is None"),
        (lambda meta: None, "the grid function's result is None"),
        (lambda meta: (meta["BLOK"],), "the grid function asks for 'BLOK', which is no argument of the kernel"),
    ],
)
def test_refused(grid: Any, what: str) -> None:
    with pytest.raises(CompileError) as caught:
        normalise(grid, {"n": 16, "BLOCK": 4}, SM90)
    assert caught.value.what == what
    assert caught.value.hint
