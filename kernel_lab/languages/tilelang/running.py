"""Kernels on the GPU in this machine: compiled by TileLang, called with checked arguments and poisoned outputs.

Needs a GPU; a failure of the device passes through to the worker, which may have to be restarted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from kernel_lab.errors import InputError
from kernel_lab.languages.tilelang import targets as tile_targets
from kernel_lab.languages.tilelang.arguments import allocate, check_arguments, order_arguments, results
from kernel_lab.languages.tilelang.kernels import TileKernel
from kernel_lab.languages.tilelang.shapes import named_inputs, sizes_of
from kernel_lab.languages.tilelang.specialise import specialise
from kernel_lab.problem import Problem
from kernel_lab.targets import Target


class Runner:
    """A callable ``(*inputs) → outputs`` that compiles the entry for the sizes of the inputs it is given, once for each."""

    def __init__(self, entry: Any, problem: Problem, target: Target) -> None:
        self._entry, self._problem, self._target = entry, problem, target
        self._spec = named_inputs(entry, problem)
        self._compiled: dict[tuple[tuple[str, int], ...], Compiled] = {}
        self.__name__ = problem.entry or "kernel"

    def compiled_for(self, sizes: Mapping[str, int]) -> Compiled:
        """The kernel compiled for ``sizes``."""
        key = tuple(sorted(sizes.items()))
        if key not in self._compiled:
            problem = replace(self._problem, sizes=(sizes,)) if sizes else self._problem
            self._compiled[key] = compile_here(specialise(self._entry, problem), self._target)
        return self._compiled[key]

    def __call__(self, *inputs: Any) -> Any:
        return self._for(inputs)(*inputs)

    def timed(self, *inputs: Any) -> Callable[[], Any]:
        """The launch alone, on outputs made once: what is measured."""
        return self._for(inputs).timed(*inputs)

    def _for(self, inputs: Sequence[Any]) -> Compiled:
        candidates = self._problem.sizes or ({},)
        try:
            sizes = sizes_of(self._spec, inputs, candidates)
        except InputError:
            sizes = dict(candidates[0])  # the check of the arguments says what is wrong, by name
        return self.compiled_for(sizes)


class Compiled(Protocol):
    """A kernel compiled for the GPU here."""

    def __call__(self, *inputs: Any) -> Any:
        """Fresh, poisoned outputs, one launch, the outputs."""

    def timed(self, *inputs: Any) -> Callable[[], Any]:
        """A callable that makes one launch and nothing else."""


def compile_here(kernel: TileKernel, target: Target) -> Compiled:
    """A callable ``(*inputs) → outputs``. Inputs that the kernel also stores to are copied first, so that a second call sees what
    the first one saw; outputs are filled with NaN before each call, so that what the kernel leaves unwritten shows."""
    import tilelang
    from tilelang import tvm

    resolved = tvm.target.Target(tile_targets.target_dict(target))
    func = kernel.func.without_attr("tilelang_out_idx") if "tilelang_out_idx" in (kernel.func.attrs or {}) else kernel.func
    # JITKernel itself, not tilelang.compile: no cache on disk may answer for this kernel
    compiled = tilelang.JITKernel(
        func,
        out_idx=None,
        execution_backend="auto" if target.backend != "metal" else "torch",
        target=resolved,
        pass_configs=dict(kernel.pass_configs) or None,
        compile_flags=list(kernel.compile_flags) or None,
    )
    parameters = kernel.parameters()
    given = [item for item in parameters if item.is_input]
    device = "cuda" if target.backend in ("cuda", "hip") else "mps"

    def ordered(inputs: Sequence[Any]) -> Any:
        check_arguments(given, inputs, device)
        copies = [value.clone() if item.role == "inout" else value for item, value in zip(given, inputs, strict=True)]
        return order_arguments(kernel, copies, allocate(kernel, inputs, device=device))

    class Call:
        """See `Compiled`."""

        __name__ = kernel.name

        def __call__(self, *inputs: Any) -> Any:
            arguments = ordered(inputs)
            compiled(*arguments)
            return results(kernel, arguments)

        def timed(self, *inputs: Any) -> Callable[[], Any]:
            arguments = ordered(inputs)
            return lambda: compiled(*arguments)

    return Call()
