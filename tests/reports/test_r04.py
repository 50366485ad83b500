"""R4: a value that a TileLang factory captures is the one it has now (tilelang#2358)."""

from __future__ import annotations

import pytest

from tests.notebook import Notebook

CELL = """
@tilelang.jit
def scale(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
            for i in T.Parallel(128):
                B[bx * 128 + i] = A[bx * 128 + i] * SC
    return main
"""


@pytest.fixture(autouse=True)
def tilelang(tile_workers: None) -> None:
    pytest.importorskip("tilelang")


def test_r04_a_changed_global_of_another_cell(notebook: Notebook) -> None:
    notebook.names["SC"] = 4.0
    notebook.run("import tilelang\nimport tilelang.language as T").fine()
    notebook.tile('scale --sizes "N=256"', CELL).fine()
    assert "4.000000e+00" in notebook.report.kernels[0].stages["cuda"].text
    notebook.names["SC"] = 7.0
    notebook.tile('scale --sizes "N=256"', CELL).fine()
    text = notebook.report.kernels[0].stages["cuda"].text
    assert "7.000000e+00" in text and "4.000000e+00" not in text


def test_r04_a_changed_constant_in_the_same_cell(notebook: Notebook) -> None:
    for value in (4.0, 7.0):
        notebook.tile('scale --sizes "N=256"', f"import tilelang\nimport tilelang.language as T\nSC = {value}\n" + CELL).fine()
        assert f"{value:e}" in notebook.report.kernels[0].stages["cuda"].text
