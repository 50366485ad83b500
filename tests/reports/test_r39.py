"""R39: a tool that is missing is named with how to get it, and what can be shown without it still is (tilelang#2837)."""

from __future__ import annotations

import shutil

import pytest

from kernel_lab.ir import tools
from tests.notebook import Notebook
from tests.reports.tile import GEMM, LINE


def test_r39_no_hipcc(notebook: Notebook, tile_workers: None) -> None:
    pytest.importorskip("tilelang")
    if shutil.which("hipcc"):
        pytest.skip("hipcc is here")
    ran = notebook.tile(f"{LINE} --target gfx942", GEMM).fine()
    kernel = notebook.report.kernels[0]
    assert "__global__" in kernel.stages["hip"].text
    assert any("hipcc" in note and "install" in note for note in kernel.notes)
    assert "hipcc" in ran.displays[0]["text/html"]


@pytest.mark.parametrize("find", [tools.find_nvcc, tools.find_nvdisasm, tools.find_cuobjdump, tools.find_ptxas, tools.host_compiler])
def test_r39_every_tool_that_is_missing_says_how_to_get_it(find, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    for variable in ("CUDA_HOME", "CUDA_PATH", "CXX"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tools, "_package_folders", lambda package: [])
    standard = tools._is_program
    monkeypatch.setattr(tools, "_is_program", lambda path: str(path).startswith(str(tmp_path)) and standard(path))
    found = find()
    assert isinstance(found, tools.Missing) and found.how_to_get


def test_r39_without_nvdisasm_the_stages_up_to_ptx_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton")
    from kernel_lab.errors import MissingPackage
    from kernel_lab.ir import disassembly

    with pytest.raises(MissingPackage, match="nvdisasm is not installed"):
        disassembly.sass(b"\x7fELF", tools.Missing("nvdisasm", "pip install triton brings it"), ptx="", file="<cell f>")
