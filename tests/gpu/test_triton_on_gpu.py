"""Triton on the GPU of this machine: verified, measured, placed under its roof."""

from __future__ import annotations

import pytest
import torch

import kernel_lab
from kernel_lab.errors import GpuFault
from kernel_lab.targets import machine
from tests.gpu import kernels

ELEMENTWISE = {"inputs": "x: f32[n], y: f32[n]"}


def test_a_right_kernel_is_verified_on_the_gpu() -> None:
    report = kernel_lab.verify(kernels.add, torch.add, sizes="n=98432; n=1; n=1023", **ELEMENTWISE)
    assert report.verdict is not None and report.verdict.passed is True
    assert report.verdict.ran_on != "interpreter"
    assert len(report.verdict.cases) == 3


def test_a_missing_tail_is_found_on_the_gpu() -> None:
    report = kernel_lab.verify(kernels.add_without_tail, torch.add, sizes="n=98431", **ELEMENTWISE)
    assert report.verdict is not None and report.verdict.passed is False


@pytest.mark.parametrize("sizes", ["M=512, N=512, K=512", "M=300, N=129, K=77", "M=128, N=128, K=4096"])
def test_a_matmul_is_verified_on_the_gpu(sizes: str) -> None:
    report = kernel_lab.verify(kernels.matmul, torch.matmul, inputs="a: f16[M, K], b: f16[K, N]", sizes=sizes)
    assert report.verdict is not None and report.verdict.passed is True, report.verdict


def test_softmax_is_verified_on_the_gpu() -> None:
    report = kernel_lab.verify(kernels.softmax, softmax_reference, inputs="x: f32[M, N]", sizes="M=183, N=781")
    assert report.verdict is not None and report.verdict.passed is True, report.verdict


def softmax_reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, 1)


def test_a_measurement_has_its_spread_and_method() -> None:
    report = kernel_lab.measure(kernels.add, sizes="n=16777216", **ELEMENTWISE)
    found = report.measurement
    assert found is not None
    assert 0 < found.low_us <= found.time_us <= found.high_us
    assert found.runs >= 10 and found.cold_cache and found.method == "CUDA events"


def test_the_gpu_is_known_by_name() -> None:
    here = machine.here()
    assert here is not None and here.gpu and here.dram_bytes_per_s


def test_an_illegal_address_costs_a_worker_not_the_process() -> None:
    with pytest.raises(GpuFault, match="wild: illegal memory access"):
        kernel_lab.verify(kernels.wild, torch.clone, inputs="x: f32[n]", sizes="n=16")
    report = kernel_lab.verify(kernels.add, torch.add, sizes="n=4096", **ELEMENTWISE)
    assert report.verdict is not None and report.verdict.passed is True


def test_other_targets_still_compile_here() -> None:
    report = kernel_lab.compile(kernels.add, sizes="n=98432", target="gfx942", **ELEMENTWISE)
    assert "amdgcn" in report.kernels[0].stages
