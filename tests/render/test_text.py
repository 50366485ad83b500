"""The plain text: short, and never more than the report knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernel_lab.render.text import text
from kernel_lab.results import Check, Finding, Rejected, Verdict
from tests.render.samples import ALL, H100, MANY, NO_VERDICT, NOT_RUN, ODD_NUMBERS, ON_GPU, RIGHT, WRONG, case, kernel


@pytest.mark.parametrize("name", ALL)
def test_it_is_short_and_printable(name: str) -> None:
    shown = text(ALL[name], target=H100)
    assert 3 <= len(shown.splitlines()) <= 25
    assert max(map(len, shown.splitlines())) <= 420
    assert "None" not in shown


def test_a_right_kernel() -> None:
    shown = text(RIGHT, target=H100)
    assert shown.splitlines()[0] == "add_kernel · Triton → H100 SXM (sm_90) · right"
    assert "right: 2 cases on the CPU (interpreter); worst n=98432, f32: error 6.00e-08, bound 1.20e-07 at out[17]" in shown
    assert "registers 40, spills none, shared 48 KiB, warps 4, threads 128, occupancy 50 %" in shown
    assert "! cell line 6: the load of x is not vectorised" in shown


def test_a_wrong_kernel_says_so_first() -> None:
    shown = text(WRONG)
    assert shown.splitlines()[0].endswith("· WRONG")
    assert "1 of 2 cases failed" in shown
    assert "check every element written FAILED: 64 of 128 elements never written" in shown


def test_what_was_not_verified_is_not_called_right() -> None:
    assert "not verified: compiled, not run: TileLang needs a GPU" in text(NOT_RUN)
    for report in (NOT_RUN, NO_VERDICT, replace(RIGHT, verdict=Verdict(True, ()))):
        assert "not verified" in text(report).splitlines()[0]
        assert "right" not in text(report)


def test_a_bound_is_not_called_measured() -> None:
    assert "bound, not measured: at least 0.353 µs on H100 SXM (sm_90): limited by DRAM bandwidth" in text(RIGHT)
    claimed = replace(RIGHT, roofline=replace(ON_GPU.roofline, measured=True))  # type: ignore[type-var]
    assert "bound, not measured" in text(claimed) and "% of the ceiling" not in text(claimed)


def test_a_measurement_says_how() -> None:
    assert "1.62 µs median (p10–p90 1.58 µs–1.71 µs, n=30, CUPTI, cold cache) on NVIDIA H200; 72 % of the ceiling" in text(ON_GPU)


def test_more_than_the_roof_is_an_error_and_not_clamped() -> None:
    shown = text(replace(ON_GPU, roofline=replace(ON_GPU.roofline, fraction=1.13)))  # type: ignore[type-var]
    assert "113 % of the ceiling, more than the roof allows" in shown


def test_unknown_is_a_dash_and_nan_is_nan() -> None:
    shown = text(ODD_NUMBERS)
    assert "registers –, spills –, shared –" in shown
    assert "error nan, bound inf" in shown


def test_a_nan_counts_as_the_worst() -> None:
    cases = (case(False, sizes={"n": 1}), case(False, sizes={"n": 2}, max_error=float("nan")), case(False, sizes={"n": 3}))
    assert "worst n=2, f32: error nan" in text(replace(RIGHT, verdict=Verdict(False, cases, {}, "interpreter")))


def test_the_verdict_stays_when_there_is_too_much_to_say() -> None:
    crowded = replace(
        MANY,
        verdict=Verdict(True, (case(),), {f"check {n}": Check(False, "no") for n in range(9)}, "interpreter"),
        kernels=tuple(kernel(f"k{n}") for n in range(40)),
        rejected=tuple(Rejected("k", {"BLOCK": n}, "too large") for n in range(40)),
        warnings=tuple(Finding(f"warning {n}") for n in range(40)),
    )
    shown = text(crowded).splitlines()
    assert len(shown) <= 25
    assert any(line.startswith("  right: ") for line in shown)
    assert any("not measured" in line for line in shown)
