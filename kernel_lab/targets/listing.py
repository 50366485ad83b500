"""The targets as a table for `%lab targets`: text and HTML, with the sources of the numbers of one target.

Knows targets; prints nothing itself and knows no notebook.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from kernel_lab.targets.architectures import ARCHITECTURES
from kernel_lab.targets.names import targets
from kernel_lab.targets.target import Target

_PEAKS = ("f64", "f32", "tf32/f32", "f16/f32", "bf16/f32", "f8/f32", "i8/i32")
_TITLE = "Dense peaks in TFLOP/s (i8 in TOP/s; operand/accumulator is tensor or matrix cores, one dtype alone the plain cores)."
_HINT = "A bare architecture takes the model in its line marked *. %lab targets NAME shows every number of one, and where it is written."


def table(chosen: Sequence[Target] | None = None) -> str:
    """All targets (or ``chosen``) as text, one a line, with units in the head."""
    head, rows = _cells(targets() if chosen is None else chosen)
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    padded = [
        [cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))] for row in (head, *rows)
    ]
    lines = ["  ".join(cells) for cells in padded]
    return "\n".join([_TITLE, "", *(line.rstrip() for line in lines), "", _HINT])


def html_table(chosen: Sequence[Target] | None = None) -> str:
    """The same as static HTML; a cell's title says where its number is written. Colours are the page's own."""
    shown = targets() if chosen is None else tuple(chosen)
    head, rows = _cells(shown)
    keys = (None, "arch", "num_sms", "dram_bytes_per_s", "memory_bytes", "max_shared_bytes", *_PEAKS)
    body = ""
    for target, row in zip(shown, rows, strict=True):
        body += "<tr>"
        for i, (cell, key) in enumerate(zip(row, keys, strict=True)):
            title = html.escape(target.sources.get(key or "", ""), quote=True)
            body += f'<td style="text-align:{"left" if i < 2 else "right"}" title="{title}">{html.escape(cell)}</td>'
        body += "</tr>"
    heads = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    return f"<table><caption>{html.escape(_TITLE)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def sources(target: Target) -> str:
    """Every number of ``target`` with its unit and where it is written, one a line."""
    lines = [target.label]
    for key, value in target.peaks.items():
        unit = "TOP/s" if key.startswith("i") else "TFLOP/s"
        lines.append(f"  {key:<9} {value / 1e12:>10,.1f} {unit:<8} {target.source(key)}")
    for key, name, scale, unit in (
        ("dram_bytes_per_s", "DRAM", 1e9, "GB/s"),
        ("memory_bytes", "memory", 2**30, "GiB"),
        ("l2_bytes", "L2", 2**20, "MiB"),
        ("num_sms", "SMs" if target.backend == "cuda" else "CUs", 1, ""),
        ("sm_clock_hz", "clock", 1e6, "MHz"),
        ("matrix_clock_hz", "matrix", 1e6, "MHz"),
        ("memory_clock_hz", "mem clock", 1e6, "MHz"),
        ("memory_bus_bits", "bus", 1, "bit"),
        ("max_shared_bytes", "shared", 1, "B/block"),
        ("shared_bytes_per_sm", "shared", 1, "B/SM"),
        ("registers_per_sm", "registers", 1, "per SM"),
        ("max_threads_per_sm", "threads", 1, "per SM"),
        ("max_blocks_per_sm", "blocks", 1, "per SM"),
    ):
        value = getattr(target, key)
        if value is not None:
            lines.append(f"  {name:<9} {value / scale:>10,.10g} {unit:<8} {target.source(key) or ''}".rstrip())
    return "\n".join(lines)


def _cells(shown: Sequence[Target]) -> tuple[list[str], list[list[str]]]:
    head = ["GPU", "arch", "SM/CU", "DRAM GB/s", "GiB", "shared B/block", *_PEAKS]
    rows = []
    for target in shown:
        limits = ARCHITECTURES.get(target.arch)
        star = "*" if limits is not None and limits.model == target.gpu else ""
        rows.append(
            [
                (target.gpu or target.arch) + star,
                target.arch,
                _number(target.num_sms, 1),
                _number(target.dram_bytes_per_s, 1e9),
                _number(target.memory_bytes, 2**30),
                _number(target.max_shared_bytes, 1),
                *(_number(target.peaks.get(key), 1e12) for key in _PEAKS),
            ]
        )
    return head, rows


def _number(value: float | None, scale: float) -> str:
    if value is None:
        return "–"
    scaled = value / scale
    return f"{scaled:,.0f}" if scaled >= 1000 or scaled == int(scaled) else f"{scaled:,.2f}" if scaled < 10 else f"{scaled:,.1f}"
