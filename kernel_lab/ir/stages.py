"""Stages: what each stage of a lowering is called, how it is written, and how its lines lead back to the cell.

One registry, `KINDS`. A stage is text: binaries (cubin, hsaco) are disassembled before they come here. Knows the line maps in
this folder and nothing of the compilers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kernel_lab.errors import OptionError, suggest
from kernel_lab.ir import amdgcn, directives, llvm, locations, ptx, sass
from kernel_lab.results import Stage

LineMap = tuple[int | None, ...]
Mapper = Callable[[str, str], LineMap]


@dataclass(frozen=True)
class StageKind:
    """A kind of stage: ``syntax`` names the highlighting, ``order`` its place in the lowering, ``language`` the kernel language."""

    name: str
    title: str
    syntax: str
    order: int
    language: str


def _source(text: str, file: str) -> LineMap:
    return tuple(range(1, len(text.splitlines()) + 1))


def _unmapped(text: str, file: str) -> LineMap:
    return (None,) * len(text.splitlines())


_MAPPERS: dict[str, Mapper] = {
    "source": _source,
    "ttir": locations.line_map,
    "ttgir": locations.line_map,
    "llir": llvm.line_map,
    "ptx": ptx.line_map,
    "sass": sass.line_map,
    "amdgcn": amdgcn.line_map,
    "tir": _unmapped,
    "tir_lowered": _unmapped,
    "cuda": directives.line_map,
    "hip": directives.line_map,
    "metal": directives.line_map,
}

KINDS: tuple[StageKind, ...] = (
    StageKind("source", "Source", "python", 0, "triton"),
    StageKind("ttir", "Triton IR", "mlir", 1, "triton"),
    StageKind("ttgir", "Triton GPU IR", "mlir", 2, "triton"),
    StageKind("llir", "LLVM IR", "llvm", 3, "triton"),
    StageKind("ptx", "PTX", "ptx", 4, "triton"),
    StageKind("sass", "SASS", "sass", 5, "triton"),
    StageKind("amdgcn", "AMDGCN", "amdgcn", 6, "triton"),
    StageKind("source", "Source", "python", 0, "tilelang"),
    StageKind("tir", "TIR", "python", 1, "tilelang"),
    StageKind("tir_lowered", "Lowered TIR", "python", 2, "tilelang"),
    StageKind("cuda", "CUDA C++", "cpp", 3, "tilelang"),
    StageKind("hip", "HIP C++", "cpp", 4, "tilelang"),
    StageKind("metal", "Metal", "cpp", 5, "tilelang"),
    StageKind("ptx", "PTX", "ptx", 6, "tilelang"),
    StageKind("sass", "SASS", "sass", 7, "tilelang"),
)


def kinds(language: str) -> tuple[StageKind, ...]:
    """The stage kinds of ``language`` ("triton", "tilelang"), in the order of the lowering. Raises `OptionError` on another name."""
    found = tuple(sorted((item for item in KINDS if item.language == language), key=lambda item: item.order))
    if not found:
        raise OptionError(
            f"no kernel language {language!r}", hint=suggest(language, {item.language for item in KINDS}, label="known languages")
        )
    return found


def kind(name: str, language: str | None = None) -> StageKind:
    """The kind called ``name``, of ``language`` where that is given. Raises `OptionError` that lists the known ones."""
    among = KINDS if language is None else kinds(language)
    for item in among:
        if item.name == name:
            return item
    where = f" in {language}" if language else ""
    raise OptionError(f"no stage {name!r}{where}", hint=suggest(name, dict.fromkeys(item.name for item in among), label="known stages"))


def compose(line_map: Sequence[int | None], through: Sequence[int | None]) -> LineMap:
    """A map into an intermediate text, followed ``through`` that text's own map (PTX → CUDA source → cell)."""
    return tuple(through[line - 1] if line is not None and 0 < line <= len(through) else None for line in line_map)


def make_stage(
    name: str,
    text: str,
    *,
    file: str,
    cell_offset: int = 0,
    through: Sequence[int | None] | None = None,
    line_map: Sequence[int | None] | None = None,
) -> Stage:
    """The stage ``name`` with its line map.

    ``file`` is the name under which the compiler knew the cell's text; ``cell_offset`` is added to its line numbers to give
    cell lines (0 where line 1 of the file is the magic line; for ``source``, the line before the excerpt begins).
    ``through`` is for a stage whose locations point into another generated text: ``file`` is then that text's name and
    ``through`` its line map, already in cell lines. ``line_map`` is used as it is (in cell lines) where the caller knows better.
    Raises `OptionError` on an unknown stage, ValueError when ``line_map`` does not have one entry per line of ``text``.
    """
    found = kind(name)
    if line_map is not None:
        mapped = tuple(line_map)
        if len(mapped) != len(text.splitlines()):
            raise ValueError(f"{name}: a line map of {len(mapped)} entries for {len(text.splitlines())} lines")
        return Stage(name, text, found.syntax, mapped)
    mapped = _MAPPERS[name](text, file)
    if through is not None:
        mapped = compose(mapped, through)
    elif cell_offset:
        mapped = tuple(line + cell_offset if line is not None and line + cell_offset > 0 else None for line in mapped)
    return Stage(name, text, found.syntax, mapped)
