"""Kernels and checks that run where TRITON_INTERPRET=1: each ``check_*`` function asserts something of the interpreter.

Run as a program, it prints one JSON object: check → "" or what went wrong. `test_interpreter.py` runs it in a process of
its own, since the variable must be set before Triton is imported.
"""

# Annotations stay objects here: the kernels below are read by Triton's own rewriting.
import json
import linecache
import math
import sys
import traceback
import types

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

from kernel_lab.errors import CompileError, KernelLabError, NotRunnable, OutOfBounds
from kernel_lab.languages.triton import interpreter
from kernel_lab.results import Resources
from kernel_lab.targets import Target

SM90 = Target("sm_90", "cuda")
interpreter.install(SM90)
interpreter.install(SM90)  # a second call changes nothing


def cell(source: str) -> types.SimpleNamespace:
    """Execute ``source`` as a cell would be: under a cell's file name, line 1 being the magic line."""
    name = f"<cell test {abs(hash(source))}>"
    text = "\n" + source
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {"triton": triton, "tl": tl, "__name__": "cell"}
    exec(compile(text, name, "exec"), namespace)
    return types.SimpleNamespace(**namespace)


def fails(kind, call) -> KernelLabError:
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


@triton.jit
def unary(x, o, OP: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    if OP == "add1":
        r = v + 1
    elif OP == "neg":
        r = -v
    elif OP == "abs":
        r = tl.abs(v)
    elif OP == "double":
        r = v + v
    elif OP == "chain":
        r = tl.maximum(v * v - v, v) / 3
    elif OP == "exp":
        r = tl.exp(v.to(tl.float32))
    elif OP == "positive":
        r = (v > 0).to(o.dtype.element_ty)
    elif OP == "asin":
        r = libdevice.asin(v)
    elif OP == "pow":
        r = libdevice.pow(v, v)
    elif OP == "lgamma":
        r = libdevice.lgamma(v)
    elif OP == "tgamma":
        r = libdevice.tgamma(v)
    elif OP == "wrap":
        r = v + 2147483647
    elif OP == "divide":
        r = v // 2
    elif OP == "remainder":
        r = v % 2
    elif OP == "clamp":
        r = tl.clamp(v, -1.0, 1.0)
    else:
        r = v
    tl.store(o + i, r.to(o.dtype.element_ty))


def run(op, x, out=None):
    x = x if isinstance(x, torch.Tensor) else torch.tensor(x)
    o = torch.empty(x.shape, dtype=out or x.dtype)
    unary[(1,)](x, o, op, x.numel())
    return o


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


@triton.jit
def masks(x, o, n, N: tl.constexpr):
    i = tl.arange(0, N)
    inside = i < n and i > 0
    either = i == 0 or i == 1
    tl.store(o + i, tl.where(inside, 1, 0) + 10 * either.to(tl.int32) + 100 * (not inside).to(tl.int32) + 1000 * min(i, 2, n))


def check_logical_operators_on_blocks():
    o = torch.empty(4, dtype=torch.int32)
    masks[(1,)](o, o, 3, 4)
    assert o.tolist() == [110, 1011, 2001, 2100]


@triton.jit
def scalars(o, n, alpha, flag, N: tl.constexpr):
    total = 0
    for _ in range(n):
        total += 1
    if n > 2 and flag:
        total += 10
    tl.store(o + tl.arange(0, N), total + alpha.to(tl.float32) * 2)


def check_scalar_arguments():
    o = torch.empty(2)
    scalars[(1,)](o, 3, 0.25, True, 2)
    assert o.tolist() == [13.5, 13.5]


RULES = """\
@triton.jit
def kernel(o, KIND: tl.constexpr, N: tl.constexpr):
    if KIND == "arange":
        i = tl.arange(0, N)
    elif KIND == "zeros":
        z = tl.zeros((16, N), tl.float32)
    elif KIND == "dot":
        d = tl.dot(tl.zeros((16, N), tl.float16), tl.zeros((N, 16), tl.float16))
    elif KIND == "assert":
        tl.static_assert(N > 100, "N too small")
    elif KIND == "asm":
        v = tl.inline_asm_elementwise("mov.u32 $0, $1;", "=r,r", [tl.arange(0, N)], dtype=tl.int32, is_pure=True, pack=1)
    elif KIND == "truth":
        if tl.arange(0, N) > 1:
            pass
    elif KIND == "helper":
        helper(N)


@triton.jit
def helper(N: tl.constexpr):
    return tl.arange(0, N)


def launch(o, grid, **options):
    kernel[grid](o, "none", 16, **options)
"""


def check_rules_name_argument_value_and_line():
    kernel = cell(RULES).kernel
    o = torch.empty(16)
    expected = {
        ("arange", 5): ("tl.arange(0, 5): the length 5 is not a power of two", 5),
        ("zeros", 48): ("block shape (16, 48): element 1 is 48, not a power of two", 7),
        ("dot", 8): ("tl.dot: K = 8 is below the least K of 16 for fp16 operands on sm_90 (16×8 @ 8×16)", 9),
        ("assert", 8): ("static_assert failed: N too small", 11),
        ("helper", 5): ("tl.arange(0, 5): the length 5 is not a power of two", 23),
    }
    for (kind, n), (what, line) in expected.items():
        error = fails(CompileError, lambda kind=kind, n=n: kernel[(1,)](o, kind, n))
        assert (error.what, error.cell_line) == (what, line), (error.what, error.cell_line)
        assert error.excerpt
    error = fails(NotRunnable, lambda: kernel[(1,)](o, "asm", 8))
    assert error.what == "not verified: inline assembly at cell line 13", error.what
    launch = cell(RULES).launch
    for call in (lambda: launch(o, (1, 70000)), lambda: launch(o, (1,), num_warp=8)):
        error = fails(CompileError, call)
        assert error.cell_line == 27 and "kernel[grid]" in error.excerpt, error
    assert "block of 8 values" in fails(NotRunnable, lambda: kernel[(1,)](o, "truth", 8)).what


def check_libdevice():
    x = torch.rand(16)
    assert torch.allclose(run("asin", x), x.asin(), rtol=1e-6)
    assert torch.allclose(run("pow", x), x.pow(x), rtol=1e-6)
    assert torch.allclose(run("lgamma", x), x.lgamma(), rtol=1e-5)
    assert run("asin", x.double()).dtype == torch.float64
    assert fails(NotRunnable, lambda: run("tgamma", x)).what.startswith("not verified: external function __nv_tgammaf")


@triton.jit
def programs(o, n, BLOCK: tl.constexpr):
    at = (tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(2) + tl.program_id(2)
    tl.store(o + at, at + 1, mask=at < n)


def half_of_n(meta):
    return triton.cdiv(meta["n"], 2)


def check_grids():
    for grid, count in (([3], 3), (3, 3), (lambda meta: [meta["n"]], 8), ((0,), 0), ((2, 2), 4), (half_of_n, 4)):
        o = torch.zeros(8, dtype=torch.int32)
        programs[grid](o, 8, BLOCK=2)
        assert o.tolist() == [*range(1, count + 1), *[0] * (8 - count)], (grid, o)
    assert "axis 1 (y) is 65536" in fails(CompileError, lambda: programs[(1, 65536)](o, 8, 2)).what


def check_options_and_arguments():
    o = torch.zeros(8, dtype=torch.int32)
    programs[(1,)](o, 8, BLOCK=2, num_warps=8, num_stages=2)
    error = fails(CompileError, lambda: programs[(1,)](o, 8, BLOCK=2, num_warp=8))
    assert "'num_warp'" in error.what and "did you mean 'num_warps'" in error.hint
    assert "'BLOCK'" in fails(CompileError, lambda: programs[(1,)](o, 8)).what


def check_warmup():
    interpreter.set_resources_hint({"programs": Resources(registers=40, spill_bytes=8, shared_bytes=2048, num_warps=8)})
    o = torch.zeros(8, dtype=torch.int32)
    compiled = programs.warmup(o, 8, BLOCK=2, num_warps=2, grid=(1,))
    compiled._init_handles()
    assert (compiled.n_regs, compiled.n_spills, compiled.metadata.shared, compiled.metadata.num_warps) == (40, 2, 2048, 8)
    assert o.sum() == 0
    compiled[(2, 1, 1)](o, 8, 2)
    assert o.tolist() == [1, 2] + [0] * 6
    other = unary.warmup(o, o, "copy", 8, grid=(1,), num_warps=2)
    assert (other.n_regs, other.metadata.shared, other.metadata.num_warps, other.asm) == (32, 1024, 2, {})


def check_autotune():
    seen = []

    def prune(configs, named, **kwargs):
        seen.append((sorted(named), sorted(kwargs)))
        return configs[1:]

    configs = [triton.Config({"N": n}, num_warps=4, pre_hook=lambda nargs: seen.append(nargs["N"])) for n in (2, 5, 8, 16)]
    tuned = triton.autotune(configs, key=["n"], prune_configs_by={"early_config_prune": prune}, reset_to_zero=["o"])(accumulating)
    o = torch.full((2,), 5.0)
    before = len(interpreter.chosen_configs)
    tuned[lambda meta: (1,)](torch.ones(16), o, n=16)
    assert o.tolist() == [4, 4], o
    (chosen,) = interpreter.chosen_configs[before:]
    assert chosen[0] == "accumulating" and chosen[1]["N"] == 8 and tuned.best_config.kwargs == {"N": 8}
    assert seen[0] == (["o", "x"], ["grid", "n", "warmup"]) and seen[1:] == [5, 8], seen
    tuned[(1,)](torch.ones(16), o, n=16)
    assert o.tolist() == [8, 8]


@triton.jit
def accumulating(x, o, n, N: tl.constexpr):
    tl.atomic_add(o + tl.arange(0, N) % 2, tl.load(x + tl.arange(0, N)))


def check_heuristics():
    tuned = triton.heuristics({"BLOCK": lambda args: args["n"]})(programs)
    o = torch.zeros(8, dtype=torch.int32)
    tuned[lambda meta: (meta["BLOCK"],)](o, 8)
    assert o.tolist() == list(range(1, 9))


REACHING = """
@triton.jit
def reading(x, o, at, n):
    i = at + tl.arange(0, 8)
    tl.store(o + tl.arange(0, 8), tl.load(x + i))

@triton.jit
def writing(x, o, at, n):
    i = at + tl.arange(0, 8)
    tl.store(o + i, i, mask=i <= n)

@triton.jit
def adding(x, o, at, n):
    tl.atomic_add(o + at, 1)

@triton.jit
def through_a_table(table, o, at, n):
    x = tl.load(table).to(tl.pointer_type(tl.int32))
    tl.store(o + tl.arange(0, 8), tl.load(x + tl.arange(0, 8)))
"""


def check_accesses_outside_the_tensors_are_refused():
    kernels = cell(REACHING)
    whole = torch.arange(64, dtype=torch.int32)
    x, o = whole[:12], torch.zeros(8, dtype=torch.int32)
    kernels.reading[(1,)](x, o, 56, 12)  # inside the memory that x is a view of
    assert o.tolist() == list(range(56, 64))
    failure = fails(OutOfBounds, lambda: kernels.reading[(1,)](x, o, 57, 12))
    assert failure.cell_line == 6 and "load of x: element 64 is past the end (it holds 64)" in failure.what
    assert "before the start" in fails(OutOfBounds, lambda: kernels.reading[(1,)](x, o, -1, 12)).what
    assert "in none of x, o" in fails(OutOfBounds, lambda: kernels.reading[(1,)](x, o, 1_000_000_000, 12)).what
    kernels.writing[(1,)](x, o, 0, 7)
    kernels.writing[(1,)](x, o, 4, 7)  # half of the lanes are masked
    assert o.tolist() == list(range(8))
    failure = fails(OutOfBounds, lambda: kernels.writing[(1,)](x, o, 4, 8))
    assert failure.cell_line == 11 and "store of o: element 8" in failure.what and "tl.store(" in failure.hint
    assert "atomic of o: element 8" in fails(OutOfBounds, lambda: kernels.adding[(1,)](x, o, 8, 0)).what
    kernels.through_a_table[(1,)](torch.tensor([whole.data_ptr()]), o, 0, 0)  # addresses that no argument tells of
    assert o.tolist() == list(range(8))
    assert "element 0" in fails(OutOfBounds, lambda: kernels.reading[(1,)](torch.empty(0), o, 0, 0)).what


if __name__ == "__main__":
    results = {}
    for check, function in list(globals().items()):
        if check.startswith("check_") and (len(sys.argv) < 2 or check in sys.argv[1:]):
            try:
                function()
                results[check] = ""
            except Exception:
                results[check] = traceback.format_exc()
    print(json.dumps(results))
