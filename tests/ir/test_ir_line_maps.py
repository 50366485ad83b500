"""Line maps on what Triton 3.6 and 3.9 really write: each marked instruction must lead to the cell line that caused it."""

from __future__ import annotations

import re

import pytest

from kernel_lab.ir import make_stage, sass
from tests.ir.samples import CELL, FILE, cell_text, sample

# kernel → what the cell says → instructions that come from there and from nowhere else in this kernel
MLIR = {
    "add": {"a = tl.load": r"tt\.load %a", "b = tl.load": r"tt\.load %b", "tl.store": r"tt\.store"},
    "softmax": {
        "v = tl.load": r"tt\.load",
        "tl.max": r"arith\.maxnumf|axis = 0.*\n.*%v_",
        "tl.sum": r"arith\.addf",
        "tl.exp": r"math\.exp",
        "tl.store": r"tt\.store",
    },
    "gemm": {
        "x = tl.load": r"async_copy_global_to_local %x|tt\.load %x",
        "y = tl.load": r"async_copy_global_to_local %y|tt\.load %y",
        "tl.dot": r"warp_group_dot |tt\.dot ",
        "for i in range": r"scf\.for",
        "tl.store": r"tt\.store",
    },
    "activate": {
        "t = x *": r"%t\w* = arith\.mulf",
        "tl.sigmoid": r"math\.exp|arith\.divf",
        "tl.store": r"tt\.store",
        "v = tl.load": r"tt\.load",
    },
}
PTX = {
    "add": {"a = tl.load|b = tl.load": r"ld\.global", "tl.store": r"st\.global"},
    "softmax": {
        "v = tl.load": r"ld\.global",
        "tl.max": r"max\.f32",
        "tl.exp": r"ex2\.approx",
        "tl.max|tl.sum": r"shfl\.sync",
        "tl.store": r"st\.global|div\.full",
    },
    "gemm": {"[xy] = tl.load": r"cp\.async\.c[ga]", "tl.dot": r"wgmma\.mma_async|wgmma\.fence", "tl.store": r"st\.global"},
    "activate": {"tl.sigmoid": r"ex2\.approx|div\.full", "v = tl.load": r"ld\.global", "tl.store": r"st\.global"},
    "squares": {"z = v - tl.sum|q = tl.sum": r"shfl\.sync", "v = tl.load": r"ld\.global"},
}
SASS = {
    "add": {"a = tl.load|b = tl.load": r"\bLDG", "tl.store": r"\bSTG"},
    "softmax": {"v = tl.load": r"\bLDG", "tl.max|tl.sum": r"\bSHFL", "tl.exp": r"MUFU\.EX2", "tl.store": r"\bSTG"},
    "gemm": {"[xy] = tl.load": r"\bLDGSTS|LDGDEPBAR", "tl.dot": r"\bHGMMA", "tl.store": r"\bSTG"},
    "activate": {"tl.sigmoid": r"MUFU\.EX2", "v = tl.load": r"\bLDG", "tl.store": r"\bSTG"},
    "squares": {"z = v - tl.sum|q = tl.sum": r"\bSHFL", "v = tl.load": r"\bLDG"},
}
AMDGCN = {
    "add": {"a = tl.load|b = tl.load": r"global_load", "tl.store": r"global_store"},
    "softmax": {"v = tl.load": r"buffer_load", "tl.exp": r"v_exp_f32", "tl.max|tl.sum": r"row_bcast", "tl.store": r"buffer_store"},
    "gemm": {"[xy] = tl.load": r"global_load", "tl.dot": r"v_mfma", "tl.store": r"global_store"},
    "activate": {"tl.sigmoid": r"v_exp_f32|v_rcp_f32", "v = tl.load": r"global_load", "tl.store": r"global_store"},
    "squares": {"z = v - tl.sum|q = tl.sum": r"row_bcast", "v = tl.load": r"buffer_load|global_load"},
}
LLVM = {
    "softmax": {"v = tl.load": r"ld\.global", "tl.max|tl.sum": r"call.*shfl", "tl.exp": r"call.*ex2", "tl.store": r"st\.global"},
    "gemm": {"[xy] = tl.load": r"cp\.async\.c[ga]", "tl.dot": r"wgmma\.mma_async", "tl.store": r"st\.global"},
    "activate": {"tl.sigmoid": r"call.*ex2", "v = tl.load": r"ld\.global", "tl.store": r"st\.global"},
    "squares": {"z = v - tl.sum|q = tl.sum": r"call.*shfl", "v = tl.load": r"ld\.global"},
}
CASES = [
    *((kernel, "sm_90", "39", "ttir", want) for kernel, want in MLIR.items()),
    *((kernel, "sm_90", version, "ttgir", want) for version in ("36", "39") for kernel, want in MLIR.items()),
    *((kernel, "sm_90", "39", "llir", want) for kernel, want in LLVM.items()),
    *((kernel, "sm_90", version, "ptx", want) for version in ("36", "39") for kernel, want in PTX.items()),
    *((kernel, "sm_90", version, "sass", want) for version in ("36", "39") for kernel, want in SASS.items()),
    *((kernel, "gfx942", version, "amdgcn", want) for version in ("36", "39") for kernel, want in AMDGCN.items()),
]


