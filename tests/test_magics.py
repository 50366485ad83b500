"""Cells under the magics, in a notebook's shell: what they show, what they define, and how each mistake is answered."""

from __future__ import annotations

import pytest

from kernel_lab.errors import (
    CellError,
    CompileError,
    EntryError,
    InputError,
    KernelLabError,
    OptionError,
    ReferenceFailed,
    VerificationFailed,
)
from kernel_lab.results import MIME_TYPE
from tests.notebook import ADD, IMPORTS, Notebook

LINE = 'add --inputs "x: f32[n], y: f32[n]" --sizes "n=1000" --ref torch.add'
CELL = IMPORTS + ADD


def short(error: BaseException | None) -> str:
    assert isinstance(error, KernelLabError), repr(error)
    assert len(str(error).splitlines()) < 12
    return str(error)


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


# --- mistakes ---------------------------------------------------------------------------------------------------------


def test_a_syntax_error_names_the_line(notebook: Notebook) -> None:
    ran = notebook.triton(LINE, CELL + "\ndef broken(:\n    pass\n")
    assert isinstance(ran.error, CellError)
    text = short(ran.error)
    assert "syntax error" in text and f"cell line {len(CELL.strip().splitlines()) + 3}: def broken(:" in text


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("import torch\nx = torc.ones(3)\n", ["NameError", "cell line 3", "did you mean 'torch'?"]),
        ("x = tl.constexpr(3)\n", ["NameError", "cell line 2", "import triton.language as tl"]),
        ("import no_such_package_here\n", ["ModuleNotFoundError", "cell line 2", "pip install no_such_package_here"]),
        ("def f():\n    return 1 / 0\nf()\n", ["ZeroDivisionError", "cell line 3: return 1 / 0"]),
    ],
)
def test_an_error_of_the_cells_own_code_names_its_line(notebook: Notebook, body: str, says: list[str]) -> None:
    ran = notebook.triton("", body)
    assert isinstance(ran.error, CellError)
    for words in says:
        assert words in short(ran.error)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("await f()", "'await' outside function"),
        ("return 3", "'return' outside function"),
        ("!ls", "cell of their own"),
        ("%time 1", "own"),
    ],
)
def test_what_a_kernel_cell_cannot_hold_names_its_line(notebook: Notebook, line: str, says: str) -> None:
    ran = notebook.triton("", f"x = 1\n{line}\n")
    assert isinstance(ran.error, CellError)
    assert "cell line 3" in short(ran.error) and says in short(ran.error)


def test_a_value_that_cannot_travel_is_named_where_it_is_needed(notebook: Notebook) -> None:
    notebook.run("import threading\nLOCK = threading.Lock()").fine()
    ran = notebook.triton(LINE, CELL.replace("    o = torch.empty_like(x)\n", "    LOCK.acquire()\n    o = torch.empty_like(x)\n"))
    text = short(ran.error)
    assert "'LOCK' could not be sent" in text and "LOCK.acquire()" in text
    notebook.triton(LINE, CELL.replace("    o = torch.empty_like(x)\n", "    o = torch.empty_like(x)\n    if False: LOCK\n")).fine()


def test_a_wrapper_that_asks_for_cuda_tensors(notebook: Notebook) -> None:
    notebook.triton(
        LINE, CELL.replace("    o = torch.empty_like(x)\n", "    assert x.is_cuda and y.is_cuda\n    o = torch.empty_like(x)\n")
    ).fine()
    assert notebook.run("add(torch.ones(3), torch.ones(3)).is_cuda").fine().value is True


def test_an_unknown_name_in_the_kernel(notebook: Notebook) -> None:
    ran = notebook.triton(LINE, CELL.replace("x + y,", "x + yy,"))
    text = short(ran.error)
    line = 2 + next(i for i, text in enumerate(CELL.strip().splitlines()) if "x + y," in text)
    assert isinstance(ran.error, CompileError) and "yy" in text and f"cell line {line}" in text


