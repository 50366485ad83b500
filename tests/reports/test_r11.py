"""R11: a kernel that needs more shared memory than its target has is said to, with both numbers (triton#8182)."""

from __future__ import annotations

import pytest

from kernel_lab.errors import KernelLabError
from tests.notebook import Notebook
from tests.reports.gemm import gemm

LINE = 'matmul --inputs "a: f16[M, K], b: f16[K, N]" --sizes "M=256, N=256, K=1024" --no-verify --target {}'


@pytest.mark.parametrize(
    ("target", "limit"), [("sm_80", "166,912"), ("sm_86", "101,376"), ("sm_89", "101,376"), ("sm_90", "232,448"), ("gfx942", "65,536")]
)
def test_r11_needed_against_allowed(notebook: Notebook, target: str, limit: str) -> None:
    ran = notebook.triton(LINE.format(target), gemm(256, 256, 128))
    if ran.error is not None:
        assert isinstance(ran.error, KernelLabError)
        text = ran.message
    else:
        (finding,) = [item for item in notebook.report.warnings if item.code == "over-limit"]
        text = finding.text
        assert finding.cell_line is not None
        assert text in ran.displays[0]["text/plain"] and limit in ran.displays[0]["text/html"]
    assert limit in text and target in text and "shared memory" in text
    if target == "sm_80":
        assert "393,216" in text


def test_r11_what_fits_is_not_warned_of(notebook: Notebook) -> None:
    notebook.triton(LINE.format("sm_90"), gemm(128, 128, 64, stages=3)).fine()
    assert not [item for item in notebook.report.warnings if item.code == "over-limit"]
    assert notebook.report.kernels[0].resources.shared_bytes <= 232_448


def test_r11_among_configurations_the_one_too_large_is_rejected(notebook: Notebook) -> None:
    cell = gemm(128, 128, 64).replace(
        "@triton.jit",
        '@triton.autotune([triton.Config({"BK": 64}, num_stages=2), triton.Config({"BK": 128}, num_stages=8)], key=["M"])\n@triton.jit',
        1,
    )
    cell = cell.replace(", BK=64, num_stages=4, num_warps=8)", ")")
    notebook.triton(LINE.format("sm_80"), cell).fine()
    report = notebook.report
    assert [kernel.configuration["BK"] for kernel in report.kernels if kernel.launches] == [64]
    (rejected,) = report.rejected
    assert rejected.configuration["BK"] == 128 and "166,912" in rejected.reason
