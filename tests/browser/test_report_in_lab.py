"""A kernel cell in a real JupyterLab: its report appears below it, says the verdict, and can be read in both themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser import lab

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "out" / "browser"
READABLE = 3.0  # WCAG's least contrast ratio for large or secondary text
MAGIC = '%%triton add --inputs "x: f32[n], y: f32[n]" --sizes "n=98432" --ref torch.add --target sm_90'
KERNEL = """
import torch, triton
import triton.language as tl

@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask), mask)

def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
"""
# What front ends without the extension show.
STATIC = """
import IPython.display, kernel_lab.render
IPython.display.HTML(str(kernel_lab.render.html.html(kernel_lab.last())))
"""
WRONG = KERNEL.replace("tl.load(x + i, mask) + tl.load(y + i, mask)", "tl.load(x + i, mask) - tl.load(y + i, mask)")


@pytest.fixture(scope="module")
def ran(server: Any, page: Any) -> Any:
    """A page with a notebook whose cells were all started: the extension loaded, a right kernel, its static form, a wrong one."""
    cells = ["%load_ext kernel_lab\nimport torch", MAGIC + KERNEL, STATIC, MAGIC + WRONG]
    name = lab.write_notebook(server.folder / "add.ipynb", cells)
    lab.open_notebook(page, server.page(name))
    lab.run_all(page)
    lab.output(page, 3).get_by_text("VerificationFailed").first.wait_for(timeout=lab.RUN_MS)
    return page


def test_a_report_says_its_verdict_and_what_it_rests_on(ran: Any) -> None:
    text = lab.output(ran, 1).inner_text()
    assert "right" in text and "WRONG" not in text and "not verified" not in text
    assert "interpreter" in text
    assert "not measured" in text


def test_the_static_form_says_the_same(ran: Any) -> None:
    static, live = lab.output(ran, 2).inner_text(), lab.output(ran, 1).inner_text()
    for label in ("2. Is it right?", "3. How fast, how far off?", "4. What next?"):
        assert static.split(label)[1].splitlines()[1] == live.split(label)[1].splitlines()[1]


def test_a_report_is_readable_in_both_themes(ran: Any) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        lab.change_theme(ran, theme)
        for cell, form in ((1, "report"), (2, "static")):
            report = lab.output(ran, cell).locator(".klab-report").first
            report.scroll_into_view_if_needed()
            ran.screenshot(path=SCREENSHOTS / f"{form}-{theme}.png")
            ratio, worst = lab.worst_contrast(report)
            assert ratio >= READABLE, f"{form}, {theme}: {worst!r} has a contrast of {ratio:.2f}"


def test_a_folded_stage_opens_in_the_page(ran: Any) -> None:
    """The static form asks nothing of the kernel."""
    summary = lab.output(ran, 2).locator("summary", has_text="ptx").first
    stage = summary.locator("xpath=..")
    assert not stage.get_by_text("ld.global").first.is_visible()
    summary.click()
    stage.get_by_text("ld.global").first.wait_for(state="visible")


def test_a_wrong_kernel_is_shown_before_it_raises(ran: Any) -> None:
    text = lab.output(ran, 3).inner_text()
    assert text.index("WRONG") < text.index("VerificationFailed")
