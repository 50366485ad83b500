"""Which names of a cell may be its entry: read from the syntax tree, without importing Triton."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

_DECORATORS = {"jit", "autotune", "heuristics"}


def kernels(tree: ast.Module) -> list[str]:
    """Names of the functions decorated as Triton kernels, in order."""
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and any(map(_is_jit, node.decorator_list))]


def entries(tree: ast.Module, names: Mapping[str, Any]) -> list[str]:
    """Candidates for the entry: functions (and ``Function.apply``) that launch kernels and that no other candidate calls; else the kernels
    that no other kernel calls."""
    jitted = set(kernels(tree))
    known_kernels = jitted | {name for name, value in names.items() if _is_kernel_object(value)}
    functions = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name not in jitted}
    reads = {name: _names(node) for name, node in functions.items()}
    launching = {name for name, node in functions.items() if _launches(node, known_kernels)}
    grown = True
    while grown:
        more = {name for name in functions if name not in launching and reads[name] & launching}
        grown = bool(more)
        launching |= more
    applied = _applied(tree, {name for name in launching if isinstance(functions[name], ast.ClassDef)})
    wrappers = [name for name in functions if name in launching and isinstance(functions[name], ast.FunctionDef)]
    wrappers = [name for name in wrappers if not _is_benchmark(functions[name])]
    called = {other for name in wrappers for other in reads[name] if other != name}
    candidates = [name for name in wrappers if name not in called] or wrappers
    candidates += [name for name in applied if name not in called]
    if candidates:
        return candidates
    calls = {name: _names(node) for node in tree.body if isinstance(node, ast.FunctionDef) and (name := node.name) in jitted}
    inner = {other for name, used in calls.items() for other in used if other in jitted and other != name}
    return [name for name in kernels(tree) if name not in inner]


def _is_jit(node: ast.expr) -> bool:
    target = node.func if isinstance(node, ast.Call) else node
    if isinstance(target, ast.Attribute):
        return target.attr in _DECORATORS and isinstance(target.value, ast.Name) and "triton" in target.value.id
    return isinstance(target, ast.Name) and target.id in _DECORATORS | {"triton_jit"}


def _is_kernel_object(value: Any) -> bool:
    return type(value).__module__.startswith("triton.runtime.") and hasattr(value, "run")


def _names(node: ast.AST) -> set[str]:
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}


def _launches(node: ast.AST, kernel_names: set[str]) -> bool:
    for item in ast.walk(node):
        if isinstance(item, ast.Call):
            target = item.func
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                return True
            if isinstance(target, ast.Attribute) and target.attr in ("run", "warmup") and _names(target.value) & kernel_names:
                return True
    return False


def _applied(tree: ast.Module, classes: set[str]) -> list[str]:
    """Names bound to ``Class.apply`` of the launching classes."""
    found = []
    for node in tree.body:
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute) and node.value.attr == "apply"):
            continue
        if isinstance(node.value.value, ast.Name) and node.value.value.id in classes:
            found += [target.id for target in node.targets if isinstance(target, ast.Name)]
    return found


def _is_benchmark(node: ast.AST) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return any("perf_report" in ast.unparse(item) for item in decorators) or getattr(node, "name", "").startswith("test_")
