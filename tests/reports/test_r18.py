"""R18: a plain global read in a kernel is answered with the exact line to write (FlagGems#118)."""

from __future__ import annotations

import pytest

from kernel_lab.errors import CompileError
from tests.notebook import IMPORTS, Notebook

CELL = """
@triton.jit
def kernel(o_ptr, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o_ptr + at, at * VAL)

def f(x):
    o = torch.empty(16)
    kernel[(1,)](o, B=16)
    return o
"""
LINE = 'f --inputs "x: f32[n]" --sizes "n=4" --ref "lambda x: x"'


@pytest.mark.parametrize(
    ("value", "fix"), [("123", "VAL = tl.constexpr(123)"), ("2.5", "VAL = tl.constexpr(2.5)"), ("True", "VAL = tl.constexpr(True)")]
)
@pytest.mark.parametrize("where", ["this cell", "another cell"])
def test_r18_the_fix_for_that_name(notebook: Notebook, value: str, fix: str, where: str) -> None:
    definition = f"VAL = {value}\n"
    if where == "another cell":
        notebook.run(IMPORTS + definition).fine()
        cell = IMPORTS + CELL
    else:
        cell = IMPORTS + definition + CELL
    ran = notebook.triton(LINE, cell)
    assert isinstance(ran.error, CompileError)
    assert fix in ran.message and len(ran.message.splitlines()) <= 6
    line = 2 + next(i for i, text in enumerate(cell.strip().splitlines()) if "at * VAL" in text)
    assert f"cell line {line}: tl.store(o_ptr + at, at * VAL)" in ran.message


def test_r18_the_fix_works(notebook: Notebook) -> None:
    notebook.triton(LINE + " --no-verify", IMPORTS + "VAL = tl.constexpr(123)\n" + CELL).fine()


def test_r18_a_value_that_cannot_be_a_constant(notebook: Notebook) -> None:
    ran = notebook.triton(LINE, IMPORTS + "VAL = [1, 2]\n" + CELL)
    assert isinstance(ran.error, CompileError) and "VAL" in ran.message and "cell line" in ran.message
