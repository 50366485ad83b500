"""What each cell line costs: right counts on real machine code of two compilers, and nothing lost among unknown opcodes."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import pytest

from kernel_lab.ir import costs, opcodes, sass, stages
from kernel_lab.results import LineCost, Stage
from tests.ir.samples import FILE, cell_text, sample

VERSIONS = ("36", "39")
Counts = dict[int | None, dict[str, int]]


def stage(kernel: str, name: str, version: str) -> Stage:
    if name == "amdgcn":
        return stages.make_stage(name, sample(f"{kernel}-gfx942-triton{version}.amdgcn"), file=FILE)
    ptx = sample(f"{kernel}-sm_90-triton{version}.ptx")
    text = ptx if name == "ptx" else sass.relate(sample(f"{kernel}-sm_90-triton{version}.raw.sass"), ptx, FILE)
    return stages.make_stage(name, text, file=FILE)


def counted(kernel: str, name: str, version: str) -> Counts:
    return {cost.cell_line: dict(cost.counts) for cost in costs.line_costs(stage(kernel, name, version))}


def lines_with(found: Counts, kind: str) -> set[str | None]:
    """The texts of the cell lines that have instructions of ``kind``, whatever their width."""
    return {cell_text(line) for line, counts in found.items() for name in counts if re.sub(r" \d+$", "", name) == kind}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_masked_fp32_copy_moves_128_bits_at_a_time(version: str) -> None:
    found = counted("add", "sass", version)
    assert found[10]["global load 128"] == found[11]["global load 128"] == found[12]["global store 128"] == 2
    assert found[12]["fp32"] == 8, "1024 elements over 128 threads"
    assert not any(name.startswith(("global", "shared", "local")) and not name.endswith("128") for line in found.values() for name in line)
    assert lines_with(found, "integer") == {cell_text(line) for line in (8, 9, 10, 11, 12)}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["sass", "ptx", "amdgcn"])
def test_all_tensor_instructions_belong_to_the_dot(name: str, version: str) -> None:
    found = counted("gemm", name, version)
    assert lines_with(found, "tensor") == {"acc = tl.dot(x, y, acc)"}
    if name != "amdgcn":
        assert found[36]["tensor"] == 2 and found[34]["async copy 128"] == 6 and found[35]["async copy 64"] == 3
    else:
        assert lines_with(found, "global load") == {cell_text(34), cell_text(35)} and "global load 128" in found[34]
    assert lines_with(found, "global store") == {cell_text(37)}
    assert found[37]["conversion"] == 4


@pytest.mark.parametrize("version", VERSIONS)
def test_the_exponential_has_the_special_functions(version: str) -> None:
    found = counted("softmax", "sass", version)
    assert found[21] == {"fp32": 16, "special function": 4}
    assert lines_with(found, "special function") == {"e = tl.exp(v)", cell_text(23)}, "the other is the division's"
    assert lines_with(found, "shuffle") == {"v = v - tl.max(v, axis=0)", "s = tl.sum(e, axis=0)"}
    assert found[20]["shuffle"] == found[22]["shuffle"] == 7
    amd = counted("softmax", "amdgcn", version)
    assert amd[21]["special function"] == 2 and amd[19]["global load 64"] == 1 and amd[23]["global store 64"] == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_a_helper_costs_its_own_lines(version: str) -> None:
    found = counted("activate", "sass", version)
    assert found[41] == {"fp32": 4} and found[42]["special function"] == 8
    assert "tensor" not in found[42], "HFMA2.MMA is no matrix instruction"


@pytest.mark.parametrize(("kernel", "version"), list(itertools.product(("add", "softmax", "gemm", "activate", "squares"), VERSIONS)))
def test_every_instruction_is_counted_once_and_known(kernel: str, version: str) -> None:
    machine = stage(kernel, "sass", version)
    rows = [line for line in machine.text.splitlines() if sass.is_instruction(line) and " NOP" not in line]
    whole = costs.line_costs(machine)
    assert sum(sum(cost.counts.values()) for cost in whole) == len(rows)
    for name in ("sass", "ptx", "amdgcn"):
        found = costs.line_costs(stage(kernel, name, version))
        assert not any("other" in cost.counts for cost in found)
        assert all(opcodes.group(kind) and re.sub(r" \d+$", "", kind) in opcodes.KINDS for cost in found for kind in cost.counts)
        lines = [cost.cell_line for cost in found]
        assert lines == sorted(lines, key=lambda line: (line is None, line or 0)) and len(lines) == len(set(lines))


def test_unknown_opcodes_are_other_and_counted() -> None:
    text = "        /*0000*/                   FROBNICATE.X4 R1, R2 ;\n        /*0010*/              @P0 FADD R1, R2, R3 ;\n"
    text += "        /*0020*/                   NOP ;\n        /*0030*/                   UTMALDG.2D [UR4], [UR6] ;\n"
    assert costs.line_costs(Stage("sass", text, "sass", (7, 7, 7, None))) == (
        LineCost(7, {"other": 1, "fp32": 1}),
        LineCost(None, {"async copy": 1}),
    )
    assert costs.line_costs(Stage("amdgcn", "\tv_frobnicate v0, v1\nlabel:\n\t.loc 1 2 3\n", "amdgcn", (3, None, None))) == (
        LineCost(3, {"other": 1}),
    )
    assert costs.line_costs(Stage("ptx", "\tfrobnicate.b32 %r1, %r2;\n$L: // x\n}\n\t.reg .b32 %r<3>;\n", "ptx")) == (
        LineCost(None, {"other": 1}),
    )


@pytest.mark.parametrize(
    ("syntax", "opcode", "kind"),
    [
        ("sass", "LDG.E.U16.CONSTANT", "global load 16"),
        ("sass", "LDG.E.LTC128B.64", "global load 64"),
        ("sass", "LDSM.16.MT88.4", "shared load 128"),
        ("sass", "STSM.16.M88.2", "shared store 64"),
        ("sass", "LDL.LU.128", "local load 128"),
        ("sass", "STL", "local store 32"),
        ("sass", "LDGSTS.E.BYPASS.128", "async copy 128"),
        ("sass", "UBLKCP.S.G", "async copy"),
        ("sass", "UTCHMMA.2CTA", "tensor"),
        ("sass", "RED.E.ADD.F32.FTZ.RN.STRONG.GPU", "atomic"),
        ("sass", "BAR.SYNC.DEFER_BLOCKING", "control"),
        ("sass", "DFMA", "fp64"),
        ("sass", "HFMA2.BF16_V2", "fp16"),
        ("amdgcn", "v_mfma_f32_32x32x8_f16", "tensor"),
        ("amdgcn", "v_wmma_f32_16x16x16_f16", "tensor"),
        ("amdgcn", "global_load_ushort", "global load 16"),
        ("amdgcn", "buffer_load_dwordx4", "global load 128"),
        ("amdgcn", "global_load_b64", "global load 64"),
        ("amdgcn", "ds_read2st64_b64", "shared load 128"),
        ("amdgcn", "ds_load_2addr_stride64_b32", "shared load 64"),
        ("amdgcn", "ds_read_u16_d16_hi", "shared load 16"),
        ("amdgcn", "scratch_store_dwordx2", "local store 64"),
        ("amdgcn", "global_atomic_add_f32", "atomic"),
        ("amdgcn", "ds_add_rtn_u32", "atomic"),
        ("amdgcn", "v_rsq_f32_e32", "special function"),
        ("amdgcn", "v_ldexp_f32", "fp32"),
        ("amdgcn", "v_pk_fma_f16", "fp16"),
        ("amdgcn", "v_lshl_add_u64", "integer"),
        ("amdgcn", "s_waitcnt", "control"),
        ("amdgcn", "s_and_saveexec_b64", "control"),
        ("ptx", "ld.global.v4.b32", "global load 128"),
        ("ptx", "st.shared.v2.f64", "shared store 128"),
        ("ptx", "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "shared load 128"),
        ("ptx", "ld.param.u64", "constant load 64"),
        ("ptx", "wgmma.wait_group.sync.aligned", "control"),
        ("ptx", "cp.async.commit_group", "control"),
        ("ptx", "atom.global.gpu.acq_rel.add.f32", "atomic"),
        ("ptx", "ex2.approx.ftz.f32", "special function"),
        ("ptx", "fma.rn.f16x2", "fp16"),
        ("ptx", "mad.lo.s32", "integer"),
        ("ptx", "and.pred", "control"),
    ],
)
def test_kinds_and_widths(syntax: str, opcode: str, kind: str) -> None:
    assert costs.classify(syntax, opcode) == kind


def test_spills_and_copies_to_lds_by_buffer_instructions() -> None:
    text = "\tbuffer_store_dword v1, off, s[0:3], 0 offset:4 ; 4-byte Folded Spill\n\tbuffer_load_dwordx4 v1, s[0:3], 0 offen lds\n"
    assert costs.line_costs(Stage("amdgcn", text, "amdgcn", (1, 1))) == (LineCost(1, {"local store 32": 1, "async copy 128": 1}),)


def test_one_opcode_has_one_kind_and_each_row_a_source() -> None:
    named = Counter(opcode for row in opcodes.SASS for opcode in row.opcodes.split())
    assert [opcode for opcode, times in named.items() if times > 1] == []
    for row in (*opcodes.SASS, *opcodes.AMDGCN, *opcodes.PTX):
        assert row.source and row.kind in opcodes.KINDS


def test_machine_code_is_counted_before_ptx_and_ptx_where_there_is_no_more() -> None:
    both = {name: stage("add", name, "39") for name in ("ptx", "sass")}
    assert costs.of_stages(both) == (costs.line_costs(both["sass"]), "sass")
    found, name = costs.of_stages({"ptx": both["ptx"]})
    assert name == "ptx" and {cost.cell_line: cost for cost in found}[10].counts["global load 128"] == 2
    assert costs.of_stages({}) == ((), None)


def test_a_function_among_several_is_counted_alone() -> None:
    text = '\t.section\t.text.one,"ax",@progbits\n        /*0000*/  EXIT ;\n'
    text += '\t.section\t.text.two,"ax",@progbits\n        /*0000*/  FADD R1, R2, R3 ;\n'
    assert costs.line_costs(Stage("sass", text, "sass"), "two") == (LineCost(None, {"fp32": 1}),)
    ptx = ".visible .entry one(\n\t.param .u64 a\n)\n{\n\tret;\n}\n.visible .entry two(\n)\n{\n\tadd.f32 %f1, %f2, %f3;\n}\n"
    assert costs.line_costs(Stage("ptx", ptx, "ptx"), "two") == (LineCost(None, {"fp32": 1}),)


def test_a_megabyte_of_machine_code_is_counted() -> None:
    one = stage("gemm", "sass", "39")
    times = 1 + 1_000_000 // len(one.text)
    large = Stage("sass", one.text * times, "sass", one.line_map * times)
    found = costs.line_costs(large)
    assert found[0].counts == {kind: times * count for kind, count in costs.line_costs(one)[0].counts.items()}
