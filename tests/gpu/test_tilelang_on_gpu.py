"""TileLang on the GPU of this machine."""

from __future__ import annotations

import importlib.util

import pytest
import torch

import kernel_lab

pytestmark = pytest.mark.skipif(importlib.util.find_spec("tilelang") is None, reason="TileLang is not installed")


def matmul_reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b


@pytest.mark.parametrize("sizes", ["M=512, N=512, K=512", "M=128, N=256, K=1024"])
def test_a_matmul_is_verified_and_measured_on_the_gpu(sizes: str) -> None:
    from tests.gpu import tile_kernels

    report = kernel_lab.verify(tile_kernels.matmul, matmul_reference, sizes=sizes)
    assert report.verdict is not None and report.verdict.passed is True, report.verdict
    assert report.verdict.ran_on != "interpreter"
    assert kernel_lab.measure(tile_kernels.matmul, sizes=sizes).measurement is not None


SCALED = """
import tilelang, tilelang.language as T
SCALE = 4.0

@tilelang.jit(out_idx=[-1])
def scaled(n):
    @T.prim_func
    def kernel(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as block:
            for i in T.Parallel(128):
                B[block * 128 + i] = A[block * 128 + i] * SCALE

    return kernel
"""


def test_a_changed_global_is_seen_by_the_notebooks_own_call() -> None:
    from tests.notebook import Notebook

    notebook = Notebook()
    notebook.run(f"%%tile scaled --sizes n=256\n{SCALED}").fine()
    notebook.run("import torch\nx = torch.ones(256, device='cuda')\nbefore = scaled(256)(x)").fine()
    notebook.run("SCALE = 7.0\nafter = scaled(256)(x)").fine()
    assert notebook.names["before"][0].item() == 4.0
    assert notebook.names["after"][0].item() == 7.0


def test_a_wrong_matmul_is_found_on_the_gpu() -> None:
    from tests.gpu import tile_kernels

    report = kernel_lab.verify(tile_kernels.matmul_short_of_k, matmul_reference, sizes="M=128, N=128, K=256")
    assert report.verdict is not None and report.verdict.passed is False, report.verdict
