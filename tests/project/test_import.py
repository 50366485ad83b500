"""Importing the package costs nothing: no compiler, no torch, no front end; those load where they are needed."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("torch", "triton", "tilelang", "tvm", "IPython", "plotly", "numpy", "ipywidgets", "jupyterlab", "dask")


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = f"import kernel_lab, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_importing_the_package_works_where_nothing_heavy_is_installed() -> None:
    """None in sys.modules is an import that fails, as of a package that is not there."""
    code = f"import sys; sys.modules.update(dict.fromkeys({HEAVY!r})); import kernel_lab; print(kernel_lab.__name__)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "kernel_lab", result.stderr
