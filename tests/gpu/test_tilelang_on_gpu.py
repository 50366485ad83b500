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


def test_a_wrong_matmul_is_found_on_the_gpu() -> None:
    from tests.gpu import tile_kernels

    report = kernel_lab.verify(tile_kernels.matmul_short_of_k, matmul_reference, sizes="M=128, N=128, K=256")
    assert report.verdict is not None and report.verdict.passed is False, report.verdict
