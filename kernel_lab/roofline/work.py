"""How much work a problem is: flops and compulsory bytes, declared by the user or counted from the reference.

Knows problems; knows no target and no kernel. What is counted is the *reference*, on meta tensors (shapes without data),
so that a problem of any size costs milliseconds. torch is imported when something is counted.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kernel_lab.errors import InputError
from kernel_lab.problem import DTYPES, InputSpec, Problem, evaluate

# A reference that cannot run on meta tensors is run on its real arguments when these have fewer elements in all.
SMALL_ELEMENTS = 2**22

# Bits of the floating-point dtypes.
WIDTH = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "f8e4m3": 8, "f8e5m2": 8}


@dataclass(frozen=True)
class Work:
    """Floating-point operations (a multiply-add is two) and compulsory bytes: each input read once, each output written once.

    ``dtype`` is what the main part of the flops computes with ("f16": the operands of the dots), ``uses_dot`` says that this
    part is matrix multiplication; ``source`` says where the numbers come from. None is unknown.
    """

    flops: float | None
    bytes: float | None
    dtype: str | None
    uses_dot: bool
    source: str
    notes: tuple[str, ...] = ()


def of_problem(
    problem: Problem, sizes: Mapping[str, int], reference: Callable[..., Any] | None, arguments: Sequence[Any] | None = None
) -> tuple[Work | None, str | None]:
    """The work of a problem at ``sizes``: what --flops and --bytes declare, the rest counted from the reference.

    ``arguments`` are the reference's, real or meta; without them they are made from the problem's inputs, on meta. Gives the
    work and None, or None and the reason why it is not known. Raises `InputError` for an expression that means no number.
    """
    given = declared(problem.flops, problem.bytes, sizes)
    if arguments is None and problem.inputs is not None:
        arguments = meta_arguments(problem.inputs, sizes)
    counted: Work | None = None
    reason: str | None = "there is no reference to count"
    if reference is not None and arguments is not None:
        counted, reason = count(reference, arguments)
    elif reference is not None:
        reason = "there are no inputs to count the reference with"
    if given is None:
        return counted, reason
    if counted is None:
        return _guessed(given, problem), None
    flops, moved = given.flops, given.bytes
    source = given.source if flops is not None and moved is not None else f"{given.source}; the rest {counted.source}"
    return (
        replace(counted, flops=counted.flops if flops is None else flops, bytes=counted.bytes if moved is None else moved, source=source),
        None,
    )


def _guessed(work: Work, problem: Problem) -> Work:
    """Declared work with nothing to count it by: the dtype is the inputs', and two matrices are taken to be multiplied.

    Should they not be, the bound still holds: the units that multiply matrices are the faster ones.
    """
    matrices = [item for item in (problem.inputs.inputs if problem.inputs else ()) if len(item.dims or ()) >= 2 and item.dtype in WIDTH]
    if len(matrices) < 2:
        return work
    widest = max(matrices, key=lambda item: WIDTH[item.dtype]).dtype
    return replace(work, dtype=widest, uses_dot=True, notes=(f"taken to be {widest} dots, from the inputs",))


def declared(flops: str | None, bytes: str | None, sizes: Mapping[str, int]) -> Work | None:
    """The work that ``--flops "2*M*N*K"`` and ``--bytes "4*(M*K + K*N + M*N)"`` declare; None when neither is given.

    Raises `InputError` naming the option. The dtype is not declared: the caller knows the kernel's.
    """
    if flops is None and bytes is None:
        return None
    options = " and ".join(name for name, text in (("--flops", flops), ("--bytes", bytes)) if text is not None)
    return Work(
        flops=None if flops is None else _number(flops, sizes, "--flops"),
        bytes=None if bytes is None else _number(bytes, sizes, "--bytes"),
        dtype=None,
        uses_dot=False,
        source=f"declared ({options})",
    )


def meta_arguments(spec: InputSpec, sizes: Mapping[str, int]) -> list[Any]:
    """Arguments of a specification without data: tensors on the meta device, scalars with some value. Raises `InputError`."""
    import torch

    arguments: list[Any] = []
    for item in spec.inputs:
        dtype = getattr(torch, DTYPES[item.dtype])
        if item.dims is not None:
            arguments.append(torch.empty([evaluate(dim, sizes) for dim in item.dims], dtype=dtype, device="meta"))
        elif item.name in sizes:
            arguments.append(int(sizes[item.name]))
        else:
            arguments.append(1.0 if dtype.is_floating_point else item.dtype == "bool" or 1)
    return arguments


def count(reference: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Work | None, str | None]:
    """Count ``reference(*arguments)`` without running it at cost; arguments may be nested, real or meta.

    Dots and convolutions count two flops a multiply-add (the formulas of ``torch.utils.flop_counter``); other arithmetic one
    flop per result element and operation, transcendental functions too; reductions one per input element. Gives the work and
    None, or None and the reason.
    """
    from kernel_lab.roofline import counting

    return counting.count(reference, arguments)


def _number(text: str, sizes: Mapping[str, int], option: str) -> float:
    def visit(node: ast.AST) -> float:
        if isinstance(node, ast.Expression):
            return visit(node.body)
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node.value  # type: ignore[return-value]
        if isinstance(node, ast.Name):
            if node.id not in sizes:
                raise InputError(f"{option}: size {node.id!r} in {text!r} has no value", hint=f'give it: --sizes "{node.id}=1024"')
            return sizes[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -visit(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](visit(node.left), visit(node.right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            arity, function = _FUNCTIONS.get(node.func.id, (-1, None))
            if function is not None and len(node.args) == arity:
                return function(*map(visit, node.args))
        raise InputError(
            f"{option}: {text!r} is not a number", hint="it is made of sizes, numbers, + - * / // % ** and cdiv, min, max, log2, sqrt"
        )

    try:
        value = float(visit(ast.parse(text.strip(), mode="eval")))
    except SyntaxError:
        raise InputError(f"{option}: {text!r} is not an expression", hint=f'for example {option} "2*M*N*K"') from None
    except (ArithmeticError, ValueError) as error:
        raise InputError(f"{option}: {text!r} cannot be computed: {error}", hint="change the expression or the sizes") from None
    if not math.isfinite(value) or value < 0:
        raise InputError(f"{option}: {text!r} is {value:g}", hint="a count is a finite number, 0 or more")
    return value


_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a**b if abs(b) <= 64 else math.inf,
}
_FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "cdiv": (2, lambda a, b: -(-a // b)),
    "min": (2, min),
    "max": (2, max),
    "log2": (1, math.log2),
    "sqrt": (1, math.sqrt),
}
