"""R9: every way a signature, an option or a target can be wrong names the argument and lists what is valid (triton#4693)."""

from __future__ import annotations

from typing import Any

import pytest

import kernel_lab
from kernel_lab.errors import KernelLabError

pytest.importorskip("triton")
from tests import kernels

GOOD: dict[Any, Any] = {"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}


def without(name: str) -> dict[Any, Any]:
    return {key: value for key, value in GOOD.items() if key != name}


@pytest.fixture(autouse=True)
def workers(triton_workers: None) -> None:
    """Started once."""


def ask(signature: Any = GOOD, const: Any = None, target: Any = "sm_90", **options: Any) -> Any:
    return kernel_lab.compile(
        kernels.add_kernel, signature=signature, const={"BLOCK": 64} if const is None else const, target=target, **options
    )


def test_r09_a_right_one() -> None:
    assert ask(num_warps=8).kernels[0].resources.num_warps == 8


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"signature": without("n")}, ["'n' is missing"]),
        ({"signature": {0: "*fp32", 1: "*fp32", 2: "*fp32", 3: "i32"}}, ["argument names", "x_ptr"]),
        ({"signature": {**GOOD, "x_ptr": "*float32"}}, ["x_ptr", "'*float32'", "*fp32"]),
        ({"signature": {**GOOD, "x_ptr": "fp32*"}}, ["x_ptr", "'fp32*'"]),
        ({"signature": {**GOOD, "n": "int"}}, ["n", "'int'", "i32"]),
        ({"signature": {**GOOD, "m": "i32"}}, ["'m'", "x_ptr"]),
        ({"const": {}}, ["'BLOCK' is missing"]),
        ({"signature": {**GOOD, "BLOCK": "constexpr"}, "const": {}}, ["BLOCK is a constexpr without a value"]),
        ({"const": {"BLOK": 64}}, ["BLOCK"]),
        ({"target": "sm90"}, ["sm_90"]),
        ({"target": "sm_99"}, ["unknown target 'sm_99'", "sm_90"]),
        ({"target": 90}, ['target="sm_90"']),
        ({"num_warp": 8}, ["num_warp", "did you mean 'num_warps'?"]),
        ({"num_warps": 3}, ["num_warps", "power of 2"]),
        ({"num_warps": "8"}, ["num_warps"]),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_r09_mistakes(wrong: dict[str, Any], says: list[str]) -> None:
    try:
        ask(**wrong)
    except KernelLabError as error:
        text = str(error)
        assert all(words in text for words in says), text
        assert len(text.splitlines()) < 12
    else:
        assert wrong == {"target": "sm90"}  # a spelling that is understood


def test_r09_a_wrong_option_of_a_launch_in_a_cell(notebook: Any) -> None:
    from tests.notebook import ADD, IMPORTS

    ran = notebook.triton(
        'add --inputs "x: f32[n], y: f32[n]" --sizes "n=8"', IMPORTS + ADD.replace("BLOCK=256)", "BLOCK=256, num_warp=8)")
    )
    line = 2 + next(i for i, text in enumerate((IMPORTS + ADD).strip().splitlines()) if "add_kernel[" in text)
    assert "did you mean 'num_warps'?" in ran.message and f"cell line {line}" in ran.message
    ran = notebook.triton('add --inputs "x: f32[n], y: f32[n]" --sizes "n=8"', IMPORTS + ADD.replace("x.numel(), BLOCK=256)", "BLOCK=256)"))
    assert "'n'" in ran.message and f"cell line {line}" in ran.message
