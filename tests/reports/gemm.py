"""A Triton GEMM whose tile and pipeline are options."""

from __future__ import annotations

from tests.notebook import IMPORTS


def gemm(M: int, N: int, K: int, stages: int = 4, warps: int = 8, dtype: str = "tl.float16") -> str:
    """The cell: computes a @ b for sizes that the tile divides."""
    return (
        IMPORTS
        + f"""
@triton.jit
def kernel(a_ptr, b_ptr, o_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + i[:, None] * K + (start + k)[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * N + j[None, :])
        total = tl.dot(a, b, total)
    tl.store(o_ptr + i[:, None] * N + j[None, :], total.to({dtype}))

def matmul(a, b):
    M, K = a.shape
    N = b.shape[1]
    o = torch.empty((M, N), dtype=a.dtype)
    kernel[(M // {M}, N // {N})](a, b, o, M, N, K, BM={M}, BN={N}, BK={K}, num_stages={stages}, num_warps={warps})
    return o
"""
    )
