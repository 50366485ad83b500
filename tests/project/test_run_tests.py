"""The closing line of `make test`: it counts what ran, and a run that broke off is never a right one."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = Path(sys.executable)
Captured = pytest.CaptureFixture[str]
QUIET = ["--noconftest", "-p", "no:xdist", "--rootdir", "/", "-c", "/dev/null"]


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """tools/run_tests.py."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("run_tests")


def counts(runner: ModuleType, folder: Path, text: str) -> str:
    """What the runner counts for a file of tests."""
    file = folder / "test_it.py"
    file.write_text(text)
    return str(runner.pytest(PYTHON, [str(file)], QUIET))


def test_each_outcome_is_counted(runner: ModuleType, tmp_path: Path) -> None:
    text = "import pytest\ndef test_a(): pass\ndef test_b(): pass\ndef test_c(): assert 0\ndef test_d(): pytest.skip('x')\n"
    assert counts(runner, tmp_path, text) == "2 passed, 1 failed, 1 skipped"


def test_nothing_to_run_is_no_failure(runner: ModuleType, tmp_path: Path) -> None:
    assert counts(runner, tmp_path, "") == "0 passed, 0 failed, 0 skipped"


@pytest.mark.parametrize("text", ["def test_a(): __import__('os')._exit(3)\n", "import not_there\n", "def test_a(: pass\n"])
def test_a_run_that_breaks_off_counts_as_failed(runner: ModuleType, tmp_path: Path, text: str) -> None:
    assert counts(runner, tmp_path, text) == "0 passed, 1 failed, 0 skipped"


def test_without_a_browser_the_last_line_says_so(runner: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(runner, "phase", lambda name, arguments: runner.Counts(passed=1))
    monkeypatch.setattr(runner.browser, "found", lambda: None)
    assert runner.main([]) == 0
    *_, counted, last = capsys.readouterr().out.splitlines()
    assert counted == f"{len(runner.PHASES)} passed, 0 failed, 0 skipped"
    assert last.startswith("Browser tests skipped")


def test_the_exit_status_follows_the_failures(runner: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(runner, "phase", lambda name, arguments: runner.Counts(failed=name == "triton36"))
    monkeypatch.setattr(runner.browser, "found", lambda: "/usr/bin/chromium")
    assert runner.main([]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"
