"""Flops and bytes: declared, and counted from references."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from kernel_lab.errors import InputError  # noqa: E402
from kernel_lab.problem import Problem, parse_inputs  # noqa: E402
from kernel_lab.roofline import count, declared, meta_arguments, of_problem  # noqa: E402
from kernel_lab.roofline.work import Work  # noqa: E402


def meta(*shape: int, dtype: object = None) -> object:
    return torch.empty(shape, dtype=dtype or torch.float32, device="meta")


def counted(reference: object, *arguments: object) -> Work:
    work, reason = count(reference, arguments)  # type: ignore[arg-type]
    assert work is not None, reason
    return work


def test_vector_add() -> None:
    work = counted(torch.add, meta(98432), meta(98432))
    assert (work.flops, work.bytes, work.dtype, work.uses_dot) == (98432, 3 * 98432 * 4, "f32", False)


def test_gemm_of_any_size_costs_no_memory() -> None:
    n = 2**17
    work = counted(lambda a, b: a @ b, meta(n, n, dtype=torch.float16), meta(n, n, dtype=torch.float16))
    assert (work.flops, work.bytes, work.dtype, work.uses_dot) == (2 * n**3, 3 * n * n * 2, "f16", True)


@pytest.mark.parametrize(
    "reference",
    [torch.matmul, lambda a, b: torch.einsum("mk,kn->mn", a, b), torch.nn.functional.linear],
)
def test_ways_to_multiply(reference: object) -> None:
    a, b = meta(64, 32, dtype=torch.bfloat16), meta(32, 32, dtype=torch.bfloat16)
    work = counted(reference, a, b)
    assert (work.flops, work.dtype, work.uses_dot) == (2 * 64 * 32 * 32, "bf16", True)


def test_an_upcasting_reference_counts_as_its_inputs_dtype() -> None:
    half = meta(64, 64, dtype=torch.float16)
    work = counted(lambda a, b: (a.float() @ b.float()).to(a.dtype), half, half)
    assert (work.dtype, work.uses_dot) == ("f16", True)
    assert any("f32" in note and "f16" in note for note in work.notes)


def test_attention_counts_both_dots() -> None:
    q = meta(2, 4, 128, 64, dtype=torch.float16)
    work = counted(torch.nn.functional.scaled_dot_product_attention, q, q, q)
    dots = 2 * (2 * 4 * 128 * 128 * 64) * 2
    assert work.flops is not None and dots <= work.flops <= dots * 1.1
    assert work.bytes == 2 * q.numel() * 2  # type: ignore[attr-defined]


def test_pointwise_chain_reduction_and_softmax() -> None:
    x = meta(100, 10)
    assert counted(lambda x: torch.exp(x) * 2 + 1, x).flops == 3000
    assert counted(lambda x: x.sum(-1), x).flops == 1000
    assert counted(lambda x: torch.softmax(x, -1), x).flops == 5000
    assert counted(lambda x: x.clone(), x).flops == 0
    assert counted(lambda x: x.to(torch.float16), x).bytes == 1000 * 6


def test_views_and_broadcasts_count_once() -> None:
    x = torch.ones(1000)
    assert counted(lambda a, b: a + b, x, x).bytes == 2 * 4000
    assert counted(lambda a, b: a + b, x[:500], x[500:]).bytes == 4000 + 2000
    assert counted(lambda a, b: a + b, x[:800], x[200:]).bytes == 4000 + 3200  # overlapping: the storage once
    assert counted(lambda a: a + 1, torch.ones(1, 10).expand(100, 10)).bytes == 40 + 4000
    assert counted(lambda a: a + 1, torch.ones(1000)[:10].expand(100, 10)).bytes == 40 + 4000
    assert counted(lambda a: a + 1, torch.ones(100)[::2]).bytes == 200 + 200


def test_what_is_mutated_counts_as_written() -> None:
    def scale(x: object, out: object) -> None:
        out.copy_(x * 2)  # type: ignore[attr-defined,operator]

    work = counted(scale, meta(100), meta(100))
    assert (work.flops, work.bytes) == (100, 3 * 400)


def test_nested_arguments_and_outputs() -> None:
    work = counted(lambda pair: {"sum": pair[0] + pair[1], "difference": [pair[0] - pair[1]]}, (meta(10), meta(10)))
    assert (work.flops, work.bytes) == (20, 4 * 40)


def test_a_reference_that_needs_data_runs_on_small_arguments_and_leaves_them_alone() -> None:
    x = torch.ones(10)
    work = counted(lambda x: x.mul_(float(x.sum())), x)
    assert work.flops == 20 and "run of the reference" in work.source
    assert x.tolist() == [1.0] * 10


def test_a_reference_that_needs_data_is_not_run_on_large_arguments() -> None:
    work, reason = count(lambda x: x * float(x.sum()), [torch.empty(2**22)])
    assert work is None and reason is not None and "too large" in reason


def test_a_reference_outside_torch_is_not_taken_for_no_work() -> None:
    work, reason = count(lambda x: x.numpy() + 1, [torch.ones(10)])
    assert work is None and reason
    work, reason = count(lambda x: None, [torch.ones(10)])
    assert work is None and reason
    work, reason = count(lambda n: n, [3])
    assert work is None and reason


def test_a_reference_that_raises_gives_the_reason() -> None:
    def wrong(x: object) -> None:
        raise ValueError("no such thing")

    work, reason = count(wrong, [torch.ones(10)])
    assert work is None and reason is not None and "no such thing" in reason


def test_declared_expressions() -> None:
    work = declared("2*M*N*K", "2*(M*K + K*N + M*N)", {"M": 4, "N": 5, "K": 6})
    assert work is not None and (work.flops, work.bytes) == (240, 148)
    assert "--flops" in work.source and "--bytes" in work.source
    float_work = declared("2.5 * n * log2(n) / 2", None, {"n": 8})
    assert float_work is not None and (float_work.flops, float_work.bytes) == (30, None)
    assert declared(None, None, {}) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [("2*M*Q", "'Q'"), ("2*M*", "not an expression"), ("__import__('os')", "not a number"), ("M/0", "cannot be computed"), ("-M", "is -4"),
     ("9**9**9", "finite"), ("'a'", "not a number"), ("True", "not a number"), ("10.0**60**2", "")],
)  # fmt: skip
def test_a_wrong_expression_names_the_option(text: str, says: str) -> None:
    with pytest.raises(InputError, match="--flops") as caught:
        declared(text, None, {"M": 4})
    assert says in str(caught.value) and len(str(caught.value).splitlines()) < 12


def test_of_problem_makes_its_arguments_and_lets_declarations_win() -> None:
    spec = parse_inputs("x: f16[n], idx: i64[n] < n, alpha: f32")
    assert [getattr(item, "device", None) and item.device.type for item in meta_arguments(spec, {"n": 8})] == ["meta", "meta", None]

    def reference(x: object, idx: object, alpha: float) -> object:
        return x * alpha  # type: ignore[operator]

    plain, reason = of_problem(Problem(inputs=spec), {"n": 10**9}, reference)
    assert reason is None and plain is not None and plain.flops == 10**9
    mixed, _ = of_problem(Problem(inputs=spec, bytes="4*n"), {"n": 8}, reference)
    assert mixed is not None and (mixed.flops, mixed.bytes, mixed.dtype) == (8, 32, "f16")
    assert "declared (--bytes)" in mixed.source and "counted" in mixed.source
    alone, _ = of_problem(Problem(flops="n"), {"n": 8}, None)
    assert alone is not None and (alone.flops, alone.bytes) == (8, None)
    gemm = Problem(inputs=parse_inputs("a: f16[n, n], b: f16[n, n]"), flops="2*n**3", bytes="6*n*n")
    guessed, _ = of_problem(gemm, {"n": 8}, None)
    assert guessed is not None and (guessed.flops, guessed.dtype, guessed.uses_dot) == (1024, "f16", True) and guessed.notes
    nothing, reason = of_problem(Problem(inputs=spec), {"n": 8}, None)
    assert nothing is None and reason
