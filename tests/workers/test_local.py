"""Worker processes: what happens in one costs the notebook nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernel_lab.errors import CompileError, JobTimeout, WorkerDied
from kernel_lab.workers import local
from kernel_lab.workers.local import LocalExecutor

HELPERS = "tests.workers.helpers"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def executor() -> Iterator[LocalExecutor]:
    """Workers that import nothing beforehand, so that they start at once."""
    local.KINDS["bare"] = ({"BARE": "yes"}, ())
    local.KINDS["broken"] = ({"PYTHONHOME": "/nowhere"}, ())
    made = LocalExecutor()
    yield made
    made.close()
    del local.KINDS["bare"], local.KINDS["broken"]


def run(executor: LocalExecutor, name: str, *args: object, timeout_s: float = 60.0, **options: object):  # type: ignore[no-untyped-def]
    return executor.run("bare", f"{HELPERS}:{name}", *args, timeout_s=timeout_s, what="the test", **options)  # type: ignore[arg-type]


def test_a_job_runs_in_another_process_that_stays(executor: LocalExecutor) -> None:
    assert run(executor, "double", 21) == 42
    first = run(executor, "pid")
    assert first != os.getpid() and run(executor, "pid") == first


def test_the_environment_is_set_before_the_worker_starts(executor: LocalExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(executor, "environment", "BARE") == "yes"
    assert run(executor, "environment", "KERNEL_LAB_KEY") is None


def test_what_the_notebook_set_for_the_interpreter_does_not_reach_a_compiling_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    monkeypatch.setitem(local.KINDS, "bare", ({}, ()))
    made = LocalExecutor()
    try:
        assert run(made, "environment", "TRITON_INTERPRET") is None
    finally:
        made.close()


@pytest.mark.parametrize(
    ("name", "args", "says"), [("leave", (7,), "exit status 7"), ("leave", (0,), "exit status 0"), ("segfault", (), "SIGSEGV")]
)
def test_a_worker_that_dies_is_named_and_replaced(executor: LocalExecutor, name: str, args: tuple[int, ...], says: str) -> None:
    before = run(executor, "pid")
    state = {"kept": [1, 2, 3]}
    with pytest.raises(WorkerDied) as caught:
        run(executor, name, *args)
    text = str(caught.value)
    assert says in text and "the test" in text and "your notebook and its variables are untouched" in text
    assert len(text.splitlines()) < 12
    if name == "segfault":
        assert "check offsets and masks" in text
    else:
        assert "last words" in text
    assert state == {"kept": [1, 2, 3]}
    assert run(executor, "pid") != before


def test_a_worker_killed_between_jobs_is_replaced(executor: LocalExecutor) -> None:
    before = run(executor, "pid")
    worker = executor._workers["bare"]
    worker.process.kill()
    worker.process.wait()
    assert run(executor, "pid") != before


def test_a_worker_that_cannot_start_says_why(executor: LocalExecutor) -> None:
    with pytest.raises(WorkerDied, match="did not start") as caught:
        executor.run("broken", f"{HELPERS}:pid", timeout_s=10)
    assert len(str(caught.value).splitlines()) < 12


def test_a_job_past_its_time_is_stopped(executor: LocalExecutor) -> None:
    before = run(executor, "pid")
    with pytest.raises(JobTimeout) as caught:
        run(executor, "sleep", 600.0, timeout_s=0.3)
    assert "did not finish within 0.3 s" in str(caught.value) and "--timeout" in str(caught.value)
    assert run(executor, "pid") != before


def test_an_interrupt_of_the_notebook_ends_the_job(executor: LocalExecutor, tmp_path: Path) -> None:
    started = tmp_path / "started"
    before = run(executor, "pid")

    def interrupt() -> None:
        while not started.exists():
            threading.Event().wait(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run(executor, "announce_and_wait", str(started), timeout_s=60.0)
    thread.join()
    assert run(executor, "pid") != before


def test_what_a_job_prints_comes_back_natively_printed_too(executor: LocalExecutor) -> None:
    run(executor, "say", "hello")
    assert executor.last_printed.splitlines() == ["hello", "hello to stderr", "hello natively"]
    run(executor, "double", 1)
    assert executor.last_printed == ""


def test_huge_output_is_capped(executor: LocalExecutor) -> None:
    run(executor, "flood", 5_000_000)
    assert 10_000 < len(executor.last_printed) < 100_000
    assert "more bytes were printed" in executor.last_printed


def test_errors_arrive_as_they_were(executor: LocalExecutor) -> None:
    with pytest.raises(CompileError) as caught:
        run(executor, "fail", "explained")
    assert (caught.value.cell_line, caught.value.hint) == (4, "do this")
    with pytest.raises(ValueError, match="other"):
        run(executor, "fail", "other")
    with pytest.raises(RuntimeError, match="Local: what it says"):
        run(executor, "fail", "unpicklable")
    with pytest.raises(RuntimeError, match="could not be sent back"):
        run(executor, "returns_unsendable")
    assert run(executor, "double", 4) == 8  # and the worker lives


def test_news_reach_the_listener(executor: LocalExecutor) -> None:
    heard: list[object] = []
    assert run(executor, "news", listener=heard.append) == "done"
    assert heard == [{"progress": "half"}]


def test_arguments_that_cannot_be_sent_cost_no_worker(executor: LocalExecutor) -> None:
    before = run(executor, "pid")
    with pytest.raises(Exception, match="pickle"):
        run(executor, "double", threading.Lock())
    assert run(executor, "pid") == before


def test_workers_end_with_the_notebook(tmp_path: Path) -> None:
    """A notebook that is killed leaves no worker behind."""
    code = textwrap.dedent(
        f"""
        import os, sys
        from kernel_lab.workers import local
        local.KINDS["bare"] = ({{}}, ())
        made = local.LocalExecutor()
        print(made.run("bare", "{HELPERS}:pid", timeout_s=60), flush=True)
        os._exit(1)  # as a kernel that is killed: nothing of atexit runs
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    worker = int(done.stdout)
    for _ in range(500):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{worker}/stat").exists() and Path(f"/proc/{worker}/stat").read_text().split(")")[-1].split()[0] == "Z":
            return
        threading.Event().wait(0.02)
    pytest.fail("the worker outlived its notebook")


def test_a_worker_that_died_idle_is_replaced_without_a_word(executor: LocalExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run(executor, "pid")
    os.kill(first, signal.SIGKILL)
    executor._workers["bare"].process.wait(10)
    # its death is not yet known when the next request is handed over
    monkeypatch.setattr(local.Worker, "alive", property(lambda self: True))
    assert run(executor, "pid") != first
