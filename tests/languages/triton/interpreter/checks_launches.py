"""How the corrected interpreter launches kernels: arguments, grids, the rules of compile time, autotuning, accesses kept in bounds.

Each ``check_*`` function asserts something. Run as a program, by `test_interpreter.py` and in a process of its own, since
TRITON_INTERPRET must be set before Triton is imported.
"""

# Annotations stay objects here: the kernels below are read by Triton's own rewriting.
import torch
import triton
import triton.language as tl

from kernel_lab.errors import CompileError, NotRunnable, OutOfBounds
from kernel_lab.languages.triton import interpreter
from kernel_lab.results import Resources
from tests.languages.triton.interpreter.checking import cell, fails, main, unary


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
    main(globals())
