"""R41: arguments of a TileLang kernel that do not fit are named (tilelang#2543)."""

from __future__ import annotations

from typing import Any

import pytest

from kernel_lab.errors import InputError
from kernel_lab.languages.tilelang.arguments import check_arguments
from kernel_lab.languages.tilelang.kernels import Parameter

torch = pytest.importorskip("torch")


def parameter(name: str, dims: tuple[str, ...] | None, dtype: str = "float16") -> Parameter:
    return Parameter(name=name, dtype=dtype, dims=dims, role="in")


A, B = parameter("A", ("M", "K")), parameter("B", ("K", "128"))
good = (torch.zeros(64, 32, dtype=torch.float16), torch.zeros(32, 128, dtype=torch.float16))


def test_r41_a_cpu_tensor_for_a_cuda_kernel() -> None:
    with pytest.raises(InputError, match="A is on cpu, the kernel needs cuda"):
        check_arguments([A, B], good, "cuda")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((good[0][0], good[1]), "A has rank 1, the kernel needs 2"),
        ((good[0].float(), good[1]), "A has dtype float32, the kernel needs float16"),
        ((good[0], good[1][:16]), "B has size 16 along axis 0, the kernel needs 32"),
        ((good[0], good[1][:, :64]), "B has size 64 along axis 1, the kernel needs 128"),
        ((good[0].t().contiguous(), good[1]), "B has size 32 along axis 0, the kernel needs 64"),
        ((good[0],), "takes 2 arguments, 1 were given"),
        ((3.0, good[1]), "A is a float"),
        ((torch.zeros(64, 64, dtype=torch.float16)[:, ::2], good[1]), "A has strides"),
    ],
)
def test_r41_what_does_not_fit_is_named(arguments: tuple[Any, ...], says: str) -> None:
    with pytest.raises(InputError) as caught:
        check_arguments([A, B], arguments, "cpu")
    assert says in str(caught.value)


def test_r41_what_fits_gives_the_sizes() -> None:
    assert check_arguments([A, B], good, "cpu") == {"M": 64, "K": 32}
