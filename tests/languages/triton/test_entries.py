"""Which names of a cell may be its entry, read from its text."""

from __future__ import annotations

import ast
import textwrap

import pytest

from kernel_lab.languages.triton import entries

KERNEL = "@triton.jit\ndef kernel(x_ptr, n, BLOCK: tl.constexpr):\n    pass\n"
CLASS = """
class F(torch.autograd.Function):
    def forward(c, x):
        kernel[(1,)](x)
    def backward(c, g):
        pass
norm = F.apply
"""


def found(body: str, **names: object) -> list[str]:
    return entries.entries(ast.parse(textwrap.dedent(body)), names)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (KERNEL + "def add(x):\n    kernel[(1,)](x, 1, BLOCK=2)\n", ["add"]),
        (KERNEL, ["kernel"]),
        (KERNEL + "def a(x):\n    kernel[(1,)](x)\ndef b(x):\n    return a(x)\n", ["b"]),
        (KERNEL + "def a(x):\n    kernel[(1,)](x)\ndef b(x):\n    kernel[(2,)](x)\n", ["a", "b"]),
        (KERNEL + "def f(x):\n    return x\n", ["kernel"]),
        (KERNEL + "def f(x):\n    def g():\n        kernel[(1,)](x)\n    g()\n", ["f"]),
        (KERNEL + "def f(x):\n    k = kernel.warmup(x, grid=(1,))\n", ["f"]),
        ("@triton.jit\ndef helper(a):\n    return a\n@triton.jit\ndef outer(x):\n    helper(x)\n", ["outer"]),
        ("@triton.autotune(configs=[], key=[])\n@triton.jit\ndef tuned(x):\n    pass\n", ["tuned"]),
        ("from triton import jit\n@jit\ndef k(x):\n    pass\n", ["k"]),
        ("x = 1\ndef f(): return x\n", []),
        (
            KERNEL + CLASS,
            ["norm"],
        ),
        (
            KERNEL
            + "def f(x):\n    kernel[(1,)](x)\n"
            + "@triton.testing.perf_report(triton.testing.Benchmark())\ndef benchmark(n):\n    return f(n)\n",
            ["f"],
        ),
        (KERNEL + "def f(x):\n    kernel[(1,)](x)\ndef test_f():\n    f(1)\n", ["f"]),
    ],
)
def test_entries(body: str, expected: list[str]) -> None:
    assert found(body) == expected


def test_a_recursive_wrapper_is_a_candidate() -> None:
    assert found(KERNEL + "def f(x, again=True):\n    kernel[(1,)](x)\n    return f(x, False) if again else x\n") == ["f"]
