"""What ``voltac bench`` measured: times of a kernel for several targets and sizes, and what the machine allows."""

from __future__ import annotations

from dataclasses import dataclass

from voltac.report.comparison import Timing

LEVELS = ("L1", "L2", "L3", "MEM")
"""The levels of memory that arrays may lie in."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level of memory, and how fast a sum of two arrays goes that lie there."""

    name: str
    size: int
    """Bytes of the arrays that were measured."""
    bandwidth: float
    """Gigabytes a second, read and written."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of the machine, measured on one core."""

    levels: tuple[Level, ...]
    peak: float
    """Fused multiply-adds of float as billions of operations a second, two each."""
    target: str
    """What code they were measured with."""

    def level(self, name: str) -> Level | None:
        """The level of a name, if it was measured."""
        return next((one for one in self.levels if one.name == name), None)


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One form of the kernel on arrays of one size."""

    target: str
    width: int
    path: str
    """``all on``, ``masked``, ``both`` or, of a gang of one, ``scalar``."""
    level: str
    """One of :data:`LEVELS`, or ``data`` for arrays that were given."""
    elements: int
    time: Timing
    """Nanoseconds an element."""


@dataclass(frozen=True, slots=True)
class BenchResults:
    """Of one function."""

    function: str
    signature: str
    rows: tuple[BenchRow, ...]
    limits: Limits
    operations: float | None
    """Floating-point operations an element, as the interpreter counts; None if it could not run the call."""
    traffic: float | None
    """Bytes an element that are read and written, each byte once."""
    arguments: str
    notes: tuple[str, ...]
    machine: str

    @property
    def levels(self) -> tuple[str, ...]:
        """Those of the rows, in order."""
        return tuple(dict.fromkeys(row.level for row in self.rows))

    @property
    def forms(self) -> tuple[tuple[str, int, str], ...]:
        """Target, lanes and path of the rows, in order."""
        return tuple(dict.fromkeys((row.target, row.width, row.path) for row in self.rows))

    def row(self, target: str, path: str, level: str) -> BenchRow | None:
        """The row of a form and a level."""
        return next((row for row in self.rows if (row.target, row.path, row.level) == (target, path, level)), None)

    def bound(self, level: str) -> float | None:
        """Nanoseconds an element that the machine takes at least: for the bytes, or for the operations; None if unknown."""
        known = self.limits.level(level)
        if known is None or self.traffic is None or self.operations is None:
            return None
        return max(self.traffic / known.bandwidth, self.operations / self.limits.peak)

    def share(self, row: BenchRow) -> float | None:
        """How much of what the machine allows a row reaches: 1 is all; None if unknown."""
        least = self.bound(row.level)
        return None if not least else least / row.time.median

    def demand(self) -> str:
        """What an element takes at least, in words."""
        if self.operations is None or self.traffic is None:
            return "what an element takes at least is not known"
        return f"an element takes {self.operations:.4g} floating-point operations and moves {self.traffic:.4g} bytes"

    def fastest(self, level: str) -> BenchRow:
        """The row of a level with the least median."""
        return min((row for row in self.rows if row.level == level), key=lambda row: row.time.median)
