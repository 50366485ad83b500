"""Costs: how many machine instructions of which kind each line of the cell became.

Counts what stands in the code, once each: a loop's body is not multiplied, and an instruction is not a time. Padding (``NOP``) is left out.
Knows the texts of machine code and `opcodes`; a stage's line map says which line an instruction belongs to.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from kernel_lab.ir.opcodes import AMDGCN, PTX, SASS
from kernel_lab.results import LineCost, Stage

# the first of these that a kernel has is counted: PTX is what the assembler was given, not what the GPU runs
COUNTED = ("sass", "amdgcn", "ptx")

_SASS_LINE = re.compile(r"^\s*/\*[0-9a-fA-F]{4,}\*/\s*(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*(?:\.\w+)*)\s*([^;]*)")
_AMD_LINE = re.compile(r"^\s+(?:v_dual_(?=\w+ ))?([a-z]\w*)(?=\s|$)")
_PTX_LINE = re.compile(r"^\s*(?:@!?%\w+\s+)?\{?\s*([a-z][a-z0-9_]*(?:(?:\.|::)\w+)*)(?=;|\s+\S)(.*)")
_SASS_FUNCTION = re.compile(r'^\s*\.section\s+"?\.text\.([^\s,"]+)')
_PTX_FUNCTION = re.compile(r"^(?:\.\w+\s+)*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")

_SASS_KINDS = {opcode: row.kind for row in SASS for opcode in row.opcodes.split()}
_PATTERNS = {name: tuple((re.compile(row.opcodes), row.kind) for row in rows) for name, rows in (("amdgcn", AMDGCN), ("ptx", PTX))}
_WIDE = frozenset(
    {"global load", "global store", "shared load", "shared store", "local load", "local store", "constant load", "async copy"}
)
_SASS_BITS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128, "256": 256}
_BULK = re.compile(r"U(?:TMA|BLK|TCCP)")
_AMD_BITS = re.compile(
    r"(?:load|store|read|write)(2?)\w*?_(?:(2addr)_\w*?)?"
    r"(?:dword(?:x(\d+))?|([su]?short)|([su]byte)|[iub](8|16|32|64|96|128|256|512)(?![0-9]))"
)
_PTX_BITS = re.compile(r"\.(?:b|u|s|f|bf)(8|16|32|64|128)(x2)?$")
_PTX_COPY = re.compile(r"\],[^,\]]*\],\s*(0x[0-9a-f]+|\d+)")


def of_stages(stages: Mapping[str, Stage], function: str | None = None) -> tuple[tuple[LineCost, ...], str | None]:
    """The costs by cell line of a kernel with ``stages``, and the name of the stage they were counted in: the machine code, else PTX.

    ``function``: count this function of the text alone. ``((), None)`` when no stage has instructions.
    """
    for name in COUNTED:
        if name in stages and (found := line_costs(stages[name], function)):
            return found, name
    return (), None


def line_costs(stage: Stage, function: str | None = None) -> tuple[LineCost, ...]:
    """The instructions of ``stage`` ("sass", "amdgcn" or "ptx") by cell line, ascending; those that come from none stand last under None.

    Counts are by kind (`opcodes.KINDS`), the most frequent first, with the bits that one thread moves behind the kinds that move memory.
    """
    found: dict[int | None, Counter[str]] = {}
    for row, kind in _instructions(stage, function):
        line = stage.line_map[row] if row < len(stage.line_map) else None
        found.setdefault(line, Counter())[kind] += 1
    order = sorted(found, key=lambda line: (line is None, line or 0))
    return tuple(LineCost(line, dict(found[line].most_common())) for line in order)


@functools.lru_cache(maxsize=4096)
def classify(syntax: str, opcode: str) -> str:
    """The kind of ``opcode`` with its modifiers in ``syntax`` ("sass", "amdgcn", "ptx"): "LDG.E.128" → "global load 128"."""
    if syntax == "sass":
        kind = _SASS_KINDS.get(opcode.split(".", 1)[0], "other")
        bits = _sass_bits(opcode) if kind in _WIDE else None
    else:
        kind = next((kind for pattern, kind in _PATTERNS[syntax] if pattern.match(opcode)), "other")
        bits = (_amd_bits(opcode) if syntax == "amdgcn" else _ptx_bits(opcode)) if kind in _WIDE else None
    return kind if bits is None else f"{kind} {bits}"


def _instructions(stage: Stage, function: str | None) -> Iterator[tuple[int, str]]:
    """The row of each instruction and its kind."""
    rows = {"sass": _sass, "amdgcn": _amdgcn, "ptx": _ptx}[stage.name]
    return rows(stage.text.splitlines(), function)


def _sass(lines: list[str], function: str | None) -> Iterator[tuple[int, str]]:
    inside = True
    for row, line in enumerate(lines):
        if match := _SASS_LINE.match(line):
            if inside and match[1] != "NOP":
                yield row, classify("sass", match[1])
        elif function is not None and (section := _SASS_FUNCTION.match(line)):
            inside = section[1] == function


def _amdgcn(lines: list[str], function: str | None) -> Iterator[tuple[int, str]]:
    for row, line in enumerate(lines):
        if ".amdgpu_metadata" in line:
            break
        match = _AMD_LINE.match(line)
        if match is None:
            continue
        kind = classify("amdgcn", match[1])
        code, _, comment = line.partition(";")
        if "Folded" in comment and "buffer_" in code:  # gfx90a and older spill by buffer instructions
            kind = kind.replace("global", "local")
        elif code.rstrip().endswith(" lds"):
            kind = kind.replace("global load", "async copy")
        yield row, kind


def _ptx(lines: list[str], function: str | None) -> Iterator[tuple[int, str]]:
    inside = function is None
    for row, line in enumerate(lines):
        bare = line.split("//", 1)[0]
        if function is not None and (match := _PTX_FUNCTION.match(bare)):
            inside = match[1] == function
        elif inside and (match := _PTX_LINE.match(bare)):
            kind = classify("ptx", match[1])
            if kind == "async copy" and (size := _PTX_COPY.search(match[2])):
                kind += f" {8 * int(size[1], 0)}"
            yield row, kind


def _sass_bits(opcode: str) -> int | None:
    name, *modifiers = opcode.split(".")
    if _BULK.match(name):
        return None  # a descriptor or a register says how much
    if name in ("LDSM", "STSM"):  # 8×8 matrices of 16 bits: one 32-bit register of each thread for each
        return 32 * next((int(part) for part in modifiers if part in ("2", "4")), 1)
    return next((_SASS_BITS[part] for part in modifiers if part in _SASS_BITS), 32)


def _amd_bits(opcode: str) -> int | None:
    match = _AMD_BITS.search(opcode)
    if match is None:
        return None
    twice, paired, words, short, byte, plain = match.groups()
    bits = 16 if short else 8 if byte else int(plain) if plain else 32 * int(words or 1)
    return bits * (2 if twice or paired else 1)


def _ptx_bits(opcode: str) -> int | None:
    parts = opcode.split(".")
    if parts[0] in ("ldmatrix", "stmatrix"):
        return 32 * next((int(part[1:]) for part in parts if part in ("x2", "x4")), 1)
    match = _PTX_BITS.search(opcode)
    if match is None:
        return None
    vector = next((int(part[1:]) for part in parts if part in ("v2", "v4", "v8")), 1)
    return int(match[1]) * vector * (2 if match[2] else 1)
