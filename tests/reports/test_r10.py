"""R10: a masked copy compiled with no GPU loads as wide as for a real tensor, and says what it assumes (triton#4834)."""

from __future__ import annotations

import pytest

import kernel_lab
from tests.notebook import IMPORTS, Notebook

CELL = (
    IMPORTS
    + """
@triton.jit
def kernel(x_ptr, o_ptr, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)

def copy(x):
    o = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 1024),)](x, o, x.numel(), B=1024)
    return o
"""
)


def test_r10_vector_loads_and_the_assumption(notebook: Notebook) -> None:
    ran = notebook.triton('copy --inputs "x: f32[n]" --sizes "n=98432" --ref torch.clone --no-verify', CELL).fine()
    kernel = notebook.report.kernels[0]
    assert "ld.global.v4.b32" in kernel.stages["ptx"].text and "st.global.v4.b32" in kernel.stages["ptx"].text
    assert any("x_ptr" in note and "aligned to 16 bytes" in note for note in kernel.notes)
    assert "aligned to 16 bytes" in ran.displays[0]["text/html"]


def test_r10_a_size_that_is_not_divisible_is_not_assumed_to_be(notebook: Notebook) -> None:
    notebook.triton('copy --inputs "x: f32[n]" --sizes "n=98433" --ref torch.clone --no-verify', CELL).fine()
    kernel = notebook.report.kernels[0]
    assert "ld.global.v4.b32" not in kernel.stages["ptx"].text
    assert not any("n divisible" in note or ", n " in note for note in kernel.notes)


def test_r10_a_view_that_is_not_aligned_is_not_assumed_to_be(notebook: Notebook) -> None:
    notebook.triton('copy --make-inputs "lambda n: torch.ones(n + 1)[1:]" --sizes "n=1024" --no-verify', CELL).fine()
    assert "ld.global.v4.b32" not in notebook.report.kernels[0].stages["ptx"].text


def test_r10_from_a_signature(triton_workers: None) -> None:
    pytest.importorskip("triton")
    from tests import kernels

    report = kernel_lab.compile(
        kernels.add_kernel,
        signature={"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"},
        const={"BLOCK": 1024},
        target="sm_90",
    )
    assert "ld.global.v4.b32" in report.kernels[0].stages["ptx"].text
    assert any("aligned to 16 bytes" in note for note in report.kernels[0].notes)
