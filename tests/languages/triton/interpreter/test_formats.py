"""Bit patterns of bfloat16 and float8 against ml_dtypes, code by code."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from kernel_lab.languages.triton.interpreter import formats

OTHER = {
    "bf16": ml_dtypes.bfloat16,
    "fp8e5": ml_dtypes.float8_e5m2,
    "fp8e4nv": ml_dtypes.float8_e4m3fn,
    "fp8e4b8": ml_dtypes.float8_e4m3fnuz,
    "fp8e5b16": ml_dtypes.float8_e5m2fnuz,
}


@pytest.mark.parametrize("name", OTHER)
def test_every_code_decodes(name: str) -> None:
    codes = np.arange(1 << 16, dtype=np.uint16) if name == "bf16" else np.arange(256, dtype=np.uint8)
    want = codes.view(OTHER[name]).astype(np.float32)
    np.testing.assert_array_equal(formats.decode(codes, name), want)


@pytest.mark.parametrize("name", OTHER)
def test_encoding_rounds_to_nearest_even(name: str) -> None:
    codes = np.arange(1 << 15, dtype=np.uint16) if name == "bf16" else np.arange(128, dtype=np.uint8)
    finite = formats.decode(codes, name)
    finite = finite[np.isfinite(finite)].astype(np.float64)
    between = (finite[1:] + finite[:-1]) / 2
    values = np.concatenate([finite, between, np.nextafter(between, 0), np.nextafter(between, np.inf)]).astype(np.float32)
    values = np.concatenate([values, -values])
    got = formats.decode(formats.encode(values, name), name)
    np.testing.assert_array_equal(got, values.astype(OTHER[name]).astype(np.float32))


def test_overflow_saturates_in_float8_and_not_in_bf16() -> None:
    huge = np.array([1e39, -np.inf])
    assert formats.decode(formats.encode(huge, "fp8e4nv"), "fp8e4nv").tolist() == [448, -448]
    assert formats.decode(formats.encode(huge, "fp8e5"), "fp8e5").tolist() == [57344, -57344]
    with np.errstate(over="ignore"):
        assert formats.decode(formats.encode(huge, "bf16"), "bf16").tolist() == [np.inf, -np.inf]


@pytest.mark.parametrize("name", ["bf16", "fp8e5", "fp8e4nv"])
def test_toward_zero_never_grows(name: str) -> None:
    values = np.linspace(-3, 3, 1001, dtype=np.float32)
    codes = formats.encode(values, name, toward_zero=True)
    assert (np.abs(formats.decode(codes, name)) <= np.abs(values)).all()
    assert (np.abs(formats.decode(codes + codes.dtype.type(1), name)) > np.abs(values)).all()


@pytest.mark.parametrize("name", sorted(formats.STORED))
def test_nan_is_kept_where_the_format_has_one(name: str) -> None:
    kept = np.isnan(formats.decode(formats.encode(np.array([np.nan]), name), name))
    assert kept.all() == (name != "fp8e4b15")


def test_half_toward_zero_saturates() -> None:
    got = formats.round_to_half_toward_zero(np.array([1e6, -1e6, np.inf, 1 + 2**-11 + 2**-12], dtype=np.float32))
    assert got.tolist() == [65504, -65504, np.inf, 1]


def test_tf32_keeps_ten_bits() -> None:
    got = formats.round_to_tf32(np.array([1 + 2**-10, 1 + 2**-11, 1 + 3 * 2**-11, np.inf], dtype=np.float32))
    assert got.tolist() == [1 + 2**-10, 1, 1 + 2**-9, np.inf]
