"""R33: launch grids in every form a user may write them; limits are named by axis (triton#3299, #7260)."""

from __future__ import annotations

import pytest

from kernel_lab.errors import CompileError
from tests.notebook import IMPORTS, Notebook

CELL = (
    IMPORTS
    + """
@triton.jit
def kernel(x_ptr, o_ptr, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)

def f(x):
    o = torch.zeros_like(x)
    kernel[GRID](x, o, x.numel(), B=16)
    return o
"""
)
LINE = 'f --inputs "x: f32[n]" --sizes "n=48" --ref torch.clone'


@pytest.mark.parametrize(
    "grid",
    [
        "(3,)",
        "[3]",
        "3",
        "(3, 1)",
        "(3, 1, 1)",
        "lambda meta: [3]",
        "lambda meta: 3",
        "torch.Size([3])",
        "(torch.tensor(3),)",
        "(3, 1, 1, )",
    ],
)
def test_r33_forms(notebook: Notebook, grid: str) -> None:
    notebook.triton(LINE, CELL.replace("GRID", grid)).fine()
    assert notebook.report.kernels[0].launches[0].grid == (3, 1, 1)
    assert notebook.report.verdict.passed is True


def test_r33_an_empty_grid_launches_nothing_and_is_said(notebook: Notebook) -> None:
    ran = notebook.triton(LINE + " --keep-going", CELL.replace("GRID", "(0,)")).fine()
    assert any(item.code == "empty-grid" for item in notebook.report.warnings)
    assert notebook.report.verdict.passed is False
    assert "no programs" in ran.text


@pytest.mark.parametrize(
    ("grid", "says"),
    [
        ("(1, 65536)", ["axis 1 (y)", "65536", "65535"]),
        ("(1, 1, 70000)", ["axis 2 (z)", "70000"]),
        ("(2**31,)", ["axis 0 (x)", "2147483647"]),
        ("(-1,)", ["axis 0 (x)", "negative"]),
        ("(1.5,)", ["axis 0 (x)", "not an integer"]),
        ("(48 / 16,)", ["axis 0 (x)", "triton.cdiv"]),
        ("()", ["0 axes"]),
        ("(1, 1, 1, 1)", ["4 axes"]),
        ("None", ["grid is None"]),
        ("lambda meta: (meta['BLOCK'],)", ["'BLOCK'"]),
    ],
)
def test_r33_mistakes(notebook: Notebook, grid: str, says: list[str]) -> None:
    ran = notebook.triton(LINE, CELL.replace("GRID", grid))
    assert isinstance(ran.error, CompileError), repr(ran.error)
    for words in says:
        assert words in ran.message, ran.message
    line = 2 + next(i for i, text in enumerate(CELL.strip().splitlines()) if "GRID" in text)
    assert f"cell line {line}" in ran.message


def test_r33_in_calls_too(notebook: Notebook) -> None:
    notebook.triton("", CELL.replace("GRID", "[3]")).fine()
    assert notebook.run("x = torch.ones(48)\nbool(torch.equal(f(x), x))").fine().value is True
    ran = notebook.run("kernel[(1, 65536)](x, x, 48, B=16)")
    assert "axis 1 (y)" in ran.message
