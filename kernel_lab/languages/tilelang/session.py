"""TileLang at work for one target in one worker: inputs, lowering, running.

The room where TileLang is imported. Knows nothing of IPython or rendering.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kernel_lab import cuda_stand_in
from kernel_lab.errors import CompileError, EntryError, NotRunnable
from kernel_lab.ir.files import same_file
from kernel_lab.languages.protocol import Loaded, Lowered, Mode
from kernel_lab.languages.tilelang import targets as tile_targets
from kernel_lab.languages.tilelang.explain import explain, with_line
from kernel_lab.languages.tilelang.kernels import TileKernel
from kernel_lab.languages.tilelang.lowering import lower_kernel
from kernel_lab.languages.tilelang.shapes import named_inputs
from kernel_lab.languages.tilelang.specialise import kind_of, specialise, takes_only_sizes
from kernel_lab.languages.tilelang.standin import Recording, recording
from kernel_lab.problem import InputSpec, Problem
from kernel_lab.results import Finding, Kernel
from kernel_lab.targets import Target

NOT_RUN = "compiled, not run: TileLang kernels run on a GPU, and there is none here"


# How TileLang spells tf32 operands in the CUDA source of a float32 gemm
_TF32 = re.compile(r"TensorFloat32|tfloat32|tf32")


class TileLangSession:
    """One session; see `kernel_lab.languages.protocol.Session`."""

    def __init__(self, target: Target, mode: Mode, recorded: Recording) -> None:
        self.target = target
        self.mode = mode
        self._recorded = recorded

    def inputs(self, entry: Any, problem: Problem) -> InputSpec | None:
        """The parameters that a caller gives, after specialisation; None for an ordinary function, whose arguments are its own."""
        if problem.make_inputs is not None:
            return None
        if kind_of(entry) == "other" or (kind_of(entry) == "function" and not takes_only_sizes(entry, problem)):
            return None
        return named_inputs(entry, problem)

    def lower(self, loaded: Loaded, entry: Any, problem: Problem, arguments: Callable[[], Sequence[Any]]) -> Lowered:
        """Every kernel that ``entry`` means, or launches when it is an ordinary function; with no entry, those that the cell built."""
        try:
            kernels: list[Kernel] = []
            findings: list[Finding] = []
            for kernel in self._kernels(entry, problem, arguments):
                made, found = self._lowered(kernel, loaded)
                kernels += made
                findings += found
            rounded = any(_TF32.search(stage.text) for kernel in kernels for stage in kernel.stages.values() if stage.name == "cuda")
            return Lowered(tuple(kernels), (), tuple(findings), "tf32" if rounded else None)
        except Exception as error:
            explained = explain(error, loaded)
            if explained is error:
                raise
            raise explained from error

    def _lowered(self, kernel: TileKernel, loaded: Loaded) -> tuple[tuple[Kernel, ...], tuple[Finding, ...]]:
        """One kernel's stages; an error that names no line of the cell gets that of the kernel's definition."""
        try:
            return lower_kernel(kernel, loaded, self.target)
        except Exception as error:
            explained = explain(error, loaded)
            code: Any = getattr(kernel.python, "__code__", None)
            here = code is not None and same_file(code.co_filename, loaded.file)
            if here and isinstance(explained, CompileError) and explained.cell_line is None:
                explained = with_line(explained, code.co_firstlineno, loaded)
                explained.what = f"{explained.what} (while {kernel.name} was lowered)"
            if explained is error:
                raise
            raise explained from error

    def _kernels(self, entry: Any, problem: Problem, arguments: Callable[[], Sequence[Any]]) -> list[TileKernel]:
        if entry is None:
            found = self._recorded.launched or self._recorded.built
            if not found:
                raise EntryError("the cell launches no TileLang kernel", hint='name one: %%tile ENTRY --sizes "M=1024"')
            return _distinct(found)
        if kind_of(entry) == "function" and not takes_only_sizes(entry, problem):
            return self._launched_by(entry, arguments)
        return [specialise(entry, problem)]

    def _launched_by(self, function: Callable[..., Any], arguments: Callable[[], Sequence[Any]]) -> list[TileKernel]:
        before = len(self._recorded.launched)
        if self.mode == "device":
            raise EntryError(f"{function.__name__} is an ordinary function: its kernels are looked at without a GPU")
        function(*arguments())
        found = self._recorded.launched[before:]
        if not found:
            raise EntryError(
                f"{function.__name__} launched no TileLang kernel",
                cell_line=function.__code__.co_firstlineno,
                hint="name a @tilelang.jit function or a @T.prim_func, or a function that calls one",
            )
        return _distinct(found)

    def runnable(self, loaded: Loaded, entry: Any, problem: Problem) -> Callable[..., Any]:
        """The kernel compiled for the GPU here: ``(*inputs) → output``, several as a tuple in the kernel's order.

        Raises `NotRunnable` without a GPU; the callable raises `InputError` naming an argument that does not fit.
        """
        if self.mode != "device":
            raise NotRunnable(NOT_RUN, hint="the stages and the bound are for the target; run the cell where there is a GPU to verify it")
        from kernel_lab.languages.tilelang.running import Runner

        try:
            if kind_of(entry) == "function" and not takes_only_sizes(entry, problem):
                return entry  # type: ignore[no-any-return]  # a wrapper runs as its author wrote it
            runner = Runner(entry, problem, self.target)
            runner.compiled_for(dict(problem.sizes[0]) if problem.sizes else {})
            return runner
        except Exception as error:
            explained = explain(error, loaded)
            if explained is error:
                raise
            raise explained from error

    def explain(self, error: BaseException, loaded: Loaded) -> BaseException:
        """``error`` as a `KernelLabError` with the cell line, or itself when TileLang had no part in it."""
        return explain(error, loaded)


@contextmanager
def open_session(target: Target, mode: Mode) -> Iterator[TileLangSession]:
    """A session with the target in force; outside mode "device", kernels that the cell compiles are recorded, not compiled."""
    from tilelang import tvm

    with _quiet(), tvm.target.Target(tile_targets.target_dict(target)):
        if mode == "device":
            yield TileLangSession(target, mode, Recording())
            return
        properties = None
        if target.backend in ("cuda", "hip"):
            cuda_stand_in.install(target)
            properties = cuda_stand_in.properties(target)
        with recording(properties) as recorded:
            yield TileLangSession(target, mode, recorded)


@contextmanager
def _quiet() -> Iterator[None]:
    """TileLang logs the whole generated source when a kernel fails: what matters of it is in the error."""
    names = ("tilelang", "tilelang.language.eager.builder", "tilelang.jit")
    before = [(logger := logging.getLogger(name), logger.level) for name in names]
    try:
        for logger, _ in before:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in before:
            logger.setLevel(level)


def _distinct(kernels: Sequence[TileKernel]) -> list[TileKernel]:
    found: list[TileKernel] = []
    for kernel in kernels:
        if not any(known.func.same_as(kernel.func) for known in found):
            found.append(kernel)
    return found
