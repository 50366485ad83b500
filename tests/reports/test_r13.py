"""R13: a target that does not exist is one line that names the known ones (triton#8539)."""

from __future__ import annotations

import pytest

import kernel_lab
from kernel_lab.errors import TargetError
from tests.notebook import ADD, IMPORTS, Notebook


@pytest.mark.parametrize("name", ["sm_130", "gfx999", "compute_130", "H1000", "cc 130", ""])
def test_r13_in_a_cell(notebook: Notebook, name: str) -> None:
    ran = notebook.triton(f'add --inputs "x: f32[n], y: f32[n]" --sizes "n=8" --target "{name}"', IMPORTS + ADD)
    assert isinstance(ran.error, TargetError)
    assert len(ran.message.splitlines()) <= 2 and "sm_90" in ran.message and "gfx942" in ran.message
    assert ".version" not in ran.text and "reproducer" not in ran.text


@pytest.mark.parametrize("name", ["sm_130", "gfx999"])
def test_r13_in_the_verbs_and_as_a_default(notebook: Notebook, name: str) -> None:
    with pytest.raises(TargetError, match=name):
        kernel_lab.compile(lambda x: x, inputs="x: f32[n]", sizes="n=1", target=name)
    ran = notebook.run(f"%lab target {name}")
    assert isinstance(ran.error, TargetError)
    assert "sm_90" in notebook.run("%lab target").fine().stdout  # the default stays


def test_r13_every_known_architecture_compiles(notebook: Notebook) -> None:
    for name in ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "gfx90a", "gfx942", "gfx950", "gfx1100"):
        notebook.triton(f'add --inputs "x: f32[n], y: f32[n]" --sizes "n=256" --no-verify --target {name}', IMPORTS + ADD).fine()
        kernel = notebook.report.kernels[0]
        assert kernel.target == name
        assert ("sass" if name.startswith("sm") else "amdgcn") in kernel.stages
