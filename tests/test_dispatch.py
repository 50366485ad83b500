"""Modes of torch: a verification does without torch's compiler, and a reference that brings it is left alone by it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[1]
VERIFY = """
import sys, torch
from tests.verify.judge import judge
"""


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", VERIFY + code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_a_verification_does_not_import_the_compiler() -> None:
    said = python('assert judge(torch.add, torch.add, "x: f16[n], y: f16[n]", {"n": 9}).passed; print("torch._dynamo" in sys.modules)')
    assert said == "False\n"


def test_a_compiled_reference_is_judged_and_nothing_of_the_modes_is_compiled() -> None:
    code = """
def broken_graph(x):
    torch._dynamo.graph_break()
    return torch.softmax(x * 2, -1)

reference = torch.compile(broken_graph, backend="eager")
for size in range(1, 12):
    assert judge(broken_graph, reference, "x: f32[n, 8]", {"n": size}).passed
print("done")
"""
    assert python(code) == "done\n"
