"""TileLang to PTX and SASS through the nvcc of this machine."""

from __future__ import annotations

import pytest

from kernel_lab.languages.tilelang import nvcc

pytest.importorskip("tilelang")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(nvcc.find_nvcc() is None, reason="no nvcc: pip install tilelang[nvcc]"),
    pytest.mark.skipif(nvcc.find_cxx() is None, reason="no C++ compiler"),
]


def test_a_gemm_to_sass_with_lines_and_registers(cells):
    (kernel,) = cells.lower(cells.gemm, "matmul", "sm_90", sizes=({"M": 512, "N": 512, "K": 256},)).kernels
    ptx, sass = kernel.stages["ptx"], kernel.stages["sass"]
    assert ".target sm_90a" in ptx.text
    assert "/tmp" not in ptx.text + sass.text
    matrix = {line for row, line in zip(ptx.text.splitlines(), ptx.line_map, strict=True) if "wgmma.mma_async" in row}
    assert matrix == {17}
    machine = {line for row, line in zip(sass.text.splitlines(), sass.line_map, strict=True) if "HGMMA" in row}
    assert machine == {17}
    stored = {line for row, line in zip(sass.text.splitlines(), sass.line_map, strict=True) if "STG" in row}
    assert stored == {18}
    costs = {cost.cell_line: cost.counts for cost in kernel.costs}
    assert kernel.costs_from == "sass" and {line for line, counts in costs.items() if "tensor" in counts} == {17}
    assert {line for line, counts in costs.items() for kind in counts if kind.startswith("global store")} == {18}
    assert kernel.resources.barriers
    assert kernel.resources.registers and kernel.resources.registers > 32
    assert kernel.resources.spill_bytes == 0
    assert kernel.resources.shared_bytes and kernel.resources.shared_bytes > 3 * (128 * 32 * 2) * 2


def test_nvccs_refusal_names_the_cell_line(cells):
    from kernel_lab.errors import CompileError

    body = """\
import tilelang, tilelang.language as T
@tilelang.jit(out_idx=[-1])
def broken(n):
    @T.prim_func
    def kernel(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=128) as bx:
            for i in T.Parallel(128):
                y[i] = T.call_extern("float32", "no_such_function", x[i])
    return kernel
"""
    with pytest.raises(CompileError, match="no_such_function") as caught:
        cells.lower(body, "broken", sizes=({"n": 128},))
    assert caught.value.cell_line == 9
