"""Calls in the notebook's own process: refused in plain words without a GPU; captured values kept fresh with one (R4)."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from kernel_lab.errors import NotRunnable
from kernel_lab.languages.tilelang.calls import _refresh, captured, refusal

FACTOR = 4.0


def factory(n):
    def inner():
        return n * FACTOR * len("x")

    return inner


def test_captured_values_are_those_of_globals_read_anywhere_in_the_function(monkeypatch):
    assert captured(factory) == (("FACTOR", 4.0),)
    monkeypatch.setitem(globals(), "FACTOR", 7.0)
    assert captured(factory) == (("FACTOR", 7.0),)


def test_captured_values_are_those_of_closures(monkeypatch):
    assert dict(captured(factory(3)))["n"] == 3


def test_r4_a_changed_capture_empties_the_caches(monkeypatch):
    caches = [{"built": 1} for _ in range(4)]
    jit = SimpleNamespace(_kernel_cache=caches[0], _call_form_cache=caches[1], _tuner_cache=caches[2])
    jit.func = SimpleNamespace(orig_func=factory, p1_cache=caches[3])
    _refresh(jit)
    _refresh(jit)
    assert all(caches)
    monkeypatch.setitem(globals(), "FACTOR", 7.0)
    _refresh(jit)
    assert not any(caches)


def test_the_refusal_says_what_to_do():
    error = refusal("matmul")
    assert isinstance(error, NotRunnable)
    assert "matmul was not run: TileLang kernels run on a GPU, and there is none here" in str(error)
    assert "%%tile matmul" in str(error)


@pytest.mark.slow
def test_without_a_gpu_calls_are_refused_once_tilelang_is_imported(cells, tmp_path):
    pytest.importorskip("tilelang")
    script = tmp_path / "notebook.py"
    head = """
import sys
from kernel_lab.languages.tilelang import refuse_calls

refuse_calls()
refuse_calls()
assert "tilelang" not in sys.modules
"""
    tail = """
for call in (lambda: scale(128), lambda: scale.compile(128), lambda: scale(n=128)):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""
    script.write_text(head + cells.scale + tail)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, env=environment)
    rows = done.stdout.splitlines()
    assert rows == ["NotRunnable scale was not run: TileLang kernels run on a GPU, and there is none here"] * 3, done.stderr[-2000:]
