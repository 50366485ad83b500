"""Narrow floating-point formats as bit patterns: bfloat16 and the float8 kinds, to float32 and back.

Pure NumPy; knows nothing of Triton or of tensors. Triton's interpreter holds these formats as unsigned integers, since
NumPy has no such dtypes. Names are Triton's: ``bf16``, ``fp8e5`` (OCP E5M2), ``fp8e4nv`` (OCP E4M3), ``fp8e4b8`` and
``fp8e5b16`` (the FNUZ kinds of AMD's CDNA 3), ``fp8e4b15``.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True)
class Float8:
    """A float8 format: ``special`` says which codes are not finite.

    "ieee": the largest exponent holds infinity and NaN; "fn": only all ones is NaN; "fnuz": only 0x80 is NaN, and zero
    has no sign; "none": every code is finite.
    """

    exponent_bits: int
    mantissa_bits: int
    bias: int
    special: str

    @property
    def largest_code(self) -> int:
        """The code of the largest finite magnitude."""
        return {"ieee": 0x7F - (1 << self.mantissa_bits), "fn": 0x7E, "fnuz": 0x7F, "none": 0x7F}[self.special]

    @property
    def nan_code(self) -> int:
        return 0x80 if self.special == "fnuz" else 0x7F


FLOAT8 = {
    "fp8e5": Float8(5, 2, 15, "ieee"),
    "fp8e4nv": Float8(4, 3, 7, "fn"),
    "fp8e4b8": Float8(4, 3, 8, "fnuz"),
    "fp8e5b16": Float8(5, 2, 16, "fnuz"),
    "fp8e4b15": Float8(4, 3, 15, "none"),
}

STORED = frozenset(FLOAT8) | {"bf16"}
"""The formats that the interpreter holds as bit patterns."""


@functools.cache
def _decoding(name: str) -> Array:
    """float32[256]: the value of each code."""
    kind = FLOAT8[name]
    values: Array = np.empty(256, dtype=np.float32)
    for code in range(256):
        exponent = (code & 0x7F) >> kind.mantissa_bits
        fraction = (code & ((1 << kind.mantissa_bits) - 1)) / (1 << kind.mantissa_bits)
        magnitude = (1 + fraction) * 2.0 ** (exponent - kind.bias) if exponent else fraction * 2.0 ** (1 - kind.bias)
        values[code] = -magnitude if code & 0x80 else magnitude
    if kind.special == "ieee":
        top = 0x80 - (1 << kind.mantissa_bits)
        values[[top, top | 0x80]] = np.inf, -np.inf
        values[top + 1 : 0x80] = np.nan
        values[(top | 0x80) + 1 :] = np.nan
    elif kind.special == "fn":
        values[[0x7F, 0xFF]] = np.nan
    elif kind.special == "fnuz":
        values[0x80] = np.nan
    return values


@functools.cache
def _rounding(name: str) -> tuple[Array, Array]:
    """float64: the finite magnitudes in rising order, and the midpoints between neighbours (all exact)."""
    magnitudes = _decoding(name)[: FLOAT8[name].largest_code + 1].astype(np.float64)
    return magnitudes, (magnitudes[1:] + magnitudes[:-1]) / 2


def decode(bits: Array, name: str) -> Array:
    """The values of bit patterns (uint16 for bf16, else uint8) as float32 of the same shape; always exact."""
    if name == "bf16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return _decoding(name)[bits]


def encode(values: Array, name: str, *, toward_zero: bool = False) -> Array:
    """Bit patterns of floating-point ``values``, rounded to nearest even, or toward zero.

    bf16 overflows to infinity. float8 saturates at the largest finite value, infinity included, as NVIDIA's
    ``cvt.rn.satfinite`` (PTX ISA, cvt) and Triton's software conversions do. NaN stays NaN where the format has one.
    """
    return _encode_bf16(values, toward_zero) if name == "bf16" else _encode_float8(values, name, toward_zero)


def _encode_bf16(values: Array, toward_zero: bool) -> Array:
    single = np.asarray(values, dtype=np.float32)
    bits = single.view(np.uint32)
    if not toward_zero:
        bits = bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))
    rounded = bits >> np.uint32(16)
    nan = np.isnan(single)
    if nan.any():  # rounding could carry a NaN into infinity or zero
        rounded = np.where(nan, (single.view(np.uint32) >> np.uint32(16)) | np.uint32(0x40), rounded)
    return rounded.astype(np.uint16)


def _encode_float8(values: Array, name: str, toward_zero: bool) -> Array:
    kind = FLOAT8[name]
    magnitudes, midpoints = _rounding(name)
    exact = np.asarray(values, dtype=np.float64)
    size = np.abs(exact)
    if toward_zero:
        code = np.searchsorted(magnitudes, size, side="right") - 1
    else:
        code = np.searchsorted(midpoints, size, side="left")
        tie = (code < len(midpoints)) & (midpoints[np.minimum(code, len(midpoints) - 1)] == size)
        code = code + (tie & (code & 1 == 1))
    code = np.clip(code, 0, kind.largest_code)
    negative = np.signbit(exact)
    if kind.special == "fnuz":
        negative = negative & (code != 0)
    code = np.where(negative, code | 0x80, code)
    return np.where(np.isnan(exact), kind.nan_code, code).astype(np.uint8)


def round_to_half_toward_zero(values: Array) -> Array:
    """float16 nearest to ``values`` that is not larger in magnitude; what is too large becomes ±65504, infinity stays."""
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    grew = np.abs(half.astype(np.float64)) > np.abs(values.astype(np.float64))
    return np.where(grew, np.nextafter(half, np.float16(0)), half)


def round_to_tf32(values: Array) -> Array:
    """float32 values rounded to TF32's 10 mantissa bits, nearest even; infinity and NaN stay."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + (np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1)))) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(values), rounded, bits).astype(np.uint32).view(np.float32)
