"""Python's own constructs inside an interpreted kernel, with the meaning that the compiler gives them.

Knows the interpreter's source rewriting and tensor patching. ``and``, ``or`` and ``not`` on blocks work element by
element (plain Python would return one operand), as do ``min`` and ``max``; branching on a whole block is refused rather
than guessed; scalars convert to ``int`` and ``float``; scalar arguments carry the dtype that a compiled launch gives them.
"""

from __future__ import annotations

import ast
import functools
from typing import Any

import numpy as np

from kernel_lab.errors import CompileError
from kernel_lab.languages.triton.interpreter.where import located, not_verified

LOGICAL, TRUTH, EVERY, EXTREMUM = (f"_kernel_lab_{name}" for name in ("logical", "truth", "every", "extremum"))


class _Rewriter(ast.NodeTransformer):
    """Calls to the helpers in place of constructs whose meaning plain Python would change.

    ``a and b`` → ``logical("and", lambda: a, lambda: b)``: operands stay lazy, as short-circuiting constants need.
    """

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if any(isinstance(inner, (ast.NamedExpr, ast.Yield, ast.Await)) for inner in ast.walk(node)):
            return node  # these bind names, or suspend, in the enclosing scope
        return self._call("and" if isinstance(node.op, ast.And) else "or", node.values, node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not) or any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node)):
            return node
        return self._call("not", [node.operand], node)

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._guard(node, TRUTH)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._guard(node, TRUTH)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._guard(node, TRUTH)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return self._guard(node, EVERY)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
            call = ast.Call(func=ast.Name(id=EXTREMUM, ctx=ast.Load()), args=[node.func, *node.args], keywords=node.keywords)
            return ast.copy_location(call, node)
        return node

    def _guard(self, node: Any, helper: str) -> ast.AST:
        self.generic_visit(node)
        node.test = ast.copy_location(ast.Call(func=ast.Name(id=helper, ctx=ast.Load()), args=[node.test], keywords=[]), node.test)
        result: ast.AST = node
        return result

    @staticmethod
    def _call(operation: str, operands: list[ast.expr], node: ast.AST) -> ast.AST:
        empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        thunks: list[ast.expr] = [ast.Lambda(args=empty, body=operand) for operand in operands]
        call = ast.Call(func=ast.Name(id=LOGICAL, ctx=ast.Load()), args=[ast.Constant(value=operation), *thunks], keywords=[])
        return ast.copy_location(call, node)


class _Chain:
    """Two transformers, one after the other, behind the one method that Triton calls."""

    def __init__(self, first: ast.NodeTransformer, second: Any) -> None:
        self.first, self.second = first, second

    def visit(self, tree: ast.AST) -> Any:
        return self.second.visit(ast.fix_missing_locations(self.first.visit(tree)))


def install(interpreter: Any) -> None:
    """Give Python's constructs the compiler's meaning in ``interpreter``."""
    language, semantic = interpreter.tl, interpreter.interpreter_semantic
    stock_tensor, stock_core, stock_convert = interpreter._patch_lang_tensor, interpreter._patch_lang_core, interpreter._implicit_cvt

    def logical(operation: str, *thunks: Any) -> Any:
        if operation == "not":
            value = thunks[0]()
            return semantic.not_(value) if isinstance(value, language.tensor) else not value
        result: Any = None
        for thunk in thunks:
            value = thunk()
            if isinstance(value, language.tensor):
                combine = semantic.logical_and if operation == "and" else semantic.logical_or
                result = value if result is None else combine(result, value)
            elif bool(value) is (operation == "or"):
                return value
            else:
                last = value
        return last if result is None else result

    def truth(value: Any) -> Any:
        if isinstance(value, language.tensor):
            scalar(value)
        return value

    def every(value: Any) -> Any:
        return bool(value.handle.data.all()) if isinstance(value, language.tensor) else value

    def extremum(function: Any, *values: Any, **named: Any) -> Any:
        if function not in (min, max) or not any(isinstance(value, language.tensor) for value in values):
            return function(*values, **named)
        return functools.reduce(language.minimum if function is min else language.maximum, values)

    # Triton puts the names of this module into the globals of what it rewrites.
    for name, helper in ((LOGICAL, logical), (TRUTH, truth), (EVERY, every), (EXTREMUM, extremum)):
        setattr(interpreter, name, helper)
    interpreter.FunctionRewriter.ast_transformer = _Chain(_Rewriter(), interpreter.FunctionRewriter.ast_transformer)

    def scalar(tensor: Any) -> Any:
        data = tensor.handle.data
        if data.size != 1:
            raise not_verified(f"using a block of {data.size} values as one number or condition")
        return data.reshape(-1)[0]

    def patch_tensor(tensor: Any, scope: Any) -> None:
        stock_tensor(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(scalar(self)))
        scope.set_attr(tensor, "__int__", lambda self: int(scalar(self)))
        scope.set_attr(tensor, "__float__", lambda self: float(semantic.cast(self, language.float32).handle.data.reshape(-1)[0]))

    def static_assert(condition: Any, message: Any = "") -> None:
        if not condition:
            raise located(CompileError, f"static_assert failed{': ' if message else ''}{message}")

    def patch_core(lang: Any, scope: Any) -> None:
        stock_core(lang, scope)
        scope.set_attr(lang, "static_assert", static_assert)

    def implicit_convert(argument: Any) -> Any:
        if isinstance(argument, bool):  # Triton 3.6 takes a bool for an integer
            return language.tensor(interpreter.TensorHandle(np.array([argument]), language.int1), language.int1)
        if isinstance(argument, float):  # a compiled launch passes it as float32
            return language.tensor(interpreter.TensorHandle(np.array([argument], dtype=np.float32), language.float32), language.float32)
        converted = stock_convert(argument)
        if isinstance(argument, int):
            handle = converted.handle
            handle.data = handle.data.astype(interpreter._get_np_dtype(handle.dtype))
        return converted

    interpreter._patch_lang_tensor = patch_tensor
    interpreter._patch_lang_core = patch_core
    interpreter._implicit_cvt = implicit_convert
