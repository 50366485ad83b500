"""R44: what a kernel prints is shown in the cell, once, and capped (triton#5330)."""

from __future__ import annotations

from tests.notebook import IMPORTS, Notebook

CELL = (
    IMPORTS
    + """
@triton.jit
def kernel(x_ptr, o_ptr, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + at)
    tl.device_print("loaded", x)
    tl.store(o_ptr + at, x)

def f(x):
    o = torch.empty_like(x)
    kernel[(x.numel() // 16,)](x, o, B=16)
    return o
"""
)


def test_r44_in_a_kernel_cell(notebook: Notebook) -> None:
    ran = notebook.triton('f --inputs "x: f32[n]" --sizes "n=16" --ref torch.clone', CELL).fine()
    assert "loaded" in ran.stdout
    assert "loaded" in notebook.report.printed


def test_r44_in_a_call(notebook: Notebook) -> None:
    notebook.triton("", CELL).fine()
    ran = notebook.run("y = f(torch.full((16,), 1234.0))").fine()
    assert "loaded" in ran.stdout and "1234" in ran.stdout


def test_r44_capped(notebook: Notebook) -> None:
    ran = notebook.triton('f --inputs "x: f32[n]" --sizes "n=65536" --ref torch.clone', CELL).fine()
    assert len(ran.stdout) < 100_000 and "more bytes were printed" in ran.stdout
    notebook.triton("", CELL).fine()
    ran = notebook.run("y = f(torch.ones(65536))").fine()
    assert len(ran.stdout) < 100_000 and "more bytes were printed" in ran.stdout


def test_r44_print_and_static_print(notebook: Notebook) -> None:
    notebook.triton(
        'f --inputs "x: f32[n]" --sizes "n=16" --ref torch.clone', CELL.replace('tl.device_print("loaded", x)', 'print("loaded", x)')
    ).fine()
    assert "loaded" in notebook.report.printed
    ran = notebook.triton(
        'f --inputs "x: f32[n]" --sizes "n=16" --ref torch.clone',
        CELL.replace('tl.device_print("loaded", x)', 'tl.static_print("block", B)'),
    ).fine()
    assert "block" in ran.stdout
