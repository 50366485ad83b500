"""What each cell line costs, for people: a strip of bars beside the source, a folded table, a sentence for the plain text.

Takes the counts from the report (`results.LineCost`) and says what they are: instructions that stand in the code, not time. Bars are told
apart by shade and by letters, so that they read without colours and without styles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kernel_lab.ir.opcodes import Group, group
from kernel_lab.render import css
from kernel_lab.render.markup import Markup, Part, element, join
from kernel_lab.render.parts import folded, table
from kernel_lab.results import Kernel, LineCost

MAX_ROWS = 12
_BAR_PX = 80  # the costliest line
_NAMED = 3
_NOTABLE = 0.05  # of all instructions
_GROUPS: dict[Group, tuple[str, str]] = {
    "tensor": ("T", "tensor cores"),
    "memory": ("M", "memory"),
    "special": ("S", "special functions"),
    "rest": ("", "all else"),
}
_SPACE = "\N{NO-BREAK SPACE}"  # beside an empty element an ordinary one collapses; a kind stays with its number
_STAGES = {"sass": "SASS", "amdgcn": "AMDGCN", "ptx": "PTX"}


def sentence(kernel: Kernel) -> str | None:
    """The three costliest cell lines with what they do; None when no costs are known."""
    ranked, whole = _ranked(kernel.costs), _total(kernel.costs)
    found = [cost for cost in ranked if cost.cell_line is not None][:_NAMED]
    if not found:
        return None
    parts = [f"{cost.cell_line} ({_share(cost, whole)}: {words(cost.counts, _NAMED)})" for cost in found]
    parts += [f"from no line {_share(cost, whole)}" for cost in ranked if cost.cell_line is None and _sum(cost) >= _NOTABLE * whole]
    return f"{_instructions(kernel)} by cell line: {'; '.join(parts)}"


def words(counts: Mapping[str, int], most: int | None = None) -> str:
    """As in "tensor ×2, integer ×40, 128-bit global load ×6": tensor cores first, then by number; at most ``most`` kinds."""
    order = sorted(counts, key=lambda kind: (group(kind) != "tensor", -counts[kind], kind))
    return ", ".join(f"{_label(kind)} \N{MULTIPLICATION SIGN}{counts[kind]}" for kind in order[:most])


def strips(kernel: Kernel) -> dict[int, Markup]:
    """Cell line → its bar: the number of instructions, letters with numbers, and shades in the proportions of the kinds."""
    most = max((_sum(cost) for cost in kernel.costs if cost.cell_line is not None), default=0)
    whole = _total(kernel.costs)
    letters = {cost.cell_line: _letters(cost) for cost in kernel.costs if cost.cell_line is not None}
    wide, digits = max(map(len, letters.values()), default=0), len(str(most))
    found = {}
    for cost in kernel.costs:
        if cost.cell_line is not None:
            head = f"{_sum(cost):>{digits}} {letters[cost.cell_line]:<{wide}} "
            title = f"line {cost.cell_line}, {_share(cost, whole)}: {words(cost.counts)}"
            found[cost.cell_line] = element("span", head, _bar(cost, most), title=title)
    return found


def legend(kernel: Kernel, shown: Sequence[int | None]) -> Markup:
    """What the strip counts, the kinds in all of the kernel, and what comes from lines that are not among those ``shown``."""
    by_group = _by_group(kernel.costs)
    heads = [f"bars: {_total(kernel.costs):,} {_instructions(kernel)}, each counted once (loops are not multiplied)"]
    elsewhere = _total([cost for cost in kernel.costs if cost.cell_line not in (None, *shown)])
    nowhere = _total([cost for cost in kernel.costs if cost.cell_line is None])
    apart = ((elsewhere, "other cell lines"), (nowhere, "no cell line"))
    heads += [f"{number:,} from {where}" for number, where in apart if number]
    parts: list[Part] = [", ".join(heads), ": "]
    for name, (letter, label) in _GROUPS.items():
        if name == "tensor" and kernel.costs_from == "amdgcn":
            label = "matrix cores"
        if by_group[name]:
            said = f" {letter} {label} {by_group[name]:,}  " if letter else f" {label} {by_group[name]:,}  "
            parts += [_swatch(name, 10), said.replace(" ", _SPACE), " "]
    return element("div", parts, style=css.SMALL)


def by_line(kernel: Kernel) -> Markup | None:
    """A folded table of the costliest lines; None when no costs are known."""
    if not kernel.costs:
        return None
    ranked, whole = _ranked(kernel.costs), _total(kernel.costs)
    rows = [
        ("none" if cost.cell_line is None else str(cost.cell_line), f"{_sum(cost):,} ({_share(cost, whole)})", words(cost.counts))
        for cost in ranked[:MAX_ROWS]
    ]
    if rest := ranked[MAX_ROWS:]:
        rows.append((f"{len(rest)} more", f"{_total(rest):,}", ""))
    return folded(element("span", "what each line costs", style=css.SMALL), table(("line", "instructions", "kinds"), rows))


def _ranked(costs: Sequence[LineCost]) -> list[LineCost]:
    return sorted(costs, key=lambda cost: -_sum(cost))


def _sum(cost: LineCost) -> int:
    return sum(cost.counts.values())


def _total(costs: Sequence[LineCost]) -> int:
    return sum(map(_sum, costs))


def _share(cost: LineCost, whole: int) -> str:
    share = 100 * _sum(cost) / whole if whole else 0.0
    return f"{share:.0f} %" if share >= 1 else "<1 %"


def _instructions(kernel: Kernel) -> str:
    name = _STAGES.get(kernel.costs_from or "", kernel.costs_from or "machine")
    return f"{name} instructions" + (" (there is no SASS here)" if kernel.costs_from == "ptx" else "")


def _label(kind: str) -> str:
    name, _, bits = kind.rpartition(" ")
    return f"{bits}-bit {name}" if bits.isdigit() else kind


def _by_group(costs: Iterable[LineCost]) -> dict[Group, int]:
    found: dict[Group, int] = dict.fromkeys(_GROUPS, 0)
    for cost in costs:
        for kind, count in cost.counts.items():
            found[group(kind)] += count
    return found


def _letters(cost: LineCost) -> str:
    by_group = _by_group([cost])
    return " ".join(f"{letter}{by_group[name]}" for name, (letter, _) in _GROUPS.items() if letter and by_group[name])


def _bar(cost: LineCost, most: int) -> Markup:
    by_group = _by_group([cost])
    return join([_swatch(name, max(1, round(_BAR_PX * count / most))) for name, count in by_group.items() if count])


def _swatch(name: Group, width: int) -> Markup:
    return element("span", style=f"background-color:{css.KINDS[name]};padding:0 0 0 {width}px")