def stage_text(kernel: str, target: str, version: str, stage: str) -> str:
    stem = f"{kernel}-{target}-triton{version}"
    if stage == "sass":
        return sass.relate(sample(f"{stem}.raw.sass"), sample(f"{stem}.ptx"), FILE)
    return sample(f"{stem}.{stage}")


@pytest.mark.parametrize(
    ("kernel", "target", "version", "stage", "wanted"), CASES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_instructions_lead_to_the_lines_that_caused_them(
    kernel: str, target: str, version: str, stage: str, wanted: dict[str, str]
) -> None:
    text = stage_text(kernel, target, version, stage)
    made = make_stage(stage, text, file=FILE)
    assert len(made.line_map) == len(text.splitlines())
    for where, instructions in wanted.items():
        hits = [
            (line, cell_text(at)) for line, at in zip(text.splitlines(), made.line_map, strict=True) if re.search(instructions, code(line))
        ]
        assert hits, f"no {instructions} in {stage}"
        wrong = [(line.strip(), at) for line, at in hits if at is None or not re.search(where, at)]
        assert not wrong, f"{wrong[:3]} should come from {where}"


def code(line: str) -> str:
    """The line without comments and declarations, which come from no line."""
    bare = line.strip()
    return "" if bare.startswith(("//", ";", "declare", ".")) else line


@pytest.mark.parametrize("version", ["36", "39"])
@pytest.mark.parametrize(
    ("target", "stage", "shuffle"), [("sm_90", "ptx", "shfl"), ("sm_90", "sass", "SHFL"), ("gfx942", "amdgcn", "row_bcast")]
)
def test_two_calls_of_one_library_function_stay_apart(version: str, target: str, stage: str, shuffle: str) -> None:
    text = stage_text("squares", target, version, stage)
    made = make_stage(stage, text, file=FILE)
    order = [cell_text(at) for line, at in zip(text.splitlines(), made.line_map, strict=True) if shuffle in code(line)]
    first, second = "z = v - tl.sum(v, axis=0)", "q = tl.sum(z * z, axis=0)"
    assert set(order) == {first, second}
    assert order.count(first) == order.count(second)
    assert order.index(second) == order.count(first), "the first sum is done before the second begins"


@pytest.mark.parametrize("version", ["36", "39"])
def test_an_opening_line_of_a_region_has_the_place_of_its_operation(version: str) -> None:
    text = sample(f"softmax-sm_90-triton{version}.ttgir")
    made = make_stage("ttgir", text, file=FILE)
    places = [cell_text(at) for line, at in zip(text.splitlines(), made.line_map, strict=True) if '"tt.reduce"' in line]
    assert places == ["v = v - tl.max(v, axis=0)", "s = tl.sum(e, axis=0)"]


def test_masked_loads_are_not_moved_down_by_the_lines_of_their_inline_assembly() -> None:
    text = sample("add-sm_90-triton39.ptx")
    made = make_stage("ptx", text, file=FILE)
    moved = [line for line in text.splitlines() if re.match(r"\s*\.loc\s+1 1[3-9] ", line)]
    assert moved, "the sample should contain locations below the kernel's last line"
    last = max(number for number, line in enumerate(CELL, 1) if "tl.store(out + offs, a + b" in line)
    assert max(at for at in made.line_map if at is not None) == last


def test_disassembly_without_ptx_follows_call_chains() -> None:
    text = sample("softmax-sm_90-triton39.raw.sass")
    made = make_stage("sass", text, file=FILE)
    places = {cell_text(at) for line, at in zip(text.splitlines(), made.line_map, strict=True) if "SHFL" in line}
    assert places == {"v = v - tl.max(v, axis=0)", "s = tl.sum(e, axis=0)"}


def test_related_disassembly_says_in_its_markers_what_its_map_says() -> None:
    text = stage_text("activate", "sm_90", "39", "sass")
    assert ".nv_debug_ptx_txt" not in text
    marked = {int(number) for number in re.findall(r'//## File "<cell 8f3a2c>", line (\d+)', text)}
    mapped = set(make_stage("sass", text, file=FILE).line_map) - {None}
    assert marked == mapped


@pytest.mark.parametrize("stage", ["ttir", "ttgir", "llir", "ptx", "sass"])
def test_another_file_has_no_lines_here(stage: str) -> None:
    made = make_stage(stage, stage_text("softmax", "sm_90", "39", stage), file="<cell 000000>")
    assert set(made.line_map) == {None}
