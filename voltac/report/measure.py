"""Interleaved measurement: every round times each contender once, so that drift of the machine hits all alike."""

from __future__ import annotations

import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times faster than a peer: median of the rounds and the spread (10th to 90th percentile)."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f}..{self.high:.2f})"


def interleaved(contenders: Mapping[K, Callable[[], float]], rounds: int) -> dict[K, list[float]]:
    """Times of each contender, one a round; a contender returns its own time in any unit."""
    times: dict[K, list[float]] = {name: [] for name in contenders}
    for contender in contenders.values():
        contender()
    names = list(contenders)
    for number in range(rounds):
        # Each goes first in turn: what one leaves in the caches is not always the same one's luck.
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            times[name].append(contenders[name]())
    return times


def seconds_of(action: Callable[[], object], repeats: int = 1) -> Callable[[], float]:
    """A contender that calls ``action`` ``repeats`` times and gives seconds a call."""

    def timed() -> float:
        start = time.perf_counter()
        for _ in range(repeats):
            action()
        return (time.perf_counter() - start) / repeats

    return timed


def ratio(mine: list[float], peer: list[float]) -> Ratio:
    """Ratio peer / mine round by round."""
    ratios = sorted(theirs / ours for ours, theirs in zip(mine, peer, strict=True))
    tenth = len(ratios) // 10
    return Ratio(statistics.median(ratios), ratios[tenth], ratios[-1 - tenth])


def machine() -> str:
    """The processor, its core count and the Python this ran on."""
    name = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def median_interval(values: Iterable[float]) -> tuple[float, float, float]:
    """The median, and between what bounds that of all rounds there could be lies, with 99% confidence.

    Whatever their distribution: each is above the median with probability 1/2, so how many are is binomial, nearly normal.
    """
    ordered = sorted(values)
    outside = max(0, math.floor((len(ordered) - _NORMAL_99 * math.sqrt(len(ordered))) / 2))
    return statistics.median(ordered), ordered[outside], ordered[-1 - outside]


_NORMAL_99 = statistics.NormalDist().inv_cdf(0.995)
"""Standard deviations that 99% lie within."""
