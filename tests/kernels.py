"""Kernels in a file, for the verbs and the command line."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


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


def wrong(x, y):
    return add(x, -y)


def nothing(x):
    return x + 1


def expected(x, y):
    return x + y
