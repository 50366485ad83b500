"""``%%triton``, ``%%tile`` and ``%lab``: the only room that knows IPython.

A cell magic executes the cell in the notebook's namespace, asks `runner` for a report, and shows it.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class, no_var_expand
from IPython.display import display

from kernel_lab import calls, completion, lab, languages, options, runner
from kernel_lab import cell as cells
from kernel_lab.cell import Cell
from kernel_lab.errors import CellError, EntryError, KernelLabError, VerificationFailed, suggest
from kernel_lab.problem import Problem
from kernel_lab.render import bundle
from kernel_lab.results import Report
from kernel_lab.targets import Target, choice, machine
from kernel_lab.targets import names as target_names
from kernel_lab.workers.local import PINNED, executor


@magics_class
class KernelLabMagics(Magics):  # type: ignore[misc]
    """The magics of kernel_lab."""

    @no_var_expand  # type: ignore[untyped-decorator]
    @cell_magic  # type: ignore[untyped-decorator]
    def triton(self, line: str, cell: str) -> None:
        run_cell(self.shell, "triton", line, cell)

    @no_var_expand  # type: ignore[untyped-decorator]
    @cell_magic  # type: ignore[untyped-decorator]
    def tile(self, line: str, cell: str) -> None:
        run_cell(self.shell, "tilelang", line, cell)

    @no_var_expand  # type: ignore[untyped-decorator]
    @line_magic  # type: ignore[untyped-decorator]
    def lab(self, line: str) -> None:
        lab.run(self.shell, line)


KernelLabMagics.triton.__doc__ = options.help_text("triton", "Triton")
KernelLabMagics.tile.__doc__ = options.help_text("tile", "TileLang")
KernelLabMagics.lab.__doc__ = lab.HELP


def run_cell(shell: InteractiveShell, language_name: str, line: str, body: str) -> None:
    """One run of a cell under a magic: define its names, compile, verify, measure, show. Raises what went wrong, shortly."""
    language = languages.get(language_name)
    namespace = shell.user_ns
    line, body = continued(line, body)
    forget(namespace, body)
    parsed = options.parse(line)
    cell = Cell(f"%%{language.magic} {line}".rstrip(), body, parsed.entry or _name_of(body))
    problem = options.problem(parsed, namespace)
    target = target_names.lookup(parsed.values["--target"]) if "--target" in parsed.values else choice.default()
    candidates = language.entries(cell.tree, namespace)
    wants_report = bool(parsed.values) or parsed.entry is not None
    problem = _with_entry(problem, candidates, cell, wants_report)
    reads = cell.reads | _option_reads(problem)
    environment, unsent = runner.pickled_apart(cells.namespace_for(reads - set(cell.defines), namespace))
    _define(shell, cell)
    if not wants_report and not _can_compile_bare(language_name, cell, candidates):
        _say(_bare_hint(language_name, cell, candidates))
        return
    runner.require(language_name)
    ask = runner.Ask(
        language=language_name,
        target=target,
        problem=problem,
        environment=environment,
        unsent=unsent,
        cell=cell,
        file=cell.file,
        verify="--no-verify" not in parsed.switches,
        measure="--no-measure" not in parsed.switches,
        timeout_s=options.timeout_s(parsed, runner.DEFAULT_TIMEOUT_S),
    )
    status = Status(target)
    try:
        report = runner.run(ask, status.tell)
    except KernelLabError as error:
        status.clear()
        if error.cell_line and not error.excerpt:
            error.excerpt = cell.line(error.cell_line)
        raise
    status.show(report)
    verdict = report.verdict
    if verdict is not None and verdict.passed is False and "--keep-going" not in parsed.switches:
        raise VerificationFailed(*_failure(report), hint="--keep-going shows the report without raising")


def continued(line: str, body: str) -> tuple[str, str]:
    """A magic line that ends with a backslash goes on in the cell's next line; the body keeps its line numbers."""
    taken = 0
    while line.rstrip().endswith("\\") and body:
        first, _, body = body.partition("\n")
        line = f"{line.rstrip()[:-1].rstrip()} {first.strip()}"
        taken += 1
    return line, "\n" * taken + body


class Status:
    """One output that first says what is going on and then holds the report."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._handle: Any = None
        self._holds_report = False

    def tell(self, news: str | Report) -> None:
        """Show what is going on, or a first part of the report, which then stays until the whole is there."""
        if isinstance(news, Report):
            self._holds_report = True
            self._show(bundle(news, target=self._target))
        elif news and not self._holds_report:
            self._show({"text/plain": f"{news} …"})

    def show(self, report: Report) -> None:
        """Show the report in place of the news."""
        if report.printed:
            sys.stdout.write(report.printed)
        self._show(bundle(report, target=self._target))

    def clear(self) -> None:
        """Leave no news behind an error."""
        if self._handle is not None:
            self._show({"text/plain": ""})

    def _show(self, data: dict[str, Any]) -> None:
        if self._handle is None:
            self._handle = display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)


def forget(namespace: dict[str, Any], body: str) -> None:
    """Remove the names that a cell is about to define: if it fails, their old definitions must not stay silently."""
    for name in cells.defined_by_text(body):
        namespace.pop(name, None)


def _define(shell: InteractiveShell, cell: Cell) -> None:
    """Execute the cell in the notebook's namespace; its last expression is displayed as usual."""
    namespace = shell.user_ns
    cell.register()
    tree = calls.mark(cell.tree) if calls.installed() else cell.tree
    own_exec = "exec" in namespace
    namespace[calls.SHIP] = calls.ship
    namespace.setdefault("exec", cells.execute_text)
    import ast

    body, last = tree.body, None
    if body and isinstance(body[-1], ast.Expr) and not cell.body.rstrip().endswith(";"):
        body, last = body[:-1], ast.Interactive(body=[body[-1]])
    try:
        exec(compile(ast.Module(body=body, type_ignores=[]), cell.file, "exec", dont_inherit=True), namespace)
        if last is not None:
            exec(compile(last, cell.file, "single", dont_inherit=True), namespace)
    except KernelLabError as error:
        if error.cell_line is None:
            error.cell_line = cells.failing_line(error, cell.file)
            error.excerpt = cell.line(error.cell_line)
        raise
    except Exception as error:
        raise _cell_error(error, cell, namespace) from error
    finally:
        namespace.pop(calls.SHIP, None)
        if not own_exec:
            namespace.pop("exec", None)


