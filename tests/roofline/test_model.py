"""Work under a roof: ceilings, what limits, and numbers that cannot be."""

from __future__ import annotations

import dataclasses

import pytest

from kernel_lab.roofline import Work, check, place
from kernel_lab.roofline.model import peak_of
from kernel_lab.targets import lookup

N = 4096
GEMM = Work(2.0 * N**3, 3.0 * N * N * 2, "f16", True, "counted")
ADD = Work(2.0**26, 3 * 4 * 2.0**26, "f32", False, "counted")


def test_gemm_is_bound_by_the_tensor_cores() -> None:
    roof = place(GEMM, lookup("H100 SXM"))
    assert roof.limited_by == roof.peak_name == "f16 tensor cores"
    assert roof.bound_us == pytest.approx(2 * N**3 / 989.5e12 * 1e6)
    assert roof.ceiling == pytest.approx(989.5e12)
    assert roof.intensity == pytest.approx(2 * N**3 / (6 * N * N))
    assert (roof.measured, roof.fraction, roof.time_us) == (False, None, None)
    assert any("989.5 TFLOP/s, dense: NVIDIA H100" in source for source in roof.sources)
    assert any("3.35 TB/s" in source for source in roof.sources)
    assert not any("several share" in source for source in roof.sources)


def test_add_is_bound_by_dram() -> None:
    roof = place(ADD, lookup("sm_90"))
    assert roof.limited_by == "DRAM bandwidth"
    assert roof.bound_us == pytest.approx(12 * 2**26 / 3.35e12 * 1e6)
    assert roof.ceiling == pytest.approx(3.35e12 / 12)
    assert "taken as H100 SXM" in roof.target and any("H100 SXM's" in source for source in roof.sources)


def test_a_copy_has_a_bound_and_no_ceiling_in_flops() -> None:
    roof = place(Work(0.0, 3.35e9, "f32", False, "counted"), lookup("H100 SXM"), time_us=2000)
    assert (roof.limited_by, roof.bound_us, roof.fraction, roof.ceiling) == ("DRAM bandwidth", pytest.approx(1000), pytest.approx(0.5), 0)


def test_measured_fraction_is_time_against_bound() -> None:
    roof = place(GEMM, lookup("H100 SXM"), time_us=2 * 138.897376)
    assert roof.measured and roof.fraction == pytest.approx(0.5, rel=1e-5)
    assert check(roof) is None and check(place(GEMM, lookup("H100 SXM"))) is None


def test_over_the_roof_is_kept_and_reported() -> None:
    h100 = lookup("H100 SXM")
    roof = place(dataclasses.replace(ADD, bytes=12e6, flops=1e6), h100, time_us=1.0)
    assert roof.fraction is not None and roof.fraction > 3
    finding = check(roof, h100)
    assert finding is not None and finding.code == "over-roof"
    assert "358%" in finding.text and "DRAM bandwidth" in finding.text and "12 MB fit in L2" in finding.text
    fast = check(place(GEMM, h100, time_us=100))
    assert fast is not None and "f16 tensor cores" in fast.text and "narrower" in fast.text


@pytest.mark.parametrize(
    ("name", "dtype", "dot", "cores", "key", "words"),
    [
        ("T4", "f16", True, True, "f16/f32", "f16 tensor cores"),
        ("T4", "f16", True, False, "f32", "f32 CUDA cores"),  # Triton multiplies f16 on sm_75 with FMA
        ("T4", "bf16", True, True, "f32", "f32 CUDA cores"),  # no bf16 tensor cores there
        ("H100", "f32", True, True, "tf32/f32", "tf32 tensor cores"),
        ("H100", "f8e4m3", True, True, "f8/f32", "f8 tensor cores"),
        ("A100", "f8e5m2", True, True, "f16/f32", "f16 tensor cores"),
        ("H100", "i8", True, True, "i8/i32", "i8 tensor cores"),
        ("H100", "f64", True, True, "f64/f64", "f64 tensor cores"),
        ("H100", "f64", True, False, "f64", "f64 CUDA cores"),
        ("H100", "f16", False, True, "f16", "f16 CUDA cores"),
        ("L4", "bf16", False, True, "f32", "f32 CUDA cores"),
        ("H100", "i32", False, True, "f32", "f32 CUDA cores"),
        ("RTX 4090", "f16", True, True, "f16/f32", "f16 tensor cores"),
        ("RTX 4090", "f16/f16", True, True, "f16/f16", "f16 tensor cores with f16 accumulators"),
        ("MI300X", "f32", True, True, "f32/f32", "f32 matrix cores"),
        ("MI300X", "tf32", True, True, "tf32/f32", "tf32 matrix cores"),
        ("MI300X", "bf16", False, True, "f32", "f32 vector units"),
        ("MI300X", "bf16", True, True, "bf16/f32", "bf16 matrix cores"),
    ],
)
def test_which_roof(name: str, dtype: str, dot: bool, cores: bool, key: str, words: str) -> None:
    target = lookup(name)
    peak = peak_of(target, dtype, uses_dot=dot, tensor_cores=cores)
    assert peak is not None and (peak.key, peak.name, peak.value) == (key, words, target.peaks[key])


def test_without_tensor_cores_the_ceiling_is_the_cuda_cores() -> None:
    roof = place(GEMM, lookup("sm_75"), tensor_cores=False)
    assert roof.limited_by == "f32 CUDA cores" and roof.peak_flops == 8.1e12


def test_the_kernels_dtype_overrules_the_references() -> None:
    assert place(GEMM, lookup("H100"), dtype="f8e4m3").limited_by == "f8 tensor cores"
    assert (
        place(dataclasses.replace(GEMM, dtype=None, uses_dot=False), lookup("H100"), dtype="f16", uses_dot=True).limited_by
        == "f16 tensor cores"
    )


def test_a_target_without_peaks_gives_no_bound() -> None:
    roof = place(GEMM, lookup("sm_103"), time_us=5.0)
    assert (roof.bound_us, roof.ceiling, roof.fraction, roof.limited_by, roof.peak_flops) == (None, None, None, None, None)
    assert roof.measured and roof.target == "sm_103"
    assert check(roof) is None


def test_half_known_work_still_bounds() -> None:
    only_bytes = place(Work(None, 3.35e9, None, False, "declared"), lookup("H100"))
    assert (only_bytes.bound_us, only_bytes.limited_by, only_bytes.intensity, only_bytes.ceiling) == (
        pytest.approx(1000),
        "DRAM bandwidth",
        None,
        None,
    )
    only_flops = place(Work(989.5e9, None, "f16", True, "declared"), lookup("H100"))
    assert (only_flops.bound_us, only_flops.limited_by, only_flops.intensity) == (pytest.approx(1000), "f16 tensor cores", None)
