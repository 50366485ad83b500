"""Tools: where the external programs are that read and make machine code, and how to get those that are missing.

Looks at the environment, PATH and installed wheels anew on each call (cheap), runs nothing, and imports none of the packages whose
wheels carry a tool. What is found is a `Tool`; what is not is a `Missing` that says how to get it.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

# CUDA 13.1's nvdisasm ended support for these; Triton's own ptxas still makes them
RETIRED_ARCHITECTURES = ("sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72")

_EXEC = re.compile(r"""(?:exec\s+|^\s*)["']?(/[^\s"'$]+)["']?""", re.MULTILINE)


@dataclass(frozen=True)
class Tool:
    """A program: ``path`` with wrappers and symbolic links resolved, ``origin`` in words ("Triton's wheel")."""

    name: str
    path: str
    origin: str

    @property
    def home(self) -> str:
        """The toolkit that the program belongs to: what CUDA_HOME should be for it."""
        return str(Path(self.path).parent.parent)


@dataclass(frozen=True)
class Missing:
    """A program that is not here; ``how_to_get`` is one sentence."""

    name: str
    how_to_get: str


Found = Tool | Missing
Search = Callable[[str], Iterator[Tool]]


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def resolve(path: str, name: str) -> str:
    """The program behind links and one-line shell wrappers: a toolkit is found by where its real program lies.

    A link that ends at a program of another name (a compiler cache that acts by the name it is called by) is left as it is.
    """
    for _ in range(8):  # wrappers of wrappers end somewhere
        real = os.path.realpath(path)
        if os.path.basename(real) != name:
            return os.path.abspath(path)
        target = _wrapped(real, name)
        if target is None:
            return real
        path = target
    return os.path.abspath(path)


def _wrapped(path: str, name: str) -> str | None:
    """The program that the shell script at ``path`` hands over to; None when it is no such script."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(4096)
    except OSError:
        return None
    if not head.startswith(b"#!"):
        return None
    for target in _EXEC.findall(head.decode("utf-8", "replace").split("\n", 1)[-1]):
        if os.path.basename(target) == name and _is_program(Path(target)) and os.path.realpath(target) != path:
            return str(target)
    return None


def _in_environment(name: str) -> Iterator[Tool]:
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        root = os.environ.get(variable)
        if root and _is_program(program := Path(root, "bin", name)):
            yield Tool(name, resolve(str(program), name), variable)


def _on_path(name: str) -> Iterator[Tool]:
    if found := shutil.which(name):
        yield Tool(name, resolve(found, name), "PATH")
    if name != "nvcc" and (nvcc := shutil.which("nvcc")) and _is_program(program := Path(resolve(nvcc, "nvcc")).parent / name):
        yield Tool(name, str(program), "the toolkit of the nvcc on PATH")
    if _is_program(program := Path("/usr/local/cuda/bin", name)):
        yield Tool(name, resolve(str(program), name), "/usr/local/cuda")


def _package_folders(package: str) -> list[Path]:
    """The folders of an installed package; ``find_spec`` of a top-level name does not import it."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return []
    return [Path(folder) for folder in spec.submodule_search_locations or ()] if spec else []


def _in_triton(name: str) -> Iterator[Tool]:
    for folder in _package_folders("triton"):
        if _is_program(program := folder / "backends" / "nvidia" / "bin" / name):
            yield Tool(name, str(program), "Triton's wheel")


def _in_nvidia_wheels(name: str) -> Iterator[Tool]:
    for folder in _package_folders("nvidia"):
        # CUDA 13 wheels share nvidia/cu13; CUDA 12 wheels have a folder per component
        for program in (*sorted(folder.glob(f"cu[0-9]*/bin/{name}"), reverse=True), *sorted(folder.glob(f"cuda_*/bin/{name}"))):
            if _is_program(program):
                yield Tool(name, str(program), "NVIDIA's wheels")


_MACHINE: tuple[Search, ...] = (_in_environment, _on_path)
_WHEELS: tuple[Search, ...] = (_in_triton, _in_nvidia_wheels)
_TRITON = "it comes with Triton (pip install triton); or set CUDA_HOME to a CUDA toolkit"
_NVCC = "pip install 'tilelang[nvcc]', or set CUDA_HOME to a CUDA toolkit"


def _first(name: str, searches: tuple[Search, ...], how_to_get: str) -> Found:
    for search in searches:
        for tool in search(name):
            return tool
    return Missing(name, how_to_get)


def find_nvdisasm(arch: str | None = None) -> Found:
    """nvdisasm. Triton's own comes first: it knows what Triton's ptxas makes. For an ``arch`` that new releases retired
    (`RETIRED_ARCHITECTURES`) the machine's toolkit comes first, which may be older."""
    retired = arch is not None and arch.rstrip("af") in RETIRED_ARCHITECTURES
    return _first("nvdisasm", (*_MACHINE, *_WHEELS) if retired else (*_WHEELS, *_MACHINE), _TRITON)


def find_cuobjdump() -> Found:
    """cuobjdump, Triton's own first."""
    return _first("cuobjdump", (*_WHEELS, *_MACHINE), _TRITON)


def find_ptxas() -> Found:
    """ptxas: the machine's toolkit, else Triton's."""
    return _first("ptxas", (*_MACHINE, *_WHEELS), _TRITON)


def find_nvcc() -> Found:
    """nvcc: the machine's toolkit, else the wheels that ``tilelang[nvcc]`` brings. It also needs a `host_compiler`."""
    return _first("nvcc", (*_MACHINE, *_WHEELS), _NVCC)


def host_compiler() -> Found:
    """The C++ compiler that nvcc needs: ``CXX``, else g++, clang++ or c++ on PATH. Its path is left as called."""
    for name in (os.environ.get("CXX", "").split(" ")[0], "g++", "clang++", "c++"):
        if name and (found := shutil.which(name)):
            return Tool(os.path.basename(name), os.path.abspath(found), "CXX" if name == os.environ.get("CXX") else "PATH")
    return Missing("g++", "install a C++ compiler (Debian: apt install g++; conda: conda install gxx)")
