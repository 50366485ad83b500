"""A report as static HTML: no script, no style sheet, nothing from outside, all that is foreign escaped.

Survives an untrusted notebook, nbconvert, VS Code, Colab and GitHub (see `css` for what each of them takes away).
"""

from __future__ import annotations

from kernel_lab.render import css, kernels, sections, summary
from kernel_lab.render import format as fmt
from kernel_lab.render.markup import Markup, element
from kernel_lab.results import Report
from kernel_lab.targets import Target

# The last two classes keep MathJax from reading "$" in compiler output as mathematics.
_CLASSES = "klab-report tex2jax_ignore mathjax_ignore"


def html(report: Report, *, target: Target | None = None) -> Markup:
    """``report`` as one HTML element. ``target`` names the GPU and gives the chart its roof."""
    return element(
        "div",
        header(report, target),
        kernels.became(report),
        sections.right(report),
        sections.fast(report, target),
        sections.after(report),
        sections.printed(report),
        element("div", " \N{MIDDLE DOT} ".join(summary.stamp_parts(report)), style=css.FOOTER),
        class_=_CLASSES,
        style=css.ROOT,
    )


def header(report: Report, target: Target | None) -> Markup:
    """Kernel, language, target, and the verdict in a word."""
    first = report.kernels[0] if report.kernels else None
    word = summary.word(report)
    parts = [element("code", summary.title(report), style=css.NAME), " "]
    if first:
        parts += [element("span", fmt.language(first.language), style=css.PLAIN), " "]
    parts += [element("span", summary.target_name(first, report, target), style=css.PLAIN), " "]
    return element("div", *parts, element("span", word, style=css.BADGES[word], class_="klab-verdict"), style=css.HEADER)
