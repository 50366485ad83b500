"""What workers do: load a cell, lower it, verify it, measure it, or make a call for the notebook.

The only room that puts languages, verification, measurement and the roofline's counting together; runs in worker processes.
Functions here are named in requests; their arguments and results are plain data or user values.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from kernel_lab import cell as cells
from kernel_lab import languages
from kernel_lab.errors import (
    CellError,
    EntryError,
    GpuFault,
    InputError,
    KernelLabError,
    NotRunnable,
    OptionError,
    ReferenceFailed,
    suggest,
)
from kernel_lab.job import ENTRY, REFERENCE, Job
from kernel_lab.languages.protocol import Loaded, Lowered, Session
from kernel_lab.problem import InputSpec, Problem, make_arguments, missing_sizes
from kernel_lab.results import Measurement, Verdict
from kernel_lab.workers import child


@dataclass(frozen=True)
class Compiled:
    """The answer of `compile_job`: what was lowered, the inputs that were used, and the work of the reference (see `roofline.work`)."""

    lowered: Lowered
    inputs: InputSpec | None
    work: Any = None
    work_reason: str | None = None


def compile_job(job: Job, environment: Mapping[str, Any]) -> Compiled:
    """Lower a job's entry for its target."""
    with _loaded(job, environment) as (session, loaded, entry):
        problem = job.problem
        spec = problem.inputs or (session.inputs(entry, problem) if entry is not None else None)
        arguments = _argument_maker(job, loaded, spec, "cpu")
        lowered = session.lower(loaded, entry, problem, lambda: _fitting(job, entry, arguments(_first(problem), problem.seed)))
        work, reason = _work(job, loaded, arguments, spec) if entry is not None else (None, None)
        return Compiled(lowered, spec, work, reason)


