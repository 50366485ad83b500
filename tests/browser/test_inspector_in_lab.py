"""Source and stages in a real JupyterLab: linked by pointer, click and key, below the cell and in the inspector.

The notebook is a saved one, opened without running anything: its reports are made here, with line maps that are known.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest

from kernel_lab import render
from kernel_lab.render import payload
from kernel_lab.results import MIME_TYPE, CellInfo, Kernel, Report, Stage
from tests.browser import lab
from tests.render import samples

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "out" / "browser"
READABLE = 3.0
SOURCE = "import triton\n\n@triton.jit\ndef add_kernel(x, y, out):\n    a = tl.load(x)\n    b = tl.load(y)\n    tl.store(out, a + b)\n"
TTIR = """module {
  tt.func public @add_kernel(%x: !tt.ptr<f32>) {
    %a = tt.load %x : !tt.ptr<f32> loc(#loc1)
    %b = tt.load %y : !tt.ptr<f32> loc(#loc2)
    %c = arith.addf %a, %b : f32 loc(#loc3)
    tt.store %out, %c : !tt.ptr<f32> loc(#loc3)
  }
}
"""
TTIR_MAP = (None, 5, 6, 7, 8, 8, None, None)
PTX = (
    "// header\n" * 40
    + "\tld.global.b32 %r1, [ %rd1 ];\n\tld.global.b32 %r2, [ %rd2 ];\n"
    + "// between\n" * 60
    + "\tst.global.b32 [ %rd3 ], %r3;\n\tret;\n"
)
PTX_MAP = (*(None,) * 40, 6, 7, *(None,) * 60, 8, None)
LARGE = samples.ir(10_000)


def stages(*extra: Stage) -> dict[str, Stage]:
    """The stages of the sample kernel, with texts small enough to be seen whole, and further ones."""
    made = (Stage("ttir", TTIR, "mlir", TTIR_MAP), Stage("ptx", PTX, "ptx", PTX_MAP), *extra)
    return {stage.name: stage for stage in made}


def report(kernel: Kernel, name: str = "add") -> Report:
    return replace(samples.RIGHT, cell=CellInfo(SOURCE, f"%%triton {name}", "0" * 16, name), kernels=(kernel,))


def output(bundle: dict[str, Any]) -> Any:
    return nbformat.v4.new_output("display_data", data=bundle)


@pytest.fixture(scope="module")
def opened(server: Any, page: Any) -> Any:
    """A page with a saved notebook: a report; one whose LLVM IR is 1 MB; one of a later schema; one that is omitted; a plain cell."""
    if not (ROOT / "kernel_lab" / "labextension" / "package.json").exists():
        pytest.skip("the JupyterLab extension is not built (make setup)")
    first = render.bundle(report(samples.kernel(stages=stages())))
    large = report(samples.kernel("large_kernel", stages=stages(Stage("llir", LARGE, "llvm", (5,) * 10_000))), "large")
    big = render.bundle(large) | {MIME_TYPE: payload.payload(large, budget=1 << 24)}
    later = first | {MIME_TYPE: first[MIME_TYPE] | {"schema_version": 2}}
    small = render.bundle(large) | {MIME_TYPE: payload.payload(large, budget=0)}
    bundles = [first, big, later, small, None]
    code = nbformat.v4.new_code_cell
    cells = [code(f"# cell {n}", outputs=[output(bundle)] if bundle else [], execution_count=1) for n, bundle in enumerate(bundles)]
    path = server.folder / "saved.ipynb"
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.set_viewport_size({"width": 1280, "height": 900})
    lab.open_notebook(page, server.page(path.name))
    lab.change_theme(page, "light")
    return page


def pair(page: Any, cell: int, stage: str) -> tuple[Any, Any]:
    """Source and stage of a report below a cell, opened when they are not."""
    area = lab.output(page, cell)
    tab = area.locator(f".klab-tab[data-stage={stage}]")
    tab.wait_for()
    if tab.get_attribute("aria-selected") != "true":
        tab.click()
    listing = area.get_by_role("textbox", name=f"stage {stage}")
    listing.wait_for()
    return area.get_by_role("textbox", name="source of the cell"), listing


def lines(listing: Any, mark: str) -> list[str]:
    """The texts of the lines of a listing that carry a mark: "hovered", "picked", "current", "dimmed"."""
    return [text.strip() for text in listing.locator(f".cm-line.klab-{mark}").all_inner_texts()]


def mapped(text: str, line_map: tuple[int | None, ...], cell_line: int | None) -> list[str]:
    """The lines of a text that a map leads to a cell line."""
    return [line.strip() for line, at in zip(text.splitlines(), line_map, strict=True) if at == cell_line]


def source_line(listing: Any, cell_line: int) -> Any:
    return listing.locator(".cm-line").nth(cell_line - 1)


def test_the_report_of_a_saved_notebook_shows_without_a_kernel_having_run(opened: Any) -> None:
    text = lab.output(opened, 0).inner_text()
    assert "right" in text and "1. What did it become?" in text


def test_hovering_a_source_line_marks_its_lines_of_the_stage_and_no_others(opened: Any) -> None:
    source, ttir = pair(opened, 0, "ttir")
    for cell_line in (6, 8):
        source_line(source, cell_line).hover(position={"x": 60, "y": 5})
        opened.wait_for_function("n => document.querySelectorAll('.klab-hovered').length === n + 1", arg=TTIR_MAP.count(cell_line))
        assert lines(ttir, "hovered") == mapped(TTIR, TTIR_MAP, cell_line)
        assert lines(source, "hovered") == [f"%%triton add\n{SOURCE}".splitlines()[cell_line - 1].strip()]


def test_hovering_a_stage_line_marks_its_source_line(opened: Any) -> None:
    source, ttir = pair(opened, 0, "ttir")
    ttir.locator(".cm-line").nth(3).hover(position={"x": 60, "y": 5})
    source.locator(".klab-hovered", has_text="tl.load(y)").wait_for()
    assert len(lines(source, "hovered")) == 1


def test_lines_without_a_link_are_dimmed(opened: Any) -> None:
    source, ttir = pair(opened, 0, "ttir")
    assert lines(ttir, "dimmed") == mapped(TTIR, TTIR_MAP, None)
    assert [line for line in lines(source, "dimmed") if line] == ["%%triton add", "import triton", "@triton.jit"]


def test_a_click_on_the_source_scrolls_the_stage_to_its_line(opened: Any) -> None:
    source, ptx = pair(opened, 0, "ptx")
    assert not ptx.get_by_text("st.global").is_visible()
    source_line(source, 8).click(position={"x": 60, "y": 5})
    ptx.locator(".klab-picked", has_text="st.global").wait_for()
    assert lines(ptx, "picked") == mapped(PTX, PTX_MAP, 8)


def test_arrow_keys_move_the_linked_line(opened: Any) -> None:
    source, ptx = pair(opened, 0, "ptx")
    ptx.focus()
    active = "window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    before = opened.evaluate(active)
    opened.keyboard.press("Escape")
    for expected, place in (("ld.global.b32 %r1", "tl.load(x)"), ("ld.global.b32 %r2", "tl.load(y)"), ("st.global", "tl.store")):
        opened.keyboard.press("Control+ArrowDown")
        ptx.locator(".klab-current", has_text=expected).wait_for()
        source.locator(".klab-picked", has_text=place).wait_for()
    opened.keyboard.press("ArrowDown")
    ptx.locator(".klab-current", has_text="ret").wait_for()
    assert lines(source, "picked") == []
    opened.keyboard.press("ArrowUp")
    source.locator(".klab-picked", has_text="tl.store").wait_for()
    assert opened.evaluate(active) == before, "the notebook moved to another cell"


def test_search_stays_inside_the_stage(opened: Any) -> None:
    _, ptx = pair(opened, 0, "ptx")
    ptx.focus()
    opened.keyboard.press("Control+f")
    area = lab.output(opened, 0)
    area.locator(".cm-search input[name=search]").wait_for()
    assert opened.locator(".jp-DocumentSearch-overlay").count() == 0
    opened.keyboard.type("st.global")
    opened.keyboard.press("Enter")
    area.locator(".cm-searchMatch-selected").wait_for()
    opened.keyboard.press("Escape")
    area.locator(".cm-search").wait_for(state="detached")


def test_stages_change_by_keys_and_commands(opened: Any) -> None:
    pair(opened, 0, "ptx")[1].focus()
    area = lab.output(opened, 0)
    opened.keyboard.press("Alt+BracketLeft")
    area.locator(".klab-tab[data-stage=ttir][aria-selected=true]").wait_for()
    lab.command(opened, "kernel-lab:next-stage")
    area.locator(".klab-tab[data-stage=ptx][aria-selected=true]").wait_for()
    area.locator(".klab-tab[data-stage=ptx]").focus()
    opened.keyboard.press("ArrowLeft")
    area.locator(".klab-tab[data-stage=ttir][aria-selected=true]").wait_for()


def test_a_stage_can_be_copied_and_downloaded(opened: Any) -> None:
    pair(opened, 0, "ptx")[1].focus()
    lab.command(opened, "kernel-lab:copy-stage")
    opened.wait_for_function("async text => (await navigator.clipboard.readText()) === text", arg=PTX)
    with opened.expect_download() as download:
        lab.output(opened, 0).get_by_role("button", name="download this stage").click()
    assert download.value.suggested_filename == "add_kernel.sm_90.ptx"
    assert Path(download.value.path()).read_text() == PTX


def test_a_megabyte_opens_at_once(opened: Any) -> None:
    """Only what is in view is drawn; the time is printed, not asserted."""
    area = lab.output(opened, 1)
    area.scroll_into_view_if_needed()
    tab = area.locator(".klab-tab[data-stage=llir]")
    tab.wait_for()
    took = tab.evaluate("""async tab => {
      const start = performance.now(); tab.click();
      while (!document.querySelector('[aria-label="stage llir"] .cm-line')) await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame); return performance.now() - start; }""")
    print(f"{len(LARGE) / 1e6:.1f} MB of LLVM IR: first paint after {took:.0f} ms")
    _, llir = pair(opened, 1, "llir")
    assert 0 < llir.locator(".cm-line").count() < 300
    llir.focus()
    opened.keyboard.press("ArrowUp")
    llir.locator(".klab-current", has_text=LARGE.splitlines()[-1].strip()).wait_for()


def test_a_later_schema_is_named_and_falls_back_to_the_static_form(opened: Any) -> None:
    area = lab.output(opened, 2)
    area.get_by_text("schema version 2").wait_for()
    text = area.inner_text()
    assert "reads version 1" in text and "update the extension" in text
    area.locator("summary", has_text="ttir").first.wait_for()


def test_an_omitted_stage_says_where_its_text_is(opened: Any) -> None:
    area = lab.output(opened, 3)
    area.scroll_into_view_if_needed()
    area.locator(".klab-tab[data-stage=llir]").click()
    area.get_by_text('kernel_lab.last().kernels[0].stages["llir"].text').wait_for()


def test_the_inspector_follows_the_active_cell(opened: Any) -> None:
    lab.command(opened, "kernel-lab:open-inspector")
    inspector = opened.locator(".klab-inspector")
    lab.activate(opened, 0)
    inspector.locator(".klab-name", has_text="add_kernel").wait_for()
    inspector.get_by_role("textbox", name="stage ptx").wait_for()
    inspector.locator(".klab-tab[data-stage=ttir]").click()
    inspector.get_by_role("textbox", name="stage ttir").wait_for()
    lab.activate(opened, 1)
    inspector.locator(".klab-name", has_text="large_kernel").wait_for()
    # The stage stays the chosen one.
    inspector.get_by_role("textbox", name="stage ttir").wait_for()
    lab.activate(opened, 4)
    inspector.get_by_text("the active cell has no report").wait_for()


def test_two_stages_side_by_side_are_linked(opened: Any) -> None:
    lab.activate(opened, 0)
    lab.command(opened, "kernel-lab:open-inspector")
    inspector = opened.locator(".klab-inspector")
    inspector.locator(".klab-name", has_text="add_kernel").wait_for()
    inspector.get_by_label("second stage beside the first").select_option("+ ptx")
    ttir, ptx = (inspector.get_by_role("textbox", name=f"stage {name}") for name in ("ttir", "ptx"))
    ptx.wait_for()
    ttir.locator(".cm-line").nth(2).click(position={"x": 60, "y": 5})
    ptx.locator(".klab-picked", has_text="%r1").wait_for()


def test_it_is_readable_in_both_themes(opened: Any) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    lab.activate(opened, 0)
    lab.command(opened, "kernel-lab:open-inspector")
    source, _ = pair(opened, 0, "ttir")
    source_line(source, 8).click(position={"x": 60, "y": 5})
    for theme in ("light", "dark"):
        lab.change_theme(opened, theme)
        lab.output(opened, 0).scroll_into_view_if_needed()
        opened.screenshot(path=SCREENSHOTS / f"inspector-{theme}.png")
        for place in (lab.output(opened, 0), opened.locator(".klab-inspector")):
            ratio, worst = lab.worst_contrast(place)
            assert ratio >= READABLE, f"{theme}: {worst!r} has a contrast of {ratio:.2f}"
