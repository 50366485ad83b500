"""Resources: registers, spills and shared memory of a compiled kernel, as the assembler recorded them.

Reads what ``cuobjdump -res-usage`` prints and the metadata of AMDGCN text. What a source does not say is None. Dynamic shared memory is
decided at launch and in no binary: the language adds it.
"""

from __future__ import annotations

import re

from kernel_lab.ir.disassembly import run
from kernel_lab.ir.tools import Found
from kernel_lab.results import Resources

_FUNCTION = re.compile(r"Function\s+(\S+?):?\s*$")
_FIELD = re.compile(r"\b([A-Z]+)(?:\[\d+\])?:(\d+)")
_TEXT_SECTION = re.compile(r"^\s*\.section\s+\.text\.([^\s,\"]+)")
_SPILL_STORE = re.compile(r"^\s*/\*[0-9a-fA-F]{4,}\*/.*?\bSTL((?:\.\w+)*)\s")
_BARRIER = re.compile(r"^\s*/\*[0-9a-fA-F]{4,}\*/\s*(?:@!?U?P\w+\s+)?BAR\.(?!SCAN\b)\S+\s+([^,;\s]+)")
_WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
_METADATA_FIELD = re.compile(r"^\s*(?:- )?\s*\.(\w+):\s+(\S+)\s*$")
_KERNEL_START = re.compile(r"^  - \.")


def from_cubin(cubin: bytes, cuobjdump: Found, sass: str | None = None) -> dict[str, Resources]:
    """Function name → its resources: registers per thread, static shared memory, spills.

    ``spill_bytes`` per thread: 0 when the function has no stack frame; else the bytes of the local stores (``STL``) in ``sass``, each
    instruction counted once as in ptxas's "spill stores" (local arrays that are no spills count as well); None without ``sass``.
    Raises `MissingPackage` and `CompileError`.
    """
    return parse_usage(run(cuobjdump, ["-res-usage"], cubin), sass)


def parse_usage(text: str, sass: str | None = None) -> dict[str, Resources]:
    """The resources in the output of ``cuobjdump -res-usage``."""
    spills = spill_stores(sass) if sass is not None else {}
    found: dict[str, Resources] = {}
    name: str | None = None
    for line in text.splitlines():
        if match := _FUNCTION.search(line):
            name = match[1]
        elif name is not None and "REG:" in line:
            fields = {key: int(value) for key, value in _FIELD.findall(line)}
            frame = fields["STACK"] + fields["LOCAL"] if {"STACK", "LOCAL"} <= fields.keys() else None
            found[name] = Resources(
                registers=fields.get("REG"),
                spill_bytes=0 if frame == 0 else spills.get(name),
                shared_bytes=fields.get("SHARED"),
            )
            name = None
    return found


def spill_stores(sass: str) -> dict[str, int]:
    """Function name → bytes stored to local memory by one pass over its instructions, per thread."""
    found: dict[str, int] = {}
    name: str | None = None
    for line in sass.splitlines():
        if match := _TEXT_SECTION.match(line):
            name = match[1]
            found[name] = 0
        elif name is not None and "STL" in line and (store := _SPILL_STORE.match(line)):
            found[name] += next((_WIDTHS[part] for part in store[1].split(".") if part in _WIDTHS), 4)
    return found


def barriers(sass: str, function: str | None = None) -> int | None:
    """How many named barriers a disassembly uses, of ``function`` or of all of it; None where a register names one of them."""
    found: set[int] = set()
    inside = True
    for line in sass.splitlines():
        if function is not None and (match := _TEXT_SECTION.match(line)):
            inside = match[1] == function
        elif inside and "BAR." in line and (match := _BARRIER.match(line)):
            try:
                found.add(int(match[1], 0))
            except ValueError:
                return None
    return len(found)


def from_amdgcn(text: str, kernel: str | None = None) -> Resources:
    """The resources in the ``.amdgpu_metadata`` of AMDGCN text, of ``kernel`` or else of the first one.

    ``registers`` are vector registers per lane; ``spill_bytes`` those that were spilled, 4 bytes each (spilled scalar registers go
    to lanes of vector registers and cost no memory of their own); ``shared_bytes`` the static LDS; ``threads`` the workgroup size.
    """
    for fields in _metadata(text):
        if kernel is not None and fields.get("name", "").strip("'\"") != kernel:
            continue
        numbers = {key: int(value) for key, value in fields.items() if value.isdigit()}
        threads, wave = numbers.get("max_flat_workgroup_size"), numbers.get("wavefront_size")
        spilled = numbers.get("vgpr_spill_count")
        return Resources(
            registers=numbers.get("vgpr_count"),
            spill_bytes=4 * spilled if spilled is not None else None,
            shared_bytes=numbers.get("group_segment_fixed_size"),
            num_warps=threads // wave if threads and wave else None,
            threads=threads,
        )
    return Resources()


def scalar_registers(text: str) -> tuple[int | None, int | None]:
    """Scalar registers per wavefront, and how many were spilled, of the first kernel of AMDGCN text."""
    fields = next(iter(_metadata(text)), {})
    count, spilled = fields.get("sgpr_count"), fields.get("sgpr_spill_count")
    return (int(count) if count else None), (int(spilled) if spilled else None)


def _metadata(text: str) -> list[dict[str, str]]:
    """The fields of each kernel in the metadata block, those of its arguments left out."""
    _, found, block = text.partition(".amdgpu_metadata")
    kernels: list[dict[str, str]] = []
    for line in block.partition(".end_amdgpu_metadata")[0].splitlines() if found else ():
        if _KERNEL_START.match(line):
            kernels.append({})
        # fields of the kernel are indented by four columns, those of its arguments deeper
        if kernels and (match := _METADATA_FIELD.match(line)) and line.index(".") == 4:
            kernels[-1][match[1]] = match[2]
    return kernels
