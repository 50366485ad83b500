"""A Chromium for the browser tests: the one that is there, else Debian's, else Playwright's own.

Standard library only; part of the set-up. The tests read the answer with `found`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import system_packages

ROOT = Path(__file__).resolve().parent.parent
ANSWER = ROOT / ".venv" / ".setup" / "browser"
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


def _runs(path: str) -> bool:
    """Whether this is a browser that starts (Ubuntu's chromium-browser may be a stub that asks for snap)."""
    try:
        result = subprocess.run([path, "--version", "--no-sandbox"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return result.returncode == 0 and "Chrom" in result.stdout


def on_machine() -> str | None:
    """A Chromium on PATH, or the one that $KERNEL_LAB_BROWSER names."""
    candidates = [os.environ.get("KERNEL_LAB_BROWSER"), *map(shutil.which, NAMES), str(MAC) if MAC.exists() else None]
    return next((path for path in candidates if path and _runs(path)), None)


def found() -> str | None:
    """The browser that the set-up settled on, or None when there is none."""
    path = ANSWER.read_text().strip() if ANSWER.exists() else ""
    return path if path and Path(path).exists() else None


def _playwrights_own(python: Path) -> str | None:
    """Playwright's own download, from the network."""
    if os.environ.get("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD"):
        return None
    try:
        command = [str(python), "-m", "playwright", "install", "chromium"]
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=True)
        code = "from playwright.sync_api import sync_playwright as s\nwith s() as p: print(p.chromium.executable_path)"
        path = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return path if _runs(path) else None


def ensure(python: Path) -> str | None:
    """Finds or installs a Chromium and leaves its path for the tests; None (and a word about it) when all ways fail."""
    path = on_machine() or found()
    if path is None:
        print("→ installing Chromium for the browser tests …", flush=True)
        path = (on_machine() if system_packages.install("chromium", "fonts-dejavu-core") else None) or _playwrights_own(python)
        print(f"  {path}" if path else "  none could be installed: the browser tests will be skipped", flush=True)
    ANSWER.parent.mkdir(parents=True, exist_ok=True)
    ANSWER.write_text(path or "")
    return path
