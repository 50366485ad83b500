"""How values travel: functions with their sources, kernels rebuilt, tensors that share storage, changes that come back."""

from __future__ import annotations

import textwrap
import types
from collections.abc import Iterator
from typing import Any

import pytest

from kernel_lab import cell as cells
from kernel_lab.cell import Cell
from kernel_lab.workers import local, wire
from kernel_lab.workers.local import LocalExecutor
from tests.workers import helpers

torch = pytest.importorskip("torch")
HELPERS = "tests.workers.helpers"


@pytest.fixture(scope="module")
def executor() -> Iterator[LocalExecutor]:
    local.KINDS["tensors"] = ({}, ("torch",))
    made = LocalExecutor()
    yield made
    made.close()
    del local.KINDS["tensors"]


def run(executor: LocalExecutor, name: str, *args: object) -> Any:
    return executor.run("tensors", f"{HELPERS}:{name}", *args, timeout_s=120)


def module(body: str, name: str = "wired", **names: object) -> types.ModuleType:
    cell = Cell("%%triton", textwrap.dedent(body).lstrip("\n"), name)
    return cells.execute(cell, cell.tree, dict(names))


def test_a_function_brings_its_source_its_file_and_its_lines(executor: LocalExecutor) -> None:
    made = module("x = 1\ndef f():\n    return x\n")
    assert run(executor, "source_of", made.f) == ("def f():\n    return x\n", "<cell wired>", 3)


def test_what_a_function_reads_travels_as_it_is_now(executor: LocalExecutor) -> None:
    made = module("SCALE = 2\ndef helper(v): return v * SCALE\ndef f(v): return helper(v) + 1\n")
    assert run(executor, "call", made.f, 10) == 21
    made.SCALE = 5
    assert run(executor, "call", made.f, 10) == 51


def test_closures_recursion_and_classes(executor: LocalExecutor) -> None:
    made = module(
        """
        def outer(n):
            def inner(v): return v + n
            return inner
        def fact(n): return 1 if n < 2 else n * fact(n - 1)
        class Scale:
            def __init__(self, by): self.by = by
            def __call__(self, v): return v * self.by
        """
    )
    assert run(executor, "call", made.outer(3), 4) == 7
    assert run(executor, "call", made.fact, 5) == 120
    assert run(executor, "call", made.Scale(3), 4) == 12


def test_functions_of_installed_modules_go_by_reference() -> None:
    parcel, _ = wire.dump((torch.add, helpers.double))
    assert wire.load(parcel)[0] == (torch.add, helpers.double)
    assert len(parcel.body) < 500 and not parcel.sources


def test_values_of_tensors_and_their_layout(executor: LocalExecutor) -> None:
    base = torch.arange(24.0).reshape(4, 6)
    for tensor in (base, base.t(), base[1:3, ::2], base[2], torch.tensor(3.5), torch.empty(0, 3), base.half(), base.bfloat16(), base > 3):
        back = run(executor, "give_back", tensor)
        assert torch.equal(back, tensor) and back.stride() == tensor.stride() and back.dtype == tensor.dtype


def test_float8_and_expanded_tensors(executor: LocalExecutor) -> None:
    one = torch.randn(8).to(torch.float8_e4m3fn)
    assert torch.equal(run(executor, "give_back", one).float(), one.float())
    wide = torch.arange(3.0).expand(5, 3)
    back = run(executor, "give_back", wide)
    assert back.stride() == (0, 1) and torch.equal(back, wide)


def test_a_result_that_is_an_argument_is_the_argument(executor: LocalExecutor) -> None:
    value = torch.zeros(4)
    back = run(executor, "give_back", value)
    assert back.data_ptr() == value.data_ptr()


def test_tensors_that_share_storage_still_do(executor: LocalExecutor) -> None:
    base = torch.zeros(8)
    assert run(executor, "same_storage", base, base[4:])
    assert not run(executor, "same_storage", base, torch.zeros(8))
    assert not run(executor, "same_storage", torch.empty(0), base)


