"""``kernel-lab`` on the command line: doctor, targets, compile, verify, measure. Also ``python -m kernel_lab``."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kernel_lab import api, runner
from kernel_lab.errors import EntryError, KernelLabError, OptionError, suggest
from kernel_lab.results import Report
from kernel_lab.targets import choice, listing, machine
from kernel_lab.targets import sources as target_sources


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, 1 when a kernel is wrong or does not compile, 2 for a wrong command line."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        return int(given.run(given))
    except OptionError as error:
        print(f"kernel-lab: {error}", file=sys.stderr)
        return 2
    except KernelLabError as error:
        print(f"kernel-lab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kernel-lab", description="Compile and verify GPU kernels, with or without a GPU.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    doctor = commands.add_parser("doctor", help="what is installed, what is missing, and how to get it")
    doctor.set_defaults(run=_doctor)
    listing = commands.add_parser("targets", help="the known GPUs")
    listing.add_argument("name", nargs="?", help="show every number of this one, with its source")
    listing.set_defaults(run=_targets)
    for name, function, help in (
        ("compile", _compile, "show what a kernel becomes"),
        ("verify", _verify, "compare a kernel with a reference"),
        ("measure", _measure, "time a kernel on the GPU here"),
    ):
        command = commands.add_parser(name, help=help)
        command.add_argument("file", type=Path, help="the Python file that defines the kernel")
        command.add_argument("--entry", required=True, help="the function that launches the kernel, or the kernel")
        command.add_argument("--target", help="sm_90, gfx942, H100, …")
        command.add_argument("--inputs", help='"x: f32[n], y: f32[n]"')
        command.add_argument("--sizes", help='"n=98432"')
        command.add_argument("--outputs", help='for a kernel as the entry: "o: f32[n]"')
        command.add_argument("--grid", help='for a kernel as the entry: "(cdiv(n, BLOCK),)"')
        command.add_argument("--const", help='"BLOCK=1024, num_warps=8"')
        command.add_argument("--timeout", type=float, default=runner.DEFAULT_TIMEOUT_S, help="seconds for each step (%(default)s)")
        command.add_argument("--html", type=Path, help="write the report to this page")
        command.add_argument("--json", action="store_true", help="print the report as JSON")
        if name == "compile":
            command.add_argument("--stage", help="print this stage: ttir, ttgir, llir, ptx, sass, amdgcn, tir, cuda, hip, …")
        elif name == "verify":
            command.add_argument("--ref", required=True, help="the reference: an expression over the file's names, as torch.add")
        command.set_defaults(run=function)
    return parser


def _doctor(given: Any) -> int:
    from kernel_lab import doctor

    print(doctor.text())
    return 0


def _targets(given: Any) -> int:
    print(target_sources(given.name) if given.name else listing.table())
    return 0


def _compile(given: Any) -> int:
    module = _load(given.file)
    report = api.compile(_named(module, given.entry), **_arguments(given, module))
    _write_page(report, given)
    if given.stage:
        for kernel in report.kernels:
            if given.stage not in kernel.stages:
                raise OptionError(f"{kernel.name} has no stage {given.stage!r}", hint=suggest(given.stage, kernel.stages, label="stages"))
            print(kernel.stages[given.stage].text)
        return 0
    return _show(report, given)


def _verify(given: Any) -> int:
    module = _load(given.file)
    names = {"torch": _optional("torch"), **vars(module)}
    try:
        reference = eval(given.ref, names)
    except Exception as error:
        raise OptionError(f"--ref {given.ref!r}: {type(error).__name__}: {error}", hint="it is evaluated over the file's names") from None
    report = api.verify(_named(module, given.entry), reference, **_arguments(given, module))
    _write_page(report, given)
    status = _show(report, given)
    return 1 if report.verdict is not None and report.verdict.passed is False else status


def _measure(given: Any) -> int:
    module = _load(given.file)
    return _show(api.measure(_named(module, given.entry), **_arguments(given, module)), given)


def _arguments(given: Any, module: types.ModuleType) -> dict[str, Any]:
    from kernel_lab.options import constants

    return {
        "inputs": given.inputs,
        "sizes": given.sizes,
        "outputs": given.outputs,
        "grid": given.grid,
        "const": constants(given.const or "", vars(module)),
        "target": given.target,
        "timeout": given.timeout,
    }


def _write_page(report: Report, given: Any) -> None:
    if given.html:
        from kernel_lab import render

        given.html.write_text(render.page.page(report.name, [report]), encoding="utf-8")


def _show(report: Report, given: Any) -> int:
    from kernel_lab import render

    if given.json:
        import json

        print(json.dumps(render.payload.payload(report), indent=1))
    else:
        print(render.bundle(report)["text/plain"])
    return 0


def _load(path: Path) -> types.ModuleType:
    """Import a file under its own name, so that a worker can import it too."""
    if not path.is_file():
        raise OptionError(f"there is no file {path}", hint="give the path of a Python file")
    from kernel_lab import calls

    if machine.here() is None:
        calls.install(choice.default(), lambda text: print(text, file=sys.stderr))
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except KernelLabError:
        raise
    except Exception as error:
        raise EntryError(f"{path.name} raised {type(error).__name__}: {error}", hint="correct the file") from error
    return module


def _named(module: types.ModuleType, name: str) -> Any:
    if not hasattr(module, name):
        names = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise OptionError(f"{module.__name__} defines no {name!r}", hint=suggest(name, names, label="it defines"))
    return getattr(module, name)


def _optional(name: str) -> Any:
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


if __name__ == "__main__":
    sys.exit(main())
