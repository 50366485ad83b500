"""Device math libraries in NumPy: what CUDA's libdevice (``__nv_*``) and ROCm's OCML (``__ocml_*``) functions compute.

Pure functions of arrays; knows nothing of Triton. Floating-point results are evaluated in float64 and rounded once by
the caller; on a GPU they may be off by the few ulps that the library's manual allows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Function = Callable[..., Any]


def _wide(function: Function) -> Function:
    return lambda *arrays: function(*(a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays))


def _torch(name: str) -> Function:
    """A special function that NumPy lacks, from torch.special."""

    def call(array: Array) -> Any:
        import torch

        return getattr(torch.special, name)(torch.from_numpy(np.ascontiguousarray(array))).numpy()

    return call


def _away_from_zero(x: Array) -> Any:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


_FLOATING: dict[str, Function] = {
    name: getattr(np, numpy_name)
    for name, numpy_name in (
        ("acos", "arccos"), ("acosh", "arccosh"), ("asin", "arcsin"), ("asinh", "arcsinh"), ("atan", "arctan"), ("atanh", "arctanh"),
        ("atan2", "arctan2"), ("cos", "cos"), ("cosh", "cosh"), ("sin", "sin"), ("sinh", "sinh"), ("tan", "tan"), ("tanh", "tanh"),
        ("exp", "exp"), ("exp2", "exp2"), ("expm1", "expm1"), ("log", "log"), ("log2", "log2"), ("log10", "log10"), ("log1p", "log1p"),
        ("sqrt", "sqrt"), ("cbrt", "cbrt"), ("pow", "power"), ("hypot", "hypot"), ("fmod", "fmod"), ("floor", "floor"), ("ceil", "ceil"),
        ("trunc", "trunc"), ("rint", "rint"), ("nearbyint", "rint"), ("fabs", "abs"), ("fmin", "fmin"), ("fmax", "fmax"),
        ("copysign", "copysign"),
    )
}  # fmt: skip
_FLOATING |= {
    "exp10": lambda x: np.power(10.0, x),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "rcp": lambda x: 1 / x,
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "sinpi": lambda x: np.sin(np.pi * np.fmod(x, 2)),
    "cospi": lambda x: np.cos(np.pi * np.fmod(x, 2)),
    "round": _away_from_zero,
    "fdim": lambda x, y: np.where(x > y, x - y, np.where(np.isnan(x) | np.isnan(y), np.nan, 0.0)),
    "fma": lambda x, y, z: x * y + z,
    "powi": lambda x, n: np.power(x, n),
    "pown": lambda x, n: np.power(x, n),
    "ldexp": lambda x, n: np.ldexp(x, n),
    "scalbn": lambda x, n: np.ldexp(x, n),
    "erf": _torch("erf"),
    "erfc": _torch("erfc"),
    "erfcx": _torch("erfcx"),
    "erfinv": _torch("erfinv"),
    "normcdf": _torch("ndtr"),
    "normcdfinv": _torch("ndtri"),
    "lgamma": _torch("gammaln"),
    "cyl_bessel_i0": _torch("i0"),
    "cyl_bessel_i1": _torch("i1"),
    "j0": _torch("bessel_j0"),
    "j1": _torch("bessel_j1"),
    "y0": _torch("bessel_y0"),
    "y1": _torch("bessel_y1"),
    "saturate": lambda x: np.clip(np.nan_to_num(x, nan=0.0), 0, 1),
    "fast_sin": np.sin,
    "fast_cos": np.cos,
    "fast_tan": np.tan,
    "fast_tanh": np.tanh,
    "fast_exp": np.exp,
    "fast_exp10": lambda x: np.power(10.0, x),
    "fast_log": np.log,
    "fast_log2": np.log2,
    "fast_log10": np.log10,
    "fast_pow": np.power,
    "fast_fdivide": np.divide,
    "native_exp": np.exp,
    "native_sin": np.sin,
    "native_cos": np.cos,
    "native_log2": np.log2,
    "native_sqrt": np.sqrt,
}
for _kind, _operation in (("rn", np.rint), ("rz", np.trunc), ("rd", np.floor), ("ru", np.ceil)):
    for _source in ("float", "double"):
        for _result in ("int", "uint", "ll", "ull"):
            _FLOATING[f"{_source}2{_result}_{_kind}"] = _operation
for _name, _binary in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide)):
    _FLOATING[f"f{_name}_rn"] = _FLOATING[f"d{_name}_rn"] = _binary


def _bits_set(x: Array) -> Any:
    return np.unpackbits(x[..., np.newaxis].view(np.uint8), axis=-1).sum(axis=-1)


_EXACT: dict[str, Function] = {
    "abs": np.abs,
    "llabs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "umin": np.minimum,
    "umax": np.maximum,
    "llmin": np.minimum,
    "llmax": np.maximum,
    "popc": _bits_set,
    "popcll": _bits_set,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "finite": np.isfinite,
    "isfinite": np.isfinite,
    "signbit": np.signbit,
    "nextafter": np.nextafter,
    "ffs": lambda x: np.where(x == 0, 0, np.log2((x & -x).astype(np.float64)).astype(np.int32) + 1),
    "float_as_int": lambda x: x.view(np.int32),
    "int_as_float": lambda x: x.view(np.float32),
    "float_as_uint": lambda x: x.view(np.uint32),
    "uint_as_float": lambda x: x.view(np.float32),
    "double_as_longlong": lambda x: x.view(np.int64),
    "longlong_as_double": lambda x: x.view(np.float64),
}


def function_for(symbol: str) -> Function | None:
    """The NumPy function for a library symbol such as ``__nv_asinf`` or ``__ocml_asin_f64``; None when there is none."""
    if symbol.startswith("__nv_"):
        name = symbol.removeprefix("__nv_")
        candidates = [name, name.removesuffix("f"), name.removesuffix("d")]
    elif symbol.startswith("__ocml_"):
        name = symbol.removeprefix("__ocml_")
        candidates = [name.removesuffix("_f32").removesuffix("_f64"), name.removeprefix("native_").removesuffix("_f32")]
    else:
        return None
    for candidate in candidates:
        if candidate in _FLOATING:
            return _wide(_FLOATING[candidate])
        if _EXACT.get(candidate) is not None:
            return _EXACT[candidate]
    return None
