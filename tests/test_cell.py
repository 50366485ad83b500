"""A cell as a module: line numbers are those a person sees, and an entry's part of a cell is what it needs and no more."""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest

from kernel_lab import cell as cells
from kernel_lab.cell import Cell
from kernel_lab.errors import CellError


def cell(body: str, magic: str = "%%triton", name: str = "cell") -> Cell:
    return Cell(magic, textwrap.dedent(body).lstrip("\n"), name)


def part(body: str, *names: str) -> str:
    return ast.unparse(cell(body).part_for(names))


def test_the_magic_line_is_line_one() -> None:
    made = cell("import math\n\ndef f():\n    return math.pi\n")
    assert made.line(1) == "%%triton"
    assert made.line(4) == "def f():"
    assert made.top_level_line("f") == 4
    assert made.tree.body[0].lineno == 2
    assert made.line(99) is None and made.line(None) is None


def test_functions_of_an_executed_cell_have_their_source_and_lines() -> None:
    made = cell("x = 1\ndef f():\n    return x\n", name="sourced")
    module = cells.execute(made, made.tree, {})
    assert inspect.getsource(module.f) == "def f():\n    return x\n"
    assert module.f.__code__.co_firstlineno == 3
    assert module.f.__code__.co_filename == "<cell sourced>"


def test_a_syntax_error_names_its_line_and_text() -> None:
    made = cell("x = 1\ndef f(:\n    pass\n")
    with pytest.raises(CellError) as caught:
        _ = made.tree
    assert caught.value.cell_line == 3
    assert caught.value.excerpt == "def f(:"
    assert "column" in str(caught.value)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a = 1\nb, (c, *d) = x\n", ("a", "b", "c", "d")),
        ("import torch.nn as nn\nimport os.path\nfrom math import pi as p, e\n", ("nn", "os", "p", "e")),
        ("for i in y:\n    z = i\nwith open(q) as w: pass\n", ("i", "z", "w")),
        ("if (n := 3):\n    k: int = n\n", ("n", "k")),
        ("def f(a):\n    inner = 1\nclass C:\n    attribute = 2\n", ("f", "C")),
        ("v = [i for i in range(3)]\n", ("v",)),
        ("try:\n    import fast\nexcept ImportError as error:\n    fast = None\n", ("fast",)),
    ],
)
def test_defines(body: str, expected: tuple[str, ...]) -> None:
    assert set(expected) <= set(cell(body).defines)
    assert not {"inner", "attribute", "a"} & set(cell(body).defines) - set(expected)


@pytest.mark.parametrize(
    ("body", "reads", "not_read"),
    [
        ("y = x + 1\n", {"x"}, {"y"}),
        ("def f():\n    return helper(SCALE)\n", {"helper", "SCALE"}, {"f"}),
        ("x = 1\ny = x\n", set(), {"x", "y"}),
        ("y = x\nx = 1\n", {"x"}, {"y"}),  # read before it is bound: it comes from elsewhere
        ("print(len([1]))\n", set(), {"print", "len"}),
        ("def f(a=DEFAULT): return a\n", {"DEFAULT"}, {"a"}),
        ("@decorate\ndef f(): pass\n", {"decorate"}, {"f"}),
        ("class C(Base):\n    def m(self): return outer\n", {"Base", "outer"}, {"self"}),
        ("v = [g(i) for i in items]\n", {"g", "items"}, {"i"}),
        ("def f(x: T.Tensor((M, N))): pass\n", {"T", "M", "N"}, {"x"}),
        ("n += 1\n", {"n"}, set()),
    ],
)
def test_reads(body: str, reads: set[str], not_read: set[str]) -> None:
    found = cell(body).reads
    assert reads <= found
    assert not found & not_read


def test_digest_changes_with_the_magic_line_and_the_body() -> None:
    assert len({cell("x = 1\n").digest, cell("x = 2\n").digest, cell("x = 1\n", "%%triton add").digest}) == 3


