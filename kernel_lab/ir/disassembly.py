"""Disassembly: machine code of a cubin as SASS text.

Runs nvdisasm in a child process with a time limit; leaves no files behind. Knows nothing of how the cubin came to be.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from kernel_lab.errors import CompileError, MissingPackage
from kernel_lab.ir import sass as sass_text
from kernel_lab.ir.tools import Found, Missing

TIMEOUT_S = 60.0
_RETIRED = re.compile(r'architecture "?SM(\d+)"? is deprecated.*?toolkit ([\d.]+) or earlier', re.IGNORECASE)
_NOISE = re.compile(r"^nvdisasm (?:warning|info)", re.IGNORECASE)


def run(tool: Found, arguments: list[str], cubin: bytes, timeout: float = TIMEOUT_S) -> str:
    """What ``tool`` prints about ``cubin``. Raises `MissingPackage` when it is not here or cannot be started, `CompileError` when it
    refuses the cubin or runs past ``timeout`` seconds."""
    if isinstance(tool, Missing):
        raise MissingPackage(f"{tool.name} is not installed", hint=tool.how_to_get)
    with tempfile.TemporaryDirectory(prefix="kernel_lab_") as folder:
        image = Path(folder, "kernel.cubin")
        image.write_bytes(cubin)
        try:
            done = subprocess.run(
                [tool.path, *arguments, str(image)], capture_output=True, text=True, errors="replace", timeout=timeout, check=False
            )
        except subprocess.TimeoutExpired:
            raise CompileError(f"{tool.name} did not finish within {timeout:g} s", hint="the other stages are complete") from None
        except OSError as error:
            what = f"{tool.name} at {tool.path} cannot be started: {error.strerror}"
            raise MissingPackage(what, hint="reinstall it, or set CUDA_HOME to a CUDA toolkit") from None
    if done.returncode != 0 or not done.stdout.strip():
        raise _refusal(tool.name, tool.origin, done.stderr or done.stdout)
    return done.stdout


def _refusal(name: str, origin: str, said: str) -> CompileError | MissingPackage:
    retired = _RETIRED.search(said)
    if retired:
        return MissingPackage(
            f"this {name} ({origin}) no longer reads sm_{retired[1]} code",
            hint=f"set CUDA_HOME to a CUDA toolkit of {retired[2]} or earlier; PTX and the earlier stages need none",
        )
    lines = [line.strip() for line in said.splitlines() if line.strip() and not _NOISE.match(line.strip())]
    return CompileError(f"{name} could not read the kernel: {lines[0] if lines else 'no output'}", hint="the other stages are complete")


def sass(cubin: bytes, nvdisasm: Found, *, ptx: str | None = None, file: str | None = None, timeout: float = TIMEOUT_S) -> str:
    """The SASS of ``cubin`` with line markers.

    With ``ptx`` (the very text that was assembled to ``cubin``) and ``file`` (the cell's name in it) the markers give the true lines
    of the cell, which the line table in the cubin does not (see `kernel_lab.ir.sass`). Else they are nvdisasm's own, with call
    chains. Raises `MissingPackage` and `CompileError` (see `run`).
    """
    if ptx is not None and file is not None:
        return sass_text.relate(_disassemble(cubin, nvdisasm, ["-gi", "-gp"], timeout), ptx, file)
    return _disassemble(cubin, nvdisasm, ["-gi"], timeout)


def _disassemble(cubin: bytes, nvdisasm: Found, line_info: list[str], timeout: float) -> str:
    try:
        return run(nvdisasm, ["-c", *line_info], cubin, timeout)
    except CompileError as refused:
        # damaged or absent line information must not cost the reader the code
        try:
            return run(nvdisasm, ["-c"], cubin, timeout)
        except CompileError:
            raise refused from None
