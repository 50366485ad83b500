"""Calls and launches made by the notebook itself on a machine with no GPU: they are run in the interpreting worker.

A function of a cell that launches kernels is shipped whole (function, arguments; results and changed tensors come back); a launch
made outside such a function is shipped alone. With a GPU nothing here is installed: calls are the user's own. Installed by an import
hook, so that loading the extension imports neither torch nor Triton.
"""

from __future__ import annotations

import ast
import functools
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from kernel_lab import runner
from kernel_lab.errors import KernelLabError
from kernel_lab.targets import Target
from kernel_lab.workers import wire
from kernel_lab.workers.local import executor

SHIP = "__kernel_lab_ship__"
TIMEOUT_S = 600.0
_state: dict[str, Any] = {"target": None, "said": False, "say": print, "driver": None}


def install(target: Target, say: Callable[[str], None] = print) -> None:
    """Make this process's calls run without a GPU, as if on ``target``. Later calls change the target.

    ``say`` shows the one-time notice."""
    _state.update(target=target, say=say)
    for name, patch in (("torch", _patch_torch), ("triton", _patch_triton), ("tilelang", _patch_tilelang)):
        if name in sys.modules and getattr(sys.modules[name], "__spec__", None) is not None:
            patch()
    if not any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        hooks = {"torch": _patch_torch, "triton": _patch_triton, "tilelang": _patch_tilelang}
        sys.meta_path.insert(0, _AfterImport(hooks))


def installed() -> bool:
    """Whether this process's calls are shipped."""
    return _state["target"] is not None


def ship(function: Any) -> Any:
    """``function``, shipped whole to the worker when it launches kernels; anything that is not a plain function is returned as it is."""
    if not isinstance(function, types.FunctionType) or not installed():
        return function

    @functools.wraps(function)
    def shipped(*args: Any, **kwargs: Any) -> Any:
        if not installed() or not launches(function) or _needs_graph(args, kwargs):
            return function(*args, **kwargs)
        try:
            wire.dump((function, args, kwargs))
        except Exception:
            return function(*args, **kwargs)  # something in it cannot travel: its launches are shipped one by one
        torch = sys.modules.get("torch")
        random = torch.get_rng_state() if torch is not None else None
        try:
            return _call(function.__name__, "call_job", function, args, kwargs, random)
        finally:
            if torch is not None:
                torch.set_rng_state(random)

    shipped.__kernel_lab_original__ = function  # type: ignore[attr-defined]
    return shipped


def mark(tree: ast.Module) -> ast.Module:
    """``tree`` with every plain function of its top level passed through `ship`; lines and sources stay as they are."""
    body: list[ast.stmt] = []
    for node in tree.body:
        body.append(node)
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            call = ast.Call(ast.Name(SHIP, ast.Load()), [ast.Name(node.name, ast.Load())], [])
            assignment = ast.Assign([ast.Name(node.name, ast.Store())], call)
            body.append(ast.fix_missing_locations(ast.copy_location(assignment, node)))
    return ast.Module(body=body, type_ignores=tree.type_ignores)


def launches(function: Any, seen: set[int] | None = None) -> bool:
    """Whether a function reads, directly or through functions it reads, a Triton kernel."""
    seen = seen if seen is not None else set()
    function = getattr(function, "__kernel_lab_original__", function)
    if id(function) in seen:
        return False
    seen.add(id(function))
    if not isinstance(function, types.FunctionType):
        return _is_kernel(function)
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    values = [function.__globals__[name] for name in names if name in function.__globals__]
    values += [cell.cell_contents for cell in function.__closure__ or () if _filled(cell)]
    return any(_is_kernel(value) or (isinstance(value, types.FunctionType) and launches(value, seen)) for value in values)


def _filled(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _codes(code: types.CodeType) -> Sequence[types.CodeType]:
    found = [code]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found += _codes(constant)
    return found


def _is_kernel(value: Any) -> bool:
    return type(value).__module__ in ("triton.runtime.jit", "triton.runtime.autotuner") and hasattr(value, "run")


def _needs_graph(args: Any, kwargs: Any) -> bool:
    """Whether autograd would record this call: then it must run here, so that the graph is here."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.is_grad_enabled():
        return False
    return any(getattr(value, "requires_grad", False) for value in (*args, *kwargs.values()))


def _call(name: str, function: str, *args: Any) -> Any:
    if not _state["said"]:
        _state["said"] = True
        _state["say"](
            f"no GPU here: {name} runs in the interpreter on the CPU (correct, and slow); torch.cuda stands for {_state['target'].arch}"
        )
    try:
        return executor().run(
            runner.worker_kind("triton", "interpret"),
            f"kernel_lab.jobs:{function}",
            "triton",
            _state["target"],
            *args,
            timeout_s=TIMEOUT_S,
            what=name,
        )
    finally:
        if executor().last_printed:
            sys.stdout.write(executor().last_printed)


class _AfterImport(importlib.abc.MetaPathFinder):
    """Runs a function right after a module was imported."""

    def __init__(self, hooks: dict[str, Callable[[], None]]) -> None:
        self.hooks = hooks

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        hook = self.hooks.get(name)
        spec = importlib.machinery.PathFinder.find_spec(name, path) if hook is not None else None
        if hook is None or spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: types.ModuleType) -> None:
            execute(module)
            hook()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _patch_torch() -> None:
    from kernel_lab import cuda_stand_in

    cuda_stand_in.install(_state["target"])


class _NoLaunches:
    """The notebook's own process compiles nothing, so nothing reaches its driver."""

    def launched(self, source: Any, metadata: Any, grid: Any, args: Any) -> None: ...

    def registers(self, binary: bytes, name: str) -> tuple[int, int]:
        return 32, 0


def _patch_triton() -> None:
    from triton.runtime.driver import driver

    from kernel_lab.languages.triton import offline

    if _state["driver"] is not None:
        _state["driver"].target = _state["target"]
        return
    _state["driver"] = offline.OfflineDriver(_state["target"], _NoLaunches())
    driver.set_active(_state["driver"])
    offline.refuse_timing()

    from triton.runtime.autotuner import Autotuner, Heuristics
    from triton.runtime.jit import JITFunction, KernelInterface

    def getitem(self: Any, grid: Any) -> Callable[..., Any]:
        name = _kernel_name(self)

        def launch(*args: Any, **kwargs: Any) -> None:
            known = _normalised(grid)
            _call(name, "launch_job", self, known, args, kwargs)

        return launch

    def warmup(self: Any, *args: Any, grid: Any, **kwargs: Any) -> Any:
        return executor().run(
            runner.worker_kind("triton", "compile"), "kernel_lab.jobs:warmup_job", "triton", _state["target"], self, grid, args, kwargs,
            timeout_s=TIMEOUT_S, what=_kernel_name(self),
        )  # fmt: skip

    KernelInterface.__getitem__ = getitem
    for kind in (KernelInterface, JITFunction, Autotuner, Heuristics):
        kind.warmup = warmup


def _kernel_name(kernel: Any) -> str:
    while not hasattr(kernel, "__name__") and hasattr(kernel, "fn"):
        kernel = kernel.fn
    return getattr(kernel, "__name__", "kernel")


def _normalised(grid: Any) -> Any:
    if callable(grid):
        return grid
    from kernel_lab.languages.triton.grid import normalise

    return normalise(grid, {}, _state["target"])


def _patch_tilelang() -> None:
    from kernel_lab.languages import tilelang

    refuse = getattr(tilelang, "refuse_calls", None)
    if refuse is not None:
        refuse()


__all__ = ["SHIP", "KernelLabError", "install", "installed", "launches", "mark", "ship"]
