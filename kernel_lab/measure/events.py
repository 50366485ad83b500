"""Time of one call by events on the GPU's stream, with the L2 cache evicted before each sample.

The stream is held back until the call is queued, so that the host's share of a launch does not count; events still see the gap between
two kernels, so times below 10 µs are upper bounds. The cache is evicted by *reading* a buffer larger than it: written lines would be
written back during the timed call.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from kernel_lab.results import Measurement

WARM_UP_S = 0.1
BUDGET_S = 1.0
MOST_RUNS = 200
FEWEST_RUNS = 10


def measure(call: Callable[[], Any], *, budget_s: float = BUDGET_S) -> Measurement:
    """Median, 10th and 90th percentile of ``call``'s device time in µs; compilation and warm-up are kept out."""
    import torch

    call()
    torch.cuda.synchronize()
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    evict = torch.ones(max(4 * getattr(properties, "L2_cache_size", 2**26), 2**26) // 4, dtype=torch.float32, device="cuda")
    end = time.monotonic() + WARM_UP_S
    while time.monotonic() < end:
        call()
        torch.cuda.synchronize()
    hold = _hold_cycles(call)
    samples: list[float] = []
    end = time.monotonic() + budget_s
    while len(samples) < FEWEST_RUNS or (len(samples) < MOST_RUNS and time.monotonic() < end):
        samples += _sample(call, evict, hold, 20)
    samples.sort()
    return Measurement(
        time_us=quantile(samples, 0.5),
        low_us=quantile(samples, 0.1),
        high_us=quantile(samples, 0.9),
        runs=len(samples),
        method="CUDA events",
        device=properties.name,
        cold_cache=True,
    )


def _hold_cycles(call: Callable[[], Any]) -> int:
    """GPU clock cycles that last longer than the host needs to queue one call."""
    import torch

    start = time.monotonic()
    for _ in range(10):
        call()
    host_s = (time.monotonic() - start) / 10
    torch.cuda.synchronize()
    return int(min(2 * host_s + 20e-6, 0.05) * 2e9)


def _sample(call: Callable[[], Any], evict: Any, hold: int, count: int) -> list[float]:
    import torch

    pairs = []
    for _ in range(count):
        evict.sum()
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(hold)
        start.record()
        call()
        stop.record()
        pairs.append((start, stop))
    torch.cuda.synchronize()
    return [start.elapsed_time(stop) * 1e3 for start, stop in pairs]


def quantile(ordered: list[float], share: float) -> float:
    """The value below which ``share`` of the ordered samples lie, interpolated. Raises ValueError without samples."""
    if not ordered:
        raise ValueError("no samples")
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
