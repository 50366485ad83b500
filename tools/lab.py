"""`make lab`: JupyterLab on the quickstart, in .venv; further arguments are passed on to JupyterLab."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUICKSTART = "notebooks/01_quickstart.ipynb"
# JupyterLab asks the network for news and new versions of itself; a workshop room without network should not wait for it.
QUIET = ["--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]


def main(arguments: list[str]) -> None:
    """Becomes JupyterLab (so that its signals and exit status are the command's own)."""
    os.chdir(ROOT)
    root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    print(f"opening JupyterLab on {QUICKSTART}; Ctrl-C twice stops it", flush=True)
    os.execv(sys.executable, [sys.executable, "-m", "jupyterlab", QUICKSTART, *QUIET, *root, *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
