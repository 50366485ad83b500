"""GPUs as data: limits, peaks and where each number comes from; and which GPU is in this machine.

PLACEHOLDER INTERFACE (being built): see Target and the functions below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Target:
    """A GPU to compile for.

    ``arch`` is the product's name of it: "sm_90" (no suffix), "gfx942". ``backend`` is "cuda" or "hip".
    ``gpu`` is the model when one was named ("H100 SXM"), whose peaks the roofline uses; an arch alone uses a representative model.
    """

    arch: str
    backend: str
    gpu: str | None = None
    warp_size: int = 32
    # limits of the architecture
    max_shared_bytes: int | None = None  # largest dynamic shared memory / LDS of one block
    shared_bytes_per_sm: int | None = None
    registers_per_sm: int | None = None  # 32-bit registers
    max_registers_per_thread: int | None = None
    max_threads_per_block: int = 1024
    max_threads_per_sm: int | None = None
    max_blocks_per_sm: int | None = None
    max_grid: tuple[int, int, int] = (2**31 - 1, 65535, 65535)
    # the model
    num_sms: int | None = None
    dram_bytes_per_s: float | None = None
    l2_bytes: int | None = None
    memory_bytes: int | None = None
    sm_clock_hz: float | None = None
    memory_clock_hz: float | None = None
    memory_bus_bits: int | None = None
    peaks: Mapping[str, float] = field(default_factory=dict)  # "f16/f32" (operand/accumulator, dense tensor cores) or "f32" (plain cores) → flop/s
    sources: Mapping[str, str] = field(default_factory=dict)  # field or peak → where it is written

    @property
    def name(self) -> str:
        return self.arch
