"""The verdict beside the bound: reasons, checks, outputs of every shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kernel_lab.problem import Problem, parse_inputs
from kernel_lab.results import Verdict, from_json, to_json

torch = pytest.importorskip("torch")

from kernel_lab.verify import verify  # noqa: E402
from kernel_lab.verify.verdict import UNCHANGED, WRITTEN  # noqa: E402
from tests.verify.judge import judge  # noqa: E402

ADD = "x: f32[n], y: f32[n]"


# Reasons ---------------------------------------------------------------------------------------------------------------------


def tail_missing(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    out[: len(x) // 1024 * 1024] = (x + y)[: len(x) // 1024 * 1024]
    return out


def test_a_missing_tail_is_named() -> None:
    verdict = judge(tail_missing, torch.add, ADD, {"n": 98432})
    (case,) = verdict.cases
    assert verdict.passed is False and verdict.ran_on == "interpreter"
    assert case.worst_index == (98304,) and case.output == "output" and case.dtypes == {"x": "float32", "y": "float32"}
    assert case.got != case.got and case.want is not None and case.bound is not None and case.bound < 1e-6
    assert case.reason is not None and case.reason.startswith("128 of 98432 elements wrong, first at (98304,): got nan, want ")
    assert "none of them was ever written" in case.reason and "all of them in n ≥ 98304: a tail" in case.reason
    assert verdict.reason is not None and verdict.reason.startswith("output at n=98432: 128 of 98432")
    assert verdict.checks[WRITTEN].passed is False and verdict.checks[WRITTEN].detail == "output: 128 of 98432 elements never written"


def test_each_case_is_reported_and_progress_is_told() -> None:
    seen: list[tuple[int, int, Any]] = []
    verdict = judge(tail_missing, torch.add, ADD, {"n": 1024}, {"n": 1000}, progress=lambda *told: seen.append(told))
    assert [case.passed for case in verdict.cases] == [True, False]
    assert seen == [(0, 2, {"n": 1024}), (1, 2, {"n": 1000}), (2, 2, {"n": 1000})]


def test_scattered_errors_are_not_called_a_tail() -> None:
    def run(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        out = x + y
        out[::7] += 1
        return out

    reason = judge(run, torch.add, ADD, {"n": 1000}).cases[0].reason
    assert reason is not None and reason.startswith("143 of 1000 elements wrong") and "tail" not in reason and "NaN" not in reason


@pytest.mark.parametrize(
    ("run", "phrase"),
    [
        (lambda a, b: (a @ b) * 8, "each is about 8 × what is wanted"),
        (lambda a, b: (a @ b).T, "the result is transposed"),
        (lambda a, b: (a @ b).roll(1, 0), "the result is shifted by one along dimension 0"),
        (lambda a, b: torch.zeros_like(a), "all of them 0"),
        (lambda a, b: torch.full_like(a, torch.nan), "all of them NaN"),
        (lambda a, b: torch.where(torch.arange(32) == 5, 7.0, a @ b), "all of them at dimension 1 = 5"),
    ],
)
def test_what_the_wrong_elements_share_is_said(run: Callable[..., Any], phrase: str) -> None:
    reason = judge(run, torch.matmul, "a: f32[M, M], b: f32[M, M]", {"M": 32}).cases[0].reason
    assert reason is not None and phrase in reason


# Memory ------------------------------------------------------------------------------------------------------------------------


def test_half_of_the_outputs_never_written() -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        out[:64] = x[:64]
        return out

    for dtype in ("f32", "i32", "i64", "f16"):
        verdict = judge(run, torch.clone, f"x: {dtype}[n]", {"n": 128})
        assert verdict.passed is False
        assert verdict.checks[WRITTEN].detail == "output: 64 of 128 elements never written"


@pytest.mark.parametrize("dtype", ["f32", "i32"])
def test_adding_into_uninitialised_memory_is_told_apart(dtype: str) -> None:
    verdict = judge(lambda x: torch.empty_like(x).add_(3), lambda x: torch.full_like(x, 3), f"x: {dtype}[n]", {"n": 16})
    assert verdict.passed is False
    assert verdict.checks[WRITTEN].detail == "output: 16 of 16 elements depend on uninitialised memory"


def test_a_nan_that_was_computed_is_no_unwritten_memory() -> None:
    verdict = judge(torch.log, torch.log, "x: f32[n]", {"n": 100})
    assert verdict.passed is True and verdict.checks[WRITTEN].passed is True


def test_a_mutated_input_is_named() -> None:
    def run(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        out = x + y
        y.zero_()
        return out

    verdict = judge(run, torch.add, ADD, {"n": 10})
    assert verdict.passed is False and verdict.cases[0].passed
    assert verdict.checks[UNCHANGED].detail == "y was changed by the kernel"
    assert verdict.reason == "inputs not mutated: y was changed by the kernel"


def test_in_place_kernels_are_right() -> None:
    assert judge(lambda x: x.relu_(), torch.relu, "x: f32[n]", {"n": 10}).passed is True
    assert judge(lambda x: (x.add_(1), None)[1], lambda x: x + 1, "x: f32[n]", {"n": 10}).passed is True
    assert judge(lambda x: (x.add_(1), None)[1], lambda x: (x.add_(1), None)[1], "x: f32[n]", {"n": 10}).passed is True


def test_declared_outputs_are_poisoned_and_named() -> None:
    def run(x: torch.Tensor, o: torch.Tensor) -> None:
        o[:8] = x[:8] * 2

    verdict = judge(run, lambda x: x * 2, "x: f32[n], o: f32[n]", {"n": 16}, outputs=("o",))
    assert verdict.passed is False and verdict.cases[0].output == "o"
    assert verdict.checks[WRITTEN].detail == "o: 8 of 16 elements never written"
    assert judge(lambda x, o: (o.copy_(x * 2), None)[1], lambda x: x * 2, "x: f32[n], o: f32[n]", {"n": 16}, outputs=("o",)).passed is True


def test_strided_inputs_reach_the_kernel_strided() -> None:
    strides: list[tuple[int, ...]] = []

    def run(x: torch.Tensor) -> torch.Tensor:
        strides.append(x.stride())
        return x + 1

    judge(run, lambda x: x + 1, "x: f32[n]", {"n": 4}, make=lambda sizes, seed: [torch.arange(8.0)[::2]])
    assert strides == [(2,)]


# Outputs -----------------------------------------------------------------------------------------------------------------------


def test_nested_outputs_are_named() -> None:
    verdict = judge(
        lambda x: (x + 1, {"total": x.sum() + 100, "count": len(x)}),
        lambda x: (x + 1, {"total": x.sum(), "count": len(x)}),
        "x: f32[n]",
        {"n": 10},
    )
    assert [(case.output, case.passed) for case in verdict.cases] == [
        ("output[0]", True),
        ("output[1]['total']", False),
        ("output[1]['count']", True),
    ]


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (lambda x: x[:4], "shape (4,), the reference gives (10,)"),
        (lambda x: x.int(), "dtype int32, the reference gives float32"),
        (lambda x: (x, x), "the kernel gives 2 outputs, the reference 1"),
        (lambda x: None, "the kernel returned None and wrote to none of its arguments"),
    ],
)
def test_outputs_of_another_form(run: Callable[..., Any], reason: str) -> None:
    verdict = judge(run, torch.clone, "x: f32[n]", {"n": 10})
    assert verdict.passed is False and verdict.cases[0].reason == reason


def test_another_float_dtype_is_compared_and_noted() -> None:
    verdict = judge(lambda x: x.float() * 2, lambda x: x * 2, "x: f16[n]", {"n": 100})
    assert verdict.passed is True
    assert verdict.notes == ("output is float32, the reference gives float16: values were compared",)


def test_an_empty_output_passes_beside_others_and_proves_nothing_alone() -> None:
    assert judge(torch.add, torch.add, ADD, {"n": 0}, {"n": 3}).passed is True
    verdict = judge(torch.sub, torch.add, ADD, {"n": 0})
    assert verdict.passed is None and "every output was empty" in (verdict.reason or "")


def test_a_reference_without_outputs_leaves_the_verdict_open() -> None:
    verdict = judge(torch.add, lambda x, y: None, ADD, {"n": 3})
    assert verdict.passed is None and "the reference returned None" in (verdict.reason or "")


def test_a_factor_that_rounds_to_one_is_not_said() -> None:
    verdict = judge(lambda x, y: (x + y) * 1.0001, torch.add, ADD, {"n": 50})
    assert verdict.passed is False and "× what is wanted" not in (verdict.cases[0].reason or "")


def test_a_verdict_survives_json() -> None:
    verdict = judge(tail_missing, torch.add, ADD, {"n": 1030})
    again = from_json(to_json(verdict), Verdict)
    assert again.cases[0].reason == verdict.cases[0].reason and again.checks == verdict.checks


# Tolerances and gradients ------------------------------------------------------------------------------------------------------


def test_the_users_tolerance_replaces_the_bound() -> None:
    def run(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x + y + 0.01

    assert judge(run, torch.add, ADD, {"n": 50}).passed is False
    verdict = judge(run, torch.add, ADD, {"n": 50}, atol=0.02)
    assert verdict.passed is True and verdict.cases[0].bound == 0.02
    assert verdict.notes == ("the allowed error is the one given: 0.02 + 0·|reference|",)


def test_no_cases_is_no_verdict() -> None:
    spec = parse_inputs("x: f32[n]")
    verdict = verify(torch.clone, torch.clone, Problem(inputs=spec), [], make_arguments=lambda sizes, seed: [])
    assert verdict.passed is None and verdict.reason == "there was no case to run"
