"""What a report says, in sentences: the one place where text and HTML take their claims from.

Knows results, not markup. Here a missing verdict becomes "not verified", and a time without a measurement stays a bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from kernel_lab.render import format as fmt
from kernel_lab.results import Case, Kernel, Report, Roofline
from kernel_lab.targets import Target

Word = Literal["right", "WRONG", "not verified"]


@dataclass(frozen=True)
class Speed:
    """Question 3 in words. ``measured`` is true only when the report holds a measurement."""

    headline: str
    details: tuple[str, ...]
    measured: bool


@dataclass(frozen=True)
class Note:
    """One line of question 4; ``warning`` when it asks for attention, else a fact to know."""

    text: str
    cell_line: int | None = None
    warning: bool = False


def word(report: Report) -> Word:
    """The verdict in a word. "right" takes a passed verdict with at least one case behind it."""
    verdict = report.verdict
    if verdict is None or verdict.passed is None:
        return "not verified"
    if not verdict.passed:
        return "WRONG"
    return "right" if verdict.cases else "not verified"


def strain(case: Case) -> float:
    """How far a case uses its bound: error / bound, infinite when it failed without numbers, 0 when nothing is known."""
    if case.max_error is None or case.bound is None:
        return 0.0 if case.passed else math.inf
    if math.isnan(case.max_error) or math.isnan(case.bound):
        return math.inf
    if case.bound == 0:
        return 0.0 if case.max_error == 0 else math.inf
    return case.max_error / case.bound


def worst_case(cases: Sequence[Case]) -> Case | None:
    """The case to show first: a failed one before a passed one, then the largest error in units of its bound."""
    return max(cases, key=lambda case: (not case.passed, strain(case)), default=None)


def verdict_line(report: Report) -> str:
    """Question 2 in a sentence, without the verdict's word."""
    verdict = report.verdict
    if verdict is None:
        return "no reference was compared"
    if word(report) == "not verified":
        reason = verdict.reason or ("no case was run" if verdict.passed else "the reason is not known")
        return fmt.one_line(reason)
    failed = sum(not case.passed for case in verdict.cases)
    total = fmt.count(len(verdict.cases), "case")
    parts = [f"{failed} of {total} failed" if failed else total]
    if verdict.ran_on:
        parts[0] += f" on {_place(verdict.ran_on)}"
    worst = worst_case(verdict.cases)
    if worst is not None:
        parts.append(f"worst {case_line(worst)}")
    if verdict.reason:
        parts.append(fmt.one_line(verdict.reason))
    return "; ".join(parts)


def case_line(case: Case) -> str:
    """Sizes, error against bound, and where."""
    where = ", ".join(part for part in (fmt.mapping(case.sizes), dtypes(case)) if part)
    text = f"{where}: " if where else ""
    if case.max_error is None:
        return text + (fmt.one_line(case.reason) if case.reason else ("passed" if case.passed else "failed"))
    text += f"error {fmt.number(case.max_error)}, bound {fmt.number(case.bound)}"
    spot = (case.output or "") + (fmt.index(case.worst_index) if case.worst_index is not None else "")
    if spot:
        text += f" at {spot}"
    if not case.passed and case.got is not None and case.want is not None:
        text += f" (got {fmt.number(case.got, 6)}, want {fmt.number(case.want, 6)})"
    return text


def dtypes(case: Case) -> str:
    """The dtypes of a case: "f16" when all are the same, else by name."""
    distinct = set(case.dtypes.values())
    return distinct.pop() if len(distinct) == 1 else fmt.mapping(case.dtypes)


def _place(ran_on: str) -> str:
    return "the CPU (interpreter)" if ran_on == "interpreter" else ran_on


def target_name(kernel: Kernel | None, report: Report, target: Target | None) -> str:
    """As in "H100 SXM (sm_90)": the architecture, and the GPU whose peaks are meant where one is known."""
    arch = kernel.target if kernel else target.arch if target else ""
    if target and target.arch == arch:
        return target.label
    meant = report.roofline.target if report.roofline else ""
    if arch and meant:
        return meant if arch in meant else f"{meant} ({arch})"
    return arch or meant or "no target"


def title(report: Report) -> str:
    """The name in the header: the kernel when there is one, else the entry."""
    names = list(dict.fromkeys(kernel.name for kernel in report.kernels))
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") if names else report.name


def groups(kernels: Sequence[Kernel]) -> list[list[tuple[int, Kernel]]]:
    """Kernels by name, language and target, each with its position in the report; the configurations of one kernel stay together."""
    found: dict[tuple[str, str, str], list[tuple[int, Kernel]]] = {}
    for position, kernel in enumerate(kernels):
        found.setdefault((kernel.name, kernel.language, kernel.target), []).append((position, kernel))
    return list(found.values())


