"""Functions that tests run in worker processes, named there as "tests.workers.helpers:NAME"."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from typing import Any


def double(value: Any) -> Any:
    return value * 2


def pid() -> int:
    return os.getpid()


def say(text: str) -> str:
    print(text)
    print(text + " to stderr", file=sys.stderr)
    os.write(2, f"{text} natively\n".encode())
    return text


def flood(count: int) -> int:
    os.write(1, b"x" * count)
    return count


def leave(status: int) -> None:
    print("last words")
    os._exit(status)


def segfault() -> None:
    ctypes.string_at(0)


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def wait_for(path: str) -> None:
    while not os.path.exists(path):
        time.sleep(0.01)


def announce_and_wait(started: str) -> None:
    with open(started, "w"):
        pass
    time.sleep(600)


def fail(kind: str) -> None:
    if kind == "explained":
        from kernel_lab.errors import CompileError

        raise CompileError("no", cell_line=4, excerpt="x = y", hint="do this")
    if kind == "unpicklable":

        class Local(Exception):
            def __reduce__(self) -> Any:
                raise TypeError("never")

        raise Local("what it says")
    raise ValueError(kind)


def returns_unsendable() -> Any:
    return sys._getframe()


def news() -> str:
    from kernel_lab.workers import child

    child.emit({"progress": "half"})
    return "done"


def environment(name: str) -> str | None:
    return os.environ.get(name)


def call(function: Any, *args: Any) -> Any:
    return function(*args)


def source_of(function: Any) -> tuple[str, str, int]:
    import inspect

    return inspect.getsource(function), function.__code__.co_filename, function.__code__.co_firstlineno


def add_in_place(value: Any, amount: float) -> None:
    value += amount


def same_storage(one: Any, two: Any) -> bool:
    return bool(one.untyped_storage().data_ptr() == two.untyped_storage().data_ptr())


def give_back(value: Any) -> Any:
    return value


def describe_kernel(kernel: Any) -> dict[str, Any]:
    """What a Triton kernel object is made of, outermost first."""
    found: dict[str, Any] = {"layers": []}
    while True:
        found["layers"].append(type(kernel).__name__)
        if hasattr(kernel, "configs"):
            found["configs"] = [(dict(config.kwargs), config.num_warps) for config in kernel.configs]
            found["keys"] = list(kernel.keys)
            found["reset"] = list(kernel.reset_to_zero or [])
        if isinstance(getattr(kernel, "values", None), dict):
            found["values"] = list(kernel.values)
        if hasattr(kernel, "params"):
            found["params"] = [(param.name, param.is_constexpr, param.do_not_specialize) for param in kernel.params]
        if not hasattr(kernel, "fn") or type(kernel.fn).__name__ == "function":
            return found
        kernel = kernel.fn
