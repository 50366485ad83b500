"""The statistics of a measurement; what needs a GPU is in tests/gpu."""

import pytest

from kernel_lab.measure.events import quantile


def test_quantiles_are_interpolated() -> None:
    assert quantile([1.0, 2.0, 3.0], 0.5) == 2.0
    assert quantile([1.0, 2.0], 0.5) == 1.5
    assert quantile([4.0], 0.9) == 4.0


def test_no_samples_are_an_error_not_a_number() -> None:
    with pytest.raises(ValueError, match="no samples"):
        quantile([], 0.5)
