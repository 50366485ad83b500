"""A job's cell in a worker: the session, the cell executed in a fresh module, the entry; errors with the cell's lines.

Runs in worker processes. Knows languages by their protocol; does not verify or measure.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kernel_lab import cell as cells
from kernel_lab import languages
from kernel_lab.errors import CellError, EntryError, GpuFault, KernelLabError, suggest
from kernel_lab.job import ENTRY, Job
from kernel_lab.languages.protocol import Loaded, Session
from kernel_lab.workers import child


@contextmanager
def opened(job: Job, environment: Mapping[str, Any]) -> Iterator[tuple[Session, Loaded, Any]]:
    """The session, the executed cell and the entry; errors from inside are explained with the cell's lines."""
    with languages.get(job.language).session(job.target, job.mode) as session:
        loaded = Loaded(types.ModuleType(cells.MODULE_NAME), job.file, job.cell.source if job.cell else "")
        loaded.extras.update(job.options)
        try:
            loaded.module = _execute(job, environment)
            yield session, loaded, _entry(job, loaded.module)
        except BaseException as error:
            explained = _gpu_fault(error, job) or _not_sent(error, job) or session.explain(error, loaded)
            if isinstance(explained, KernelLabError) and explained.cell_line and not explained.excerpt and job.cell:
                explained.excerpt = job.cell.line(explained.cell_line)
            if explained is error:
                raise
            raise explained from None


_FAULTS = {
    "illegal memory access": "an address outside its tensor: check offsets and masks",
    "misaligned address": "an address that is not a multiple of the access's width: check assumptions such as tl.multiple_of",
    "device-side assert": "an assertion in the kernel, or an index out of range in torch",
    "illegal instruction": "the kernel was compiled for another GPU, or its code was overwritten",
    "unspecified launch failure": "often an address outside shared memory",
}


def _gpu_fault(error: BaseException, job: Job) -> GpuFault | None:
    """The GPU's own refusal, by which this process's context is lost; None for any other error."""
    if job.mode != "device" or isinstance(error, KernelLabError):
        return None
    text = str(error)
    for fault, reason in _FAULTS.items():
        if fault in text:
            name = job.problem.entry or "the kernel"
            return GpuFault(
                f"{name}: {fault} on the GPU", hint=f"{reason}\nthe GPU worker is replaced; your notebook and its variables are untouched"
            )
    return None


def _not_sent(error: BaseException, job: Job) -> CellError | None:
    """The reason why a name of the notebook is not known here, when it is one that could not travel; None for any other error."""
    current: BaseException | None = error
    while current is not None:
        name = getattr(current, "name", None) if isinstance(current, NameError) else None
        if name is not None and name in job.unsent:
            return CellError(
                f"{name!r} could not be sent to the worker that compiles: {job.unsent[name]}",
                cell_line=cells.failing_line(error, job.file),
                hint=f"make {name} in this cell",
            )
        current = current.__cause__ or current.__context__
    return None


def _execute(job: Job, environment: Mapping[str, Any]) -> types.ModuleType:
    if job.cell is None:
        module = types.ModuleType(cells.MODULE_NAME)
        module.__dict__.update(environment)
        return module
    problem = job.problem
    needed: set[str] = set()
    for text in (problem.reference, problem.make_inputs, problem.grid, problem.flops, problem.bytes):
        needed |= cells.expression_reads(text)
    tree = job.cell.part_for({problem.entry.partition(".")[0], *needed}) if problem.entry else job.cell.tree
    start = child.log_position()
    try:
        return cells.execute(job.cell, tree, dict(environment))
    finally:
        child.discard_since(start)  # the notebook's own run of the cell has shown it


def _entry(job: Job, module: types.ModuleType) -> Any:
    if job.cell is None:
        return module.__dict__[ENTRY]
    if job.problem.entry is None:
        return None
    value: Any = module
    for part in job.problem.entry.split("."):
        if not hasattr(value, part):
            names = [name for name in job.cell.defines if callable(module.__dict__.get(name))]
            raise EntryError(f"the cell defines no {job.problem.entry!r}", hint=suggest(job.problem.entry, names, label="it defines"))
        value = getattr(value, part)
    if not callable(value) and not hasattr(value, "run") and not hasattr(value, "script"):
        raise EntryError(
            f"{job.problem.entry!r} is a {type(value).__name__}, not a function", hint="name the function that launches the kernel"
        )
    return value
