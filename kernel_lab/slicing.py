"""Slicing a cell: which of its top-level statements the names that an entry needs depend on, and what a statement binds and reads.

Syntax trees in, syntax trees out: `ast` and compiled code, never executed. Knows nothing of cells' names, of IPython or of kernels.
"""

from __future__ import annotations

import ast
import dis
import types
from collections.abc import Iterator

# Statements with an effect on later ones that no name shows. They are run again in the workers; all other bare calls are not.
_SETTINGS = (
    "torch.manual_seed", "torch.set_", "torch.use_deterministic", "triton.set_allocator", "triton.knobs", "sys.path.", "warnings.",
    "random.seed", "np.random.seed", "numpy.random.seed", "os.environ.", "tilelang.disable_cache", "tilelang.set_", "logging.",
)  # fmt: skip


def globals_read(code: types.CodeType) -> Iterator[str]:
    """Names that compiled code reads as globals, its inner functions included."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from globals_read(constant)


def bound_by(node: ast.stmt) -> list[str]:
    """Names bound by a top-level statement, nested blocks included, inner scopes not."""
    names: list[str] = []

    def visit(item: ast.AST) -> None:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.append(item.name)
            return
        if isinstance(item, (ast.Import, ast.ImportFrom)):
            names.extend((alias.asname or alias.name).partition(".")[0] for alias in item.names)
            return
        if isinstance(item, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            return
        if isinstance(item, ast.Name) and isinstance(item.ctx, (ast.Store, ast.Del)):
            names.append(item.id)
        for child in ast.iter_child_nodes(item):
            visit(child)

    visit(node)
    return names


def _changed(node: ast.stmt, modules: set[str]) -> set[str]:
    """Names whose object a statement changes in place: item and attribute assignment, method calls on what is not a module."""
    found = set()
    for item in ast.walk(node):
        targets: list[ast.expr] = []
        if isinstance(item, ast.Assign):
            targets = item.targets
        elif isinstance(item, (ast.AugAssign, ast.AnnAssign)):
            targets = [item.target]
        for target in targets:
            if isinstance(target, (ast.Attribute, ast.Subscript)) and (root := _root(target)):
                found.add(root)
        if isinstance(item, ast.Expr) and isinstance(item.value, ast.Call) and isinstance(item.value.func, ast.Attribute):
            root = _root(item.value.func)
            if root and root not in modules:
                found.add(root)
    return found


def _root(node: ast.AST) -> str | None:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def part_of(tree: ast.Module, needed: set[str]) -> ast.Module:
    """The statements of ``tree`` that bind or change the names ``needed``, or what those read in turn, and all settings; in order."""
    modules = {name for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom)) for name in bound_by(node)}
    facts = []
    for node in tree.body:
        setting = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func).startswith(_SETTINGS)
        setting = setting or is_exec(node) or is_star(node)  # these may bind any name
        plain_call = isinstance(node, ast.Expr) and not setting
        changed = _changed(node, modules)
        reads = read_by(node)
        facts.append((node, set(bound_by(node)) | changed, reads, setting, plain_call and not changed))
    if any(is_exec(node) for node in tree.body):
        needed |= {name for _, binds, *_ in facts for name in binds}  # what its text reads is not known
    kept: set[int] = set()
    grown = True
    while grown:
        grown = False
        for index, (_, binds, reads, setting, effect_only) in enumerate(facts):
            if index in kept or effect_only or not (setting or binds & needed):
                continue
            kept.add(index)
            needed |= reads
            grown = True
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    body = [node for index, (node, *_) in enumerate(facts) if index in kept and node not in future]
    return ast.Module(body=[*future, *body], type_ignores=[])


def is_exec(node: ast.stmt) -> bool:
    """Whether a statement is a call of ``exec``."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "exec"


def is_star(node: ast.stmt) -> bool:
    """Whether a statement imports with a star."""
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def read_by(node: ast.stmt) -> set[str]:
    """Global names that a statement reads, in inner scopes too. Annotations inside functions count: TileLang reads them from the source."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return set()
    code = compile(ast.Module(body=[node], type_ignores=[]), "<statement>", "exec", dont_inherit=True)
    annotations = [item.annotation for item in ast.walk(node) if isinstance(item, (ast.AnnAssign, ast.arg)) and item.annotation]
    return set(globals_read(code)) | {item.id for annotation in annotations for item in ast.walk(annotation) if isinstance(item, ast.Name)}
