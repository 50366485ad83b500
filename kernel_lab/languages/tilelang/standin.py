"""Compiled kernels' stand-ins: what ``matmul(1024, 1024, 1024)`` returns where nothing is to be compiled for a GPU.

While a `Recording` is in force, the cell's own code builds PrimFuncs and calls kernels as always; the calls are noted and give
outputs of the right shapes with values that mean nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from kernel_lab.errors import NotRunnable
from kernel_lab.languages.tilelang.kernels import TileKernel, make_kernel, plain_values


class StandIn:
    """In the place of a ``JITKernel``: knows its PrimFunc, and notes its calls in the recording that made it."""

    def __init__(self, kernel: TileKernel, recording: Recording) -> None:
        self.kernel = kernel
        self.prim_func = kernel.func
        self._recording = recording

    def __call__(self, *arguments: Any) -> Any:
        self._recording.launched.append(self.kernel)
        return _outputs(self.kernel, arguments)

    def get_kernel_source(self, *_: Any, **__: Any) -> str:
        """The CUDA, HIP or Metal source for the target in force."""
        from kernel_lab.languages.tilelang.lowering import device_source

        return device_source(self.kernel)

    def get_profiler(self, *_: Any, **__: Any) -> Any:
        raise NotRunnable("a TileLang kernel is timed on a GPU, and its cell is only being compiled", hint="time it in another cell")


class Recording:
    """The kernels that were built, and those that were called, in order."""

    def __init__(self) -> None:
        self.built: list[TileKernel] = []
        self.launched: list[TileKernel] = []

    def stand_in(self, kernel: TileKernel) -> StandIn:
        if not any(known.func.same_as(kernel.func) for known in self.built):
            self.built.append(kernel)
        return StandIn(kernel, self)


@contextmanager
def recording(properties: Any = None) -> Iterator[Recording]:
    """Put stand-ins in the place of compilation in this process, until the end of the block.

    ``properties`` is what TileLang's own driver functions (``driver.get_num_sms()``) say of the GPU meanwhile.
    """
    import tilelang
    import tilelang.autotuner.tuner as tuner
    import tilelang.jit as jit_module
    from tilelang.carver.arch.driver import cuda_driver
    from tilelang.jit import JITImpl

    made = Recording()

    def of_prim_func(func: Any, out_idx: Any = None, pass_configs: Any = None, compile_flags: Any = None, **_: Any) -> StandIn:
        settings = {"out_idx": out_idx, "pass_configs": pass_configs, "compile_flags": compile_flags}
        return made.stand_in(make_kernel(func, **settings, python=getattr(func, "orig_func", None)))

    def of_jit(jit: Any, *args: Any, **kwargs: Any) -> StandIn:
        kwargs.update(kwargs.pop("__tune_params", {}))
        jit.initialize_jit_mode(*args, **kwargs)
        func = jit.func.get_tir(*args, **kwargs)
        bound = inspect.signature(jit.func.orig_func).bind_partial(*args)
        shown = plain_values({**bound.arguments, **kwargs})
        settings = {"out_idx": jit.out_idx, "pass_configs": jit.pass_configs, "compile_flags": jit.compile_flags}
        return made.stand_in(make_kernel(func, **settings, python=jit.func.orig_func, configuration=shown))

    def call_jit(jit: Any, *args: Any, **kwargs: Any) -> Any:
        kernel = of_jit(jit, *args, **kwargs)
        if jit.mode == "lazy":
            return kernel
        _, tensors = jit.func.parse_args(*args, **kwargs)
        return kernel(*tensors.values())

    def call_tuned(tuned: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("__return_kernel", None)
        configs = tuned.configs(*args, **kwargs) if callable(tuned.configs) else tuned.configs
        config = {name: value for name, value in dict(next(iter(configs), {})).items() if name != "pass_configs"}
        return call_jit(tuned.jit_impl, *args, **{**config, **kwargs})

    def par_compile(funcs: Any, **options: Any) -> list[StandIn]:
        return [of_prim_func(func, **options) for func in funcs]

    def jit_par_compile(jit: Any, configs: Any, **_: Any) -> list[StandIn]:
        return [of_jit(jit, **config) if isinstance(config, dict) else of_jit(jit, *config) for config in configs]

    with ExitStack() as stack:
        for owner, name, value in (
            (JITImpl, "__call__", call_jit),
            (JITImpl, "compile", of_jit),
            (JITImpl, "par_compile", jit_par_compile),
            (tuner.AutoTuneImpl, "__call__", call_tuned),
            (jit_module, "compile", of_prim_func),
            (tilelang, "compile", of_prim_func),
            (jit_module, "par_compile", par_compile),
            (tilelang, "par_compile", par_compile),
            (cuda_driver, "get_cuda_device_properties", lambda device_id=0: properties),
        ):
            if hasattr(owner, name):
                stack.callback(_restore(owner, name))
                setattr(owner, name, value)
        yield made


def _restore(owner: Any, name: str) -> Callable[[], None]:
    before = getattr(owner, name)
    return lambda: setattr(owner, name, before)


def _outputs(kernel: TileKernel, arguments: tuple[Any, ...]) -> Any:
    """Outputs of the right shape and dtype on the arguments' device, for a kernel that allocates its own."""
    if not kernel.out_idx:
        return None
    from kernel_lab.languages.tilelang.arguments import allocate

    made = allocate(kernel, arguments, poison=False)
    return made[0] if len(made) == 1 else tuple(made)