def resources(kernel: Kernel) -> list[tuple[str, str]]:
    """What one program takes, as (label, value); unknown is a dash."""
    taken = kernel.resources
    occupancy = fmt.percent(taken.occupancy)
    if taken.occupancy is not None and taken.limited_by is not None:
        occupancy += f" (limited by {taken.limited_by})"
    spills = fmt.UNKNOWN if taken.spill_bytes is None else "none" if taken.spill_bytes == 0 else fmt.size(taken.spill_bytes)
    return [
        ("registers", fmt.number(taken.registers)),
        ("spills", spills),
        ("shared", fmt.size(taken.shared_bytes)),
        ("warps", fmt.number(taken.num_warps)),
        ("threads", fmt.number(taken.threads)),
        ("barriers", fmt.number(taken.barriers)),
        ("occupancy", occupancy),
    ]


def resource_line(kernel: Kernel, between: str = ", ") -> str:
    """`resources` on one line; barriers only where they are known."""
    return between.join(f"{label} {value}" for label, value in resources(kernel) if label != "barriers" or value != fmt.UNKNOWN)


def where_text(position: int, stage: str, report: Report) -> str:
    """How to get all of a stage that is not shown in full."""
    return f'%lab report {report.name} or kernel_lab.last().kernels[{position}].stages["{stage}"].text has all of it'


def speed(report: Report) -> Speed:
    """Question 3. A number is called measured only when there is a measurement."""
    measurement, roofline = report.measurement, report.roofline
    details = tuple(_roof_details(roofline)) if roofline else ()
    if measurement is None:
        return Speed(_bound_line(roofline), details, False)
    cache = "cold" if measurement.cold_cache else "warm"
    spread = f"{fmt.time(measurement.low_us)}\N{EN DASH}{fmt.time(measurement.high_us)}"
    line = (
        f"{fmt.time(measurement.time_us)} median (p10\N{EN DASH}p90 {spread}, "
        f"n={measurement.runs}, {measurement.method}, {cache} cache) on {measurement.device}"
    )
    if roofline and roofline.measured and roofline.fraction is not None:
        line += f"; {fmt.percent(roofline.fraction)} of the ceiling"
        if roofline.fraction > 1:
            line += ", more than the roof allows: the peak, the work count or the timing is wrong"
    if roofline and roofline.limited_by:
        line += f"; limited by {roofline.limited_by}"
    if roofline and roofline.bound_us is not None:
        details = (f"the roof of {roofline.target} allows {fmt.time(roofline.bound_us)}", *details)
    return Speed(line, details, True)


def _bound_line(roofline: Roofline | None) -> str:
    if roofline is None:
        return "not measured, and no roofline"
    if roofline.bound_us is None:
        missing = [name for name, value in (("flops", roofline.flops), ("bytes", roofline.bytes)) if value is None]
        options = " ".join(f"--{name}" for name in missing)
        why = f"{' and '.join(missing)} not known; declare with {options}" if missing else "no peak known"
        return f"not measured, and no bound on {roofline.target}: {why}"
    line = f"bound, not measured: at least {fmt.time(roofline.bound_us)} on {roofline.target}"
    return line + (f": limited by {roofline.limited_by}" if roofline.limited_by else "")


def _roof_details(roofline: Roofline) -> Iterator[str]:
    if roofline.intensity is not None:
        yield f"intensity {fmt.number(roofline.intensity)} flop/byte"
    if roofline.flops is not None or roofline.bytes is not None:
        source = f" ({roofline.work_source})" if roofline.work_source else ""
        yield f"work {fmt.quantity(roofline.flops, 'flop')}, {fmt.quantity(roofline.bytes, 'B')}{source}"
    if roofline.ceiling is not None:
        yield f"ceiling at this intensity {fmt.quantity(roofline.ceiling, 'FLOP/s')}"
    if roofline.peak_flops is not None or roofline.peak_bytes is not None:
        name = f" {roofline.peak_name}" if roofline.peak_name else ""
        rates = f"{fmt.quantity(roofline.peak_flops, 'FLOP/s')}{name}, {fmt.quantity(roofline.peak_bytes, 'B/s')} DRAM"
        yield f"peaks of {roofline.target}: {rates}"
    for source in roofline.sources:
        yield f"source: {source}"


def notes(report: Report) -> list[Note]:
    """Question 4: warnings first, then what the kernels and the verdict note; each said once."""
    found = [Note(item.text, item.cell_line, warning=True) for item in report.warnings]
    found += [Note(f"{kernel.name}: {text}") for kernel in report.kernels for text in kernel.notes]
    found += [Note(text) for text in (report.verdict.notes if report.verdict else ())]
    return list(dict.fromkeys(found))


def rejected_line(report: Report) -> str:
    """As in "2 configurations rejected"; "" when none was."""
    return f"{fmt.count(len(report.rejected), 'configuration')} rejected" if report.rejected else ""


def stamp_parts(report: Report) -> list[str]:
    """The footer: versions, GPU, seed, the cell's hash."""
    parts: list[str] = []
    if report.stamp:
        parts += [f"{name} {version}" for name, version in report.stamp.versions.items()]
        parts += [report.stamp.gpu or "no GPU", f"seed {report.stamp.seed}", report.stamp.created]
    return [*parts, f"cell {report.cell.hash[:12]}"] if report.cell.hash else parts
