"""R14: our target names always work in TileLang, with no GPU (tilelang#1049)."""

from __future__ import annotations

import pytest

from kernel_lab.errors import TargetError
from tests.notebook import Notebook
from tests.reports.tile import GEMM, LINE


@pytest.fixture(autouse=True)
def tilelang(tile_workers: None) -> None:
    pytest.importorskip("tilelang")


@pytest.mark.parametrize(("name", "arch", "stage"), [("A100", "sm_80", "cuda"), ("MI300X", "gfx942", "hip"), (None, "sm_90", "cuda")])
def test_r14_names(notebook: Notebook, name: str | None, arch: str, stage: str) -> None:
    ran = notebook.tile(LINE + (f" --target {name}" if name else ""), GEMM).fine()
    report = notebook.report
    assert report.kernels[0].target.startswith(arch) and stage in report.kernels[0].stages
    assert report.verdict.passed is None and "compiled, not run" in ran.text


@pytest.mark.parametrize("name", ["auto", "cuda", "cuda -arch=sm_90a", "llvm"])
def test_r14_what_tilelang_itself_calls_a_target_is_answered_with_our_names(notebook: Notebook, name: str) -> None:
    ran = notebook.tile(f'{LINE} --target "{name}"', GEMM)
    if ran.error is None:
        assert notebook.report.kernels[0].target in ("sm_90", "sm_90a")
        return
    assert isinstance(ran.error, TargetError)
    assert "sm_90" in ran.message and len(ran.message.splitlines()) < 12
