"""The set-up: done steps are skipped by content and not by time, a failed one is run again."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """tools/setup.py with an empty .venv."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    monkeypatch.delitem(sys.modules, "setup", raising=False)
    module = importlib.import_module("setup")
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    return module


def test_a_step_runs_once_for_each_fingerprint(setup: ModuleType) -> None:
    runs: list[str] = []
    for mark in ("a", "a", "b", "b", "a"):
        setup.step("thing", "doing the thing", mark, lambda mark=mark: runs.append(mark))
    assert runs == ["a", "b", "a"]


def test_a_failed_step_leaves_no_stamp(setup: ModuleType) -> None:
    def fail() -> None:
        raise setup.SetupError("no network")

    for _ in range(2):
        with pytest.raises(setup.SetupError):
            setup.step("thing", "doing the thing", "a", fail)
    runs: list[int] = []
    setup.step("thing", "doing the thing", "a", lambda: runs.append(1))
    assert runs == [1]


def test_a_fingerprint_is_of_contents(setup: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("one")
    before = setup.fingerprint(file)
    file.write_text("one")
    assert setup.fingerprint(file) == before
    file.write_text("two")
    assert setup.fingerprint(file) != before


def test_the_triton_pin_yields_to_torchs_own(setup: ModuleType) -> None:
    assert "triton==3.9.0" in setup.constraints(None).read_text()
    yielded = setup.constraints("3.7.1").read_text()
    assert "triton==" not in yielded and "torch==" in yielded


def test_nvcc_is_looked_for_where_tilelang_looks(setup: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    assert not setup.has_nvcc()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nvcc").touch(mode=0o755)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert setup.has_nvcc()
