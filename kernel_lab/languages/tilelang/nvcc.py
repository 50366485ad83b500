"""From CUDA C++ to PTX, SASS and resources, through the nvcc of this machine or of PyPI's wheels.

Knows tools and texts, not TileLang's objects. What is missing is said in words that tell how to get it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

GET_NVCC = 'nvcc was not found, so PTX and SASS are left out: pip install "tilelang[nvcc]", or install the CUDA toolkit and set CUDA_HOME'
GET_CXX = "no C++ compiler (g++, clang++ or c++) was found, which nvcc needs, so PTX and SASS are left out: install g++ or clang++"
GET_NVDISASM = "nvdisasm was not found, so SASS is left out: pip install triton carries it, and so does the CUDA toolkit"


class NvccError(Exception):
    """nvcc refused the generated code: ``line`` is the line of that code, None when it names none."""

    def __init__(self, message: str, line: int | None, output: str) -> None:
        super().__init__(message)
        self.message, self.line, self.output = message, line, output


@dataclass(frozen=True)
class Usage:
    """What ptxas said of one kernel: 32-bit registers per thread, bytes spilled per thread, static shared bytes per block."""

    registers: int | None = None
    spill_bytes: int | None = None
    shared_bytes: int | None = None


@dataclass(frozen=True)
class Compiled:
    """What nvcc made; a stage that could not be made is None, and ``notes`` say why."""

    ptx: str | None = None
    sass: str | None = None
    usage: dict[str, Usage] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    generated: str = "kernel.cu"


def find_nvcc() -> Path | None:
    """nvcc by CUDA_HOME / CUDA_PATH, then PATH (links followed when their own prefix has no headers), wheels, /usr/local/cuda."""
    name = "nvcc.exe" if os.name == "nt" else "nvcc"
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        home = os.environ.get(variable)
        if home and (Path(home) / "bin" / name).exists():
            return Path(home) / "bin" / name
    on_path = shutil.which("nvcc")
    if on_path:
        path = Path(on_path)
        # nvcc finds its own parts beside itself: through a link alone (a bin directory elsewhere) it would not
        return path if (path.parent.parent / "include" / "cuda_runtime.h").exists() else path.resolve()
    for entry in sys.path:
        for candidate in sorted(Path(entry or ".").glob(f"nvidia/cu*/bin/{name}"), reverse=True):
            return candidate
    fallback = Path("/usr/local/cuda/bin") / name
    return fallback if fallback.exists() else None


def find_cxx() -> Path | None:
    """The host C++ compiler that nvcc is to use: CXX, g++, clang++, c++ (cl on Windows)."""
    for name in (os.environ.get("CXX"), *(("cl",) if os.name == "nt" else ("g++", "clang++", "c++"))):
        found = shutil.which(name) if name else None
        if found:
            return Path(found)
    return None


def find_nvdisasm(nvcc: Path | None = None) -> Path | None:
    """nvdisasm beside nvcc, on PATH, in the wheels, or the one that Triton carries."""
    beside = nvcc.parent / "nvdisasm" if nvcc else None
    if beside and beside.exists():
        return beside
    on_path = shutil.which("nvdisasm")
    if on_path:
        return Path(on_path)
    for entry in sys.path:
        for pattern in ("nvidia/cu*/bin/nvdisasm", "triton/backends/nvidia/bin/nvdisasm"):
            for candidate in Path(entry or ".").glob(pattern):
                return candidate
    return None


def compile_cuda(code: str, arch: str, *, name: str = "kernel", includes: Sequence[Path] = (), flags: Sequence[str] = ()) -> Compiled:
    """PTX, SASS and resource usage of ``code`` for ``arch`` ("sm_90a"). Raises `NvccError` when nvcc refuses the code."""
    nvcc = find_nvcc()
    if nvcc is None:
        return Compiled(notes=(GET_NVCC,))
    cxx = find_cxx()
    if cxx is None:
        return Compiled(notes=(GET_CXX,))
    generated = f"{name}.cu"
    with tempfile.TemporaryDirectory(prefix="kernel-lab-") as folder:
        Path(folder, generated).write_text(code)
        command = [str(nvcc), f"-ccbin={cxx}", "-cubin", f"-arch={arch}", "-O3", "-std=c++20", "-lineinfo", "-Xptxas=-v", "--keep"]
        command += [f"-I{path}" for path in includes]
        command += [*flags, "-o", f"{name}.cubin", generated]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        except OSError as error:
            return Compiled(notes=(f"{nvcc} could not be started ({error.strerror or error}), so PTX and SASS are left out",))
        output = done.stdout + done.stderr
        if done.returncode != 0:
            if re.search(r"(Unsupported gpu architecture|not defined for option 'gpu-architecture')", output):
                note = f"{_release(nvcc)} does not know {arch}, so PTX and SASS are left out: use another release of the CUDA toolkit"
                return Compiled(notes=(note,))
            raise _refusal(output, generated)
        ptx_file = Path(folder, f"{name}.ptx")
        ptx = _relative(ptx_file.read_text(errors="replace"), folder) if ptx_file.exists() else None
        sass, notes = _disassemble(Path(folder, f"{name}.cubin"), nvcc)
        return Compiled(ptx, _relative(sass, folder) if sass else None, _usage(output), notes, generated)


def _disassemble(cubin: Path, nvcc: Path) -> tuple[str | None, tuple[str, ...]]:
    """The disassembly with the chain of source lines of each instruction, and notes when there is none."""
    tool = find_nvdisasm(nvcc)
    if tool is None:
        return None, (GET_NVDISASM,)
    try:
        done = subprocess.run([str(tool), "-c", "-gi", "-gp", str(cubin)], capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        return None, (f"{tool} could not be started ({error.strerror or error}), so SASS is left out",)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[0]
        return None, (f"nvdisasm could not read this cubin ({reason}), so SASS is left out: it may be older than nvcc",)
    return done.stdout, ()


def _relative(text: str, folder: str) -> str:
    """``text`` without this machine's temporary folder, so that the same kernel gives the same stage."""
    return text.replace(os.path.realpath(folder) + os.sep, "").replace(folder + os.sep, "")


