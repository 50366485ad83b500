"""Time of one call by events on the GPU's stream, with the L2 cache evicted before each sample.

Events see launch gaps too, so times below 10 µs are upper bounds by as much as their size; the result's ``method`` says "events".
The cache is evicted by *reading* a buffer larger than it: written lines would be written back during the timed call.
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
    samples: list[float] = []
    end = time.monotonic() + budget_s
    while len(samples) < FEWEST_RUNS or (len(samples) < MOST_RUNS and time.monotonic() < end):
        samples += _sample(call, evict, min(20, MOST_RUNS))
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


def _sample(call: Callable[[], Any], evict: Any, count: int) -> list[float]:
    import torch

    pairs = []
    for _ in range(count):
        evict.sum()
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
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
