"""From Triton's compiled kernel to a `Kernel`: stages with line maps, resources, notes."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from kernel_lab.errors import KernelLabError
from kernel_lab.ir import costs, disassembly, resources, stages, tools
from kernel_lab.results import Kernel, Launch, Resources, Stage
from kernel_lab.targets import Target
from kernel_lab.targets.occupancy import occupancy as occupancy_of

_TEXT_STAGES = ("ttir", "ttgir", "llir", "ptx", "amdgcn")


def kernel(
    compiled: Any,
    source: Any,
    target: Target,
    file: str,
    configuration: Mapping[str, Any],
    launches: tuple[Launch, ...],
) -> Kernel:
    """The plain form of one compiled kernel."""
    found: dict[str, Stage] = {"source": source_stage(source.fn, file)}
    notes = list(_assumptions(launches))
    fusion = getattr(compiled.metadata, "enable_fp_fusion", None)
    if fusion is not None:
        notes.append(f"FP fusion {'on' if fusion else 'off'}: a*b+c {'may become one FMA' if fusion else 'rounds twice'}")
    for name in _TEXT_STAGES:
        if name in compiled.asm:
            found[name] = stages.make_stage(name, compiled.asm[name], file=file)
    if "cubin" in compiled.asm:
        try:
            found["sass"] = stages.make_stage("sass", sass(compiled.asm["cubin"], compiled.asm["ptx"], file, target.arch), file=file)
        except KernelLabError as error:
            notes.append(f"no SASS: {error.what}" + (f" ({error.hint})" if error.hint else ""))
    counted, counted_in = costs.of_stages(found)
    return Kernel(
        name=compiled.name,
        language="triton",
        target=target.arch,
        stages=found,
        resources=_resources(compiled, target, found["sass"].text if "sass" in found else None),
        launches=launches,
        configuration=configuration,
        notes=tuple(notes),
        costs=counted,
        costs_from=counted_in,
    )


def source_stage(fn: Any, file: str) -> Stage:
    """The kernel's own Python text, mapped to the cell it stands in."""
    text = "".join(fn.raw_src).rstrip("\n")
    here = fn.fn.__code__.co_filename == file
    first = fn.starting_line_number
    count = len(text.splitlines())
    return Stage("source", text, "python", tuple(range(first, first + count)) if here else (None,) * count)


@functools.lru_cache(maxsize=256)
def sass(cubin: bytes, ptx: str, file: str, arch: str) -> str:
    """The SASS of a cubin that was assembled from ``ptx``, with the lines of ``file``."""
    return disassembly.sass(cubin, tools.find_nvdisasm(arch), ptx=ptx, file=file)


@functools.lru_cache(maxsize=256)
def binary_resources(binary: bytes, name: str) -> Resources:
    """Registers and shared memory of a cubin's kernel; unknown fields are None."""
    if not binary.startswith(b"\x7fELF"):
        return Resources()
    try:
        return resources.from_cubin(binary, tools.find_cuobjdump()).get(name, Resources())
    except KernelLabError:
        return Resources()


def _resources(compiled: Any, target: Target, machine_code: str | None) -> Resources:
    warps = compiled.metadata.num_warps
    threads = warps * compiled.metadata.warp_size if hasattr(compiled.metadata, "warp_size") else warps * target.warp_size
    if "cubin" in compiled.asm:
        found = binary_resources(compiled.asm["cubin"], compiled.name)
        if found.spill_bytes is None and machine_code is not None:
            found = dataclasses.replace(found, spill_bytes=resources.spill_stores(machine_code).get(compiled.name))
    else:
        found = resources.from_amdgcn(compiled.asm["amdgcn"])
    shared = compiled.metadata.shared
    known = None
    if found.registers is not None:
        known = occupancy_of(target, registers=found.registers, shared_bytes=shared, threads=threads)
    occupancy, limit = known or (None, None)
    limit = limit if occupancy is not None and occupancy < 1 else None  # a full SM lacks nothing
    barriers = resources.barriers(machine_code) if machine_code is not None else None
    return Resources(found.registers, found.spill_bytes, shared, warps, threads, occupancy, limit, barriers)


def _assumptions(launches: tuple[Launch, ...]) -> list[str]:
    """What the specialisation took for granted, in one line per fact."""
    facts: dict[str, list[str]] = {}
    for launch in launches:
        for argument in launch.arguments:
            for fact in argument.assumptions:
                said = fact.replace("divisible by", "aligned to") + " bytes" if argument.type.startswith("*") else fact
                facts.setdefault(said, []).append(argument.name)
    return [f"assumes {', '.join(dict.fromkeys(names))} {fact}" for fact, names in facts.items()]
