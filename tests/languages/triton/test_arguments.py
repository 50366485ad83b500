"""A `@triton.jit` kernel as the entry: its arguments, its grid, its signature, and what is said about each mistake."""

from __future__ import annotations

from typing import Any

import pytest

from kernel_lab.errors import CompileError, InputError, KernelLabError, OptionError
from kernel_lab.languages.triton import arguments
from kernel_lab.problem import Problem, parse_inputs

torch = pytest.importorskip("torch")
triton = pytest.importorskip("triton")
import triton.language as tl  # noqa: E402


@triton.jit
def scale(x_ptr, o_ptr, n, alpha, BLOCK: tl.constexpr = 16):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask=at < n) * alpha, mask=at < n)


@triton.heuristics({"EVEN": lambda args: True})
@triton.jit
def needs(x_ptr, B: tl.constexpr, EVEN: tl.constexpr):
    pass


class Recorded:
    """Stands for a kernel: notes its launches."""

    def __init__(self, kernel: Any) -> None:
        self.fn = kernel.fn
        self.kernel = kernel
        self.arg_names, self.params, self.src = kernel.arg_names, kernel.params, kernel.src
        self.launches: list[tuple[Any, dict[str, Any]]] = []

    def __getitem__(self, grid: Any) -> Any:
        return lambda **values: self.launches.append((grid, values))


def launch(problem: Problem, *args: Any, kernel: Any = scale, **names: Any) -> tuple[Any, dict[str, Any], Any]:
    recorded = Recorded(kernel)
    result = arguments.launcher(recorded, problem, names)(*args)
    ((grid, values),) = recorded.launches
    return grid, values, result


PROBLEM = dict(inputs=parse_inputs("x_ptr: f32[n], alpha: f32"), outputs=parse_inputs("o_ptr: f16[n]"), grid="(cdiv(n, BLOCK),)")


def test_arguments_go_by_name_and_outputs_are_made() -> None:
    x = torch.ones(100)
    grid, values, result = launch(Problem(**PROBLEM, const={"BLOCK": 32}), x, 2.0)
    assert grid == (4,)
    assert values["x_ptr"] is x and values["n"] == 100 and values["alpha"] == 2.0 and values["BLOCK"] == 32
    assert result is values["o_ptr"] and result.shape == (100,) and result.dtype == torch.float16


def test_the_grid_sees_the_notebook_and_tuned_constants_later() -> None:
    grid, _, _ = launch(Problem(**{**PROBLEM, "grid": "(blocks(n), 2)"}, const={"BLOCK": 16}), torch.ones(8), 1.0, blocks=lambda n: n + 1)
    assert grid == (9, 2)
    grid, _, _ = launch(Problem(**{**PROBLEM, "grid": "(cdiv(n, LATER),)"}, const={}), torch.ones(64), 1.0)
    assert grid({"LATER": 16}) == (4,)
    with pytest.raises(OptionError, match="'LATER'"):
        grid({"OTHER": 1})
    grid, _, _ = launch(Problem(**{**PROBLEM, "grid": "lambda meta: (meta['BLOCK'],)"}), torch.ones(8), 1.0)
    assert grid({"BLOCK": 5}) == (5,)


@pytest.mark.parametrize(
    ("change", "kind", "says"),
    [
        ({"grid": None}, OptionError, ["needs its grid", "--grid"]),
        ({"inputs": parse_inputs("x: f32[n], alpha: f32")}, OptionError, ["--inputs: the kernel has no argument 'x'", "x_ptr"]),
        ({"outputs": parse_inputs("out: f16[n]")}, OptionError, ["--outputs: the kernel has no argument 'out'"]),
        ({"const": {"BLOK": 1}}, OptionError, ["--const: the kernel has no argument 'BLOK'", "did you mean 'BLOCK'?"]),
        ({"const": {"num_warp": 8}}, OptionError, ["'num_warp'", "did you mean 'num_warps'?"]),
        (
            {"inputs": parse_inputs("x_ptr: f32[m], alpha: f32"), "outputs": None, "grid": "(1,)"},
            InputError,
            ["'o_ptr' has no value", "--outputs"],
        ),
    ],
)
def test_mistakes(change: dict[str, Any], kind: type[KernelLabError], says: list[str]) -> None:
    with pytest.raises(kind) as caught:
        launch(Problem(**{**PROBLEM, **change}), torch.ones(8), 1.0)
    for words in says:
        assert words in str(caught.value)


def test_a_signature_gives_aligned_pointers_and_divisible_sizes() -> None:
    x, o, n, alpha = arguments.from_signature(scale, {"x_ptr": "*fp16", "o_ptr": "*fp32", "n": "i32", "alpha": "fp32"}, {"BLOCK": 8})[:4]
    assert x.dtype == torch.float16 and o.dtype == torch.float32
    assert x.data_ptr() % 16 == 0 and n % 16 == 0 and isinstance(alpha, float)


GOOD = {"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32", "alpha": "fp32"}


@pytest.mark.parametrize(
    ("signature", "says"),
    [
        ({**GOOD, "x": "*fp32"}, ["no argument 'x'", "x_ptr"]),
        ({0: "*fp32"}, ["keys must be argument names", "x_ptr, o_ptr, n, alpha, BLOCK"]),
        ({**GOOD, "x_ptr": "*float32"}, ["x_ptr", "*float32", "*fp32"]),
        ({**GOOD, "x_ptr": "*fp33"}, ["x_ptr", "*fp33"]),
        ({**GOOD, "n": "int32"}, ["n", "int32", "i32"]),
        ({**GOOD, "n": 32}, ["n"]),
        ({name: kind for name, kind in GOOD.items() if name != "n"}, ["'n' is missing"]),
        ("*fp32, *fp32", ["keys must be argument names"]),
    ],
)
def test_every_way_a_signature_can_be_wrong_names_the_argument(signature: Any, says: list[str]) -> None:
    with pytest.raises(CompileError) as caught:
        arguments.from_signature(scale, signature, {})
    for words in says:
        assert words in str(caught.value)


def test_a_constexpr_without_a_value_is_named() -> None:
    with pytest.raises(CompileError, match="B is a constexpr without a value"):
        arguments.from_signature(needs, {"x_ptr": "*fp32", "B": "constexpr"}, {})
    with pytest.raises(CompileError, match="'B' is missing"):
        arguments.from_signature(needs, {"x_ptr": "*fp32"}, {})
    arguments.from_signature(needs, {"x_ptr": "*fp32"}, {"B": 1})  # EVEN comes from the heuristic
