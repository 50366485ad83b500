"""``%lab``: doctor, target, targets, report, roofline. Called by `magics`."""

from __future__ import annotations

import importlib.util
import shlex
from typing import Any

from kernel_lab import calls, runner
from kernel_lab.errors import OptionError, suggest
from kernel_lab.targets import choice, listing, machine
from kernel_lab.targets import names as target_names
from kernel_lab.targets import sources as target_sources

_PLOTLY = "application/vnd.plotly.v1+json"

HELP = """Ask kernel_lab.

  %lab doctor            what is installed, what is missing, and how to get it
  %lab target [NAME]     the GPU that cells compile for by default; sets it when a name is given
  %lab targets [NAME]    the known GPUs with limits and peaks; with a name, every number and its source
  %lab report [NAME]     show a report again; with a stage (%lab report add ptx) the whole text of that stage
  %lab roofline [NAME …] the reports of this session (or those named) under the roof of their GPU
"""


def run(shell: Any, line: str) -> None:
    """Run one ``%lab`` command. Raises `OptionError` for an unknown one."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise OptionError(f"the line is not well quoted: {error}", hint="close the quote") from None
    command, rest = (words[0], words[1:]) if words else ("help", [])
    commands = {"doctor": _doctor, "target": _target, "targets": _targets, "report": _report, "roofline": _roofline, "help": _help}
    if command not in commands:
        raise OptionError(f"%lab has no command {command!r}", hint=suggest(command, commands, label="commands"))
    commands[command](rest)


def _help(rest: list[str]) -> None:
    print(HELP)


def _doctor(rest: list[str]) -> None:
    from kernel_lab import doctor

    print(doctor.text())


def _target(rest: list[str]) -> None:
    if rest:
        choice.set_default(" ".join(rest))
        if calls.installed():
            calls.install(choice.default())
    target = choice.default()
    here = " (this machine's GPU)" if machine.here() == target else ""
    print(f"{target.gpu or target.arch} ({target.arch}){here}")


def _targets(rest: list[str]) -> None:
    print(target_sources(" ".join(rest)) if rest else listing.table())


def _report(rest: list[str]) -> None:
    from IPython.display import display

    from kernel_lab.render import bundle

    report = runner.find(rest[0] if rest else None)
    if report is None:
        known = runner.names()
        raise OptionError(
            f"there is no report {rest[0]!r}" if rest else "there is no report yet",
            hint=suggest(rest[0], known, label="reports") if rest and known else "run a %%triton or %%tile cell first",
        )
    if len(rest) < 2:
        display(bundle(report), raw=True)
        return
    for kernel in report.kernels:
        if rest[1] not in kernel.stages:
            raise OptionError(f"{kernel.name} has no stage {rest[1]!r}", hint=suggest(rest[1], kernel.stages, label="stages"))
        print(kernel.stages[rest[1]].text)


def _roofline(rest: list[str]) -> None:
    import json

    from IPython.display import display

    from kernel_lab.roofline import figure, svg

    unknown = next((name for name in rest if runner.find(name) is None), None)
    if unknown is not None:
        raise OptionError(f"there is no report {unknown!r}", hint=suggest(unknown, runner.names(), label="reports"))
    reports = [report for name in rest or runner.names() if (report := runner.find(name)) is not None and report.roofline is not None]
    if not reports:
        raise OptionError("no report with a known amount of work yet", hint="run a cell with --ref, or declare its work: --flops, --bytes")
    label = reports[-1].roofline.target if reports[-1].roofline is not None else ""
    target = target_names.lookup(label.rpartition(", taken as ")[2])
    # Static SVG for where no script runs; a notebook that knows plotly shows the figure
    chart = json.loads(figure(reports, target, theme="both").to_json())
    display({_PLOTLY: chart, "text/html": svg(reports, target), "text/plain": f"Roofline of {target.label}"}, raw=True)


def wanted_workers() -> tuple[str, ...]:
    """The workers to start in the background: those whose language is installed."""
    kinds: list[str] = []
    if importlib.util.find_spec("triton") is not None:
        kinds += ["triton.compile", "triton.interpret" if machine.here() is None else "triton.device"]
    if importlib.util.find_spec("tilelang") is not None:
        kinds += ["tilelang.compile"]
    return tuple(kinds)
