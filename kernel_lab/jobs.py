"""What workers do: load a cell, lower it, verify it, measure it, or make a call for the notebook.

The only room that puts languages, verification, measurement and the roofline's counting together; runs in worker processes.
Functions here are named in requests; their arguments and results are plain data or user values.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kernel_lab import cell as cells
from kernel_lab import languages
from kernel_lab.errors import (
    NotRunnable,
)
from kernel_lab.given import argument_maker, cases_of, first_sizes, fitting, reference_of, work_of
from kernel_lab.job import Job
from kernel_lab.languages.protocol import Loaded, Lowered
from kernel_lab.loading import opened
from kernel_lab.problem import InputSpec
from kernel_lab.results import Measurement, Verdict


@dataclass(frozen=True)
class Compiled:
    """The answer of `compile_job`: what was lowered, the inputs that were used, and the work of the reference (see `roofline.work`)."""

    lowered: Lowered
    inputs: InputSpec | None
    work: Any = None
    work_reason: str | None = None


def compile_job(job: Job, environment: Mapping[str, Any]) -> Compiled:
    """Lower a job's entry for its target."""
    with opened(job, environment) as (session, loaded, entry):
        problem = job.problem
        spec = problem.inputs or (session.inputs(entry, problem) if entry is not None else None)
        arguments = argument_maker(job, loaded, spec, "cpu")
        lowered = session.lower(loaded, entry, problem, lambda: fitting(job, entry, arguments(first_sizes(problem), problem.seed)))
        work, reason = work_of(job, loaded, arguments, spec) if entry is not None else (None, None)
        return Compiled(lowered, spec, work, reason)


def verify_job(job: Job, environment: Mapping[str, Any], resources: Mapping[str, Any], dot_precision: str | None) -> Verdict:
    """Compare a job's entry with its reference; ``resources`` are those of the compiled kernels, by kernel name, and
    ``dot_precision`` that of their dots (`Lowered`)."""
    from kernel_lab.verify.verdict import verify

    with opened(job, environment) as (session, loaded, entry):
        problem = job.problem
        set_hint = getattr(session, "set_resources", None)
        if set_hint is not None:
            set_hint(resources)
        device = "cuda" if job.mode == "device" else "cpu"
        try:
            run = session.runnable(loaded, entry, problem)
            spec = problem.inputs or session.inputs(entry, problem)
            arguments = argument_maker(job, loaded, spec, device)
            reference = reference_of(job, loaded)
            sizes, notes = cases_of(job)
            verdict = verify(
                run,
                reference,
                problem,
                sizes,
                make_arguments=arguments,
                device=device,
                ran_on="interpreter" if job.mode == "interpret" else (job.target.gpu or job.target.arch),
                seed=problem.seed,
                names=[item.name for item in spec.inputs] if spec is not None else None,
                dot_precision=dot_precision,
            )
        except NotRunnable as error:
            return Verdict(None, reason=error.what + (f" — {error.hint}" if error.hint else ""))
        said: tuple[str, ...] = getattr(session, "notes", tuple)()
        return dataclasses.replace(verdict, notes=(*verdict.notes, *notes, *said))


def measure_job(job: Job, environment: Mapping[str, Any]) -> Measurement:
    """Time a job's entry on the GPU here."""
    from kernel_lab.measure import events

    with opened(job, environment) as (session, loaded, entry):
        run = session.runnable(loaded, entry, job.problem)
        spec = job.problem.inputs or session.inputs(entry, job.problem)
        args = argument_maker(job, loaded, spec, "cuda")(first_sizes(job.problem), job.problem.seed)
        timed = getattr(run, "timed", None)
        return events.measure(timed(*args) if timed is not None else lambda: run(*args))


def call_job(
    language: str, target: Any, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], random: Any = None
) -> Any:
    """Make a call for the notebook in this worker.

    ``random`` is the state of the notebook's generator (a tensor); it is left as the call leaves it, and travels back."""
    with languages.get(language).session(target, "interpret") as session:
        try:
            if random is not None:
                import torch

                torch.set_rng_state(random)
            value = function(*args, **kwargs)
            if random is not None:
                random.copy_(torch.get_rng_state())
            return value
        except BaseException as error:
            file = getattr(getattr(function, "__code__", None), "co_filename", "")
            loaded = Loaded(types.ModuleType(cells.MODULE_NAME), file, "")
            explained = session.explain(error, loaded)
            raise explained from None if explained is not error else error.__cause__


def launch_job(language: str, target: Any, kernel: Any, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Make one launch for the notebook in this worker."""
    function = types.FunctionType(_launch.__code__, {"kernel": kernel, "grid": grid})
    call_job(language, target, function, args, kwargs)


def warmup_job(language: str, target: Any, kernel: Any, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Compile one kernel for the notebook, as ``kernel.warmup`` does; returns a plain stand-in for the compiled kernel."""
    with languages.get(language).session(target, "compile"):
        compiled = kernel.warmup(*args, grid=grid, **kwargs)
        several = compiled if isinstance(compiled, list) else [compiled]
        found = []
        for item in several:
            item._init_handles()
            asm = {key: value for key, value in item.asm.items() if isinstance(value, str)}
            metadata = types.SimpleNamespace(shared=item.metadata.shared, num_warps=item.metadata.num_warps, name=item.metadata.name)
            found.append(types.SimpleNamespace(n_regs=item.n_regs, n_spills=item.n_spills, metadata=metadata, asm=asm, name=item.name))
        return found if isinstance(compiled, list) else found[0]


def _launch(*args: Any, **kwargs: Any) -> None:
    kernel[grid](*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821


def versions() -> dict[str, str]:
    """Versions of the packages that matter to a report; those not installed are left out."""
    import importlib.metadata  # here, because it pulls in email and zipfile, and the notebook's process loads this room at once

    import kernel_lab

    found = {"kernel_lab": kernel_lab.__version__}
    for name in ("triton", "tilelang", "torch", "numpy"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
