"""Facts about stages: each is right on real text and not misled by look-alikes."""

from __future__ import annotations

import pytest

from kernel_lab.ir import facts
from tests.ir.samples import sample


def test_a_dot_is_seen_in_triton_ir_and_not_in_a_comment() -> None:
    assert facts.uses_dot(sample("gemm-sm_90-triton39.ttir"))
    assert not facts.uses_dot(sample("softmax-sm_90-triton39.ttir"))
    assert not facts.uses_dot("// tt.dot was here\n")
    assert facts.uses_dot("%r = tt.dot_scaled %a scale %s, %b : x\n")


@pytest.mark.parametrize("name", ["gemm-sm_90-triton39.ptx", "gemm-sm_90-triton36.raw.sass", "gemm-gfx942-triton39.amdgcn"])
def test_tensor_cores_in_a_matrix_product(name: str) -> None:
    assert facts.uses_tensor_cores(sample(name))


@pytest.mark.parametrize("name", ["activate-sm_90-triton39.ptx", "activate-sm_90-triton39.raw.sass", "activate-gfx942-triton39.amdgcn"])
def test_no_tensor_cores_in_elementwise_code(name: str) -> None:
    assert not facts.uses_tensor_cores(sample(name))


def test_the_elementwise_sample_holds_the_look_alike() -> None:
    """``HFMA2.MMA`` is a fused multiply-add on the plain cores' half-precision path."""
    assert "HFMA2.MMA" in sample("activate-sm_90-triton39.raw.sass")


@pytest.mark.parametrize(
    "line",
    [
        "	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1}, {%r2}, {%r3}, {%r4};",
        "	@%p1 tcgen05.mma.cta_group::1.kind::f16 [ %r1 ], %rd1, %rd2, %r3, %p2;",
        "        /*0100*/                   HMMA.16816.F32 R4, R8, R12, R4 ;",
        "        /*0100*/              @!UP0 UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR8], tmem[UR10], idesc[UR11], UPT ;",
        "        /*0100*/                   IMMA.16832.S8.S8 R4, R8, R12, R4 ;",
        "	v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
        "	v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10",
    ],
)
def test_matrix_instructions_of_every_kind(line: str) -> None:
    assert facts.uses_tensor_cores(line + "\n")


@pytest.mark.parametrize(
    "line", ["// mma.sync is not here", "	; v_mfma_f32", '	.file 1 "wgmma.py"', "        /*0100*/  IMAD R1, R2, R3, R4 ;"]
)
def test_words_that_are_no_matrix_instructions(line: str) -> None:
    assert not facts.uses_tensor_cores(line + "\n")


def test_vector_widths_of_a_vector_add() -> None:
    found = facts.vector_widths(sample("add-sm_90-triton39.ptx"))
    assert found == {"ld.global.v4.b32": 4, "st.global.v4.b32": 2}
    assert {facts.access_bytes(name) for name in found} == {16}


def test_vector_widths_leave_out_cache_hints() -> None:
    text = """
	ld.global.L1::evict_last.L2::cache_hint.v2.b64 { %rd1, %rd2 }, [ %rd3 ], %rd4;
	@%p1 st.weak.global.cg.b16 [ %rd1 ], { %rs1 };
	ld.volatile.global.u32 %r1, [%rd1]; // ld.global.v4.b32
	ld.shared.b32 %r1, [%r2];
"""
    assert facts.vector_widths(text) == {"ld.global.v2.b64": 1, "st.global.b16": 1, "ld.global.u32": 1}
    assert facts.access_bytes("ld.global.v2.b64") == 16
    assert facts.access_bytes("st.global.b16") == 2
