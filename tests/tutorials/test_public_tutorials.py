"""Triton's public tutorials 01–06 and 08, unmodified, through ``%%triton``: compiled for NVIDIA and AMD, verified in the interpreter.

Their text is not ours to ship: name a folder that holds the files, ``KERNEL_LAB_TRITON_TUTORIALS=…/triton/python/tutorials``.
What is cut is the trailing part: tests, benchmarks and driver code. Tutorial 04 needs ``tabulate``, 06 ``pytest``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import kernel_lab
from tests.notebook import Notebook

FOLDER = os.environ.get("KERNEL_LAB_TRITON_TUTORIALS")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(FOLDER is None, reason="KERNEL_LAB_TRITON_TUTORIALS names no folder with Triton's tutorials"),
    pytest.mark.timeout(1200),
]

ATTENTION = (
    "lambda q, k, v, causal, scale, ws: torch.softmax((q @ k.transpose(2, 3) * scale)"
    ".masked_fill(~torch.ones(q.shape[2], q.shape[2], dtype=torch.bool).tril()"
    " if causal else torch.zeros(1, dtype=torch.bool), -float('inf'))"
    ", -1) @ v"
)


def attention_line(causal: bool) -> str:
    inputs = f"lambda Z, H, N, D: (*[torch.randn(Z, H, N, D, dtype=torch.float16) * 0.5 for _ in range(3)], {causal}, 0.5, False)"
    return f'attention --make-inputs "{inputs}" --sizes "Z=1, H=2, N=256, D=64" --grad --ref "{ATTENTION}"'


PAIRS = "([torch.randn(s, s, dtype=torch.float16) for _ in range(2)], [torch.randn(s, s, dtype=torch.float16) for _ in range(2)])"
# file → (where its driver code begins, the magic lines)
TUTORIALS: dict[str, tuple[str, list[str]]] = {
    "01-vector-add.py": (
        r"^torch\.manual_seed",
        ['add --inputs "x: f32[n], y: f32[n]" --sizes "n=98432" --ref torch.add'],
    ),
    "02-fused-softmax.py": (
        r"^# %%\n# Unit Test",
        ['softmax --inputs "x: f32[M, N]" --sizes "M=183, N=781" --ref "lambda x: torch.softmax(x, 1)"'],
    ),
    "03-matrix-multiplication.py": (
        r"^# %%\n# Unit Test",
        ['matmul --inputs "a: f16[M, K], b: f16[K, N]" --sizes "M=512, N=512, K=512" --ref torch.matmul'],
    ),
    "05-layer-norm.py": (
        r"^def test_layer_norm",
        [
            'layer_norm --make-inputs "lambda M, N: (torch.randn(M, N), (N,), torch.rand(N), torch.rand(N), 1e-5)" '
            '--sizes "M=151, N=512" --grad --ref torch.nn.functional.layer_norm'
        ],
    ),
    "06-fused-attention.py": (r"^@pytest\.mark\.parametrize", [attention_line(True), attention_line(False)]),
    "08-grouped-gemm.py": (
        r"^group_m = ",
        [
            f'group_gemm_fn --make-inputs "lambda s: {PAIRS}" --sizes "s=256" --ref "lambda A, B: [a @ b for a, b in zip(A, B)]"',
            f'group_gemm_tma_fn --make-inputs "lambda s: {PAIRS}" --sizes "s=256" --ref "lambda A, B: [a @ b.T for a, b in zip(A, B)]"',
        ],
    ),
}


def text_of(name: str) -> str:
    assert FOLDER is not None
    text = (Path(FOLDER) / name).read_text()
    cut = TUTORIALS[name][0] if name in TUTORIALS else r"^# %%\n# Exercises"
    found = re.search(cut, text, re.M)
    return text[: found.start()] if found else text


def cases() -> list[tuple[str, str, str]]:
    found = [(name, line, target) for name, (_, lines) in TUTORIALS.items() for line in lines for target in ("sm_90", "gfx942")]
    # 08's descriptor kernel asserts a GPU with TMA
    return [case for case in found if not (case[1].startswith("group_gemm_tma") and case[2] == "gfx942")]


@pytest.mark.parametrize(("name", "line", "target"), cases())
def test_a_tutorial_compiles_and_verifies(notebook: Notebook, name: str, line: str, target: str) -> None:
    notebook.run("import torch").fine()
    notebook.run(f"%%triton {line} --target {target} --timeout 900\n{text_of(name)}").fine()
    report = kernel_lab.last()
    assert report is not None and report.verdict is not None and report.verdict.passed is True, report
    last_stage = "sass" if target.startswith("sm") else "amdgcn"
    assert report.kernels and all(last_stage in kernel.stages for kernel in report.kernels)
    assert all(item.reason for item in report.rejected)
    if "--grad" in line:
        assert any("grad" in (case.output or "") for case in report.verdict.cases)


def test_dropout_by_seed_zeros_scale_and_share(notebook: Notebook) -> None:
    pytest.importorskip("tabulate")
    made = '--make-inputs "lambda n: (torch.randn(n), 0.5, 123)" --sizes "n=1000"'
    for target, stage in (("sm_90", "sass"), ("gfx942", "amdgcn")):
        notebook.run(f"%%triton seeded_dropout {made} --target {target}\n{text_of('04-low-memory-dropout.py')}").fine()
        report = kernel_lab.last()
        assert report is not None and stage in report.kernels[0].stages
    notebook.run("import torch\nx = torch.randn(10000)\ny, same, other = (seeded_dropout(x, p=0.25, seed=s) for s in (1, 1, 2))").fine()
    x, y, same, other = (notebook.names[name] for name in ("x", "y", "same", "other"))
    assert (y == same).all() and (y != other).any()
    kept = y != 0
    assert abs(kept.float().mean().item() - 0.75) < 0.03
    assert (y[kept] - x[kept] / 0.75).abs().max() < 1e-5
