"""kernel_lab: a JupyterLab workbench for GPU kernels.

In a notebook: ``%load_ext kernel_lab``, then ``%%triton`` or ``%%tile``. In Python: `compile`, `verify`, `measure`, `last`, `targets`.
Importing this package imports neither torch nor a kernel language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# The rooms `measure`, `targets` and `verify` are imported before the verbs of the same names are bound: Python binds a room to its
# name in the package when it is first imported.
import kernel_lab.measure
import kernel_lab.targets
import kernel_lab.verify  # noqa: F401
from kernel_lab.api import compile, last, measure, verify
from kernel_lab.targets import targets

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__version__ = "0.1.0"
__all__ = ["compile", "last", "load_ipython_extension", "measure", "targets", "verify"]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """``%load_ext kernel_lab``: the magics, completion, and workers that start in the background."""
    from kernel_lab import magics

    magics.load(shell)


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Where `jupyter labextension develop` finds the built extension."""
    return [{"src": "labextension", "dest": "kernel-lab"}]


def unload_ipython_extension(shell: Any) -> None:
    """``%unload_ext kernel_lab``: ends the workers."""
    from kernel_lab import magics

    magics.unload(shell)
