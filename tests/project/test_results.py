"""The tables of docs/results are made from the JSON beside them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_tables_are_what_the_json_says() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "results.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
