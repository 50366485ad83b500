"""Names to targets: architectures and GPU models as people, compilers and vendor tools write them.

Knows the tables and nothing of this machine. A name that is not known is refused in one line: a wrong GPU's peaks would
be worse than none, so nothing is matched by likeness ("A10G" is no A10, "RTX 4090 Laptop GPU" no RTX 4090).
"""

from __future__ import annotations

import difflib
import functools
import re

from kernel_lab.errors import TargetError
from kernel_lab.targets.amd import MODELS as AMD
from kernel_lab.targets.architectures import ARCHITECTURES
from kernel_lab.targets.models import Model
from kernel_lab.targets.nvidia import MODELS as NVIDIA
from kernel_lab.targets.target import Target

MODELS: tuple[Model, ...] = NVIDIA + AMD
_BY_NAME = {model.name: model for model in MODELS}
_CUDA_ARCH = re.compile(r"(?:cuda[\s:-]*)?(?:sm|compute|cc|compute capability)?[\s_:-]*(\d{1,2})\.?(\d)[af]?", re.IGNORECASE)
_HIP_ARCH = re.compile(r"(?:hip[\s:-]*)?gfx\s*([0-9a-f]{3,5})(?::.*)?", re.IGNORECASE)
_LABEL = re.compile(r"(?:\w+, taken as (?P<assumed>.+)|(?P<gpu>.+\S)\s*\((?P<arch>sm_\d+|gfx\w+)\))")
_VENDOR_WORDS = frozenset(["nvidia", "tesla", "geforce", "quadro", "amd", "instinct", "radeon", "gpu", "tensor", "core", "graphics", "ati"])


def lookup(name: str) -> Target:
    """The target that ``name`` means.

    Architectures: "sm_90", "sm_90a", "sm90", "90", "9.0", "cc 9.0", "gfx942", "gfx942:sramecc+". Models: "H100", "h100 sxm",
    "NVIDIA H100 80GB HBM3", "Tesla T4", "AMD Instinct MI300X"; and what ``Target.label`` gives. An architecture takes the peaks
    of the model that stands for it, with ``assumed`` set; so does a model's name that several boards share ("A100"). Raises
    `TargetError`.
    """
    text = str(name).strip()
    label = _LABEL.fullmatch(text)
    if label and label["assumed"] in _BY_NAME:
        return of_model(_BY_NAME[label["assumed"]], assumed=True)
    if label and label["arch"] in ARCHITECTURES:
        model, _ = _model(label["gpu"])
        return of_architecture(label["arch"], gpu=label["gpu"]) if model is None else of_model(model)
    arch = _architecture(text)
    if arch is not None:
        return of_architecture(arch)
    model, assumed = _model(text)
    if model is not None:
        return of_model(model, assumed=assumed)
    raise _unknown(text)


def targets() -> tuple[Target, ...]:
    """All models that the tables hold, NVIDIA first, in order of appearance."""
    return tuple(of_model(model) for model in MODELS)


def known() -> tuple[str, ...]:
    """Names to offer on Tab: architectures, then models. `lookup` takes each of them."""
    return (*ARCHITECTURES, *_BY_NAME)


@functools.cache
def of_architecture(arch: str, *, gpu: str | None = None) -> Target:
    """The target of an architecture with the model that stands for it; with ``gpu``, a model that is in no table, without peaks."""
    limits = ARCHITECTURES[arch]
    if gpu is None and limits.model is not None:
        return of_model(_BY_NAME[limits.model], assumed=True)
    return Target(
        arch=arch,
        backend=limits.backend,
        gpu=gpu,
        warp_size=limits.warp_size,
        max_shared_bytes=limits.max_shared_bytes,
        shared_bytes_per_sm=limits.shared_bytes_per_sm,
        registers_per_sm=limits.registers_per_sm,
        max_registers_per_thread=limits.max_registers_per_thread,
        max_threads_per_sm=limits.max_threads_per_sm,
        max_blocks_per_sm=limits.max_blocks_per_sm,
        max_grid=limits.max_grid,
        sources=dict.fromkeys(
            (
                "max_shared_bytes",
                "shared_bytes_per_sm",
                "registers_per_sm",
                "max_registers_per_thread",
                "max_threads_per_sm",
                "max_blocks_per_sm",
                "max_grid",
            ),
            limits.source,
        ),
    )