def test_a_change_comes_back_into_every_view(executor: LocalExecutor) -> None:
    base = torch.zeros(8)
    view = base[2:4]
    run(executor, "add_in_place", view, 5.0)
    assert base.tolist() == [0, 0, 5, 5, 0, 0, 0, 0]
    assert view.tolist() == [5, 5]


def test_a_change_to_a_nested_argument_and_to_a_strided_view(executor: LocalExecutor) -> None:
    base = torch.zeros(3, 4)
    run(executor, "add_in_place", base.t()[1], 1.0)
    assert base[:, 1].tolist() == [1, 1, 1] and float(base.sum()) == 3


def test_requires_grad_of_leaves_travels(executor: LocalExecutor) -> None:
    back = run(executor, "give_back", torch.nn.Parameter(torch.ones(3)))
    assert back.requires_grad


def test_storages_are_aligned_as_torchs_own() -> None:
    tensor = wire.loads(wire.dumps(torch.arange(5.0)))
    assert tensor.data_ptr() % 16 == 0


def test_unchanged_tensors_are_not_sent_back(executor: LocalExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[object] = []
    monkeypatch.setattr(wire, "write_storage", lambda storage, content: written.append(storage))
    run(executor, "give_back", torch.ones(4))
    assert written == []
    run(executor, "add_in_place", torch.ones(4), 1.0)
    assert len(written) == 1


@pytest.fixture(scope="module")
def kernels() -> types.ModuleType:
    """Kernels of a cell, decorated in every way that travels."""
    pytest.importorskip("triton")
    return module(
        """
        import triton
        import triton.language as tl
        SHIFT = tl.constexpr(3)

        @triton.jit
        def helper(x):
            return x + SHIFT

        @triton.jit
        def plain(x_ptr, n, BLOCK: tl.constexpr):
            at = tl.arange(0, BLOCK)
            tl.store(x_ptr + at, helper(tl.load(x_ptr + at, mask=at < n)), mask=at < n)

        @triton.jit(do_not_specialize=["n"])
        def careful(x_ptr, n, BLOCK: tl.constexpr):
            plain(x_ptr, n, BLOCK)

        CONFIGS = [triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32}, num_warps=8)]

        @triton.autotune(configs=CONFIGS, key=["n"], reset_to_zero=["x_ptr"])
        @triton.jit
        def tuned(x_ptr, n, BLOCK: tl.constexpr):
            plain(x_ptr, n, BLOCK)

        @triton.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})
        @triton.jit
        def chosen(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
            plain(x_ptr, n, BLOCK)

        @triton.autotune(configs=[triton.Config({"BLOCK": 16})], key=["n"])
        @triton.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})
        @triton.jit
        def both(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
            plain(x_ptr, n, BLOCK)
        """,
        "kernels",
    )


@pytest.mark.parametrize("name", ["helper", "plain", "careful", "tuned", "chosen", "both"])
def test_kernels_are_rebuilt_in_a_compiling_worker(kernels: types.ModuleType, triton_workers: None, name: str) -> None:
    kernel = getattr(kernels, name)
    rebuilt = local.executor().run("triton.compile", f"{HELPERS}:describe_kernel", kernel, timeout_s=120)
    assert rebuilt == helpers.describe_kernel(kernel)


@pytest.mark.parametrize(
    ("name", "layers"), [("tuned", ["Autotuner", "InterpretedFunction"]), ("chosen", ["Heuristics", "InterpretedFunction"])]
)
def test_kernels_become_interpreted_ones_in_an_interpreting_worker(
    kernels: types.ModuleType, triton_workers: None, name: str, layers: list[str]
) -> None:
    rebuilt = local.executor().run("triton.interpret", f"{HELPERS}:describe_kernel", getattr(kernels, name), timeout_s=120)
    assert rebuilt["layers"] == layers


def test_a_kernel_of_an_installed_package_goes_by_reference() -> None:
    standard = pytest.importorskip("triton.language.standard")
    parcel, _ = wire.dump(standard.cdiv)
    assert len(parcel.body) < 300
