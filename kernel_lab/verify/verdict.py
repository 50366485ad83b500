"""The verdict: run the kernel on each case, compare with the reference, look at the properties beside the values.

The front door of `kernel_lab.verify`; orchestrates the other files of this folder. Runs inside a worker process; is given callables
and knows nothing of languages, notebooks or processes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from kernel_lab.errors import OutOfBounds
from kernel_lab.problem import Problem
from kernel_lab.results import Case, Check, Verdict
from kernel_lab.verify import arguments as nested
from kernel_lab.verify import bound as bounds
from kernel_lab.verify.judging import compare_output, judged, never_written, suspicious
from kernel_lab.verify.outcome import Call, Leaves, reference_call
from kernel_lab.verify.poison import fill, poisoned
from kernel_lab.verify.reference import Evaluation, evaluate

WRITTEN, UNCHANGED = "every output element written", "inputs not mutated"
MORE_SEEDS, FEW_SEEDS = 6, 2
"""Further seeds on which the reference is sampled when an output has few elements; the second for large inputs."""
_LARGE_INPUTS = 2**20

Progress = Callable[[int, int, Mapping[str, int]], None]


def verify(
    run: Callable[..., Any],
    reference: Callable[..., Any],
    problem: Problem | None,
    cases: Sequence[Mapping[str, int]],
    *,
    make_arguments: Callable[[Mapping[str, int], int], Sequence[Any]],
    device: str = "cpu",
    ran_on: str = "interpreter",
    seed: int = 0,
    progress: Progress | None = None,
    names: Sequence[str] | None = None,
    outputs: Sequence[str] = (),
    dot_precision: str | None = None,
) -> Verdict:
    """Compare ``run(*arguments)`` with ``reference(*arguments)`` on every case (a mapping of sizes).

    Both return a tensor, a number, nested tuples, lists or dicts of them, or None when the outputs are arguments they wrote.
    ``make_arguments(sizes, seed)`` gives the arguments, on ``device``. ``names`` name them (default: the problem's inputs, else the
    reference's parameters); ``outputs`` are the names of those that the kernel only writes, which are poisoned first, and which the
    reference need not take (default: the problem's outputs, where they are among the names). ``dot_precision`` "tf32" allows
    float32 operands of contractions their rounding to tf32. Of ``problem``, ``grad``, ``atol`` and ``rtol`` are read.
    ``progress(done, total, sizes)`` is called before each case and at the end.

    A wrong kernel gives ``passed=False``, a reference that differs from run to run ``passed=None`` with the reason. Exceptions of
    ``run`` propagate as they are; raises `ReferenceFailed` when the reference raises.
    """
    task = _Task(run, reference, problem or Problem(), make_arguments, device, seed, tuple(names or ()), tuple(outputs), dot_precision)
    for done, sizes in enumerate(cases):
        if progress is not None:
            progress(done, len(cases), sizes)
        unknown = task.case(dict(sizes))
        if unknown:
            return task.verdict(None, ran_on, unknown)
    if progress is not None and cases:
        progress(len(cases), len(cases), cases[-1])
    if not task.cases:
        return task.verdict(None, ran_on, "there was no case to run")
    broken = [f"{name}: {check.detail}" for name, check in task.checks().items() if check.passed is False]
    failed = [case for case in task.cases if not case.passed]
    if failed:
        first = failed[0]
        place = ", ".join(f"{name}={size}" for name, size in first.sizes.items())
        text = f"{first.output or 'output'}{f' at {place}' if place else ''}: {first.reason}"
        return task.verdict(False, ran_on, text)
    if not broken and not task.compared:
        return task.verdict(None, ran_on, "every output was empty, so nothing was compared: give sizes above 0 too")
    return task.verdict(not broken, ran_on, broken[0] if broken else None)


@dataclass
class _Task:
    """One verification at work: what was asked, and what was found so far."""

    run: Callable[..., Any]
    reference: Callable[..., Any]
    problem: Problem
    make_arguments: Callable[[Mapping[str, int], int], Sequence[Any]]
    device: str
    seed: int
    names: tuple[str, ...]
    outputs: tuple[str, ...]
    dot_precision: str | None
    cases: list[Case] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    unwritten: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    compared: int = 0

    def verdict(self, passed: bool | None, ran_on: str, reason: str | None) -> Verdict:
        return Verdict(passed, tuple(self.cases), self.checks() if self.cases else {}, ran_on, reason, tuple(self.notes))

    def checks(self) -> dict[str, Check]:
        return {
            WRITTEN: Check(not self.unwritten, "; ".join(self.unwritten)),
            UNCHANGED: Check(not self.changed, "; ".join(dict.fromkeys(self.changed))),
        }

    def note(self, text: str) -> None:
        self.notes[text] = None

    def case(self, sizes: Mapping[str, int]) -> str | None:
        """Run one case; returns why the verdict must stay open, if it must."""
        arguments = list(self.make_arguments(sizes, self.seed))
        names = self._names(len(arguments))
        declared = self.outputs or tuple(item.name for item in (self.problem.outputs.inputs if self.problem.outputs else ()))
        written = [index for index, name in enumerate(names) if name in declared]
        expected = reference_call(self.reference, names, written, self.problem.grad, self.seed)
        said = evaluate(expected.run, arguments, dot_precision=self.dot_precision)
        allowed_changes = {*written, *expected.changed}
        for text in said.notes:
            self.note(text)
        if not said.deterministic:
            return "the reference gives different results from run to run: pass one that does not, with what is random as an input"

        if not said.names:
            return "the reference returned None and changed none of its inputs: give one that returns what the kernel should"

        def attempt(pattern: int) -> tuple[Leaves, list[int]]:
            twin = nested.copy(arguments)
            for index in written:
                nested.map_tensors(lambda tensor: fill(tensor, pattern), twin[index])
            call = Call(self.run, names, written, None, self.problem.grad, self.seed)
            with poisoned(pattern):
                leaves = call.run(twin)
            return leaves, call.stray

        dtypes = nested.describe_dtypes(names, arguments)
        try:
            leaves, stray = attempt(0)
        except OutOfBounds as error:
            line = f"; cell line {error.cell_line}: {error.excerpt}" if error.cell_line is not None else ""
            self.cases.append(Case(sizes, dtypes, False, reason=f"{error.what}{line}"))
            return None
        self.changed += [f"{names[index]} was changed by the kernel" for index in stray if index not in allowed_changes]
        if len(leaves) != len(said.names):
            reason = f"the kernel gives {len(leaves)} outputs, the reference {len(said.names)}"
            if not leaves:
                reason = "the kernel returned None and wrote to none of its arguments"
            self.cases.append(Case(sizes, dtypes, False, reason=reason))
            return None
        self.compared += sum(want.numel() for want in said.want if want is not None)
        samples = self._samples(expected, said, sizes, sum(t.numel() for t in nested.tensors(arguments)))
        results = [compare_output(said, index, leaf, samples[index], self.problem, self.note) for index, leaf in enumerate(leaves)]
        never: dict[int, torch.Tensor] = {}
        if any(suspicious(tensor, result) for (_, tensor), result in zip(leaves, results, strict=True)):
            never, unwritten = never_written(leaves, attempt(1)[0], results)
            self.unwritten += unwritten
        for index, ((name, tensor), result) in enumerate(zip(leaves, results, strict=True)):
            title = name if not name.startswith("output") else said.names[index]
            self.cases.append(judged(Case(sizes, dtypes, True, output=title), tensor, said.want[index], result, never.get(index)))
        return None

    def _names(self, count: int) -> list[str]:
        given = self.names or tuple(item.name for item in (self.problem.inputs.inputs if self.problem.inputs else ()))
        if not given:
            return nested.argument_names(self.reference, count)
        return [given[index] if index < len(given) else f"argument {index}" for index in range(count)]

    def _samples(self, call: Call, said: Evaluation, sizes: Mapping[str, int], elements: int) -> list[list[bounds.Samples]]:
        """The eager run's errors per output; from further seeds too where an output has too few elements to pool."""
        evaluations = [said]
        few = any(w is not None and w.dtype.is_floating_point and w.numel() < bounds.POOL for w in said.want)
        if few and said.eager is not None:
            for extra in range(1, 1 + (MORE_SEEDS if elements <= _LARGE_INPUTS else FEW_SEEDS)):
                try:
                    arguments = list(self.make_arguments(sizes, self.seed + 1000 * extra))
                    evaluations.append(evaluate(call.run, arguments, dot_precision=self.dot_precision, twice=False))
                except Exception:
                    break  # inputs that only one seed can make; the first evaluation stands
        found: list[list[bounds.Samples]] = []
        for index in range(len(said.names)):
            found.append([])
            for one in evaluations:
                want = one.want[index] if index < len(one.want) else None
                eager = one.eager[index] if one.eager is not None and index < len(one.eager) else None
                if want is not None and eager is not None and want.dtype.is_floating_point and eager.shape == want.shape:
                    found[-1].append(bounds.sample(want, one.model[index], eager))
        return found
