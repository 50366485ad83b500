"""What a job's problem means once its cell is loaded: concrete arguments, the reference, the sizes to compare at, the work.

Runs in worker processes, beside `loading`; expressions of the magic line are evaluated in the cell's module.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from kernel_lab.errors import InputError, KernelLabError, OptionError, ReferenceFailed, suggest
from kernel_lab.job import REFERENCE, Job
from kernel_lab.languages.protocol import Loaded
from kernel_lab.problem import InputSpec, Problem, make_arguments, missing_sizes


def first_sizes(problem: Problem) -> Mapping[str, int]:
    """The sizes that are compiled for and measured: the first without a zero, since nothing may be launched for an empty input."""
    return next((sizes for sizes in problem.sizes if 0 not in sizes.values()), problem.sizes[0]) if problem.sizes else {}


def argument_maker(job: Job, loaded: Loaded, spec: InputSpec | None, device: str) -> Callable[..., Sequence[Any]]:
    from kernel_lab.verify.arguments import map_tensors

    problem = job.problem

    def make(sizes: Mapping[str, int], seed: int = 0) -> Sequence[Any]:
        if problem.make_inputs is not None:
            maker = _evaluate(problem.make_inputs, loaded, "--make-inputs")
            try:
                made = _seeded(lambda: _call_maker(maker, sizes), seed)
            except Exception as error:
                given = ", ".join(f"{name}={size}" for name, size in sizes.items()) or "none"
                what = f"--make-inputs raised {type(error).__name__}: {error}"
                raise InputError(what, hint=f"it is called with the sizes that it names; --sizes gives: {given}") from error
            made = list(made) if isinstance(made, (tuple, list)) else [made]
            return made if device == "cpu" else [map_tensors(lambda tensor: tensor.to(device), item) for item in made]
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
        try:
            return make_arguments(spec, sizes, device=device, seed=seed)
        except (MemoryError, RuntimeError) as error:
            if "memory" not in str(error):
                raise
            given = ", ".join(f"{name}={size}" for name, size in sizes.items())
            raise InputError(f"the inputs do not fit into memory at {given}", hint="give smaller sizes (--sizes)") from error

    return make


def fitting(job: Job, entry: Any, arguments: Sequence[Any]) -> Sequence[Any]:
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


def _seeded(make: Callable[[], Any], seed: int) -> Any:
    """What ``make`` gives with the generators of torch, NumPy and Python seeded: the same inputs at every run."""
    import random

    import numpy
    import torch

    torch.manual_seed(seed)
    numpy.random.seed(seed)
    random.seed(seed)
    return make()


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
        names = [name for name in loaded.module.__dict__ if not name.startswith("_") and name != "exec"]
        hint = (
            suggest(getattr(error, "name", "") or "", names)[:200]
            if isinstance(error, NameError)
            else "it is evaluated in the notebook's namespace"
        )
        raise kind(f"{option} {text!r}: {type(error).__name__}: {error}", hint=hint) from None


def reference_of(job: Job, loaded: Loaded) -> Callable[..., Any]:
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


def cases_of(job: Job) -> tuple[list[Mapping[str, int]], list[str]]:
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


def work_of(job: Job, loaded: Loaded, arguments: Callable[..., Any], spec: InputSpec | None) -> tuple[Any, str | None]:
    """Flops and bytes: declared, else counted from the reference."""
    from kernel_lab.roofline import work

    problem = job.problem
    sizes = first_sizes(problem)
    try:
        has_reference = bool(problem.reference) or REFERENCE in loaded.module.__dict__
        reference = reference_of(job, loaded) if has_reference else None
        made = list(arguments(sizes, problem.seed)) if spec is None and problem.make_inputs else None
        return work.of_problem(dataclasses.replace(problem, inputs=spec), sizes, reference, made)
    except KernelLabError:
        raise
    except Exception as error:
        return None, f"flops and bytes are not known: {type(error).__name__}: {error}"
