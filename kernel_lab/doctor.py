"""What is installed here, what is missing, and how to get it. Imports none of what it looks for."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from dataclasses import dataclass

from kernel_lab.ir import tools
from kernel_lab.targets import choice, machine


@dataclass(frozen=True)
class Item:
    """One thing looked for: ``found`` is None when it is missing, and then ``advice`` says how to get it."""

    name: str
    found: str | None
    advice: str = ""


def items() -> tuple[Item, ...]:
    """Everything that `text` lists."""
    found = [
        Item("Python", f"{platform.python_version()} ({sys.executable})"),
        Item("system", f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"),
    ]
    for package, advice in (
        ("triton", "pip install triton (Linux)"),
        ("tilelang", "pip install tilelang"),
        ("torch", "pip install torch"),
        ("jupyterlab", "pip install jupyterlab"),
        ("plotly", "pip install plotly"),
        ("ipywidgets", "pip install ipywidgets"),
    ):
        found.append(Item(package, _version(package), advice))
    here = machine.here()
    found.append(
        Item(
            "GPU",
            f"{here.gpu or here.arch} ({here.arch})" if here else None,
            "none here: kernels compile for any GPU and run in the interpreter",
        )
    )
    for find in (tools.find_nvcc, tools.find_ptxas, tools.find_nvdisasm, tools.find_cuobjdump, tools.host_compiler):
        tool = find()
        if isinstance(tool, tools.Missing):
            found.append(Item(tool.name, None, tool.how_to_get))
        else:
            found.append(Item(tool.name, f"{tool.path} ({tool.origin})"))
    target = choice.default()
    found.append(Item("default target", f"{target.gpu or target.arch} ({target.arch})"))
    return tuple(found)


def text() -> str:
    """The list as text, one line each."""
    rows = items()
    width = max(len(item.name) for item in rows)
    return "\n".join(f"{'✓' if item.found else '–'} {item.name:<{width}}  {item.found or 'missing: ' + item.advice}" for item in rows)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
