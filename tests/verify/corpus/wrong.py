"""Wrong kernels, each with one mistake that kernels make: the bound must catch them."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from tests.verify.corpus.entry import ADD, GEMM, HEADS, QKV, ROWS, Entry
from tests.verify.corpus.kernels import (
    LOG2E,
    attention,
    attention_reference,
    causal_reference,
    chain_reference,
    gelu_tanh,
    gemm,
    half_sum,
    layer_norm,
    layer_norm_reference,
    matmul,
    nudged,
    one_element,
    part,
    softmax,
    tf32,
)

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
