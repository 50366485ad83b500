"""Our targets in TileLang's words, and which of them it compiles for. Imports no compiler."""

from __future__ import annotations

import re

from kernel_lab.targets import Target

# what TileLang's templates are written for; older GPUs compile to CUDA but lack the instructions that T.gemm and T.copy want
_LEAST_CUDA = 70


def compute_capability(arch: str) -> int | None:
    """90 for "sm_90" and "sm_90a"; None for what is no CUDA architecture."""
    match = re.fullmatch(r"sm_(\d+)[af]?", arch)
    return int(match[1]) if match else None


def compiler_arch(arch: str) -> str:
    """The architecture that nvcc is given: from sm_90 on the "a" variant, without which wgmma, TMA and tcgen05 do not compile."""
    capability = compute_capability(arch)
    return f"sm_{capability}a" if capability is not None and capability >= 90 and arch == f"sm_{capability}" else arch


def target_dict(target: Target) -> dict[str, str]:
    """The dictionary that ``tvm.target.Target`` takes."""
    if target.backend == "cuda":
        return {"kind": "cuda", "arch": compiler_arch(target.arch)}
    if target.backend == "hip":
        return {"kind": "hip", "mcpu": target.arch}
    return {"kind": target.backend}


def notes(target: Target) -> tuple[str, ...]:
    """What was chosen for the user."""
    chosen = compiler_arch(target.arch) if target.backend == "cuda" else target.arch
    if chosen == target.arch:
        return ()
    return (f"compiled for {chosen}: TileLang's kernels for {target.arch} use instructions that only the {chosen} variant has",)


def unsupported(target: Target) -> str | None:
    """None when TileLang compiles for ``target``, else the reason why not."""
    if target.backend == "cuda":
        capability = compute_capability(target.arch)
        if capability is None:
            return f"TileLang does not know {target.arch}"
        return None if capability >= _LEAST_CUDA else f"TileLang compiles for sm_{_LEAST_CUDA} and newer, not for {target.arch}"
    if target.backend in ("hip", "metal"):
        return None
    return f"TileLang's {target.backend} backend is not connected"
