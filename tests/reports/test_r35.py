"""R35: a dot without tensor cores is said, and the ceiling is that of the CUDA cores (triton#5557)."""

from __future__ import annotations

import pytest

from tests.notebook import Notebook
from tests.reports.gemm import gemm

LINE = 'matmul --inputs "a: f16[M, K], b: f16[K, N]" --sizes "M=128, N=128, K=4096" --no-verify --target {} '
LINE += '--ref torch.matmul --flops "2*M*N*K" --bytes "2*(M*K + K*N + M*N)"'


def test_r35_sm_75(notebook: Notebook) -> None:
    ran = notebook.triton(LINE.format("sm_75"), gemm(64, 64, 32, stages=2, warps=4)).fine()
    (finding,) = [item for item in notebook.report.warnings if item.code == "no-tensor-cores"]
    assert "no tensor cores used" in finding.text and "sm_75" in finding.text
    line = 2 + next(i for i, text in enumerate(gemm(64, 64, 32).strip().splitlines()) if "tl.dot" in text)
    assert finding.cell_line == line
    assert "no tensor cores used" in ran.displays[0]["text/plain"] and "no tensor cores used" in ran.displays[0]["text/html"]
    roofline = notebook.report.roofline
    assert "tensor" not in (roofline.peak_name or "").lower()


@pytest.mark.parametrize("target", ["sm_80", "sm_90", "gfx942"])
def test_r35_where_there_are_matrix_units_nothing_is_said(notebook: Notebook, target: str) -> None:
    notebook.triton(LINE.format(target), gemm(64, 64, 32, stages=2, warps=4)).fine()
    assert not [item for item in notebook.report.warnings if item.code == "no-tensor-cores"]


def test_r35_the_ceiling_is_lower_without_tensor_cores(notebook: Notebook) -> None:
    notebook.triton(LINE.format("T4"), gemm(64, 64, 32, stages=2, warps=4)).fine()
    slow = notebook.report.roofline.peak_flops
    assert slow is not None and slow < 20e12  # T4: 65 TFLOP/s with tensor cores
