"""The worker process: reads requests from its connection, runs them, answers. Started by `kernel_lab.workers.local`.

Everything it or native code prints goes to its log file; the part printed during a request goes back with the answer.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import os
import sys
import threading
import traceback
from multiprocessing.connection import Client, Connection
from typing import Any

from kernel_lab.errors import GpuFault, KernelLabError
from kernel_lab.workers import modules, wire
from kernel_lab.workers.protocol import Answer, Event, Request

GRACE_S = 15.0
PRINTED_LIMIT = 64_000


def log_position() -> int:
    """How much this process has printed so far, in bytes; marks a place for `log_since`."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    return os.fstat(1).st_size


def log_since(position: int, limit: int = PRINTED_LIMIT) -> str:
    """What was printed since ``position``, capped at ``limit`` bytes with a note of how much is left out."""
    end = log_position()
    path = os.environ.get("KERNEL_LAB_LOG")
    if not path or end <= position:
        return ""
    with open(path, "rb") as file:
        file.seek(position)
        text = file.read(min(end - position, limit)).decode(errors="replace")
    left = end - position - limit
    return text + (f"\n… {left:,} more bytes were printed\n" if left > 0 else "")


def discard_since(position: int) -> None:
    """Forget what was printed since ``position`` (the notebook's own run of the same code has shown it)."""
    log_position()
    with contextlib.suppress(OSError):
        os.ftruncate(1, position)


_emit: Any = None


def emit(news: Any) -> None:
    """Send news of the running request to its listener in the notebook; does nothing outside a request."""
    if _emit is not None:
        _emit(news)


def _die_with_parent() -> None:
    """The parent holds the other end of stdin: its end is the parent's."""

    def watch() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 1):
                pass
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def _run(connection: Connection, request: Request) -> Answer:
    global _emit
    start = log_position()
    faulthandler.dump_traceback_later(request.timeout_s + GRACE_S, exit=True, file=2)
    _emit = lambda news: connection.send(Event(request.number, wire.dump(news)[0]))  # noqa: E731
    storages: dict[str, Any] = {}
    before: dict[str, int] = {}
    try:
        sys.path[:] = dict.fromkeys([*request.path, *sys.path])
        modules.forget_edited()
        module, _, name = request.function.partition(":")
        args, storages = wire.load(request.parcel)
        before = {key: hash(content) for key, content in request.parcel.storages.items()}
        value, failed = getattr(importlib.import_module(module), name)(*args), False
    except BaseException as error:
        value, failed = _portable(error), True
    finally:
        _emit = None
        faulthandler.cancel_dump_traceback_later()
        modules.remember()
    known = {storage.data_ptr(): key for key, storage in storages.items() if storage.data_ptr()}
    changed = {}
    for key, storage in storages.items():
        content = wire.storage_bytes(storage)
        if hash(content) != before.get(key):
            changed[key] = content
    try:
        parcel, _ = wire.dump(value, known)
    except Exception as error:
        failed = True
        parcel, _ = wire.dump(RuntimeError(f"the result could not be sent back from the worker: {error}"), known)
    spent = failed and isinstance(value, GpuFault)
    return Answer(request.number, failed, parcel, changed, log_since(start), spent)


def _portable(error: BaseException) -> BaseException:
    """``error`` if it survives pickling, else its text in a RuntimeError. An unexplained one keeps the worker's traceback as a note."""
    if not isinstance(error, KernelLabError):
        error.add_note("in the worker:\n" + "".join(traceback.format_tb(error.__traceback__)[-6:]))
    error.__traceback__ = None
    try:
        wire.loads(wire.dumps(error))
        return error
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")


def main() -> None:
    """Serve requests until the parent goes away."""
    address, preload = sys.argv[1], [name for name in sys.argv[2].split(",") if name]
    _die_with_parent()
    sys.path[:] = [*dict.fromkeys([*sys.path, *os.environ.get("KERNEL_LAB_PATH", "").split(os.pathsep)])]
    connection = Client(address, authkey=bytes.fromhex(os.environ.pop("KERNEL_LAB_KEY")))
    faulthandler.enable(file=2)
    for name in preload:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    connection.send("ready")
    while True:
        try:
            request = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(_run(connection, request))


if __name__ == "__main__":
    # under its real name, so that `emit` and the log functions that jobs import are these
    from kernel_lab.workers import child

    child.main()
