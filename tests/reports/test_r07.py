"""R7: with no GPU a launch runs, a warmup compiles, and a time is refused in plain words (triton#4219)."""

from __future__ import annotations

import pytest

from kernel_lab.errors import NoGpu
from kernel_lab.targets import machine
from tests.notebook import ADD, IMPORTS, Notebook

pytestmark = pytest.mark.skipif(machine.here() is not None, reason="there is a GPU")


@pytest.mark.parametrize("cell", ["magic", "ordinary"])
def test_r07_launch_warmup_and_timing(notebook: Notebook, cell: str) -> None:
    (notebook.triton("", IMPORTS + ADD) if cell == "magic" else notebook.run(IMPORTS + ADD)).fine()
    ran = notebook.run("x, o = torch.ones(64), torch.zeros(64)\nadd_kernel[(1,)](x, x, o, 64, BLOCK=64)\no.tolist()").fine()
    assert ran.value == [2.0] * 64
    ran = notebook.run('k = add_kernel.warmup(x, x, o, 64, BLOCK=64, grid=(1,))\n"ptx" in k.asm').fine()
    assert ran.value is True
    ran = notebook.run("triton.testing.do_bench(lambda: add(x, x))")
    assert isinstance(ran.error, NoGpu)
    for text in (ran.message, notebook.run("add(x, x)").fine().text):
        assert "active drivers" not in text


def test_r07_timing_in_a_kernel_cell(notebook: Notebook) -> None:
    ran = notebook.triton("", IMPORTS + ADD + "\nms = triton.testing.do_bench(lambda: add(torch.ones(4), torch.ones(4)))\n")
    assert isinstance(ran.error, NoGpu) and "needs a GPU" in ran.message
    assert ran.error.cell_line is not None
