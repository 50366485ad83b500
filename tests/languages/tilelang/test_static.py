"""What is known of TileLang without importing it."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from kernel_lab.errors import TargetError
from kernel_lab.languages.tilelang import LANGUAGE
from kernel_lab.languages.tilelang.targets import compiler_arch, notes, target_dict


def entries(text, names=None):
    return LANGUAGE.entries(ast.parse(text), names or {})


def test_importing_the_language_imports_no_compiler():
    code = "import sys, kernel_lab.languages.tilelang as t; t.LANGUAGE\n"
    code += "print([name for name in ('torch', 'tilelang', 'tvm', 'triton') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_language_is_registered_under_its_names():
    assert (LANGUAGE.name, LANGUAGE.title, LANGUAGE.magic, LANGUAGE.package) == ("tilelang", "TileLang", "tile", "tilelang")


@pytest.mark.parametrize(
    "head",
    [
        "import tilelang\n@tilelang.jit",
        "import tilelang\n@tilelang.jit(out_idx=[-1])",
        "import tilelang as tl\n@tl.jit",
        "from tilelang import jit\n@jit",
        "from tilelang import jit as compiled\n@compiled(out_idx=-1)",
        "from tilelang.jit import jit\n@jit",
        "from tilelang.autotuner import autotune\nimport tilelang\n@autotune(configs=[])\n@tilelang.jit",
        "import tilelang.language as T\n@T.prim_func",
        "from tilelang import language\n@language.prim_func",
        "import tilelang\n@tilelang.language.prim_func",
    ],
)
def test_decorated_functions_are_entries_through_import_aliases(head):
    assert entries(f"{head}\ndef kernel(M):\n    pass") == ["kernel"]


def test_jit_functions_come_before_prim_funcs_and_helpers_are_no_entries():
    text = """
import tilelang
import tilelang.language as T
@T.prim_func
def a(): pass
@tilelang.jit
def b(): pass
def c(): pass
@T.macro
def d(): pass
"""
    assert entries(text) == ["b", "a"]


def test_a_redefinition_without_a_decorator_is_no_entry():
    assert entries("import tilelang\n@tilelang.jit\ndef a(): pass\ndef a(): pass") == []


def test_imports_of_earlier_cells_count():
    import types

    module = types.ModuleType("tilelang")
    assert entries("@tl.jit\ndef a(): pass", {"tl": module}) == ["a"]
    assert entries("@other.jit\ndef a(): pass", {"other": types.ModuleType("numba")}) == []


@pytest.mark.parametrize(
    ("arch", "chosen"), [("sm_80", "sm_80"), ("sm_89", "sm_89"), ("sm_90", "sm_90a"), ("sm_100", "sm_100a"), ("sm_120", "sm_120a")]
)
def test_r15_the_a_variants_are_chosen_and_said(cells, arch, chosen):
    target = cells.target(arch)
    assert compiler_arch(arch) == chosen
    assert target_dict(target) == {"kind": "cuda", "arch": chosen}
    assert (chosen != arch) == any(chosen in note for note in notes(target))


def test_unsupported_targets_are_refused_with_the_reason(cells):
    assert LANGUAGE.supports(cells.target("sm_90")) is None
    assert LANGUAGE.supports(cells.target("gfx942")) is None
    assert LANGUAGE.supports(cells.target("metal")) is None
    assert "sm_60" in LANGUAGE.supports(cells.target("sm_60"))
    with pytest.raises(TargetError, match="sm_60"), LANGUAGE.session(cells.target("sm_60"), "compile"):
        pass
