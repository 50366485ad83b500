"""The GPU in a machine: made-up /proc, /sys and /dev, and a made-up nvidia-smi."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from kernel_lab.errors import TargetError
from kernel_lab.targets import choice, default, lookup, machine, set_default
from kernel_lab.targets.machine import find


def nothing(command: Sequence[str]) -> str:
    raise AssertionError(f"ran {command}")


def put(root: Path, name: str, text: str = "") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def nvidia(root: Path, model: str | None) -> None:
    put(root, "dev/nvidia0")
    if model:
        put(root, "proc/driver/nvidia/gpus/0000:0a:00.0/information", f"Model: \t\t {model}\nIRQ:   \t\t 147\n")


def test_no_gpu_runs_nothing(tmp_path: Path) -> None:
    assert find(tmp_path, {}, nothing) is None


def test_a_driver_without_a_device_is_no_gpu(tmp_path: Path) -> None:
    put(tmp_path, "proc/driver/nvidia/gpus/0/information", "Model: NVIDIA H200\n")
    put(tmp_path, "dev/nvidiactl")
    assert find(tmp_path, {}, nothing) is None


def test_a_known_model_needs_no_program(tmp_path: Path) -> None:
    nvidia(tmp_path, "NVIDIA H100 80GB HBM3")
    target = find(tmp_path, {}, nothing)
    assert target is not None and (target.gpu, target.assumed) == ("H100 SXM", False)


@pytest.mark.parametrize("value", ["", "-1"])
def test_hidden_devices_are_no_gpu(tmp_path: Path, value: str) -> None:
    nvidia(tmp_path, "NVIDIA H200")
    assert find(tmp_path, {"CUDA_VISIBLE_DEVICES": value}, nothing) is None


def test_an_unknown_model_keeps_its_name_and_gets_its_architecture(tmp_path: Path) -> None:
    nvidia(tmp_path, "NVIDIA H20")
    target = find(tmp_path, {}, lambda command: "0, GPU-1, NVIDIA H20, 9.0, Disabled\n")
    assert target is not None and (target.arch, target.gpu, dict(target.peaks)) == ("sm_90", "NVIDIA H20", {})
    assert target.max_shared_bytes == 232448 and not target.assumed


def test_an_unknown_architecture_is_still_a_target(tmp_path: Path) -> None:
    nvidia(tmp_path, None)
    target = find(tmp_path, {}, lambda command: "0, GPU-1, NVIDIA Next, 15.1, [N/A]\n")
    assert target is not None and (target.arch, target.gpu, target.max_shared_bytes) == ("sm_151", "NVIDIA Next", None)


def test_a_mig_slice_has_no_peaks(tmp_path: Path) -> None:
    nvidia(tmp_path, "NVIDIA A100-SXM4-80GB")
    put(tmp_path, "proc/driver/nvidia/capabilities/gpu0/mig/gi1/access")
    target = find(tmp_path, {}, lambda command: "0, GPU-1, NVIDIA A100-SXM4-80GB, 8.0, Enabled\n")
    assert target is not None and target.arch == "sm_80" and not target.peaks and "MIG" in (target.gpu or "")


def test_the_visible_one_of_two_models(tmp_path: Path) -> None:
    nvidia(tmp_path, "Tesla T4")
    put(tmp_path, "proc/driver/nvidia/gpus/0000:0b:00.0/information", "Model: NVIDIA L4\n")
    rows = "0, GPU-aa, Tesla T4, 7.5, [N/A]\n1, GPU-bb, NVIDIA L4, 8.9, [N/A]\n"
    for value, gpu in (("1", "L4"), ("0", "T4"), ("GPU-bb", "L4"), ("1,0", "L4")):
        target = find(tmp_path, {"CUDA_VISIBLE_DEVICES": value}, lambda command: rows)
        assert target is not None and target.gpu == gpu


@pytest.mark.parametrize("answer", ["", "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"])
def test_a_silent_nvidia_smi_is_no_gpu(tmp_path: Path, answer: str) -> None:
    nvidia(tmp_path, None)
    assert find(tmp_path, {}, lambda command: answer) is None


def amd(root: Path, version: int, product: str) -> None:
    put(root, "dev/kfd")
    put(root, "sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 64\ngfx_target_version 0\n")
    put(root, "sys/class/kfd/kfd/topology/nodes/1/properties", f"gfx_target_version {version}\ndrm_render_minor 128\n")
    put(root, "sys/class/drm/renderD128/device/product_name", product + "\n")


@pytest.mark.parametrize(
    ("version", "product", "arch", "gpu"),
    [(90402, "AMD Instinct MI300X OAM", "gfx942", "MI300X"), (90010, "AMD Instinct MI210", "gfx90a", "MI210"),
     (90402, "AMD Instinct MI325X", "gfx942", "AMD Instinct MI325X"), (90500, "", "gfx950", "unknown gfx950"),
     (110000, "", "gfx1100", "unknown gfx1100")],
)  # fmt: skip
def test_amd(tmp_path: Path, version: int, product: str, arch: str, gpu: str) -> None:
    amd(tmp_path, version, product)
    target = find(tmp_path, {}, nothing)
    assert target is not None and (target.arch, target.gpu, target.backend) == (arch, gpu, "hip")
    assert bool(target.peaks) == (gpu in ("MI300X", "MI210"))


def test_default_is_chosen_then_variable_then_here_then_h100(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_chosen", None)
    monkeypatch.setattr(choice, "here", lambda: None)
    monkeypatch.delenv(choice.VARIABLE, raising=False)
    assert default().gpu == "H100 SXM"
    monkeypatch.setattr(choice, "here", lambda: lookup("T4"))
    assert default().gpu == "T4"
    monkeypatch.setenv(choice.VARIABLE, "MI300X")
    assert default().gpu == "MI300X"
    assert set_default("sm_80").arch == "sm_80"
    assert default().arch == "sm_80"
    assert set_default(None).gpu == "MI300X"
    monkeypatch.setenv(choice.VARIABLE, "sm_1")
    with pytest.raises(TargetError, match="KERNEL_LAB_TARGET"):
        default()


def test_looking_imports_nothing_heavy() -> None:
    code = (
        "import sys; from kernel_lab.targets import default, here, table; here(); default(); table();"
        "print([m for m in ('torch','triton','tilelang','IPython','plotly') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_here_is_looked_for_once() -> None:
    assert machine.here() is machine.here()
