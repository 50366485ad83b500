"""Which functions of a cell may be the TileLang entry, found in its syntax tree.

Knows nothing of TileLang beyond the names of its decorators; imports no compiler.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

_RANKS = {"tilelang.autotune": 0, "tilelang.jit": 0, "tilelang.language.prim_func": 1}


def entries(tree: ast.Module, names: Mapping[str, Any]) -> list[str]:
    """Names of the top-level functions decorated with ``tilelang.jit`` / ``tilelang.autotune`` (first) and ``T.prim_func``.

    Import aliases are followed, in the cell and, through ``names`` (the notebook's namespace), in earlier cells.
    """
    aliases = _aliases(tree, names)
    ranked: dict[str, int] = {}
    for node in _top_level(tree.body):
        if isinstance(node, ast.FunctionDef):
            ranks = [_RANKS[dotted] for item in node.decorator_list if (dotted := _dotted(item, aliases)) in _RANKS]
            ranked.pop(node.name, None)  # a later definition replaces an earlier one
            if ranks:
                ranked[node.name] = min(ranks)
    return sorted(ranked, key=lambda name: ranked[name])


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from _top_level(node.body)
            if not isinstance(node, ast.With):
                yield from _top_level(node.orelse)


def _aliases(tree: ast.Module, names: Mapping[str, Any]) -> dict[str, str]:
    found = {"tilelang": "tilelang"}
    for name, value in names.items():
        module = getattr(value, "__name__", None)
        if module in ("tilelang", "tilelang.language"):
            found[name] = module
        elif module in ("jit", "autotune", "prim_func") and str(getattr(value, "__module__", "")).startswith("tilelang"):
            found[name] = "tilelang.language.prim_func" if module == "prim_func" else f"tilelang.{module}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                if item.name.split(".")[0] == "tilelang":
                    found[item.asname or "tilelang"] = item.name if item.asname else "tilelang"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tilelang":
            for item in node.names:
                found[item.asname or item.name] = _public(f"{node.module}.{item.name}")
    return found


def _public(dotted: str) -> str:
    """``tilelang.jit.jit`` and ``tilelang.autotuner.autotune`` by the names they are known under."""
    tail = dotted.rsplit(".", 1)[-1]
    return f"tilelang.{tail}" if tail in ("jit", "autotune") else dotted


def _dotted(node: ast.expr, aliases: Mapping[str, str]) -> str | None:
    if isinstance(node, ast.Call):
        return _dotted(node.func, aliases)
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, aliases)
        return _public(f"{owner}.{node.attr}") if owner else None
    return aliases.get(node.id) if isinstance(node, ast.Name) else None
