"""The static HTML: it survives every front end, escapes what is foreign, stays small, and claims no more than the report knows."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from kernel_lab.render import css, listing, sections
from kernel_lab.render.html import html
from kernel_lab.render.markup import Markup, element, escape, join
from kernel_lab.render.page import page
from kernel_lab.results import Finding, Roofline, Stage, Verdict
from kernel_lab.targets import lookup
from tests.render.reader import ATTRIBUTES, STYLES, TAGS, Reader
from tests.render.samples import (
    ALL,
    BOUND,
    H100,
    HUGE,
    MANY,
    NO_VERDICT,
    NOT_RUN,
    ODD_NUMBERS,
    ON_GPU,
    REJECTED,
    RIGHT,
    WRONG,
    case,
    kernel,
    stage,
)


@pytest.mark.parametrize("name", ALL)
def test_nothing_in_it_is_taken_away_from_an_untrusted_notebook(name: str) -> None:
    for tag, attributes in Reader(html(ALL[name], target=H100)).tags:
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES
        for declaration in (attributes.get("style") or "").split(";"):
            if declaration:
                key, _, value = declaration.partition(":")
                assert key in STYLES and re.fullmatch(STYLES[key], value), declaration


def test_every_style_that_is_declared_is_allowed() -> None:
    named = {key: value for key, value in vars(css).items() if key.isupper() and not key.startswith("_")}
    declared = [*(value for value in named.values() if isinstance(value, str)), *css.BADGES.values()]
    for style in declared:
        for declaration in style.split(";"):
            key, _, value = declaration.partition(":")
            assert key in STYLES and re.fullmatch(STYLES[key], value), declaration


@pytest.mark.parametrize("name", ALL)
def test_it_loads_nothing_and_runs_nothing(name: str) -> None:
    source = html(ALL[name], target=H100)
    for tag, attributes in Reader(source).tags:
        assert tag not in {"script", "style", "link", "iframe", "object", "a", "form"}
        assert not any(key.startswith("on") for key in attributes)
        assert (attributes.get("src") or "data:image/svg+xml;base64,").startswith("data:image/svg+xml;base64,")
    assert "url(" not in source


def test_what_is_foreign_is_escaped() -> None:
    read = Reader(html(ALL["hostile"], target=H100))
    assert "<script>alert" in read.text  # as text
    assert "script" not in {tag for tag, _ in read.tags}
    assert "\x1b" not in read.text and "\x00" not in read.text
    assert html(ALL["hostile"]).encode("utf-8")


def test_dollars_are_no_mathematics() -> None:
    assert 'class="klab-report tex2jax_ignore mathjax_ignore"' in html(RIGHT)


@pytest.mark.parametrize("name", ALL)
def test_it_is_small(name: str) -> None:
    assert len(html(ALL[name], target=H100).encode()) < 120 * 1024


def test_the_four_questions_stand_in_order() -> None:
    read = Reader(html(RIGHT, target=H100)).text
    places = [
        read.index(part) for part in ("add_kernel", "1. What did it become?", "2. Is it right?", "3. How fast", "4. What next?", "seed 0")
    ]
    assert places == sorted(places)


def test_a_folded_report_is_short() -> None:
    visible = Reader(html(RIGHT, target=H100)).visible
    assert "ttgir 25 lines" in visible and "right: 2 cases" in visible and "bound, not measured" in visible
    assert "llvm.extractvalue" not in visible and "every element written" not in visible
    assert len(visible) < 1000


def test_the_verdict_is_a_word_and_a_colour() -> None:
    for report, word in ((RIGHT, "right"), (WRONG, "WRONG"), (NOT_RUN, "not verified"), (NO_VERDICT, "not verified")):
        assert f'<span class="klab-verdict" style="{css.BADGES[word]}">{word}</span>' in html(report)  # type: ignore[index]
    assert ">right<" not in html(replace(RIGHT, verdict=Verdict(True, ())))


def test_a_wrong_kernel_shows_its_cases_at_once() -> None:
    visible = Reader(html(WRONG)).visible
    assert "✗ WRONG" in visible and "the last tile is not masked" in visible and "out[17]" in visible
    assert "✗ FAILED" in visible and "64 of 128 elements never written" in visible
    assert "? not looked at" in visible
    assert "✗ WRONG" not in Reader(html(RIGHT)).text


def test_a_reason_shared_by_many_cases_is_said_once() -> None:
    cases = tuple(case(False, sizes={"n": n}, reason="unmasked tail") for n in range(3))
    assert Reader(html(replace(WRONG, verdict=Verdict(False, cases, {}, "interpreter")))).text.count("unmasked tail (3 cases)") == 1


def test_failed_cases_are_among_those_shown() -> None:
    cases = (*(case(sizes={"n": n}) for n in range(100)), case(False, sizes={"n": 777}))
    read = Reader(html(replace(RIGHT, verdict=Verdict(False, cases, {}, "interpreter")))).text
    assert "n=777" in read and "and 61 more cases" in read


def test_a_bound_is_not_called_measured() -> None:
    read = Reader(html(RIGHT, target=H100)).text
    assert "bound, not measured: at least 0.353 µs on H100 SXM (sm_90): limited by DRAM bandwidth" in read
    assert "intensity 0.0833 flop/byte" in read and "counted from the reference" in read and "source: NVIDIA H100 datasheet" in read
    assert "measured: 1.62 µs median" in Reader(html(ON_GPU)).text
    claimed = Reader(html(replace(RIGHT, roofline=replace(BOUND, measured=True, fraction=0.5, time_us=1.0)))).text
    assert "bound, not measured" in claimed and "% of the ceiling" not in claimed


def test_unknown_is_a_dash() -> None:
    assert "registers – · spills – · shared – · warps – · threads – · occupancy –" in Reader(html(ODD_NUMBERS)).text


def test_lines_stand_beside_the_cell_lines_they_come_from() -> None:
    text = Stage("ptx", "a\nb\nc\n", "ptx", (None, 7, 7))
    assert f'<pre style="{css.PRE}">\n\n7\n7</pre>' in listing.fold(text, 1000, "")
    assert "numbers at the left are cell lines" in listing.fold(text, 1000, "")
    assert "cell lines" not in listing.fold(replace(text, line_map=()), 1000, "")


def test_a_first_empty_line_is_kept_in_both_columns() -> None:
    # HTML drops a newline right after <pre>: one more must be written, or the gutter slips by a line.
    shown = listing.fold(Stage("ptx", "\nb\n", "ptx", (None, 7)), 1000, "")
    assert shown.count(">\n\n7</pre>") == 1 and shown.count(">\n\nb</pre>") == 1


def test_long_stages_are_cut_and_say_where_the_rest_is() -> None:
    read = Reader(html(HUGE)).text
    assert re.search(
        r'the first \d+ of 7,000 lines \(\d+ KiB\); %lab report add or kernel_lab\.last\(\)\.kernels\[0\]\.stages\["llir"\]', read
    )
    shown = listing.excerpt(stage("llir", 7000), listing.MAX_STAGE_BYTES)
    assert len(shown.lines) <= listing.MAX_LINES and not shown.whole
    assert sum(len(escape(line)) + 1 for line in shown.lines) <= listing.MAX_STAGE_BYTES


def test_small_texts_are_shown_whole_beside_large_ones() -> None:
    assert listing.allot({"a": 10, "b": 1000, "c": 1000}, 410) == {"a": 10, "b": 200, "c": 200}
    assert listing.allot({}, 100) == {}


def test_configurations_beyond_the_first_are_folded() -> None:
    read = Reader(html(REJECTED))
    assert "1 more configuration" in read.visible and "BLOCK=2048" not in read.visible and "BLOCK=2048" in read.text
    assert "1 configuration rejected" in read.visible
    assert "shared memory 393216 > 232448 bytes" in read.text and "cell line 3" in read.text
    assert "BLOCK=23" in Reader(html(MANY)).text


def test_the_first_configuration_is_shown_before_the_others() -> None:
    large = {name: stage(name, 300, seed) for seed, name in enumerate(("ttir", "ttgir"))}
    report = replace(RIGHT, kernels=tuple(kernel(configuration={"BLOCK": n}, stages=large) for n in range(5)))
    first, *others = html(report).split("BLOCK=")[:6]
    assert "of 300 lines" not in first.split("<details>")[0]
    assert all("of 300 lines" in other or "not shown here" in other for other in others[1:])


def test_rejections_show_at_once_when_nothing_else_came_out() -> None:
    assert "no backend" in Reader(html(ALL["nothing"])).visible


def test_assumptions_about_arguments_are_shown() -> None:
    read = Reader(html(RIGHT)).text
    assert "divisible by 16" in read and "97 × 1 × 1 programs" in read


def test_warnings_carry_their_line_and_many_are_folded() -> None:
    read = Reader(html(replace(RIGHT, warnings=tuple(Finding(f"warning {n}.", n) for n in range(1, 20)))))
    assert "cell line 6: warning 6." in read.visible and "13 more" in read.visible
    assert "warning 19." in read.text and "warning 19." not in read.visible


def test_a_chart_that_fails_does_not_take_the_report_along(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise RuntimeError(name)

    monkeypatch.setattr(sections.importlib, "import_module", fail)
    assert "bound, not measured" in html(RIGHT, target=H100) and "<img" not in html(RIGHT, target=H100)


def test_a_chart_is_an_image_with_words(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[str, Roofline]] = []

    class Room:
        @staticmethod
        def svg(item: tuple[str, Roofline], target: object) -> str:
            drawn.append(item)
            return "<svg xmlns='http://www.w3.org/2000/svg'/>"

    monkeypatch.setattr(sections.importlib, "import_module", lambda name: Room)
    (image,) = [attributes for tag, attributes in Reader(html(RIGHT, target=H100)).tags if tag == "img"]
    assert image["alt"] == "Roofline of H100 SXM (sm_90): bound, not measured at intensity 0.0833 flop/byte, limited by DRAM bandwidth"
    assert drawn == [("add", BOUND)]
    # Without a measurement no chart may show a measured point, whatever the roofline claims.
    html(replace(RIGHT, roofline=replace(BOUND, measured=True)), target=H100)
    assert drawn[-1] == ("add", BOUND)


@pytest.mark.parametrize("name", ["H100 SXM", "sm_90", "gfx942"])
def test_a_chart_finds_its_roof_by_its_label(name: str) -> None:
    target = lookup(name)
    with_target, without = (html(replace(RIGHT, roofline=replace(BOUND, target=target.label)), target=given) for given in (target, None))
    assert "<img" in without
    assert with_target[with_target.index("<img") :] == without[without.index("<img") :]


def test_a_page_stands_alone() -> None:
    source = page("A <title>", [RIGHT, WRONG], target=H100)
    assert source.startswith("<!doctype html>")
    assert "<title>A &lt;title&gt;</title>" in source and source.count('class="klab-report') == 2
    assert "prefers-color-scheme: dark" in source and "--jp-layout-color0" in source
    assert "<script" not in source and "http://" not in source.replace("http://www.w3.org/2000/svg", "") and "https://" not in source


def test_elements_escape_all_but_markup() -> None:
    assert element("b", "a<b", Markup("<i>x</i>"), None, ["&", "c"], title='"') == '<b title="&quot;">a&lt;b<i>x</i>&amp;c</b>'
    assert element("details", open=True) == "<details open></details>" and element("details", open=False) == "<details></details>"
    assert element("img", alt="", width="3") == '<img alt="" width="3">'
    assert join("a", [None, "<"]) == "a&lt;"
    assert kernel().name == "add_kernel"
