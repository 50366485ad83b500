"""The JupyterLab extension: built into `kernel_lab/labextension` once, and linked to where JupyterLab of .venv looks.

Standard library only; part of the set-up. A build that fails (no network for npm, say) costs the linked view, not the set-up:
JupyterLab then shows the static form of each report.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import node

ROOT = node.ROOT
NAME = "kernel-lab"
BUILT = ROOT / "kernel_lab" / "labextension"
SCHEMAS = ROOT / "kernel_lab" / "schemas"
JLPM = ("-c", "from jupyter_builder.jlpm import main; main()")
# Left behind by the build, or by tests: no reason to build again.
_MADE = ("node_modules", ".yarn", "lib", "tests")


def sources() -> Iterator[Path]:
    """The files that the build is made from, in a fixed order."""
    for path in sorted([*node.EXTENSION.rglob("*"), *SCHEMAS.glob("*.json")]):
        parts = path.relative_to(ROOT).parts
        if path.is_file() and not any(part in _MADE for part in parts) and path.name not in ("schema.ts", "tsconfig.tsbuildinfo"):
            yield path


def mark() -> str:
    """A digest of the sources' names and contents."""
    digest = hashlib.sha256()
    for path in sources():
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def environment(python: Path) -> dict[str, str]:
    """The environment in which jlpm finds the chosen node, and its scripts find jlpm and jupyter-builder."""
    found = node.command()
    places = [*([str(found.parent)] if found else []), str(python.parent), os.environ.get("PATH", "")]
    return os.environ | {"PATH": os.pathsep.join(places)}


def jlpm(python: Path, *arguments: str) -> None:
    """A command of JupyterLab's package manager; raises RuntimeError with the end of its output when it fails."""
    command = [str(python), *JLPM, *arguments]
    result = subprocess.run(command, cwd=node.EXTENSION, env=environment(python), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode:
        tail = "\n".join((result.stdout + result.stderr).strip().splitlines()[-15:])
        raise RuntimeError(f"jlpm {' '.join(arguments)} ended with {result.returncode}:\n{tail}")


def build(python: Path) -> None:
    """Installs what the build needs, at the locked versions, and builds."""
    jlpm(python, "install", "--immutable")
    jlpm(python, "build")


def link(python: Path) -> None:
    """Puts the built extension where JupyterLab of this environment looks: a link, so that a later build is seen at once."""
    place = python.parent.parent / "share" / "jupyter" / "labextensions" / NAME
    if place.is_symlink() and place.resolve() == BUILT:
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.exists():
        shutil.rmtree(place)
    try:
        place.symlink_to(BUILT, target_is_directory=True)
    except OSError:  # Windows, without the right to make links
        shutil.copytree(BUILT, place)


def ensure(python: Path, step: Callable[[str, str, str, Callable[[], None]], None]) -> None:
    """Builds the extension where its sources changed, and links it. Says so and goes on when that fails."""
    try:
        says = "building the JupyterLab extension (the first time: some minutes)"
        if not (BUILT / "package.json").exists():
            (python.parent.parent / ".setup" / "extension").unlink(missing_ok=True)
        step("extension", says, mark(), lambda: build(python))
        link(python)
    except (RuntimeError, OSError) as error:
        print(f"  no JupyterLab extension: reports are shown in their static form\n{error}", flush=True)
