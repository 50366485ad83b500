"""What the corrected interpreter computes: rounding, conversions, reductions, dots, integers, as a GPU has them.

Each ``check_*`` function asserts something. Run as a program, by `test_interpreter.py` and in a process of its own, since
TRITON_INTERPRET must be set before Triton is imported.
"""

# Annotations stay objects here: the kernels below are read by Triton's own rewriting.
import math

import torch
import triton
import triton.language as tl

from kernel_lab.errors import NotRunnable
from tests.languages.triton.interpreter.checking import fails, main, run


def bf16(*values):
    return torch.tensor(values, dtype=torch.bfloat16)


def check_bf16_add():
    assert run("add1", bf16(1, 2, 3, 4)).tolist() == [2, 3, 4, 5]


def check_bf16_unary_and_chain():
    x = torch.randn(64).bfloat16()
    assert torch.equal(run("neg", x), -x)
    assert torch.equal(run("abs", x), x.abs())
    expected = (torch.maximum(x * x - x, x).float() / 3).bfloat16()
    assert torch.equal(run("chain", x), expected)
    assert run("positive", x).tolist() == (x > 0).bfloat16().tolist()


def check_float32_to_bf16_rounds_to_nearest_even():
    x = torch.cat([torch.randn(62), torch.tensor([math.nan, math.inf])])
    got = run("copy", x, torch.bfloat16)
    assert torch.equal(got.nan_to_num(7, 8), x.bfloat16().nan_to_num(7, 8))
    assert torch.equal(run("copy", got, torch.float32).nan_to_num(7, 8), x.bfloat16().float().nan_to_num(7, 8))


def check_bf16_and_integers():
    i = torch.arange(-128, 128, dtype=torch.int32) * 3
    assert torch.equal(run("copy", i, torch.bfloat16), i.bfloat16())
    assert torch.equal(run("copy", i.bfloat16(), torch.int32), i.bfloat16().int())
    h = torch.randn(64).half()
    assert torch.equal(run("copy", h, torch.bfloat16), h.bfloat16())
    assert torch.equal(run("copy", h.bfloat16(), torch.float16), h.bfloat16().half())
    d = torch.randn(64).double()
    assert torch.equal(run("copy", d, torch.bfloat16), d.float().bfloat16())


