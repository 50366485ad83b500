"""A notebook without a browser: runs cells in an IPython shell in this process and keeps what they show."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any

from kernel_lab.errors import KernelLabError

IMPORTS = "import torch, triton\nimport triton.language as tl\n"

ADD = """
@triton.jit
def add_kernel(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)
    tl.store(o_ptr + at, x + y, mask=at < n)

def add(x, y):
    o = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 256),)](x, y, o, x.numel(), BLOCK=256)
    return o
"""

LINE = 'add --inputs "x: f32[n], y: f32[n]" --sizes "n=1000" --ref torch.add'
CELL = IMPORTS + ADD


def short(error: BaseException | None) -> str:
    """The message of one of the package's own errors, which is never long."""
    assert isinstance(error, KernelLabError), repr(error)
    assert len(str(error).splitlines()) < 12
    return str(error)


@dataclass
class Ran:
    """What one cell did: ``stdout``, the displayed bundles (the last state of those that were updated), the error, the value."""

    stdout: str
    displays: list[dict[str, Any]]
    error: BaseException | None
    value: Any = None
    updates: list[dict[str, Any]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Everything shown as plain text, what was printed included."""
        return self.stdout + "\n".join(str(item.get("text/plain", "")) for item in self.displays)

    @property
    def message(self) -> str:
        """The error's message."""
        assert self.error is not None, f"no error was raised; shown was:\n{self.text}"
        return str(self.error)

    def fine(self) -> Ran:
        """Itself; fails when the cell raised."""
        if self.error is not None:
            raise AssertionError(f"{type(self.error).__name__}: {self.error}") from self.error
        return self


class Notebook:
    """One shell with the extension loaded."""

    def __init__(self) -> None:
        from IPython.core.interactiveshell import InteractiveShell

        self.shell = InteractiveShell.instance()
        self.shell.colors = "nocolor" if hasattr(self.shell, "colors") else self.shell.colors
        self.run("%load_ext kernel_lab").fine()
        self.own = dict(self.shell.user_ns)

    def clear(self) -> None:
        """Forget all names, and compile for sm_90 again."""
        self.shell.user_ns.clear()
        self.shell.user_ns.update(self.own)
        self.run("%lab target sm_90").fine()

    @property
    def names(self) -> dict[str, Any]:
        """The namespace."""
        return self.shell.user_ns

    def run(self, text: str) -> Ran:
        """Run one cell; never raises."""
        from IPython.core.displaypub import DisplayPublisher
        from IPython.utils.capture import capture_output

        text = textwrap.dedent(text).strip("\n") + "\n"
        shown: dict[Any, dict[str, Any]] = {}
        every: list[dict[str, Any]] = []

        class Publisher(DisplayPublisher):
            """Keeps displays, newest state by display id."""

            def publish(self, data: Any, metadata: Any = None, *, transient: Any = None, update: bool = False, **rest: Any) -> None:
                every.append(data)
                shown[(transient or {}).get("display_id", len(every))] = data

        publisher, self.shell.display_pub = self.shell.display_pub, Publisher()
        try:
            with capture_output(display=False) as captured:
                result = self.shell.run_cell(text)
        finally:
            self.shell.display_pub = publisher
        error = result.error_before_exec or result.error_in_exec
        return Ran(captured.stdout, list(shown.values()), error, result.result, every)

    def triton(self, line: str, body: str) -> Ran:
        """Run a ``%%triton`` cell."""
        return self.run(f"%%triton {line}\n{textwrap.dedent(body).strip()}\n")

    def tile(self, line: str, body: str) -> Ran:
        """Run a ``%%tile`` cell."""
        return self.run(f"%%tile {line}\n{textwrap.dedent(body).strip()}\n")

    @property
    def report(self) -> Any:
        """The latest report."""
        import kernel_lab

        return kernel_lab.last()
