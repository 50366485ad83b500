"""Calls of TileLang kernels in the notebook's own process: refused in plain words without a GPU, kept fresh with one.

`watch_calls` may be called at any time: it does its work when TileLang is imported, and imports nothing itself.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import CodeType, ModuleType
from typing import Any

from kernel_lab.errors import NotRunnable

_MODULE = "tilelang.jit"
_PLAIN = (bool, int, float, str, bytes, type(None))


def watch_calls(has_gpu: Callable[[], bool]) -> None:
    """Watch calls of TileLang kernels in this process, from TileLang's import on.

    Where ``has_gpu()`` is false they raise `NotRunnable`; else a kernel whose captured plain values (numbers, strings) have
    changed since its last call is built again, which TileLang itself does not do.
    """
    module = sys.modules.get(_MODULE)
    if module is not None and hasattr(module, "JITImpl"):
        _patch(module, has_gpu)
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(has_gpu))


def refuse_calls() -> None:
    """`watch_calls` for a machine known to have no GPU."""
    watch_calls(lambda: False)


def refusal(name: str) -> NotRunnable:
    """What a call says without a GPU."""
    return NotRunnable(
        f"{name} was not run: TileLang kernels run on a GPU, and there is none here",
        hint=f"%%tile {name} compiles it for any GPU that --target names and shows its stages",
    )


def _patch(module: ModuleType, has_gpu: Callable[[], bool]) -> None:
    jit = module.JITImpl
    if hasattr(jit.__call__, "__kernel_lab_original__"):
        return
    _wrap(jit, "__call__", has_gpu, lambda kernel: str(kernel.func.__name__), fresh=True)
    _wrap(jit, "compile", has_gpu, lambda kernel: str(kernel.func.__name__), fresh=True)
    _wrap(module.JITKernel, "__call__", has_gpu, lambda kernel: str(kernel.prim_func.attrs["global_symbol"]))
    tuner = sys.modules.get("tilelang.autotuner.tuner")
    if tuner is not None and hasattr(tuner, "AutoTuneImpl"):
        _wrap(tuner.AutoTuneImpl, "__call__", has_gpu, lambda kernel: str(kernel.jit_impl.func.__name__))


def _wrap(owner: type, attribute: str, has_gpu: Callable[[], bool], name: Callable[[Any], str], *, fresh: bool = False) -> None:
    original = getattr(owner, attribute)

    @functools.wraps(original)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not has_gpu():
            raise refusal(name(self))
        if fresh:
            _refresh(self)
        return original(self, *args, **kwargs)

    call.__kernel_lab_original__ = original  # type: ignore[attr-defined]
    setattr(owner, attribute, call)


def captured(function: Callable[..., Any]) -> tuple[tuple[str, Any], ...]:
    """The plain values of the globals and closure cells that ``function``, with the functions inside it, reads now."""
    found: dict[str, Any] = {}
    names: set[str] = set()

    def visit(code: CodeType) -> None:
        names.update(code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                visit(constant)

    visit(function.__code__)
    for name in sorted(names):
        value = function.__globals__.get(name)
        if name in function.__globals__ and isinstance(value, _PLAIN):
            found[name] = value
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            value = cell.cell_contents
        except ValueError:  # not bound yet
            continue
        if isinstance(value, _PLAIN):
            found[name] = value
    return tuple(found.items())


def _refresh(jit: Any) -> None:
    """Forget what TileLang built for ``jit`` when a value that it captured has changed."""
    function = getattr(jit.func, "orig_func", None)
    if function is None:
        return
    now = captured(function)
    if getattr(jit, "_kernel_lab_captured", now) != now:
        for cache in (jit._kernel_cache, jit._call_form_cache, jit._tuner_cache, jit.func.p1_cache):
            cache.clear()
    jit._kernel_lab_captured = now


class _Finder(importlib.abc.MetaPathFinder):
    """Sees TileLang's import, once, and patches it when it is complete."""

    def __init__(self, has_gpu: Callable[[], bool]) -> None:
        self.has_gpu = has_gpu

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        if name != "tilelang":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            jit = sys.modules.get(_MODULE)
            if jit is not None:
                _patch(jit, self.has_gpu)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
