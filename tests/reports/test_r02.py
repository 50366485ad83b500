"""R2: a `tl.constexpr` global that changes is the one it is now, or an error names it (triton#7322)."""

from __future__ import annotations

import pytest

from kernel_lab.errors import VerificationFailed
from tests.notebook import IMPORTS, Notebook

CELL = """
@triton.jit
def kernel(o_ptr, B: tl.constexpr):
    tl.store(o_ptr + tl.arange(0, B), tl.full([B], VAL, tl.int32))

def f(x):
    o = torch.empty(16, dtype=torch.int32)
    kernel[(1,)](o, B=16)
    return o
"""


def line(value: int) -> str:
    return f'f --inputs "x: f32[n]" --sizes "n=4" --ref "lambda x: torch.full((16,), {value}, dtype=torch.int32)"'


@pytest.mark.parametrize("wrap", ["tl.constexpr({})", "({},)"], ids=["constexpr", "tuple"])
def test_r02_a_changed_global_of_another_cell(notebook: Notebook, wrap: str) -> None:
    cell = CELL if wrap.startswith("tl") else CELL.replace("VAL", "VAL[0]")
    notebook.run(IMPORTS + f"VAL = {wrap.format(123)}").fine()
    first = notebook.triton(line(123), cell)
    if wrap.startswith("("):
        assert "VAL" in first.message  # refused, naming it
        return
    first.fine()
    notebook.run(f"VAL = {wrap.format(7)}").fine()
    notebook.triton(line(7), cell).fine()
    assert isinstance(notebook.triton(line(123), cell).error, VerificationFailed)


def test_r02_a_changed_global_in_the_same_cell(notebook: Notebook) -> None:
    for value in (123, 7):
        notebook.triton(line(value), IMPORTS + f"VAL = tl.constexpr({value})\n" + CELL).fine()


def test_r02_calls_see_the_change_too(notebook: Notebook) -> None:
    notebook.run(IMPORTS + "VAL = tl.constexpr(123)").fine()
    notebook.triton("", CELL).fine()
    assert notebook.run("f(torch.ones(1))[0].item()").fine().value == 123
    notebook.run("VAL = tl.constexpr(7)").fine()
    assert notebook.run("f(torch.ones(1))[0].item()").fine().value == 7


def test_r02_a_helper_kernel_that_changes(notebook: Notebook) -> None:
    cell = CELL.replace("VAL, tl.int32)", "value(), tl.int32)")
    for value in (3, 4):
        notebook.triton("", IMPORTS + f"@triton.jit\ndef value():\n    return {value}\n").fine()
        notebook.triton(line(value), cell).fine()
