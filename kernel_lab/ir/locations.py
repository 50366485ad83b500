"""MLIR locations: which cell line each line of a textual MLIR module comes from.

Reads the ``loc(...)`` at the end of operations and the ``#loc`` aliases anywhere in the file. Of an inlined operation
(``callsite(callee at caller)``) the innermost frame that lies in the file counts: a reduction inside ``tl.sum`` belongs to the line
that calls ``tl.sum``, an operation of a helper kernel of the same cell to the helper's line.
"""

from __future__ import annotations

import re

from kernel_lab.ir.files import same_file

_ALIAS = re.compile(r"^(#loc\w*) = loc\((.*)\)\s*$")
_USE = re.compile(r"(?<![\w.\"])loc\(")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|#\w+|\w+|[()\[\]:,<>]|\S')
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|.)")


def _unquote(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if len(match[1]) == 2 else match[1], text[1:-1])


class _Resolver:
    """Resolves location expressions to a line of one file; each alias once."""

    def __init__(self, aliases: dict[str, str], file: str) -> None:
        self.aliases = aliases
        self.file = file
        self.known: dict[str, int | None] = {}

    def line(self, expression: str) -> int | None:
        if expression not in self.known:
            self.known[expression] = None  # an alias that leads to itself ends here
            self.known[expression] = self._parse(_TOKEN.findall(expression), 0)[0]
        return self.known[expression]

    def _parse(self, tokens: list[str], at: int) -> tuple[int | None, int]:
        """The line of the location that begins at token ``at``, and the index after it."""
        if at >= len(tokens):
            return None, at
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token.startswith("#"):
            return (self.line(self.aliases[token]) if token in self.aliases else None), at + 1
        if token.startswith('"'):
            if following == "(":
                line, after = self._parse(tokens, at + 2)
                return line, after + 1
            if following == ":" and at + 2 < len(tokens):
                inside = same_file(_unquote(token), self.file)
                number = int(tokens[at + 2]) if tokens[at + 2].isdigit() else 0
                return (number or None) if inside else None, self._skip_range(tokens, at + 3)
            return None, at + 1
        if token == "callsite":
            callee, after = self._parse(tokens, at + 2)
            caller, after = self._parse(tokens, after + 1)
            return (callee if callee is not None else caller), after + 1
        if token == "fused":
            return self._fused(tokens, at + 1)
        return None, at + 1

    def _fused(self, tokens: list[str], at: int) -> tuple[int | None, int]:
        if at < len(tokens) and tokens[at] == "<":
            depth = 0
            while at < len(tokens):
                depth += {"<": 1, ">": -1}.get(tokens[at], 0)
                at += 1
                if depth == 0:
                    break
        first: int | None = None
        while at < len(tokens) and tokens[at] in "[,":
            line, at = self._parse(tokens, at + 1)
            first = line if first is None else first
        return first, at + 1

    @staticmethod
    def _skip_range(tokens: list[str], at: int) -> int:
        """After ``"file":line`` comes ``:column`` and, for ranges, ``to line:column`` or ``to :column``."""
        while at < len(tokens) and (tokens[at] in (":", "to") or tokens[at].isdigit()):
            at += 1
        return at


def line_map(text: str, file: str) -> tuple[int | None, ...]:
    """For each line of ``text``, the 1-based line of ``file`` it comes from, or None.

    The first line of an operation with a region gets the location that MLIR prints behind the region's closing brace.
    """
    lines = text.splitlines()
    aliases = {match[1]: match[2] for line in lines if line.startswith("#loc") and (match := _ALIAS.match(line))}
    resolver = _Resolver(aliases, file)
    mapped: list[int | None] = []
    regions: list[list[int]] = []
    for index, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith("#") or "loc(" not in bare:
            found = None
        else:
            uses = list(_USE.finditer(line))
            # the alias's own text, without the closing parenthesis: the parser stops where the location ends
            found = resolver.line(line[uses[-1].end() :]) if uses else None
        mapped.append(found)
        closes, opens = bare.startswith("}"), bare.endswith("{")
        if closes and opens and regions:  # "} else {"
            regions[-1].append(index)
        elif closes and regions:
            for opening in regions.pop():
                mapped[opening] = found if found is not None else mapped[opening]
        elif opens:
            regions.append([index])
    return tuple(mapped)
