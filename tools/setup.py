"""The set-up behind every make target: steps into .venv, each done once, each saying what it does.

Standard library only, since it runs before anything is installed. A step is skipped when the fingerprint of what it
depends on is the one it left behind, so a later run needs no network. Knows nothing of kernel_lab itself.

    setup.py lab      all that JupyterLab and the demo need
    setup.py test     the same and all that the tests need
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import browser
import extension
import node
import system_packages

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV36 = ROOT / ".venv-triton36"
TRITON_OLDEST = "3.6.0"
SETTINGS = json.dumps({"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}})


class SetupError(Exception):
    """A step that failed, with what to do about it."""


def run(command: Sequence[str | Path], *, quiet: bool = False) -> None:
    """Runs ``command`` in the project's root; raises SetupError with the end of its output when it fails."""
    result = subprocess.run([str(part) for part in command], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode:
        tail = "\n".join((result.stdout + result.stderr).strip().splitlines()[-15:])
        raise SetupError(f"{' '.join(str(part) for part in command)}\nended with {result.returncode}:\n{tail}")
    if not quiet and result.stdout.strip():
        print(result.stdout.strip())


def fingerprint(*parts: str | Path) -> str:
    """A digest of texts and of files' contents; contents rather than times, which a checkout changes."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes() if isinstance(part, Path) else part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def step(name: str, says: str, mark: str, action: Callable[[], None]) -> None:
    """Runs ``action`` unless the step ``name`` already ended with the fingerprint ``mark``."""
    stamp = VENV / ".setup" / name
    if stamp.exists() and stamp.read_text() == mark:
        return
    print(f"→ {says} …", flush=True)
    start = time.monotonic()
    action()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(mark)
    print(f"  done in {time.monotonic() - start:.0f} s", flush=True)


def python(venv: Path = VENV) -> Path:
    """The interpreter of an environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def pip(*arguments: str | Path) -> None:
    """pip of .venv, without questions or progress bars."""
    run([python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", *arguments], quiet=True)


def site_packages(venv: Path) -> Path:
    """Where packages of ``venv`` lie."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(subprocess.run([python(venv), "-c", code], capture_output=True, text=True, check=True).stdout.strip())


def make_venv() -> None:
    """An empty .venv with pip, by whatever way this Python has."""
    if VENV.exists():
        shutil.rmtree(VENV)
    ensurepip = [sys.executable, "-c", "import ensurepip"]
    if subprocess.run(ensurepip, capture_output=True).returncode:
        # Debian splits ensurepip off its Python: take the package, or the pip that is there.
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        if system_packages.install(f"python{version}-venv"):
            pass
        elif subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0:
            run([sys.executable, "-m", "venv", "--without-pip", VENV])
            run([sys.executable, "-m", "pip", "--python", python(), "install", "--quiet", "pip"])
            return
        else:
            raise SetupError(f"this Python cannot make environments (no ensurepip)\n  → apt-get install python{version}-venv")
    run([sys.executable, "-m", "venv", VENV])


def constraints(torch_pin: str | None) -> Path:
    """The tested versions, in a file for pip; the line of Triton yields to the one that torch's build pins."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    if torch_pin:
        lines = [line for line in lines if not line.startswith("triton==")]
    path = VENV / ".setup" / "constraints.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


def torch_triton_pin() -> str | None:
    """The version of Triton that the installed torch requires, or None (as the builds for the CPU)."""
    code = (
        "import importlib.metadata as m, re\n"
        "for r in m.requires('torch') or []:\n"
        "    p = re.match(r'triton\\s*\\(?==\\s*([\\w.]+)', r)\n"
        "    if p and 'extra ==' not in r: print(p[1])"
    )
    out = subprocess.run([python(), "-c", code], capture_output=True, text=True).stdout.split()
    return out[0] if out else None


def install_torch() -> None:
    """torch first and by itself, since its build decides which Triton can stand beside it."""
    (pin,) = re.findall(r"^torch==\S+", (ROOT / "constraints.txt").read_text(), re.M)
    pip(pin)


def install(*requirements: str) -> None:
    """The project and further requirements, at the tested versions."""
    pin = torch_triton_pin()
    if pin:
        print(f"  (this build of torch brings Triton {pin})")
    pip("--constraint", constraints(pin), *requirements)


def write_settings() -> None:
    """JupyterLab in .venv set not to ask whether it may fetch news, nor to look for versions of itself."""
    path = VENV / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SETTINGS)


def compile_modules() -> None:
    """The bytecode of kernel_lab's modules: where Python may not write any, each start would compile them anew."""
    run([python(), "-m", "compileall", "-q", ROOT / "kernel_lab"], quiet=True)


def install_nvcc() -> None:
    """nvcc's wheels, for the PTX and SASS of TileLang kernels. Not having them is no failure: `doctor` names what is left out."""
    try:
        install("tilelang[nvcc]")
    except SetupError as error:
        print(f"  no nvcc: PTX and SASS of TileLang kernels are left out\n{error}")


def has_nvcc() -> bool:
    """Whether the machine has an nvcc where TileLang looks first: CUDA_HOME, CUDA_PATH, PATH."""
    homes = [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    return any((home / "bin" / "nvcc").exists() for home in homes) or shutil.which("nvcc") is not None


def make_venv36() -> None:
    """An environment with the oldest Triton and, behind it, everything of .venv: a few seconds instead of a second install."""
    if VENV36.exists():
        shutil.rmtree(VENV36)
    run([python(), "-m", "venv", "--without-pip", VENV36])
    run([python(), "-m", "pip", "--python", python(VENV36), "install", "--quiet", "--no-input", "--no-deps", f"triton=={TRITON_OLDEST}"])
    # addsitedir rather than a bare path: the .pth files in there (the project itself) count too.
    (site_packages(VENV36) / "zz_main_environment.pth").write_text(f"import site; site.addsitedir({str(site_packages(VENV))!r})\n")


def main(what: str) -> None:
    """Runs the steps that ``what`` ("lab" or "test") needs."""
    project = fingerprint(ROOT / "pyproject.toml", ROOT / "constraints.txt", str(ROOT))
    alive = subprocess.run([python(), "-c", "pass"], capture_output=True).returncode == 0 if python().exists() else False
    if not alive:
        version = ".".join(map(str, sys.version_info[:3]))
        print(f"→ making .venv with Python {version} ({sys.executable}) …", flush=True)
        make_venv()
    step("torch", "installing torch", fingerprint(ROOT / "constraints.txt"), install_torch)
    step("packages", "installing kernel_lab, JupyterLab, Triton and TileLang (about a minute)", project, lambda: install("--editable", "."))
    step("settings", "writing JupyterLab's settings", fingerprint(SETTINGS), write_settings)
    sources = fingerprint(*sorted((ROOT / "kernel_lab").rglob("*.py")))
    step("bytecode", "compiling kernel_lab's modules, so that %load_ext is quick", sources, compile_modules)
    if sys.platform == "linux" and not has_nvcc():
        step("nvcc", "installing nvcc's wheels, since this machine has no nvcc", project, install_nvcc)
    if node.wanted():
        node.ensure(python(), step, pip)
        extension.ensure(python(), step)
    if what == "test":
        step("test-packages", "installing what the tests need", project, lambda: install("--editable", ".[dev]"))
        if sys.platform == "linux":
            mark = fingerprint(TRITON_OLDEST, str(ROOT), os.path.realpath(python()))
            if not python(VENV36).exists():
                (VENV / ".setup" / "triton36").unlink(missing_ok=True)
            step("triton36", f"making .venv-triton36 with Triton {TRITON_OLDEST}", mark, make_venv36)
        browser.ensure(python())


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else "lab")
    except SetupError as error:
        sys.exit(f"set-up stopped: {error}\n  → the steps before it are kept; run the same command again once the cause is mended")
    except KeyboardInterrupt:
        sys.exit("set-up interrupted; run the same command again to go on")
