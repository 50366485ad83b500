"""Lowering with no GPU: every configuration and launch is seen, what fails is listed with its reason."""

from __future__ import annotations

from kernel_lab.errors import CompileError
from tests.notebook import IMPORTS, Notebook

COPY = """
def kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)

def copy(x):
    o = torch.empty_like(x)
    kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, o, x.numel())
    return o
"""
LINE = 'copy --inputs "x: f32[n]" --sizes "n=1000" --ref torch.clone'


def tuned(configs: str, rest: str = "") -> str:
    return f'{IMPORTS}\n@triton.autotune(configs=[{configs}], key=["n"]{rest})\n@triton.jit{COPY}'


def test_every_configuration_is_compiled(notebook: Notebook) -> None:
    notebook.triton(
        LINE, tuned('triton.Config({"BLOCK": 64}, num_warps=1), triton.Config({"BLOCK": 128}, num_warps=2), triton.Config({"BLOCK": 256})')
    ).fine()
    report = notebook.report
    assert [kernel.configuration["BLOCK"] for kernel in report.kernels] == [64, 128, 256]
    assert [kernel.resources.num_warps for kernel in report.kernels] == [1, 2, 4]
    assert [kernel.launches[0].grid for kernel in report.kernels] == [(16, 1, 1), (8, 1, 1), (4, 1, 1)]
    assert report.verdict.passed is True


def test_the_costs_of_cell_lines_come_with_the_kernel(notebook: Notebook) -> None:
    notebook.triton(LINE, tuned('triton.Config({"BLOCK": 512})')).fine()
    (kernel,) = notebook.report.kernels
    source = dict(zip(kernel.stages["source"].line_map, kernel.stages["source"].text.splitlines(), strict=True))
    moved = {cost.cell_line for cost in kernel.costs for kind in cost.counts if kind.startswith(("global load", "global store"))}
    assert kernel.costs_from in ("sass", "amdgcn") and ["tl.load" in source[line] for line in moved] == [True]


def test_a_configuration_that_fails_is_listed_and_the_others_stay(notebook: Notebook) -> None:
    notebook.triton(LINE, tuned('triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 100}), triton.Config({"BLOCK": 128})')).fine()
    report = notebook.report
    assert [kernel.configuration["BLOCK"] for kernel in report.kernels] == [64, 128]
    (rejected,) = report.rejected
    assert rejected.kernel == "kernel" and rejected.configuration["BLOCK"] == 100 and "power of 2" in rejected.reason
    assert rejected.cell_line is not None


def test_when_every_configuration_fails_the_first_error_is_raised(notebook: Notebook) -> None:
    ran = notebook.triton(LINE, tuned('triton.Config({"BLOCK": 100}), triton.Config({"BLOCK": 300})'))
    assert isinstance(ran.error, CompileError) and "power of 2" in ran.message and "cell line" in ran.message


def test_configurations_that_are_pruned_are_not_compiled(notebook: Notebook) -> None:
    cell = tuned(
        'triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})',
        ', prune_configs_by={"early_config_prune": lambda configs, args, **kwargs: configs[1:]}',
    )
    notebook.triton(LINE, cell).fine()
    assert [kernel.configuration["BLOCK"] for kernel in notebook.report.kernels] == [128]


def test_configurations_over_the_budget_are_said_to_be_left_out(notebook: Notebook) -> None:
    """A deadline in the past: the first configuration is compiled all the same."""
    from kernel_lab.languages.triton.recorder import Recorder
    from kernel_lab.targets import names

    recorder = Recorder(names.lookup("sm_90"), deadline=0.0)
    assert recorder.out_of_time()


def test_heuristics(notebook: Notebook) -> None:
    cell = f'{IMPORTS}\n@triton.heuristics({{"BLOCK": lambda args: triton.next_power_of_2(args["n"])}})\n@triton.jit{COPY}'
    notebook.triton(LINE, cell).fine()
    report = notebook.report
    assert report.kernels[0].launches[0].grid == (1, 1, 1)
    assert report.verdict.passed is True


def test_autotune_over_heuristics(notebook: Notebook) -> None:
    cell = tuned("triton.Config({}, num_warps=2), triton.Config({}, num_warps=4)").replace(
        "@triton.jit", '@triton.heuristics({"BLOCK": lambda args: 256})\n@triton.jit'
    )
    notebook.triton(LINE, cell).fine()
    assert [kernel.resources.num_warps for kernel in notebook.report.kernels] == [2, 4]


TWO = (
    IMPORTS
    + """
@triton.jit
def scale(x_ptr, o_ptr, n, by, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask=at < n) * by, mask=at < n)

@triton.jit
def shift(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)

def f(x):
    o = torch.empty_like(x)
    n = x.numel()
    scale[(triton.cdiv(n, 128),)](x, o, n, 2.0, BLOCK=128)
    shift[(triton.cdiv(n, 64),)](o, n, BLOCK=64)
    scale[(triton.cdiv(n, 128),)](o, o, n, 3.0, BLOCK=128)
    scale[(triton.cdiv(n, 256),)](o, o, n, 0.5, BLOCK=256)
    return o
"""
)


