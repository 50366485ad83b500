"""Operations that come from outside Triton's language: libdevice, inline assembly, and what no CPU has.

Knows the builder and Triton's ``language.extra`` modules. Device-library functions are dispatched through the target's own
tables (so the compiler's dtype rules hold) and computed in float64; anything else answers "not verified", by name and line.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np

from kernel_lab.languages.triton.interpreter import libdevice, rules
from kernel_lab.languages.triton.interpreter.where import not_verified
from kernel_lab.targets import Target

STUBS = "triton.language.extra.libdevice"
DEVICE_MODULES = (
    "triton.language.extra.cuda",
    "triton.language.extra.cuda.libdevice",
    "triton.language.extra.cuda.utils",
    "triton.language.extra.cuda.gdc",
    "triton.language.extra.hip",
    "triton.language.extra.hip.libdevice",
    "triton.language.extra.hip.utils",
)


def install(interpreter: Any) -> None:
    """Run what can be run of libdevice in ``interpreter``; refuse the rest by name."""
    builder = interpreter.InterpreterBuilder

    def create_inline_asm(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise not_verified("inline assembly")

    def create_extern_elementwise(self: Any, library: str, path: str, symbol: str, operands: Any, result_type: Any, *rest: Any) -> Any:
        function = libdevice.function_for(symbol)
        if function is None:
            raise not_verified(f"external function {symbol}")
        dtype = interpreter._get_np_dtype(result_type.scalar)
        result = np.asarray(function(*(operand.data for operand in operands)))
        return interpreter.TensorHandle(result.astype(dtype), result_type.scalar)

    def __getattr__(self: Any, name: str) -> Any:
        if not name.startswith("create_"):
            raise AttributeError(name)

        def refuse(*args: Any, **kwargs: Any) -> Any:
            raise not_verified(name.removeprefix("create_"), "Triton's interpreter lacks this operation; the kernel is still compiled")

        return refuse

    builder.create_inline_asm = create_inline_asm
    builder.create_extern_elementwise = create_extern_elementwise
    builder.__getattr__ = __getattr__
    _bind_device_modules(interpreter)


def _bind_device_modules(interpreter: Any) -> None:
    """Outside ``tl`` Triton's interpreter gives builtins no builder: supply it."""
    core, semantic = interpreter.tl.core, interpreter.interpreter_semantic

    def bound(member: Any) -> Any:
        @functools.wraps(member)
        def call(*args: Any, **kwargs: Any) -> Any:
            kwargs.pop("_semantic", None)
            return member(*args, **kwargs, _semantic=semantic)

        return call

    for name in DEVICE_MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue  # this Triton has no such module
        for attribute, member in list(vars(module).items()):
            if core.is_builtin(member):
                setattr(module, attribute, bound(member))


def bind_library(target: Target) -> None:
    """Triton's libdevice stubs do nothing: let each stand for the function of ``target``'s own library."""
    try:
        stubs = importlib.import_module(STUBS)
    except ImportError:
        return
    device = rules.backend_of(target).get_module_map().get(STUBS)
    for attribute, member in list(vars(stubs).items()):
        if callable(member) and not attribute.startswith("_"):
            setattr(stubs, attribute, getattr(device, attribute, None) or _absent(attribute))


def _absent(name: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise not_verified(f"libdevice.{name}")

    return refuse
