"""One call of `verify` on inputs that are written as in a magic line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernel_lab.problem import Problem, make_arguments, parse_inputs
from kernel_lab.results import Verdict
from kernel_lab.verify import verify


def judge(run: Callable[..., Any], reference: Callable[..., Any], inputs: str, *cases: dict[str, int], **options: Any) -> Verdict:
    """The verdict on the cases; ``options`` are those of `verify`, and ``grad``, ``atol``, ``rtol`` of the problem."""
    spec = parse_inputs(inputs)
    told = {name: options.pop(name) for name in ("grad", "atol", "rtol") if name in options}
    make = options.pop("make", lambda sizes, seed: make_arguments(spec, sizes, seed=seed))
    return verify(run, reference, Problem(inputs=spec, **told), cases or [{}], make_arguments=make, **options)
