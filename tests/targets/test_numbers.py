"""The tables against arithmetic: peak ≈ SMs × operations per clock × clock, bandwidth ≈ bus × data rate.

The operations per clock below are the microarchitecture's (whitepapers), not the tables': a slip of units, a figure with
sparsity, or one board's number on another stands out.
"""

from __future__ import annotations

import dataclasses

import pytest

from kernel_lab.targets import Target, lookup, targets

TOLERANCE = 0.035  # datasheets round to two digits
GEFORCE = ("RTX 3090", "RTX 4090", "RTX 5090")
_ADA = {"f32": 256, "f16": 256, "f64": 4}
_FULL = {"f16/f32": 1024, "bf16/f32": 1024, "tf32/f32": 512, "i8/i32": 2048, "f8/f32": 2048}
_HALF = {"f16/f32": 512, "f16/f16": 1024, "bf16/f32": 512, "tf32/f32": 256, "i8/i32": 2048, "f8/f32": 1024, "f8/f16": 2048, "bf16": 256}
OPS: dict[str, dict[str, int]] = {
    "sm_70": {"f64": 64, "f32": 128, "f16": 256, "f16/f32": 1024},
    "sm_75": {"f64": 4, "f32": 128, "f16": 256, "f16/f32": 1024, "i8/i32": 2048},
    "sm_80": {"f64": 64, "f64/f64": 128, "f32": 128, "f16": 512, "bf16": 256, "tf32/f32": 1024, "f16/f32": 2048, "bf16/f32": 2048,
              "i8/i32": 4096},
    "sm_90": {"f64": 128, "f64/f64": 256, "f32": 256, "f16": 512, "bf16": 512, "tf32/f32": 2048, "f16/f32": 4096, "bf16/f32": 4096,
              "f8/f32": 8192, "i8/i32": 8192},
    "sm_100": {"f64": 128, "f64/f64": 128, "f32": 256, "tf32/f32": 4096, "f16/f32": 8192, "bf16/f32": 8192, "f8/f32": 16384,
               "i8/i32": 16384},
    "gfx90a": {"f64": 128, "f64/f64": 256, "f32": 128, "f32/f32": 256, "f16/f32": 1024, "bf16/f32": 1024, "i8/i32": 1024},
    "gfx942": {"f64": 128, "f64/f64": 256, "f32": 256, "f32/f32": 256, "tf32/f32": 1024, "f16/f32": 2048, "bf16/f32": 2048, "f8/f32": 4096,
               "i8/i32": 4096},
    "gfx950": {"f64": 128, "f64/f64": 128, "f32": 256, "f32/f32": 256, "f16/f32": 4096, "bf16/f32": 4096, "f8/f32": 8192, "i8/i32": 8192},
    "gfx1100": {"f32": 256, "f16": 512, "f16/f32": 512, "bf16/f32": 512, "i8/i32": 512},
}  # fmt: skip
MODELS = [pytest.param(target, id=target.gpu) for target in targets()]


def operations(target: Target) -> dict[str, int]:
    if target.arch in OPS:
        return OPS[target.arch]
    return _ADA | (_HALF if target.gpu in GEFORCE else _FULL)


def faults(target: Target) -> list[str]:
    """What does not add up in a target's numbers."""
    assert target.num_sms and target.sm_clock_hz and target.memory_bus_bits and target.memory_clock_hz and target.dram_bytes_per_s
    found = []
    for key, peak in target.peaks.items():
        matrix = "/" in key and key != "f64/f64"
        clock = target.matrix_clock_hz if matrix and target.matrix_clock_hz else target.sm_clock_hz
        expected = target.num_sms * operations(target)[key] * clock
        if abs(peak / expected - 1) > TOLERANCE:
            found.append(f"{key}: {peak:.4g} against {expected:.4g}")
    bandwidth = target.memory_bus_bits / 8 * 2 * target.memory_clock_hz
    if abs(target.dram_bytes_per_s / bandwidth - 1) > TOLERANCE:
        found.append(f"DRAM: {target.dram_bytes_per_s:.4g} against {bandwidth:.4g}")
    if not 0.5e9 < target.sm_clock_hz < 3e9:
        found.append(f"clock: {target.sm_clock_hz:.4g} Hz")
    if not 0.5e9 < target.memory_clock_hz < 20e9:
        found.append(f"memory clock: {target.memory_clock_hz:.4g} Hz")
    return found


@pytest.mark.parametrize("target", MODELS)
def test_numbers_add_up(target: Target) -> None:
    assert faults(target) == []


@pytest.mark.parametrize("target", MODELS)
def test_the_check_sees_the_usual_slips(target: Target) -> None:
    assert target.memory_clock_hz and target.sm_clock_hz
    slips = [dataclasses.replace(target, peaks={**target.peaks, key: peak * 2}) for key, peak in target.peaks.items()]  # with sparsity
    slips += [dataclasses.replace(target, peaks={**target.peaks, key: peak / 2}) for key, peak in target.peaks.items()]  # halved twice
    slips.append(dataclasses.replace(target, memory_clock_hz=target.memory_clock_hz / 1e3))  # kHz as MHz
    slips.append(dataclasses.replace(target, sm_clock_hz=target.sm_clock_hz * 1e3, matrix_clock_hz=None))
    assert all(faults(slip) for slip in slips)


@pytest.mark.parametrize(("sxm", "pcie"), [("H100 SXM", "H100 PCIe"), ("V100 SXM2", "V100 PCIe"), ("H200 SXM", "H200 NVL")])
def test_the_check_sees_another_form_factor(sxm: str, pcie: str) -> None:
    assert faults(dataclasses.replace(lookup(pcie), peaks=lookup(sxm).peaks))


def test_the_check_sees_another_boards_bandwidth() -> None:
    assert faults(dataclasses.replace(lookup("A100 PCIe 80GB"), dram_bytes_per_s=lookup("A100 SXM 80GB").dram_bytes_per_s))


def test_h100_sxm_is_dense_and_has_its_bandwidth() -> None:
    h100 = lookup("H100 SXM")
    assert h100.peaks["bf16/f32"] == 989.5e12
    assert h100.dram_bytes_per_s == 3.35e12
    assert "halved" in (h100.source("bf16/f32") or "")


@pytest.mark.parametrize(
    ("arch", "shared"),
    [("sm_70", 98304), ("sm_75", 65536), ("sm_80", 166912), ("sm_86", 101376), ("sm_89", 101376), ("sm_90", 232448), ("sm_100", 232448),
     ("sm_120", 101376), ("gfx90a", 65536), ("gfx942", 65536), ("gfx950", 163840), ("gfx1100", 65536)],
)  # fmt: skip
def test_largest_dynamic_shared_memory(arch: str, shared: int) -> None:
    assert lookup(arch).max_shared_bytes == shared


@pytest.mark.parametrize("target", MODELS)
def test_every_number_has_a_source(target: Target) -> None:
    for field in dataclasses.fields(target):
        if field.name in ("arch", "backend", "gpu", "warp_size", "max_threads_per_block", "peaks", "sources", "assumed"):
            continue
        if getattr(target, field.name) is not None:
            assert target.source(field.name), field.name
    for key in target.peaks:
        assert target.source(key), key
