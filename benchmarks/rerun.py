"""How much the workbench adds: a warm ``%%triton`` re-run against a bare ``triton.compile`` of the same kernel, as ratios in one run.

Each round changes a number in the kernel's text, so that neither side finds it in a cache. Also: an unchanged cell run again,
and ``%load_ext``.
The bare compile runs in a process of its own that has compiled before.

    python benchmarks/rerun.py [--rounds N] [--json FILE]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ADD = """\
import torch, triton, triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    value = tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)
    tl.store(o_ptr + offsets, value + 0.0 * ROUND, mask=mask)

def add(x, y):
    o = torch.empty_like(x)
    n = o.numel()
    add_kernel[(triton.cdiv(n, 1024),)](x, y, o, n, BLOCK=1024)
    return o
"""
SOFTMAX = """\
import torch, triton, triton.language as tl

@triton.jit
def softmax_kernel(x_ptr, o_ptr, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * stride + offsets, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0)) + 0.0 * ROUND
    tl.store(o_ptr + row * stride + offsets, e / tl.sum(e, axis=0), mask=mask)

def softmax(x):
    o = torch.empty_like(x)
    softmax_kernel[(x.shape[0],)](x, o, x.stride(0), x.shape[1], BLOCK=1024)
    return o
"""
GEMM = """\
import torch, triton, triton.language as tl

@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32) + 0.0 * ROUND
    for k in range(0, K, BK):
        ks = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + ks[None, :], mask=ks[None, :] < K, other=0.0)
        b = tl.load(b_ptr + ks[:, None] * N + columns[None, :], mask=ks[:, None] < K, other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(tl.float16))

def matmul(a, b):
    c = torch.empty((a.shape[0], b.shape[1]), dtype=torch.float16)
    matmul_kernel[(a.shape[0] // 128, b.shape[1] // 128)](a, b, c, a.shape[0], b.shape[1], a.shape[1], BM=128, BN=128, BK=64)
    return c
"""
# name → (cell, magic line, kernel, signature, constants)
CASES: dict[str, tuple[str, str, str, dict[str, str], dict[str, int]]] = {
    "add": (
        ADD, 'add --inputs "x: f32[n], y: f32[n]" --sizes "n=98432"', "add_kernel",
        {"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 1024},
    ),
    "softmax": (
        SOFTMAX, 'softmax --inputs "x: f32[M, N]" --sizes "M=64, N=768"', "softmax_kernel",
        {"x_ptr": "*fp32", "o_ptr": "*fp32", "stride": "i32", "columns": "i32", "BLOCK": "constexpr"}, {"BLOCK": 1024},
    ),
    "gemm": (
        GEMM, 'matmul --inputs "a: f16[M, K], b: f16[K, N]" --sizes "M=512, N=512, K=512"', "matmul_kernel",
        {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16", "M": "i32", "N": "i32", "K": "i32",
         "BM": "constexpr", "BN": "constexpr", "BK": "constexpr"}, {"BM": 128, "BN": 128, "BK": 64},
    ),
}  # fmt: skip
BARE = """
import importlib.util, json, sys, time
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
for line in sys.stdin:
    ask = json.loads(line)
    spec = importlib.util.spec_from_file_location("bare", ask["file"])
    module = importlib.util.module_from_spec(spec)
    start = time.perf_counter()
    spec.loader.exec_module(module)
    kernel = getattr(module, ask["kernel"])
    names = list(ask["signature"])
    attrs = {(i,): [["tt.divisibility", 16]] for i, name in enumerate(names) if name not in ask["constants"]}
    constants = {(names.index(name),): value for name, value in ask["constants"].items()}
    triton.compile(ASTSource(kernel, ask["signature"], constants, attrs), target=GPUTarget("cuda", 90, 32))
    print(time.perf_counter() - start, flush=True)
"""


def main() -> None:
    """Print the table, and write it as JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    start = time.perf_counter()
    shell.run_line_magic("load_ext", "kernel_lab")
    rows: dict[str, Any] = {"load_ext_ms": (time.perf_counter() - start) * 1e3}
    import torch  # noqa: F401
    import triton  # noqa: F401

    with tempfile.TemporaryDirectory() as folder:
        bare = subprocess.Popen(
            [sys.executable, "-c", BARE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**__import__("os").environ, "TRITON_CACHE_DIR": folder, "TRITON_DEFAULT_FP_FUSION": "1"},
        )  # fmt: skip
        print(f"{'kernel':<10}{'bare compile':>14}{'re-run':>10}{'ratio':>8}{'over':>10}{'unchanged':>12}")
        for name, case in CASES.items():
            rows[name] = _case(shell, bare, Path(folder), case, given.rounds)
            row = rows[name]
            print(
                f"{name:<10}{row['bare_s']:>12.3f} s{row['rerun_s']:>8.3f} s{row['ratio']:>8.2f}"
                f"{(row['rerun_s'] - row['bare_s']) * 1e3:>7.0f} ms{row['unchanged_s'] * 1e3:>9.0f} ms"
            )
        assert bare.stdin is not None
        bare.stdin.close()
        bare.wait(10)
    print(f"%load_ext {rows['load_ext_ms']:.0f} ms")
    if given.json:
        from kernel_lab.jobs import versions

        given.json.write_text(json.dumps({"versions": versions(), "python": sys.version.split()[0], **rows}, indent=1) + "\n")


def _case(shell: Any, bare: Any, folder: Path, case: tuple[str, str, str, dict[str, str], dict[str, int]], rounds: int) -> dict[str, float]:
    cell, line, kernel, signature, constants = case
    bare_s, rerun_s, unchanged_s = [], [], []
    for number in range(rounds + 1):
        text = cell.replace("ROUND", f"{number}.0")
        file = folder / f"{kernel}_{number}.py"
        file.write_text(text)
        bare.stdin.write(json.dumps({"file": str(file), "kernel": kernel, "signature": signature, "constants": constants}) + "\n")
        bare.stdin.flush()
        bare_time = float(bare.stdout.readline())
        rerun_time = _run(shell, line, text)
        unchanged = _run(shell, line, text)
        if number:  # the first round warms both up
            bare_s.append(bare_time)
            rerun_s.append(rerun_time)
            unchanged_s.append(unchanged)
    ratio = statistics.median(rerun / one for rerun, one in zip(rerun_s, bare_s, strict=True))
    medians = map(statistics.median, (bare_s, rerun_s, unchanged_s))
    return dict(zip(("bare_s", "rerun_s", "unchanged_s"), medians, strict=True)) | {"ratio": ratio}


def _run(shell: Any, line: str, text: str) -> float:
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        result = shell.run_cell(f"%%triton {line} --target sm_90 --no-verify\n{text}")
    result.raise_error()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