def _cell_error(error: Exception, cell: Cell, namespace: dict[str, Any]) -> CellError:
    line = cells.failing_line(error, cell.file)
    hint = None
    if isinstance(error, NameError) and error.name:
        known = [name for name in (*namespace, *cell.defines) if not name.startswith("_")]
        close = suggest(error.name, known)
        hint = close.split("?")[0] + "?" if "?" in close else f"define or import {error.name} first"
        if error.name in ("tl", "triton", "torch", "T", "tilelang"):
            module = {"tl": "triton.language as tl", "T": "tilelang.language as T"}.get(error.name, error.name)
            hint = f"add: import {module}"
    elif isinstance(error, ModuleNotFoundError) and error.name:
        hint = f"pip install {error.name.partition('.')[0]}"
    return CellError(f"{type(error).__name__}: {error}", cell_line=line, excerpt=cell.line(line), hint=hint)


def _with_entry(problem: Problem, candidates: list[str], cell: Cell, wants_report: bool) -> Problem:
    import dataclasses

    if problem.entry is not None:
        root = problem.entry.partition(".")[0]
        if root not in cell.defines and not cell.opaque:
            line = 1
            hint = suggest(root, candidates or cell.defines, label="the cell defines")
            raise EntryError(f"the cell defines no {root!r}", cell_line=line, excerpt=cell.magic, hint=hint)
        return problem
    if not wants_report:
        return problem
    if not candidates:
        raise EntryError(
            "the cell has no function that launches a kernel",
            cell_line=1, excerpt=cell.magic, hint="define a function that calls kernel[grid](…), or name the kernel and give --grid",
        )  # fmt: skip
    if len(candidates) > 1:
        places = ", ".join(f"{name} (line {cell.top_level_line(name)})" for name in candidates[:6])
        raise EntryError(
            f"{len(candidates)} functions could be the entry: {places}",
            cell_line=1, excerpt=cell.magic, hint=f"name one first: {cell.magic.split()[0]} {candidates[0]} …",
        )  # fmt: skip
    return dataclasses.replace(problem, entry=candidates[0])


def _can_compile_bare(language: str, cell: Cell, candidates: list[str]) -> bool:
    """Whether the cell itself makes launches (or its kernel's types are known), so that there is something to compile."""
    if language == "tilelang":
        return False
    import ast

    from kernel_lab.languages.triton import entries

    known = {*candidates, *entries.kernels(cell.tree)}
    for node in cell.tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
            continue
        for item in ast.walk(node):
            if isinstance(item, ast.Call):
                target = item.func.value if isinstance(item.func, ast.Subscript) else item.func
                if isinstance(target, ast.Name) and target.id in known:
                    return True
    return False


def _bare_hint(language: str, cell: Cell, candidates: list[str]) -> str:
    defined = ", ".join(cell.defines) or "nothing"
    magic = cell.magic.split()[0]
    if not candidates:
        return f"defined: {defined}"
    option = '--inputs "x: f32[n]" --sizes "n=98432"' if language == "triton" else '--sizes "M=1024"'
    return f"defined: {defined}. To compile it, add: {magic} {candidates[0]} {option}"


def _option_reads(problem: Problem) -> frozenset[str]:
    texts = (problem.reference, problem.make_inputs, problem.grid, problem.flops, problem.bytes)
    return frozenset().union(*(cells.expression_reads(text) for text in texts))


def _failure(report: Report) -> tuple[str]:
    assert report.verdict is not None
    case = next((case for case in report.verdict.cases if not case.passed), None)
    if case is None:
        check = next(((name, check) for name, check in report.verdict.checks.items() if check.passed is False), None)
        return (f"{report.name} is wrong: {check[0]}: {check[1].detail}" if check else f"{report.name} is wrong: {report.verdict.reason}",)
    sizes = ", ".join(f"{key}={value}" for key, value in case.sizes.items())
    return (f"{report.name} is wrong at {sizes}: {case.reason}",)


def _name_of(body: str) -> str:
    import re

    names = re.findall(r"^def\s+(\w+)", body, re.M)
    return names[-1] if names else "cell"


def _say(text: str) -> None:
    display({"text/plain": text}, raw=True)


def load(shell: InteractiveShell) -> None:
    """Register the magics and start the workers in the background. Imports neither torch nor a kernel language."""
    for name, value in PINNED.items():
        os.environ.setdefault(name, value)
    shell.register_magics(KernelLabMagics)
    completion.install(shell)
    if machine.here() is None:
        calls.install(choice.default(), _say)
    else:
        from kernel_lab.languages import tilelang

        tilelang.watch_calls(lambda: True)  # a captured global that changed is a new kernel, which TileLang does not see
    executor().warm_up(lab.wanted_workers())


def unload(shell: InteractiveShell) -> None:
    """End the workers."""
    executor().close()