def _release(nvcc: Path) -> str:
    done = subprocess.run([str(nvcc), "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"release ([\d.]+)", done.stdout)
    return f"nvcc {match[1]}" if match else "this nvcc"


def _refusal(output: str, generated: str) -> NvccError:
    """The first error of nvcc, cudafe++ or ptxas; a line number counts when it is one of ``generated``."""
    for row in output.splitlines():
        match = re.match(r"(.*?)[(:](\d+)\)?:(?:\d+:)?\s*(?:fatal )?(?:catastrophic )?error\s*:?\s*(.*)", row)
        if match:
            file, line, message = match.groups()
            return NvccError(message.strip(), int(line) if os.path.basename(file) == generated else None, output)
    for row in output.splitlines():
        match = re.search(r"\b(?:error|fatal)\s*:\s*(.*)", row, re.IGNORECASE)
        if match:
            return NvccError(match[1].strip(), None, output)
    return NvccError((output.strip().splitlines() or ["nvcc failed without a message"])[0], None, output)


def _usage(output: str) -> dict[str, Usage]:
    found: dict[str, Usage] = {}
    name, spills = None, None
    for row in output.splitlines():
        if match := re.search(r"(?:Compiling entry function|Function properties for) '?([\w$]+)'?", row):
            name, spills = match[1], spills if match[1] == name else None
        elif match := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", row):
            spills = int(match[1])
        elif (match := re.search(r"Used (\d+) registers", row)) and name:
            shared = re.search(r"(\d+) bytes smem", row)
            found[name] = Usage(int(match[1]), spills, int(shared[1]) if shared else 0)
    return found
