"""Uninitialised memory is visible while poisoned, and only then."""

from __future__ import annotations

from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")

from kernel_lab.verify.poison import is_poison, poisoned, value  # noqa: E402

DTYPES = ("float32", "float16", "bfloat16", "float64", "float8_e4m3fn", "float8_e5m2", "int8", "uint8", "int16", "int32", "int64", "bool")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pattern", [0, 1])
def test_every_dtype_holds_its_pattern(dtype: str, pattern: int) -> None:
    with poisoned(pattern):
        made = torch.empty(5, dtype=getattr(torch, dtype))
    assert bool(is_poison(made, pattern).all())
    assert not bool(is_poison(made, 1 - pattern).any())


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.empty(3),
        lambda: torch.empty((3,), requires_grad=True),
        lambda: torch.empty_like(torch.zeros(3)),
        lambda: torch.empty_strided((3,), (2,)),
        lambda: torch.empty_permuted((3, 2), (1, 0)),
        lambda: torch.zeros(3).new_empty(3),
        lambda: torch.zeros(3).new_empty_strided((3,), (1,)),
        lambda: torch.Tensor(3),
    ],
)
def test_every_factory_is_poisoned(make: Callable[[], torch.Tensor]) -> None:
    with poisoned():
        made = make()
    assert bool(made.isnan().all())


def test_defined_memory_is_not() -> None:
    with poisoned():
        made = torch.zeros(3), torch.ones(3), torch.full((3,), 2.0), torch.zeros(3) + 1, torch.empty(3).fill_(4.0)
    assert not any(bool(t.isnan().any()) for t in made)


def test_integers_are_large_and_odd() -> None:
    assert value(torch.int32, 0) % 2 == 1 and value(torch.int32, 0) > 10**9


def test_an_unknown_pattern_is_refused() -> None:
    with pytest.raises(ValueError, match="pattern 2"), poisoned(2):
        pass
