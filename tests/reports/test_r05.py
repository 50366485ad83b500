"""R5: the interpreter works in a notebook that has long imported Triton (triton#5142)."""

from __future__ import annotations

import os
import sys

from tests.notebook import IMPORTS, Notebook

CELL = (
    IMPORTS
    + """
@triton.jit
def kernel(o_ptr):
    tl.store(o_ptr, tl.sum(tl.zeros([4], tl.float32) + 1))

def f(x):
    o = torch.empty(())
    kernel[(1,)](o)
    return o
"""
)


def test_r05_sum_after_triton_was_imported(notebook: Notebook) -> None:
    notebook.run("import triton").fine()
    assert "triton" in sys.modules and "TRITON_INTERPRET" not in os.environ
    notebook.triton('f --inputs "x: f32[n]" --sizes "n=4" --ref "lambda x: torch.tensor(4.0)"', CELL).fine()
    assert notebook.report.verdict.passed is True and notebook.report.verdict.ran_on == "interpreter"
    assert notebook.run("f(torch.ones(1)).item()").fine().value == 4.0


def test_r05_compiling_and_interpreting_side_by_side(notebook: Notebook) -> None:
    """The same cell is compiled in one process and interpreted in another."""
    notebook.triton('f --inputs "x: f32[n]" --sizes "n=4" --ref "lambda x: torch.tensor(4.0)" --target sm_80', CELL).fine()
    assert "ptx" in notebook.report.kernels[0].stages and notebook.report.verdict.passed is True
