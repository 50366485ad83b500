"""The verbs for scripts: compile, verify, last, targets."""

from __future__ import annotations

import json

import pytest

import kernel_lab
from kernel_lab import runner
from kernel_lab.errors import CompileError, EntryError, InputError, NoGpu, OptionError, TargetError
from kernel_lab.results import from_json, to_json
from kernel_lab.targets import machine

pytest.importorskip("triton")
from tests import kernels

torch = pytest.importorskip("torch")
INPUTS = dict(inputs="x: f32[n], y: f32[n]", sizes="n=1000", target="sm_90")


@pytest.fixture(autouse=True)
def workers(triton_workers: None) -> None:
    """Started once."""


def test_compile_a_function_of_a_module() -> None:
    report = kernel_lab.compile(kernels.add, **INPUTS)
    (kernel,) = report.kernels
    assert kernel.target == "sm_90" and "sass" in kernel.stages
    assert kernel_lab.last() is report
    line = kernels.add_kernel.starting_line_number
    mapped = {at for at in kernel.stages["sass"].line_map if at}
    assert mapped and min(mapped) >= line  # lines are those of the file


def test_sizes_as_a_mapping_and_options_of_the_launch() -> None:
    report = kernel_lab.compile(
        kernels.add_kernel, inputs="x_ptr: f32[n], y_ptr: f32[n]", outputs="o_ptr: f32[n]", sizes={"n": 100}, grid="(1,)",
        const={"BLOCK": 128}, target="sm_80", num_warps=8,
    )  # fmt: skip
    assert report.kernels[0].resources.num_warps == 8
    report = kernel_lab.compile(
        kernels.add_kernel, inputs="x_ptr: f32[n], y_ptr: f32[n]", outputs="o_ptr: f32[n]", sizes={"n": 100},
        grid=lambda meta: (triton_cdiv(100, meta["BLOCK"]),), const={"BLOCK": 32}, target="sm_80",
    )  # fmt: skip
    assert report.kernels[0].launches[0].grid == (4, 1, 1)


def triton_cdiv(a: int, b: int) -> int:
    return -(-a // b)


def test_compile_a_kernel_from_its_signature() -> None:
    report = kernel_lab.compile(
        kernels.add_kernel,
        signature={"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"},
        const={"BLOCK": 1024},
        target="sm_90",
    )
    assert "ld.global.v4.b32" in report.kernels[0].stages["ptx"].text


def test_verify_right_and_wrong() -> None:
    report = kernel_lab.verify(kernels.add, torch.add, **INPUTS)
    assert report.verdict.passed is True and report.verdict.cases[0].sizes == {"n": 1000}
    report = kernel_lab.verify(kernels.wrong, torch.add, **INPUTS)
    assert report.verdict.passed is False and report.verdict.reason


def test_verify_with_inputs_made_by_a_function_and_several_sizes() -> None:
    report = kernel_lab.verify(
        kernels.add, kernels.expected, make_inputs=lambda n: (torch.ones(n), torch.ones(n)), sizes="n=[1, 100]", target="sm_90"
    )
    assert [case.sizes["n"] for case in report.verdict.cases] == [1, 100] and report.verdict.passed is True


def test_closures_and_functions_made_here() -> None:
    by = 3.0

    def scaled(x, y):  # type: ignore[no-untyped-def]
        return kernels.add(x * by, y)

    assert kernel_lab.verify(scaled, lambda x, y: x * by + y, **INPUTS).verdict.passed is True


def test_the_same_question_is_answered_from_memory_and_a_changed_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    first = kernel_lab.compile(kernels.add, **INPUTS)
    monkeypatch.setattr(runner, "_run", lambda *args: pytest.fail("the job was run again"))
    assert kernel_lab.compile(kernels.add, **INPUTS) is first
    with pytest.raises(pytest.fail.Exception):
        kernel_lab.compile(kernels.add, **{**INPUTS, "target": "sm_80"})


def test_a_report_is_plain_data() -> None:
    report = kernel_lab.verify(kernels.add, torch.add, **INPUTS)
    assert from_json(json.loads(json.dumps(to_json(report)))) == from_json(to_json(report))


@pytest.mark.parametrize(
    ("change", "kind", "says"),
    [
        ({"target": "sm_91"}, TargetError, ["unknown target 'sm_91'", "sm_90"]),
        ({"target": 90}, TargetError, ["90", 'target="sm_90"']),
        ({"inputs": None}, InputError, ["inputs"]),
        ({"sizes": None}, InputError, ["'n'"]),
        ({"sizes": {"n": 2.5}}, OptionError, ["n=2.5 is not an integer"]),
        ({"inputs": "x: f32[n]"}, InputError, ["'y'", "add"]),
        ({"inputs": "x: float32[n]"}, InputError, ["write f32"]),
    ],
)
def test_mistakes(change: dict[str, object], kind: type[Exception], says: list[str]) -> None:
    with pytest.raises(kind) as caught:
        kernel_lab.compile(kernels.add, **{**INPUTS, **change})
    for words in says:
        assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) < 12


def test_entries_that_are_none() -> None:
    with pytest.raises(EntryError, match="not a function"):
        kernel_lab.compile(3, **INPUTS)  # type: ignore[arg-type]
    with pytest.raises(EntryError, match="launched no kernel"):
        kernel_lab.compile(kernels.nothing, inputs="x: f32[n]", sizes="n=4", target="sm_90")


def test_an_unknown_launch_option_is_named() -> None:
    with pytest.raises((CompileError, OptionError), match="num_warp"):
        kernel_lab.compile(
            kernels.add_kernel, inputs="x_ptr: f32[n], y_ptr: f32[n]", outputs="o_ptr: f32[n]", sizes="n=8", grid="(1,)",
            const={"BLOCK": 8}, target="sm_90", num_warp=8,
        )  # fmt: skip


@pytest.mark.skipif(machine.here() is not None, reason="there is a GPU")
def test_measure_without_a_gpu_refuses() -> None:
    with pytest.raises(NoGpu, match="needs a GPU"):
        kernel_lab.measure(kernels.add, **INPUTS)


def test_targets() -> None:
    known = kernel_lab.targets()
    assert {"sm_90", "gfx942"} <= {target.arch for target in known}
