"""Gradients, and references that misbehave: raise, draw at random, reject float64, round inside, leave torch."""

from __future__ import annotations

from typing import Any

import pytest

from kernel_lab.errors import ReferenceFailed

torch = pytest.importorskip("torch")

from tests.verify.judge import judge  # noqa: E402

ADD = "x: f32[n], y: f32[n]"


class _Square(torch.autograd.Function):
    factor = 2.0

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return grad * x * _Square.factor


def test_gradients_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    for dtype in ("f32", "f16", "bf16"):
        verdict = judge(_Square.apply, lambda x: x * x, f"x: {dtype}[n]", {"n": 100}, grad=True)
        assert verdict.passed is True, verdict.reason
        assert [case.output for case in verdict.cases] == ["output", "grad of x"]
    monkeypatch.setattr(_Square, "factor", 1.0)
    verdict = judge(_Square.apply, lambda x: x * x, "x: f32[n]", {"n": 100}, grad=True)
    assert [case.passed for case in verdict.cases] == [True, False]
    assert verdict.cases[1].reason is not None and "each is about 0.5 × what is wanted" in verdict.cases[1].reason


def test_a_gradient_that_does_not_arrive() -> None:
    verdict = judge(lambda x, y: x * y.detach(), torch.mul, ADD, {"n": 10}, grad=True)
    assert [case.passed for case in verdict.cases] == [True, True, False]
    assert verdict.cases[2].reason == "no gradient reaches it, the reference's has shape (10,)"


# References --------------------------------------------------------------------------------------------------------------------


def test_a_reference_that_raises_is_named_with_its_line() -> None:
    def reference(x: torch.Tensor) -> torch.Tensor:
        return x.reshape(3, 5)

    with pytest.raises(ReferenceFailed) as caught:
        judge(torch.clone, reference, "x: f32[n]", {"n": 10})
    text = str(caught.value)
    assert "RuntimeError: shape '[3, 5]' is invalid" in text and "return x.reshape(3, 5)" in text and text.count("\n") < 11


def test_the_kernels_own_exception_propagates() -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        judge(run, torch.clone, "x: f32[n]", {"n": 10})


def test_a_random_reference_leaves_the_verdict_open() -> None:
    verdict = judge(torch.nn.functional.dropout, torch.nn.functional.dropout, "x: f32[n]", {"n": 100})
    assert verdict.passed is None and verdict.reason is not None and "different results from run to run" in verdict.reason


def test_a_reference_that_rejects_float64_is_named() -> None:
    def reference(x: torch.Tensor) -> torch.Tensor:
        if x.dtype == torch.float64:
            raise TypeError("no doubles")
        return x * 3

    verdict = judge(lambda x: x * 3, reference, "x: f32[n]", {"n": 100})
    assert verdict.passed is True
    assert verdict.notes == ("the reference rejects float64 (TypeError: no doubles): it was evaluated in float32",)


def test_a_reference_that_rounds_is_named_and_widens_the_bound() -> None:
    verdict = judge(lambda x: x * 3, lambda x: (x * 3).half(), "x: f32[n]", {"n": 100})
    assert verdict.passed is True
    assert "the reference rounds to float16 inside: the allowed error is as wide as that rounding" in verdict.notes


def test_the_reference_sees_float64_and_not_reduced_precision() -> None:
    seen = set()

    def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        seen.add(a.dtype)
        assert torch.get_float32_matmul_precision() == "highest"
        return a @ b

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        judge(torch.matmul, reference, "a: f32[n, n], b: f32[n, n]", {"n": 8})
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)
    assert seen == {torch.float64, torch.float32}


def test_a_reference_in_numpy_is_judged_by_its_own_error() -> None:
    def reference(x: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(x.numpy() ** 2)

    assert judge(lambda x: x * x, reference, "x: f32[n]", {"n": 200}).passed is True
    assert judge(lambda x: x * x * 1.00001, reference, "x: f32[n]", {"n": 200}).passed is False
