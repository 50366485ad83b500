"""A cell as a module: its text with line numbers, what it defines and reads, and its execution. `slicing` finds the part an entry needs.

The magic line is line 1, so that the numbers are those a person sees in the notebook. Plain `ast`; knows nothing of IPython or of kernels.
"""

from __future__ import annotations

import ast
import builtins
import dis
import hashlib
import re
import sys
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cloudpickle

from kernel_lab.errors import CellError
from kernel_lab.slicing import bound_by, globals_read, is_exec, is_star, part_of, read_by
from kernel_lab.workers.wire import register_source

MODULE_NAME = "__kernel_lab_cell__"


@dataclass(frozen=True)
class Cell:
    """One cell: the ``magic`` line, the ``body`` below it, and a ``name`` that stays when the cell is edited."""

    magic: str
    body: str
    name: str = "cell"

    @property
    def file(self) -> str:
        """The file name under which the text is compiled; it appears in tracebacks and in the locations of every IR."""
        return f"<cell {self.name}>"

    @property
    def source(self) -> str:
        """The whole text; line 1 is the magic line."""
        return f"{self.magic}\n{self.body}"

    @property
    def digest(self) -> str:
        """A hash of the text and the magic line."""
        return hashlib.sha256(self.source.encode()).hexdigest()[:16]

    def line(self, number: int | None) -> str | None:
        """The text of a line."""
        lines = self.source.splitlines()
        return lines[number - 1] if number is not None and 0 < number <= len(lines) else None

    @cached_property
    def tree(self) -> ast.Module:
        """The body's syntax tree, with cell line numbers. Raises `CellError` at a syntax error."""
        try:
            tree = ast.parse(f"\n{self.body}", filename=self.file)
            compile(tree, self.file, "exec", dont_inherit=True)  # finds what parsing does not: await or return outside a function
            return tree
        except SyntaxError as error:
            line = error.lineno
            raise CellError(f"syntax error: {error.msg}", cell_line=line, excerpt=self.line(line), hint=_syntax_hint(error)) from None

    def register(self) -> None:
        """Make the text known to `inspect` and `linecache`."""
        register_source(self.file, self.source)

    @property
    def defines(self) -> tuple[str, ...]:
        """Names that the cell's top level binds, in order."""
        return tuple(dict.fromkeys(name for node in self.tree.body for name in bound_by(node)))

    @property
    def opaque(self) -> bool:
        """Whether the cell may bind names that its text does not show: by a star import, or by ``exec``."""
        return any(is_exec(node) or is_star(node) for node in self.tree.body)

    @property
    def reads(self) -> frozenset[str]:
        """Names that the cell takes from elsewhere: read anywhere in it, and not bound by it before its top level reads them."""
        code = compile(self.tree, self.file, "exec", dont_inherit=True)
        bound, early = set(), set()
        for instruction in dis.get_instructions(code):
            if instruction.opname == "LOAD_NAME" and instruction.argval not in bound:
                early.add(instruction.argval)
            elif instruction.opname == "STORE_NAME":
                bound.add(instruction.argval)
        inner = {name for constant in code.co_consts if isinstance(constant, types.CodeType) for name in globals_read(constant)}
        inner |= {name for node in self.tree.body for name in read_by(node)}
        return frozenset((early | (inner - bound)) - set(dir(builtins)))

    def part_for(self, names: Iterable[str]) -> ast.Module:
        """The statements that ``names`` need: their definitions, what those read, and settings.

        Other effects happen once, in the notebook."""
        return part_of(self.tree, set(names))

    def top_level_line(self, name: str) -> int | None:
        """The line where ``name`` is bound at the top level."""
        for node in self.tree.body:
            if name in bound_by(node):
                return node.lineno
        return None


def expression_reads(text: str | None) -> frozenset[str]:
    """The names that an expression (an option's value) reads; empty when it does not parse."""
    if not text:
        return frozenset()
    try:
        code = compile(text.strip(), "<option>", "eval", dont_inherit=True)
    except SyntaxError:
        return frozenset()
    return frozenset(set(globals_read(code)) - set(dir(builtins)))


def defined_by_text(body: str) -> set[str]:
    """Names a cell would bind, read from text that need not parse."""
    return set(re.findall(r"^(?:def|class)\s+(\w+)", body, re.M)) | set(re.findall(r"^(\w+)\s*(?::[^=\n]+)?=(?!=)", body, re.M))


def execute(cell: Cell, tree: ast.Module, namespace: dict[str, Any]) -> types.ModuleType:
    """Execute a cell's statements in a fresh module that starts with ``namespace``; exceptions pass through."""
    cell.register()
    module = types.ModuleType(MODULE_NAME)
    module.__dict__.update(namespace)
    module.__file__ = cell.file
    module.__dict__.setdefault("exec", execute_text)
    sys.modules[MODULE_NAME] = module
    cloudpickle.register_pickle_by_value(module)  # no other process can import it: its functions and classes travel whole
    exec(compile(tree, cell.file, "exec", dont_inherit=True), module.__dict__)
    return module


def execute_text(source: Any, globals: Any = None, locals: Any = None, /, **options: Any) -> None:
    """``exec`` for the code of a cell: what is defined from text has that text as its source, which kernel compilers read."""
    if globals is None:
        caller = sys._getframe(1)
        globals, locals = caller.f_globals, locals if locals is not None else caller.f_locals
    if isinstance(source, str):
        name = f"<cell exec {hashlib.sha256(source.encode()).hexdigest()[:8]}>"
        register_source(name, source)
        source = compile(source, name, "exec", dont_inherit=True)
    builtins.exec(source, globals, locals if locals is not None else globals, **options)


def failing_line(error: BaseException, file: str) -> int | None:
    """The line of ``file`` nearest to where ``error`` was raised, through causes as well."""
    found = None
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        trace = current.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == file:
                found = trace.tb_lineno
            trace = trace.tb_next
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return found


def calling_line(file_prefix: str = "<cell ") -> int | None:
    """The line of the innermost frame on the stack that belongs to a cell."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.startswith(file_prefix):
            return frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _syntax_hint(error: SyntaxError) -> str:
    if re.match(r"\s*(\w+\s*=\s*)?[!%]", error.text or ""):
        return "shell commands and other magics need a cell of their own"
    if "'await' outside function" in error.msg:
        return "top-level await needs a cell of its own"
    if error.text is None:
        return "correct this line and run the cell again"
    column = max((error.offset or 1) - 1, 0)
    return f"near column {column + 1}: {error.text.strip()[:60]!r}"


def namespace_for(reads: Iterable[str], namespace: Mapping[str, Any]) -> dict[str, Any]:
    """The values that ``reads`` have in ``namespace`` now."""
    return {name: namespace[name] for name in reads if name in namespace and not name.startswith("__")}
