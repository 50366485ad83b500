"""The driver for a GPU that is not there."""

from __future__ import annotations

import dataclasses

import pytest

from kernel_lab import cuda_stand_in
from kernel_lab.errors import NoGpu
from kernel_lab.targets import names

pytest.importorskip("triton")
from kernel_lab.languages.triton import offline


class Sink:
    def launched(self, source: object, metadata: object, grid: object, args: object) -> None: ...

    def registers(self, binary: bytes, name: str) -> tuple[int, int]:
        return 40, 2


@pytest.mark.parametrize(
    ("name", "backend", "arch", "warp"),
    [
        ("sm_75", "cuda", 75, 32),
        ("H100", "cuda", 90, 32),
        ("sm_120", "cuda", 120, 32),
        ("MI300X", "hip", "gfx942", 64),
        ("gfx1100", "hip", "gfx1100", 32),
    ],
)
def test_triton_is_told_the_target(name: str, backend: str, arch: object, warp: int) -> None:
    target = offline.OfflineDriver(names.lookup(name), Sink()).get_current_target()
    assert (target.backend, target.arch, target.warp_size) == (backend, arch, warp)


def test_properties_are_those_of_the_target() -> None:
    driver = offline.OfflineDriver(names.lookup("H100"), Sink())
    properties = driver.utils.get_device_properties(0)
    assert properties["max_shared_mem"] == 232_448
    assert properties["multiprocessor_count"] == 132
    assert properties["max_num_regs"] == 65_536
    assert driver.utils.load_binary("k", b"", 0, 0)[2:4] == (40, 2)


def test_an_unknown_number_of_the_target_does_not_break_it() -> None:
    bare = dataclasses.replace(names.lookup("sm_90"), num_sms=None, sm_clock_hz=None, memory_bus_bits=None, max_shared_bytes=None)
    assert offline.OfflineDriver(bare, Sink()).utils.get_device_properties(0)["multiprocessor_count"] >= 1


def test_what_needs_a_gpu_says_so() -> None:
    driver = offline.OfflineDriver(names.lookup("sm_90"), Sink())
    with pytest.raises(AttributeError, match="needs a GPU"):
        _ = driver.utils.cuOccupancyMaxActiveClusters
    with pytest.raises(NoGpu, match="never made up"):
        driver.get_empty_cache_for_benchmark()


@pytest.mark.parametrize(
    ("name", "expected"), [("sm_75", (7, 5)), ("sm_90", (9, 0)), ("sm_100", (10, 0)), ("sm_120", (12, 0)), ("gfx942", (9, 4))]
)
def test_capability(name: str, expected: tuple[int, int]) -> None:
    assert cuda_stand_in.capability(names.lookup(name)) == expected
