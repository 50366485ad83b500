"""Triton's errors in the user's terms: which cell line, what was wrong, what to do.

Triton counts error lines from a function's ``def`` and reports library frames; here the innermost line *in the cell* is found.
"""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kernel_lab.cell import failing_line
from kernel_lab.errors import CellError, CompileError, KernelLabError
from kernel_lab.targets import Target
from kernel_lab.workers import child

_GLOBAL = re.compile(r"[Cc]annot access global variable (\w+) from within @jit")
_NATIVE = re.compile(r'^(?:loc\()?"?(?P<file>[^"\n]*?)"?:(?P<line>\d+):\d+\)?: error: (?P<text>.*)$', re.M)
_ANY_ERROR = re.compile(r"\berror\s*: (?P<text>.*)", re.I)


def explain(error: BaseException, file: str, *, log_start: int | None = None, target: Target | None = None) -> BaseException:
    """``error`` as a `KernelLabError` with the line of ``file``, or itself when it is not about the cell."""
    from triton.compiler.errors import CompilationError
    from triton.runtime.errors import OutOfResources, PTXASError

    if isinstance(error, KernelLabError):
        return error
    for inner in _chain(error):
        if isinstance(inner, KernelLabError):
            if inner.cell_line is None:
                inner.cell_line = failing_line(error, file)
            return inner
    if isinstance(error, CompilationError):
        return _compilation(error, file)
    if isinstance(error, OutOfResources):
        text = over_limit("the kernel", error, target) if target else str(error)
        return CompileError(text, cell_line=failing_line(error, file))
    if isinstance(error, PTXASError):
        return CompileError(_first_error(str(error)), hint="ptxas refused the PTX that Triton made; the stages up to ptx are worth a look")
    if "PassManager::run failed" in str(error) or "failed to translate" in str(error):
        return _native(error, file, log_start)
    line = failing_line(error, file)
    if line is None and not _from_interpreter(error):
        return error
    root = _root(error)
    return CellError(f"{type(root).__name__}: {root}", cell_line=line)


def over_limit(name: str, error: Any, target: Target) -> str:
    """What a kernel needs against what ``target`` has."""
    what = {"shared memory": "bytes of shared memory", "threads": "threads", "tensor memory": "columns of tensor memory"}.get(
        error.name, error.name
    )
    return (
        f"{name} needs {error.required:,} {what}; {target.arch} allows {error.limit:,}: it would fail at launch. "
        "Make the block or num_stages smaller"
    )


def _compilation(error: Any, file: str) -> CompileError:
    """The innermost place in the cell of a chain of Triton's compilation errors."""
    place: tuple[int, str] | None = None
    message = values = ""
    generators = _generators(error)
    for inner in _chain(error):
        node, source = getattr(inner, "node", None), getattr(inner, "src", None)
        if node is None:
            message = message or str(inner)
            continue
        message = getattr(inner, "error_message", None) or message
        source = source or ""
        first = _first_line(source, file, generators)
        if first is not None and hasattr(node, "lineno"):
            place = (first + node.lineno - 1, source.splitlines()[node.lineno - 1] if node.lineno <= len(source.splitlines()) else "")
            values = _values(generators.get(source), node) or values
    root = _root(error)
    if root is not error and not hasattr(root, "node"):
        message = message or str(root)
    if "shape" in message.lower():
        values = _operand_shapes(error) or values
    found = _GLOBAL.search(f"{message} {error}")
    hint = None
    if found:
        name = found.group(1)
        message, hint = f"the kernel reads the global {name}, which is a plain value", _global_fix(name, generators.values())
    elif unknown := re.search(r"(\w+) is not defined", message):
        hint = f"{unknown.group(1)} is neither an argument nor a local of the kernel, nor a global of the notebook"
    elif "power of 2" in message:
        hint = "block shapes are powers of two: round up with triton.next_power_of_2 and mask the rest"
    if values and ("power of 2" in message or "shape" in message.lower()):
        opening, newline, rest = message.strip().partition("\n")
        message = f"{opening} (here {values}){newline}{rest}"
    line, excerpt = place or (None, None)
    head = message.strip().splitlines()[0] if message.strip() else type(error).__name__
    if any(type(inner).__name__ == "CompileTimeAssertionFailure" for inner in _chain(error)):
        what = message.strip() or (excerpt or "").strip().removeprefix("tl.static_assert(").removesuffix(")")
        head = f"static_assert failed: {what}"
    named = re.fullmatch(r"(\w+(?:Error|Exception))\([\"'](.*)[\"']\)", head)
    head = f"{named.group(1)}: {named.group(2)}" if named else head
    return CompileError(head, cell_line=line, excerpt=excerpt, hint=hint, detail="\n".join(message.strip().splitlines()[1:4]))


