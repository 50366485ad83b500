"""R1: kernels that no file holds compile, and their lines are those of the cell (ipython#13797, triton#5386)."""

from __future__ import annotations

import pytest

from tests.notebook import ADD, IMPORTS, Notebook

LINE = 'add --inputs "x: f32[n], y: f32[n]" --sizes "n=100" --ref torch.add'


def test_r01_a_kernel_of_a_magic_cell(notebook: Notebook) -> None:
    notebook.triton(LINE, IMPORTS + ADD).fine()
    kernel = notebook.report.kernels[0]
    line = 2 + next(i for i, text in enumerate((IMPORTS + ADD).strip().splitlines()) if "tl.store" in text)
    assert all(line in stage.line_map for stage in kernel.stages.values())


def test_r01_a_kernel_made_by_exec_in_a_cell(notebook: Notebook) -> None:
    cell = IMPORTS + f"CODE = '''{ADD}'''\nexec(CODE)\n"
    notebook.triton(LINE, cell).fine()
    report = notebook.report
    assert report.verdict.passed is True and "tl.store" in report.kernels[0].stages["source"].text
    assert notebook.run("add(torch.ones(3), torch.ones(3)).tolist()").fine().value == [2.0] * 3
    assert "exec" not in notebook.names


def test_r01_a_kernel_defined_in_a_function_or_a_branch(notebook: Notebook) -> None:
    cell = (
        IMPORTS
        + """
def make(by):
    @triton.jit
    def kernel(x_ptr, o_ptr, n, BY: tl.constexpr, B: tl.constexpr):
        at = tl.arange(0, B)
        tl.store(o_ptr + at, tl.load(x_ptr + at, mask=at < n) * BY, mask=at < n)
    def run(x):
        o = torch.empty_like(x)
        kernel[(1,)](x, o, x.numel(), BY=by, B=128)
        return o
    return run

if True:
    twice = make(2.0)

def f(x):
    return twice(x)
"""
    )
    notebook.triton('f --inputs "x: f32[n]" --sizes "n=100" --ref "lambda x: 2 * x"', cell).fine()
    assert notebook.report.verdict.passed is True
    assert 8 in notebook.report.kernels[0].stages["ptx"].line_map


def test_r01_a_kernel_of_an_ordinary_cell(notebook: Notebook) -> None:
    notebook.run(IMPORTS + ADD).fine()
    ran = notebook.run("z = add(torch.ones(10), torch.ones(10))\nz.tolist()").fine()
    assert ran.value == [2.0] * 10
    notebook.triton(LINE.replace("add ", "plus ", 1), "def plus(x, y):\n    return add(x, y)\n").fine()
    assert notebook.report.verdict.passed is True


def test_r01_a_tilelang_kernel(notebook: Notebook, tile_workers: None) -> None:
    pytest.importorskip("tilelang")
    notebook.tile(
        'scale --sizes "N=256"',
        """
        import tilelang
        import tilelang.language as T

        @tilelang.jit
        def scale(N):
            @T.prim_func
            def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
                with T.Kernel(T.ceildiv(N, 128), threads=128) as bx:
                    for i in T.Parallel(128):
                        B[bx * 128 + i] = A[bx * 128 + i] * 2.0
            return main
        """,
    ).fine()
    kernel = notebook.report.kernels[0]
    assert 11 in kernel.stages["tir"].line_map and 11 in kernel.stages["cuda"].line_map
