"""JupyterLab on a loopback port of its own, and a Chromium to look at it with.

The server runs in a folder, with settings, and with a kernel that are the tests' own: nothing of the user's JupyterLab is
read or changed. Without a Chromium (or without Playwright) these tests are skipped and say so.
"""

from __future__ import annotations

import importlib
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "out" / "browser"
BUILT = ROOT / "kernel_lab" / "labextension"
START_S = 120
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder drives a browser."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@dataclass(frozen=True)
class Server:
    """A running JupyterLab: where it answers, and the folder whose notebooks it serves."""

    url: str
    token: str
    folder: Path

    def page(self, notebook: str) -> str:
        """The address of a notebook, alone in a fresh workspace."""
        return f"{self.url}lab/workspaces/{secrets.token_hex(4)}/tree/{notebook}?token={self.token}"


def answers(url: str) -> bool:
    """Whether a request gets an answer with status 200."""
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def free_port() -> int:
    """A loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """JupyterLab, started once for all tests and stopped after them."""
    base = tmp_path_factory.mktemp("jupyter")
    folder = base / "notebooks"
    config = base / "config"
    folder.mkdir()
    config.mkdir()
    # No kernel directories: what is left is the native kernel, this very Python.
    quiet = {"news_url": None, "check_for_updates_class": "jupyterlab.NeverCheckForUpdate", "expose_app_in_browser": True}
    settings = {"KernelSpecManager": {"kernel_dirs": [], "ensure_native_kernel": True}, "LabApp": quiet}
    (config / "jupyter_server_config.json").write_text(json.dumps(settings))
    (config / "jupyter_lab_config.json").write_text(json.dumps(settings))
    places = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime", "IPYTHONDIR": "ipython"}
    places |= {"JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces"}
    # The extension of this very checkout, not one that may be installed elsewhere.
    if BUILT.exists():
        (base / "data" / "labextensions").mkdir(parents=True)
        (base / "data" / "labextensions" / "kernel-lab").symlink_to(BUILT, target_is_directory=True)
    notification = base / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    notification.parent.mkdir(parents=True)
    notification.write_text('{"fetchNews": "false"}')
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {name: str(base / sub) for name, sub in places.items()} | {"PYTHONPATH": path}
    port, token = free_port(), secrets.token_hex(16)
    options = ["--no-browser", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"]
    if os.name == "posix" and os.geteuid() == 0:
        options.append("--allow-root")
    log = base / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            deadline = time.monotonic() + START_S
            while not answers(f"http://127.0.0.1:{port}/api?token={token}"):
                if time.monotonic() > deadline:
                    pytest.fail(f"JupyterLab did not answer within {START_S} s:\n{log.read_text()[-3000:]}")
                try:
                    process.wait(timeout=0.2)
                except subprocess.TimeoutExpired:
                    continue
                pytest.fail(f"JupyterLab ended with {process.returncode}:\n{log.read_text()[-3000:]}")
            yield Server(f"http://127.0.0.1:{port}/", token, folder)
        finally:
            # SIGTERM lets the server stop its kernels, which stop their workers.
            process.terminate()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser that the set-up found."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        finder = importlib.import_module("browser")
    finally:
        sys.path.pop(0)
    path = finder.found() or finder.on_machine()
    if path is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page(chromium: Any) -> Iterator[Any]:
    """A page for the tests of a file; ends in an error when the page asked anything of a machine other than this one."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(60_000)
    outside: list[str] = []

    def look(request: Any) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")):
            outside.append(request.url)

    context.on("request", look)
    yield context.new_page()
    context.close()
    assert outside == [], "the page asked for something outside this machine"
