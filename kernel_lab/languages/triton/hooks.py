"""Hooks into Triton's launch path in a compiling worker: each configuration on its own, launches normalised, mistakes named.

Installed once per process; they act only while a `Recorder` is active. Only attributes that exist in Triton 3.6 to 3.9 are used.
"""

from __future__ import annotations

import dataclasses
import weakref
from typing import Any

from kernel_lab.cell import calling_line
from kernel_lab.errors import CompileError, KernelLabError, suggest
from kernel_lab.languages.triton import diagnostics, grid
from kernel_lab.languages.triton.recorder import Recorder
from kernel_lab.workers import child

_active: list[Recorder] = []
_caches: weakref.WeakSet[Any] = weakref.WeakSet()
_installed = False
_tuning = 0


def activate(recorder: Recorder) -> None:
    """Send everything to ``recorder`` until `deactivate`."""
    _install()
    _forget_limits()
    _active.append(recorder)


def deactivate() -> None:
    """Stop recording, and forget what was compiled: the next target must not find it (Triton's cache is keyed by device index)."""
    _active.pop()
    for function in list(_caches):
        function.device_caches.clear()
    _caches.clear()


def _forget_limits() -> None:
    """Triton keeps the shared memory of device 0; the next target's device 0 has another."""
    from triton.compiler import compiler

    clear = getattr(compiler.max_shared_mem, "cache_clear", None)
    if clear is not None:
        clear()


def _install() -> None:
    global _installed
    if _installed:
        return
    _installed = True
    import triton.compiler as compiler
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.errors import OutOfResources
    from triton.runtime.jit import JITFunction

    stock_compile, stock_run = compiler.compile, JITFunction.run

    def recording_compile(source: Any, *args: Any, **options: Any) -> Any:
        kernel = stock_compile(source, *args, **options)
        if _active:
            _active[-1].add(kernel, source)
        return kernel

    def run(self: Any, *args: Any, grid: Any, warmup: bool, **options: Any) -> Any:
        if not _active:
            return stock_run(self, *args, grid=grid, warmup=warmup, **options)
        _caches.add(self)
        try:
            return stock_run(self, *args, grid=_normalised(grid), warmup=warmup, **options)
        except OutOfResources as error:
            if _tuning:
                raise
            _active[-1].find(diagnostics.over_limit(self.__name__, error, _active[-1].target), line=calling_line(), code="over-limit")
            return None
        except KernelLabError as error:
            if error.cell_line is None:
                error.cell_line = calling_line()
            raise
        except (AssertionError, KeyError, TypeError, ValueError) as error:
            explained = _explain_call(self, error, options)
            if explained is None:
                raise
            raise explained from error

    def tune(self: Any, *args: Any, **options: Any) -> Any:
        if not _active:
            return stock_tune(self, *args, **options)
        return _each_configuration(self, _active[-1], args, options)

    # Triton takes its own frames out of the tracebacks of refused kernels; `diagnostics` finds names' values in them
    if hasattr(compiler.compiler, "filter_traceback"):
        compiler.compiler.filter_traceback = lambda error: None
    stock_tune = Autotuner.run
    compiler.compile = recording_compile
    JITFunction.run = run
    Autotuner.run = tune


def _normalised(given: Any) -> Any:
    target = _active[-1].target
    if callable(given):
        return lambda meta: grid.normalise(given, meta, target)
    return grid.normalise(given, {}, target)


def _each_configuration(tuner: Any, recorder: Recorder, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Compile every configuration that the tuner would try; one that fails is listed and does not end the others."""
    global _tuning
    name = getattr(tuner.base_fn, "__name__", "kernel")
    tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
    configurations = tuner.prune_configs(options) if len(tuner.configs) > 1 else tuner.configs
    result, first_error = None, None
    for number, config in enumerate(configurations):
        settings = config.all_kwargs()
        if number and recorder.out_of_time():
            late = CompileError(f"not compiled: the time for this cell was spent after {number} of {len(configurations)} configurations")
            recorder.reject(name, settings, late, None)
            continue
        recorder.configuration = settings
        _tuning += 1
        try:
            named = {**tuner.nargs, **options, **settings}
            if config.pre_hook:
                config.pre_hook(named)
            compiled = tuner.fn.run(*args, **options, **settings)
            if result is None and len(configurations) > 1:
                child.emit({"first": recorder.kernels()[-1:], "of": len(configurations)})
            result = result or compiled
        except Exception as error:
            explained = diagnostics.explain(error, recorder.file, target=recorder.target)
            first_error = first_error or explained
            recorder.reject(name, settings, explained, getattr(explained, "cell_line", None) or calling_line())
        finally:
            _tuning -= 1
            recorder.configuration = {}
    tuner.best_config = configurations[0]
    tuner.nargs = None
    if result is None and first_error is not None:
        raise first_error
    return result


def _explain_call(function: Any, error: Exception, options: dict[str, Any]) -> CompileError | None:
    """A launch whose arguments do not fit the kernel, by name."""
    text = str(error.args[0]) if error.args else ""
    line = calling_line()
    if _raised_in(error, "parse_options"):
        given = ", ".join(f"{name}={value!r}" for name, value in options.items() if name in launch_options())
        return CompileError(f"{function.__name__}: {text} (given: {given})", cell_line=line, hint="correct the launch's options")
    parameters = [param.name for param in function.params]
    if "was specified but unrecognised" in text:
        word = text.split("argument ")[-1].split(" ")[0]
        return CompileError(
            f"{function.__name__} has no argument or option {word!r}",
            cell_line=line,
            hint=suggest(word, [*parameters, *launch_options()], label="arguments and options"),
        )
    if "dynamic_func()" in text:
        what = text.replace("dynamic_func()", f"{function.__name__}:")
        listed = ", ".join(f"{param.name}{': constexpr' if param.is_constexpr else ''}" for param in function.params)
        return CompileError(what, cell_line=line, hint=f"the kernel's arguments: {listed}")
    return None


def _raised_in(error: BaseException, function: str) -> bool:
    """Whether a function of this name is on the way from here to where ``error`` was raised."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_name == function:
            return True
        trace = trace.tb_next
    return False


def launch_options() -> list[str]:
    """The options that a launch takes besides the kernel's arguments, for the active target."""
    from triton.compiler import make_backend

    from kernel_lab.languages.triton.offline import gpu_target

    if not _active:
        return ["num_warps", "num_stages", "num_ctas", "maxnreg"]
    options = make_backend(gpu_target(_active[-1].target)).parse_options({})
    return [
        field.name for field in dataclasses.fields(options) if not field.name.startswith(("supported", "deprecated", "allowed", "backend"))
    ]
