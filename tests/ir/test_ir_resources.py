"""Resources from what assemblers print, with fields present and absent."""

from __future__ import annotations

from kernel_lab.ir import resources
from kernel_lab.results import Resources
from tests.ir.samples import sample

USAGE = """
Resource usage:
 Common:
  GLOBAL:0
 Function gemm:
  REG:202 STACK:0 SHARED:1024 LOCAL:0 CONSTANT[0]:584 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function spiller:
  REG:255 STACK:40 SHARED:0 LOCAL:0 CONSTANT[0]:584
 Function odd:
  REG:12
"""
SPILLS = """	.section	.text.spiller,"ax",@progbits
        /*0000*/                   STL.64 [R1], R2 ;
        /*0010*/              @!P0 STL [R1+0x8], R4 ;
        /*0020*/                   STL.128 [R1+0x10], R8 ;
        /*0030*/                   LDL.64 R2, [R1] ;
	.section	.text.other,"ax",@progbits
        /*0000*/                   STG.E [R2.64], R4 ;
"""


def test_usage_of_each_function() -> None:
    found = resources.parse_usage(USAGE)
    assert found["gemm"] == Resources(registers=202, spill_bytes=0, shared_bytes=1024)
    assert found["spiller"] == Resources(registers=255, spill_bytes=None, shared_bytes=0), "a stack frame need not be spills"
    assert found["odd"] == Resources(registers=12)


def test_spills_are_counted_in_the_machine_code() -> None:
    assert resources.spill_stores(SPILLS) == {"spiller": 8 + 4 + 16, "other": 0}
    assert resources.parse_usage(USAGE, SPILLS)["spiller"].spill_bytes == 28


def test_barriers_are_counted_by_their_names() -> None:
    for version in ("36", "39"):
        assert resources.barriers(sample(f"add-sm_90-triton{version}.raw.sass")) == 0
        assert resources.barriers(sample(f"softmax-sm_90-triton{version}.raw.sass")) == 1, "used several times, one barrier"
    row = "        /*0100*/              @!P0 BAR.{} ;\n"
    two = row.format("SYNC.DEFER_BLOCKING 0x0") + row.format("ARV 0x3, 0x100")
    assert resources.barriers(two) == 2
    assert resources.barriers(two + row.format("SYNC R4, 0x100")) is None, "a register names it"
    assert resources.barriers('\t.section\t.text.one,"ax"\n' + two + '\t.section\t.text.other,"ax"\n', "other") == 0


def test_nothing_known_is_no_function() -> None:
    assert resources.parse_usage("cuobjdump fatal: no") == {}


def test_amdgcn_metadata() -> None:
    found = resources.from_amdgcn(sample("gemm-gfx942-triton39.amdgcn"))
    assert found.threads == 256 and found.num_warps == 4
    assert found.registers and found.spill_bytes == 0 and found.shared_bytes == 0
    count, spilled = resources.scalar_registers(sample("gemm-gfx942-triton39.amdgcn"))
    assert count and spilled == 0


METADATA = """	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .name:           vgpr
        .offset:         0
    .name:           first
    .vgpr_count:     30
    .vgpr_spill_count: 3
  - .args:           []
    .max_flat_workgroup_size: 128
    .name:           second
    .wavefront_size: 32
...
	.end_amdgpu_metadata
"""


def test_amdgcn_kernels_by_name_and_with_fields_missing() -> None:
    assert resources.from_amdgcn(METADATA) == Resources(registers=30, spill_bytes=12)
    assert resources.from_amdgcn(METADATA, "second") == Resources(num_warps=4, threads=128)
    assert resources.from_amdgcn(METADATA, "third") == Resources()
    assert resources.from_amdgcn("") == Resources()
    assert resources.scalar_registers("") == (None, None)
