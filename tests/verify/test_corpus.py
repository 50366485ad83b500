"""Every right kernel passes, every wrong one is caught: what the constants of the bound were set by."""

from __future__ import annotations

from typing import Any

import pytest

from kernel_lab.problem import Problem, make_arguments, parse_inputs
from kernel_lab.results import Verdict

pytest.importorskip("torch")

from kernel_lab.verify import verify
from tests.verify import corpus


def judge(entry: corpus.Entry, seed: int = 0) -> Verdict:
    spec = parse_inputs(entry.inputs)

    def arguments(sizes: Any, seed: int) -> list[Any]:
        made = make_arguments(spec, sizes, seed=seed)
        return [a * entry.scale if a.dtype.is_floating_point and entry.scale != 1 else a for a in made]

    return verify(entry.run, entry.reference, Problem(inputs=spec), [entry.sizes], make_arguments=arguments, seed=seed, **entry.options)


@pytest.mark.parametrize("entry", corpus.RIGHT, ids=lambda e: e.name)
def test_a_right_kernel_passes(entry: corpus.Entry) -> None:
    verdict = judge(entry)
    assert verdict.passed is True, verdict.reason


@pytest.mark.parametrize("entry", corpus.WRONG, ids=lambda e: e.name)
def test_a_wrong_kernel_is_caught(entry: corpus.Entry) -> None:
    verdict = judge(entry)
    assert verdict.passed is False
    assert verdict.reason
