"""The roofline model: work under a target's roof.

Knows work and targets; measures nothing. The ceiling is min(peak, intensity × bandwidth); over 100 % of it is kept as it
is, and `check` says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from kernel_lab.results import Finding, Roofline
from kernel_lab.roofline.work import Work
from kernel_lab.targets import Target

DRAM = "DRAM bandwidth"

# dtype of a dot's operands → the matrix-unit peaks that may serve it, the first that the target has. Triton multiplies f32 as
# tf32 on NVIDIA and as f32 on AMD unless told otherwise; f8 on a target without f8 units is multiplied as f16.
_MATRIX = {
    "f64": ("f64/f64",),
    "f32": ("tf32/f32", "f32/f32"),
    "tf32": ("tf32/f32",),
    "f16": ("f16/f32",),
    "bf16": ("bf16/f32",),
    "f8": ("f8/f32", "f16/f32"),
    "i8": ("i8/i32",),
}


@dataclass(frozen=True)
class Peak:
    """One roof: its key in ``Target.peaks``, operations per second, and its name ("f16 tensor cores")."""

    key: str
    value: float
    name: str


def name_of(target: Target, key: str) -> str:
    """The roof's name in the vendor's words: "f16/f32" → "f16 tensor cores", "f32" → "f32 CUDA cores"."""
    operand, _, accumulator = key.partition("/")
    if not accumulator:
        return f"{operand} {target.plain_units}"
    return f"{operand} {target.matrix_units}" + (" with f16 accumulators" if accumulator == "f16" else "")


def peak_of(target: Target, dtype: str | None, *, uses_dot: bool, tensor_cores: bool = True) -> Peak | None:
    """The roof over arithmetic of ``dtype`` ("f16", "f8e4m3", "tf32"; or a key of ``Target.peaks``), None where it is not known.

    A dot that does not use the matrix units accumulates in f32 on the plain ones (in f64 for f64).
    """
    kind = "f8" if dtype in ("f8e4m3", "f8e5m2") else "i8" if dtype == "u8" else dtype or "f32"
    keys: list[str] = []
    if uses_dot and tensor_cores:
        keys += [kind] if "/" in kind else _MATRIX.get(kind, ())
        if target.backend == "hip" and kind == "f32":
            keys.reverse()
    elif not uses_dot:
        keys.append(kind)
    keys.append("f64" if kind.startswith("f64") else "f32")
    for key in keys:
        if key in target.peaks:
            return Peak(key, target.peaks[key], name_of(target, key))
    return None


def place(
    work: Work,
    target: Target,
    *,
    dtype: str | None = None,
    uses_dot: bool | None = None,
    tensor_cores: bool = True,
    time_us: float | None = None,
) -> Roofline:
    """Where ``work`` lies under the roof of ``target``; with ``time_us`` (microseconds, measured) also how near to it.

    ``dtype`` and ``uses_dot`` are the kernel's; left out, the work's. ``tensor_cores=False`` says that the compiled dots use
    none (an f16 ``tl.dot`` on sm_75). Without a time the point is a bound: ``measured`` is false and ``fraction`` None.
    """
    peak = peak_of(target, dtype or work.dtype, uses_dot=work.uses_dot if uses_dot is None else uses_dot, tensor_cores=tensor_cores)
    bandwidth = target.dram_bytes_per_s
    compute_s = work.flops / peak.value if work.flops is not None and peak is not None else None
    memory_s = work.bytes / bandwidth if work.bytes is not None and bandwidth is not None else None
    intensity = work.flops / work.bytes if work.flops is not None and work.bytes else None
    bound_s = max((seconds for seconds in (compute_s, memory_s) if seconds is not None), default=None)
    limited_by = None
    if bound_s is not None:
        limited_by = peak.name if peak is not None and compute_s is not None and compute_s == bound_s and bound_s > 0 else DRAM
    sources = []
    if peak is not None:
        unit = "TOP/s" if peak.key.startswith("i") else "TFLOP/s"
        sources.append(f"{peak.name} {peak.value / 1e12:,.6g} {unit}, dense: {target.source(peak.key)}")
    if bandwidth is not None:
        sources.append(f"{DRAM} {bandwidth / 1e12:,.4g} TB/s: {target.source('dram_bytes_per_s')}")
    if target.assumed:
        sources.append(f"the numbers are the {target.gpu}'s: no model was named for {target.arch}, or several share the name")
    return Roofline(
        flops=work.flops,
        bytes=work.bytes,
        intensity=intensity,
        ceiling=work.flops / bound_s if work.flops is not None and bound_s else None,
        fraction=bound_s * 1e6 / time_us if bound_s is not None and time_us else None,
        limited_by=limited_by,
        measured=time_us is not None,
        target=target.label,
        bound_us=None if bound_s is None else bound_s * 1e6,
        time_us=time_us,
        work_source="; ".join((work.source, *work.notes)),
        peak_flops=None if peak is None else peak.value,
        peak_bytes=bandwidth,
        peak_name=None if peak is None else peak.name,
        sources=tuple(sources),
    )


def check(roofline: Roofline, target: Target | None = None) -> Finding | None:
    """A finding when the measured time lies below what the roof allows: one of its numbers is then wrong for this run."""
    if not roofline.measured or roofline.fraction is None or roofline.fraction <= 1:
        return None
    causes = []
    if roofline.limited_by == DRAM:
        fits = target is not None and target.l2_bytes is not None and roofline.bytes is not None and roofline.bytes <= target.l2_bytes
        causes.append(
            f"the data was in the cache ({roofline.bytes / 1e6:.3g} MB fit in L2)"
            if fits and roofline.bytes
            else "the data was in the cache"
        )
    else:
        causes.append("the kernel computes in a narrower type or accumulator than was taken")
    causes += ["it does less work than was counted or declared", "this GPU is not the model taken"]
    return Finding(
        f"measured {roofline.fraction:.0%} of the {roofline.limited_by} ceiling of {roofline.target}: {roofline.time_us:.4g} µs "
        f"against at least {roofline.bound_us:.4g} µs. That cannot be: {', or '.join(causes)}. Work: {roofline.work_source}.",
        code="over-roof",
    )
