"""The base of this package's modes of torch: each sees the operations that run while it is entered.

Knows nothing of what a mode does. It exists because torch wraps the dispatching of every mode so that `torch.compile` leaves it
alone, and that wrapper imports all of torch's compiler: 900 modules and some seconds, in the first verification of each process.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Mode(TorchDispatchMode):
    """A mode that is wrapped only once the compiler is loaded, as by a reference that is compiled."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __enter__(self) -> Any:
        kind = type(self)
        if "torch._dynamo" in sys.modules and not kind.__dict__.get("_wrapped", False):
            kind.__torch_dispatch__ = torch._disable_dynamo(kind.__torch_dispatch__, recursive=True)  # type: ignore[method-assign]
            kind._wrapped = True  # type: ignore[attr-defined]
        return super().__enter__()
