"""Kernels emulated in torch, with switches for the mistakes that kernels make, and their references.

They compute the way a GPU kernel does: blocks of K, float32 accumulators, `exp2`, online rescaling, probabilities rounded to float16.
"""

from __future__ import annotations

import itertools
import math

import torch
import torch.nn.functional as F

LOG2E = 1.4426950408889634


# Products ----------------------------------------------------------------------------------------------------------------


def gemm(a, b, block=64, splits=1, accumulator=torch.float32, drop=0, operand=lambda x: x):  # type: ignore[no-untyped-def]
    """K in blocks, added to an accumulator in order; several partial accumulators added at the end."""
    k = a.shape[1] - drop
    edges = [round(k * s / splits) for s in range(splits + 1)]
    parts = []
    for low, high in itertools.pairwise(edges):
        total = torch.zeros(a.shape[0], b.shape[1], dtype=accumulator)
        for start in range(low, high, block):
            stop = min(start + block, high)
            total = total + (operand(a[:, start:stop].float()) @ operand(b[start:stop].float())).to(accumulator)
        parts.append(total)
    return sum(parts[1:], parts[0]).to(a.dtype)


def sequential(a, b):  # type: ignore[no-untyped-def]
    """One fused multiply-add after the other, in float32."""
    total = torch.zeros(a.shape[0], b.shape[1])
    for k in range(a.shape[1]):
        total = (total.double() + a[:, k : k + 1].double() * b[k].double()).float()
    return total.to(a.dtype)


def tf32(x):  # type: ignore[no-untyped-def]
    """Operands rounded to 11 significant bits."""
    bits = x.contiguous().view(torch.int32)
    return ((bits + 0x1000) & ~0x1FFF).view(torch.float32)


def tf32_truncated(x):  # type: ignore[no-untyped-def]
    return (x.contiguous().view(torch.int32) & ~0x1FFF).view(torch.float32)


def matmul(a, b):  # type: ignore[no-untyped-def]
    return a @ b


# Rows --------------------------------------------------------------------------------------------------------------------


def softmax(x, block=128, subtract=True):  # type: ignore[no-untyped-def]
    """Online: the maximum and the sum are rescaled block by block, exp2 of the scaled argument."""
    z = x.float() * torch.tensor(LOG2E, dtype=torch.float32)
    largest = torch.full(z.shape[:-1], -torch.inf)
    total = torch.zeros(z.shape[:-1])
    for part in z.split(block, -1):
        new = torch.maximum(largest, part.amax(-1)) if subtract else torch.zeros_like(largest)
        total = total * torch.exp2(largest - new) + torch.exp2(part - new[..., None]).sum(-1)
        largest = new
    return (torch.exp2(z - largest[..., None]) * (1 / total)[..., None]).to(x.dtype)


def layer_norm(x, w, b, eps=1e-5, one_pass=False, mean_dtype=torch.float32, unbiased=False):  # type: ignore[no-untyped-def]
    z = x.float()
    n = z.shape[-1]
    if mean_dtype == torch.float32:
        mean = z.sum(-1, keepdim=True) / n
    else:
        total = torch.zeros(z.shape[:-1], dtype=mean_dtype)
        for part in x.to(mean_dtype).split(16, -1):
            total = (total + part.float().sum(-1).to(mean_dtype)).to(mean_dtype)
        mean = (total.float() / n)[..., None]
    variance = (z * z).mean(-1, keepdim=True) - mean * mean if one_pass else ((z - mean) ** 2).sum(-1, keepdim=True) / (n - unbiased)
    return ((z - mean) * torch.rsqrt(variance + eps) * w.float() + b.float()).to(x.dtype)


def welford(x, w, b):  # type: ignore[no-untyped-def]
    z = x.float()
    mean = torch.zeros(z.shape[0])
    square = torch.zeros(z.shape[0])
    for index in range(z.shape[1]):
        delta = z[:, index] - mean
        mean = mean + delta / (index + 1)
        square = square + delta * (z[:, index] - mean)
    rstd = torch.rsqrt(square / z.shape[1] + 1e-5)
    return ((z - mean[:, None]) * rstd[:, None] * w.float() + b.float()).to(x.dtype)


def layer_norm_reference(x, w, b):  # type: ignore[no-untyped-def]
    return F.layer_norm(x, (x.shape[-1],), w, b)


