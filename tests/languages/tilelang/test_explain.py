"""Messages: the first line that means something, and the cell's line."""

from __future__ import annotations

import types

import pytest

from kernel_lab.errors import CompileError
from kernel_lab.languages.protocol import Loaded
from kernel_lab.languages.tilelang.explain import explain, first_meaningful
from kernel_lab.languages.tilelang.lowering import Refused

LOADED = Loaded(types.ModuleType("m"), "<cell x>", "%%tile\nline two\nline three")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Check failed: (a == b) is false: shapes differ", "shapes differ"),
        (
            'Traceback (most recent call last):\n  File "/x/y.cc", line 3\ntvm.error.InternalError: Check failed: (p) is false: no layout',
            "no layout",
        ),
        ("Check failed: (p != nullptr) is false:", "Check failed: (p != nullptr) is false:"),
        ('no lowering for {"kind":"cuda","host":{"kind":"c"},"arch":"sm_90a"}, sorry', "no lowering for sm_90a, sorry"),
        ("Check failed: (value.bits() == 32 && (a.b() || c())) is false: only int32", "only int32"),
        ("plain words", "plain words"),
        ("", ""),
    ],
)
def test_the_first_meaningful_line(text, wanted):
    assert first_meaningful(text) == wanted


def test_messages_stay_short():
    assert len(first_meaningful("x" * 5000)) <= 300


def test_errors_that_tilelang_had_no_part_in_are_left_alone():
    error = ZeroDivisionError("division by zero")
    assert explain(error, LOADED) is error


def test_refused_code_names_the_tool_and_the_cell_line():
    explained = explain(Refused("nvcc", 'identifier "foo" is undefined', 3), LOADED)
    assert isinstance(explained, CompileError)
    assert 'nvcc refused the generated code: identifier "foo" is undefined' in str(explained)
    assert "cell line 3: line three" in str(explained)


def test_the_marker_of_a_message_gives_the_line():
    class Failure(Exception):
        pass

    Failure.__module__ = "tvm.error"
    explained = explain(Failure("Check failed: (x) is false: bad layout\n  --> /home/me/<cell x>:2:1"), LOADED)
    assert isinstance(explained, CompileError)
    assert explained.cell_line == 2
    assert str(explained).splitlines()[0] == "bad layout"
