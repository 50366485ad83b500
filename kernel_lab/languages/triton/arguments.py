"""A `@triton.jit` kernel as the entry: its arguments from the problem, its grid from ``--grid``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kernel_lab.errors import CompileError, InputError, OptionError, suggest
from kernel_lab.problem import Problem, empty_arguments

POINTERS = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2",
            "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8", "u8": "uint8", "i1": "bool"}  # fmt: skip
SCALARS = ("i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fp16", "bf16", "fp32", "fp64")
_SPELLINGS = {
    word: name
    for name, words in {
        "fp32": ("float32", "float", "f32"),
        "fp16": ("float16", "half", "f16"),
        "bf16": ("bfloat16",),
        "fp64": ("float64", "f64"),
        "i32": ("int32", "int"),
        "i64": ("int64",),
        "i8": ("int8",),
        "i16": ("int16",),
        "u8": ("uint8",),
        "i1": ("bool",),
    }.items()
    for word in words
}


def base_kernel(entry: Any) -> Any:
    """The `@triton.jit` function under its autotune and heuristics decorators."""
    while hasattr(entry, "fn") and not callable(getattr(entry, "src", None)) and hasattr(entry.fn, "fn"):
        entry = entry.fn
    return entry


def parameter_names(entry: Any) -> list[str]:
    """The kernel's parameters in order."""
    return list(base_kernel(entry).arg_names)


def launcher(entry: Any, problem: Problem, loaded_globals: dict[str, Any], device: str = "cpu") -> Callable[..., Any]:
    """A callable ``(*inputs) → outputs`` that launches the kernel as ``problem`` says.

    Inputs and outputs are matched to parameters by name; sizes and ``--const`` values fill the others. Raises `InputError` naming
    the first parameter that has no value.
    """
    names = parameter_names(entry)
    inputs = [item.name for item in problem.inputs.inputs] if problem.inputs else []
    outputs = [item.name for item in problem.outputs.inputs] if problem.outputs else []
    for given, option in ((inputs, "--inputs"), (outputs, "--outputs"), (list(problem.const), "--const")):
        for name in given:
            if name not in names and not (option == "--const" and _is_option(name)):
                known = [*names, *(_options() if option == "--const" else [])]
                raise OptionError(f"{option}: the kernel has no argument {name!r}", hint=suggest(name, known, label="arguments"))

    def run(*args: Any) -> Any:
        given = dict(zip(inputs, args, strict=True))
        sizes = _sizes(problem, given)
        made = empty_arguments(problem.outputs, sizes, device=device) if problem.outputs else []
        fresh = dict(zip(outputs, made, strict=True))
        values = {**sizes, **given, **fresh, **problem.const}
        missing = [name for name in names if name not in values and not _has_value(entry, name)]
        if missing:
            raise InputError(
                f"the kernel's argument {missing[0]!r} has no value",
                hint=f'give it by --inputs "{missing[0]}: f32[n]", --outputs, --sizes "{missing[0]}=1024" or --const "{missing[0]}=1024"',
            )
        grid = _grid(problem.grid, {**loaded_globals, **values})
        entry[grid](**{name: values[name] for name in (*names, *problem.const) if name in values})
        if outputs:
            results = tuple(fresh[name] for name in outputs)
            return results if len(results) > 1 else results[0]
        return None

    return run


def _sizes(problem: Problem, given: dict[str, Any]) -> dict[str, int]:
    """The sizes of this call: from the shapes of the tensors where a dim is a plain name, else as declared."""
    sizes = dict(problem.sizes[0]) if problem.sizes else {}
    for item in problem.inputs.inputs if problem.inputs else ():
        value = given[item.name]
        for dim, size in zip(item.dims or (), getattr(value, "shape", ()), strict=False):
            if dim.isidentifier():
                sizes[dim] = int(size)
    return sizes


