"""Mistakes in a TileLang cell: each names its cell line, and what to do."""

from __future__ import annotations

import pytest

from kernel_lab.errors import CompileError, EntryError, OptionError

pytest.importorskip("tilelang")

SIZES = ({"M": 512, "N": 256, "K": 128},)

pytestmark = pytest.mark.usefixtures("without_nvcc")

MISTAKES = [
    ("C_l = T.alloc_fragment((block_M, block_N)", "C_l = T.alloc_fragments((block_M, block_N)", 12, "alloc_fragments"),
    ("T.gemm(A_s, B_s, C_l)", "T.gemm(A_s, missing, C_l)", 17, "missing"),
    ("T.gemm(A_s, B_s, C_l)", "T.gemm(A_s, A_s, C_l)", 17, ""),
]


@pytest.mark.parametrize(("old", "new", "line", "word"), MISTAKES)
def test_mistakes_in_a_kernel_name_the_cell_line(cells, old, new, line, word):
    with pytest.raises(CompileError) as caught:
        cells.lower(cells.gemm.replace(old, new), "matmul", sizes=SIZES)
    message = str(caught.value)
    assert caught.value.cell_line == line
    assert word in message and len(message.splitlines()) < 12
    assert "Traceback" not in message


def test_an_operation_that_the_target_lacks(cells):
    body = cells.bare.replace(", alpha: T.float32", "").replace("alpha * ", "")
    with pytest.raises(CompileError, match="Metal scalar atomic add supports int32") as caught:
        cells.lower(body, "update", "metal")
    assert caught.value.cell_line == 4
    assert "while update was lowered" in str(caught.value)


def test_missing_sizes_are_named(cells):
    with pytest.raises(OptionError, match="matmul needs values for N, K") as caught:
        cells.lower(cells.gemm, "matmul", sizes=({"M": 512, "n": 4},))
    assert "--sizes" in str(caught.value) and caught.value.cell_line == 5


def test_what_is_no_kernel_is_refused(cells):
    with pytest.raises(EntryError, match="a int, not a TileLang kernel"):
        cells.lower("value = 3", "value")
