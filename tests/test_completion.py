"""Tab on a magic line: options, targets, names of the notebook."""

from __future__ import annotations

import math
import types

import pytest

from kernel_lab import completion

SPACE = {"math": math, "module": types.SimpleNamespace(add=1, _hidden=2), "_private": 1, "size": 3}


def at_end(line: str, body: str = "") -> list[str]:
    return completion.complete(line, len(line), SPACE, body)[0]


@pytest.mark.parametrize(
    ("line", "has", "has_not"),
    [
        ("%%triton add --in", ["--inputs"], ["--sizes"]),
        ("%%triton add --no", ["--no-verify", "--no-measure"], ["--grad"]),
        ("%%triton add --grad --", ["--inputs"], ["--grad"]),  # what is given is not offered again
        ("%%triton add --target sm_9", ["sm_90"], ["sm_80"]),
        ("%%triton add --target=gfx", ["gfx942"], ["sm_80"]),
        ("%%triton add --target h1", ["H100 SXM"], []),
        ("%%triton add --ref math.sq", ["math.sqrt"], ["math.cos"]),
        ("%%triton add --ref mod", ["module"], ["math"]),
        ("%%triton add --ref module.", ["module.add"], ["module._hidden"]),
        ("%%triton add --ref unknown.", [], ["math"]),
        ("%%triton add ", ["--inputs", "--ref"], []),
        ("%lab ta", ["target", "targets"], ["doctor"]),
        ("%lab target MI3", ["MI300X"], ["H200"]),
    ],
)
def test_completions(line: str, has: list[str], has_not: list[str]) -> None:
    found = at_end(line)
    assert set(has) <= set(found), found
    assert not set(has_not) & set(found)


def test_the_entry_completes_to_the_functions_of_the_cell() -> None:
    assert at_end("%%triton so", "def softmax(x): ...\ndef soft(x): ...\nx = 1\n") == ["softmax", "soft"]
    assert "softmax" in at_end("%%triton ", "def softmax(x): ...\n")


def test_in_the_middle_of_a_line_only_what_is_before_counts() -> None:
    line = "%%triton add --ta --ref math.sqrt"
    found, fragment = completion.complete(line, len("%%triton add --ta"), SPACE)
    assert found == ["--target"] and fragment == "--ta"


def test_through_the_completer_of_a_shell() -> None:
    shell_module = pytest.importorskip("IPython.core.interactiveshell")
    completer = pytest.importorskip("IPython.core.completer")
    shell = shell_module.InteractiveShell.instance()
    completion.install(shell)
    completion.install(shell)  # twice changes nothing
    assert sum(getattr(item, "matcher_identifier", "") == "kernel_lab" for item in shell.Completer.custom_matchers) == 1
    text = "%%triton add --targ\ndef add(x): ..."
    with completer.provisionalcompleter():
        found = [item.text for item in shell.Completer.completions(text, len("%%triton add --targ"))]
    assert found == ["--target"]
