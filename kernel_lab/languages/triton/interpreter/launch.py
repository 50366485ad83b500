"""Launching an interpreted kernel by the rules of a compiled launch, and what stands in for a compiled kernel.

Knows Triton's ``InterpretedFunction``. Options and arguments are checked as the compiler checks them; the grid is
normalised; errors that kernel_lab explains come out as themselves instead of as text inside Triton's InterpreterError.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from kernel_lab.errors import CompileError, KernelLabError, suggest
from kernel_lab.languages.triton.grid import normalise
from kernel_lab.languages.triton.interpreter.rules import Adopted
from kernel_lab.languages.triton.interpreter.where import located, root_cause
from kernel_lab.results import Resources
from kernel_lab.targets import Target

DEFAULT_RESOURCES = Resources(registers=32, spill_bytes=0, shared_bytes=1024)
"""What a kernel without a hint is said to take: small enough that host code that divides a GPU's resources by it works."""

_hints: dict[str, Resources] = {}


def set_resources_hint(resources: Mapping[str, Resources]) -> None:
    """What host code is told a kernel takes (kernel name → resources), when it asks a warmed-up kernel for registers."""
    _hints.clear()
    _hints.update(resources)


class InterpretedKernel:
    """What ``kernel.warmup(…)`` gives in the interpreter: the part of Triton's CompiledKernel that host code reads.

    ``n_regs`` 32-bit registers per thread, ``n_spills`` 32-bit words, ``metadata.shared`` bytes. ``kernel[grid](…)``
    takes every argument by position, constants included, and runs the interpreter.
    """

    def __init__(self, function: Any, options: Mapping[str, Any], bound: Mapping[str, Any], target: Target) -> None:
        hint = _hints.get(function.__name__, DEFAULT_RESOURCES)
        registers, shared = hint.registers, hint.shared_bytes
        self.function = function
        self.name = function.__name__
        self.n_regs = DEFAULT_RESOURCES.registers if registers is None else registers
        self.n_spills = (hint.spill_bytes or 0) // 4
        self.n_max_threads = target.max_threads_per_block
        self.asm: dict[str, Any] = {}
        self.metadata = SimpleNamespace(
            name=self.name,
            shared=DEFAULT_RESOURCES.shared_bytes if shared is None else shared,
            num_warps=hint.num_warps or options.get("num_warps") or 4,
            num_ctas=options.get("num_ctas") or 1,
            num_stages=options.get("num_stages") or 3,
            target=target,
        )
        self._bound = dict(bound)

    def _init_handles(self) -> None:
        """Nothing to load."""

    def __getitem__(self, grid: Any) -> Any:
        def launch(*args: Any, stream: Any = None) -> None:
            names = self.function.arg_names
            rest = {name: self._bound[name] for name in names[len(args) :] if name in self._bound}
            self.function.run(*args, grid=grid, warmup=False, **rest)

        return launch


def install(interpreter: Any, adopted: Adopted) -> None:
    """Replace ``InterpretedFunction.run`` and the call of a device function."""
    function_type = interpreter.InterpretedFunction
    failure_type = interpreter.InterpreterError
    stock_run = function_type.run
    stock_patch = interpreter._patch_lang
    patched: set[int] = set()

    def patch(fn: Any) -> Any:
        # Triton looks for the module among the function's globals; a helper that has come from another cell, or that imports names
        # out of it, does not have it there
        fn.__globals__.setdefault("__triton_language__", interpreter.tl)
        return stock_patch(fn)

    def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        try:
            bound = bind(self, args, kwargs, adopted.option_names)
            sizes = (0, 0, 0) if warmup else normalise(grid, bound, adopted.target)
        except CompileError as error:
            raise located(CompileError, error.what, error.hint) from error.__cause__
        if warmup:
            options = {name: value for name, value in kwargs.items() if name not in bound}
            return InterpretedKernel(self, options, bound, adopted.target)
        patched.clear()
        arguments = {name: value for name, value in kwargs.items() if name in bound}
        try:
            with np.errstate(all="ignore"):  # a GPU raises no warning on overflow or 0/0
                return stock_run(self, *args, grid=sizes, warmup=False, **arguments)
        except failure_type as error:
            cause = root_cause(error)
            if isinstance(cause, KernelLabError):
                raise cause from None
            raise

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        module = id(self.fn.__globals__)
        if module not in patched:  # once a launch: the patching walks all of triton.language
            patched.add(module)
            interpreter._patch_lang(self.fn)
        function = self.rewrite()
        try:
            return function(*args, **kwargs)
        except KernelLabError:
            raise
        except Exception as error:
            raise failure_type(repr(error)) from error

    interpreter._patch_lang = patch
    function_type.run = run
    function_type.__call__ = call


def bind(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], option_names: frozenset[str]) -> dict[str, Any]:
    """The kernel's arguments by name, defaults included; unknown names and missing arguments are refused."""
    signature = inspect.signature(function.fn)
    name = function.__name__
    for key in kwargs:
        if key not in signature.parameters and key not in option_names:
            known = [*signature.parameters, *option_names]
            raise CompileError(
                f"{name}: {key!r} is neither an argument of the kernel nor a launch option",
                hint=suggest(key, known, label="arguments and options"),
            )
    try:
        bound = signature.bind(*args, **{key: value for key, value in kwargs.items() if key in signature.parameters})
    except TypeError as error:
        raise CompileError(f"{name}: {error}", hint=f"its arguments are: {', '.join(signature.parameters)}") from None
    bound.apply_defaults()
    return dict(bound.arguments)