def verify_job(job: Job, environment: Mapping[str, Any], resources: Mapping[str, Any], dot_precision: str | None) -> Verdict:
    """Compare a job's entry with its reference; ``resources`` are those of the compiled kernels, by kernel name, and
    ``dot_precision`` that of their dots (`Lowered`)."""
    from kernel_lab.verify.verdict import verify

    with _loaded(job, environment) as (session, loaded, entry):
        problem = job.problem
        set_hint = getattr(session, "set_resources", None)
        if set_hint is not None:
            set_hint(resources)
        device = "cuda" if job.mode == "device" else "cpu"
        try:
            run = session.runnable(loaded, entry, problem)
            spec = problem.inputs or session.inputs(entry, problem)
            arguments = _argument_maker(job, loaded, spec, device)
            reference = _reference(job, loaded)
            sizes, notes = _cases(job)
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

    with _loaded(job, environment) as (session, loaded, entry):
        run = session.runnable(loaded, entry, job.problem)
        spec = job.problem.inputs or session.inputs(entry, job.problem)
        args = _argument_maker(job, loaded, spec, "cuda")(_first(job.problem), job.problem.seed)
        return events.measure(lambda: run(*args))


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

    found = {}
    for name in ("triton", "tilelang", "torch", "numpy"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


@contextmanager
def _loaded(job: Job, environment: Mapping[str, Any]) -> Iterator[tuple[Session, Loaded, Any]]:
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


def _first(problem: Problem) -> Mapping[str, int]:
    return problem.sizes[0] if problem.sizes else {}


def _argument_maker(job: Job, loaded: Loaded, spec: InputSpec | None, device: str) -> Callable[..., Sequence[Any]]:
    problem = job.problem

    def make(sizes: Mapping[str, int], seed: int = 0) -> Sequence[Any]:
        if problem.make_inputs is not None:
            maker = _evaluate(problem.make_inputs, loaded, "--make-inputs")
            made = _call_maker(maker, sizes)
            made = list(made) if isinstance(made, (tuple, list)) else [made]
            return [item.to(device) if device != "cpu" and hasattr(item, "data_ptr") else item for item in made]
        if spec is None:
            raise InputError(
                f"it is not known what inputs {problem.entry or 'the entry'} takes",
                hint='add --inputs, for example --inputs "x: f32[n], y: f32[n]" --sizes "n=98432"',
            )
        missing = missing_sizes(spec, sizes)
        if missing:
            raise InputError(
                f"size {missing[0]!r} of --inputs has no value", hint="add " + ", ".join(f"{name}=1024" for name in missing) + " to --sizes"
            )
        return make_arguments(spec, sizes, device=device, seed=seed)

    return make


def _fitting(job: Job, entry: Any, arguments: Sequence[Any]) -> Sequence[Any]:
    """``arguments``, when ``entry`` takes that many; raises `InputError` naming the option otherwise."""
    function = getattr(entry, "__kernel_lab_original__", entry)
    if isinstance(function, types.FunctionType):
        try:
            inspect.signature(function).bind(*arguments)
        except TypeError as error:
            takes = inspect.signature(function)
            option = "--make-inputs" if job.problem.make_inputs is not None else "--inputs"
            line = function.__code__.co_firstlineno if function.__code__.co_filename == job.file and job.cell else None
            raise InputError(
                f"{option} gives {len(arguments)} arguments, and {function.__name__}{takes} does not take them: {error}",
                cell_line=line,
                hint=f"name one input for each argument of {function.__name__}: {', '.join(takes.parameters)}",
            ) from None
    return arguments


def _call_maker(maker: Any, sizes: Mapping[str, int]) -> Any:
    if not callable(maker):
        return maker
    wanted = inspect.signature(maker).parameters
    if any(item.kind is item.VAR_KEYWORD for item in wanted.values()):
        return maker(**sizes)
    return maker(**{name: sizes[name] for name in wanted if name in sizes})


def _evaluate(text: str, loaded: Loaded, option: str) -> Any:
    try:
        return eval(compile(text.strip(), f"<{option}>", "eval"), loaded.module.__dict__)
    except Exception as error:
        kind = ReferenceFailed if option == "--ref" else OptionError
        names = [name for name in loaded.module.__dict__ if not name.startswith("_")]
        hint = (
            suggest(getattr(error, "name", "") or "", names)[:200]
            if isinstance(error, NameError)
            else "it is evaluated in the notebook's namespace"
        )
        raise kind(f"{option} {text!r}: {type(error).__name__}: {error}", hint=hint) from None


def _reference(job: Job, loaded: Loaded) -> Callable[..., Any]:
    if REFERENCE in loaded.module.__dict__:
        return cast(Callable[..., Any], loaded.module.__dict__[REFERENCE])
    if not job.problem.reference:
        raise ReferenceFailed("there is no reference to compare with", hint="add --ref, for example --ref torch.add")
    reference = _evaluate(job.problem.reference, loaded, "--ref")
    if not callable(reference):
        raise ReferenceFailed(
            f"--ref {job.problem.reference!r} is a {type(reference).__name__}, not a function", hint="for example --ref torch.add"
        )
    return cast(Callable[..., Any], reference)


def _cases(job: Job) -> tuple[list[Mapping[str, int]], list[str]]:
    """The sizes to compare at; in the interpreter, smaller ones of the same divisibility where the declared ones are too large."""
    from kernel_lab.verify import sizes as shrinking

    declared: list[Mapping[str, int]] = list(job.problem.sizes) or [{}]
    if job.mode == "device":
        return declared, []
    found: list[Mapping[str, int]] = []
    notes: list[str] = []
    for item in declared:
        smaller, changed = shrinking.interpretable(item)
        if changed:
            was, now = (", ".join(f"{key}={value}" for key, value in each.items()) for each in (item, smaller))
            notes.append(f"verified at {now}, of the same divisibility as {was}, which is too large to interpret")
        if smaller not in found:
            found.append(smaller)
    return found, notes


def _work(job: Job, loaded: Loaded, arguments: Callable[..., Any], spec: InputSpec | None) -> tuple[Any, str | None]:
    """Flops and bytes: declared, else counted from the reference."""
    from kernel_lab.roofline import work

    problem = job.problem
    sizes = _first(problem)
    try:
        has_reference = bool(problem.reference) or REFERENCE in loaded.module.__dict__
        reference = _reference(job, loaded) if has_reference else None
        made = list(arguments(sizes, problem.seed)) if spec is None and problem.make_inputs else None
        return work.of_problem(dataclasses.replace(problem, inputs=spec), sizes, reference, made)
    except KernelLabError:
        raise
    except Exception as error:
        return None, f"flops and bytes are not known: {type(error).__name__}: {error}"
