"""What a GPU is to this product: limits, peaks, and where each number is written.

Plain data; knows no other room. Peaks are dense (never the figure "with sparsity"), in operations per second where a
multiply-add counts as two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Target:
    """A GPU to compile for.

    ``arch`` is the product's name of it: "sm_90" (no suffix), "gfx942". ``backend`` is "cuda" or "hip".
    ``gpu`` is the model ("H100 SXM") whose peaks the roofline uses; ``assumed`` says that the model stands for an
    architecture, or for a name that fits several boards, and was not named itself. A GPU that is in no table has its
    own name in ``gpu``, and no peaks.

    ``peaks`` has "f16/f32" (operand/accumulator, matrix units) and "f32" (plain cores) → operations per second.
    ``memory_clock_hz`` is half the data rate of a pin, as ``nvidia-smi`` shows it: bandwidth = bus × 2 × clock.
    ``sources`` says for a field, or for a peak by its key, where the number is written.
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
    matrix_clock_hz: float | None = None  # boost clock of the matrix units, where the vendor gives one of their own
    memory_clock_hz: float | None = None
    memory_bus_bits: int | None = None
    peaks: Mapping[str, float] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    assumed: bool = False

    @property
    def name(self) -> str:
        """The architecture, as compilers name it."""
        return self.arch

    @property
    def label(self) -> str:
        """Model and architecture for people: "H100 SXM (sm_90)", "sm_90, taken as H100 SXM", "sm_103"."""
        if self.gpu is None:
            return self.arch
        return f"{self.arch}, taken as {self.gpu}" if self.assumed else f"{self.gpu} ({self.arch})"

    @property
    def matrix_units(self) -> str:
        """The vendor's word for the units that multiply matrices."""
        return "tensor cores" if self.backend == "cuda" else "matrix cores"

    @property
    def plain_units(self) -> str:
        """The vendor's word for the units that compute everything else."""
        return "CUDA cores" if self.backend == "cuda" else "vector units"

    def source(self, key: str) -> str | None:
        """Where the number of a field ("dram_bytes_per_s") or of a peak ("f16/f32") is written."""
        return self.sources.get(key)
