"""The report JSON: it fits its schema and its budget, and gives back what it holds."""

from __future__ import annotations

import dataclasses
import json
import random
from typing import Any

import jsonschema
import pytest

from kernel_lab import render, results
from kernel_lab.render import payload as room
from kernel_lab.render.payload import BUDGET_BYTES, payload, payload_to_report
from kernel_lab.results import Report, Stage
from tests.render.samples import ALL, HOSTILE_REPORT, HUGE, MANY, ODD_NUMBERS, RIGHT, kernel, stage

# Reports whose texts are all embedded, so that they come back whole.
WHOLE = sorted(set(ALL) - {"huge", "many", "hostile", "odd_numbers"})


def saved(data: dict[str, Any]) -> Any:
    """``data`` after a notebook was written and read: keys sorted, nothing but JSON."""
    return json.loads(json.dumps(data, sort_keys=True, allow_nan=False, ensure_ascii=False).encode("utf-8"))


@pytest.mark.parametrize("name", ALL)
def test_every_payload_fits_the_schema(name: str) -> None:
    validator = jsonschema.Draft202012Validator(render.schema())
    assert [error.message for error in validator.iter_errors(saved(payload(ALL[name])))] == []


def test_the_schema_is_valid_and_refuses_what_is_wrong() -> None:
    schema = render.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    good = payload(RIGHT)
    for change in ({"schema_version": 2}, {"surprise": 1}, {"kernels": [{}]}, {"verdict": {"passed": "yes"}}):
        assert not validator.is_valid({**good, **change}), change
    without = {key: value for key, value in good.items() if key != "cell"}
    assert not validator.is_valid(without)


@pytest.mark.parametrize(
    ("definition", "kind"),
    [
        ("cell", results.CellInfo),
        ("kernel", results.Kernel),
        ("resources", results.Resources),
        ("line_cost", results.LineCost),
        ("argument", results.Argument),
        ("launch", results.Launch),
        ("rejected", results.Rejected),
        ("case", results.Case),
        ("check", results.Check),
        ("verdict", results.Verdict),
        ("measurement", results.Measurement),
        ("roofline", results.Roofline),
        ("finding", results.Finding),
        ("stamp", results.Stamp),
    ],
)
def test_the_schema_has_every_field_of_the_results(definition: str, kind: Any) -> None:
    assert set(render.schema()["$defs"][definition]["properties"]) == {field.name for field in dataclasses.fields(kind)}


def test_the_schema_has_every_field_of_a_report() -> None:
    assert set(render.schema()["properties"]) == {"schema_version", "name", *(field.name for field in dataclasses.fields(Report))}


@pytest.mark.parametrize("name", WHOLE)
def test_a_payload_gives_back_its_report(name: str) -> None:
    assert payload_to_report(saved(payload(ALL[name]))) == ALL[name]


def test_the_order_of_stages_survives_a_saved_notebook() -> None:
    back = payload_to_report(saved(payload(RIGHT)))
    assert list(back.kernels[0].stages) == list(RIGHT.kernels[0].stages) != sorted(RIGHT.kernels[0].stages)


def test_numbers_that_json_lacks_come_back() -> None:
    back = payload_to_report(saved(payload(ODD_NUMBERS)))
    assert back.verdict is not None and back.roofline is not None
    (case,) = back.verdict.cases
    assert case.max_error != case.max_error
    assert (case.bound, case.got, back.roofline.intensity) == (float("inf"), float("-inf"), float("inf"))


def test_large_texts_are_compressed_and_small_ones_plain() -> None:
    small, large = (room.encode_stage(stage("ptx", lines)) for lines in (20, 900))
    assert small["encoding"] == "plain"
    assert large["encoding"] == "zlib+base64"
    assert len(large["data"]) < large["bytes"] / 2
    assert (large["lines"], large["bytes"]) == (900, len(stage("ptx", 900).text.encode()))


def test_a_large_llir_does_not_bloat_the_notebook() -> None:
    text = HUGE.kernels[0].stages["llir"].text
    assert len(text) > 600_000
    data = payload(HUGE)
    assert len(json.dumps(data)) <= BUDGET_BYTES
    by_name = {entry["name"]: entry for entry in data["kernels"][0]["stages"]}
    assert by_name["llir"]["encoding"] == "omitted"  # the biggest goes first
    assert by_name["ptx"]["encoding"] == "zlib+base64"
    assert by_name["llir"]["bytes"] == len(text)
    assert "%lab report add" in by_name["llir"]["note"]
    assert 'kernel_lab.last().kernels[0].stages["llir"].text' in by_name["llir"]["note"]
    assert payload_to_report(data).kernels[0].stages["llir"].text == ""
    assert payload_to_report(data).kernels[0].stages["ptx"] == HUGE.kernels[0].stages["ptx"]


def test_the_first_configuration_is_kept_before_the_others() -> None:
    data = payload(MANY)
    encodings = [[entry["encoding"] for entry in kernel["stages"]] for kernel in data["kernels"]]
    assert len(json.dumps(data)) <= BUDGET_BYTES
    assert encodings[0] == ["plain", "zlib+base64"]
    assert ["plain", "omitted"] in encodings


def test_a_smaller_budget_is_kept() -> None:
    data = payload(RIGHT, budget=12_000)
    assert len(json.dumps(data)) <= 12_000
    assert "omitted" in {entry["encoding"] for entry in data["kernels"][0]["stages"]}


@pytest.mark.parametrize("line_map", [(), (None,), (3, 3, 3), (None, 2, 2, None, None, 9)])
def test_line_maps_come_back(line_map: tuple[int | None, ...]) -> None:
    assert room.decode_line_map(saved({"m": room.encode_line_map(line_map)})["m"]) == line_map


def test_line_maps_are_runs_and_long_ones_compressed() -> None:
    assert room.encode_line_map((12, 12, 12, None, None)) == [[12, 3], [None, 2]]
    draw = random.Random(0)
    restless = tuple(draw.choice((None, *range(40))) for _ in range(20_000))
    encoded = room.encode_line_map(restless)
    assert encoded["encoding"] == "zlib+base64"
    assert room.decode_line_map(encoded) == restless


def test_what_was_printed_is_cut_in_its_middle() -> None:
    printed = payload(dataclasses.replace(RIGHT, printed="first" + "x" * 1_000_000 + "last"))["printed"]
    assert len(printed) < 20_000
    assert printed.startswith("first") and printed.endswith("last") and "983,625 characters left out" in printed


def test_lone_surrogates_do_not_stop_the_notebook_from_being_saved() -> None:
    assert saved(payload(HOSTILE_REPORT))["printed"].startswith("<script>")


@pytest.mark.parametrize(
    "change",
    [
        {"encoding": "rot13"},
        {"data": "AAAA"},
        {"data": room.encode_stage(stage("ptx", 900))["data"][:400]},
    ],
)
def test_damaged_stages_are_named(change: dict[str, str]) -> None:
    entry = room.encode_stage(Stage("ptx", "x" * 10_000, "ptx")) | change
    with pytest.raises(ValueError, match=r"encoding|damaged|cut off"):
        room.decode_stage(entry)


def test_another_schema_version_is_refused() -> None:
    with pytest.raises(ValueError, match="reads version 1"):
        payload_to_report({**payload(RIGHT), "schema_version": 2})


def test_inflation_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = room.encode_stage(Stage("ptx", kernel().name * 10_000, "ptx"))
    monkeypatch.setattr(room, "MAX_DECODED_BYTES", 1000)
    with pytest.raises(ValueError, match="larger than"):
        room.decode_stage(entry)
