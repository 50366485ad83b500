"""Question 1 of a report in HTML: what the cell became.

Stages, launches and resources of every kernel, further configurations folded, rejected ones with their reasons. Takes its claims from
`summary`; knows no front end and compiles nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from kernel_lab.render import costs, css, listing, summary
from kernel_lab.render import format as fmt
from kernel_lab.render.markup import Markup, Part, element, join
from kernel_lab.render.parts import folded, muted, question, table
from kernel_lab.results import Kernel, Launch, Rejected, Report

MAX_STAGED = 4  # configurations beyond the first that show their stages
MAX_LAUNCHES = 3
_ASIDE = 4  # the configurations beyond the first share 1/4 of the room that the first ones leave


def became(report: Report) -> Markup:
    """Stages, resources and configurations of every kernel, and what was rejected."""
    groups = summary.groups(report.kernels)
    rooms = _rooms(report, groups)
    parts: list[Part] = [_group(group, report, rooms, named=len(groups) > 1) for group in groups]
    if not groups:
        parts.append("no kernel was compiled")
    if report.rejected:
        parts.append(folded(summary.rejected_line(report), _rejected(report.rejected), open_=not groups))
    return question("1. What did it become?", *parts)


def _rooms(report: Report, groups: Sequence[Sequence[tuple[int, Kernel]]]) -> dict[tuple[int, str], int]:
    """Bytes for each stage's text: the first configuration of each kernel is served before the others, strips before texts."""
    first = {group[0][0] for group in groups}
    wanted = {(at, name): listing.cost(stage) for at, kernel in enumerate(report.kernels) for name, stage in kernel.stages.items()}
    strips = [_strip(kernel, aside=at not in first) for group in groups for at, kernel in group[: 1 + MAX_STAGED]]
    whole = listing.REPORT_BYTES - sum(strip.size for strip in strips if strip is not None)
    rooms = listing.allot({key: want for key, want in wanted.items() if key[0] in first}, whole)
    rest = (whole - sum(rooms.values())) // _ASIDE if len(report.kernels) > len(first) else 0
    return rooms | listing.allot({key: want for key, want in wanted.items() if key[0] not in first}, rest)


def _group(group: list[tuple[int, Kernel]], report: Report, rooms: Mapping[tuple[int, str], int], *, named: bool) -> Markup:
    position, kernel = group[0]
    parts: list[Part] = []
    if named:
        parts.append(element("div", element("code", kernel.name, style=css.CODE), muted(f" {kernel.target}")))
    parts.append(_stages(position, kernel, report, rooms))
    parts.append(_resources(kernel))
    if len(group) > 1:
        parts.append(folded(fmt.count(len(group) - 1, "more configuration"), _others(group[1:], report, rooms)))
    return element("div", *parts)


def _others(group: list[tuple[int, Kernel]], report: Report, rooms: Mapping[tuple[int, str], int]) -> Markup:
    """Further configurations: the first few with their stages, all others as rows of a table."""
    near, far = group[:MAX_STAGED], group[MAX_STAGED:]
    parts: list[Part] = [element("div", _resources(kernel), _stages(at, kernel, report, rooms, aside=True)) for at, kernel in near]
    if far:
        labels = tuple(label for label, _ in summary.resources(far[0][1]))
        rows = [(str(at), fmt.mapping(kernel.configuration), *(value for _, value in summary.resources(kernel))) for at, kernel in far]
        parts += [table(("no.", "configuration", *labels), rows), muted("stages: kernel_lab.last().kernels[no.].stages")]
    return join(*parts)


def _stages(position: int, kernel: Kernel, report: Report, rooms: Mapping[tuple[int, str], int], *, aside: bool = False) -> Markup:
    strip = _strip(kernel, aside=aside)
    chips = [
        listing.fold(
            stage, rooms.get((position, name), 0), summary.where_text(position, name, report), strip=strip if name == "source" else None
        )
        for name, stage in kernel.stages.items()
    ]
    return element("div", *chips, *(_launch(launch) for launch in kernel.launches[:MAX_LAUNCHES]), style=css.CHIPS)


def _strip(kernel: Kernel, *, aside: bool) -> listing.Strip | None:
    """What each line costs, for beside the source; a further configuration has the bars, and no table of its own."""
    if not kernel.costs or "source" not in kernel.stages:
        return None
    return listing.Strip(costs.strips(kernel), partial(costs.legend, kernel), None if aside else costs.by_line(kernel))


def _launch(launch: Launch) -> Markup:
    grid = " × ".join(str(extent) for extent in launch.grid)
    head = element("summary", "launch ", element("span", f"{grid} programs", style=css.SMALL), style=css.SUMMARY)
    rows = [(argument.name, argument.type, argument.value or "", ", ".join(argument.assumptions)) for argument in launch.arguments]
    return element("details", head, table(("argument", "type", "value", "assumed"), rows) if rows else None, style=css.CHIP)


def _resources(kernel: Kernel) -> Markup:
    config = fmt.mapping(kernel.configuration)
    values = summary.resource_line(kernel, " \N{MIDDLE DOT} ")
    return element("div", element("code", config, style=css.CODE) if config else None, " " if config else None, muted(values))


def _rejected(items: Iterable[Rejected]) -> Markup:
    rows = [(item.kernel, fmt.mapping(item.configuration), item.reason, fmt.at_line(item.cell_line)) for item in items]
    return table(("kernel", "configuration", "reason", "where"), rows)
