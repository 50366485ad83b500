"""TileLang's failures in plain words: the first line that means something, and the cell line where it happened.

Reads tracebacks and messages; imports no compiler, so that every message can be tested without one.
"""

from __future__ import annotations

import re
from types import TracebackType

from kernel_lab.errors import CompileError, KernelLabError
from kernel_lab.ir.files import same_file
from kernel_lab.languages.protocol import Loaded
from kernel_lab.languages.tilelang.lowering import Refused

_MARKER = re.compile(r"-->\s+(.+?):(\d+)(?::\d+)?\s*$", re.MULTILINE)
_NOISE = re.compile(r"^(Traceback|File \"|Stack trace|\[bt\]|-->|\d*\s*\||During handling|The above exception|=+$|-+$|\.\.\.$)")
_CHECK = re.compile(r"^(?:.*?:\d+: )?(?:[\w.]*Error: )?(?:Check failed: (?:\(.*\) is false|\(.*?\)(?=:|$)):?|InternalError:)\s*")
_OURS = ("tilelang", "tvm", "tvm_ffi")


def explain(error: BaseException, loaded: Loaded) -> BaseException:
    """``error`` as a `CompileError` with the cell line; the error itself when TileLang had no part in it."""
    if isinstance(error, KernelLabError):
        return with_line(error, error.cell_line, loaded) if error.excerpt is None else error
    if isinstance(error, Refused):
        hint = "the generated code is the cause: change the operation on this line, or report the kernel to TileLang"
        return _failure(f"{error.tool} refused the generated code: {error.reason}", error.cell_line, loaded, hint)
    if not isinstance(error, Exception) or not _involves_tilelang(error):
        return error
    line = _marked_line(error, loaded) or cell_line(error, loaded)
    what, advice = _words(error)
    return _failure(what, line, loaded, advice)


def with_line(error: KernelLabError, line: int | None, loaded: Loaded) -> KernelLabError:
    """``error`` at a line of the cell, with that line's text."""
    error.cell_line, error.excerpt = line, _excerpt(loaded, line)
    return error


def _failure(what: str, line: int | None, loaded: Loaded, hint: str | None) -> CompileError:
    return CompileError(what, cell_line=line, excerpt=_excerpt(loaded, line), hint=hint)


def _words(error: BaseException) -> tuple[str, str | None]:
    text = str(error)
    if isinstance(error, OSError) and "source code" in text:
        return "TileLang could not read the source of a function of this cell", "define it with def in the cell, not through exec or eval"
    if isinstance(error, NameError):
        return f"{text} in the kernel", "define it above the kernel, or import it: import tilelang.language as T"
    what = first_meaningful(text) or type(error).__name__
    if isinstance(error, (TypeError, AttributeError, ValueError, AssertionError, IndexError, KeyError)) and "Check failed" not in text:
        what = f"{type(error).__name__}: {what}"
    return what, _hint(text)


def _hint(text: str) -> str | None:
    if "layout" in text.lower() and "fragment" in text.lower():
        return "every use of a fragment must agree on its layout: same shape, same threads"
    if re.search(r"requires? a target-specific implementation|no \w+ implementation is registered", text):
        return "this operation does not exist for this target; choose another --target or write it with T.Parallel"
    return None


def first_meaningful(text: str) -> str:
    """The first line of a compiler's message that says what is wrong, without file positions of the compiler's own code."""
    rows = [row.strip() for row in text.splitlines()]
    for row in rows:
        if not row or _NOISE.match(row):
            continue
        plain = _without_objects(_CHECK.sub("", row).strip())
        if plain:
            return plain if len(plain) <= 300 else plain[:297] + "…"
    kept = [row for row in rows if row and not _NOISE.match(row)]
    return kept[0][:300] if kept else ""


def _without_objects(text: str) -> str:
    """``text`` with a target's whole JSON put as its architecture."""
    while (start := text.find('{"kind"')) >= 0:
        depth, end = 0, start
        for end in range(start, len(text)):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            if depth == 0:
                break
        described = text[start : end + 1]
        named = re.search(r'"(?:arch|mcpu)":"([^"]*)"', described) or re.search(r'"kind":"([^"]*)"', described)
        text = text[:start] + (named[1] if named else "the target") + text[end + 1 :]
    return text


def _marked_line(error: BaseException, loaded: Loaded) -> int | None:
    """TileLang's own ``--> file:line`` in the message."""
    for file, line in _MARKER.findall(str(error)):
        if same_file(file, loaded.file):
            return int(line)
    return None


def cell_line(error: BaseException, loaded: Loaded) -> int | None:
    """The innermost line of the cell in the traceback of ``error``, or of what caused it."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        found = None
        for file, line in _frames(current.__traceback__):
            if same_file(file, loaded.file):
                found = line
        if found is not None:
            return found
        current = current.__cause__ or current.__context__
    return None


def _frames(trace: TracebackType | None) -> list[tuple[str, int]]:
    found = []
    while trace is not None:
        found.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return found


def _involves_tilelang(error: BaseException) -> bool:
    if type(error).__module__.split(".")[0] in _OURS:
        return True
    trace = error.__traceback__
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__", "")).split(".")[0] in _OURS:
            return True
        trace = trace.tb_next
    return False


def _excerpt(loaded: Loaded, line: int | None) -> str | None:
    rows = loaded.source.splitlines()
    return rows[line - 1] if line is not None and 0 < line <= len(rows) else None