@triton.jit
def reduce(x, o, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    if OP == "sum":
        r = tl.sum(v, axis=1)
    elif OP == "max":
        r = tl.max(v, axis=1)
    elif OP == "argmax":
        r = tl.argmax(v, axis=1)
    elif OP == "cumsum":
        r = tl.sum(tl.where(tl.arange(0, N)[None, :] == N - 1, tl.cumsum(v, axis=1), 0), axis=1)
    elif OP == "custom":
        r = tl.reduce(v, 1, subtract_pairs)
    elif OP == "branching":
        r = tl.reduce(v, 1, larger)
    tl.store(o + tl.arange(0, M), r)


@triton.jit
def subtract_pairs(a, b):
    return 2 * a + b - a


@triton.jit
def larger(a, b):
    return a if a > b else b


def reduced(op, x, out=None):
    o = torch.empty(x.shape[0], dtype=out or x.dtype)
    reduce[(1,)](x, o, op, *x.shape)
    return o


def check_bf16_sum():
    assert reduced("sum", torch.ones(2, 16).bfloat16()).tolist() == [16, 16]
    # 256 + 1 is not representable: each step rounds, so a tree of ones counts exactly and a running sum would not
    assert reduced("sum", torch.ones(2, 512).bfloat16()).tolist() == [512, 512]


def check_bf16_reductions():
    x = torch.randn(4, 64).bfloat16()
    assert torch.equal(reduced("max", x), x.max(1).values)
    assert torch.equal(reduced("argmax", x, torch.int32), x.float().argmax(1).int())
    assert reduced("cumsum", torch.ones(2, 16).bfloat16()).tolist() == [16, 16]
    assert torch.equal(reduced("branching", x), x.max(1).values)
    assert reduced("custom", torch.ones(2, 16).bfloat16()).tolist() == [16, 16]


def check_half_sum_rounds_at_each_step():
    x = torch.randn(16, 1024).half()
    tree = x
    while tree.shape[1] > 1:
        tree = tree[:, : tree.shape[1] // 2] + tree[:, tree.shape[1] // 2 :]
    assert torch.equal(reduced("sum", x), tree[:, 0])


def check_nan_is_dropped_by_max():
    x = torch.tensor([[1.0, math.nan, 3.0, 2.0], [math.nan] * 4])
    out = reduced("max", x).tolist()
    assert out[0] == 3 and math.isnan(out[1])
    assert reduced("argmax", x, torch.int32).tolist()[0] == 2
    assert run("clamp", torch.tensor([math.nan, 5.0])).tolist() == [-1, 1]


@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, P: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    tl.store(c + m[:, None] * N + n[None, :], tl.dot(x, y, input_precision=P).to(c.dtype.element_ty))


def multiplied(a, b, out, precision="tf32"):
    c = torch.empty(a.shape[0], b.shape[1], dtype=out)
    product[(1,)](a, b, c, a.shape[0], b.shape[1], a.shape[1], precision)
    return c


def check_dots():
    a, b = torch.randint(-4, 5, (16, 16)), torch.randint(-4, 5, (16, 16))
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        assert torch.equal(multiplied(a.to(dtype), b.to(dtype), torch.float32), (a @ b).float())
    assert torch.equal(multiplied(a.bfloat16(), b.bfloat16(), torch.bfloat16), (a @ b).bfloat16())
    a, b = torch.randint(-128, 128, (16, 32)), torch.randint(-128, 128, (32, 16))
    assert torch.equal(multiplied(a.to(torch.int8), b.to(torch.int8), torch.int32), (a @ b).int())
    a8, b8 = torch.randn(16, 32).to(torch.float8_e5m2), torch.randn(32, 16).to(torch.float8_e5m2)
    assert torch.allclose(multiplied(a8, b8, torch.float32), a8.float() @ b8.float(), rtol=1e-6, atol=1e-6)


def check_tf32_rounds_operands():
    a, b = torch.randn(16, 16), torch.eye(16)
    ieee, tf32 = multiplied(a, b, torch.float32, "ieee"), multiplied(a, b, torch.float32)
    assert torch.equal(ieee, a)
    assert not torch.equal(tf32, a) and ((tf32 - a).abs() <= a.abs() * 2**-11).all()


def check_float8_conversions():
    x = torch.cat([torch.randn(60) * 4, torch.tensor([0.0, -0.0, 2.0**-9, math.nan])])
    for dtype in (torch.float8_e5m2, torch.float8_e4m3fn):
        for source in (torch.float32, torch.float16, torch.bfloat16):
            want = x.to(source).to(dtype)
            got = run("copy", x.to(source), dtype)
            assert torch.equal(got.view(torch.uint8)[:63], want.view(torch.uint8)[:63])
            assert got.float()[63].isnan()
        codes = torch.arange(256, dtype=torch.int32).to(torch.uint8).view(dtype)
        back = run("copy", codes, torch.float32)
        assert torch.equal(back.nan_to_num(1e9), codes.float().nan_to_num(1e9))
    big = torch.tensor([1e6, -1e6, math.inf, 449.0])
    assert run("copy", big, torch.float8_e4m3fn).float().tolist() == [448, -448, 448, 448]
    assert run("copy", big, torch.float8_e5m2).float().tolist()[:3] == [57344, -57344, 57344]


def check_float_to_integer_saturates():
    # The expected values were read on an H200 (Triton 3.6).
    x = torch.tensor([3e9, -3e9, math.nan, 1.5, -1.5, 300.0, -300.0, 1e20])
    assert run("copy", x, torch.int32).tolist() == [2147483647, -2147483648, 0, 1, -1, 300, -300, 2147483647]
    assert run("copy", x, torch.int8).tolist() == [-1, 0, 0, 1, -1, 44, -44, -1]
    assert run("copy", x, torch.uint8).tolist() == [255, 0, 0, 1, 0, 44, 0, 255]
    assert run("copy", x, torch.int64).tolist() == [3000000000, -3000000000, -(2**63), 1, -1, 300, -300, 2**63 - 1]


def check_float8_as_on_a_gpu():
    # Codes read on an H200 (Triton 3.6), the same from float32, float16 and bfloat16.
    x = torch.tensor([1e6, -1e6, math.inf, math.nan, 449, 464, 465, 57344, 61440, 65504, -0.0, 2**-10, 3 * 2**-10, 2**-17, -(2**-17), 300])
    e5m2 = [123, 251, 123, 127, 95, 95, 95, 123, 123, 123, 128, 20, 26, 0, 128, 93]
    e4m3 = [126, 254, 126, 127, 126, 126, 126, 126, 126, 126, 128, 0, 2, 0, 128, 121]
    for source in (torch.float32, torch.float16, torch.bfloat16):
        assert run("copy", x.to(source), torch.float8_e5m2).view(torch.uint8).tolist() == e5m2
        assert run("copy", x.to(source), torch.float8_e4m3fn).view(torch.uint8).tolist() == e4m3


def check_integers_as_on_a_gpu():
    assert run("wrap", torch.tensor([1, 0], dtype=torch.int32)).tolist() == [-(2**31), 2**31 - 1]
    assert run("divide", torch.tensor([-7, 7], dtype=torch.int32)).tolist() == [-3, 3]
    assert run("remainder", torch.tensor([-7, 7], dtype=torch.int32)).tolist() == [-1, 1]
    assert run("double", torch.tensor([True, False])).tolist() == [False, False]
    big = torch.full((1, 4), 2**30, dtype=torch.int32)
    assert reduced("sum", big).tolist() == [0]


@triton.jit
def counts(x, o, N: tl.constexpr, BINS: tl.constexpr):
    tl.store(o + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, N)), BINS))


def check_histogram_of_int8():
    x = torch.tensor([1] * 500 + [2] * 12, dtype=torch.int8)
    o = torch.empty(4, dtype=torch.int32)
    try:
        counts[(1,)](x, o, 512, 4)
    except triton.runtime.errors.InterpreterError as error:
        assert "32-bit" in str(error)  # newer Tritons refuse it, compiled or interpreted
        counts[(1,)](x.int(), o, 512, 4)
    assert o.tolist() == [0, 500, 12, 0]
    counts[(1,)](torch.tensor([-1, 4, 3, 0], dtype=torch.int32), o, 4, 4)
    assert o.tolist() == [1, 0, 0, 1]


@triton.jit
def accumulate(x, o, N: tl.constexpr):
    tl.atomic_add(o + tl.arange(0, N) % 2, tl.load(x + tl.arange(0, N)))


def check_bf16_atomic_add():
    o = bf16(0, 0)
    accumulate[(3,)](torch.ones(8).bfloat16(), o, 8)
    assert o.tolist() == [12, 12]


def check_libdevice():
    x = torch.rand(16)
    assert torch.allclose(run("asin", x), x.asin(), rtol=1e-6)
    assert torch.allclose(run("pow", x), x.pow(x), rtol=1e-6)
    assert torch.allclose(run("lgamma", x), x.lgamma(), rtol=1e-5)
    assert run("asin", x.double()).dtype == torch.float64
    assert fails(NotRunnable, lambda: run("tgamma", x)).what.startswith("not verified: external function __nv_tgammaf")


if __name__ == "__main__":
    main(globals())