def test_two_kernels_and_several_launches(notebook: Notebook) -> None:
    notebook.triton('f --inputs "x: f32[n]" --sizes "n=500" --ref "lambda x: (2 * x + 1) * 1.5"', TWO).fine()
    report = notebook.report
    assert [kernel.name for kernel in report.kernels] == ["scale", "shift", "scale"]
    assert [len(kernel.launches) for kernel in report.kernels] == [2, 1, 1]
    assert report.kernels[0].launches[0].grid == (4, 1, 1)
    assert report.verdict.passed is True


def test_arguments_of_a_launch_with_their_assumptions(notebook: Notebook) -> None:
    notebook.triton('f --inputs "x: f32[n]" --sizes "n=512" --no-verify', TWO).fine()
    arguments = {item.name: item for item in notebook.report.kernels[0].launches[0].arguments}
    assert arguments["x_ptr"].type == "*fp32" and arguments["x_ptr"].assumptions == ("divisible by 16",)
    assert arguments["n"].value == "512" and arguments["n"].assumptions == ("divisible by 16",)
    assert arguments["by"].type == "fp32" and arguments["by"].value == "2.0"
    assert arguments["BLOCK"].type == "constexpr" and arguments["BLOCK"].value == "128"
    assert any("x_ptr" in note and "aligned to 16 bytes" in note for note in notebook.report.kernels[0].notes)


def test_a_tensor_descriptor_made_on_the_device(notebook: Notebook) -> None:
    cell = (
        IMPORTS
        + """
def alloc(size, align, stream):
    return torch.empty(size, dtype=torch.int8)
triton.set_allocator(alloc)

@triton.jit
def kernel(x_ptr, o_ptr, M, N, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [B, B])
    out = tl.make_tensor_descriptor(o_ptr, [M, N], [N, 1], [B, B])
    i, j = tl.program_id(0) * B, tl.program_id(1) * B
    out.store([i, j], source.load([i, j]) * 2)

def f(x):
    o = torch.empty_like(x)
    M, N = x.shape
    kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16))](x, o, M, N, B=16)
    return o
"""
    )
    notebook.triton('f --inputs "x: f32[M, N]" --sizes "M=48, N=64" --ref "lambda x: 2 * x"', cell).fine()
    report = notebook.report
    assert "cp.async.bulk.tensor" in report.kernels[0].stages["ptx"].text
    assert report.verdict.passed is True


def test_a_tensor_descriptor_made_on_the_host(notebook: Notebook) -> None:
    cell = (
        IMPORTS
        + """
from triton.tools.tensor_descriptor import TensorDescriptor

@triton.jit
def kernel(source, o_ptr, N, B: tl.constexpr):
    i, j = tl.program_id(0) * B, tl.program_id(1) * B
    tile = source.load([i, j])
    rows, columns = i + tl.arange(0, B), j + tl.arange(0, B)
    tl.store(o_ptr + rows[:, None] * N + columns[None, :], tile + 1)

def f(x):
    o = torch.empty_like(x)
    M, N = x.shape
    kernel[(M // 16, N // 16)](TensorDescriptor.from_tensor(x, [16, 16]), o, N, B=16)
    return o
"""
    )
    notebook.triton('f --inputs "x: f16[M, N]" --sizes "M=32, N=64" --ref "lambda x: x + 1"', cell).fine()
    report = notebook.report
    assert report.verdict.passed is True
    assert "tensordesc" in report.kernels[0].launches[0].arguments[0].type


def test_the_next_target_does_not_find_the_last_ones_kernels(notebook: Notebook) -> None:
    cell = f"{IMPORTS}\n@triton.jit{COPY}".replace("x.numel())", "x.numel(), BLOCK=64)")
    for arch, stage, text in (
        ("sm_90", "ptx", ".target sm_90"),
        ("gfx942", "amdgcn", "gfx942"),
        ("sm_80", "ptx", ".target sm_80"),
        ("gfx1100", "amdgcn", "gfx1100"),
    ):
        notebook.triton(f"{LINE} --no-verify --target {arch}", cell).fine()
        (kernel,) = notebook.report.kernels
        assert kernel.target == arch and text in kernel.stages[stage].text


def test_resources(notebook: Notebook) -> None:
    cell = f"{IMPORTS}\n@triton.jit{COPY}".replace("x.numel())", "x.numel(), BLOCK=64, num_warps=2)")
    notebook.triton(LINE + " --no-verify", cell).fine()
    found = notebook.report.kernels[0].resources
    assert 0 < found.registers <= 255 and found.spill_bytes == 0 and found.shared_bytes == 0
    assert (found.num_warps, found.threads) == (2, 64) and 0 < found.occupancy <= 1


def test_printing_in_a_kernel_while_compiling_is_not_an_error(notebook: Notebook) -> None:
    cell = f"{IMPORTS}\n@triton.jit{COPY}".replace("x.numel())", "x.numel(), BLOCK=64)").replace(
        "    at =", '    tl.static_print("block", BLOCK)\n    at =', 1
    )
    notebook.triton(LINE + " --no-verify", cell).fine()
