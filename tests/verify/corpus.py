"""Kernels emulated in torch, right ones and wrong ones: they set the constants of the bound.

Each entry is computed the way a GPU kernel computes it (blocks of K, float32 accumulators, `exp2`, online rescaling, probabilities
rounded to float16), or with one mistake that kernels make.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F

LOG2E = 1.4426950408889634


@dataclass(frozen=True)
class Entry:
    """A kernel with its reference; ``options`` go to `verify`."""

    name: str
    run: Callable[..., Any]
    reference: Callable[..., Any]
    inputs: str
    sizes: Mapping[str, int]
    options: Mapping[str, Any] = field(default_factory=dict)
    scale: float = 1.0


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


GEMM = "a: {0}[M, K], b: {0}[K, N]"
ROWS = "x: {0}[M, N], w: {0}[N], b: {0}[N]"
QKV = "q: {0}[B, H, M, D], k: {0}[B, H, M, D], v: {0}[B, H, M, D]"
ADD = "x: {0}[n], y: {0}[n]"
HEADS = {"B": 1, "H": 2, "M": 200, "D": 64}

RIGHT = [
    *(
        Entry(f"gemm {dtype} K={k}", gemm, matmul, GEMM.format(dtype), {"M": 24, "N": 16, "K": k})
        for dtype in ("f16", "bf16", "f32")
        for k in (1, 7, 64, 1000, 32768)
    ),
    Entry("gemm f32 split K", lambda a, b: gemm(a, b, splits=8), matmul, GEMM.format("f32"), {"M": 40, "N": 24, "K": 4096}),
    Entry("gemm f32 blocks of 16", lambda a, b: gemm(a, b, block=16), matmul, GEMM.format("f32"), {"M": 40, "N": 24, "K": 8192}),
    Entry("gemm f32 one FMA after the other", sequential, matmul, GEMM.format("f32"), {"M": 16, "N": 16, "K": 2048}),
    Entry("gemm f32 large values", gemm, matmul, GEMM.format("f32"), {"M": 16, "N": 16, "K": 512}, scale=1e15),
    Entry(
        "gemm f64",
        lambda a, b: sum(a[:, i : i + 8] @ b[i : i + 8] for i in range(0, 512, 8)),
        matmul,
        GEMM.format("f64"),
        {"M": 16, "N": 16, "K": 512},
    ),
    Entry(
        "gemm tf32",
        lambda a, b: gemm(a, b, operand=tf32),
        matmul,
        GEMM.format("f32"),
        {"M": 40, "N": 24, "K": 512},
        {"dot_precision": "tf32"},
    ),
    Entry(
        "gemm tf32 truncated",
        lambda a, b: gemm(a, b, operand=tf32_truncated),
        matmul,
        GEMM.format("f32"),
        {"M": 40, "N": 24, "K": 3},
        {"dot_precision": "tf32"},
    ),
    Entry(
        "gemm f8",
        lambda a, b: (a.float() @ b.float()).half(),
        lambda a, b: a.float() @ b.float(),
        GEMM.format("f8e4m3"),
        {"M": 16, "N": 16, "K": 256},
    ),
    Entry(
        "gemm and bias and relu",
        lambda a, b, c: torch.relu(a.float() @ b.float() + c.float()).half(),
        lambda a, b, c: torch.relu(a @ b + c),
        GEMM.format("f16") + ", c: f16[N]",
        {"M": 40, "N": 24, "K": 512},
    ),
    Entry("gemm written to a view", lambda a, b: gemm(b.T, a.T).T, matmul, GEMM.format("f32"), {"M": 40, "N": 24, "K": 100}),
    *(
        Entry(f"softmax {dtype} n={n}", softmax, lambda x: torch.softmax(x, -1), f"x: {dtype}[M, N]", {"M": 32, "N": n})
        for dtype in ("f16", "bf16", "f32")
        for n in (1, 781, 8000)
    ),
    Entry("softmax f32 large values", softmax, lambda x: torch.softmax(x, -1), "x: f32[M, N]", {"M": 32, "N": 300}, scale=1000.0),
    Entry("softmax spelt out", softmax, lambda x: torch.exp(x) / torch.exp(x).sum(-1, keepdim=True), "x: f32[M, N]", {"M": 32, "N": 300}),
    *(
        Entry(f"layer norm {name} {dtype}", run, layer_norm_reference, ROWS.format(dtype), {"M": 16, "N": 1151})
        for dtype in ("f16", "bf16", "f32")
        for name, run in (
            ("two passes", layer_norm),
            ("one pass", lambda x, w, b: layer_norm(x, w, b, one_pass=True)),
            ("Welford", welford),
        )
    ),
    Entry("rms norm f16", rms, rms_reference, "x: f16[M, N], w: f16[N]", {"M": 16, "N": 1000}),
    Entry("rms norm f32", rms, rms_reference, "x: f32[M, N], w: f32[N]", {"M": 16, "N": 1000}),
    *(Entry(f"sum {n}", serial_sum, torch.sum, "x: f32[n]", {"n": n}) for n in (1, 100, 98432)),
    Entry("sum f16", serial_sum, torch.sum, "x: f16[n]", {"n": 5000}),
    Entry("mean over rows", lambda x: x.float().flip(0).sum(0) / x.shape[0], lambda x: x.mean(0), "x: f32[M, N]", {"M": 1000, "N": 33}),
    Entry("cumsum", lambda x: x.double().cumsum(0).float(), lambda x: x.cumsum(0), "x: f32[n]", {"n": 3000}),
    Entry("logsumexp", lambda x: torch.log(torch.exp(x).sum(-1)), lambda x: torch.logsumexp(x, -1), "x: f32[M, N]", {"M": 9, "N": 1000}),
    Entry("attention f16", attention, attention_reference, QKV.format("f16"), HEADS),
    Entry("attention bf16", attention, attention_reference, QKV.format("bf16"), HEADS),
    Entry("attention f32", attention, attention_reference, QKV.format("f32"), HEADS),
    Entry(
        "attention f16, nothing rounded", lambda q, k, v: attention(q, k, v, narrow=False), attention_reference, QKV.format("f16"), HEADS
    ),
    Entry("attention f16, reference rounds", attention, attention_fp32_reference, QKV.format("f16"), HEADS),
    Entry("attention f16 causal", lambda q, k, v: attention(q, k, v, causal=True), causal_reference, QKV.format("f16"), HEADS),
    Entry(
        "attention f16, float32 reference",
        attention,
        lambda q, k, v: attention_reference(q.float(), k.float(), v.float()),
        QKV.format("f16"),
        HEADS,
    ),
    Entry("attention f16, sharp", attention, attention_reference, QKV.format("f16"), HEADS, scale=4.0),
    *(Entry(f"add {dtype}", torch.add, torch.add, ADD.format(dtype), {"n": 1000}) for dtype in ("f32", "f16", "bf16", "f64", "i32", "i64")),
    Entry("chain bf16", chain, chain_reference, ADD.format("bf16"), {"n": 4000}),
    Entry("chain f16", chain, chain_reference, ADD.format("f16"), {"n": 4000}),
    Entry("chain f32", chain, chain_reference, ADD.format("f32"), {"n": 4000}),
    Entry("gelu", gelu, F.gelu, "x: f32[n]", {"n": 4000}, scale=3.0),
    Entry("gelu tanh", gelu_tanh, lambda x: F.gelu(x, approximate="tanh"), "x: f32[n]", {"n": 4000}, scale=3.0),
    Entry("gelu f16", gelu, F.gelu, "x: f16[n]", {"n": 4000}, scale=3.0),
    Entry("exp2", lambda x: torch.exp2(x * LOG2E), torch.exp, "x: f32[n]", {"n": 4000}, scale=10.0),
    Entry("rsqrt", lambda x: 1 / torch.sqrt(x * x + 1), lambda x: torch.rsqrt(x * x + 1), "x: f32[n]", {"n": 4000}),
    Entry("divide", lambda x, y: x * (1 / y), torch.div, ADD.format("f32"), {"n": 4000}),
    Entry("overflow to inf", lambda x: (x.float() * x.float()).half(), lambda x: x * x, "x: f16[n]", {"n": 1000}, scale=150.0),
    Entry("nan where it is due", torch.log, torch.log, "x: f32[n]", {"n": 1000}),
    Entry(
        "quantise",
        lambda x: (x * 10).round().clamp(-128, 127).to(torch.int8),
        lambda x: torch.round(x / 0.1).clamp(-128, 127).to(torch.int8),
        "x: f32[n]",
        {"n": 4000},
    ),
    Entry("mask", torch.gt, torch.gt, ADD.format("f32"), {"n": 1000}),
    Entry("embedding", F.embedding, F.embedding, "i: i64[n] < V, w: f32[V, D]", {"n": 50, "V": 30, "D": 8}),
    Entry(
        "cross entropy",
        lambda x, t: (torch.log(torch.exp(x).sum(-1)) - x.gather(1, t[:, None])[:, 0]).mean(),
        F.cross_entropy,
        "x: f32[M, N], t: i64[M] < N",
        {"M": 50, "N": 300},
    ),
    Entry(
        "convolution",
        lambda x, w: F.conv2d(x.double(), w.double(), padding=1).float(),
        lambda x, w: F.conv2d(x, w, padding=1),
        "x: f32[2, 8, n, n], w: f32[4, 8, 3, 3]",
        {"n": 16},
    ),
]

WRONG = [
    *(
        Entry(
            f"half accumulator K={k}",
            lambda a, b: gemm(a, b, block=16, accumulator=torch.float16),
            matmul,
            GEMM.format("f16"),
            {"M": 24, "N": 16, "K": k},
        )
        for k in (64, 512, 4096)
    ),
    Entry(
        "bfloat16 accumulator",
        lambda a, b: gemm(a, b, block=32, accumulator=torch.bfloat16),
        matmul,
        GEMM.format("bf16"),
        {"M": 40, "N": 24, "K": 512},
    ),
    *(
        Entry(f"last k dropped {dtype} K={k}", lambda a, b: gemm(a, b, drop=1), matmul, GEMM.format(dtype), {"M": 24, "N": 16, "K": k})
        for dtype in ("f16", "bf16", "f32")
        for k in (65, 4097)
    ),
    Entry("tf32 where float32 was asked", lambda a, b: gemm(a, b, operand=tf32), matmul, GEMM.format("f32"), {"M": 40, "N": 24, "K": 512}),
    Entry(
        "bfloat16 operands for tf32",
        lambda a, b: gemm(a, b, operand=lambda x: x.bfloat16().float()),
        matmul,
        GEMM.format("f32"),
        {"M": 40, "N": 24, "K": 512},
        {"dot_precision": "tf32"},
    ),
    Entry("scale forgotten", lambda a, b: a @ b, lambda a, b: (a @ b) * 0.125, GEMM.format("f16"), {"M": 40, "N": 24, "K": 64}),
    Entry("strides swapped", lambda a, b: (a @ b).T.contiguous(), matmul, GEMM.format("f16"), {"M": 32, "N": 32, "K": 64}),
    Entry("operand transposed", lambda a, b: a.T @ b, matmul, GEMM.format("f32"), {"M": 32, "N": 32, "K": 32}),
    Entry("off by one row", lambda a, b: (a @ b).roll(1, 0), matmul, GEMM.format("f32"), {"M": 33, "N": 32, "K": 64}),
    Entry("mask tail missing", part(torch.add, slice(0, 98304)), torch.add, ADD.format("f32"), {"n": 98432}),
    Entry(
        "bias forgotten", lambda a, b, c: a @ b, lambda a, b, c: a @ b + c, GEMM.format("f16") + ", c: f16[N]", {"M": 40, "N": 24, "K": 64}
    ),
    Entry(
        "no maximum subtracted",
        lambda x: softmax(x, subtract=False),
        lambda x: torch.softmax(x, -1),
        "x: f32[M, N]",
        {"M": 8, "N": 300},
        scale=100.0,
    ),
    Entry("wrong axis", lambda x: torch.softmax(x, 0), lambda x: torch.softmax(x, -1), "x: f32[M, N]", {"M": 32, "N": 32}),
    Entry(
        "last column out of the sum",
        lambda x: torch.cat([softmax(x[:, :-1]), softmax(x)[:, -1:]], 1),
        lambda x: torch.softmax(x, -1),
        "x: f16[M, N]",
        {"M": 32, "N": 781},
    ),
    Entry(
        "padding in the sum",
        lambda x: softmax(F.pad(x, (0, 7)))[:, :-7],
        lambda x: torch.softmax(x, -1),
        "x: f16[M, N]",
        {"M": 32, "N": 1017},
    ),
    Entry("wrong eps", lambda x, w, b: layer_norm(x, w, b, eps=1e-3), layer_norm_reference, ROWS.format("f32"), {"M": 16, "N": 500}),
    Entry("wrong eps, small", lambda x, w, b: layer_norm(x, w, b, eps=1e-6), layer_norm_reference, ROWS.format("f32"), {"M": 16, "N": 500}),
    Entry("eps forgotten", lambda x, w, b: layer_norm(x, w, b, eps=0.0), layer_norm_reference, ROWS.format("f32"), {"M": 16, "N": 500}),
    Entry(
        "unbiased variance",
        lambda x, w, b: layer_norm(x, w, b, unbiased=True),
        layer_norm_reference,
        ROWS.format("f32"),
        {"M": 16, "N": 500},
    ),
    Entry(
        "unbiased variance f16",
        lambda x, w, b: layer_norm(x, w, b, unbiased=True),
        layer_norm_reference,
        ROWS.format("f16"),
        {"M": 16, "N": 100},
    ),
    Entry(
        "float16 mean",
        lambda x, w, b: layer_norm(x, w, b, mean_dtype=torch.float16),
        layer_norm_reference,
        ROWS.format("f16"),
        {"M": 16, "N": 8192},
    ),
    Entry("float16 sum", half_sum, lambda x: x.sum(1), "x: f16[M, N]", {"M": 32, "N": 5000}),
    Entry("attention without 1/√d", lambda q, k, v: attention(q, k, v, scale=1.0), attention_reference, QKV.format("f16"), HEADS),
    Entry("attention drops a key", lambda q, k, v: attention(q, k, v, drop=1), attention_reference, QKV.format("f16"), HEADS),
    Entry("attention not causal", attention, causal_reference, QKV.format("f16"), HEADS),
    Entry(
        "attention with log2e forgotten",
        lambda q, k, v: attention(q, k, v, scale=0.125 / LOG2E),
        attention_reference,
        QKV.format("f16"),
        HEADS,
    ),
    *(
        Entry(f"one element {dtype}", one_element(torch.add, 500, nudged), torch.add, ADD.format(dtype), {"n": 1000})
        for dtype in ("f32", "f16", "bf16")
    ),
    Entry("one element of a product", one_element(gemm, 77, lambda v: v + 0.5), matmul, GEMM.format("f16"), {"M": 40, "N": 24, "K": 512}),
    Entry("one integer", one_element(torch.add, 3, lambda v: v + 1), torch.add, ADD.format("i64"), {"n": 1000}),
    Entry("stale element", one_element(torch.add, 999, lambda v: v * 0), torch.add, ADD.format("f32"), {"n": 1000}),
    Entry("one NaN", one_element(torch.add, 1, lambda v: v * torch.nan), torch.add, ADD.format("f32"), {"n": 1000}),
    Entry("NaN missing", lambda x: torch.log(x).nan_to_num(), torch.log, "x: f32[n]", {"n": 1000}),
    Entry(
        "inf clamped", lambda x: (x.float() * x.float()).clamp(-65504, 65504).half(), lambda x: x * x, "x: f16[n]", {"n": 1000}, scale=150.0
    ),
    Entry("inf of the wrong sign", lambda x: -1 / (x * 0).abs(), lambda x: 1 / (x * 0).abs(), "x: f32[n]", {"n": 100}),
    Entry("chain without tanh", lambda x, y: F.silu(x) * y + y * 0.5, chain_reference, ADD.format("bf16"), {"n": 4000}),
    Entry("gelu by tanh", gelu_tanh, F.gelu, "x: f32[n]", {"n": 4000}),
    Entry("gelu by sigmoid", lambda x: x * torch.sigmoid(1.702 * x), F.gelu, "x: f16[n]", {"n": 4000}),
    Entry("truncated division", lambda x: torch.div(x, 2, rounding_mode="trunc"), lambda x: x // 2, "x: i32[n]", {"n": 100}),
    Entry("wrong shape", lambda x: x.sum(-1, keepdim=True), lambda x: x.sum(-1), "x: f32[M, N]", {"M": 8, "N": 8}),
    Entry("float for integers", lambda x: x.float(), lambda x: x, "x: i32[n]", {"n": 8}),
    Entry("nothing written", lambda x: torch.empty_like(x), lambda x: x, "x: i32[n]", {"n": 8}),
    Entry(
        "quantised by truncation",
        lambda x: (x * 10).clamp(-128, 127).to(torch.int8),
        lambda x: torch.round(x / 0.1).clamp(-128, 127).to(torch.int8),
        "x: f32[n]",
        {"n": 4000},
    ),
]
