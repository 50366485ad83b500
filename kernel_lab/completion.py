"""Tab completion on magic lines: options, and values (targets, names of the notebook).

Called by `magics`; knows IPython's matcher interface.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kernel_lab import options, runner
from kernel_lab.targets import names as target_names

SUBCOMMANDS = ("doctor", "report", "roofline", "target", "targets", "help")


def complete(line: str, cursor: int, namespace: Mapping[str, Any], body: str = "") -> tuple[list[str], str]:
    """Completions at ``cursor`` of a magic line, and the fragment they replace."""
    before = line[:cursor]
    fragment = re.split(r"[\s=]", before)[-1].lstrip("\"'")
    if before.lstrip().startswith("%lab"):
        return [word for word in _lab_words(before, fragment) if word.startswith(fragment)], fragment
    words = re.split(r"\s+", before.strip()) if not before.endswith(" ") else [*re.split(r"\s+", before.strip()), ""]
    previous = before[: len(before) - len(fragment)].rstrip("\"' =").split()[-1] if len(words) > 1 else ""
    option = next((item for item in options.OPTIONS if item.name == previous), None)
    if fragment.startswith("-"):
        given = set(words[:-1])
        return [item.name for item in options.OPTIONS if item.name.startswith(fragment) and item.name not in given], fragment
    if option is not None and option.completes == "targets":
        lowered = fragment.lower()
        return [name for name in target_names.known() if name.lower().startswith(lowered)], fragment
    if option is not None and option.completes == "names":
        return _names(fragment, namespace), fragment
    if len(words) == 2 and option is None:
        defined = re.findall(r"^def\s+(\w+)", body, re.M)
        return [name for name in [*defined, *(item.name for item in options.OPTIONS)] if name.startswith(fragment)], fragment
    if option is None and not fragment:
        return [item.name for item in options.OPTIONS if item.name not in words], fragment
    return [], fragment


def _names(fragment: str, namespace: Mapping[str, Any]) -> list[str]:
    head, dot, tail = fragment.rpartition(".")
    if not dot:
        return sorted(name for name in namespace if name.startswith(fragment) and not name.startswith("_"))
    root, *path = head.split(".")
    value: Any = namespace.get(root)
    for part in path:
        value = getattr(value, part, None)
    if value is None:
        return []
    return [f"{head}.{name}" for name in dir(value) if name.startswith(tail) and not name.startswith("_")]


def _lab_words(before: str, fragment: str) -> list[str]:
    words = before.split()
    command = words[1] if len(words) > 2 or (len(words) == 2 and before.endswith(" ")) else None
    if command == "target" or command == "targets":
        return [*target_names.known()]
    if command in ("report", "roofline"):
        return [*runner.names()]
    return list(SUBCOMMANDS) if command is None else []


def install(shell: Any) -> None:
    """Add the matcher to the shell's completer."""
    from IPython.core.completer import SimpleCompletion, context_matcher

    @context_matcher(identifier="kernel_lab")  # type: ignore[untyped-decorator]
    def kernel_lab_matcher(context: Any) -> Any:
        lines = context.full_text.split("\n")
        line = lines[context.cursor_line]
        if not line.lstrip().startswith(("%%triton", "%%tile", "%lab")):
            return {"completions": []}
        found, fragment = complete(line, len(context.line_with_cursor[: context.cursor_position]), shell.user_ns, "\n".join(lines[1:]))
        matches = [SimpleCompletion(text, type="option" if text.startswith("-") else "value") for text in found]
        return {"completions": matches, "matched_fragment": fragment, "suppress": bool(matches)}

    matchers = shell.Completer.custom_matchers
    if not any(getattr(matcher, "matcher_identifier", "") == "kernel_lab" for matcher in matchers):
        matchers.insert(0, kernel_lab_matcher)
