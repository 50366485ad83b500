"""The Python verbs, for scripts, pytest and other notebooks: `compile`, `verify`, `measure`, `last`.

They take functions, not names; everything runs in the same workers as a cell's. Knows nothing of IPython.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

from kernel_lab import runner
from kernel_lab.errors import EntryError, NoGpu, OptionError, TargetError, suggest
from kernel_lab.job import ENTRY, REFERENCE
from kernel_lab.problem import InputSpec, Problem, parse_inputs, parse_sizes
from kernel_lab.results import Report
from kernel_lab.targets import Target, choice, machine
from kernel_lab.targets import names as target_names

Sizes = str | Mapping[str, int]


def compile(
    entry: Callable[..., Any],
    *,
    inputs: str | None = None,
    sizes: Sizes | None = None,
    make_inputs: Callable[..., Any] | None = None,
    target: str | Target | None = None,
    outputs: str | None = None,
    grid: Any = None,
    const: Mapping[str, Any] | None = None,
    signature: Mapping[str, str] | None = None,
    language: str | None = None,
    timeout: float = runner.DEFAULT_TIMEOUT_S,
    **options: Any,
) -> Report:
    """Compile what ``entry`` launches, for a GPU that need not be here.

    entry: a function that launches Triton kernels, a `@triton.jit` kernel (with ``grid`` or ``signature``), a `@tilelang.jit`
    function or a `T.prim_func`.
    inputs: the arguments, as ``"x: f32[n], y: f32[n]"``; sizes: ``"n=98432"`` or ``{"n": 98432}``.
    signature: for a kernel alone, Triton's types by argument: ``{"x_ptr": "*fp32", "n": "i32"}``; pointers and sizes are taken
    as divisible by 16.
    target: an arch ("sm_90", "gfx942") or a GPU's name; default: the GPU here, else the configured default. timeout: seconds.
    Further keywords are launch options (``num_warps=8``). Raises a `kernel_lab.errors.KernelLabError`.
    """
    return _run(
        entry, None, inputs=inputs, sizes=sizes, make_inputs=make_inputs, target=target, outputs=outputs, grid=grid, const=const,
        signature=signature, language=language, timeout=timeout, options=options, verify=False, measure=False,
    )  # fmt: skip


def verify(
    entry: Callable[..., Any],
    reference: Callable[..., Any],
    *,
    inputs: str | None = None,
    sizes: Sizes | None = None,
    make_inputs: Callable[..., Any] | None = None,
    target: str | Target | None = None,
    outputs: str | None = None,
    grid: Any = None,
    const: Mapping[str, Any] | None = None,
    language: str | None = None,
    grad: bool = False,
    atol: float | None = None,
    rtol: float | None = None,
    timeout: float = runner.DEFAULT_TIMEOUT_S,
) -> Report:
    """Compile ``entry`` and compare it with ``reference`` on the same inputs: on the GPU here, else in the interpreter.

    Returns the report; ``report.verdict.passed`` is True, False, or None when it could not be found out (``.reason`` says why).
    """
    return _run(
        entry, reference, inputs=inputs, sizes=sizes, make_inputs=make_inputs, target=target, outputs=outputs, grid=grid, const=const,
        language=language, timeout=timeout, grad=grad, atol=atol, rtol=rtol, verify=True, measure=False,
    )  # fmt: skip


def measure(entry: Callable[..., Any], **arguments: Any) -> Report:
    """Measure one call of ``entry`` on the GPU here; takes the arguments of `compile`. Raises `NoGpu` on a machine without one."""
    if machine.here() is None:
        raise NoGpu("a time needs a GPU, and this machine has none", hint="kernel_lab.compile gives the roofline's bound for any GPU")
    return _run(entry, None, verify=False, measure=True, **arguments)


def last() -> Report | None:
    """The report of the latest cell or verb, or None."""
    return runner.last()


def _run(
    entry: Any,
    reference: Any,
    *,
    inputs: str | InputSpec | None = None,
    sizes: Sizes | None = None,
    make_inputs: Any = None,
    target: str | Target | None = None,
    outputs: str | InputSpec | None = None,
    grid: Any = None,
    const: Mapping[str, Any] | None = None,
    signature: Mapping[str, str] | None = None,
    language: str | None = None,
    timeout: float = runner.DEFAULT_TIMEOUT_S,
    options: Mapping[str, Any] | None = None,
    **flags: Any,
) -> Report:
    environment: dict[str, Any] = {ENTRY: getattr(entry, "__kernel_lab_original__", entry)}
    if reference is not None:
        environment[REFERENCE] = reference
    names: dict[str, str | None] = {"make_inputs": None, "grid": None}
    for name, value in (("make_inputs", make_inputs), ("grid", grid)):
        if isinstance(value, str) or value is None:
            names[name] = value
        else:
            names[name] = f"__kernel_lab_{name}__"
            environment[f"__kernel_lab_{name}__"] = value
    problem = Problem(
        entry=getattr(entry, "__name__", None) or "entry",
        inputs=parse_inputs(inputs, "inputs") if isinstance(inputs, str) else inputs,
        make_inputs=names["make_inputs"],
        sizes=_sizes(sizes),
        outputs=parse_inputs(outputs, "outputs") if isinstance(outputs, str) else outputs,
        grid=names["grid"],
        const={**(const or {}), **({} if signature is not None else options or {})},
        grad=bool(flags.get("grad", False)),
        atol=flags.get("atol"),
        rtol=flags.get("rtol"),
    )
    extras: dict[str, Any] = {}
    if signature is not None:
        extras["signature"] = dict(signature)
        extras["options"] = dict(options or {})
    ask = runner.Ask(
        language=language or language_of(entry),
        target=as_target(target),
        problem=problem,
        environment=environment,
        file=_file(entry),
        verify=flags["verify"],
        measure=flags["measure"],
        timeout_s=timeout,
        options=extras,
    )
    return runner.run(ask)


def as_target(target: str | Target | None) -> Target:
    """A target from its name; None is the default one. Raises `TargetError`."""
    if target is None:
        return choice.default()
    if isinstance(target, Target):
        return target
    if not isinstance(target, str):
        raise TargetError(f"target {target!r} is a {type(target).__name__}", hint='write a name: target="sm_90" or target="H100"')
    return target_names.lookup(target)


def language_of(entry: Any) -> str:
    """The language an entry is written in, from its type, its module's names and the source it was defined in."""
    kind = type(entry).__module__
    if kind.startswith("triton"):
        return "triton"
    if kind.startswith(("tilelang", "tvm")):
        return "tilelang"
    if not callable(entry):
        raise EntryError(f"the entry is a {type(entry).__name__}, not a function", hint="give the function that launches the kernel")
    from kernel_lab.calls import launches

    function = getattr(entry, "__kernel_lab_original__", entry)
    values = list(getattr(function, "__globals__", {}).values())
    if launches(function) or importlib.util.find_spec("tilelang") is None:
        return "triton"
    tile = any(type(value).__module__.startswith("tilelang") for value in values)
    return "tilelang" if tile else "triton"


def _sizes(sizes: Sizes | None) -> tuple[Mapping[str, int], ...]:
    if sizes is None:
        return ()
    if isinstance(sizes, str):
        return parse_sizes(sizes, "sizes")
    for name, value in sizes.items():
        if isinstance(value, bool) or not isinstance(value, int):
            raise OptionError(f"sizes: {name}={value!r} is not an integer", hint=suggest(str(name), sizes))
    return (dict(sizes),)


def _file(entry: Any) -> str:
    base = getattr(entry, "__kernel_lab_original__", entry)
    while not hasattr(base, "__code__") and hasattr(base, "fn"):
        base = base.fn
    code = getattr(base, "__code__", None)
    return code.co_filename if code is not None else "<cell cell>"
