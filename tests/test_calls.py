"""Calls that the notebook makes itself, on a machine with no GPU: a notebook written on a GPU runs unchanged."""

from __future__ import annotations

import pytest

from kernel_lab import calls
from kernel_lab.errors import KernelLabError, NoGpu, OutOfBounds
from kernel_lab.targets import machine
from tests.notebook import ADD, IMPORTS, Notebook

pytestmark = pytest.mark.skipif(machine.here() is not None, reason="with a GPU calls are the user's own")
CELL = IMPORTS + ADD


@pytest.fixture
def defined(notebook: Notebook) -> Notebook:
    """A notebook in which `add` and `add_kernel` are defined."""
    notebook.triton("", CELL).fine()
    return notebook


def test_a_call_gives_the_right_value(defined: Notebook) -> None:
    ran = defined.run("x, y = torch.randn(1000), torch.randn(1000)\nbool(torch.equal(add(x, y), x + y))").fine()
    assert ran.value is True


def test_the_notice_is_said_once(defined: Notebook) -> None:
    calls._state["said"] = False
    ran = defined.run("z = add(torch.ones(4), torch.ones(4))\nz = add(torch.ones(4), torch.ones(4))").fine()
    assert ran.text.count("no GPU here") == 1
    assert "no GPU here" not in defined.run("z = add(torch.ones(4), torch.ones(4))").fine().text


def test_cuda_literals_mean_the_cpu(defined: Notebook) -> None:
    ran = defined.run(
        """
        x = torch.rand(100, device="cuda")
        y = torch.rand(100).cuda()
        z = add(x, y.to("cuda:0"))
        device = torch.device("cuda")
        w = torch.zeros(3, device=device) + torch.ones(3).to(device)
        torch.cuda.synchronize()
        count = torch.cuda.get_device_properties(0).multi_processor_count
        (torch.equal(z, x + y), str(z.device), torch.cuda.get_device_capability(), count)
        """
    ).fine()
    assert ran.value == (True, "cpu", (9, 0), 132)


def test_the_active_device_of_triton(defined: Notebook) -> None:
    ran = defined.run("DEVICE = triton.runtime.driver.active.get_active_torch_device()\nstr(torch.ones(2, device=DEVICE).device)").fine()
    assert ran.value == "cpu"


def test_a_direct_launch(defined: Notebook) -> None:
    ran = defined.run(
        """
        x, o = torch.arange(100.), torch.zeros(100)
        add_kernel[(1,)](x, x, o, 100, BLOCK=128)
        grid = lambda meta: (triton.cdiv(100, meta["BLOCK"]),)
        p = torch.zeros(100)
        add_kernel[grid](x, x, p, 100, BLOCK=32)
        bool((o == 2 * x).all() and (p == o).all())
        """
    ).fine()
    assert ran.value is True


def test_arguments_that_a_call_changes_are_changed_here(notebook: Notebook) -> None:
    notebook.triton(
        "",
        IMPORTS
        + """
@triton.jit
def fill_kernel(x_ptr, n, value, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(x_ptr + at, value, mask=at < n)

def fill(x, value):
    fill_kernel[(1,)](x, x.numel(), value, B=64)
""",
    ).fine()
    ran = notebook.run(
        """
        base = torch.zeros(20)
        part = base[5:10]
        result = fill(part, 7.0)
        (result, base.tolist()[3:12])
        """
    ).fine()
    assert ran.value == (None, [0, 0, 7, 7, 7, 7, 7, 0, 0])


def test_a_function_of_an_ordinary_cell_that_calls_one_of_a_kernel_cell(defined: Notebook) -> None:
    ran = defined.run("def thrice(x):\n    return add(add(x, x), x)\nthrice(torch.ones(5)).tolist()").fine()
    assert ran.value == [3.0] * 5