def test_an_unknown_name_in_the_wrapper(notebook: Notebook) -> None:
    ran = notebook.triton(LINE, CELL.replace("torch.empty_like(x)", "torch.empty_like(xx)"))
    text = short(ran.error)
    line = 2 + next(i for i, text in enumerate(CELL.strip().splitlines()) if "torch.empty_like" in text)
    assert "'xx'" in text and f"cell line {line}" in text and "empty_like(xx)" in text


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("--ref torch.ad", ["--ref 'torch.ad'", "'ad'"]),
        ("--ref reference", ["--ref 'reference'", "reference"]),
        ("--ref 3", ["--ref", "not a function"]),
    ],
)
def test_a_missing_reference_names_the_option(notebook: Notebook, option: str, says: list[str]) -> None:
    ran = notebook.triton(LINE.replace("--ref torch.add", option), CELL)
    assert isinstance(ran.error, ReferenceFailed)
    for words in says:
        assert words in short(ran.error)


def test_a_reference_that_raises_is_named(notebook: Notebook) -> None:
    ran = notebook.triton(LINE.replace("torch.add", '"lambda x: x"'), CELL)
    assert isinstance(ran.error, ReferenceFailed)
    assert "argument" in short(ran.error)
    notebook.run(f"{IMPORTS}def expected(x, y):\n    return x.reshape(3, 5)").fine()
    ran = notebook.triton(LINE.replace("torch.add", "expected"), CELL)
    assert "return x.reshape(3, 5)" in short(ran.error) and "__torch_function__" not in short(ran.error)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('add --inputs "x: f3[n], y: f32[n]" --sizes "n=8"', ["--inputs: x has unknown dtype 'f3'", "f32"]),
        ('add --inputs "x: f32[n], y: f32[m]" --sizes "n=8"', ["'m'", "--sizes"]),
        ('add --inputs "x f32[n]" --sizes "n=8"', ["--inputs: 'x f32[n]'"]),
        ('add --sizes "n=8"', ["inputs", "--inputs"]),
    ],
)
def test_a_typo_in_the_inputs_is_named(notebook: Notebook, line: str, says: list[str]) -> None:
    ran = notebook.triton(line, CELL)
    assert isinstance(ran.error, InputError)
    for words in says:
        assert words in short(ran.error)


def test_inputs_that_do_not_fit_the_entry(notebook: Notebook) -> None:
    ran = notebook.triton('add --inputs "x: f32[n]" --sizes "n=8" --ref torch.neg', CELL)
    text = short(ran.error)
    assert "'y'" in text and "add" in text


def test_an_entry_that_launches_nothing(notebook: Notebook) -> None:
    ran = notebook.triton('f --inputs "x: f32[n]" --sizes "n=8"', IMPORTS + "def f(x):\n    return x + 1\n")
    assert isinstance(ran.error, EntryError)
    assert "kernel[grid]" in short(ran.error)


def test_a_cell_without_a_kernel(notebook: Notebook) -> None:
    ran = notebook.triton('--inputs "x: f32[n]" --sizes "n=8"', "def f(x):\n    return x + 1\n")
    assert isinstance(ran.error, EntryError)
    assert "launches a kernel" in short(ran.error) and "cell line 1" in short(ran.error)


def test_two_candidates_for_the_entry_are_listed_with_their_lines(notebook: Notebook) -> None:
    ran = notebook.triton(
        LINE.removeprefix("add "),
        CELL + ADD.split("def add(")[0].join(["", ""]) + "def more(x, y):\n    add_kernel[(1,)](x, y, x, 8, BLOCK=8)\n",
    )
    assert isinstance(ran.error, EntryError)
    text = short(ran.error)
    assert "add (line" in text and "more (line" in text and "%%triton add" in text


def test_an_entry_that_the_cell_does_not_define(notebook: Notebook) -> None:
    ran = notebook.triton(LINE.replace("add ", "ad ", 1), CELL)
    assert isinstance(ran.error, EntryError) and "did you mean 'add'?" in short(ran.error)


