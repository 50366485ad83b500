"""The GPU in this machine, found without torch and without opening a GPU context.

Reads what the drivers publish under /proc, /sys and /dev; asks nvidia-smi only where there is an NVIDIA device whose
model or compute capability those do not tell. Knows nothing of the other rooms but names.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kernel_lab.errors import TargetError
from kernel_lab.targets.architectures import ARCHITECTURES
from kernel_lab.targets.names import lookup, of_architecture
from kernel_lab.targets.target import Target

Run = Callable[[Sequence[str]], str]
_QUERY = "index,uuid,name,compute_cap,mig.mode.current"
_TIMEOUT_S = 10.0


@functools.cache
def here() -> Target | None:
    """The GPU that a kernel would run on in this process, or None. Looked for once.

    A model that is in no table gives its architecture's limits, its own name, and no peaks. ``CUDA_VISIBLE_DEVICES`` and
    ``HIP_VISIBLE_DEVICES`` count, as far as they name one device by its number or its UUID.
    """
    return find(Path("/"), os.environ, _run)


def find(root: Path, environment: Mapping[str, str], run: Run) -> Target | None:
    """`here` over a file system, an environment and a way to run programs of the caller's choice."""
    return _nvidia(root, environment, run) or _amd(root, environment)


def _nvidia(root: Path, environment: Mapping[str, str], run: Run) -> Target | None:
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    if visible is not None and visible.strip() in ("", "-1"):
        return None
    devices = [path for path in (root / "dev").glob("nvidia*") if re.fullmatch(r"nvidia\d+", path.name)]
    if not devices and not (root / "dev/dxg").exists():
        return None
    driver = root / "proc/driver/nvidia"
    models = {
        match[1] for path in driver.glob("gpus/*/information") if (match := re.search(r"^Model:\s*(.+?)\s*$", _read(path), re.MULTILINE))
    }
    sliced = any(driver.glob("capabilities/gpu*/mig/gi*"))
    if len(models) == 1 and not sliced:
        try:
            return lookup(models.pop())
        except TargetError:
            pass  # not in the tables: its compute capability says what it can do
    return _from_smi(run, (visible or "").split(",")[0].strip())


def _from_smi(run: Run, wanted: str) -> Target | None:
    rows = []
    for line in run(["nvidia-smi", f"--query-gpu={_QUERY}", "--format=csv,noheader"]).splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) == 5 and re.fullmatch(r"\d+\.\d+", cells[3]):
            rows.append(cells)
    chosen = next((row for row in rows if wanted and (row[0] == wanted or row[1].startswith(wanted))), rows[0] if rows else None)
    if chosen is None:
        return None
    _, _, name, capability, mig = chosen
    if mig == "Enabled":  # a slice has a part of the SMs and of the bandwidth; which part is not known here
        return _without_peaks("sm_" + capability.replace(".", ""), "cuda", f"{name} (MIG slice)")
    try:
        return lookup(name)
    except TargetError:
        return _without_peaks("sm_" + capability.replace(".", ""), "cuda", name)


def _amd(root: Path, environment: Mapping[str, str]) -> Target | None:
    if not (root / "dev/kfd").exists():
        return None
    visible = environment.get("HIP_VISIBLE_DEVICES", environment.get("ROCR_VISIBLE_DEVICES"))
    if visible is not None and visible.strip() in ("", "-1"):
        return None
    found: list[tuple[str, str]] = []
    nodes = (root / "sys/class/kfd/kfd/topology/nodes").glob("*/properties")
    for path in sorted(nodes, key=lambda item: int(item.parent.name) if item.parent.name.isdigit() else 0):
        properties = dict(line.split(maxsplit=1) for line in _read(path).splitlines() if len(line.split()) == 2)
        version = int(properties.get("gfx_target_version", "0"))
        if version:  # 0 is a CPU; else major × 10000 + minor × 100 + stepping, the last two printed in hexadecimal
            arch = f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
            found.append((arch, _product(root, properties)))
    if not found:
        return None
    first = (visible or "0").split(",")[0].strip()
    arch, product = found[int(first)] if first.isdigit() and int(first) < len(found) else found[0]
    try:
        named = lookup(product)
        if named.arch == arch:
            return named
    except TargetError:
        pass
    return _without_peaks(arch, "hip", product or None)


def _product(root: Path, properties: Mapping[str, str]) -> str:
    """The board's name from its firmware, by way of the render node; "" where the board has none."""
    node = f"renderD{properties.get('drm_render_minor', '')}"
    return _read(root / "sys/class/drm" / node / "device/product_name").strip()


def _without_peaks(arch: str, backend: str, gpu: str | None) -> Target:
    """Limits as far as they are known, no peaks: another model's would be wrong for this one."""
    if arch in ARCHITECTURES:
        return of_architecture(arch, gpu=gpu or f"unknown {arch}")
    return Target(arch=arch, backend=backend, gpu=gpu, warp_size=64 if re.fullmatch(r"gfx9\w*", arch) else 32)


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _run(command: Sequence[str]) -> str:
    program = shutil.which(command[0]) or shutil.which(command[0], path="/usr/lib/wsl/lib")
    if program is None:
        return ""
    try:
        return subprocess.run([program, *command[1:]], capture_output=True, text=True, timeout=_TIMEOUT_S, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
