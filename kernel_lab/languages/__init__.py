"""The registry of kernel languages. Adding one: a folder here, and a line in `_LANGUAGES`."""

from __future__ import annotations

import importlib
from typing import cast

from kernel_lab.errors import OptionError, suggest
from kernel_lab.languages.protocol import Language, Loaded, Lowered, Mode, Session

__all__ = ["Language", "Loaded", "Lowered", "Mode", "Session", "get", "names"]

_LANGUAGES = {
    "triton": "kernel_lab.languages.triton",
    "tilelang": "kernel_lab.languages.tilelang",
}


def names() -> tuple[str, ...]:
    """The names of the known languages."""
    return tuple(_LANGUAGES)


def get(name: str) -> Language:
    """The language called ``name``; raises `OptionError` naming the known ones."""
    if name not in _LANGUAGES:
        raise OptionError(f"unknown kernel language {name!r}", hint=suggest(name, _LANGUAGES))
    return cast(Language, importlib.import_module(_LANGUAGES[name]).LANGUAGE)
