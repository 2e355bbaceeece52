"""How often each statement was executed and how many lanes were on then: what an instrumented build counted in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Place:
    """A statement, or the entry of a function, and how often it was executed with how many lanes."""

    file: str
    line: int
    column: int
    note: str
    """``function entry``, or what kind of statement it is."""
    counts: tuple[int, ...]
    """How often 0, 1, ... W lanes were on, summed over all copies of the code and all tasks."""

    @property
    def runs(self) -> int:
        """How often the code was executed by a gang, also with no lane on."""
        return sum(self.counts)

    @property
    def lanes(self) -> int:
        """How many lanes executed it in all."""
        return sum(on * count for on, count in enumerate(self.counts))

    @property
    def all_on(self) -> int:
        """How often every lane was on."""
        return self.counts[-1]

    @property
    def none_on(self) -> int:
        """How often none was: short branches and ends of loops are executed without asking whether any is."""
        return self.counts[0]

    @property
    def share(self) -> float:
        """Of the lanes that could have been on, those that were: 0 to 1; 1 where the code was never executed."""
        return self.lanes / (self.runs * (len(self.counts) - 1)) if self.runs else 1.0


@dataclass(frozen=True, slots=True)
class LaneCounts:
    """What one call of a kernel executed."""

    function: str
    file: str
    target: str
    width: int
    places: tuple[Place, ...]
    """In the order of files, lines and columns."""
    sources: Mapping[str, Sequence[str]] = field(repr=False)
    """File -> its lines, as far as they are known."""
    result: Any = field(default=None, compare=False)
    """What the call returned."""

    def lines(self, file: str | None = None) -> dict[int, Place]:
        """Line -> the statement on it that was executed most often; of the main file if none is given."""
        found: dict[int, Place] = {}
        for place in self.places:
            if place.file == (self.file if file is None else file):
                known = found.get(place.line)
                if known is None or (place.runs, -place.share) > (known.runs, -known.share):
                    found[place.line] = place
        return found

    @property
    def files(self) -> list[str]:
        """Those with functions of the program, the main file first."""
        return list(dict.fromkeys([self.file, *(place.file for place in self.places)]))

    @property
    def most(self) -> int:
        """Executions of the line executed most often; at least 1."""
        return max([1, *(place.runs for place in self.places)])

    def summary(self) -> str:
        """One sentence."""
        runs = sum(place.runs for place in self.places)
        lanes = sum(place.lanes for place in self.places)
        share = f"{100 * lanes / (runs * self.width):.0f} % of the lanes on" if runs else "no lane on"
        where = f"'{self.function}' for {self.target}, {self.width} lanes a gang"
        return f"{where}: {share}, over {runs} executions of statements by gangs"


def counted_places(probes: Sequence[Sequence[Sequence[Any]]], counts: Sequence[Sequence[int]]) -> tuple[Place, ...]:
    """Places with their sums: ``probes`` has the ``[file, line, column, note]`` of each one, ``counts`` what it counted."""
    sums: dict[tuple[Any, ...], list[int]] = {}
    for places, row in zip(probes, counts, strict=True):
        for file, line, column, note in places:
            known = sums.setdefault((file, line, column, note), [0] * len(row))
            for on, count in enumerate(row):
                known[on] += count
    return tuple(Place(file, line, column, note, tuple(row)) for (file, line, column, note), row in sorted(sums.items()))
