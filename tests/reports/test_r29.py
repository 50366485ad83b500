"""R29: what must be a power of two, or large enough, is named with its value, and alike in both runs (triton#8898)."""

from __future__ import annotations

import pytest

from kernel_lab.errors import KernelLabError
from tests.notebook import IMPORTS, Notebook
from tests.reports.gemm import gemm

ARANGE = (
    IMPORTS
    + """
@triton.jit
def kernel(x_ptr, o_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(o_ptr + at, tl.load(x_ptr + at))

def f(x):
    o = torch.empty_like(x)
    kernel[(1,)](x, o, N=x.numel())
    return o
"""
)


def test_r29_arange(notebook: Notebook) -> None:
    ran = notebook.triton('f --inputs "x: f32[n]" --sizes "n=5" --ref torch.clone', ARANGE)
    assert isinstance(ran.error, KernelLabError)
    assert "power of 2" in ran.message and "N = 5" in ran.message and "cell line 7" in ran.message


def test_r29_a_literal_in_arange(notebook: Notebook) -> None:
    ran = notebook.triton('f --inputs "x: f32[n]" --sizes "n=5" --ref torch.clone', ARANGE.replace("tl.arange(0, N)", "tl.arange(0, 5)"))
    assert "power of 2" in ran.message and "5" in ran.message and "cell line 7" in ran.message


def test_r29_a_block_of_48(notebook: Notebook) -> None:
    ran = notebook.triton('matmul --inputs "a: f16[M, K], b: f16[K, N]" --sizes "M=64, N=64, K=96" --ref torch.matmul', gemm(64, 64, 48))
    assert isinstance(ran.error, KernelLabError)
    assert "power of 2" in ran.message and "BK = 48" in ran.message and "cell line" in ran.message


def test_r29_a_dot_whose_k_is_too_small(notebook: Notebook) -> None:
    ran = notebook.triton('matmul --inputs "a: f16[M, K], b: f16[K, N]" --sizes "M=64, N=64, K=64" --ref torch.matmul', gemm(64, 64, 8))
    assert isinstance(ran.error, KernelLabError)
    assert "tl.dot" in ran.message and "K" in ran.message and "16" in ran.message and "8" in ran.message


@pytest.mark.parametrize(("cell", "call"), [(ARANGE, "f(torch.ones(5))"),
                                            (gemm(64, 64, 48), "matmul(torch.ones(64, 96).half(), torch.ones(96, 64).half())"),
                                            (gemm(64, 64, 8), "matmul(torch.ones(64, 64).half(), torch.ones(64, 64).half())")])  # fmt: skip
def test_r29_the_interpreter_has_the_same_rule(notebook: Notebook, cell: str, call: str) -> None:
    notebook.triton("", cell).fine()
    ran = notebook.run(call)
    assert isinstance(ran.error, KernelLabError), repr(ran.error)
    assert "cell line" in ran.message
