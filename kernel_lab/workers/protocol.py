"""What the notebook and a worker say to each other. Plain data; knows nothing of how it is carried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from kernel_lab.workers.wire import Parcel


@dataclass(frozen=True)
class Request:
    """Run ``function`` ("module:name") on the arguments in ``parcel``, at most ``timeout_s`` seconds.

    ``path`` is where the notebook finds modules now: what is imported there must be found by the worker too.
    """

    number: int
    function: str
    parcel: Parcel
    timeout_s: float
    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class Event:
    """News of a running request, passed to its listener."""

    number: int
    parcel: Parcel


@dataclass(frozen=True)
class Answer:
    """The end of a request: a value or an error in ``parcel``, storages that were changed, what was printed meanwhile.

    ``spent`` says that the process can run no further job (its GPU context is poisoned) and must be replaced."""

    number: int
    failed: bool
    parcel: Parcel
    changed: dict[str, bytes]
    printed: str
    spent: bool = False


class Executor(Protocol):
    """Where jobs run. ``kind`` names the sort of worker that is needed ("triton.compile", "triton.interpret", …)."""

    def run(self, kind: str, function: str, *args: Any, timeout_s: float, listener: Any = None, what: str = "") -> Any:
        """Run ``function`` in a worker and return its value; raises what it raised, `WorkerDied` or `JobTimeout`."""
