"""Names: how people, compilers and the vendors' tools write GPUs, and what is refused."""

from __future__ import annotations

import pytest

from kernel_lab.errors import TargetError
from kernel_lab.targets import known, lookup, targets
from kernel_lab.targets.names import of_architecture


@pytest.mark.parametrize(
    ("name", "arch"),
    [("sm_90", "sm_90"), ("sm90", "sm_90"), ("90", "sm_90"), ("sm_90a", "sm_90"), ("SM_90", "sm_90"), ("9.0", "sm_90"), ("cc 9.0", "sm_90"),
     ("sm_100a", "sm_100"), ("12.0", "sm_120"), ("compute_80", "sm_80"), ("gfx942", "gfx942"), ("gfx90a:sramecc+:xnack-", "gfx90a"),
     ("GFX1100", "gfx1100"), ("cuda:90", "sm_90")],
)  # fmt: skip
def test_architectures(name: str, arch: str) -> None:
    target = lookup(name)
    assert target.arch == target.name == arch
    assert target.assumed
    assert target.backend == ("hip" if arch.startswith("gfx") else "cuda")


@pytest.mark.parametrize(
    ("name", "gpu"),
    [("h100 sxm", "H100 SXM"), ("NVIDIA H100 80GB HBM3", "H100 SXM"), ("NVIDIA H100 PCIe", "H100 PCIe"), ("NVIDIA H100 NVL", "H100 NVL"),
     ("NVIDIA A100-SXM4-80GB", "A100 SXM 80GB"), ("NVIDIA A100-SXM4-40GB", "A100 SXM 40GB"), ("NVIDIA A100-PCIE-40GB", "A100 PCIe 40GB"),
     ("NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"), ("Tesla T4", "T4"), ("Tesla V100-SXM2-16GB", "V100 SXM2 16GB"),
     ("Tesla V100-SXM2-32GB", "V100 SXM2 32GB"), ("Tesla V100-PCIE-16GB", "V100 PCIe 16GB"), ("NVIDIA A10", "A10"), ("NVIDIA L4", "L4"),
     ("NVIDIA L40S", "L40S"), ("NVIDIA GeForce RTX 3090", "RTX 3090"), ("NVIDIA GeForce RTX 4090", "RTX 4090"), ("rtx4090", "RTX 4090"),
     ("NVIDIA GeForce RTX 5090", "RTX 5090"), ("NVIDIA H200", "H200 SXM"), ("NVIDIA H200 NVL", "H200 NVL"), ("NVIDIA B200", "B200"),
     ("AMD Instinct MI210", "MI210"), ("AMD Instinct MI300X", "MI300X"), ("AMD Instinct MI300X OAM", "MI300X"), ("mi355x", "MI355X"),
     ("AMD Instinct MI250X", "MI250X GCD"), ("Radeon RX 7900 XTX", "RX 7900 XTX")],
)  # fmt: skip
def test_models(name: str, gpu: str) -> None:
    target = lookup(name)
    assert (target.gpu, target.assumed) == (gpu, False)


@pytest.mark.parametrize(
    ("name", "gpu"), [("H100", "H100 SXM"), ("a100", "A100 SXM 80GB"), ("V100", "V100 SXM2 16GB"), ("A100 40GB", "A100 SXM 40GB")]
)
def test_a_name_that_several_boards_share_is_assumed(name: str, gpu: str) -> None:
    target = lookup(name)
    assert (target.gpu, target.assumed) == (gpu, True)
    assert f"taken as {gpu}" in target.label


@pytest.mark.parametrize(
    "name",
    ["A10G", "NVIDIA A10G", "L40", "RTX 3090 Ti", "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 4090 D", "NVIDIA H20",
     "NVIDIA GH200 480GB", "MI300A", "MI325X", "AMD Instinct MI250", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "A100-SXM-64GB", "", "gpu"],
)  # fmt: skip
def test_a_like_name_is_no_match(name: str) -> None:
    with pytest.raises(TargetError) as caught:
        lookup(name)
    assert "\n" not in str(caught.value)
    assert "sm_90" in str(caught.value) and "MI300X" in str(caught.value)


@pytest.mark.parametrize("name", ["cc 130", "sm_130", "gfx999", "130", "5.2"])
def test_an_unknown_architecture_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(TargetError) as caught:
        lookup(name)
    message = str(caught.value)
    assert "\n" not in message and len(message) < 200
    assert message.startswith(f"unknown target '{name}'; known: sm_70, ")
    assert "gfx942" in message


def test_a_slip_is_answered_with_the_nearest() -> None:
    with pytest.raises(TargetError, match=r"nearest: MI300X"):
        lookup("MI300")


def test_all_known_names_are_found_and_names_are_unique() -> None:
    assert len(set(known())) == len(known())
    for name in known():
        assert name in (lookup(name).gpu, lookup(name).arch)
    assert [lookup(target.gpu or "").gpu for target in targets()] == [target.gpu for target in targets()]


def test_labels_can_be_looked_up_again() -> None:
    for target in (*targets(), lookup("sm_90"), lookup("A100"), lookup("sm_103"), of_architecture("sm_90", gpu="NVIDIA H20")):
        assert lookup(target.label) == target


def test_an_architecture_without_a_model_has_limits_and_no_peaks() -> None:
    target = lookup("sm_103")
    assert (target.gpu, dict(target.peaks), target.assumed) == (None, {}, False)
    assert target.max_shared_bytes == 232448
