"""R19: errors point at the user's line of the cell, counted as the cell counts (tritonparse#435)."""

from __future__ import annotations

import pytest

from kernel_lab.errors import KernelLabError
from tests.notebook import Notebook

LINE = '%%triton f --inputs "x: f32[n]" --sizes "n=4" --ref torch.neg'


def ran_at(notebook: Notebook, text: str) -> KernelLabError:
    ran = notebook.run(text)
    assert isinstance(ran.error, KernelLabError), repr(ran.error)
    assert "standard.py" not in ran.message
    return ran.error


def cell(*body: str) -> str:
    rest = ["", "def f(x):", "    o = torch.empty_like(x)", "    kernel[(1,)](x, o, x.numel(), B=16)", "    return o"]
    return "\n".join(
        [LINE, "import torch, triton, triton.language as tl", "@triton.jit", "def kernel(x_ptr, o_ptr, n, B: tl.constexpr):", *body, *rest]
    )


@pytest.mark.parametrize(
    "statement",
    [
        "    y = at + undefined",
        "    y = tl.cdiv(at, 'x')",
        "    y = tl.sum(at, axis=3)",
        "    y = tl.zeros([3], tl.float32)",
        "    y = tl.dot(at, at)",
        "    y = at @ at",
        "    y = tl.load(at)",
        "    y = tl.softmax(at, dim=7)",
        "    y = tl.nothing_here(at)",
        "    tl.static_assert(B == 17, 'B must be 17')",
        "    y = at + tl.arange(0, 32)",
        "    y = [i for i in at]",
    ],
)
def test_r19_the_line_of_the_statement(notebook: Notebook, statement: str) -> None:
    error = ran_at(notebook, cell("    # a comment", "    at = tl.arange(0, B)", statement, "    tl.store(o_ptr + at, at)"))
    assert error.cell_line == 7, error
    assert error.excerpt is not None and error.excerpt.strip() == statement.strip()


def test_r19_through_a_helper_the_users_innermost_line(notebook: Notebook) -> None:
    text = cell("    tl.store(o_ptr + tl.arange(0, B), helper(tl.arange(0, B)))").replace(
        "@triton.jit\ndef kernel", "@triton.jit\ndef helper(v):\n    return v + undefined\n@triton.jit\ndef kernel", 1
    )
    error = ran_at(notebook, text)
    assert error.cell_line == 5 and "undefined" in str(error)


def test_r19_a_failure_of_a_native_pass_or_of_ptxas_names_what_it_said(notebook: Notebook) -> None:
    asm = "    y = tl.inline_asm_elementwise('no.such.instruction $0, $1;', '=r,r', [at], dtype=tl.int32, is_pure=True, pack=1)"
    error = ran_at(notebook, cell("    at = tl.arange(0, B)", asm, "    tl.store(o_ptr + at, y)"))
    assert "no.such.instruction" in str(error) or "ptxas" in str(error)
    assert len(str(error).splitlines()) < 12


def test_r19_an_error_of_the_wrapper(notebook: Notebook) -> None:
    error = ran_at(notebook, cell("    at = tl.arange(0, B)", "    tl.store(o_ptr + at, at)").replace("x.numel()", "x.nummel()"))
    assert error.cell_line == 10 and "nummel" in str(error)


def test_r19_the_line_in_an_error_of_the_interpreter(notebook: Notebook) -> None:
    """What the compiler accepts and only running shows: an assertion on the device."""
    text = cell("    at = tl.arange(0, B)", "    tl.device_assert(n == 5, 'n is five')", "    tl.store(o_ptr + at, at)")
    ran = notebook.run(text)
    if isinstance(ran.error, KernelLabError) and "n is five" in ran.message:
        assert ran.error.cell_line == 6
