"""Disassembly: a stand-in for nvdisasm shows what is asked of it and how its failures are told; the real one reads a real cubin."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from kernel_lab.errors import CompileError, MissingPackage
from kernel_lab.ir import disassembly, make_stage, resources, tools
from kernel_lab.ir.tools import Missing, Tool
from tests.ir.samples import DATA, FILE, cell_text, sample

CUBIN = (DATA / "add-sm_90-triton39.cubin").read_bytes()


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """A tool that prints the arguments it got, without the cubin's name."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    return write(tmp_path, 'echo "$@" | sed "s:/[^ ]*::"; test -f "${@: -1}"')


def write(folder: Path, script: str) -> Tool:
    path = folder / "nvdisasm"
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)
    return Tool("nvdisasm", str(path), "a test")


def test_line_information_is_asked_for_and_no_file_stays(stand_in: Tool, tmp_path: Path) -> None:
    assert disassembly.sass(b"x", stand_in).split() == ["-c", "-gi"]
    assert disassembly.sass(b"x", stand_in, ptx="", file=FILE).split() == ["-c", "-gi", "-gp"]
    assert list((tmp_path / "scratch").iterdir()) == []


def test_code_without_line_information_is_better_than_none(tmp_path: Path) -> None:
    tool = write(tmp_path, 'case "$*" in *-g*) echo "nvdisasm error : no lines" >&2; exit 1;; esac; echo code')
    assert disassembly.sass(b"x", tool) == "code\n"


def test_a_refusal_quotes_the_first_real_line(tmp_path: Path) -> None:
    tool = write(tmp_path, 'printf "nvdisasm warning : noise\\nnvdisasm fatal : bad magic\\nmore\\n" >&2; exit 1')
    with pytest.raises(CompileError, match="bad magic") as caught:
        disassembly.sass(b"x", tool)
    assert "noise" not in str(caught.value)
    assert len(str(caught.value).splitlines()) < 12


def test_a_retired_architecture_says_which_toolkit_reads_it(tmp_path: Path) -> None:
    said = 'nvdisasm fatal   : CUDA architecture \\"SM70\\" is deprecated. Please use CUDA toolkit 13.0 or earlier'
    with pytest.raises(MissingPackage, match="no longer reads sm_70") as caught:
        disassembly.sass(b"x", write(tmp_path, f'echo "{said}" >&2; exit 255'))
    assert "CUDA_HOME" in str(caught.value) and "13.0 or earlier" in str(caught.value)


def test_a_missing_tool_says_how_to_get_it() -> None:
    with pytest.raises(MissingPackage, match="nvdisasm is not installed") as caught:
        disassembly.sass(b"x", Missing("nvdisasm", "pip install triton"))
    assert "pip install triton" in str(caught.value)


def test_a_tool_that_cannot_start_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingPackage, match="cannot be started"):
        disassembly.sass(b"x", Tool("nvdisasm", str(tmp_path / "gone"), "a test"))


def test_a_tool_that_hangs_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="did not finish within"):
        disassembly.run(write(tmp_path, "exec sleep 60"), [], b"x", timeout=0.2)


def test_the_real_tools_read_a_real_cubin() -> None:
    nvdisasm, cuobjdump = tools.find_nvdisasm("sm_90"), tools.find_cuobjdump()
    if isinstance(nvdisasm, Missing) or isinstance(cuobjdump, Missing):
        pytest.skip("needs nvdisasm and cuobjdump")
    text = disassembly.sass(CUBIN, nvdisasm, ptx=sample("add-sm_90-triton39.ptx"), file=FILE)
    made = make_stage("sass", text, file=FILE)
    stores = [cell_text(at) for line, at in zip(text.splitlines(), made.line_map, strict=True) if "STG" in line]
    assert stores and set(stores) == {"tl.store(out + offs, a + b, mask=mask)"}
    usage = resources.from_cubin(CUBIN, cuobjdump)["add"]
    assert usage.registers and usage.spill_bytes == 0 and usage.shared_bytes is not None
