"""R41: arguments are checked by name before a kernel sees them; outputs are poisoned."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from kernel_lab.errors import InputError
from kernel_lab.languages.tilelang.arguments import allocate, check_arguments, order_arguments, results
from kernel_lab.languages.tilelang.kernels import Parameter

A = Parameter("A", "float16", ("M", "K"))
B = Parameter("B", "float16", ("K", "256"))
N = Parameter("n", "int32", None)


def check(parameters, *arguments, device="cpu"):
    return check_arguments(parameters, arguments, device)


def half(*shape):
    return torch.zeros(shape, dtype=torch.float16)


def test_r41_the_device_is_named():
    with pytest.raises(InputError, match="A is on cpu, the kernel needs cuda") as caught:
        check([A], half(8, 8), device="cuda")
    assert 'A.to("cuda")' in str(caught.value)


def test_r41_the_rank_is_named():
    with pytest.raises(InputError, match="A has rank 1, the kernel needs 2"):
        check([A], half(8))


def test_the_dtype_is_named():
    with pytest.raises(InputError, match="A has dtype float32, the kernel needs float16"):
        check([A], torch.zeros(8, 8))


def test_a_fixed_size_is_named():
    with pytest.raises(InputError, match="B has size 255 along axis 1, the kernel needs 256"):
        check([B], half(8, 255))


def test_a_shared_symbolic_size_must_agree():
    assert check([A, B], half(4, 8), half(8, 256)) == {"M": 4, "K": 8}
    with pytest.raises(InputError, match=r"B has size 16 along axis 0, the kernel needs 8 \(K\)"):
        check([A, B], half(4, 8), half(16, 256))


def test_strides_are_named():
    with pytest.raises(InputError, match=r"A has strides \(1, 4\), the kernel needs it contiguous"):
        check([A], half(8, 4).t())


def test_the_number_of_arguments_and_their_kinds():
    with pytest.raises(InputError, match="takes 2 arguments, 1 were given"):
        check([A, B], half(4, 8))
    with pytest.raises(InputError, match="A is a float, the kernel needs a float16 tensor of rank 2"):
        check([A], 1.0)
    with pytest.raises(InputError, match="n is a tensor of rank 1"):
        check([N], torch.zeros(3))
    assert check([N], 3) == {}


def kernel(*parameters, out_idx=()):
    return SimpleNamespace(parameters=lambda: parameters, out_idx=out_idx)


def test_outputs_are_poisoned_and_accumulators_are_zero():
    outputs = [
        Parameter("C", "float32", ("M", "2 * K"), "out"),
        Parameter("I", "int32", ("M",), "out"),
        Parameter("S", "float32", ("1",), "accumulated"),
    ]
    made = allocate(kernel(A, *outputs), [half(4, 8)])
    assert [tuple(item.shape) for item in made] == [(4, 16), (4,), (1,)]
    assert made[0].isnan().all()
    assert (made[1] == torch.iinfo(torch.int32).min + 1).all()
    assert made[2].item() == 0


def test_eight_bit_floats_are_poisoned_too():
    (made,) = allocate(kernel(A, Parameter("C", "float8_e4m3fn", ("M",), "out")), [half(4, 8)])
    assert made.to(torch.float32).isnan().all()


def test_arguments_keep_the_kernels_order_and_results_that_of_out_idx():
    first, last = Parameter("C", "float16", ("M",), "out"), Parameter("D", "float16", ("M",), "out")
    asked = kernel(first, A, last, out_idx=(2, 0))
    ordered = order_arguments(asked, ["a"], ["c", "d"])
    assert ordered == ["c", "a", "d"]
    assert results(asked, ordered) == ("d", "c")
    assert results(kernel(A, first), ["a", "c"]) == "c"
