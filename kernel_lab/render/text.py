"""A report as plain text, for terminals, logs and front ends that show nothing else: 5 to 25 lines.

Takes its claims from `summary`; knows nothing of HTML or notebooks.
"""

from __future__ import annotations

from kernel_lab.render import costs, summary
from kernel_lab.render import format as fmt
from kernel_lab.results import Report
from kernel_lab.targets import Target

MAX_LINES = 25
_KERNELS, _REJECTED, _NOTES = 4, 3, 6
_WIDTH = 160


def text(report: Report, *, target: Target | None = None) -> str:
    """``report`` in at most 25 lines."""
    first = report.kernels[0] if report.kernels else None
    language = f" {fmt.language(first.language)} \N{RIGHTWARDS ARROW}" if first else ""
    where = summary.target_name(first, report, target)
    lines = [f"{summary.title(report)} \N{MIDDLE DOT}{language} {where} \N{MIDDLE DOT} {summary.word(report)}"]
    grouped = summary.groups(report.kernels)
    for group in grouped[:_KERNELS]:
        _, kernel = group[0]
        more = f" (first of {len(group)} configurations)" if len(group) > 1 else ""
        lines.append(f"  {kernel.name}{more}: {_stages(report, group[0][0])}")
        lines.append("    " + summary.resource_line(kernel))
        if costly := costs.sentence(kernel):
            lines.append("    " + costly)
    if len(grouped) > _KERNELS:
        lines.append(f"  and {fmt.count(len(grouped) - _KERNELS, 'more kernel')}")
    if not grouped:
        lines.append("  no kernel was compiled")
    if report.rejected:
        lines.append(f"  {summary.rejected_line(report)}:")
        for item in report.rejected[:_REJECTED]:
            where = f" ({fmt.at_line(item.cell_line)})" if item.cell_line is not None else ""
            lines.append(f"    {item.kernel}({fmt.mapping(item.configuration)}): {item.reason}{where}")
    lines.append(f"  {summary.word(report)}: {summary.verdict_line(report)}")
    if report.verdict:
        lines += [f"    check {name} FAILED: {check.detail}" for name, check in report.verdict.checks.items() if check.passed is False][:3]
    lines.append(f"  {summary.speed(report).headline}")
    found = summary.notes(report)
    for note in found[:_NOTES]:
        where = f"{fmt.at_line(note.cell_line)}: " if note.cell_line is not None else ""
        lines.append(f"  {'!' if note.warning else '·'} {where}{note.text}")
    if len(found) > _NOTES:
        lines.append(f"  · and {len(found) - _NOTES} more")
    lines.append("  " + ", ".join(summary.stamp_parts(report)))
    while len(lines) > MAX_LINES:  # the verdict, the speed and the notes stand last; what the kernels take gives way
        del lines[2]
    return "\n".join(fmt.one_line(line) if not line.startswith(" ") else _indented(line) for line in lines)


def _stages(report: Report, position: int) -> str:
    stages = report.kernels[position].stages
    return " ".join(f"{name}({len(fmt.lines_of(stage.text))})" for name, stage in stages.items()) or "no stages"


def _indented(line: str) -> str:
    body = line.lstrip(" ")
    return " " * (len(line) - len(body)) + fmt.one_line(body, 2 * _WIDTH)
