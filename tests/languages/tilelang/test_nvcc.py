"""R39: tools are found through links and wheels; what is missing is said with how to get it."""

from __future__ import annotations

import os
import stat

import pytest

from kernel_lab.languages.tilelang import nvcc
from kernel_lab.languages.tilelang.nvcc import NvccError, Usage


def tool(path, text="#!/bin/sh\nexit 0\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine with no CUDA toolkit at all."""
    for name in ("CUDA_HOME", "CUDA_PATH", "CXX"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("sys.path", [str(tmp_path / "site")])
    return tmp_path


def test_cuda_home_comes_first(bare, monkeypatch):
    wanted = tool(bare / "cuda" / "bin" / "nvcc")
    tool(bare / "bin" / "nvcc")
    monkeypatch.setenv("CUDA_HOME", str(bare / "cuda"))
    assert nvcc.find_nvcc() == wanted


def test_a_link_is_followed_when_its_own_prefix_has_no_headers(bare):
    real = tool(bare / "toolkit" / "bin" / "nvcc")
    os.symlink(real, bare / "bin" / "nvcc")
    assert nvcc.find_nvcc() == real.resolve()


def test_a_link_in_a_composed_prefix_is_kept(bare):
    real = tool(bare / "store" / "nvcc" / "bin" / "nvcc")
    os.symlink(real, bare / "bin" / "nvcc")
    (bare / "include").mkdir()
    (bare / "include" / "cuda_runtime.h").write_text("")
    assert nvcc.find_nvcc() == bare / "bin" / "nvcc"


def test_the_wheels_serve_when_the_machine_has_none(bare):
    wanted = tool(bare / "site" / "nvidia" / "cu13" / "bin" / "nvcc")
    assert nvcc.find_nvcc() == wanted


def test_tritons_nvdisasm_serves_when_the_toolkit_has_none(bare):
    wanted = tool(bare / "site" / "triton" / "backends" / "nvidia" / "bin" / "nvdisasm")
    assert nvcc.find_nvdisasm() == wanted


def test_missing_nvcc_is_a_note_that_says_how_to_get_it(bare, monkeypatch):
    monkeypatch.setattr(nvcc, "find_nvcc", lambda: None)
    done = nvcc.compile_cuda("", "sm_80")
    assert done.ptx is None
    assert "tilelang[nvcc]" in done.notes[0]


def test_missing_compiler_is_a_note(bare, monkeypatch):
    monkeypatch.setattr(nvcc, "find_nvcc", lambda: tool(bare / "bin" / "nvcc"))
    done = nvcc.compile_cuda("", "sm_80")
    assert "C++ compiler" in done.notes[0] and "g++" in done.notes[0]


def test_an_architecture_that_this_nvcc_does_not_know_is_a_note(bare, monkeypatch):
    shell = """#!/bin/sh
if [ "$1" = --version ]; then echo 'release 13.0, V13'; exit 0; fi
echo "nvcc fatal : Unsupported gpu architecture 'sm_70'" >&2
exit 1
"""
    monkeypatch.setattr(nvcc, "find_nvcc", lambda: tool(bare / "bin" / "nvcc", shell))
    monkeypatch.setattr(nvcc, "find_cxx", lambda: bare / "g++")
    (note,) = nvcc.compile_cuda("", "sm_70").notes
    assert note.startswith("nvcc 13.0 does not know sm_70")


@pytest.mark.parametrize(
    ("output", "message", "line"),
    [
        ('k.cu(34): error: identifier "foo" is undefined\n1 error detected', 'identifier "foo" is undefined', 34),
        ("/usr/include/x.h(7): error: bad\nk.cu(9): error: worse", "bad", None),
        (
            "ptxas k.ptx, line 12; error   : Instruction 'wgmma' not supported\nptxas fatal   : Ptx assembly aborted",
            "Instruction 'wgmma' not supported",
            None,
        ),
        ("k.cu:3:10: fatal error: cuda.h: No such file", "cuda.h: No such file", 3),
        ("", "nvcc failed without a message", None),
    ],
)
def test_the_first_error_and_its_line(output, message, line):
    error = nvcc._refusal(output, "k.cu")
    assert isinstance(error, NvccError)
    assert (error.message, error.line) == (message, line)


def test_usage_of_each_kernel():
    output = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a_kernel' for 'sm_90a'
ptxas info    : Function properties for a_kernel
    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 168 registers, used 2 barriers, 1072 bytes smem
ptxas info    : Compiling entry function 'b_kernel' for 'sm_90a'
ptxas info    : Function properties for b_kernel
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, used 0 barriers
"""
    assert nvcc._usage(output) == {"a_kernel": Usage(168, 12, 1072), "b_kernel": Usage(20, 0, 0)}
