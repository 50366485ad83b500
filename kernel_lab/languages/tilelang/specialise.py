"""From an entry and a problem to kernels: factory arguments, ``T.const`` sizes and autotune configurations bound by name.

May import TileLang (inside functions); the session has put a target into force. Knows nothing of stages or of running.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from kernel_lab.errors import CompileError, EntryError, KernelLabError, OptionError, suggest
from kernel_lab.languages.tilelang.kernels import TileKernel, make_kernel, plain_values, with_outputs
from kernel_lab.problem import Problem


def kind_of(entry: Any) -> str:
    """What an entry is: "jit", "autotune", "prim_func", "kernel" (compiled or standing in), "function", or "other"."""
    from tilelang.autotuner.tuner import AutoTuneImpl
    from tilelang.jit import JITImpl
    from tvm.tirx import PrimFunc

    from kernel_lab.languages.tilelang.standin import StandIn

    if isinstance(entry, JITImpl):
        return "jit"
    if isinstance(entry, AutoTuneImpl):
        return "autotune"
    if isinstance(entry, PrimFunc):
        return "prim_func"
    if isinstance(entry, StandIn):
        return "kernel"
    return "function" if inspect.isfunction(entry) else "other"


def specialise(entry: Any, problem: Problem) -> TileKernel:
    """The kernel that ``entry`` means with the problem's first sizes and constants.

    Raises `EntryError` for what is no kernel, `OptionError` naming parameters without a value; errors of the kernel's own code
    pass through. An autotuned entry takes its first configuration that can be built.
    """
    kind = kind_of(entry)
    if kind == "jit":
        found = _of_jit(entry, bindings(problem))
    elif kind == "autotune":
        found = _of_autotune(entry, problem)
    elif kind == "prim_func":
        found = make_kernel(entry, python=getattr(entry, "orig_func", None))
    elif kind == "kernel":
        found = entry.kernel
    elif kind == "function":
        found = _of_factory(entry, problem)
    else:
        raise EntryError(
            f"{problem.entry or 'the entry'} is a {type(entry).__name__}, not a TileLang kernel",
            hint="name a @tilelang.jit function or a @T.prim_func",
        )
    sizes = {name: value for name, value in bindings(problem).items() if isinstance(value, int)}
    return with_outputs(replace(found, sizes=sizes), problem.outputs)


def bindings(problem: Problem) -> dict[str, Any]:
    """The values that names in a kernel may take: the first sizes, then the constants."""
    return {**(problem.sizes[0] if problem.sizes else {}), **problem.const}


def _of_jit(jit: Any, values: Mapping[str, Any]) -> TileKernel:
    function = jit.func.orig_func
    arguments = _arguments(function, values, skip=jit.func.tensor_args)
    constants = const_names(function)
    given = {name: values[name] for name in constants if name in values and name not in arguments}
    call = {**arguments, **given}
    jit.initialize_jit_mode(**arguments)
    if jit.mode == "lazy":
        call = arguments
    elif missing := [name for name in constants if name not in values and name not in arguments]:
        _need(function, missing, values)
    func = jit.func.get_tir(**call)
    notes: tuple[str, ...] = ()
    if jit.target not in (None, "auto"):
        notes = (f"the decorator's target={_short(jit.target)} is not used: the target asked for is",)
    shown = plain_values(_defaults(function, call))
    settings = {"out_idx": jit.out_idx, "pass_configs": jit.pass_configs, "compile_flags": jit.compile_flags}
    return make_kernel(func, **settings, python=function, configuration=shown, notes=notes)


def _of_autotune(tuned: Any, problem: Problem) -> TileKernel:
    values = bindings(problem)
    first: BaseException | None = None
    tried = 0
    configs = list(configurations(tuned, problem))
    for config in configs[:8]:
        tried += 1
        try:
            settings = dict(config)
            extra = settings.pop("pass_configs", None)
            # a constant on the magic line fixes a tuned parameter
            kernel = _of_jit(tuned.jit_impl, {**values, **settings, **problem.const})
        except KernelLabError:
            raise
        except Exception as error:
            first = first or error
            continue
        others = f"autotune: configuration {tried} of {len(configs)} is shown; --const picks another"
        return replace(kernel, pass_configs={**kernel.pass_configs, **(extra or {})}, notes=(*kernel.notes, others))
    raise first or CompileError("@tilelang.autotune has no configurations", hint="give configs=[{...}, ...]")


def configurations(tuned: Any, problem: Problem) -> Iterator[Mapping[str, Any]]:
    """The configurations of an ``@tilelang.autotune`` entry; a function of the sizes is called with those it takes."""
    configs = tuned.configs
    if callable(configs):
        function = tuned.jit_impl.func.orig_func
        values = bindings(problem)
        names = [name for name in inspect.signature(function).parameters if name in values]
        accepted = inspect.signature(configs).parameters
        variadic = any(item.kind == item.VAR_POSITIONAL for item in accepted.values())
        configs = configs(*(values[name] for name in (names if variadic else names[: len(accepted)])))
    if isinstance(configs, Mapping):
        configs = [configs]
    yield from configs


def _of_factory(function: Callable[..., Any], problem: Problem) -> TileKernel:
    """A plain function that returns a PrimFunc or a compiled kernel for the sizes."""
    from tvm.tirx import PrimFunc

    arguments = _arguments(function, bindings(problem), skip=())
    made = function(**arguments)
    if kind_of(made) == "kernel":
        return made.kernel  # type: ignore[no-any-return]
    if not isinstance(made, PrimFunc):
        raise EntryError(
            f"{function.__name__} returned a {type(made).__name__}, not a TileLang kernel",
            hint="name a @tilelang.jit function, a @T.prim_func, or a function that returns one",
        )
    return make_kernel(made, python=function, configuration=plain_values(_defaults(function, arguments)))


def takes_only_sizes(function: Callable[..., Any], problem: Problem) -> bool:
    """Whether every parameter of a plain function without a default is a size or constant of the problem."""
    values = bindings(problem)
    required = [item for item in inspect.signature(function).parameters.values() if item.default is item.empty and item.kind in _NAMED]
    return bool(required) and all(item.name in values for item in required)


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _arguments(function: Callable[..., Any], values: Mapping[str, Any], skip: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    missing = []
    for item in inspect.signature(function).parameters.values():
        if item.name in skip or item.kind not in _NAMED:
            continue
        if item.name in values:
            found[item.name] = values[item.name]
        elif item.default is item.empty:
            missing.append(item.name)
    if missing:
        _need(function, missing, values)
    return found


def _need(function: Callable[..., Any], missing: list[str], values: Mapping[str, Any]) -> None:
    word = "a value" if len(missing) == 1 else "values"
    listed = ", ".join(f"{name}=…" for name in missing)
    near = [name for name in values if name.lower() in {item.lower() for item in missing}]
    hint = f'--sizes "{listed}" (or --const for what is no size)'
    if near:
        hint = f"{suggest(near[0], missing, label='wanted')}\n{hint}"
    raise OptionError(f"{function.__name__} needs {word} for {', '.join(missing)}", hint=hint, cell_line=_first_line(function))


def _first_line(function: Callable[..., Any]) -> int | None:
    return function.__code__.co_firstlineno if hasattr(function, "__code__") else None


def _defaults(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    found = {item.name: item.default for item in inspect.signature(function).parameters.values() if item.default is not item.empty}
    return {**found, **given}


def const_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The sizes that an eager kernel declares with ``T.const("M, N")``, in order of appearance."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return ()
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name == "const":
                found.update(dict.fromkeys(part for part in re.split(r"[\s,]+", node.args[0].value) if part))
    return tuple(found)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else text[:57] + "…"
