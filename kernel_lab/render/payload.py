"""A report as the JSON that a notebook keeps, within a size budget, and back.

The shape is `schemas/report.v1.schema.json`: the fields of `results.Report` under their own names, except that the stages of a kernel are
a *list* (notebooks are saved with sorted keys, which would shuffle a mapping) and that their texts are encoded:

- ``plain``: ``text`` as it is (up to 8 KB);
- ``zlib+base64``: ``data``, the UTF-8 text deflated with a zlib header (`DecompressionStream("deflate")` reads it in a browser);
- ``omitted``: not embedded, for the budget; ``note`` says where it is.

``lines`` and ``bytes`` always tell the size of the whole text. A line map is run-length encoded: ``[[12, 3], [null, 2]]`` means that three
lines come from cell line 12 and two from none; longer ones are that same JSON under ``zlib+base64``. Knows results, no markup.
"""

from __future__ import annotations

import base64
import itertools
import json
import zlib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from kernel_lab.render import format as fmt
from kernel_lab.render import summary
from kernel_lab.results import SCHEMA_VERSION, Report, Stage, from_json, to_json

BUDGET_BYTES = 256 * 1024
PLAIN_BYTES = 8 * 1024
TEXT_BYTES = 16 * 1024  # of any other text: what was printed, a reason
MAX_DECODED_BYTES = 64 * 1024 * 1024  # a notebook is foreign data: nothing larger is inflated


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the payload."""
    path = resources.files("kernel_lab") / "schemas" / f"report.v{SCHEMA_VERSION}.schema.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


def payload(report: Report, *, budget: int = BUDGET_BYTES) -> dict[str, Any]:
    """``report`` as JSON data of at most about ``budget`` bytes.

    When the texts do not fit, further configurations of a kernel lose theirs before its first one, the largest first.
    Beyond the texts nothing is dropped, so a report of very many kernels can exceed the budget by their plain facts.
    """
    data = _shortened(to_json(report))
    first = {group[0][0] for group in summary.groups(report.kernels)}
    choices: list[tuple[bool, int, int, int, dict[str, Any]]] = []
    for position, kernel in enumerate(report.kernels):
        entries = data["kernels"][position]["stages"] = []
        for order, stage in enumerate(kernel.stages.values()):
            entries.append(_omitted(stage, summary.where_text(position, stage.name, report)))
            full = encode_stage(stage)
            choices.append((position not in first, _length(full), position, order, full))
    result: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "name": report.name, **data}
    room = budget - _length(result)
    for _, length, position, order, full in sorted(choices, key=lambda choice: choice[:4]):
        stages = result["kernels"][position]["stages"]
        cost = length - _length(stages[order])
        if cost <= room:
            stages[order] = full
            room -= cost
    return dict(_writable(result))


def payload_to_report(data: Mapping[str, Any]) -> Report:
    """The report that ``data`` was made from; omitted stages come back with an empty text. Raises ValueError on another shape."""
    if data.get("schema_version") != SCHEMA_VERSION:
        raise ValueError(f"a report of schema version {data.get('schema_version')!r}; this kernel_lab reads version {SCHEMA_VERSION}")
    kernels = []
    for kernel in data["kernels"]:
        stages = {entry["name"]: to_json(decode_stage(entry)) for entry in kernel["stages"]}
        kernels.append({**kernel, "stages": stages})
    report: Report = from_json({**data, "kernels": kernels})
    return report


def encode_stage(stage: Stage) -> dict[str, Any]:
    """A stage with its whole text, compressed when that is larger than 8 KB."""
    raw = _utf8(stage.text)
    entry = _head(stage, raw)
    if len(raw) <= PLAIN_BYTES:
        entry |= {"encoding": "plain", "text": raw.decode()}
    else:
        entry |= {"encoding": "zlib+base64", "data": _pack(raw)}
    return entry | {"line_map": encode_line_map(stage.line_map)}


def decode_stage(entry: Mapping[str, Any]) -> Stage:
    """The inverse of `encode_stage`."""
    encoding = entry["encoding"]
    if encoding == "plain":
        text = str(entry["text"])
    elif encoding == "zlib+base64":
        text = _unpack(entry["data"]).decode("utf-8")
    elif encoding == "omitted":
        text = ""
    else:
        raise ValueError(f"stage {entry.get('name')!r}: unknown encoding {encoding!r}")
    return Stage(entry["name"], text, entry["syntax"], decode_line_map(entry.get("line_map", [])))


def encode_line_map(line_map: Sequence[int | None]) -> Any:
    """Runs of ``[cell line or None, count]``; compressed when long."""
    runs = [[line, sum(1 for _ in same)] for line, same in itertools.groupby(line_map)]
    raw = json.dumps(runs, separators=(",", ":")).encode()
    return runs if len(raw) <= PLAIN_BYTES else {"encoding": "zlib+base64", "data": _pack(raw)}


def decode_line_map(data: Any) -> tuple[int | None, ...]:
    """The inverse of `encode_line_map`."""
    runs = json.loads(_unpack(data["data"])) if isinstance(data, Mapping) else data
    if sum(count for _, count in runs) > MAX_DECODED_BYTES:
        raise ValueError("a line map of more lines than any stage has")
    return tuple(line for line, count in runs for _ in range(count))


def _head(stage: Stage, raw: bytes) -> dict[str, Any]:
    return {"name": stage.name, "syntax": stage.syntax, "lines": len(fmt.lines_of(stage.text)), "bytes": len(raw)}


def _omitted(stage: Stage, where: str) -> dict[str, Any]:
    return _head(stage, _utf8(stage.text)) | {"encoding": "omitted", "note": f"left out to keep the notebook small; {where}"}


def _pack(raw: bytes) -> str:
    return base64.b64encode(zlib.compress(raw)).decode("ascii")


def _unpack(data: str) -> bytes:
    inflate = zlib.decompressobj()
    try:
        raw = inflate.decompress(base64.b64decode(data, validate=True), MAX_DECODED_BYTES)
    except (zlib.error, ValueError) as error:
        raise ValueError(f"damaged compressed text: {error}") from None
    if not inflate.eof:
        raise ValueError("compressed text is cut off, or larger than 64 MiB")
    return raw


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _length(value: Any) -> int:
    return len(json.dumps(value, separators=(", ", ": "), ensure_ascii=False).encode("utf-8", "replace"))


def _shortened(value: Any, key: str = "") -> Any:
    """``value`` with texts over 16 KB cut in their middle. The cell's own text and the stages are left whole."""
    if isinstance(value, str):
        if key == "source" or len(value) <= TEXT_BYTES:
            return value
        half = TEXT_BYTES // 2
        return f"{value[:half]}\n… {len(value) - 2 * half:,} characters left out …\n{value[-half:]}"
    if isinstance(value, dict):
        return {name: {} if name == "stages" else _shortened(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item, key) for item in value]
    return value


def _writable(value: Any) -> Any:
    """``value`` with lone surrogates replaced: a notebook that holds one cannot be saved."""
    if isinstance(value, str):
        return value if value.isascii() else _utf8(value).decode()
    if isinstance(value, dict):
        return {_writable(key): _writable(item) for key, item in value.items()}
    return [_writable(item) for item in value] if isinstance(value, list) else value
