"""Puts the built JupyterLab extension into the wheel, where JupyterLab finds it: share/jupyter/labextensions/kernel-lab.

Building it takes Node.js and a network, so a wheel does not build it by itself: it takes what `make setup` built, which an sdist
carries. An editable install gets a link instead (`extension.link`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ExtensionHook(BuildHookInterface[Any]):
    """Adds kernel_lab/labextension as shared data."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """``version`` is "standard" or "editable"."""
        built = Path(self.root) / "kernel_lab" / "labextension"
        if version == "editable":
            return
        if not (built / "package.json").exists():
            self.app.display_warning("kernel_lab/labextension is not built: JupyterLab will show static reports only\n  → make setup")
            return
        build_data["shared_data"][str(built)] = "share/jupyter/labextensions/kernel-lab"
