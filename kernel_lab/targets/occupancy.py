"""How many warps of a kernel fit on one SM, by NVIDIA's rules.

Knows targets only. The rules are those of the CUDA occupancy calculator (cuda_occupancy.h): registers are given to warps
in units of 256, each of the SM's four partitions holds a quarter of them, shared memory comes in units of 256 bytes (128
from compute capability 8.0 on), and from 8.0 on the system keeps 1 KiB of every block. AMD's rules differ: no answer there.
"""

from __future__ import annotations

from kernel_lab.targets.target import Target

_PARTITIONS = 4
_REGISTER_UNIT = 256


def occupancy(target: Target, *, registers: int, shared_bytes: int, threads: int) -> tuple[float, str] | None:
    """Resident warps over the most that an SM holds, and what limits it ("registers", "shared memory", "threads", "blocks").

    ``registers`` per thread; ``shared_bytes`` and ``threads`` per block, static and dynamic shared memory together. 0.0 means
    that the block cannot be launched. None for AMD, and where a limit of the target is not known.
    """
    warp_slots = (target.max_threads_per_sm or 0) // target.warp_size
    if target.backend != "cuda" or not warp_slots or threads < 1:
        return None
    if target.registers_per_sm is None or target.shared_bytes_per_sm is None or target.max_blocks_per_sm is None:
        return None
    warps = -(-threads // target.warp_size)
    if threads > target.max_threads_per_block:
        return 0.0, "threads"
    if target.max_registers_per_thread is not None and registers > target.max_registers_per_thread:
        return 0.0, "registers"
    if target.max_shared_bytes is not None and shared_bytes > target.max_shared_bytes:
        return 0.0, "shared memory"
    ampere_or_later = int(target.arch.removeprefix("sm_")) >= 80
    fits = {"threads": warp_slots // warps, "blocks": target.max_blocks_per_sm}
    if registers > 0:
        per_warp = _round_up(registers * target.warp_size, _REGISTER_UNIT)
        if per_warp * _round_up(warps, _PARTITIONS) > target.registers_per_sm:  # a launch is checked as if all partitions took alike
            return 0.0, "registers"
        fits["registers"] = target.registers_per_sm // _PARTITIONS // per_warp * _PARTITIONS // warps
    taken = _round_up(shared_bytes + (1024 if ampere_or_later else 0), 128 if ampere_or_later else 256)
    if taken:
        fits["shared memory"] = target.shared_bytes_per_sm // taken
    limit = min(fits, key=lambda key: fits[key])  # ties: threads, then blocks: what the kernel cannot do better anyway
    return fits[limit] * warps / warp_slots, limit


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
