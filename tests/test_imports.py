"""What is imported when, and what is said when it is not installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LOAD = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
before = set(sys.modules)
shell.run_line_magic("load_ext", "kernel_lab")
"""


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", "import sys\n" + code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_loading_the_extension_imports_nothing_heavy() -> None:
    pytest.importorskip("IPython")
    heavy = ("torch", "triton", "tilelang", "tvm", "plotly", "numpy", "jsonschema", "dask", "pandas", "ipywidgets")
    assert python(LOAD + f"print([name for name in {heavy!r} if name in sys.modules])") == "[]"


@pytest.mark.parametrize(("magic", "package"), [("triton", "triton"), ("tile", "tilelang")])
def test_a_missing_language_is_named_with_how_to_get_it(magic: str, package: str) -> None:
    hidden = """
import importlib.util
stock = importlib.util.find_spec
hidden = ("torch", "triton", "tilelang", "plotly")
importlib.util.find_spec = lambda name, *rest: None if name.split(".")[0] in hidden else stock(name, *rest)
sys.modules.update(dict.fromkeys(hidden))
"""
    ran = f"""
from kernel_lab.errors import MissingPackage
try:
    shell.run_cell_magic({magic!r}, 'f --inputs "x: f32[n]" --sizes "n=4"', "def f(x): pass")
except MissingPackage as error:
    print(error)
"""
    text = python(hidden + LOAD + ran)
    assert "not installed" in text and f"pip install {package}" in text
    assert len(text.splitlines()) < 12


def test_the_verbs_name_what_is_missing() -> None:
    hidden = "sys.modules.update(dict.fromkeys(('torch', 'triton', 'tilelang', 'plotly', 'IPython', 'numpy')))\n"
    ran = """
import importlib.util
stock = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in ("torch", "triton", "tilelang") else stock(name, *rest)
import kernel_lab
from kernel_lab.errors import MissingPackage
print(len(kernel_lab.targets()) > 5)
try:
    kernel_lab.compile(lambda x: x, inputs="x: f32[n]", sizes="n=4", target="sm_90", language="triton")
except MissingPackage as error:
    print(error)
"""
    text = python(hidden + ran)
    assert text.startswith("True") and "pip install triton" in text


def test_the_doctor_lists_what_is_missing() -> None:
    assert "triton" in python(
        "sys.modules.update(dict.fromkeys(('torch', 'triton', 'tilelang')))\nfrom kernel_lab import doctor\nprint(doctor.text())"
    )


def test_every_module_imports_alone() -> None:
    """No circle of imports: each module of the notebook's process can be the first."""
    names = [
        "cell",
        "options",
        "problem",
        "job",
        "runner",
        "api",
        "cli",
        "completion",
        "calls",
        "doctor",
        "workers.wire",
        "workers.local",
        "workers.child",
    ]
    for name in names:
        python(f"import kernel_lab.{name}")
