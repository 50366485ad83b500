"""Line maps of TileLang's stages: which cell line a line of TIR, CUDA, HIP, PTX or SASS comes from.

Works on texts and on TIR statements' spans; knows nothing of targets or tools. A line whose origin is not certain has none.
"""

from __future__ import annotations

import re
from typing import Any

from kernel_lab.ir import directives, sass
from kernel_lab.ir.files import same_file

_DIRECTIVE = re.compile(r'^\s*#line (\d+) "(.*)"\s*$')
_MARK = "@kernel-lab:"
_MARKED = re.compile(r"\s*# " + _MARK + r"(\d*)$")
_MATRIX_CODE = re.compile(r"gemm|mma", re.IGNORECASE)  # the files of TileLang that expand T.gemm

LineMap = tuple[int | None, ...]


def gemm_line(func: Any, cell_file: str) -> int | None:
    """The cell line of the only ``T.gemm`` of a kernel, to which all matrix code from TileLang's own files belongs; None when there are
    several, or none."""
    from tilelang.ir import get_stmt_span
    from tvm import tirx
    from tvm.tirx.stmt_functor import post_order_visit

    found: list[int | None] = []

    def visit(node: Any) -> None:
        if isinstance(node, tirx.Evaluate) and isinstance(node.value, tirx.Call) and "gemm" in str(getattr(node.value.op, "name", "")):
            span = get_stmt_span(node)
            found.append(span.line if span is not None and same_file(span.source_name.name, cell_file) else None)

    post_order_visit(func.body, visit)
    return found[0] if len(found) == 1 else None


def split_directives(text: str, cell_file: str, gemm: int | None = None) -> tuple[str, LineMap]:
    """Generated C++ without its ``#line`` directives, and where its lines come from. ``gemm`` is the line of the only ``T.gemm``."""
    files = {match[2] for row in text.splitlines() if (match := _DIRECTIVE.match(row))}
    library = {file for file in files if not same_file(file, cell_file)}
    mapped = directives.line_map(text, cell_file, gemm if all(_MATRIX_CODE.search(file) for file in library) else None)
    kept = [(row, line) for row, line in zip(text.splitlines(), mapped, strict=True) if not _DIRECTIVE.match(row)]
    return "".join(f"{row}\n" for row, _ in kept), tuple(line for _, line in kept)


def mark_sass(text: str, ptx: str | None, generated: str, code_map: LineMap, cell_file: str) -> str:
    """A disassembly with one marker per change of cell line, in the place of markers that lead through ``ptx`` and ``generated``."""
    if ptx is not None:
        text = sass.relate(text, ptx, generated)
    mapped = sass.line_map(text, generated)
    kept: list[str] = []
    last: int | str | None = "nothing yet"
    for row, place in zip(text.splitlines(), mapped, strict=True):
        if row.lstrip().startswith("//##"):
            continue
        if sass.is_instruction(row):
            line = code_map[place - 1] if place is not None and 0 < place <= len(code_map) else None
            if line != last:
                kept.append(f'\t//## File "{cell_file}", line {line}' if line is not None else "\t//## no source line")
                last = line
        elif row.lstrip().startswith(".section"):
            last = "nothing yet"
        kept.append(row)
    return "\n".join(kept) + "\n"


def tir_text(func: Any, cell_file: str, gemm: int | None = None, **options: Any) -> tuple[str, LineMap]:
    """The script of a PrimFunc, and where its lines come from, by the spans of its statements.

    ``options`` go to the printer. ``gemm`` is the line of the only ``T.gemm``, where its expansion may be in ``func``.
    """
    marks: dict[Any, str] = {}
    allocated: dict[str, int] = {}
    try:
        from tvm_ffi.access_path import AccessPath

        _mark(func.body, AccessPath.root().attr("body"), cell_file, gemm, marks, allocated)
        marked = func.script(path_to_annotate=marks, **options)
    except (ImportError, AttributeError, TypeError):  # a TVM without annotations: the text alone
        text = str(func.script(**options))
        return text, (None,) * len(text.splitlines())
    kept: list[str] = []
    lines: list[int | None] = []
    pending: int | None = None
    for row in marked.splitlines():
        match = _MARKED.search(row)
        line = int(match[1]) if match else None
        rest = row[: match.start()] if match else row
        if match and not rest.strip():  # the mark of a statement that opens a block stands above it
            pending = line
            continue
        kept.append(rest)
        buffer = re.match(r"\s*(\w+) = T\.(?:sblock_)?alloc_buffer\(", rest)
        if line is None:
            line = pending if pending is not None else (allocated.get(buffer[1]) if buffer else None)
        lines.append(line)
        pending = None
    return "\n".join(kept) + "\n", tuple(lines)


def _mark(stmt: Any, path: Any, cell_file: str, gemm: int | None, marks: dict[Any, str], allocated: dict[str, int]) -> None:
    from tilelang.ir import get_buffer_span, get_stmt_span
    from tvm import tirx

    if isinstance(stmt, tirx.SeqStmt):
        for index, child in enumerate(stmt.seq):
            _mark(child, path.attr("seq").array_item(index), cell_file, gemm, marks, allocated)
        return
    line = _line(get_stmt_span(stmt), cell_file, gemm)
    if line is not None:
        marks[path] = f"{_MARK}{line}"
    for buffer in getattr(stmt, "alloc_buffers", ()):
        line = _line(get_buffer_span(buffer), cell_file, None)
        if line is not None:
            allocated[str(buffer.name)] = line
    for attribute in ("block", "body", "then_case", "else_case", "init"):
        child = getattr(stmt, attribute, None)
        if isinstance(child, tirx.Stmt):
            _mark(child, path.attr(attribute), cell_file, gemm, marks, allocated)


def _line(span: Any, cell_file: str, gemm: int | None) -> int | None:
    if span is None:
        return None
    file = str(span.source_name.name)
    if same_file(file, cell_file):
        return int(span.line)
    return gemm if _MATRIX_CODE.search(file) else None
