"""Installing a package of the system's own, where that is allowed without asking: Debian's apt as root or by a sudo that needs no password.

Standard library only; part of the set-up.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time

LOCK_WAIT_S = 300
PATIENCE = ["-o", "Acquire::http::Timeout=30", "-o", "Acquire::Retries=1"]


def _prefix() -> list[str] | None:
    """What to put before apt-get: nothing as root, sudo where it needs no password, None where neither."""
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def install(*packages: str) -> bool:
    """Installs Debian packages; waits for another apt's locks. False when not allowed or when apt failed."""
    prefix = _prefix()
    if prefix is None:
        return False
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", *PATIENCE]
    deadline = time.monotonic() + LOCK_WAIT_S
    while True:
        update = subprocess.run([*apt, "update"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        # The lists' lock is the one that apt-get does not wait for by itself.
        if "Could not get lock" not in update.stderr or time.monotonic() > deadline:
            break
        time.sleep(3)
    command = [*apt, "-o", f"DPkg::Lock::Timeout={LOCK_WAIT_S}", "install", "-y", "--no-install-recommends", *packages]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0
