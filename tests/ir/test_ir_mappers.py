"""The mappers on small texts, each with one thing that can go wrong."""

from __future__ import annotations

from kernel_lab.ir import amdgcn, directives, llvm, locations, ptx, sass
from kernel_lab.ir.files import caller_in, same_file

FILE = "<cell aa>"


def only(line_map: tuple[int | None, ...]) -> list[int]:
    return [line for line in line_map if line is not None]


def test_a_file_is_recognised_with_a_directory_and_split_from_it() -> None:
    assert same_file("<cell aa>", FILE)
    assert same_file("/home/me/<cell aa>", FILE)
    assert same_file("<cell aa>", FILE, "/home/me")
    assert same_file("kernel.py", "/home/me/kernel.py", "/home/me/")
    assert not same_file("other.py", "/home/me/kernel.py", "/home/me")
    assert not same_file("<cell aab>", FILE)
    assert not same_file("x<cell aa>", FILE)


def test_callers_in_comments_are_read_from_the_inside_out() -> None:
    chain = "standard.py:50:21 @[ <cell aa>:42:16 @[ <cell aa>:48:9 ] ]"
    assert caller_in(chain, FILE) == 42
    assert caller_in("standard.py:50:21 @[ other.py:1:1 @[ <cell aa>:48:9 ] ]", FILE) == 48
    assert caller_in("standard.py:50:21", FILE) is None


def mlir(location: str, aliases: str = "") -> int | None:
    return locations.line_map(f"%0 = arith.addf %a, %b : f32 loc({location})\n{aliases}", FILE)[0]


def test_mlir_locations_of_every_form() -> None:
    assert mlir('"<cell aa>":7:3') == 7
    assert mlir('"<cell aa>":7:3 to :9') == 7
    assert mlir('"/x/standard.py":7:3') is None
    assert mlir("unknown") is None
    assert mlir('"name"("<cell aa>":7:3)') == 7
    assert mlir('"name"') is None
    assert mlir('callsite("/x/standard.py":1:1 at "<cell aa>":8:2)') == 8
    assert mlir('callsite("<cell aa>":3:1 at "<cell aa>":8:2)') == 3
    assert mlir('callsite(callsite("/a.py":1:1 at "/b.py":2:2) at "n"("<cell aa>":8:2))') == 8
    assert mlir('callsite(unknown at callsite("/b.py":2:2 at "<cell aa>":8:2))') == 8
    assert mlir('fused["/a.py":1:1, "<cell aa>":5:2, "<cell aa>":6:1]') == 5
    assert mlir('fused<"meta", [1, 2]>["<cell aa>":5:2]') == 5
    assert mlir("#loc12", '#loc12 = loc("x"(#loc3))\n#loc3 = loc("<cell aa>":4:1)\n') == 4
    assert mlir("#loc1", "#loc1 = loc(#loc2)\n#loc2 = loc(#loc1)\n") is None
    assert mlir("#loc9") is None


def test_mlir_names_that_look_like_locations_do_not_confuse() -> None:
    text = '%m = ttg.local_alloc(%x) {s = "loc(1)"} : f32 loc("<cell aa>":7:3)\n%n = ttg.local_alloc(%x)\n'
    assert locations.line_map(text, FILE) == (7, None)


def test_mlir_regions_and_their_else() -> None:
    text = """scf.if %c {
  %a = op loc("<cell aa>":3:1)
} else {
  %b = op loc("<cell aa>":5:1)
} loc("<cell aa>":2:1)
"""
    assert locations.line_map(text, FILE) == (2, 3, 2, 5, 2)


LLVM = """define void @f() !dbg !4 {
  %1 = add i32 1, 2, !dbg !10
  %2 = add i32 1, 2, !dbg !11
  %3 = add i32 1, 2, !dbg !14
  %4 = add i32 1, 2
  #dbg_value(i32 %1, !9, !DIExpression(), !10)
}
!1 = !DIFile(filename: "<cell aa>", directory: "/home/me")
!2 = !DIFile(filename: "standard.py", directory: "/x")
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, unit: !0)
!5 = distinct !DILexicalBlockFile(scope: !4, file: !2, discriminator: 0)
!6 = distinct !DILexicalBlock(scope: !4, line: 1, column: 1)
!10 = !DILocation(line: 5, column: 1, scope: !6)
!11 = !DILocation(line: 50, column: 1, scope: !5, inlinedAt: !12)
!12 = !DILocation(line: 51, column: 1, scope: !5, inlinedAt: !13)
!13 = distinct !DILocation(line: 7, column: 1, scope: !4)
!14 = !DILocation(line: 0, scope: !4, inlinedAt: !13)
"""


def test_llvm_scopes_files_and_chains() -> None:
    assert llvm.line_map(LLVM, FILE)[:7] == (3, 5, 7, 7, None, 5, None)
    assert set(llvm.line_map(LLVM, FILE)[7:]) == {None}
    assert set(llvm.line_map(LLVM, "<cell bb>")) == {None}


PTX = """.visible .entry f(
)
{
	.reg .b32 %r<4>;
	.loc	1 5 1
$L__tmp0:
	// begin inline asm
	.loc	1 5 1
	mov.u32 %r1, 0x0;
	.loc	1 6 1
	ld.global.b32 { %r1 }, [ %rd1 + 0 ];
	// end inline asm
	add.s32 %r1, %r1, 1;
	.loc	1 7 3, function_name $L__info0, inlined_at 1 9 1
	.loc	2 50 3, function_name $L__info0, inlined_at 1 7 3
	.loc	2 60 3, function_name $L__info1, inlined_at 2 50 3
	add.s32 %r2, %r1, 1;
	.loc	2 70 3 // standard.py:70:3 @[ <cell aa>:8:1 ]
	add.s32 %r3, %r1, 1;
	.loc	1 0 0
	ret;
}
	.file	1 "<cell aa>"
	.file	2 "/x" "standard.py"
"""