def test_an_autograd_function_with_its_backward(notebook: Notebook) -> None:
    notebook.triton(
        "",
        IMPORTS
        + """
@triton.jit
def times(x_ptr, o_ptr, n, by, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask=at < n) * by, mask=at < n)

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        ctx.by = by
        o = torch.empty_like(x)
        times[(1,)](x, o, x.numel(), by, B=64)
        return o

    @staticmethod
    def backward(ctx, grad):
        grad = grad.contiguous()  # that of a sum has stride 0
        g = torch.empty_like(grad)
        times[(1,)](grad, g, grad.numel(), ctx.by, B=64)
        return g, None

scale = Scale.apply
""",
    ).fine()
    ran = notebook.run(
        "x = torch.ones(10, requires_grad=True)\ny = scale(x, 3.0)\ny.sum().backward()\n(y.tolist(), x.grad.tolist())"
    ).fine()
    assert ran.value == ([3.0] * 10, [3.0] * 10)


@pytest.mark.parametrize("call", ["triton.testing.do_bench(lambda: add(x, x))", "triton.testing.do_bench_cudagraph(lambda: add(x, x))",
                                  "torch.cuda.Event(enable_timing=True)"])  # fmt: skip
def test_a_time_is_refused_in_plain_words(defined: Notebook, call: str) -> None:
    ran = defined.run(f"x = torch.ones(4)\n{call}")
    assert isinstance(ran.error, NoGpu)
    assert "needs a GPU" in ran.message and len(ran.message.splitlines()) < 12


def test_warmup_compiles(defined: Notebook) -> None:
    ran = defined.run(
        """
        x = torch.ones(64)
        kernel = add_kernel.warmup(x, x, x, 64, BLOCK=64, grid=(1,))
        (kernel.n_regs > 0, kernel.n_spills, kernel.metadata.shared, ".target sm_90" in kernel.asm["ptx"])
        """
    ).fine()
    assert ran.value == (True, 0, 0, True)


def test_an_error_in_a_call_names_the_cells_line(notebook: Notebook) -> None:
    notebook.triton("", CELL.replace("torch.empty_like(x)", "torch.empty_like(missing)")).fine()
    line = 2 + next(i for i, text in enumerate(CELL.strip().splitlines()) if "torch.empty_like" in text)
    ran = notebook.run("add(torch.ones(4), torch.ones(4))")
    assert "missing" in ran.message and isinstance(ran.error, KernelLabError) and ran.error.cell_line == line


def test_a_wrong_call_is_a_type_error(defined: Notebook) -> None:
    ran = defined.run("add(torch.ones(4))")
    assert isinstance(ran.error, (TypeError, KernelLabError)) and "'y'" in ran.message


def test_a_kernel_that_reads_far_away_costs_no_notebook(notebook: Notebook) -> None:
    notebook.run("kept = 41").fine()
    notebook.triton("", CELL.replace("tl.load(x_ptr + at, mask=at < n)", "tl.load(x_ptr + at + 1_000_000_000)")).fine()
    ran = notebook.run("add(torch.ones(4), torch.ones(4))")
    assert isinstance(ran.error, OutOfBounds) and ran.error.cell_line is not None
    assert notebook.run("kept + 1").value == 42


def test_random_numbers_are_those_of_the_notebooks_generator(defined: Notebook) -> None:
    defined.triton("", "def noisy(x):\n    return add(x, torch.rand(x.shape))\n").fine()
    ran = defined.run(
        """
        torch.manual_seed(0)
        expected = [torch.rand(3) for _ in range(3)]
        torch.manual_seed(0)
        got = [noisy(torch.zeros(3)), noisy(torch.zeros(3)), torch.rand(3)]
        all(torch.equal(a, b) for a, b in zip(got, expected))
        """
    ).fine()
    assert ran.value is True


def test_what_a_call_printed_before_it_failed_is_shown(notebook: Notebook) -> None:
    notebook.triton("", CELL.replace("torch.empty_like(x)", "print('got here') or torch.empty_like(missing)")).fine()
    ran = notebook.run("add(torch.ones(4), torch.ones(4))")
    assert ran.error is not None and ran.stdout.count("got here\n") == 1


def test_plain_functions_run_here(notebook: Notebook) -> None:
    notebook.triton("", "import os\ndef where():\n    return os.getpid()\n").fine()
    import os

    assert notebook.run("where()").value == os.getpid()


def test_functions_keep_their_name_and_source(defined: Notebook) -> None:
    ran = defined.run("import inspect\n(add.__name__, inspect.getsource(add).splitlines()[0])").fine()
    assert ran.value == ("add", "def add(x, y):")
