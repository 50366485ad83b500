"""What tests share: a notebook's shell in this process, and the workers behind it, started once."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.notebook import Notebook


@pytest.fixture(scope="session")
def triton_workers() -> None:
    """Triton's workers, started side by side; the first test that needs them waits."""
    pytest.importorskip("triton")
    from kernel_lab.workers.local import executor

    executor().warm_up(("triton.compile", "triton.interpret"))


@pytest.fixture(scope="session")
def tile_workers() -> None:
    """TileLang's worker, started in the background."""
    pytest.importorskip("tilelang")
    from kernel_lab.workers.local import executor

    executor().warm_up(("tilelang.compile",))


@pytest.fixture(scope="session")
def _shell(triton_workers: None) -> Iterator[Notebook]:
    pytest.importorskip("IPython")
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    made = Notebook()
    yield made


@pytest.fixture
def notebook(_shell: Notebook) -> Iterator[Notebook]:
    """A notebook with the extension loaded and an empty namespace; its target is sm_90."""
    _shell.clear()
    yield _shell
