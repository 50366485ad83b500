"""Problem: what the magic line says about a kernel, and the inputs it means.

``"x: f32[n], idx: i64[n] < V, alpha: f32"`` is parsed to an `InputSpec`; with sizes (``"n=98432"``) it becomes concrete arguments.
Parsing needs nothing but this file; `make_arguments` imports torch.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kernel_lab.errors import InputError, suggest

# name → torch attribute
DTYPES: dict[str, str] = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "f8e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "u8": "uint8",
    "bool": "bool",
}
_SPELLINGS = {"float32": "f32", "float": "f32", "fp32": "f32", "float16": "f16", "fp16": "f16", "half": "f16", "bfloat16": "bf16",
              "float64": "f64", "fp64": "f64", "double": "f64", "int32": "i32", "int": "i32", "int64": "i64", "int8": "i8",
              "int16": "i16", "uint8": "u8", "i1": "bool", "int1": "bool", "fp8": "f8e4m3", "f8": "f8e4m3"}  # fmt: skip
_INPUT = re.compile(r"^\s*(\w+)\s*:\s*([\w]+)\s*(?:\[(.*)\])?\s*(?:<\s*(.+))?$", re.DOTALL)


@dataclass(frozen=True)
class Input:
    """One argument: ``dims`` are expressions over the sizes, None for a scalar; values of integers lie in [0, below)."""

    name: str
    dtype: str
    dims: tuple[str, ...] | None = None
    below: str | None = None


@dataclass(frozen=True)
class InputSpec:
    """The arguments of an entry, in order."""

    inputs: tuple[Input, ...]

    def dims(self) -> tuple[str, ...]:
        """The size names that the specification reads, in order of appearance."""
        found: dict[str, None] = {}
        for item in self.inputs:
            for text in (*(item.dims or ()), *((item.below,) if item.below else ())):
                for node in ast.walk(ast.parse(text, mode="eval")):
                    if isinstance(node, ast.Name):
                        found[node.id] = None
        return tuple(found)


@dataclass(frozen=True)
class Problem:
    """What is asked about one entry. All fields are plain data, so that a problem can travel to a worker."""

    entry: str | None = None
    inputs: InputSpec | None = None
    make_inputs: str | None = None
    sizes: tuple[Mapping[str, int], ...] = ()
    reference: str | None = None
    outputs: InputSpec | None = None
    grid: str | None = None
    const: Mapping[str, Any] = field(default_factory=dict)
    grad: bool = False
    atol: float | None = None
    rtol: float | None = None
    flops: str | None = None
    bytes: str | None = None
    seed: int = 0


_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def evaluate(text: str, sizes: Mapping[str, int]) -> int:
    """The integer value of a size expression (``"2*n"``, ``"K // 8"``, ``"cdiv(n, 32)"``); raises `InputError`."""

    def visit(node: ast.AST) -> int:
        if isinstance(node, ast.Expression):
            return visit(node.body)
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            if node.id not in sizes:
                raise InputError(f"size {node.id!r} in {text!r} has no value", hint=f'give it: --sizes "{node.id}=1024"')
            return int(sizes[node.id])
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return int(_OPERATORS[type(node.op)](visit(node.left), visit(node.right)))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -visit(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cdiv" and len(node.args) == 2:
            return -(-visit(node.args[0]) // visit(node.args[1]))
        raise InputError(f"{text!r} is not a size", hint="sizes are names, integers and + - * // % ** cdiv(a, b) of them")

    try:
        return visit(ast.parse(text.strip(), mode="eval"))
    except SyntaxError:
        raise InputError(f"{text!r} is not a size", hint='write names or integers, as in "x: f32[M, 2*K]"') from None
    except ZeroDivisionError:
        raise InputError(f"{text!r} divides by zero", hint="change the sizes") from None


def split_top(text: str, separator: str = ",") -> list[str]:
    """``text`` split at separators that stand outside brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for index, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [part for part in (*parts, text[start:]) if part.strip()]


def parse_inputs(text: str, option: str = "--inputs") -> InputSpec:
    """Parse ``"x: f32[n], alpha: f32, idx: i64[n] < V"``; raises `InputError` naming the part that is wrong."""
    found: list[Input] = []
    for part in split_top(text):
        match = _INPUT.match(part)
        if not match:
            raise InputError(
                f'{option}: {part.strip()!r} is not "name: dtype[dims]"', hint='for example "x: f32[n], y: f32[n], alpha: f32"'
            )
        name, dtype, dims, below = match.groups()
        if dtype not in DTYPES:
            known = _SPELLINGS.get(dtype)
            hint = f"write {known}; " if known else ""
            raise InputError(f"{option}: {name} has unknown dtype {dtype!r}", hint=hint + suggest(dtype, DTYPES, label="dtypes"))
        if name in {item.name for item in found}:
            raise InputError(f"{option}: {name!r} is declared twice", hint="give each argument a name of its own")
        parts = tuple(piece.strip() for piece in split_top(dims)) if dims is not None else None
        item = Input(name, dtype, parts, below.strip() if below else None)
        for expression in (*(parts or ()), *((item.below,) if item.below else ())):
            _check_expression(expression, option, name)
        found.append(item)
    if not found:
        raise InputError(f"{option} is empty", hint='for example "x: f32[n]"')
    return InputSpec(tuple(found))


