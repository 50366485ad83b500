"""R6: bf16 is computed rightly without a GPU (triton#4972, #11584)."""

from __future__ import annotations

import pytest

from kernel_lab.errors import VerificationFailed
from tests.notebook import IMPORTS, Notebook

ELEMENTWISE = (
    IMPORTS
    + """
@triton.jit
def kernel(x_ptr, o_ptr, n, B: tl.constexpr):
    at = tl.arange(0, B)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(o_ptr + at, EXPR, mask=at < n)

def f(x):
    o = torch.empty_like(x)
    kernel[(1,)](x, o, x.numel(), B=64)
    return o
"""
)
REDUCE = (
    IMPORTS
    + """
@triton.jit
def kernel(x_ptr, o_ptr, B: tl.constexpr):
    tl.store(o_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, B))))

def f(x):
    o = torch.empty((), dtype=x.dtype)
    kernel[(1,)](x, o, B=16)
    return o
"""
)
DOT = (
    IMPORTS
    + """
@triton.jit
def kernel(a_ptr, b_ptr, o_ptr, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    o = tl.dot(tl.load(a_ptr + i * N + j), tl.load(b_ptr + i * N + j))
    tl.store(o_ptr + i * N + j, o)

def f(a, b):
    o = torch.empty(a.shape, dtype=torch.float32)
    kernel[(1,)](a, b, o, N=16)
    return o
"""
)


@pytest.mark.parametrize(
    ("expression", "reference"),
    [("x + 1", "x + 1"), ("x * 3", "x * 3"), ("-x", "-x"), ("tl.maximum(x, 0.5)", "torch.maximum(x, torch.tensor(0.5, dtype=x.dtype))"),
     ("tl.where(x > 0, x, -x)", "x.abs()"), ("x.to(tl.float32).to(tl.bfloat16)", "x")],
)  # fmt: skip
def test_r06_elementwise(notebook: Notebook, expression: str, reference: str) -> None:
    notebook.triton(f'f --inputs "x: bf16[n]" --sizes "n=64" --ref "lambda x: {reference}"', ELEMENTWISE.replace("EXPR", expression)).fine()
    assert notebook.report.verdict.passed is True


def test_r06_the_reported_values(notebook: Notebook) -> None:
    notebook.triton("", ELEMENTWISE.replace("EXPR", "x + 1")).fine()
    assert notebook.run("f(torch.tensor([1., 2, 3, 4], dtype=torch.bfloat16)).tolist()").fine().value == [2, 3, 4, 5]
    notebook.triton("", REDUCE).fine()
    assert notebook.run("f(torch.ones(16, dtype=torch.bfloat16)).item()").fine().value == 16
    notebook.triton("", DOT).fine()
    ran = notebook.run(
        "a = torch.randint(-8, 8, (16, 16)).bfloat16()\nb = torch.randint(-8, 8, (16, 16)).bfloat16()\n"
        "bool(torch.equal(f(a, b), a.float() @ b.float()))"
    )
    assert ran.fine().value is True


def test_r06_a_wrong_bf16_kernel_is_still_wrong(notebook: Notebook) -> None:
    ran = notebook.triton('f --inputs "x: bf16[n]" --sizes "n=64" --ref "lambda x: x + 1"', ELEMENTWISE.replace("EXPR", "x + 2"))
    assert isinstance(ran.error, VerificationFailed)


def test_r06_a_dot_and_a_sum_are_verified(notebook: Notebook) -> None:
    notebook.triton('f --inputs "a: bf16[16, 16], b: bf16[16, 16]" --ref "lambda a, b: a.float() @ b.float()"', DOT).fine()
    assert notebook.report.verdict.passed is True
    in_float32 = REDUCE.replace("tl.load(x_ptr + tl.arange(0, B))", "tl.load(x_ptr + tl.arange(0, B)).to(tl.float32)")
    notebook.triton('f --inputs "x: bf16[16]" --ref torch.sum', in_float32).fine()
    assert notebook.report.verdict.passed is True
