"""Mistakes in a magic line, a cell, a reference or the inputs: each is answered with its line and what to do."""

from __future__ import annotations

import pytest

from kernel_lab.errors import CellError, CompileError, EntryError, InputError, OptionError, ReferenceFailed
from tests.notebook import ADD, CELL, IMPORTS, LINE, Notebook, short


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
