"""The shape of a row in the tables of GPU models, and how its numbers get their sources.

Plain data; `nvidia` and `amd` hold the rows. Units as the datasheets print them: TFLOP/s, GB/s (10⁹), GiB, MiB, MHz.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Peaks = dict[str, tuple[float, str]]


@dataclass(frozen=True)
class Model:
    """One GPU model.

    ``spellings`` are the sets of words that name it; a name fits when it has all words of one set, and no word outside
    it and ``words`` ("NVIDIA H100 80GB HBM3": {"h100"} with {"80gb", "hbm3"}). A name that fits by a set in
    ``ambiguous`` fits other boards as well: this row is then assumed.
    """

    name: str
    arch: str
    sms: int
    clock_mhz: float
    bus_bits: int
    memory_mhz: float
    dram_gb_s: float
    memory_gib: int
    l2_mib: float
    peaks: Peaks
    document: str
    spellings: tuple[str, ...]
    words: str = ""
    ambiguous: tuple[str, ...] = ()
    matrix_clock_mhz: float | None = None
    sources: Mapping[str, str] = field(default_factory=dict)


def written(document: str, **peaks: float) -> Peaks:
    """Peaks in TFLOP/s as the document prints them. ``f16_f32`` is the key "f16/f32"."""
    return {key.replace("_", "/"): (value, document) for key, value in peaks.items()}


def halved(document: str, **sparse: float) -> Peaks:
    """Peaks that the document prints with 2:4 sparsity only; the dense rate is half."""
    return {key.replace("_", "/"): (value / 2, f"{document}: {value:,g} TFLOP/s with sparsity, halved") for key, value in sparse.items()}


def computed(sms: int, clock_mhz: float, why: str, **per_clock: int) -> Peaks:
    """Peaks that no document prints: SMs × operations per SM and clock × boost clock."""
    return {
        key.replace("_", "/"): (sms * ops * clock_mhz / 1e6, f"computed: {sms} × {ops} operations per clock × {clock_mhz:g} MHz ({why})")
        for key, ops in per_clock.items()
    }
