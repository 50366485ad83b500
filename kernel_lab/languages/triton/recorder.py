"""What a lowering run saw: kernels as they were compiled, their launches, the configurations that were rejected.

Receives the offline driver's launches and the compiler's results, and turns them into plain `Kernel`s.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kernel_lab.errors import KernelLabError
from kernel_lab.languages.triton import artifacts
from kernel_lab.results import Argument, Finding, Kernel, Launch, Rejected
from kernel_lab.targets import Target

_HIDDEN_OPTIONS = {"num_ctas": 1, "maxnreg": None, "ir_override": None}


@dataclass
class _Compiled:
    kernel: Any
    source: Any
    configuration: dict[str, Any]
    launches: list[Launch] = field(default_factory=list)


@dataclass
class Recorder:
    """Collects one lowering run. ``deadline`` (`time.monotonic`) bounds the configurations of autotuned kernels."""

    target: Target
    file: str = ""
    deadline: float = float("inf")
    progress: Callable[[str], None] | None = None
    compiled: dict[str, _Compiled] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    configuration: dict[str, Any] = field(default_factory=dict)
    launched_nothing: list[str] = field(default_factory=list)

    def add(self, kernel: Any, source: Any) -> None:
        """A kernel was compiled (or found in the cache)."""
        self.compiled.setdefault(kernel.hash, _Compiled(kernel, source, dict(self.configuration)))
        if self.progress is not None:
            self.progress(f"compiled {kernel.name}")

    def launched(self, source: Any, metadata: Any, grid: tuple[int, int, int], args: tuple[Any, ...]) -> None:
        """A launch reached the driver (`offline.Sink`)."""
        entry = self.compiled.get(metadata.hash)
        if entry is None:
            return
        if 0 in grid:
            self.find(f"{metadata.name}: grid {grid} has no programs, so this launch does nothing", code="empty-grid")
        launch = Launch(tuple(grid), describe_arguments(source, args))
        if launch not in entry.launches:
            entry.launches.append(launch)

    def registers(self, binary: bytes, name: str) -> tuple[int, int]:
        """See `offline.Sink`."""
        resources = artifacts.binary_resources(binary, name)
        return resources.registers or 32, 0

    def reject(self, kernel: str, configuration: Mapping[str, Any], error: BaseException, line: int | None) -> None:
        """A configuration did not compile."""
        reason = error.what if isinstance(error, KernelLabError) else str(error)
        self.rejected.append(Rejected(kernel, shown(configuration), reason.strip().splitlines()[0][:300] if reason.strip() else "", line))

    def find(self, text: str, *, line: int | None = None, code: str | None = None) -> None:
        """Note a finding once."""
        finding = Finding(text, line, code)
        if finding not in self.findings:
            self.findings.append(finding)

    def out_of_time(self) -> bool:
        """Whether the budget for further configurations is spent."""
        return time.monotonic() > self.deadline

    def kernels(self) -> tuple[Kernel, ...]:
        """What was compiled, in order, with stages and resources."""
        return tuple(
            artifacts.kernel(item.kernel, item.source, self.target, self.file, shown(item.configuration), tuple(item.launches))
            for item in self.compiled.values()
        )


def shown(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration without options at their defaults."""
    return {key: value for key, value in configuration.items() if key not in _HIDDEN_OPTIONS or value != _HIDDEN_OPTIONS[key]}


def describe_arguments(source: Any, args: tuple[Any, ...]) -> tuple[Argument, ...]:
    """The arguments of a launch with the types and assumptions that the kernel was specialised on."""
    found = []
    for index, (name, kind) in enumerate(source.signature.items()):
        assumptions = tuple(f"divisible by {value}" for key, value in _attributes(source, index) if key == "tt.divisibility")
        value = args[index] if index < len(args) else None
        text = None if hasattr(value, "data_ptr") or isinstance(value, (tuple, list)) or hasattr(value, "block_shape") else str(value)
        if kind == "constexpr":
            constant = source.constants.get((index,), value)
            text = str(getattr(constant, "value", constant))
        found.append(Argument(name, str(kind), text, assumptions))
    return tuple(found)


def _attributes(source: Any, index: int) -> list[Any]:
    value = (source.attrs or {}).get((index,), [])
    return [pair for pair in value if len(pair) == 2]
