"""From what was asked to a report: compile, verify, measure, place under the roof.

Used by the magics, the Python verbs and the command line.

Everything runs in workers; this room only puts their answers together, and remembers reports.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kernel_lab import jobs, languages
from kernel_lab.cell import Cell
from kernel_lab.errors import KernelLabError, MissingPackage, TargetError
from kernel_lab.job import ENTRY, REFERENCE, Job
from kernel_lab.languages.protocol import Mode
from kernel_lab.problem import Problem
from kernel_lab.results import CellInfo, Finding, Measurement, Report, Roofline, Stamp, Verdict
from kernel_lab.targets import Target, machine
from kernel_lab.targets import names as target_names
from kernel_lab.workers import wire
from kernel_lab.workers.local import executor
from kernel_lab.workers.modules import own_modules

DEFAULT_TIMEOUT_S = 120.0
# The share of a compile's time limit after which further configurations of a tuned kernel are listed instead of compiled
CONFIGURATIONS_SHARE = 0.75
_KEPT = 64
# A kind of worker that does two jobs: TileLang needs no setting before its import, and its import is slow
_SHARED = {"tilelang.interpret": "tilelang.compile"}


@dataclass(frozen=True)
class Ask:
    """What a person asked about one entry."""

    language: str
    target: Target
    problem: Problem
    environment: Mapping[str, Any] = field(default_factory=dict)
    unsent: Mapping[str, str] = field(default_factory=dict)
    cell: Cell | None = None
    file: str = "<cell cell>"
    verify: bool = True
    measure: bool = True
    timeout_s: float = DEFAULT_TIMEOUT_S
    options: Mapping[str, Any] = field(default_factory=dict)

    def job(self, mode: Mode) -> Job:
        """The job for a worker of this mode."""
        return Job(
            self.language,
            self.target,
            mode,
            self.problem,
            self.cell,
            self.file,
            dict(self.unsent),
            self.timeout_s,
            {"budget_s": CONFIGURATIONS_SHARE * self.timeout_s, **self.options},
        )


_reports: OrderedDict[str, Report] = OrderedDict()
_by_key: OrderedDict[str, Report] = OrderedDict()


def run(ask: Ask, progress: Callable[[str | Report], None] | None = None) -> Report:
    """Answer ``ask``. Raises a `KernelLabError` when it does not compile; a wrong kernel is a report whose verdict failed."""
    require(ask.language)
    reason = languages.get(ask.language).supports(ask.target)
    if reason:
        raise TargetError(reason, hint=f"choose another target: {', '.join(target_names.known()[:12])}, …")
    key = _key(ask)
    if key is not None and key in _by_key:
        report = _by_key[key]
        remember(report)
        return report
    report = _run(ask, progress)
    if key is not None:
        _by_key[key] = report
        while len(_by_key) > _KEPT:
            _by_key.popitem(last=False)
    remember(report)
    return report


def _run(ask: Ask, progress: Callable[[str | Report], None] | None) -> Report:
    name = ask.problem.entry or "the cell"
    tell = progress or (lambda text: None)
    tell(f"compiling {name} for {ask.target.arch}")
    printed = ""

    def heard(news: Any) -> None:
        """News from the worker: a line of text, or the first of many configurations, which is shown at once."""
        if "first" in news:
            following = Finding(f"the first of {news['of']} configurations; the others follow", code="following")
            waiting = Verdict(None, reason="still compiling and verifying")
            tell(Report(_info(ask), tuple(news["first"]), waiting, warnings=(following,)))
        elif "progress" in news:
            tell(str(news["progress"]))

    def work(mode: Mode, function: str, *more: Any, what: str) -> Any:
        nonlocal printed
        job = ask.job(mode)
        kind = worker_kind(ask.language, mode)
        value = executor().run(
            kind, f"kernel_lab.jobs:{function}", job, dict(ask.environment), *more,
            timeout_s=ask.timeout_s, listener=heard, what=what,
        )  # fmt: skip
        printed += executor().last_printed if mode != "compile" else ""
        return value

    compiled: jobs.Compiled = work("compile", "compile_job", what=f"compiling {name}")
    kernels = compiled.lowered.kernels
    findings = list(compiled.lowered.findings)
    here = machine.here()
    verdict: Verdict | None = None
    measurement: Measurement | None = None
    if ask.problem.entry is not None:
        run_mode: Mode = "device" if here is not None else "interpret"
        if ask.verify:
            verdict = _verdict(ask, compiled, run_mode, work, name, tell)
        if ask.measure and here is not None and kernels:
            tell(f"measuring {name} on {here.gpu or here.arch}")
            measurement = work("device", "measure_job", what=f"measuring {name}")
    roofline = _roofline(ask, compiled, measurement, here, findings)
    gpu = (here.gpu or here.arch) if here is not None else None
    stamp = Stamp(jobs.versions(), gpu, ask.problem.seed, datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
    rejected = compiled.lowered.rejected
    return Report(_info(ask), kernels, verdict, measurement, roofline, tuple(dict.fromkeys(findings)), rejected, printed, stamp)


def _info(ask: Ask) -> CellInfo:
    cell = ask.cell
    if cell is None:
        return CellInfo("", "", "", getattr(ask.environment.get(ENTRY), "__name__", None))
    return CellInfo(cell.body, cell.magic, cell.digest, ask.problem.entry)


def _verdict(ask: Ask, compiled: jobs.Compiled, mode: Mode, work: Any, name: str, tell: Callable[[str | Report], None]) -> Verdict:
    if not ask.problem.reference and REFERENCE not in ask.environment:
        return Verdict(None, reason="no reference was given: add --ref, for example --ref torch.add")
    tell(f"verifying {name}")
    resources = {kernel.name: kernel.resources for kernel in compiled.lowered.kernels}
    value: Verdict = work(mode, "verify_job", resources, compiled.lowered.dot_precision, what=f"verifying {name}")
    return value


def _roofline(
    ask: Ask, compiled: jobs.Compiled, measurement: Measurement | None, here: Target | None, findings: list[Finding]
) -> Roofline | None:
    from kernel_lab.roofline import model

    if compiled.work is None:
        if compiled.work_reason and (ask.problem.flops or ask.problem.bytes):
            findings.append(Finding(compiled.work_reason, code="no-work"))
        return None
    target = here if measurement is not None and here is not None else ask.target
    cores = not any(finding.code == "no-tensor-cores" for finding in findings)
    roofline = model.place(compiled.work, target, tensor_cores=cores, time_us=measurement.time_us if measurement else None)
    trouble = model.check(roofline)
    if trouble is not None:
        findings.append(trouble)
    return roofline


def worker_kind(language: str, mode: Mode) -> str:
    """The kind of worker that runs this mode of a language."""
    kind = f"{language}.{mode}"
    return _SHARED.get(kind, kind)


def remember(report: Report) -> None:
    """Keep a report for `last` and `find`."""
    _reports.pop(report.name, None)
    _reports[report.name] = report
    while len(_reports) > _KEPT:
        _reports.popitem(last=False)


def last() -> Report | None:
    """The latest report, or None."""
    return next(reversed(_reports.values()), None)


def find(name: str | None) -> Report | None:
    """The latest report called ``name``; without a name, the latest of all."""
    return _reports.get(name) if name else last()


def names() -> tuple[str, ...]:
    """The names of the reports that are kept, the latest last."""
    return tuple(_reports)


def _key(ask: Ask) -> str | None:
    """A hash of everything that the answer depends on, or None when something of it cannot be pickled."""
    try:
        parcel, _ = wire.dump((dict(sorted(ask.environment.items())),))
        plain = dataclasses.replace(ask, environment={}, cell=None)
        here = machine.here()
        facts = (plain, ask.cell.source if ask.cell else None, here.gpu if here else None, jobs.versions())
        text = pickle.dumps((facts, sorted(own_modules().items())), protocol=wire.PROTOCOL)
    except Exception:
        return None
    digest = hashlib.sha256(text)
    for part in (parcel.body, *parcel.storages.values(), *(text.encode() for text in parcel.sources.values())):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def pickled_apart(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """``values`` that can travel to a worker, and for the others the reason why not."""
    try:
        wire.dump(dict(values))
        return dict(values), {}
    except Exception:
        pass
    good, bad = {}, {}
    for name, value in values.items():
        try:
            wire.dump(value)
            good[name] = value
        except Exception as error:
            bad[name] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    return good, bad


def require(language: str) -> None:
    """Raise `MissingPackage` when the language's package is not installed."""
    import importlib.util

    package = languages.get(language).package
    if importlib.util.find_spec(package) is None:
        raise MissingPackage(f"{package} is not installed", hint=f"pip install {package}")


__all__ = ["Ask", "KernelLabError", "find", "last", "names", "remember", "run", "worker_kind"]
