"""The commands of ``%lab``, and the help of the magics."""

from __future__ import annotations

from kernel_lab.results import MIME_TYPE
from tests.notebook import CELL, LINE, Notebook, short


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
