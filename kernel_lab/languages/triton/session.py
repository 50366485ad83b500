"""Triton at work in one worker for one target: lowering without a GPU, running in the interpreter or on the GPU here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from kernel_lab import cuda_stand_in
from kernel_lab.errors import EntryError, NotRunnable, OptionError
from kernel_lab.ir import facts
from kernel_lab.languages.protocol import Loaded, Lowered, Mode
from kernel_lab.languages.triton import arguments as kernel_arguments
from kernel_lab.languages.triton import diagnostics, hooks, offline
from kernel_lab.languages.triton.recorder import Recorder, shown
from kernel_lab.problem import InputSpec, Problem
from kernel_lab.results import Finding, Kernel
from kernel_lab.targets import Target
from kernel_lab.workers import child


class TritonSession:
    """The `kernel_lab.languages.Session` for Triton."""

    def __init__(self, target: Target, mode: Mode, recorder: Recorder) -> None:
        self.target = target
        self.mode = mode
        self.recorder = recorder
        self.log_start = child.log_position()

    def inputs(self, entry: Any, problem: Problem) -> InputSpec | None:
        """Triton's functions do not say the types of their arguments."""
        return None

    def lower(self, loaded: Loaded, entry: Any, problem: Problem, arguments: Callable[[], Sequence[Any]]) -> Lowered:
        """Call the entry once with a driver that compiles and records; see `Session.lower`."""
        recorder = self.recorder
        recorder.file = loaded.file
        recorder.deadline = time.monotonic() + float(loaded.extras.get("budget_s", float("inf")))
        signature = loaded.extras.get("signature")
        if entry is None:
            pass  # the module's own launches were recorded while it was executed
        elif signature is not None:
            values = kernel_arguments.from_signature(entry, signature, dict(problem.const))
            names = [name for name in kernel_arguments.parameter_names(entry) if name in signature or name in problem.const]
            options = {key: value for key, value in loaded.extras.get("options", {}).items()}
            entry[(1,)](**dict(zip(names, values, strict=True)), **options)
        else:
            self._call(loaded, entry, problem, arguments)
        kernels = recorder.kernels()
        recorder.findings.extend(finding for kernel in kernels for finding in _findings(kernel, self.target))
        if not kernels and not recorder.rejected:
            code = getattr(entry, "__code__", None)
            raise EntryError(
                f"{getattr(entry, '__name__', 'the cell')} launched no kernel",
                cell_line=code.co_firstlineno if code is not None and code.co_filename == loaded.file else None,
                hint="the entry is the function that calls kernel[grid](…)",
            )
        precision = "tf32" if any(_rounds_to_tf32(kernel) for kernel in kernels) else None
        return Lowered(kernels, tuple(recorder.rejected), tuple(dict.fromkeys(recorder.findings)), precision)

    def _call(self, loaded: Loaded, entry: Any, problem: Problem, arguments: Callable[[], Sequence[Any]]) -> None:
        import torch

        call = self._callable(loaded, entry, problem)
        args = list(arguments())
        if problem.grad:
            args = [arg.requires_grad_() if isinstance(arg, torch.Tensor) and arg.is_floating_point() else arg for arg in args]
        with torch.set_grad_enabled(problem.grad):
            result = call(*args)
        if problem.grad:
            outputs = [item for item in _tensors(result) if item.requires_grad]
            torch.autograd.backward(outputs, [torch.ones_like(item) for item in outputs])

    def _callable(self, loaded: Loaded, entry: Any, problem: Problem) -> Callable[..., Any]:
        if is_kernel(entry):
            return kernel_arguments.launcher(entry, problem, loaded.module.__dict__, self._device())
        if problem.const:
            name = getattr(entry, "__name__", "the entry")
            raise OptionError(
                f"--const {next(iter(problem.const))}=… has no effect: {name} launches its kernels itself",
                hint="set the value where it calls kernel[grid](…), or name the kernel as the entry",
            )
        return cast(Callable[..., Any], entry)

    def _device(self) -> str:
        return "cuda" if self.mode == "device" else "cpu"

    def runnable(self, loaded: Loaded, entry: Any, problem: Problem) -> Callable[..., Any]:
        """The entry itself, in an interpreting worker or on the GPU here."""
        if self.mode == "compile":
            raise NotRunnable("a compiling worker does not run kernels")
        return self._callable(loaded, entry, problem)

    def set_resources(self, resources: Mapping[str, Any]) -> None:
        """What the compiled kernels take, for wrappers that ask (``kernel.warmup(…).n_regs``) while interpreted."""
        if self.mode == "interpret":
            from kernel_lab.languages.triton import interpreter

            interpreter.set_resources_hint(dict(resources))

    def notes(self) -> tuple[str, ...]:
        """What a verdict should say beside the values: which configuration of each autotuned kernel was run."""
        if self.mode != "interpret":
            return ()
        from kernel_lab.languages.triton import interpreter

        ran = dict.fromkeys((name, tuple(shown(config).items())) for name, config in interpreter.chosen_configs)
        return tuple(f"{name} ran with {', '.join(f'{key}={value}' for key, value in config)}" for name, config in ran)

    def explain(self, error: BaseException, loaded: Loaded) -> BaseException:
        """See `diagnostics.explain`."""
        return diagnostics.explain(error, loaded.file, log_start=self.log_start, target=self.target)


@contextmanager
def open_session(target: Target, mode: Mode) -> Iterator[TritonSession]:
    """Open a session; see `Language.session`."""
    recorder = Recorder(target, progress=lambda text: child.emit({"progress": text}))
    if mode == "device":
        yield TritonSession(target, mode, recorder)
        return
    from triton.runtime.driver import driver

    cuda_stand_in.install(target)
    driver.set_active(offline.OfflineDriver(target, recorder))
    offline.refuse_timing()
    if mode == "interpret":
        from kernel_lab.languages.triton import interpreter

        interpreter.install(target)
        interpreter.chosen_configs.clear()
        yield TritonSession(target, mode, recorder)
        return
    hooks.activate(recorder)
    try:
        yield TritonSession(target, mode, recorder)
    finally:
        hooks.deactivate()


def is_kernel(entry: Any) -> bool:
    """Whether the entry is a kernel itself, not a function that launches kernels."""
    return type(entry).__module__.startswith("triton.runtime.") and hasattr(entry, "run")


def _tensors(value: Any) -> Iterator[Any]:
    if hasattr(value, "data_ptr"):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)


def _rounds_to_tf32(kernel: Kernel) -> bool:
    """Whether a dot of the kernel takes float32 operands as tf32: Triton's default on NVIDIA."""
    ttir = kernel.stages.get("ttir")
    lines = ttir.text.splitlines() if ttir is not None else []
    return any("tt.dot" in line and "inputPrecision = tf32" in line and "xf32>" in line for line in lines)


def _findings(kernel: Kernel, target: Target) -> list[Finding]:
    """What the stages themselves give away."""
    found = []
    machine = kernel.stages.get("ptx") or kernel.stages.get("amdgcn")
    ttir = kernel.stages.get("ttir")
    if ttir and machine and facts.uses_dot(ttir.text) and not facts.uses_tensor_cores(machine.text):
        line = next((at for text, at in zip(ttir.text.splitlines(), ttir.line_map, strict=False) if "tt.dot" in text and at), None)
        found.append(
            Finding(
                f"{kernel.name}: no tensor cores used: on {target.arch} Triton lowers this dot to FMA instructions", line, "no-tensor-cores"
            )
        )
    return found
