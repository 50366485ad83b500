"""Judging one case: each output beside what the reference says, and what the kernel never wrote.

Works on tensors that are there already: runs neither the kernel nor the reference.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import torch

from kernel_lab.problem import Problem
from kernel_lab.results import Case
from kernel_lab.verify import arguments as nested
from kernel_lab.verify import bound as bounds
from kernel_lab.verify.compare import Comparison, compare_exact, compare_floats
from kernel_lab.verify.outcome import Leaves
from kernel_lab.verify.poison import is_poison
from kernel_lab.verify.reasons import describe, unravel
from kernel_lab.verify.reference import Evaluation

Result = Comparison | str | None
"""The comparison of one output, a sentence when it cannot be compared, None when kernel and reference both give None."""


def compare_output(
    said: Evaluation,
    index: int,
    leaf: tuple[str, torch.Tensor | None],
    samples: list[bounds.Samples],
    problem: Problem,
    note: Callable[[str], None],
) -> Result:
    """The comparison of one output, a sentence when it cannot be compared, None when both are None."""
    tensor, want, model = leaf[1], said.want[index], said.model[index]
    eager = None if said.eager is None else said.eager[index]
    if tensor is None or want is None:
        if tensor is None and want is None:
            return None
        if leaf[0].startswith("grad"):
            return f"no gradient reaches it, the reference's has shape {tuple(want.shape)}" if want is not None else None
        return "the kernel gives None, the reference a tensor" if tensor is None else "the kernel gives a tensor, the reference None"
    if tensor.shape != want.shape:
        return f"shape {tuple(tensor.shape)}, the reference gives {tuple(want.shape)}"
    expected = want.dtype if eager is None else eager.dtype
    if tensor.dtype.is_floating_point != want.dtype.is_floating_point or tensor.is_complex() or want.is_complex():
        return f"dtype {nested.dtype_name(tensor.dtype)}, the reference gives {nested.dtype_name(expected)}"
    if eager is not None and tensor.dtype != expected and tensor.dim():
        note(f"{leaf[0]} is {nested.dtype_name(tensor.dtype)}, the reference gives {nested.dtype_name(expected)}: values were compared")
    if tensor.device.type != want.device.type and tensor.dim():
        return f"on device {tensor.device}, the reference gives {want.device}"
    tensor = tensor.to(want.device)
    if not want.dtype.is_floating_point:
        return compare_exact(tensor, want, model)
    atol, rtol = problem.atol, problem.rtol
    if atol is not None or rtol is not None:
        note(f"the allowed error is the one given: {atol or 0:g} + {rtol or 0:g}·|reference|")
    allowance = bounds.allowance(want, model, samples, tensor.dtype)
    result = compare_floats(tensor, want, allowance, eager=eager, atol=atol, rtol=rtol)
    if result.forgiven:
        kind = nested.dtype_name(expected)
        note(f"{result.forgiven} elements of {leaf[0]} are not finite where the reference in {kind} is not either, though float64 is")
    return result


def never_written(first: Leaves, second: Leaves, results: Sequence[Result]) -> tuple[dict[int, torch.Tensor], list[str]]:
    """Compare two runs over differently filled memory: by output, the mask of elements never written; and what is to be said of it."""
    masks: dict[int, torch.Tensor] = {}
    found: list[str] = []
    for index, (name, one) in enumerate(first):
        two = second[index][1] if index < len(second) else None
        if one is None or two is None or one.shape != two.shape or one.dtype != two.dtype or not one.numel():
            continue
        never = is_poison(one, 0) & is_poison(two, 1)
        depends = ((one.isnan() & ~two.isnan()) if one.dtype.is_floating_point else (one != two)) & ~never
        result = results[index]
        if isinstance(result, Comparison):
            depends = depends & result.wrong.to(depends.device)
        if bool(never.any()):
            masks[index] = never
            found.append(f"{name}: {int(never.sum())} of {never.numel()} elements never written")
        if bool(depends.any()):
            found.append(f"{name}: {int(depends.sum())} of {depends.numel()} elements depend on uninitialised memory")
    return masks, found


def suspicious(tensor: torch.Tensor | None, result: Result) -> bool:
    """Whether a second run over other memory is worth its time: something is wrong, or an element holds the poison's value."""
    if tensor is None or not tensor.numel():
        return False
    failed = isinstance(result, str) or (result is not None and bool(result.wrong.any()))
    return failed or bool(is_poison(tensor, 0).any())


def judged(case: Case, got: torch.Tensor | None, want: torch.Tensor | None, result: Result, never: torch.Tensor | None) -> Case:
    """``case`` with the worst element of ``result`` and, when it failed, the reason; ``never`` masks the elements never written."""
    if isinstance(result, str):
        return dataclasses.replace(case, passed=False, reason=result)
    if result is None or got is None or want is None or (worst := result.worst()) is None:
        return case
    got = got.to(want.device)
    passed = not bool(result.wrong.any())
    return dataclasses.replace(
        case,
        passed=passed,
        max_error=float(result.error.flatten()[worst]),
        bound=float(result.bound.flatten()[worst]),
        worst_index=unravel(worst, result.wrong.shape),
        got=float(got.flatten()[worst]),
        want=float(want.flatten()[worst]),
        reason=None if passed else describe(result, got, want, case.sizes, None if never is None else never.to(want.device)),
    )
