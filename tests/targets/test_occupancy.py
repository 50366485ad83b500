"""Occupancy against values of the CUDA occupancy calculator."""

from __future__ import annotations

import pytest

from kernel_lab.targets import lookup, occupancy


@pytest.mark.parametrize(
    ("name", "registers", "shared", "threads", "fraction", "limit"),
    [
        ("sm_90", 32, 0, 256, 1.0, "threads"),
        ("sm_90", 33, 0, 256, 0.75, "registers"),  # 40 × 32 = 1280 a warp: 12 warps in a quarter of 16384, 48 of 64
        ("sm_90", 255, 0, 128, 0.125, "registers"),  # 8192 a warp: 2 in a quarter
        ("sm_90", 168, 0, 384, 0.1875, "registers"),  # 5376 a warp: 3 in a quarter, 12 warps, one block
        ("sm_90", 32, 232448, 128, 4 / 64, "shared memory"),
        ("sm_90", 32, 113 * 1024, 128, 8 / 64, "shared memory"),  # 113 KiB + 1 KiB: exactly two in 228
        ("sm_90", 32, 114 * 1024, 128, 4 / 64, "shared memory"),  # with the reserved KiB: one
        ("sm_90", 16, 0, 32, 0.5, "blocks"),
        ("sm_75", 32, 65536, 256, 0.25, "shared memory"),  # nothing is reserved before 8.0
        ("sm_86", 32, 0, 1024, 32 / 48, "threads"),
        ("sm_120", 32, 0, 32, 0.5, "blocks"),
        ("sm_90", 64, 0, 160, 30 / 64, "registers"),  # 32 warps fit: six blocks of five, although eight warps' worth is checked at launch
    ],
)
def test_calculator(name: str, registers: int, shared: int, threads: int, fraction: float, limit: str) -> None:
    assert occupancy(lookup(name), registers=registers, shared_bytes=shared, threads=threads) == (pytest.approx(fraction), limit)


@pytest.mark.parametrize(
    ("registers", "shared", "threads", "limit"),
    [(256, 0, 128, "registers"), (32, 232449, 128, "shared memory"), (32, 0, 1025, "threads"), (128, 0, 1024, "registers")],
)
def test_a_block_that_cannot_be_launched(registers: int, shared: int, threads: int, limit: str) -> None:
    assert occupancy(lookup("sm_90"), registers=registers, shared_bytes=shared, threads=threads) == (0.0, limit)


def test_unknown_rules_give_none() -> None:
    assert occupancy(lookup("gfx942"), registers=32, shared_bytes=0, threads=256) is None
