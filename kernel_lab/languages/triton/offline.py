"""A Triton driver for a GPU that is not there: compiles for its target, reports its limits, records launches instead of making them.

Set as Triton's active driver, it makes wrappers in ordinary user style work with no GPU. Knows Triton's driver interface
only; what is done with a launch is the `Sink`'s business.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Protocol

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from kernel_lab import cuda_stand_in
from kernel_lab.targets import Target


def gpu_target(target: Target) -> GPUTarget:
    """Triton's own description of ``target``."""
    if target.backend == "cuda":
        return GPUTarget("cuda", int(target.arch.removeprefix("sm_").rstrip("af")), 32)
    return GPUTarget("hip", target.arch, target.warp_size)


class Sink(Protocol):
    """Receives what the offline driver sees."""

    def launched(self, source: Any, metadata: Any, grid: tuple[int, int, int], args: tuple[Any, ...]) -> None:
        """A compiled kernel was launched."""

    def registers(self, binary: bytes, name: str) -> tuple[int, int]:
        """(registers, spilled registers) of a kernel binary, as the device's loader would say."""


class _Utils:
    """Stands for the driver's native helper module."""

    def __init__(self, driver: OfflineDriver) -> None:
        self._driver = driver

    def get_device_properties(self, device: int) -> dict[str, Any]:
        target = self._driver.target
        return {
            "max_shared_mem": target.max_shared_bytes or 65536,
            "max_num_regs": target.registers_per_sm or 65536,
            "multiprocessor_count": target.num_sms or 1,
            "warpSize": target.warp_size,
            "sm_clock_rate": int((target.sm_clock_hz or 0) / 1e3),
            "mem_clock_rate": int((target.memory_clock_hz or 0) / 1e3),
            "mem_bus_width": target.memory_bus_bits or 0,
            "max_threads_per_sm": target.max_threads_per_sm or 2048,
            "cooperativeLaunchSupport": 1,
        }

    def load_binary(self, name: str, binary: bytes, shared: int, device: int, *rest: Any) -> tuple[int, int, int, int, int]:
        registers, spills = self._driver.sink.registers(binary, name)
        return 1, 1, registers, spills, self._driver.target.max_threads_per_block

    def unload_module(self, module: Any) -> None: ...

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{name} needs a GPU; this machine compiles for {self._driver.target.arch} without one")


class OfflineDriver(DriverBase):  # type: ignore[misc]
    """Triton's driver for ``target`` with no device behind it; torch tensors live on the CPU."""

    def __init__(self, target: Target, sink: Sink) -> None:
        super().__init__()
        self.target = target
        self.sink = sink
        self.utils = _Utils(self)
        driver = self

        class Launcher:
            """Made by Triton for each compiled kernel; called for each launch."""

            def __init__(self, source: Any, metadata: Any) -> None:
                self.source, self.metadata = source, metadata

            def __call__(self, x: int, y: int, z: int, stream: Any, function: Any, *rest: Any) -> None:
                driver.sink.launched(self.source, self.metadata, (x, y, z), rest[4:])

        self.launcher_cls = Launcher

    @classmethod
    def is_active(cls) -> bool:
        return True

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_current_target(self) -> GPUTarget:
        return gpu_target(self.target)

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None: ...

    def get_current_stream(self, device: int | None = None) -> int:
        return 0

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        return cuda_stand_in.capability(self.target)

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        import torch

        return torch.cuda

    def get_benchmarker(self) -> Callable[..., list[float]]:
        def once(call: Callable[[], Any], *, quantiles: list[float], **options: Any) -> list[float]:
            call()
            return [0.0] * len(quantiles)

        return once

    def get_empty_cache_for_benchmark(self) -> Any:
        raise cuda_stand_in.no_time("a benchmark")

    def clear_cache(self, cache: Any) -> None: ...


def refuse_timing() -> None:
    """Make Triton's own timers say in plain words that there is no GPU."""
    import triton.testing as testing

    def refusing(name: str) -> Callable[..., Any]:
        def refuse(*args: Any, **options: Any) -> Any:
            raise cuda_stand_in.no_time(f"triton.testing.{name}")

        return refuse

    for name in ("do_bench", "do_bench_cudagraph", "do_bench_proton"):
        with contextlib.suppress(AttributeError):
            getattr(testing, name)
            setattr(testing, name, refusing(name))
