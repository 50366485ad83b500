"""With no GPU, ``torch.cuda`` means the chosen target and the device "cuda" means the CPU.

A notebook written on a GPU machine then runs unchanged: ``device="cuda"`` literals, ``.cuda()``, `torch.cuda.get_device_properties`.
What only a GPU can answer (a time) refuses in plain words. Used in the notebook's process and in the workers; knows nothing of kernels.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from kernel_lab.errors import NoGpu
from kernel_lab.targets import Target

_target: Target | None = None
_mode: Any = None


def install(target: Target) -> None:
    """Make ``torch.cuda`` answer for ``target`` in this process and place "cuda" tensors on the CPU.

    Calling it again changes the target."""
    global _target, _mode
    _target = target
    if _mode is None:
        _mode = _enter_mode()
        _patch_cuda()


def _enter_mode() -> Any:
    import torch
    from torch.overrides import TorchFunctionMode

    is_cuda = torch.Tensor.is_cuda.__get__

    class CudaOnCpu(TorchFunctionMode):  # type: ignore[misc]
        """Rewrites the device "cuda" to "cpu" in every torch call."""

        def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func is torch.Tensor.cuda:
                return args[0]
            if func == is_cuda:  # wrappers assert it of their arguments
                return True
            if args and any(_is_cuda(arg) for arg in args):
                args = tuple(_to_cpu(arg) for arg in args)
            if kwargs:
                if _is_cuda(kwargs.get("device")):
                    kwargs = {**kwargs, "device": "cpu"}
                if kwargs.get("pin_memory"):
                    kwargs = {**kwargs, "pin_memory": False}
            return func(*args, **(kwargs or {}))

    def _is_cuda(value: Any) -> bool:
        if isinstance(value, torch.device):
            return bool(value.type == "cuda")
        return isinstance(value, str) and (value == "cuda" or value.startswith("cuda:"))

    def _to_cpu(value: Any) -> Any:
        return "cpu" if _is_cuda(value) else value

    mode = CudaOnCpu()
    mode.__enter__()
    return mode


def capability(target: Target) -> tuple[int, int]:
    """What ``torch.cuda.get_device_capability`` says of ``target``; (9, 4) for gfx942, as ROCm builds of torch do."""
    digits = target.arch.removeprefix("sm_").removeprefix("gfx").rstrip("abcdef") or "0"
    if target.backend == "hip":
        return (9, 4) if target.arch.startswith("gfx94") else (int(digits[:-1] or 9), 0)
    return int(digits[:-1]), int(digits[-1])


def properties(target: Target) -> types.SimpleNamespace:
    """What ``torch.cuda.get_device_properties`` says of ``target``."""
    major, minor = capability(target)
    return types.SimpleNamespace(
        name=target.gpu or target.arch,
        major=major,
        minor=minor,
        multi_processor_count=target.num_sms or 1,
        total_memory=target.memory_bytes or 0,
        warp_size=target.warp_size,
        max_threads_per_multi_processor=target.max_threads_per_sm or 2048,
        regs_per_multiprocessor=target.registers_per_sm or 65536,
        shared_memory_per_block=49152,
        shared_memory_per_block_optin=target.max_shared_bytes or 49152,
        shared_memory_per_multiprocessor=target.shared_bytes_per_sm or 65536,
        L2_cache_size=target.l2_bytes or 0,
        gcnArchName=target.arch,
        is_integrated=0,
        is_multi_gpu_board=0,
    )


def _patch_cuda() -> None:
    import torch

    def target() -> Target:
        assert _target is not None
        return _target

    class NoTimer:
        """Stands for ``torch.cuda.Event``."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            if kwargs.get("enable_timing"):
                raise no_time("torch.cuda.Event(enable_timing=True)")

        def record(self, stream: Any = None) -> None: ...
        def synchronize(self) -> None: ...

    stream = types.SimpleNamespace(cuda_stream=0, synchronize=lambda: None, wait_stream=lambda other: None)
    answers: dict[str, Any] = {
        "get_device_capability": lambda device=None: capability(target()),
        "get_device_properties": lambda device=None: properties(target()),
        "get_device_name": lambda device=None: target().gpu or target().arch,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "synchronize": lambda device=None: None,
        "empty_cache": lambda: None,
        "current_stream": lambda device=None: stream,
        "Event": NoTimer,
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)


def no_time(what: str) -> NoGpu:
    """The error for a time that was asked for without a GPU."""
    return NoGpu(
        f"{what} needs a GPU, and this machine has none: a time is never made up here",
        hint="%%triton shows the roofline's bound for the chosen target; times are measured where there is a GPU",
    )
