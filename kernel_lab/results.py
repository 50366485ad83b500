"""Results: what a cell became, as frozen plain data.

This room knows nothing of torch, IPython, plotly or a compiler; everything here can be pickled, compared and written
as JSON (`to_json`, `from_json`; the schema is `schemas/report.v1.schema.json`). Times are microseconds (`_us`), sizes bytes (`_bytes`),
rates flop/s and bytes/s. ``None`` always means *unknown*, never zero.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SCHEMA_VERSION = 1
MIME_TYPE = f"application/vnd.kernel-lab.report.v{SCHEMA_VERSION}+json"


@dataclass(frozen=True)
class Stage:
    """One stage of a lowering.

    ``line_map`` has one entry per line of ``text``: the 1-based line of the cell (the magic line is line 1) it comes
    from, or None.
    """

    name: str
    text: str
    syntax: str
    line_map: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class Resources:
    """What one program (thread block) of a kernel takes.

    ``occupancy`` is resident warps / most resident warps, ``limited_by`` what keeps it from being more ("registers", "shared memory",
    "threads", "blocks"); ``barriers`` how many of the hardware's named barriers the machine code uses.
    """

    registers: int | None = None
    spill_bytes: int | None = None
    shared_bytes: int | None = None
    num_warps: int | None = None
    threads: int | None = None
    occupancy: float | None = None
    limited_by: str | None = None
    barriers: int | None = None


@dataclass(frozen=True)
class LineCost:
    """Instructions that one cell line became, each counted once where it stands in the code (a loop's body is not multiplied).

    ``counts``: kind → number; kinds are those of `ir.opcodes.KINDS`, for memory with the bits that one thread moves ("global load 128").
    ``cell_line`` None holds what comes from no line of the cell.
    """

    cell_line: int | None
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Argument:
    """One kernel argument as it was specialised: ``type`` in the compiler's spelling, ``assumptions`` as "divisible by 16"."""

    name: str
    type: str
    value: str | None = None
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel: the grid in programs per axis, and its arguments."""

    grid: tuple[int, ...]
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True)
class Kernel:
    """One compiled specialisation of a kernel for one target.

    ``costs`` are the instructions of the stage ``costs_from`` by cell line; empty with None where there is no machine code.
    """

    name: str
    language: str
    target: str
    stages: Mapping[str, Stage] = field(default_factory=dict)
    resources: Resources = Resources()
    launches: tuple[Launch, ...] = ()
    configuration: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    costs: tuple[LineCost, ...] = ()
    costs_from: str | None = None


@dataclass(frozen=True)
class Rejected:
    """A configuration that did not become a kernel, and why."""

    kernel: str
    configuration: Mapping[str, Any]
    reason: str
    cell_line: int | None = None


@dataclass(frozen=True)
class Case:
    """One comparison. ``bound`` is the allowed error at ``worst_index`` of ``output``; ``max_error`` the error there."""

    sizes: Mapping[str, int]
    dtypes: Mapping[str, str]
    passed: bool
    max_error: float | None = None
    bound: float | None = None
    worst_index: tuple[int, ...] | None = None
    reason: str | None = None
    output: str | None = None
    got: float | None = None
    want: float | None = None


@dataclass(frozen=True)
class Check:
    """A property beside the values; ``passed`` is None when it could not be looked at, with the reason in ``detail``."""

    passed: bool | None
    detail: str = ""


@dataclass(frozen=True)
class Verdict:
    """Whether the kernel agrees with its reference. ``passed`` is None when that is not known; ``reason`` says why."""

    passed: bool | None
    cases: tuple[Case, ...] = ()
    checks: Mapping[str, Check] = field(default_factory=dict)
    ran_on: str | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Measurement:
    """Device time of one call of the entry: median with 10th and 90th percentile, in microseconds."""

    time_us: float
    low_us: float
    high_us: float
    runs: int
    method: str
    device: str
    cold_cache: bool


@dataclass(frozen=True)
class Roofline:
    """Where the entry lies under the roof of ``target``.

    ``ceiling`` is the attainable rate in flop/s at this ``intensity`` (flop per byte); ``bound_us`` the least time
    the roof allows; ``fraction`` the measured rate over the ceiling, None when ``measured`` is false.
    ``limited_by`` names the roof ("DRAM bandwidth", "fp16 tensor cores"); ``work_source`` where flops and bytes come from.
    """

    flops: float | None
    bytes: float | None
    intensity: float | None
    ceiling: float | None
    fraction: float | None
    limited_by: str | None
    measured: bool
    target: str
    bound_us: float | None = None
    time_us: float | None = None
    work_source: str | None = None
    peak_flops: float | None = None
    peak_bytes: float | None = None
    peak_name: str | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """Something the user should know, with the cell line where one is known."""

    text: str
    cell_line: int | None = None
    code: str | None = None


@dataclass(frozen=True)
class CellInfo:
    """The cell: its text below the magic line, the magic line itself, and the hash that identifies both."""

    source: str
    magic: str
    hash: str
    entry: str | None = None


@dataclass(frozen=True)
class Stamp:
    """What made this report."""

    versions: Mapping[str, str]
    gpu: str | None
    seed: int
    created: str


@dataclass(frozen=True)
class Report:
    """Everything one run of a cell found out."""

    cell: CellInfo
    kernels: tuple[Kernel, ...] = ()
    verdict: Verdict | None = None
    measurement: Measurement | None = None
    roofline: Roofline | None = None
    warnings: tuple[Finding, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    printed: str = ""
    stamp: Stamp | None = None

    @property
    def name(self) -> str:
        """The name under which ``%lab report NAME`` finds this report: the entry, else the first kernel."""
        return self.cell.entry or (self.kernels[0].name if self.kernels else "cell")


def to_json(value: Any) -> Any:
    """A result as JSON data: dicts, lists, strings, numbers, None. Non-finite floats become strings ("nan", "inf", "-inf")."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def from_json(data: Any, kind: Any = Report) -> Any:
    """The inverse of `to_json` for the result class ``kind``; raises ValueError on data of another shape."""
    origin = typing.get_origin(kind)
    if kind is Any:
        return data
    if origin in (types.UnionType, typing.Union):
        if data is None:
            return None
        (inner,) = (arg for arg in typing.get_args(kind) if arg is not type(None))
        return from_json(data, inner)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if not isinstance(data, Mapping):
            raise ValueError(f"{kind.__name__}: expected an object, got {type(data).__name__}")
        hints = typing.get_type_hints(kind)
        return kind(**{f.name: from_json(data[f.name], hints[f.name]) for f in dataclasses.fields(kind) if f.name in data})
    if origin is tuple:
        inner = typing.get_args(kind)[0]
        return tuple(from_json(item, inner) for item in data)
    if origin is not None and issubclass(origin, Mapping):
        inner = typing.get_args(kind)[1]
        return {key: from_json(item, inner) for key, item in data.items()}
    if kind is float:
        return float(data)
    return data
