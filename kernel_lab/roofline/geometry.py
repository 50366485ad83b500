"""What a roofline picture shows, before it is drawn: axes, roofs and marks in data coordinates.

Knows results and targets; draws nothing. The axes belong to the machine, so that pictures of one target compare.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kernel_lab.results import Report, Roofline
from kernel_lab.roofline.model import name_of
from kernel_lab.targets import Target

X_MIN, X_MAX = 10**-1.5, 10**4.0

Item = Report | Roofline | tuple[str, Roofline]


@dataclass(frozen=True)
class Roof:
    """A horizontal roof from its ridge to the right edge: operations per second; ``names`` of all peaks with this value."""

    value: float
    ridge: float
    label: str
    names: tuple[str, ...]
    matrix: bool


@dataclass(frozen=True)
class Mark:
    """One point: ``x`` flop/byte and ``y`` flop/s as drawn (inside the axes), with what is to be said about it."""

    name: str
    x: float
    y: float
    measured: bool
    label: str
    details: tuple[str, ...]
    roof: str | None


@dataclass(frozen=True)
class Picture:
    """A roofline of one target. ``title`` names the target, and the model that was assumed for it."""

    title: str
    y_min: float
    y_max: float
    bandwidth: float | None
    bandwidth_label: str
    roofs: tuple[Roof, ...]
    marks: tuple[Mark, ...]


def picture(items: Item | Iterable[Item], target: Target) -> Picture:
    """The picture of reports, rooflines or (name, roofline) pairs under ``target``'s roof; those without a ceiling are left out."""
    bandwidth = target.dram_bytes_per_s
    top = max(target.peaks.values(), default=1e15)
    y_max = top * 2
    y_min = 10 ** math.floor(math.log10((bandwidth or 1e12) * X_MIN / 3))
    title = f"Roofline of {target.label}" + (" (model assumed)" if target.assumed else "")
    if not target.peaks:
        title += ": no peaks known"
    found = named(items)
    own = [(name, roofline) for name, roofline in found if _under(roofline, target)]
    if len(own) < len(found):
        title += f"; {len(found) - len(own)} of other targets left out"
    marks = [mark for name, roofline in own if (mark := _mark(name, roofline, y_min, y_max)) is not None]
    label = f"DRAM {bandwidth / 1e12:.3g} TB/s" if bandwidth else ""
    return Picture(title, y_min, y_max, bandwidth, label, _roofs(target), tuple(marks))


def named(items: Item | Iterable[Item]) -> list[tuple[str, Roofline]]:
    """Rooflines with names: reports without a roofline drop out, a bare roofline is called "kernel"."""
    if isinstance(items, (Report, Roofline)) or (isinstance(items, tuple) and len(items) == 2 and isinstance(items[0], str)):
        items = [items]  # type: ignore[list-item]
    found: list[tuple[str, Roofline]] = []
    for item in items:
        if isinstance(item, Report):
            if item.roofline is not None:
                found.append((item.name, item.roofline))
        elif isinstance(item, Roofline):
            found.append(("kernel", item))
        else:
            found.append(item)
    return found


def _under(roofline: Roofline, target: Target) -> bool:
    """Whether the roofline was placed under this target's roof; another's bound would look like a point of this one."""
    return roofline.peak_bytes in (None, target.dram_bytes_per_s) and (
        roofline.peak_flops is None or roofline.peak_flops in target.peaks.values()
    )


def _roofs(target: Target) -> tuple[Roof, ...]:
    groups: list[tuple[float, bool, list[str]]] = []
    for key, value in sorted(target.peaks.items(), key=lambda item: -item[1]):
        matrix = "/" in key
        group = next((g for g in groups if g[1] == matrix and abs(g[0] / value - 1) < 0.01), None)
        if group is None:
            groups.append((value, matrix, [key]))
        else:
            group[2].append(key)
    roofs = []
    for value, matrix, keys in groups:
        units = target.matrix_units if matrix else target.plain_units
        kinds = dict.fromkeys(key.split("/")[0] + (" (f16 acc.)" if key.endswith("/f16") else "") for key in keys)
        ridge = value / target.dram_bytes_per_s if target.dram_bytes_per_s else X_MIN
        label = f"{', '.join(kinds)} {units} {value / 1e12:,.4g}"
        roofs.append(Roof(value, min(max(ridge, X_MIN), X_MAX), label, tuple(name_of(target, key) for key in keys), matrix))
    return tuple(roofs)


def _mark(name: str, roofline: Roofline, y_min: float, y_max: float) -> Mark | None:
    if roofline.bound_us is None:
        return None
    x = roofline.intensity
    x = X_MAX if x is None else min(max(x, X_MIN), X_MAX)
    if roofline.intensity is None and roofline.flops is None:
        x = X_MIN
    # A copy has no flops: it stands at the left edge, as high as its share of the bandwidth.
    y = roofline.ceiling or (roofline.peak_bytes or 0.0) * x
    if roofline.intensity is not None and roofline.intensity < X_MIN:
        y = (roofline.peak_bytes or 0.0) * X_MIN
    if roofline.measured and roofline.fraction is not None:
        y *= roofline.fraction
        label = f"{name}: {_time(roofline.time_us)} measured, {roofline.fraction:.0%} of {roofline.limited_by}"
    else:
        label = f"{name}: at least {_time(roofline.bound_us)} by {roofline.limited_by} (bound, not measured)"
    details = [label]
    if roofline.flops is not None:
        details.append(f"{roofline.flops:.4g} flop")
    if roofline.bytes is not None:
        details.append(f"{roofline.bytes:.4g} bytes")
    if roofline.intensity is not None:
        details.append(f"{roofline.intensity:.4g} flop/byte")
    if roofline.measured:
        details.append(f"at least {_time(roofline.bound_us)} by {roofline.limited_by}")
    if roofline.work_source:
        details.append(f"work: {roofline.work_source}")
    return Mark(name, x, min(max(y, y_min), y_max), roofline.measured, label, tuple(details), roofline.peak_name)


def _time(us: float | None) -> str:
    if us is None:
        return "?"
    return f"{us / 1e6:.3g} s" if us >= 1e6 else f"{us / 1e3:.3g} ms" if us >= 1e3 else f"{us:.3g} µs"


def emphasised(shown: Picture) -> frozenset[str]:
    """Names of the roofs that the marks lie under; without marks, all."""
    names = frozenset(mark.roof for mark in shown.marks if mark.roof)
    return names or frozenset(name for roof in shown.roofs for name in roof.names)


def ticks(low: float, high: float) -> Sequence[int]:
    """The powers of ten between two values."""
    return range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Heights (sorted downwards, as drawn: growing) moved apart to at least ``gap``, each as little as a single sweep allows."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + gap) if placed else height)
    return placed


def crowded(shown: Picture, index: int) -> bool:
    """Whether an earlier mark lies so near to mark ``index`` that their names would overlap."""
    mark = shown.marks[index]
    return any(abs(math.log10(mark.x / other.x)) < 0.6 and abs(math.log10(mark.y / other.y)) < 0.35 for other in shown.marks[:index])


COLOURS = ("#2f7fd1", "#d9692b", "#2e9e6b", "#b455c0", "#b58a17", "#c94a5a", "#4aa3b5", "#8a6fd1")
