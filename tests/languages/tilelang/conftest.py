"""Cells for the TileLang tests: executed as a worker executes them, with the magic line as line 1."""

from __future__ import annotations

import linecache
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kernel_lab.languages.protocol import Loaded
from kernel_lab.languages.tilelang import LANGUAGE, nvcc
from kernel_lab.problem import Problem
from kernel_lab.targets import Target

LIMITS = {"sm_80": 166_912, "sm_89": 101_376, "sm_90": 232_448, "sm_100": 232_448, "sm_120": 101_376, "gfx942": 65_536}

GEMM = """\
import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, block_M=128, block_N=128, block_K=32, stages=3, dtype="float16"):
    @T.prim_func
    def gemm(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_s = T.alloc_shared((block_M, block_K), dtype)
            B_s = T.alloc_shared((block_K, block_N), dtype)
            C_l = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_l)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                T.copy(A[by * block_M, k * block_K], A_s)
                T.copy(B[k * block_K, bx * block_N], B_s)
                T.gemm(A_s, B_s, C_l)
            T.copy(C_l, C[by * block_M, bx * block_N])
    return gemm
"""

SCALE = """\
import tilelang
import tilelang.language as T

SC = 4.0

@tilelang.jit(out_idx=[-1])
def scale(n, block=128):
    @T.prim_func
    def scaled(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
            for i in T.Parallel(block):
                y[bx * block + i] = x[bx * block + i] * SC
    return scaled
"""

BARE = """\
import tilelang.language as T

@T.prim_func
def update(x: T.Tensor((1024,), "float32"), y: T.Tensor((1024,), "float32"), total: T.Tensor((1,), "float32"),
           z: T.Tensor((1024,), "float32"), alpha: T.float32):
    with T.Kernel(8, threads=128) as bx:
        for i in T.Parallel(128):
            y[bx * 128 + i] = y[bx * 128 + i] + alpha * x[bx * 128 + i]
            z[bx * 128 + i] = x[bx * 128 + i]
            T.atomic_add(total[0], x[bx * 128 + i])
"""


def make_target(arch: str, **fields: Any) -> Target:
    """A target with the limits that matter here."""
    backend = "cuda" if arch.startswith("sm_") else "hip" if arch.startswith("gfx") else arch
    fields = {"max_shared_bytes": LIMITS.get(arch), "num_sms": 100, "warp_size": 64 if arch == "gfx942" else 32, **fields}
    return Target(arch, backend, **fields)


def load_cell(body: str, magic: str = "%%tile", file: str = "<cell test>", **names: Any) -> Loaded:
    """The cell executed in a fresh module that starts with ``names``."""
    source = f"{magic}\n{body}"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    module = types.ModuleType("tilelang_test_cell")
    module.__dict__.update(names)
    sys.modules[module.__name__] = module
    exec(compile("\n" + body, file, "exec", dont_inherit=True), module.__dict__)
    return Loaded(module, file, source)


class Cells:
    """What the tests do with a cell."""

    gemm, scale, bare = GEMM, SCALE, BARE
    target = staticmethod(make_target)
    load = staticmethod(load_cell)

    @staticmethod
    @contextmanager
    def session(arch: str, mode: Any = "compile", **fields: Any) -> Iterator[Any]:
        with LANGUAGE.session(make_target(arch, **fields), mode) as session:
            yield session

    def lower(self, body: str, entry: str | None, arch: str = "sm_80", *, names: Any = None, arguments: Any = (), **problem: Any) -> Any:
        """What a worker's lowering gives, with errors explained as a worker explains them."""
        with self.session(arch) as session:
            loaded = self.load(body, **(names or {}))
            asked = Problem(entry=entry, **problem)
            return session.lower(loaded, getattr(loaded.module, entry) if entry else None, asked, lambda: arguments)

    def inputs(self, body: str, entry: str, **problem: Any) -> Any:
        with self.session("sm_80") as session:
            loaded = self.load(body)
            return session.inputs(getattr(loaded.module, entry), Problem(entry=entry, **problem))


@pytest.fixture
def cells() -> Cells:
    return Cells()


@pytest.fixture
def without_nvcc(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """No nvcc on this machine."""
    monkeypatch.setattr(nvcc, "find_nvcc", lambda: None)
    return lambda: None
