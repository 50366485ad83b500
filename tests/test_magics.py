"""Cells under the magics, in a notebook's shell: what they show, and what they define."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernel_lab.errors import InputError, VerificationFailed
from kernel_lab.results import MIME_TYPE
from tests.notebook import ADD, CELL, IMPORTS, LINE, Notebook, short


def test_a_cell_becomes_a_report(notebook: Notebook) -> None:
    ran = notebook.triton(LINE, CELL).fine()
    (shown,) = ran.displays
    assert {MIME_TYPE, "text/html", "text/plain"} <= set(shown)
    report = notebook.report
    assert report.name == "add" and report.verdict.passed is True and report.verdict.ran_on == "interpreter"
    (kernel,) = report.kernels
    assert (kernel.name, kernel.language, kernel.target) == ("add_kernel", "triton", "sm_90")
    assert list(kernel.stages) == ["source", "ttir", "ttgir", "llir", "ptx", "sass"]
    assert report.measurement is None and report.roofline.measured is False


def test_lines_of_every_stage_are_lines_of_the_cell(notebook: Notebook) -> None:
    notebook.triton(LINE, CELL).fine()
    source = f"%%triton {LINE}\n{CELL}".splitlines()
    load = 1 + next(i for i, text in enumerate(source) if "x = tl.load" in text)
    for name, stage in notebook.report.kernels[0].stages.items():
        assert load in stage.line_map, name
        assert all(line is None or 1 < line <= len(source) for line in stage.line_map), name


def test_names_are_defined_and_calls_work_in_later_cells(notebook: Notebook) -> None:
    notebook.triton(LINE, CELL).fine()
    ran = notebook.run("z = add(torch.ones(10), torch.ones(10))\nz.sum().item()").fine()
    assert ran.value == 20.0


def test_an_unchanged_cell_is_answered_from_memory(notebook: Notebook) -> None:
    notebook.triton(LINE, CELL).fine()
    first = notebook.report
    notebook.triton(LINE, CELL).fine()
    assert notebook.report is first
    notebook.triton(LINE + " --seed 1", CELL).fine()
    assert notebook.report is not first


def test_a_changed_global_of_another_cell_is_seen(notebook: Notebook) -> None:
    notebook.run(IMPORTS + "SHIFT = tl.constexpr(1)").fine()
    cell = ADD.replace("x + y,", "x + y + SHIFT,")
    line = LINE.replace("torch.add", '"lambda x, y: x + y + 1"')
    notebook.triton(line, cell).fine()
    notebook.run("SHIFT = tl.constexpr(2)").fine()
    ran = notebook.triton(line, cell)
    assert isinstance(ran.error, VerificationFailed)
    notebook.run("SHIFT = tl.constexpr(1)").fine()
    notebook.triton(line, cell).fine()


def test_helpers_constants_and_functions_of_other_cells(notebook: Notebook) -> None:
    notebook.run(IMPORTS + "def blocks(n):\n    return triton.cdiv(n, BLOCK)\nBLOCK = 128").fine()
    bare = notebook.triton("", "@triton.jit\ndef twice(v):\n    return v + v\n").fine()
    assert "defined: twice" in bare.text
    notebook.triton(
        'f --inputs "x: f32[n]" --sizes "n=300" --ref "lambda x: 2 * x"',
        """
        @triton.jit
        def kernel(x_ptr, o_ptr, n, B: tl.constexpr):
            at = tl.program_id(0) * B + tl.arange(0, B)
            tl.store(o_ptr + at, twice(tl.load(x_ptr + at, mask=at < n)), mask=at < n)
        def f(x):
            o = torch.empty_like(x)
            kernel[(blocks(x.numel()),)](x, o, x.numel(), B=BLOCK)
            return o
        """,
    ).fine()
    assert notebook.report.verdict.passed is True


def test_the_last_expression_is_displayed_and_prints_appear_once(notebook: Notebook) -> None:
    ran = notebook.triton(LINE, CELL + "\nprint('printed by the cell')\n6 * 7\n").fine()
    assert ran.stdout.count("printed by the cell") == 1
    assert "42" in ran.text
    ran = notebook.triton(LINE, CELL + "\nprint('printed by the cell')\n6 * 7;\n").fine()
    assert "42" not in ran.stdout


def test_an_assertion_in_the_cell_runs_the_kernel(notebook: Notebook) -> None:
    notebook.triton(LINE, CELL + "\nx = torch.randn(100)\nassert torch.equal(add(x, x), x + x)\n").fine()
    assert "x" in notebook.names


def test_a_forgotten_mask_is_wrong_although_the_values_agree(notebook: Notebook) -> None:
    cell = ADD.replace("o_ptr + at, x + y, mask=at < n", "o_ptr + at, x + y")
    ran = notebook.triton('add --inputs "x: f32[n], y: f32[n]" --sizes "n=[256, 1000]" --ref torch.add', IMPORTS + cell)
    assert isinstance(ran.error, VerificationFailed)
    assert "at n=1000: out-of-bounds store of o_ptr: element 1000 is past the end" in ran.message and "cell line 10" in ran.message


def test_a_wrong_kernel_shows_its_report_and_raises(notebook: Notebook) -> None:
    ran = notebook.triton(LINE, CELL.replace("x + y,", "x - y,"))
    assert isinstance(ran.error, VerificationFailed)
    assert "add is wrong at n=1000" in short(ran.error)
    assert MIME_TYPE in ran.displays[0]
    assert notebook.report.verdict.passed is False
    assert "add" in notebook.names  # the cell itself did not fail
    ran = notebook.triton(LINE + " --keep-going", CELL.replace("x + y,", "x - y,"))
    assert ran.error is None and MIME_TYPE in ran.displays[0]


def test_no_verify(notebook: Notebook) -> None:
    notebook.triton(LINE + " --no-verify", CELL.replace("x + y,", "x - y,")).fine()
    assert notebook.report.verdict is None


def test_without_a_reference_the_report_names_the_option(notebook: Notebook) -> None:
    ran = notebook.triton('add --inputs "x: f32[n], y: f32[n]" --sizes "n=64"', CELL).fine()
    assert notebook.report.verdict.passed is None
    assert "--ref" in ran.text


def test_the_reference_may_be_defined_in_the_cell(notebook: Notebook) -> None:
    notebook.triton(LINE.replace("torch.add", "expected"), CELL + "\ndef expected(x, y):\n    return x + y\n").fine()
    assert notebook.report.verdict.passed is True


def test_inputs_that_cannot_be_made(notebook: Notebook) -> None:
    ran = notebook.triton('add --make-inputs "lambda n: 1 / 0" --sizes "n=3" --ref torch.add', CELL)
    assert isinstance(ran.error, InputError) and "--make-inputs raised ZeroDivisionError" in ran.message and "n=3" in ran.message
    ran = notebook.triton(LINE.replace("1000", "10**15"), CELL)
    assert isinstance(ran.error, InputError) and "do not fit into memory at n=10" in ran.message


def test_an_edited_helper_module_gives_no_old_answer(notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    helper = "import triton\n\n\n@triton.jit\ndef combined(x, y):\n    return x {} y\n"
    (tmp_path / "kernel_helpers.py").write_text(helper.format("+"))
    cell = CELL.replace("x + y,", "kernel_helpers.combined(x, y),").replace("import torch", "import kernel_helpers, torch")
    notebook.triton(LINE, cell).fine()
    (tmp_path / "kernel_helpers.py").write_text(helper.format("- 2 *"))
    notebook.run("import importlib; importlib.reload(kernel_helpers)").fine()
    assert isinstance(notebook.triton(LINE, cell).error, VerificationFailed)


def test_an_empty_first_size_does_not_hide_the_launch(notebook: Notebook) -> None:
    cell = CELL.replace("    o = torch.empty_like(x)\n", "    o = torch.empty_like(x)\n    if not x.numel():\n        return o\n")
    notebook.triton(LINE.replace("n=1000", "n=[0, 5]"), cell).fine()
    assert len(notebook.report.kernels) == 1 and len(notebook.report.verdict.cases) == 2


def test_make_inputs(notebook: Notebook) -> None:
    notebook.run(IMPORTS + "def make(n):\n    return torch.randn(n), torch.randn(n)").fine()
    notebook.triton('add --make-inputs make --sizes "n=77" --ref torch.add', CELL).fine()
    assert notebook.report.verdict.passed is True


def test_the_entry_may_be_left_out(notebook: Notebook) -> None:
    notebook.triton(LINE.removeprefix("add "), CELL).fine()
    assert notebook.report.name == "add"


def test_a_kernel_as_the_entry(notebook: Notebook) -> None:
    notebook.triton(
        'add_kernel --inputs "x_ptr: f32[n], y_ptr: f32[n]" --outputs "o_ptr: f32[n]" --sizes "n=1000" '
        '--grid "(cdiv(n, BLOCK),)" --const "BLOCK=128, num_warps=2" --ref torch.add',
        CELL,
    ).fine()
    report = notebook.report
    assert report.verdict.passed is True
    assert report.kernels[0].launches[0].grid == (8, 1, 1) and report.kernels[0].resources.num_warps == 2


def test_a_bare_magic_says_which_option_to_add(notebook: Notebook) -> None:
    ran = notebook.triton("", CELL).fine()
    assert "%%triton add --inputs" in ran.text
    assert "add" in notebook.names


def test_a_bare_magic_compiles_what_the_cell_launches(notebook: Notebook) -> None:
    notebook.triton("", CELL + "\nz = add(torch.ones(64), torch.ones(64))\n").fine()
    report = notebook.report
    assert [kernel.name for kernel in report.kernels] == ["add_kernel"]
    assert float(notebook.names["z"].sum()) == 128


def test_targets_by_option_and_by_default(notebook: Notebook) -> None:
    notebook.triton(LINE + " --no-verify --target MI300X", CELL).fine()
    assert notebook.report.kernels[0].target == "gfx942" and "amdgcn" in notebook.report.kernels[0].stages
    notebook.run("%lab target sm_80").fine()
    notebook.triton(LINE + " --no-verify", CELL).fine()
    assert notebook.report.kernels[0].target == "sm_80"
    assert ".target sm_80" in notebook.report.kernels[0].stages["ptx"].text