def test_part_keeps_what_the_entry_needs_transitively() -> None:
    kept = part(
        """
        import math
        import os
        A = 2
        B = A * 3
        OTHER = os.getcwd()
        def helper(): return B
        def entry(): return helper() + math.pi
        def unused(): return OTHER
        """,
        "entry",
    )
    for text in ("import math", "A = 2", "B = A * 3", "def helper", "def entry"):
        assert text in kept
    for text in ("unused", "OTHER", "import os"):
        assert text not in kept


def test_part_leaves_prints_plots_and_calls_of_the_entry_out() -> None:
    kept = part("def entry(): return 1\nprint(entry())\nplot(entry())\nentry()\n", "entry")
    assert kept.strip() == "def entry():\n    return 1"


def test_part_keeps_in_place_changes_of_what_is_needed() -> None:
    kept = part("CONFIGS = []\nCONFIGS.append(1)\nD = {}\nD['k'] = 2\nE = 3\nE += 1\ndef entry(): return CONFIGS, D, E\n", "entry")
    assert "CONFIGS.append(1)" in kept and "D['k'] = 2" in kept and "E += 1" in kept


def test_part_keeps_settings_that_no_name_shows() -> None:
    kept = part("import torch\nimport triton\ntorch.manual_seed(3)\ntriton.set_allocator(alloc)\ndef entry(): return 1\n", "entry")
    assert "torch.manual_seed(3)" in kept and "triton.set_allocator(alloc)" in kept


def test_part_keeps_future_imports_first() -> None:
    kept = part("from __future__ import annotations\nx = 1\ndef entry(): return x\n", "entry")
    assert kept.startswith("from __future__ import annotations")


def test_part_keeps_what_binds_names_unseen_and_what_that_may_read() -> None:
    assert "from math import *" in part("from math import *\ndef entry(): return pi\n", "entry")
    kept = part("import math\nCODE = 'def entry(): return math.pi'\nexec(CODE)\nprint(1)\n", "entry")
    assert kept.splitlines() == ["import math", "CODE = 'def entry(): return math.pi'", "exec(CODE)"]


def test_part_keeps_the_lines() -> None:
    made = cell("x = 1\n\nprint(x)\n\ndef entry(): return x\n")
    assert made.part_for(["entry"]).body[-1].lineno == 6


def test_what_exec_defines_has_a_source() -> None:
    made = cell("CODE = 'x = 2\\ndef f():\\n    return x\\n'\nexec(CODE)\n", name="texts")
    module = cells.execute(made, made.tree, {})
    assert module.f() == 2 and inspect.getsource(module.f) == "def f():\n    return x\n"
    assert made.opaque and not cell("x = 1\n").opaque


def test_failing_line_is_the_innermost_in_the_cell_through_causes() -> None:
    made = cell("def inner():\n    raise ValueError('no')\ndef outer():\n    inner()\n", name="failing")
    module = cells.execute(made, made.tree, {})
    try:
        try:
            module.outer()
        except ValueError as error:
            raise RuntimeError("wrapped") from error
    except RuntimeError as error:
        assert cells.failing_line(error, made.file) == 3
        assert cells.failing_line(error, "<cell other>") is None


def test_names_of_text_that_does_not_parse() -> None:
    assert cells.defined_by_text("def f(:\n  pass\nX = 1\nclass C\nif a == b:\n") == {"f", "X", "C"}


def test_expression_reads() -> None:
    assert cells.expression_reads("lambda a, b: ref(a) @ b") == {"ref"}
    assert cells.expression_reads("torch.add") == {"torch"}
    assert cells.expression_reads("not (an expression") == frozenset()
    assert cells.expression_reads(None) == frozenset()


@pytest.mark.parametrize("line", ["files = !ls", "t = %timeit 1", "!ls", "%time 1"])
def test_shell_lines_and_magics_are_sent_to_a_cell_of_their_own(line: str) -> None:
    with pytest.raises(CellError, match="need a cell of their own"):
        Cell("%%triton", f"x = 1\n{line}\n").tree  # noqa: B018
