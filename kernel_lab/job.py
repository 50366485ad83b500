"""A job: what one worker is asked to do for one cell, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kernel_lab.cell import Cell
from kernel_lab.languages.protocol import Mode
from kernel_lab.problem import Problem
from kernel_lab.targets import Target

# Names under which the Python verbs hand their functions over
ENTRY = "__kernel_lab_entry__"
REFERENCE = "__kernel_lab_reference__"


@dataclass(frozen=True)
class Job:
    """Compile, verify or measure one entry for one target.

    ``cell`` is None when the entry is handed over as an object (the Python verbs). ``unsent`` says which names of the notebook
    could not travel.
    """

    language: str
    target: Target
    mode: Mode
    problem: Problem
    cell: Cell | None = None
    file: str = "<cell cell>"
    unsent: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 120.0
    options: Mapping[str, Any] = field(default_factory=dict)