def _check_expression(text: str, option: str, name: str) -> None:
    class Ones(dict[str, int]):
        def __contains__(self, key: object) -> bool:
            return True

        def __missing__(self, key: str) -> int:
            return 1

    try:
        evaluate(text, Ones())
    except InputError as error:
        raise InputError(f"{option}: {name}: {error.what}", hint=error.hint) from None


def parse_sizes(text: str, option: str = "--sizes") -> tuple[dict[str, int], ...]:
    """Parse ``"M=64, N=128"``; ``"n=[1, 100]"`` and ``"n=1; n=100"`` give several sets. Raises `InputError`."""
    sets: list[dict[str, int]] = []
    for group in split_top(text, ";"):
        choices: list[tuple[str, list[int]]] = []
        for part in split_top(group):
            name, sign, value = part.partition("=")
            name = name.strip()
            if not sign or not name.isidentifier():
                raise InputError(f'{option}: {part.strip()!r} is not "name=integer"', hint='for example "M=1024, N=512"')
            value = value.strip()
            items = split_top(value[1:-1]) if value.startswith("[") and value.endswith("]") else [value]
            known = {key: values[-1] for key, values in choices}
            if name in known:
                raise InputError(
                    f"{option}: {name} is given twice", hint=f'several sizes are written "{name}=[1, 100]" or "{name}=1; {name}=100"'
                )
            choices.append((name, [evaluate(item, known) for item in items]))
            if any(number < 0 for number in choices[-1][1]):
                raise InputError(f"{option}: {name} is negative", hint="sizes are 0 or more")
        longest = max((len(values) for _, values in choices), default=0)
        for index in range(longest):
            sets.append({name: values[min(index, len(values) - 1)] for name, values in choices})
    if not sets:
        raise InputError(f"{option} is empty", hint='for example "n=98432"')
    return tuple(sets)


def missing_sizes(spec: InputSpec, sizes: Mapping[str, int]) -> list[str]:
    """The size names that ``spec`` reads and ``sizes`` lacks."""
    return [name for name in spec.dims() if name not in sizes]


def make_arguments(spec: InputSpec, sizes: Mapping[str, int], *, device: str = "cpu", seed: int = 0) -> list[Any]:
    """Concrete arguments: tensors of standard-normal floats, or integers in [0, below) ([-8, 8) where no range is given), and
    scalars. The same seed gives the same values on every device (they are drawn on the CPU)."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    return [_make(item, sizes, generator, device) for item in spec.inputs]


def empty_arguments(spec: InputSpec, sizes: Mapping[str, int], *, device: str = "cpu") -> list[Any]:
    """Tensors of the shapes and dtypes of ``spec`` that hold nothing yet: a kernel's outputs. Raises `InputError` for a scalar."""
    import torch

    made = []
    for item in spec.inputs:
        if item.dims is None:
            raise InputError(f"--outputs: {item.name} is a scalar", hint=f'a kernel writes tensors: "{item.name}: {item.dtype}[n]"')
        shape = tuple(evaluate(dim, sizes) for dim in item.dims)
        made.append(torch.empty(shape, dtype=getattr(torch, DTYPES[item.dtype]), device=device))
    return made


def _make(item: Input, sizes: Mapping[str, int], generator: Any, device: str) -> Any:
    import torch

    dtype = getattr(torch, DTYPES[item.dtype])
    below = evaluate(item.below, sizes) if item.below else None
    if item.dims is None and item.name in sizes and item.dtype[0] in "iu":
        return int(sizes[item.name])
    shape = tuple(evaluate(dim, sizes) for dim in item.dims or ())
    if any(size < 0 for size in shape):
        raise InputError(f"{item.name} would have shape {shape}", hint="every dimension must be 0 or more")
    if item.dtype == "bool":
        value = torch.randint(0, 2, shape, generator=generator).to(dtype)
    elif dtype.is_floating_point:
        value = torch.randn(shape, generator=generator, dtype=torch.float64 if item.dtype == "f64" else torch.float32).to(dtype)
    else:
        low, high = (0, below) if below is not None else ((0, 16) if item.dtype == "u8" else (-8, 8))
        value = torch.randint(low, max(high, low + 1), shape, generator=generator).to(dtype)
    return value.item() if item.dims is None else value.to(device)


def describe(spec: InputSpec, sizes: Iterable[Mapping[str, int]] = ()) -> str:
    """``spec`` in the notation of ``--inputs``."""
    return ", ".join(
        f"{item.name}: {item.dtype}"
        + (f"[{', '.join(item.dims)}]" if item.dims is not None else "")
        + (f" < {item.below}" if item.below else "")
        for item in spec.inputs
    )
