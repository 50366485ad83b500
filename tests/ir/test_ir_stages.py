"""The registry of stages and what `make_stage` makes."""

from __future__ import annotations

import time

import pytest

from kernel_lab.errors import OptionError
from kernel_lab.ir import kind, kinds, llvm, make_stage
from kernel_lab.ir.stages import KINDS, compose
from tests.ir.samples import FILE, sample


def test_the_stages_of_each_language_in_the_order_of_the_lowering() -> None:
    assert [item.name for item in kinds("triton")] == ["source", "ttir", "ttgir", "llir", "ptx", "sass", "amdgcn"]
    assert [item.name for item in kinds("tilelang")] == ["source", "tir", "tir_lowered", "cuda", "hip", "metal", "ptx", "sass"]


def test_a_name_has_one_syntax_in_all_languages() -> None:
    for item in KINDS:
        assert kind(item.name).syntax == item.syntax


@pytest.mark.parametrize(("name", "language", "said"), [("ptxx", None, "did you mean 'ptx'"), ("cubin", "triton", "amdgcn, llir, ptx")])
def test_an_unknown_stage_lists_the_known_ones(name: str, language: str | None, said: str) -> None:
    with pytest.raises(OptionError) as caught:
        kind(name, language)
    assert repr(name) in str(caught.value)
    assert said in str(caught.value)


def test_an_unknown_language_lists_the_known_ones() -> None:
    with pytest.raises(OptionError, match="tilelang, triton"):
        kinds("cutile")


def test_source_lines_are_cell_lines_after_the_offset() -> None:
    made = make_stage("source", "@triton.jit\ndef add():\n    pass\n", file=FILE, cell_offset=4)
    assert (made.syntax, made.line_map) == ("python", (5, 6, 7))


def test_the_offset_moves_mapped_lines_only() -> None:
    text = sample("add-sm_90-triton39.ttir")
    plain, moved = make_stage("ttir", text, file=FILE), make_stage("ttir", text, file=FILE, cell_offset=10)
    assert moved.line_map == tuple(None if line is None else line + 10 for line in plain.line_map)
    assert set(make_stage("ttir", text, file=FILE, cell_offset=-100).line_map) == {None}


def test_a_map_through_another_text() -> None:
    assert compose((None, 2, 1, 9), (11, 12)) == (None, 12, 11, None)
    ptx = '.file 1 "kernel.cu"\n.loc 1 2 1\nret;\n'
    assert make_stage("ptx", ptx, file="kernel.cu", through=(None, 30)).line_map == (None, None, 30)


def test_a_map_of_ones_own_must_fit() -> None:
    assert make_stage("tir", "a\nb\n", file=FILE, line_map=[1, None]).line_map == (1, None)
    assert make_stage("tir", "a\nb\n", file=FILE).line_map == (None, None)
    with pytest.raises(ValueError, match="1 entries for 2 lines"):
        make_stage("tir", "a\nb\n", file=FILE, line_map=[1])


def test_every_stage_takes_an_empty_text() -> None:
    for item in KINDS:
        assert make_stage(item.name, "", file=FILE).line_map == ()


def test_a_megabyte_of_llvm_ir_is_read_in_one_pass() -> None:
    """No quadratic step: a text of many times the size costs about as many times more (counted in steps of a clock, not asserted)."""
    text = sample("gemm-sm_90-triton39.llir")
    body, _, metadata = text.partition("attributes #0")
    large = body * (1_000_000 // len(body) + 1) + "attributes #0" + metadata
    started = time.process_time()
    mapped = llvm.line_map(large, FILE)
    assert len(mapped) == len(large.splitlines())
    print(f"{len(large)} bytes in {time.process_time() - started:.3f} s")
