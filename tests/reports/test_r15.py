"""R15: a pipelined fp16 GEMM compiles for sm_90, sm_100 and sm_120: the "a" variants are chosen, and said (tilelang#797)."""

from __future__ import annotations

import pytest

from tests.notebook import Notebook
from tests.reports.tile import GEMM, LINE


@pytest.mark.parametrize("arch", ["sm_90", "sm_100", "sm_120"])
def test_r15_the_variant_is_chosen_and_said(notebook: Notebook, tile_workers: None, arch: str) -> None:
    pytest.importorskip("tilelang")
    ran = notebook.tile(f"{LINE} --target {arch}", GEMM).fine()
    kernel = notebook.report.kernels[0]
    assert "cuda" in kernel.stages
    assert any(f"{arch}a" in note for note in kernel.notes)
    assert f"{arch}a" in ran.displays[0]["text/html"]
    assert not any("error" in note for note in kernel.notes), kernel.notes
    from kernel_lab.ir import tools

    if isinstance(tools.find_nvcc(), tools.Tool) and isinstance(tools.host_compiler(), tools.Tool):
        assert f".target {arch}a" in kernel.stages["ptx"].text and "sass" in kernel.stages
