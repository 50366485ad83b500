"""Workers on this machine: spawned processes, one per kind, started in the background, replaced when they die.

A job that runs past its limit, or that the notebook's interrupt stops, costs its process, not the notebook. Knows nothing of what jobs do.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any

from kernel_lab.errors import JobTimeout, WorkerDied
from kernel_lab.workers import wire
from kernel_lab.workers.protocol import Answer, Event, Request

START_LIMIT_S = 120.0
# kind → (environment set before anything is imported, modules imported before the first job)
KINDS: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "triton.compile": ({}, ("torch", "triton", "kernel_lab.jobs", "kernel_lab.languages.triton.session")),
    "triton.interpret": ({"TRITON_INTERPRET": "1"}, ("torch", "triton", "kernel_lab.jobs", "kernel_lab.languages.triton.session")),
    "triton.device": ({}, ("torch", "triton", "kernel_lab.jobs")),
    "tilelang.compile": ({}, ("torch", "tilelang", "kernel_lab.jobs")),
    "tilelang.interpret": ({}, ("torch", "tilelang", "kernel_lab.jobs")),
    "tilelang.device": ({}, ("torch", "tilelang", "kernel_lab.jobs")),
}


# Triton 3.10 will change the default of FP fusion (and 3.9 warns of it); a report must not change with it. Reports say that it is on.
PINNED = {"TRITON_DEFAULT_FP_FUSION": os.environ.get("TRITON_DEFAULT_FP_FUSION", "1")}


class Worker:
    """One worker process. Not restarted: `LocalExecutor` makes a new one."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind = kind
        environment, preload = KINDS[kind]
        self.folder = Path(tempfile.mkdtemp(prefix="w", dir=folder))
        self.log = self.folder / "log"
        self.log.touch()
        key = secrets.token_bytes(16)
        address = str(self.folder / "s") if os.name == "posix" else None
        self._listener = Listener(address, family=None if address is None else "AF_UNIX", authkey=key)
        inherited = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
        env = {
            **inherited,
            "TRITON_CACHE_DIR": str(folder / "triton"),
            "KERNEL_LAB_KEY": key.hex(),
            "KERNEL_LAB_LOG": str(self.log),
            "KERNEL_LAB_PATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
            "PYTHONUNBUFFERED": "1",
            "PYTHONFAULTHANDLER": "",
            **PINNED,
            **environment,
        }
        command = [sys.executable, "-m", "kernel_lab.workers.child", str(self._listener.address), ",".join(preload)]
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), env.get("PYTHONPATH")]))
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, env=env, start_new_session=os.name == "posix"
            )
        self._connection: Connection | None = None
        self._connecting = threading.Thread(target=self._connect, daemon=True)
        self._connecting.start()

    def _connect(self) -> None:
        with contextlib.suppress(OSError, EOFError):
            self._connection = self._listener.accept()
            self._connection.recv()  # "ready"

    def wait_ready(self) -> Connection:
        """Block until the worker has imported what it needs. Raises `WorkerDied` when it does not start."""
        deadline = time.monotonic() + START_LIMIT_S
        while self._connecting.is_alive():
            self._connecting.join(0.05)
            if self.process.poll() is not None or time.monotonic() > deadline:
                break
        if self._connecting.is_alive() or self._connection is None:
            printed = self.printed(0)
            self.kill()
            raise WorkerDied(f"the {self.kind} worker did not start", detail=printed[-2000:], hint="%lab doctor shows what is installed")
        return self._connection

    def printed(self, position: int) -> str:
        """What the process has printed since ``position``."""
        with contextlib.suppress(OSError), open(self.log, "rb") as file:
            file.seek(position)
            return file.read(64_000).decode(errors="replace")
        return ""

    def position(self) -> int:
        """How much the process has printed so far."""
        return self.log.stat().st_size if self.log.exists() else 0

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        """End the process and what it started, and remove its folder."""
        with contextlib.suppress(ProcessLookupError, PermissionError, OSError):
            if os.name == "posix":
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        with contextlib.suppress(Exception):
            self.process.wait(5)
        with contextlib.suppress(Exception):
            if self.process.stdin:
                self.process.stdin.close()
            self._listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class LocalExecutor:
    """Runs jobs in worker processes of this machine; one job at a time per kind."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="kernel_lab_"))
        self._workers: dict[str, Worker] = {}
        self._locks: dict[str, threading.RLock] = {}
        self._guard = threading.Lock()
        self._number = 0
        self.last_printed = ""
        atexit.register(self.close)

    def warm_up(self, kinds: tuple[str, ...]) -> None:
        """Start workers of these kinds; returns at once."""
        for kind in kinds:
            with self._lock(kind):
                self._worker(kind)

    def ready(self, kind: str) -> bool:
        """Whether a worker of this kind has finished starting."""
        worker = self._workers.get(kind)
        return worker is not None and not worker._connecting.is_alive() and worker.alive

    def _lock(self, kind: str) -> threading.RLock:
        with self._guard:
            return self._locks.setdefault(kind, threading.RLock())

    def _worker(self, kind: str) -> Worker:
        worker = self._workers.get(kind)
        if worker is None or not worker.alive:
            if worker is not None:
                worker.kill()
            self.folder.mkdir(exist_ok=True)
            worker = self._workers[kind] = Worker(kind, self.folder)
        return worker

    def restart(self, kind: str) -> None:
        """Replace the worker of this kind; the new one starts in the background."""
        with self._lock(kind):
            worker = self._workers.pop(kind, None)
            if worker is not None:
                worker.kill()
            self._worker(kind)

    def run(
        self,
        kind: str,
        function: str,
        *args: Any,
        timeout_s: float,
        listener: Callable[[Any], None] | None = None,
        what: str = "the job",
    ) -> Any:
        """Run ``function`` ("module:name") in a worker of ``kind`` and return its value.

        Tensors among ``args`` that the function changes are changed here too. Raises what the function raised; `JobTimeout`;
        `WorkerDied` with what the process printed last. KeyboardInterrupt ends the job at once.
        """
        self.last_printed = ""
        parcel, storages = wire.dump(args)
        with self._lock(kind):
            self._number += 1
            request = Request(self._number, function, parcel, timeout_s, tuple(path or os.getcwd() for path in sys.path))
            worker, connection, start = self._sent(kind, request)
            try:
                answer = self._await(worker, connection, request, listener, what, start)
            except (JobTimeout, WorkerDied, KeyboardInterrupt):
                self.restart(kind)
                raise
            except (EOFError, OSError):
                error = self._death(worker, what, start)
                self.restart(kind)
                raise error from None
            if answer.spent:
                self.restart(kind)
        self.last_printed = answer.printed
        for key, content in answer.changed.items():
            wire.write_storage(storages[key], content)
        value, _ = wire.load(answer.parcel, storages)
        if answer.failed:
            value.printed = answer.printed
            raise value
        return value

    def _sent(self, kind: str, request: Request) -> tuple[Worker, Connection, int]:
        """Hand a request to a worker: it, its connection, and how much it had printed. One that died meanwhile, idle or starting, is
        replaced once without a word: no job of anybody's was lost."""
        for last_try in (False, True):
            worker = self._worker(kind)
            try:
                connection = worker.wait_ready()
                start = worker.position()
                connection.send(request)
                return worker, connection, start
            except (WorkerDied, EOFError, OSError) as error:
                self.restart(kind)
                if last_try:
                    raise error if isinstance(error, WorkerDied) else WorkerDied(f"the {kind} worker does not stay alive") from None
            except KeyboardInterrupt:
                self.restart(kind)
                raise
        raise AssertionError("unreachable")

    def _await(self, worker: Worker, connection: Connection, request: Request, listener: Any, what: str, start: int) -> Answer:
        deadline = time.monotonic() + request.timeout_s
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise JobTimeout(
                    f"{what} did not finish within {request.timeout_s:g} s and was stopped",
                    hint="give it more time (--timeout 300), or smaller sizes (--sizes)",
                )
            if not connection.poll(min(left, 0.2)):
                if not worker.alive and not connection.poll(0):
                    raise self._death(worker, what, start)
                continue
            message = connection.recv()
            if isinstance(message, Answer) and message.number == request.number:
                return message
            if isinstance(message, Event) and message.number == request.number and listener is not None:
                listener(wire.load(message.parcel)[0])

    def _death(self, worker: Worker, what: str, start: int) -> WorkerDied:
        with contextlib.suppress(Exception):
            worker.process.wait(2)
        code = worker.process.returncode
        printed = worker.printed(start)
        cause = _signal_name(code)
        hint = "a new worker is starting; your notebook and its variables are untouched"
        if code is not None and -code == signal.SIGSEGV:
            hint = "an address outside its tensor is the usual reason: check offsets and masks\n" + hint
        return WorkerDied(f"{what} ended its worker process ({cause})", detail=_last_frames(printed), hint=hint)

    def close(self) -> None:
        """End all workers."""
        for worker in list(self._workers.values()):
            worker.kill()
        self._workers.clear()
        shutil.rmtree(self.folder, ignore_errors=True)


def _signal_name(code: int | None) -> str:
    if code is None:
        return "no exit status"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"{signal.Signals(-code).name}: {signal.strsignal(-code)}"
    return f"exit status {code}"


def _last_frames(printed: str) -> str:
    """The frames of a faulthandler dump that lie in a cell, else the last lines printed."""
    frames = [line.strip() for line in printed.splitlines() if 'File "<cell' in line]
    return "\n".join(frames[:3]) or "\n".join(printed.strip().splitlines()[-3:])


_executor: LocalExecutor | None = None


def executor() -> LocalExecutor:
    """The workers of this process, made on first use."""
    global _executor
    if _executor is None:
        _executor = LocalExecutor()
    return _executor
