"""Finding tools: wrappers and links, the order of places, and what is said when there is none."""

from __future__ import annotations

import importlib.machinery
import os
from pathlib import Path

import pytest

from kernel_lab.ir import tools
from kernel_lab.ir.tools import Missing, Tool


def program(path: Path, text: str = "#!/bin/sh\necho hello\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with no tools at all: an empty PATH, no toolkit, no wheels."""
    for variable in ("CUDA_HOME", "CUDA_PATH", "CXX"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(tools, "_package_folders", lambda package: [])
    standard = tools._is_program
    monkeypatch.setattr(tools, "_is_program", lambda path: not str(path).startswith("/usr/local/cuda") and standard(path))
    return tmp_path


def wheels(monkeypatch: pytest.MonkeyPatch, **folders: Path) -> None:
    monkeypatch.setattr(tools, "_package_folders", lambda package: [folders[package]] if package in folders else [])


def test_what_is_missing_says_how_to_get_it(bare: Path) -> None:
    nvcc, nvdisasm, compiler = tools.find_nvcc(), tools.find_nvdisasm(), tools.host_compiler()
    assert isinstance(nvcc, Missing) and "tilelang[nvcc]" in nvcc.how_to_get and "CUDA_HOME" in nvcc.how_to_get
    assert isinstance(nvdisasm, Missing) and "triton" in nvdisasm.how_to_get
    assert isinstance(compiler, Missing) and "g++" in compiler.how_to_get
    assert isinstance(tools.find_ptxas(), Missing) and isinstance(tools.find_cuobjdump(), Missing)


def test_a_symlinked_nvcc_still_has_its_toolkit(bare: Path) -> None:
    real = program(bare / "cuda-13" / "bin" / "nvcc")
    (bare / "alternatives").symlink_to(real)
    (bare / "bin").mkdir()
    (bare / "bin" / "nvcc").symlink_to(bare / "alternatives")
    found = tools.find_nvcc()
    assert found == Tool("nvcc", str(real), "PATH")
    assert found.home == str(bare / "cuda-13")


def test_a_wrapper_script_is_seen_through(bare: Path) -> None:
    real = program(bare / "cuda-12" / "bin" / "nvcc", "not a script")
    program(bare / "bin" / "nvcc", f'#!/bin/sh\nexec {real} "$@"\n')
    found = tools.find_nvcc()
    assert isinstance(found, Tool) and found.path == str(real)


def test_other_tools_are_found_beside_the_nvcc_on_path(bare: Path) -> None:
    program(bare / "cuda-12" / "bin" / "nvcc", "not a script")
    beside = program(bare / "cuda-12" / "bin" / "nvdisasm")
    program(bare / "bin" / "nvcc", f'#!/bin/sh\nexec {beside.with_name("nvcc")} "$@"\n')
    found = tools.find_nvdisasm("sm_70")
    assert isinstance(found, Tool) and found.path == str(beside)


def test_a_compiler_cache_behind_the_name_is_left_alone(bare: Path) -> None:
    cache = program(bare / "cache" / "ccache")
    (bare / "bin").mkdir()
    (bare / "bin" / "nvcc").symlink_to(cache)
    found = tools.find_nvcc()
    assert isinstance(found, Tool) and found.path == str(bare / "bin" / "nvcc")


def test_a_wrapper_that_calls_itself_ends(bare: Path) -> None:
    path = bare / "bin" / "nvcc"
    program(path, f"#!/bin/sh\nexec {path}\n")
    assert tools.find_nvcc() == Tool("nvcc", str(path), "PATH")


def test_the_environment_comes_before_path_and_wheels_last(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = program(bare / "site" / "nvidia" / "cu13" / "bin" / "nvcc")
    wheels(monkeypatch, nvidia=bare / "site" / "nvidia")
    assert tools.find_nvcc() == Tool("nvcc", str(wheel), "NVIDIA's wheels")
    on_path = program(bare / "bin" / "nvcc")
    assert tools.find_nvcc() == Tool("nvcc", str(on_path), "PATH")
    named = program(bare / "toolkit" / "bin" / "nvcc")
    monkeypatch.setenv("CUDA_PATH", str(bare / "toolkit"))
    assert tools.find_nvcc() == Tool("nvcc", str(named), "CUDA_PATH")
    monkeypatch.setenv("CUDA_HOME", str(bare / "nowhere"))
    assert tools.find_nvcc() == Tool("nvcc", str(named), "CUDA_PATH"), "a CUDA_HOME without the tool is passed over"


def test_cuda_12_wheels_have_a_folder_per_component(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = program(bare / "site" / "nvidia" / "cuda_nvcc" / "bin" / "ptxas")
    wheels(monkeypatch, nvidia=bare / "site" / "nvidia")
    assert tools.find_ptxas() == Tool("ptxas", str(wheel), "NVIDIA's wheels")


def test_tritons_nvdisasm_comes_first_but_not_for_what_it_no_longer_reads(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = program(bare / "site" / "triton" / "backends" / "nvidia" / "bin" / "nvdisasm")
    machine = program(bare / "bin" / "nvdisasm")
    wheels(monkeypatch, triton=bare / "site" / "triton")
    assert tools.find_nvdisasm() == tools.find_nvdisasm("sm_90a") == Tool("nvdisasm", str(own), "Triton's wheel")
    assert tools.find_nvdisasm("sm_70") == Tool("nvdisasm", str(machine), "PATH")


def test_the_host_compiler_follows_cxx(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bare / "bin" / "clang++")
    assert tools.host_compiler() == Tool("clang++", str(bare / "bin" / "clang++"), "PATH")
    program(bare / "bin" / "icpx")
    monkeypatch.setenv("CXX", "icpx")
    assert tools.host_compiler() == Tool("icpx", str(bare / "bin" / "icpx"), "CXX")


def test_a_file_that_is_no_program_is_no_tool(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bare / "toolkit" / "bin" / "nvcc"
    program(path)
    os.chmod(path, 0o644)
    monkeypatch.setenv("CUDA_HOME", str(bare / "toolkit"))
    assert isinstance(tools.find_nvcc(), Missing)


def test_packages_are_located_without_importing_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "lab_package_that_must_not_run"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.machinery.PathFinder.invalidate_caches()
    assert tools._package_folders("lab_package_that_must_not_run") == [package]
    assert tools._package_folders("no_such_package_anywhere") == []
