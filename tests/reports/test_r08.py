"""R8: `@triton.autotune` with no GPU: each configuration compiled, one run in the interpreter and named (pytorch#161914)."""

from __future__ import annotations

from tests.notebook import IMPORTS, Notebook

CELL = (
    IMPORTS
    + """
@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 128}, num_warps=4),
        triton.Config({"BLOCK": 256}, num_warps=8),
        triton.Config({"BLOCK": 512}, num_stages=2),
    ],
    key=["n"],
)
@triton.jit
def kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)

def f(x):
    o = torch.empty_like(x)
    kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, o, x.numel())
    return o
"""
)


def test_r08_each_configuration_is_compiled_and_the_one_that_ran_is_named(notebook: Notebook) -> None:
    notebook.triton('f --inputs "x: f32[n]" --sizes "n=1000" --ref "lambda x: 2 * x"', CELL).fine()
    report = notebook.report
    assert [kernel.configuration["BLOCK"] for kernel in report.kernels] == [128, 256, 512]
    assert report.verdict.passed is True
    assert any("kernel" in note and "BLOCK=128" in note for note in report.verdict.notes), report.verdict.notes


def test_r08_a_call_runs(notebook: Notebook) -> None:
    notebook.triton("", CELL).fine()
    assert notebook.run("f(torch.ones(300)).sum().item()").fine().value == 600.0


def test_r08_a_call_from_an_ordinary_cell_and_a_direct_launch(notebook: Notebook) -> None:
    notebook.run(CELL).fine()
    assert notebook.run("f(torch.ones(300)).sum().item()").fine().value == 600.0
    ran = notebook.run("x, o = torch.ones(10), torch.zeros(10)\nkernel[lambda m: (1,)](x, o, 10)\no.sum().item()").fine()
    assert ran.value == 20.0