def _grid(text: str | None, values: dict[str, Any]) -> Any:
    if text is None:
        raise OptionError("a @triton.jit kernel as the entry needs its grid", hint='for example --grid "(cdiv(n, BLOCK),)"')
    import triton

    names = {**values, "cdiv": triton.cdiv, "triton": triton}
    if text.strip().startswith("lambda"):
        return eval(text, names)
    try:
        return eval(text, names)
    except NameError as error:
        unknown = str(error).split("'")[1]
        values = {name: value for name, value in values.items() if not name.startswith("_") and not callable(value)}

        def later(meta: dict[str, Any]) -> Any:
            known = {key: getattr(value, "value", value) for key, value in meta.items()}
            if unknown not in known:
                raise OptionError(f"--grid: {unknown!r} is not a size, an argument or a constant", hint=suggest(unknown, [*values, *known]))
            return eval(text, {**names, **known})

        return later
    except SyntaxError as error:
        raise OptionError(f"--grid {text!r}: {error.msg}", hint='for example --grid "(cdiv(n, BLOCK),)"') from None


def _has_value(entry: Any, name: str) -> bool:
    """Whether a parameter has a default, or a tuner or heuristic that sets it."""
    current = entry
    while current is not None:
        for config in getattr(current, "configs", ()):
            if name in config.kwargs:
                return True
        if name in (getattr(current, "values", None) or {}):
            return True
        current = getattr(current, "fn", None)
    parameter = base_kernel(entry).signature.parameters.get(name) if hasattr(base_kernel(entry), "signature") else None
    if parameter is None:
        import inspect

        parameter = inspect.signature(base_kernel(entry).fn).parameters.get(name)
    return parameter is not None and parameter.default is not parameter.empty


def _options() -> list[str]:
    from kernel_lab.languages.triton.hooks import launch_options

    return launch_options()


def _is_option(name: str) -> bool:
    return name in _options()


def from_signature(entry: Any, signature: Any, const: dict[str, Any]) -> Sequence[Any]:
    """Arguments for ``signature`` (``{"x_ptr": "*fp32", "n": "i32"}``): 16-byte-aligned pointers, sizes divisible by 16.

    Raises `CompileError` naming the argument for every way a signature can be wrong.
    """
    import torch

    names = parameter_names(entry)
    if not isinstance(signature, dict) or any(not isinstance(key, str) for key in signature):
        raise CompileError("the signature's keys must be argument names", hint=f"the kernel's arguments: {', '.join(names)}")
    for name in signature:
        if name not in names:
            raise CompileError(f"signature: the kernel has no argument {name!r}", hint=suggest(name, names, label="arguments"))
    constexprs = _constexpr_names(entry)
    values: list[Any] = []
    for name in names:
        kind = signature.get(name)
        if name in const or kind == "constexpr":
            if name not in const and not _has_value(entry, name):
                raise CompileError(f"{name} is a constexpr without a value", hint=f"give it: const={{{name!r}: 1024}}")
            values.append(const.get(name))
        elif kind is None:
            if _has_value(entry, name):
                continue
            what = f"const={{{name!r}: 1024}}" if name in constexprs else f"signature={{{name!r}: '*fp32'}}"
            raise CompileError(f"signature: argument {name!r} is missing", hint=f"give it: {what}")
        elif isinstance(kind, str) and kind.startswith("*") and kind[1:] in POINTERS:
            values.append(torch.empty(64, dtype=getattr(torch, POINTERS[kind[1:]])))
        elif kind in SCALARS:
            values.append(1.0 if kind.startswith(("fp", "bf")) else (2**40 if kind in ("i64", "u64") else kind == "i1" or 16))
        else:
            text = str(kind).lstrip("*")
            star = "*" if str(kind).startswith("*") else ""
            known = f"write {star}{_SPELLINGS[text]!s}; " if text in _SPELLINGS else ""
            listing = f"pointers: {', '.join('*' + p for p in POINTERS)}; scalars: {', '.join(SCALARS)}"
            raise CompileError(f"signature: {name} has unknown type {kind!r}", hint=known + listing)
    return values


def _constexpr_names(entry: Any) -> set[str]:
    kernel = base_kernel(entry)
    return {param.name for param in getattr(kernel, "params", ()) if param.is_constexpr}
