"""Limits of each GPU architecture, with where they are written.

Plain data. The largest dynamic shared memory is the number that Triton compares a kernel's need with when it launches.
Sizes are bytes, registers 32 bits wide.
"""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
_GUIDE = "CUDA C++ Programming Guide, Compute Capabilities, table of technical specifications per compute capability"
_CDNA = "AMD ISA reference guide of the architecture; ROCm documentation, GPU hardware specifications"


@dataclass(frozen=True)
class Architecture:
    """Limits of one architecture; the fields mean what they mean in `kernel_lab.targets.Target`. ``model`` stands for it."""

    name: str
    backend: str
    family: str
    max_shared_bytes: int
    shared_bytes_per_sm: int
    max_threads_per_sm: int
    max_blocks_per_sm: int | None
    model: str | None
    registers_per_sm: int = 65536
    max_registers_per_thread: int = 255
    warp_size: int = 32
    max_grid: tuple[int, int, int] = (2**31 - 1, 65535, 65535)
    source: str = _GUIDE


def _cuda(name: str, family: str, block_kib: int, sm_kib: int, threads: int, blocks: int, model: str | None) -> Architecture:
    return Architecture(name, "cuda", family, block_kib * KIB, sm_kib * KIB, threads, blocks, model)


def _cdna(name: str, family: str, lds_kib: int, model: str) -> Architecture:
    # 4 SIMDs a compute unit, each 512 VGPRs (half of them accumulators) × 64 lanes, and 8 waves: 2048 work-items.
    return Architecture(name, "hip", family, lds_kib * KIB, lds_kib * KIB, 2048, None, model, registers_per_sm=4 * 512 * 64,
                        max_registers_per_thread=512, warp_size=64, max_grid=(2**31 - 1, 65536, 65536), source=_CDNA)  # fmt: skip


ARCHITECTURES: dict[str, Architecture] = {
    item.name: item
    for item in (
        #     name      family      block   SM  threads blocks  stands for it
        _cuda("sm_70", "Volta", 96, 96, 2048, 32, "V100 SXM2 16GB"),
        _cuda("sm_75", "Turing", 64, 64, 1024, 16, "T4"),
        _cuda("sm_80", "Ampere", 163, 164, 2048, 32, "A100 SXM 80GB"),
        _cuda("sm_86", "Ampere", 99, 100, 1536, 16, "RTX 3090"),
        _cuda("sm_89", "Ada", 99, 100, 1536, 24, "RTX 4090"),
        _cuda("sm_90", "Hopper", 227, 228, 2048, 32, "H100 SXM"),
        _cuda("sm_100", "Blackwell", 227, 228, 2048, 32, "B200"),
        _cuda("sm_103", "Blackwell Ultra", 227, 228, 2048, 32, None),
        _cuda("sm_120", "Blackwell", 99, 100, 1536, 24, "RTX 5090"),
        _cdna("gfx90a", "CDNA 2", 64, "MI250X GCD"),
        _cdna("gfx942", "CDNA 3", 64, "MI300X"),
        _cdna("gfx950", "CDNA 4", 160, "MI355X"),
        # RDNA 3: per compute unit 2 SIMDs of 1536 VGPRs × 32 lanes and 16 waves; a workgroup may take 64 KiB of LDS.
        Architecture("gfx1100", "hip", "RDNA 3", 64 * KIB, 64 * KIB, 1024, None, "RX 7900 XTX", registers_per_sm=2 * 1536 * 32,
                     max_registers_per_thread=256, max_grid=(2**31 - 1, 65536, 65536), source=_CDNA),
    )
}  # fmt: skip