def of_model(model: Model, *, assumed: bool = False) -> Target:
    """The target of a row of the tables, in SI units."""
    limits = of_architecture(model.arch, gpu=model.name)
    fields = ("num_sms", "dram_bytes_per_s", "l2_bytes", "memory_bytes", "sm_clock_hz", "memory_clock_hz", "memory_bus_bits")
    sources = {**limits.sources, **dict.fromkeys(fields, model.document), **model.sources}
    if model.matrix_clock_mhz is not None:
        sources.setdefault("matrix_clock_hz", model.document)
    return Target(
        **{
            **{key: getattr(limits, key) for key in limits.__dataclass_fields__},
            "num_sms": model.sms,
            "dram_bytes_per_s": model.dram_gb_s * 1e9,
            "l2_bytes": int(model.l2_mib * 2**20),
            "memory_bytes": model.memory_gib * 2**30,
            "sm_clock_hz": model.clock_mhz * 1e6,
            "matrix_clock_hz": None if model.matrix_clock_mhz is None else model.matrix_clock_mhz * 1e6,
            "memory_clock_hz": model.memory_mhz * 1e6,
            "memory_bus_bits": model.bus_bits,
            "peaks": {key: value * 1e12 for key, (value, _) in model.peaks.items()},
            "sources": {**sources, **{key: source for key, (_, source) in model.peaks.items()}},
            "assumed": assumed,
        }
    )


def _architecture(text: str) -> str | None:
    """The architecture that ``text`` spells, or None when it spells none; raises `TargetError` for one that is not known."""
    match = _CUDA_ARCH.fullmatch(text)
    if match:
        arch = f"sm_{match[1]}{match[2]}"
    else:
        match = _HIP_ARCH.fullmatch(text)
        if match is None:
            return None
        arch = f"gfx{match[1].lower()}"
    if arch not in ARCHITECTURES:
        raise TargetError(f"unknown target {text!r}; known: {', '.join(ARCHITECTURES)}, or a GPU's name, as H100 or MI300X")
    return arch


def _words(text: str) -> tuple[str, ...]:
    """``text`` in lower case, cut into words, without the vendor's; "SXM4" and "SXM5" become "sxm", "80 GB" becomes "80gb"."""
    lowered = re.sub(r"(\d)\s+gb\b", r"\1gb", text.lower().replace("(r)", " ").replace("(tm)", " "))
    words = [re.sub(r"^sxm[245]$", "sxm", word) for word in re.split(r"[^a-z0-9]+", lowered) if word]
    return tuple(word for word in words if word not in _VENDOR_WORDS)


def _model(text: str) -> tuple[Model | None, bool]:
    words = _words(text)
    given, joined = frozenset(words), "".join(words)
    for model in MODELS:
        for spelling in model.ambiguous:
            if given == frozenset(_words(spelling)) or joined == "".join(_words(spelling)):
                return model, True
    for model in MODELS:
        for spelling in (*model.spellings, model.name):
            needed = frozenset(_words(spelling))
            if (needed <= given and given - needed <= frozenset(_words(model.words))) or joined == "".join(_words(spelling)):
                return model, False
    return None, False


def _unknown(name: str) -> TargetError:
    folded = {candidate.lower(): candidate for candidate in known()}
    close = [folded[match] for match in difflib.get_close_matches(" ".join(_words(name)) or name.lower(), folded, n=3, cutoff=0.6)]
    nearest = f"nearest: {', '.join(close)}; " if close else ""
    return TargetError(f"unknown target {name!r}; {nearest}known: {', '.join(known())}")
