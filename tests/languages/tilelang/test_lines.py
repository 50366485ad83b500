"""Line maps on texts alone."""

from __future__ import annotations

from kernel_lab.languages.tilelang.lines import mark_sass, split_directives

CELL = "<cell x>"


def test_directives_are_taken_out_and_believed_for_their_statement_only():
    text = f"""\
void k() {{
#line 4 "/home/me/{CELL}"
  a();
  tl::tma_load(b);
#line 6 "/home/me/{CELL}"
  #pragma unroll
  for (;;) {{
    c();
  }}
}}
"""
    code, lines = split_directives(text, CELL)
    assert "#line" not in code
    assert lines == (None, 4, None, 6, 6, None, None, None)
    assert len(code.splitlines()) == len(lines)


def test_matrix_code_of_the_library_belongs_to_the_only_gemm():
    text = '#line 600 "/lib/wgmma_macro_generator.py"\n  wgmma();\n'
    assert split_directives(text, CELL, 9)[1] == (9,)
    assert split_directives(text, CELL, None)[1] == (None,)
    assert split_directives(text.replace("wgmma_macro_generator", "reduce"), CELL, 9)[1] == (None,)


def test_a_disassembly_is_marked_with_cell_lines():
    text = """\
\t.section\t.text.k
\t//## File "k.cu", line 2
        /*0000*/                   MOV R1, R2 ;
        /*0010*/                   MOV R2, R2 ;
\t//## File "k.cu", line 1
        /*0020*/                   EXIT ;
"""
    marked = mark_sass(text, None, "k.cu", (None, 7), CELL)
    assert [row for row in marked.splitlines() if "//##" in row] == ['\t//## File "<cell x>", line 7', "\t//## no source line"]
    assert "k.cu" not in marked
