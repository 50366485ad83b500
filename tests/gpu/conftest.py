"""Tests that need a GPU; without one they are skipped, with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernel_lab.targets import machine

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if machine.here() is None:
        skip = pytest.mark.skip(reason="needs a GPU, and this machine has none")
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(skip)
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.gpu)
