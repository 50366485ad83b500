"""Rules of the project that no linter knows: versions agree, modules stay small, nothing of one machine is committed."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LARGEST_MODULE_BYTES = 13_000


def committed(*patterns: str) -> list[Path]:
    """The files under version control."""
    result = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, text=True)
    if result.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in result.stdout.split("\0") if name and (ROOT / name).is_file()]


def split(requirement: str) -> tuple[str, str]:
    """A requirement as its normalised name and the rest (versions, marker), without spaces: ("ml-dtypes", ">=0.5.1")."""
    match = re.match(r"([A-Za-z0-9._-]+)(\[[^]]*\])?(.*)", requirement.strip())
    assert match, requirement
    return re.sub(r"[-_.]+", "-", match[1]).lower(), re.sub(r"\s+", "", match[3])


def conda_dependencies() -> list[str]:
    """The entries of environment.yml, those for pip included. (The file is simple enough to be read by line.)"""
    lines = (ROOT / "environment.yml").read_text().splitlines()
    items = [line.strip()[2:].strip() for line in lines[lines.index("dependencies:") :] if line.strip().startswith("- ")]
    return [item for item in items if item != "pip:" and not item.startswith("--")]


def test_conda_environment_has_the_versions_of_pyproject() -> None:
    conda = dict(map(split, conda_dependencies()))
    project = dict(map(split, PYPROJECT["project"]["dependencies"]))
    assert {name: conda.get(name) for name in project} == project
    assert conda["python"] == PYPROJECT["project"]["requires-python"]
    assert set(conda) - set(project) == {"python", "pip", "make", "git", "cxx-compiler", "nodejs"}


def test_constraints_pin_every_dependency_within_its_range() -> None:
    packaging = pytest.importorskip("packaging.requirements")
    pins = dict(split(line) for line in (ROOT / "constraints.txt").read_text().splitlines() if line and not line.startswith("#"))
    extras = PYPROJECT["project"]["optional-dependencies"]
    for text in [*PYPROJECT["project"]["dependencies"], *extras["dev"], *extras["cluster"]]:
        requirement = packaging.Requirement(text)
        pin = pins.get(split(text)[0])
        assert pin, f"constraints.txt does not pin {requirement.name}"
        assert requirement.specifier.contains(pin.removeprefix("==")), f"{requirement.name}{pin} is outside {requirement.specifier}"


def test_triton_has_no_upper_pin() -> None:
    """CUDA builds of torch each pin another Triton; an upper bound here would make them impossible to install."""
    (specifier,) = [rest for name, rest in map(split, PYPROJECT["project"]["dependencies"]) if name == "triton"]
    assert "<" not in specifier.split(";")[0] and "==" not in specifier.split(";")[0]


def test_ci_runs_make_test_and_nothing_after_it() -> None:
    script = ROOT / ".ci" / "run"
    lines = [line for line in script.read_text().splitlines() if line.strip()]
    assert "set -euo pipefail" in lines
    assert lines[-1].startswith("exec make test")
    assert script.stat().st_mode & 0o111, ".ci/run must be executable"


def test_make_targets_of_the_surface_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    assert {"lab", "demo", "test", "lint", "bench", "clean", "help"} <= targets


def test_modules_stay_small() -> None:
    large = {path.relative_to(ROOT).as_posix(): path.stat().st_size for path in committed("*.py", "*.ts", "*.tsx")}
    assert {name: size for name, size in large.items() if size > LARGEST_MODULE_BYTES} == {}


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        path.relative_to(ROOT).as_posix()
        for path in committed("kernel_lab/*.py", "tools/*.py")
        if path.read_text().strip() and not path.read_text().lstrip().startswith(('"""', 'r"""'))
    ]
    assert silent == []


# Written so that this file does not match itself.
FOREIGN = {
    "a path of one machine": re.compile(r"(?<![\w.])/(?:wor[k]/main|wor[k]/shared|roo[t]/|tm[p]/v3\d)|/hom[e]/(?!you|me|user|USER)\w"),
    "a registry's host": re.compile(r"pyp[i]\.org|pythonhoste[d]\.org|registry\.(?:npmj[s]|yarnpk[g])|(?:deb|security)\.debia[n]\.org"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_no_committed_file_holds(kind: str) -> None:
    found = []
    for path in committed():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in FOREIGN[kind].finditer(text)][:1]
    assert found == [], kind
