"""The costs of cell lines as they are shown: nothing hidden by colour, nothing called time, little HTML."""

from __future__ import annotations

from dataclasses import replace

from kernel_lab.render import costs, css
from kernel_lab.render.html import html
from kernel_lab.render.text import text
from kernel_lab.results import LineCost, Resources
from tests.render.samples import COSTS, RIGHT, kernel
from tests.render.test_html import Reader

PLAIN = replace(RIGHT, kernels=(kernel(costs=(), costs_from=None),))


def test_each_line_has_its_number_letters_and_title() -> None:
    found = costs.strips(kernel())
    assert set(found) == {4, 5, 6, 41}
    read = Reader(found[6])
    assert read.text == "20 T8 S3 ", "letters say without a colour what the bar holds"
    assert read.tags[0] == ("span", {"title": "line 6, 36 %: tensor ×8, integer ×9, special function ×3"})
    assert [tag[1]["style"] for tag in read.tags[1:]] == [
        f"background-color:{css.KINDS['tensor']};padding:0 0 0 23px",
        f"background-color:{css.KINDS['special']};padding:0 0 0 9px",
        f"background-color:{css.KINDS['rest']};padding:0 0 0 26px",
    ]
    assert "128-bit global load ×6" in found[5] and Reader(found[5]).text == "28 M6    "


def test_bars_are_as_long_as_their_line_is_costly() -> None:
    found = costs.strips(kernel(costs=(LineCost(4, {"integer": 100}), LineCost(5, {"integer": 50}), LineCost(6, {"integer": 1}))))
    assert ["80px" in found[4], "40px" in found[5], "1px" in found[6]] == [True, True, True]


def test_the_strip_stands_beside_the_source_alone() -> None:
    source = html(RIGHT)
    assert source.count(f'style="{css.STRIP_CELL}"') == 1
    head, _, after = source.partition("what each line costs")
    assert head.rindex("<summary") > head.rindex(css.STRIP_CELL) and ">ttir<" in after and ">source<" in head
    assert css.STRIP_CELL not in html(PLAIN) and "what each line costs" not in html(PLAIN)


def test_the_legend_says_what_is_counted_and_what_is_not_in_the_text() -> None:
    read = " ".join(Reader(html(RIGHT)).text.split())
    assert "bars: 56 SASS instructions, each counted once (loops are not multiplied), 5 from other cell lines, 2 from no cell line:" in read
    assert "T tensor cores 8" in read and "M memory 6" in read and "S special functions 3" in read and "all else 39" in read
    fallback = Reader(html(replace(RIGHT, kernels=(kernel(costs_from="ptx"),)))).text
    assert "56 PTX instructions (there is no SASS here)" in fallback


def test_the_table_is_folded_and_sorted() -> None:
    read = Reader(html(RIGHT))
    assert "what each line costs" not in read.visible
    rows = read.text[read.text.index("instructionskinds") :]
    places = [rows.index(part) for part in ("528 (50 %)", "620 (36 %)", "415 (9 %)", "none2 (4 %)", "41 (2 %)")]
    assert places == sorted(places)
    many = kernel(costs=tuple(LineCost(n, {"integer": 100 - n}) for n in range(1, 40)))
    assert f"{39 - costs.MAX_ROWS} more" in Reader(costs.by_line(many) or "").text


def test_lines_of_another_text_get_no_strip() -> None:
    elsewhere = kernel(costs=(LineCost(90, {"integer": 3}), LineCost(None, {"integer": 3})))
    assert css.STRIP_CELL not in html(replace(RIGHT, kernels=(elsewhere,)))


def test_the_text_names_the_three_costliest_lines() -> None:
    line = "SASS instructions by cell line: 5 (50 %: integer ×20, 128-bit global load ×6, control ×2); 6 (36 %: tensor ×8, integer ×9,"
    assert line in text(RIGHT) and "; 41 (9 %: fp32 ×5)" in text(RIGHT) and "from no line" not in text(RIGHT)
    unmapped = replace(RIGHT, kernels=(kernel(costs=(*COSTS[:-1], LineCost(None, {"integer": 30}))),))
    assert "from no line 36 %" in text(unmapped)
    assert "by cell line" not in text(PLAIN)


def test_it_adds_little() -> None:
    lines = tuple(LineCost(n, {"integer": 9 * n, "tensor": n, "global load 128": 2 * n, "special function": 1}) for n in range(4, 24))
    full = replace(RIGHT, kernels=(kernel(costs=lines),))
    assert len(html(full).encode()) - len(html(PLAIN).encode()) < 15 * 1024


def test_the_limit_of_occupancy_and_barriers() -> None:
    known = replace(RIGHT, kernels=(kernel(resources=Resources(registers=200, occupancy=0.125, limited_by="registers", barriers=2)),))
    assert "barriers 2, occupancy 12.5 % (limited by registers)" in text(known)
    assert "barriers 2 · occupancy 12.5 % (limited by registers)" in Reader(html(known)).text
    assert "barriers" not in text(RIGHT)
