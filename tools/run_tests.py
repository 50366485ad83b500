"""`make test`: every kind of test, one phase after another, and one closing line that counts them all.

Runs in .venv. A phase never stops the ones after it. The last line is "N passed, N failed, N skipped"; one more line
follows when no browser could be had. Further arguments go to every pytest.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import browser
import extension as labextension
import node

ROOT = Path(__file__).resolve().parent.parent
PYTHON36 = ROOT / ".venv-triton36" / "bin" / "python"
PHASES = ("lint", "python", "triton36", "notebooks", "extension", "browser")
NO_TESTS_COLLECTED = 5
# What does not depend on the version of Triton runs once.
ONCE = ("tests/notebooks", "tests/browser", "tests/project")


@dataclass
class Counts:
    """How many tests ended how."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def command(title: str, arguments: Sequence[str | Path], cwd: Path = ROOT, env: dict[str, str] | None = None) -> Counts:
    """A check that only passes or fails; its output is shown."""
    print(f"-- {title}", flush=True)
    code = subprocess.run([str(part) for part in arguments], cwd=cwd, env=env, stdin=subprocess.DEVNULL).returncode
    return Counts(passed=1) if code == 0 else Counts(failed=1)


def pytest(python: Path, paths: Sequence[str], arguments: Sequence[str]) -> Counts:
    """A run of pytest, counted from its JUnit report."""
    with tempfile.TemporaryDirectory() as folder:
        junit = Path(folder) / "junit.xml"
        # The pytest cache is shared by the runs of both environments, which must not mix.
        run = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={junit}", *arguments, *paths]
        code = subprocess.run([str(part) for part in run], cwd=ROOT, stdin=subprocess.DEVNULL).returncode
        if code == NO_TESTS_COLLECTED:
            return Counts()
        if not junit.exists():
            return Counts(failed=1)
        total = Counts()
        for suite in ElementTree.parse(junit).getroot().iter("testsuite"):
            number = {key: int(suite.get(key, "0")) for key in ("tests", "failures", "errors", "skipped")}
            bad = number["failures"] + number["errors"]
            total += Counts(max(number["tests"] - bad - number["skipped"], 0), bad, number["skipped"])
        # A run that broke off (a crash, a usage error) must not count as right because no test failed.
        return total if code in (0, 1) or total.failed else total + Counts(failed=1)


def triton_of(python: Path) -> str:
    """The version of Triton that ``python`` sees."""
    code = "import importlib.metadata as m; print(m.version('triton'))"
    result = subprocess.run([str(python), "-c", code], capture_output=True, text=True)
    return result.stdout.strip() or "none"


def workers() -> list[str]:
    """Test processes: the machine's cores, at most 4, since each starts compile and interpret workers of its own."""
    return ["-n", str(max(1, min(4, os.cpu_count() or 1))), "--dist", "loadfile"]


def phase(name: str, arguments: Sequence[str]) -> Counts:
    """Runs one of PHASES."""
    python = Path(sys.executable)
    if name == "lint":
        ruff = command("ruff check", [python, "-m", "ruff", "check", "--quiet", "."])
        style = command("ruff format", [python, "-m", "ruff", "format", "--check", "--quiet", "."])
        return ruff + style + command("mypy", [python, "-m", "mypy"]) + extension("lint")
    if name in ("python", "triton36"):
        if name == "triton36" and not PYTHON36.exists():
            return Counts()
        chosen = python if name == "python" else PYTHON36
        print(f"-- Triton {triton_of(chosen)}", flush=True)
        once = ONCE[:2] if name == "python" else ONCE
        return pytest(chosen, ["tests"], [*workers(), *(f"--ignore={path}" for path in once), *arguments])
    if name == "extension":
        return extension("test")
    return pytest(python, [f"tests/{name}"], arguments) if (ROOT / "tests" / name).exists() else Counts()


def extension(script: str) -> Counts:
    """A script of the JupyterLab extension's package.json; nothing where there is no extension or no such script."""
    if not node.wanted() or script not in json.loads((node.EXTENSION / "package.json").read_text()).get("scripts", {}):
        return Counts()
    run = [sys.executable, *labextension.JLPM, "run", script]
    return command(f"extension: {script}", run, cwd=node.EXTENSION, env=labextension.environment(Path(sys.executable)))


def main(argv: Sequence[str]) -> int:
    """0 when nothing failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=PHASES, action="append", help="run this phase only (may be repeated)")
    options, arguments = parser.parse_known_args(argv)
    total = Counts()
    rows = []
    for name in options.only or PHASES:
        print(f"\n== {name}", flush=True)
        start = time.monotonic()
        counts = phase(name, arguments)
        total += counts
        rows.append(f"  {name:<10} {counts!s:<40} {time.monotonic() - start:6.0f} s")
    print("\n" + "\n".join(rows) + "\n")
    print(total, flush=True)
    if browser.found() is None and "browser" in (options.only or PHASES):
        print("Browser tests skipped: no Chromium here, and neither Debian's package nor Playwright's download could be had.", flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
