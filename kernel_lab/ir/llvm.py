"""LLVM IR: which cell line each instruction comes from, by ``!dbg`` and the debug metadata it leads to.

Of an inlined instruction the innermost frame that lies in the file counts (see `locations`). Lines without ``!dbg``, declarations
and the metadata itself have no line.
"""

from __future__ import annotations

import re

from kernel_lab.ir.files import same_file

_NODE = re.compile(r"^!(\d+) = (?:distinct )?!(DI\w+)\((.*)\)\s*$")
_REFERENCE = re.compile(r"\b(line|scope|inlinedAt|file): (?:!)?(\d+)")
_NAME = re.compile(r'\b(filename|directory): "((?:[^"\\]|\\.)*)"')
_DBG = re.compile(r"!dbg !(\d+)")
_RECORD = re.compile(r"^\s*#dbg_\w+\(.*!(\d+)\)\s*$")
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|\\)")
_KINDS = {"DILocation", "DIFile", "DISubprogram", "DILexicalBlock", "DILexicalBlockFile", "DINamespace", "DICommonBlock"}


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if len(match[1]) == 2 else "\\", text)


class _Metadata:
    """The debug metadata of one module, resolved on demand."""

    def __init__(self, lines: list[str], file: str) -> None:
        self.file = file
        self.nodes: dict[int, tuple[str, dict[str, int]]] = {}
        self.inside: dict[int, bool] = {}  # node of a scope or file → whether it lies in the file
        self.known: dict[int, int | None] = {}
        for line in lines:
            if not line.startswith("!") or not (match := _NODE.match(line)) or match[2] not in _KINDS:
                continue
            number, kind, fields = int(match[1]), match[2], match[3]
            if kind == "DIFile":
                names = {key: _unescape(value) for key, value in _NAME.findall(fields)}
                self.inside[number] = same_file(names.get("filename", ""), file, names.get("directory", ""))
            else:
                self.nodes[number] = (kind, {key: int(value) for key, value in _REFERENCE.findall(fields)})

    def _in_file(self, scope: int | None) -> bool:
        seen: list[int] = []
        answer = False
        while scope is not None and scope not in seen:
            if scope in self.inside:
                answer = self.inside[scope]
                break
            seen.append(scope)
            fields = self.nodes.get(scope, ("", {}))[1]
            scope = fields.get("file", fields.get("scope"))
        self.inside.update(dict.fromkeys(seen, answer))
        return answer

    def line(self, number: int) -> int | None:
        if number in self.known:
            return self.known[number]
        node: int | None = number
        found: int | None = None
        seen: set[int] = set()
        while node is not None and node not in seen and found is None:
            seen.add(node)
            kind, fields = self.nodes.get(node, ("", {}))
            if fields.get("line") and self._in_file(node if kind == "DISubprogram" else fields.get("scope")):
                found = fields["line"]  # line 0 means "no line": the caller's line is the next best
            node = fields.get("inlinedAt")
        self.known[number] = found
        return found


def line_map(text: str, file: str) -> tuple[int | None, ...]:
    """For each line of ``text``, the 1-based line of ``file`` it comes from, or None."""
    lines = text.splitlines()
    metadata = _Metadata(lines, file)
    mapped: list[int | None] = []
    for line in lines:
        match = None
        if line and line[0] not in "!;":
            match = _DBG.search(line) if "!dbg" in line else _RECORD.match(line) if "#dbg_" in line else None
        mapped.append(metadata.line(int(match[1])) if match else None)
    return tuple(mapped)
