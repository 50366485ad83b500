"""What Triton's interpreter computes once it is corrected. The checks run in processes with TRITON_INTERPRET=1."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton")

PROGRAMS = sorted(Path(__file__).parent.glob("checks_*.py"))
ROOT = Path(__file__).parents[4]
NAMES = [
    node.name
    for program in PROGRAMS
    for node in ast.parse(program.read_text()).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("check_")
]


@pytest.fixture(scope="module")
def results() -> dict[str, str]:
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(paths), "PYTHONWARNINGS": "ignore"}
    answers: dict[str, str] = {}
    for program in PROGRAMS:
        done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr[-4000:]
        answers |= json.loads(done.stdout.splitlines()[-1])
    return answers


@pytest.mark.parametrize("name", NAMES)
def test_interpreter(name: str, results: dict[str, str]) -> None:
    assert not results[name], results[name]
