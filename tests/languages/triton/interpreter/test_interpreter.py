"""What Triton's interpreter computes once it is corrected. The checks run in one process with TRITON_INTERPRET=1."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton")

CHECKS = Path(__file__).with_name("checks.py")
ROOT = CHECKS.parents[4]
NAMES = [node.name for node in ast.parse(CHECKS.read_text()).body if isinstance(node, ast.FunctionDef) and node.name.startswith("check_")]


@pytest.fixture(scope="module")
def results() -> dict[str, str]:
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(paths), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, str(CHECKS)], env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    answer: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return answer


@pytest.mark.parametrize("name", NAMES)
def test_interpreter(name: str, results: dict[str, str]) -> None:
    assert not results[name], results[name]