def _generators(error: BaseException) -> dict[str, Any]:
    """Triton's code generators at work when ``error`` was raised, by the text of their function."""
    found: dict[str, Any] = {}
    for inner in _chain(error):
        trace = inner.__traceback__
        while trace is not None:
            owner = trace.tb_frame.f_locals.get("self")
            if owner is not None and hasattr(owner, "jit_fn") and hasattr(owner, "lscope"):
                found[owner.jit_fn.src] = owner
            trace = trace.tb_next
    return found


def _values(generator: Any, node: ast.AST) -> str:
    """The constants and shapes of the names that the refused expression reads, as Triton's code generator knows them."""
    found: dict[str, None] = {}
    for name in dict.fromkeys(item.id for item in ast.walk(node) if isinstance(item, ast.Name)):
        value = generator.lscope.get(name) if generator is not None else None
        constant = getattr(value, "value", value)
        if isinstance(constant, int) and not isinstance(constant, bool):
            found[f"{name} = {constant}"] = None
        elif shape := _shape(value):
            found[f"{name} is {shape}"] = None
    return ", ".join(found)


def _shape(value: Any) -> str:
    """The shape of a block as "64×8"; empty for a scalar and for what is no tensor of Triton's."""
    sizes = value.shape if type(value).__name__ == "tensor" else ()
    return "×".join(str(getattr(size, "value", size)) for size in sizes)


def _operand_shapes(error: BaseException) -> str:
    """The shapes of the operands of the operation of `triton.language` that refused them, in its own names for them."""
    for inner in _chain(error):
        trace = inner.__traceback__
        while trace is not None:
            frame = trace.tb_frame
            if frame.f_code.co_filename.endswith(("language/core.py", "language/standard.py")) and frame.f_code.co_name != "wrapper":
                parameters = frame.f_code.co_varnames[: frame.f_code.co_argcount]
                shapes = {name: _shape(frame.f_locals.get(name)) for name in parameters}
                known = [f"{name} is {shape}" for name, shape in shapes.items() if shape]
                if known:
                    return f"tl.{frame.f_code.co_name}: {', '.join(known)}"
            trace = trace.tb_next
    return ""


def _global_fix(name: str, generators: Iterable[Any]) -> str:
    value = next((item.jit_fn.fn.__globals__[name] for item in generators if name in item.jit_fn.fn.__globals__), None)
    shown = repr(value) if isinstance(value, (int, float, bool, str)) else "…"
    return f"write {name} = tl.constexpr({shown}), or pass it as a kernel argument `{name}: tl.constexpr`"


def _first_line(source: str, file: str, generators: Mapping[str, Any]) -> int | None:
    """The line of ``file`` on which the function with this text has its ``def``."""
    if source in generators:
        function = generators[source].jit_fn
        if function.fn.__code__.co_filename != file:
            return None
    else:  # a text may belong to several functions, of earlier runs too
        function = next((item for item in _jit_functions(file) if item.src == source), None)
        if function is None:
            return None
    offset = next((i for i, text in enumerate(function.raw_src) if text.lstrip().startswith("def ")), 0)
    return int(function.starting_line_number) + offset


def _jit_functions(file: str) -> Iterator[Any]:
    from triton.runtime.jit import JITFunction

    for item in gc.get_objects():
        if type(item) is JITFunction and item.fn.__code__.co_filename == file:
            yield item


def _native(error: BaseException, file: str, log_start: int | None) -> CompileError:
    """A failure of a native pass: its reason went to the process's stderr."""
    log = child.log_since(log_start) if log_start is not None else ""
    for match in _NATIVE.finditer(log):
        if match["file"] == file or file in match["file"]:
            return CompileError(match["text"], cell_line=int(match["line"]), hint="a pass of the compiler refused this line")
    said = _ANY_ERROR.search(log)
    text = said["text"] if said else str(error)
    failed = re.search(r"Failures have been detected while processing an MLIR pass pipeline|pass '?(\w+)'?", log)
    hint = f"the pass {failed.group(1)} failed" if failed and failed.group(1) else "a pass of the compiler failed"
    return CompileError(text, hint=hint)


def _first_error(text: str) -> str:
    for line in text.splitlines():
        match = _ANY_ERROR.search(line)
        if match and match["text"].strip() and "Internal Triton PTX codegen" not in line:
            return f"ptxas: {match['text'].strip()}"
    return text.strip().splitlines()[0] if text.strip() else "ptxas failed"


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


def _root(error: BaseException) -> BaseException:
    """The exception that started it; Triton's interpreter wraps each call level in its own."""
    root = error
    for inner in _chain(error):
        if type(inner).__name__ != "InterpreterError":
            return inner if _from_interpreter(error) else root
        root = inner
    return root


def _from_interpreter(error: BaseException) -> bool:
    return type(error).__name__ == "InterpreterError"