def rms_reference(x, w):  # type: ignore[no-untyped-def]
    return (x.float() * torch.rsqrt((x.float() ** 2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * w


def rms(x, w, eps=1e-6):  # type: ignore[no-untyped-def]
    z = x.float()
    return (z * torch.rsqrt((z * z).sum(-1, keepdim=True) / z.shape[-1] + eps) * w.float()).to(x.dtype)


def serial_sum(x):  # type: ignore[no-untyped-def]
    """Lanes of 128, each added one after the other, then a tree: float32."""
    total = torch.zeros(128)
    for part in F.pad(x.float(), (0, -x.numel() % 128)).view(-1, 128):
        total = total + part
    while total.numel() > 1:
        total = total[::2] + total[1::2]
    return total[0].to(x.dtype)


def half_sum(x):  # type: ignore[no-untyped-def]
    """Sums of rows in lanes that add in float16."""
    total = torch.zeros(x.shape[0], 16, dtype=torch.float16)
    for block in F.pad(x, (0, -x.shape[1] % 16)).split(16, 1):
        total = total + block
    return total.float().sum(1).to(x.dtype)


# Attention -----------------------------------------------------------------------------------------------------------------


def attention(q, k, v, block=32, scale=None, causal=False, accumulator=torch.float32, narrow=True, drop=0):  # type: ignore[no-untyped-def]
    """Flash attention: online softmax, probabilities rounded to the inputs' dtype before the second product."""
    scale = (1 / math.sqrt(q.shape[-1]) if scale is None else scale) * LOG2E
    m = torch.full(q.shape[:-1], -torch.inf)
    length = torch.zeros(q.shape[:-1])
    out = torch.zeros(q.shape)
    rows, keys = torch.arange(q.shape[-2]), torch.arange(k.shape[-2])
    for start in range(0, k.shape[-2] - drop, block):
        stop = min(start + block, k.shape[-2] - drop)
        s = q.float() @ k[..., start:stop, :].float().mT * scale
        if causal:
            s = torch.where(rows[:, None] >= keys[None, start:stop], s, -torch.inf)
        new = torch.maximum(m, s.amax(-1))
        p = torch.exp2(s - new[..., None])
        p = torch.where(p.isnan(), 0.0, p)
        alpha = torch.where(m == -torch.inf, 0.0, torch.exp2(m - new))
        length = length * alpha + p.sum(-1)
        product = (p.to(q.dtype).float() if narrow else p) @ v[..., start:stop, :].float()
        out = (out * alpha[..., None] + product).to(accumulator).float()
        m = new
    return (out / length[..., None]).to(q.dtype)


def attention_reference(q, k, v):  # type: ignore[no-untyped-def]
    return torch.softmax(q @ k.mT * (1 / math.sqrt(q.shape[-1])), -1) @ v


def attention_fp32_reference(q, k, v):  # type: ignore[no-untyped-def]
    p = torch.softmax((q @ k.mT * (1 / math.sqrt(q.shape[-1]))).float(), -1).half()
    return p @ v


def causal_reference(q, k, v):  # type: ignore[no-untyped-def]
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


# Elementwise ---------------------------------------------------------------------------------------------------------------


def chain(x, y):  # type: ignore[no-untyped-def]
    """bfloat16 in, float32 inside, bfloat16 out."""
    a, b = x.float(), y.float()
    return (a * torch.sigmoid(a) * b + torch.tanh(b) * 0.5).to(x.dtype)


def chain_reference(x, y):  # type: ignore[no-untyped-def]
    return F.silu(x) * y + torch.tanh(y) * 0.5


def gelu(x):  # type: ignore[no-untyped-def]
    z = x.float()
    return (0.5 * z * (1 + torch.erf(z * 0.7071067811865476))).to(x.dtype)


def gelu_tanh(x):  # type: ignore[no-untyped-def]
    """tanh through exp2, as kernels write it."""
    z = x.float()
    inner = 0.7978845608028654 * (z + 0.044715 * z * z * z)
    return (z * (1 - 1 / (torch.exp2(2 * inner * LOG2E) + 1))).to(x.dtype)


def part(function, keep):  # type: ignore[no-untyped-def]
    """Only a part of the output is written."""

    def run(*arguments):  # type: ignore[no-untyped-def]
        whole = function(*arguments)
        out = torch.empty_like(whole)
        out[keep] = whole[keep]
        return out

    return run


def one_element(function, index, change):  # type: ignore[no-untyped-def]
    """One element is changed."""

    def run(*arguments):  # type: ignore[no-untyped-def]
        out = function(*arguments)
        flat = out.view(-1)
        flat[index] = change(flat[index])
        return out

    return run


def nudged(x):  # type: ignore[no-untyped-def]
    """Twice the allowed relative error of an exactly rounded result, and then some."""
    return x * (1 + 8 * torch.finfo(x.dtype).eps)
