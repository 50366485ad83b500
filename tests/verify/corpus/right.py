"""Right kernels, each near the edge of what its precision can do: the bound must let them pass."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from tests.verify.corpus.entry import ADD, GEMM, HEADS, QKV, ROWS, Entry
from tests.verify.corpus.kernels import (
    LOG2E,
    attention,
    attention_fp32_reference,
    attention_reference,
    causal_reference,
    chain,
    chain_reference,
    gelu,
    gelu_tanh,
    gemm,
    layer_norm,
    layer_norm_reference,
    matmul,
    rms,
    rms_reference,
    sequential,
    serial_sum,
    softmax,
    tf32,
    tf32_truncated,
    welford,
)

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