def test_an_unknown_option(notebook: Notebook) -> None:
    ran = notebook.triton("add --input x", CELL)
    assert isinstance(ran.error, OptionError) and "did you mean '--inputs'?" in short(ran.error)


def test_an_unknown_target(notebook: Notebook) -> None:
    ran = notebook.triton(LINE + " --target sm_91", CELL)
    assert "unknown target 'sm_91'" in short(ran.error)


@pytest.mark.parametrize(
    "change",
    [
        ("BLOCK: tl.constexpr):", "BLOCK: tl.constexpr:"),  # does not parse
        ("import torch, triton\n", "import torch, triton\nraise ValueError('stop')\n"),  # raises
    ],
)
def test_names_of_a_failed_cell_are_gone(notebook: Notebook, change: tuple[str, str]) -> None:
    notebook.triton(LINE, CELL).fine()
    assert "add" in notebook.names and "add_kernel" in notebook.names
    assert notebook.triton(LINE, CELL.replace(*change)).error is not None
    assert "add" not in notebook.names and "add_kernel" not in notebook.names
    ran = notebook.run("add(1, 2)")
    assert isinstance(ran.error, NameError)


def test_names_are_gone_when_the_kernel_does_not_compile(notebook: Notebook) -> None:
    notebook.triton(LINE, CELL).fine()
    assert notebook.triton(LINE, CELL.replace("x + y,", "x + yy,")).error is not None
    assert not ({"add", "add_kernel"} & set(notebook.names)) or "yy" in notebook.names["add_kernel"].src


def test_names_are_gone_after_a_mistake_in_the_magic_line(notebook: Notebook) -> None:
    notebook.triton(LINE, CELL).fine()
    notebook.triton("add --inptus x", CELL)
    assert "add" not in notebook.names


def test_nothing_of_the_status_stays_behind_an_error(notebook: Notebook) -> None:
    ran = notebook.triton(LINE, CELL.replace("x + y,", "x + yy,"))
    assert "compiling" not in "".join(item.get("text/plain", "") for item in ran.displays)


def test_the_traceback_is_the_message(notebook: Notebook) -> None:
    ran = notebook.triton(LINE, CELL.replace("x + y,", "x + yy,"))
    assert "Traceback" not in ran.stdout
    assert len(ran.stdout.strip().splitlines()) < 12


# --- %lab --------------------------------------------------------------------------------------------------------------


def test_lab_target_and_targets(notebook: Notebook) -> None:
    assert "sm_90" in notebook.run("%lab target").fine().stdout
    assert "gfx942" in notebook.run("%lab target MI300X").fine().stdout
    assert "gfx942" in notebook.run("%lab target").fine().stdout
    listing = notebook.run("%lab targets").fine().stdout
    assert all(name in listing for name in ("A100", "H100", "MI300X", "sm_90", "gfx942"))
    assert "datasheet" in notebook.run("%lab targets H100 SXM").fine().stdout


def test_lab_report_shows_a_report_again(notebook: Notebook) -> None:
    notebook.triton(LINE, CELL).fine()
    (shown,) = notebook.run("%lab report add").fine().displays
    assert MIME_TYPE in shown
    (shown,) = notebook.run("%lab report").fine().displays
    assert MIME_TYPE in shown
    ran = notebook.run("%lab report ad")
    assert "did you mean 'add'?" in short(ran.error)


def test_lab_doctor(notebook: Notebook) -> None:
    text = notebook.run("%lab doctor").fine().stdout
    assert all(name in text for name in ("triton", "torch", "nvdisasm", "default target"))


def test_lab_names_its_commands(notebook: Notebook) -> None:
    assert "did you mean 'targets'?" in short(notebook.run("%lab tragets").error)
    assert "doctor" in notebook.run("%lab").fine().stdout
    assert "not well quoted" in short(notebook.run('%lab report "x').error)


def test_help_of_the_magics(notebook: Notebook) -> None:
    assert "--inputs" in (type(notebook.shell.find_cell_magic("triton").__self__).triton.__doc__ or "")
    assert "--inputs" in (notebook.shell.find_cell_magic("tile").__doc__ or "")
