"""Triton's own interpreter, corrected: what it computes is what compiled code would, or it says that it cannot tell.

Wraps Triton's interpreter in place, by feature checks, in a process of its own; knows nothing of notebooks, verdicts or
workers. `install` is called once where ``TRITON_INTERPRET=1`` was set before Triton was imported.
"""

from __future__ import annotations

from kernel_lab.languages.triton.interpreter.autotune import chosen_configs
from kernel_lab.languages.triton.interpreter.differences import KNOWN_DIFFERENCES
from kernel_lab.languages.triton.interpreter.launch import InterpretedKernel, set_resources_hint
from kernel_lab.languages.triton.interpreter.rules import Adopted
from kernel_lab.languages.triton.interpreter.where import cell_location, raised_at, root_cause
from kernel_lab.targets import Target

__all__ = [
    "KNOWN_DIFFERENCES",
    "InterpretedKernel",
    "cell_location",
    "chosen_configs",
    "install",
    "raised_at",
    "root_cause",
    "set_resources_hint",
]

_adopted: Adopted | None = None


def install(target: Target) -> None:
    """Correct Triton's interpreter in this process, with the compile-time rules of ``target``. Calling it again changes the target.

    Raises RuntimeError when Triton was imported without ``TRITON_INTERPRET=1``.
    """
    global _adopted
    if _adopted is not None:
        if _adopted.target != target:
            _adopt(_adopted, target)
        return

    import triton
    from triton.runtime import interpreter

    from kernel_lab.errors import CompileError
    from kernel_lab.languages.triton.interpreter import (
        arithmetic,
        autotune,
        control,
        conversions,
        dot,
        foreign,
        launch,
        memory,
        reductions,
        rules,
    )
    from kernel_lab.languages.triton.interpreter.where import located

    if not triton.knobs.runtime.interpret:
        raise RuntimeError("TRITON_INTERPRET=1 must be set before Triton is imported")
    _adopted = Adopted(target)
    rules.install(_adopted, lambda what, hint: located(CompileError, what, hint))
    conversions.install(interpreter)
    arithmetic.install(interpreter)
    dot.install(interpreter)
    reductions.install(interpreter)
    control.install(interpreter)
    foreign.install(interpreter)
    memory.install(interpreter)
    launch.install(interpreter, _adopted)
    autotune.install()
    _adopt(_adopted, target)


def _adopt(adopted: Adopted, target: Target) -> None:
    """Take the rules, options and device library of ``target``'s backend."""
    from triton.runtime import interpreter

    from kernel_lab.languages.triton.interpreter import foreign, rules

    options = rules.adopt_backend(interpreter, target)
    foreign.bind_library(target)
    adopted.target = target
    adopted.option_names = frozenset(vars(options))
