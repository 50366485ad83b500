"""Reports of every kind that rendering must survive, made by hand: no compiler and no GPU takes part."""

from __future__ import annotations

import random
from dataclasses import replace

from kernel_lab.results import (
    Argument,
    Case,
    CellInfo,
    Check,
    Finding,
    Kernel,
    Launch,
    LineCost,
    Measurement,
    Rejected,
    Report,
    Resources,
    Roofline,
    Stage,
    Stamp,
    Verdict,
)
from kernel_lab.targets.target import Target

CELL = CellInfo("@triton.jit\ndef add_kernel(x):\n    pass\n", "%%triton add", "8f3a52c19b77d0e4", "add")
STAMP = Stamp({"kernel_lab": "0.1.0", "triton": "3.9.0", "torch": "2.13.0"}, None, 0, "2026-01-02T03:04:05Z")
H100 = Target("sm_90", "cuda", gpu="H100 SXM", dram_bytes_per_s=3.35e12, peaks={"f16/f32": 989.5e12, "f32": 66.9e12})
HOSTILE = '<script>alert("x")</script><img src=x onerror=alert(1)>&amp;"\'\x00\x1b[31mred\x1b[0m\ud800 $x^2$'


def ir(lines: int, seed: int = 0, width: int = 6) -> str:
    """Text that compresses about as well as IR does."""
    draw = random.Random(seed)
    words = ("%{} = llvm.extractvalue", "add nsw i32 %{}", "fmul <2 x float> %{}", "getelementptr", "!dbg !{}", "br label %{}")
    rows = (" ".join(draw.choice(words).format(draw.randrange(9999)) for _ in range(width)) for _ in range(lines))
    return "\n".join(rows) + "\n"