def test_ptx_locations_hold_and_chains_lead_into_the_file() -> None:
    lines = PTX.splitlines()
    mapped = dict(zip(lines, ptx.line_map(PTX, FILE), strict=True))
    assert mapped["	mov.u32 %r1, 0x0;"] == 5
    assert mapped["	ld.global.b32 { %r1 }, [ %rd1 + 0 ];"] == 5, "inline assembly has no lines of its own"
    assert mapped["	add.s32 %r1, %r1, 1;"] == 5
    assert mapped["	add.s32 %r2, %r1, 1;"] == 7, "the innermost line of the cell, through two library frames"
    assert mapped["	add.s32 %r3, %r1, 1;"] == 8
    assert mapped["	ret;"] is None, "line 0 is no line"
    assert mapped["$L__tmp0:"] is None
    assert mapped["	.reg .b32 %r<4>;"] is None


SASS = """	.section	.text.f,"ax",@progbits
f:
	//## File "/x/standard.py", line 50 inlined at "/x/standard.py", line 60
	//## File "/x/standard.py", line 60 inlined at "/home/me/<cell aa>", line 7
	//## File "/home/me/<cell aa>", line 7 inlined at "/home/me/<cell aa>", line 9
	//## File "/home/me/<cell aa>", line 9
	//## File ".nv_debug_ptx_txt", line 11
        /*0000*/                   LDG.E R1, [R2] ;
        /*0010*/                   FADD R1, R1, 1 ;
	//## File "/x/standard.py", line 51
        /*0020*/                   EXIT ;
.L_x_0:
"""


def test_sass_markers_hold_and_the_innermost_cell_line_counts() -> None:
    assert only(sass.line_map(SASS, FILE)) == [7, 7]


def test_sass_takes_its_lines_from_ptx_where_that_is_known() -> None:
    related = sass.relate(SASS, PTX, FILE)
    mapped = [line for text, line in zip(related.splitlines(), sass.line_map(related, FILE), strict=True) if "/*00" in text]
    assert mapped == [5, 5, 5], "PTX line 11 is the load at cell line 5; a PTX marker holds like any other"


MATRIX_PTX = """.file 1 "<cell aa>"
	.loc	1 4 1
	wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%r1}, %rd1, %rd2, 1;
	.loc	1 6 1
	wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16 {%r1}, %rd1, %rd2, 1;
	.loc	1 7 1
	add.s32 %r2, %r1, 1;
"""
MATRIX_SASS = """	//## File "<cell aa>", line 7
	//## File ".nv_debug_ptx_txt", line 7
        /*0000*/                   IADD3 R0, R0, 0x1, RZ ;
        /*0010*/                   HGMMA.64x128x16.F32 R88, gdesc[UR20].tnspB, R88 ;
        /*0020*/                   HGMMA.64x64x16.F32 R88, gdesc[UR20].tnspB, R88 ;
"""


def test_asynchronous_matrix_instructions_are_paired_with_their_ptx_or_unknown() -> None:
    def lines(n: int) -> list[int]:
        related = sass.relate(MATRIX_SASS, MATRIX_PTX.replace("{n}", str(n)), FILE)
        return only(sass.line_map(related, FILE))

    assert lines(64) == [7, 4, 6]
    assert lines(32) == [7], "shapes that do not agree are no pairs"


AMDGCN = """	.file	1 "/home/me" "<cell aa>"
	.file	2 "/x" "standard.py"
f:
	.loc	1 5 1 prologue_end              ; <cell aa>:5:1
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	.loc	2 50 2 is_stmt 0                ; standard.py:50:2 @[ <cell aa>:6:16 @[ <cell aa>:9:9 ] ]
.Ltmp0:
	v_exp_f32_e32 v7, v7
	;;#ASMSTART
	.loc	1 77 1                          ; <cell aa>:77:1
	v_mov_b32 v1, v2
	;;#ASMEND
	.loc	1 0 0                           ; :0:0
	s_endpgm
.Lfunc_end0:
"""


def test_amdgcn_locations_and_the_chains_in_their_comments() -> None:
    assert only(amdgcn.line_map(AMDGCN, FILE)) == [5, 6, 6]


CUDA = """#line 6 "/home/me/<cell aa>"
  extern __shared__ uchar buffer[];
  void* As = ((void*)buffer);
#line 13 "/home/me/<cell aa>"
  #pragma unroll
  for (int i = 0; i < 4; ++i) {
    copy(i);
  }
#line 17 "/home/me/<cell aa>"
    float4 __1;
      float4 v_ = *(float4*)(Cl + (i * 4));
    *(float4*)(Cl + (i * 4)) = __1;
  tl::tma_load(A);
#line 122 "/x/gemm.py"
  for (int ki = 0; ki < 2; ++ki) {
"""


def test_line_directives_are_believed_for_one_statement() -> None:
    assert directives.line_map(CUDA, FILE) == (None, 6, None, None, 13, 13, None, None, None, 17, 17, 17, None, None, None)
    assert directives.line_map(CUDA, FILE, library_line=15)[-1] == 15
