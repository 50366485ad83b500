"""What the JupyterLab extension shares with the package: the version, the words, and a lock without addresses."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import kernel_lab

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "extensions" / "jupyterlab"


def test_package_and_extension_have_one_version() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text())
    source = (EXTENSION / "src" / "version.ts").read_text()
    assert manifest["version"] == kernel_lab.__version__
    assert f"VERSION = '{kernel_lab.__version__}'" in source


def test_the_words_that_the_extension_is_held_to_are_the_packages() -> None:
    spec = importlib.util.spec_from_file_location("fixtures", EXTENSION / "tests" / "fixtures.py")
    assert spec and spec.loader
    fixtures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fixtures)
    # Compressed texts depend on the zlib at hand; what is said does not.
    kept, made = json.loads(fixtures.PATH.read_text()), json.loads(fixtures.text())
    for part in ("said", "formats"):
        assert kept[part] == made[part], "run python extensions/jupyterlab/tests/fixtures.py"


def test_the_lock_records_no_download_addresses() -> None:
    assert not re.search(r"https?://", (EXTENSION / "yarn.lock").read_text())