def stage(name: str, lines: int = 20, seed: int = 0) -> Stage:
    """A stage of so many lines, mapped to cell lines in short runs."""
    return Stage(name, ir(lines, seed), "mlir", tuple(None if n % 7 == 0 else 4 + n // 3 % 9 for n in range(lines)))


COSTS = (
    LineCost(4, {"move": 1}),
    LineCost(5, {"integer": 20, "global load 128": 6, "control": 2}),
    LineCost(6, {"integer": 9, "tensor": 8, "special function": 3}),
    LineCost(41, {"fp32": 5}),
    LineCost(None, {"other": 2}),
)


def kernel(name: str = "add_kernel", **changes: object) -> Kernel:
    """A small Triton kernel with the stages of sm_90."""
    stages = {s: stage(s, n) for s, n in (("source", 9), ("ttir", 20), ("ttgir", 25), ("llir", 120), ("ptx", 150), ("sass", 90))}
    plain = Kernel(
        name,
        "triton",
        "sm_90",
        stages,
        Resources(registers=40, spill_bytes=0, shared_bytes=49152, num_warps=4, threads=128, occupancy=0.5),
        (Launch((97, 1, 1), (Argument("x_ptr", "*fp32", None, ("divisible by 16",)), Argument("n", "i32", "98432"))),),
        {"BLOCK": 1024, "num_warps": 4},
        costs=COSTS,
        costs_from="sass",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def case(passed: bool = True, **changes: object) -> Case:
    """A case that uses half of its bound, or seven times it."""
    error = 6e-8 if passed else 8.4e-7
    plain = Case({"n": 98432}, {"x": "f32", "y": "f32"}, passed, error, 1.2e-7, (17,), None, "out", 1.25, 1.25 + error)
    return replace(plain, **changes)  # type: ignore[arg-type]


BOUND = Roofline(
    flops=98432.0,
    bytes=1181184.0,
    intensity=1 / 12,
    ceiling=2.79e11,
    fraction=None,
    limited_by="DRAM bandwidth",
    measured=False,
    target="H100 SXM (sm_90)",
    bound_us=0.353,
    work_source="counted from the reference",
    peak_flops=66.9e12,
    peak_bytes=3.35e12,
    peak_name="f32",
    sources=("NVIDIA H100 datasheet",),
)
MEASURED = Measurement(1.62, 1.58, 1.71, 30, "CUPTI", "NVIDIA H200", True)

RIGHT = Report(
    CELL,
    (kernel(),),
    Verdict(True, (case(), case(sizes={"n": 1})), {"every element written": Check(True)}, "interpreter"),
    None,
    BOUND,
    (Finding("the load of x is not vectorised", 6, "R10"),),
    stamp=STAMP,
)
WRONG = replace(
    RIGHT,
    verdict=Verdict(
        False,
        (case(), case(False, reason="the last tile is not masked")),
        {"every element written": Check(False, "64 of 128 elements never written"), "races": Check(None, "not looked at here")},
        "interpreter",
    ),
)
NOT_RUN = replace(RIGHT, verdict=Verdict(None, reason="compiled, not run: TileLang needs a GPU"), roofline=None)
NO_VERDICT = replace(RIGHT, verdict=None, warnings=())
NO_STAMP = replace(RIGHT, stamp=None, warnings=())
ON_GPU = replace(
    RIGHT,
    verdict=replace(RIGHT.verdict, ran_on="NVIDIA H200"),  # type: ignore[type-var]
    measurement=MEASURED,
    roofline=replace(BOUND, measured=True, fraction=0.72, time_us=1.62, target="NVIDIA H200"),
    stamp=replace(STAMP, gpu="NVIDIA H200"),
)
REJECTED = replace(
    RIGHT,
    kernels=(kernel(), kernel(configuration={"BLOCK": 2048}), kernel("second")),
    rejected=(Rejected("add_kernel", {"BLOCK": 65536, "num_stages": 4}, "shared memory 393216 > 232448 bytes", 3),),
)
NOTHING = Report(CellInfo("", "%%triton", "0" * 16), rejected=(Rejected("k", {}, "no backend"),))
ODD_NUMBERS = replace(
    RIGHT,
    kernels=(kernel(resources=Resources(), configuration={"scale": float("nan"), "list": [1, 2]}),),
    verdict=Verdict(
        False, (case(False, max_error=float("nan"), bound=float("inf"), got=float("-inf"), worst_index=()),), {}, "interpreter"
    ),
    roofline=replace(BOUND, intensity=float("inf"), bytes=0.0, bound_us=None, flops=None, limited_by=None),
)
HOSTILE_REPORT = Report(
    CellInfo(HOSTILE, HOSTILE, HOSTILE, HOSTILE),
    (
        Kernel(
            HOSTILE, HOSTILE, HOSTILE, {HOSTILE: Stage(HOSTILE, HOSTILE, HOSTILE, (3,))}, notes=(HOSTILE,), configuration={HOSTILE: HOSTILE}
        ),
    ),
    Verdict(False, (case(False, reason=HOSTILE, output=HOSTILE),), {HOSTILE: Check(False, HOSTILE)}, HOSTILE, HOSTILE, (HOSTILE,)),
    replace(MEASURED, method=HOSTILE, device=HOSTILE),
    replace(BOUND, limited_by=HOSTILE, target=HOSTILE, sources=(HOSTILE,), work_source=HOSTILE),
    (Finding(HOSTILE, 3),),
    (Rejected(HOSTILE, {HOSTILE: 1}, HOSTILE),),
    HOSTILE,
    Stamp({HOSTILE: HOSTILE}, HOSTILE, 0, HOSTILE),
)
HUGE = replace(RIGHT, kernels=(kernel(stages={"ttir": stage("ttir", 30), "llir": stage("llir", 7000, 1), "ptx": stage("ptx", 6000, 2)}),))
MANY = replace(
    RIGHT,
    kernels=tuple(
        kernel(configuration={"BLOCK": n}, stages={"ttir": stage("ttir", 30), "llir": stage("llir", 1500, n)}) for n in range(24)
    ),
)

ALL = {
    "right": RIGHT,
    "wrong": WRONG,
    "not_run": NOT_RUN,
    "no_verdict": NO_VERDICT,
    "no_stamp": NO_STAMP,
    "on_gpu": ON_GPU,
    "rejected": REJECTED,
    "nothing": NOTHING,
    "odd_numbers": ODD_NUMBERS,
    "hostile": HOSTILE_REPORT,
    "huge": HUGE,
    "many": MANY,
}
