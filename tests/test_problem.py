"""The notation of inputs and sizes, and the arguments it means."""

from __future__ import annotations

import pytest

from kernel_lab import problem
from kernel_lab.errors import InputError

torch = pytest.importorskip("torch")


def test_parse_inputs() -> None:
    spec = problem.parse_inputs("x: f16[M, 2*K], idx: i64[n] < V, alpha: f32, s: bf16[]")
    x, idx, alpha, s = spec.inputs
    assert (x.name, x.dtype, x.dims) == ("x", "f16", ("M", "2*K"))
    assert (idx.below, idx.dims) == ("V", ("n",))
    assert alpha.dims is None and s.dims == ()
    assert spec.dims() == ("M", "K", "n", "V")


def test_describe_is_the_inverse_of_parse() -> None:
    text = "x: f16[M, 2*K], idx: i64[n] < V, alpha: f32"
    assert problem.describe(problem.parse_inputs(text)) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x: f32[n", ["x: f32[n"]),
        ("x", ['is not "name: dtype[dims]"']),
        ("x: float16[n]", ["unknown dtype 'float16'", "write f16"]),
        ("x: f33[n]", ["unknown dtype 'f33'", "did you mean 'f32'?"]),
        ("x: f32[n], x: f32[n]", ["'x' is declared twice"]),
        ("", ["--inputs is empty"]),
        ("x: f32[n.m]", ["x: 'n.m' is not a size"]),
        ("x: f32[n +]", ["x: 'n +' is not a size"]),
        ("x: f32[1.5]", ["'1.5' is not a size"]),
        ("i: i32[n] < f(V)", ["'f(V)' is not a size"]),
    ],
)
def test_mistakes_in_inputs_are_named(text: str, says: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        problem.parse_inputs(text)
    for words in says:
        assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) < 12


def test_parse_sizes() -> None:
    assert problem.parse_sizes("M=64, N=2*M") == ({"M": 64, "N": 128},)
    assert problem.parse_sizes("n=[1, 100]") == ({"n": 1}, {"n": 100})
    assert problem.parse_sizes("M=[1, 2], N=7") == ({"M": 1, "N": 7}, {"M": 2, "N": 7})
    assert problem.parse_sizes("n=1; n=100") == ({"n": 1}, {"n": 100})


def test_evaluate() -> None:
    sizes = {"n": 100, "m": 7}
    assert problem.evaluate("2*n + m // 2 - 1", sizes) == 202
    assert problem.evaluate("cdiv(n, 32)", sizes) == 4
    assert problem.evaluate("-n % 8 + 2**3", sizes) == 12
    with pytest.raises(InputError, match="size 'k'"):
        problem.evaluate("k", sizes)
    with pytest.raises(InputError, match="divides by zero"):
        problem.evaluate("n // (m - 7)", sizes)


def test_the_same_seed_gives_the_same_arguments_and_another_does_not() -> None:
    spec = problem.parse_inputs("x: f32[n], i: i32[n]")
    one, two, other = (problem.make_arguments(spec, {"n": 64}, seed=seed) for seed in (1, 1, 2))
    assert all(torch.equal(a, b) for a, b in zip(one, two, strict=True))
    assert not torch.equal(one[0], other[0])


@pytest.mark.parametrize("dtype", list(problem.DTYPES))
def test_every_dtype_can_be_made(dtype: str) -> None:
    (value,) = problem.make_arguments(problem.parse_inputs(f"x: {dtype}[8, n]"), {"n": 16})
    assert value.shape == (8, 16) and value.dtype == getattr(torch, problem.DTYPES[dtype])


def test_ranges_scalars_and_sizes_as_arguments() -> None:
    spec = problem.parse_inputs("i: i64[1000] < V, n: i32, alpha: f32, flag: bool")
    i, n, alpha, flag = problem.make_arguments(spec, {"V": 5, "n": 77})
    assert int(i.min()) >= 0 and int(i.max()) == 4
    assert n == 77 and isinstance(alpha, float) and isinstance(flag, bool)


def test_negative_dimension_and_missing_sizes() -> None:
    spec = problem.parse_inputs("x: f32[n - 5]")
    with pytest.raises(InputError, match="x would have shape"):
        problem.make_arguments(spec, {"n": 1})
    assert problem.missing_sizes(spec, {}) == ["n"]


def test_a_size_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match="n is given twice"):
        problem.parse_sizes("n=4, n=5")
