"""The report of ``voltac profile``: how often each line was executed and how many lanes were on, as text and JSON.

Counted by an instrumented build (``voltac/lower/control_flow/probes.py``) during one call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from voltac.messages.visible import visible_name
from voltac.report.profile_page import profile_fragment, profile_page

_SHADES = " ░▒▓█"
"""Of a line that was never executed, to the one executed most often."""
_BAR = 10
"""Characters of the bar for the lanes that were on."""
_COLOURS = ((0.75, "\x1b[32m"), (0.4, "\x1b[33m"), (0.0, "\x1b[31m"))
"""Least share of lanes on -> green, yellow, red."""
_PLAIN = "\x1b[0m"


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
class Profile:
    """What one call of a kernel executed; prints as a heat map over the source."""

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

    def text(self, colours: bool = False) -> str:
        """The heat map for a terminal; ``colours`` by escape sequences of ANSI."""
        out = [f"{visible_name(self.file)}: {self.summary()}"]
        for file in self.files:
            if file != self.file:
                out += ["", visible_name(file)]
            out.append(f"{'':2}{'executed':>10} {'lanes on':>8} {'':{_BAR}} {'all':>5} {'none':>5}")
            out += self._rows(file, colours)
        return "\n".join(out) + "\n"

    def _rows(self, file: str, colours: bool) -> list[str]:
        places, source = self.lines(file), self.sources.get(file, ())
        last = max([len(source), *places])
        digits = len(str(last))
        shown = []
        for number in range(1, last + 1):
            line = visible_name(source[number - 1].expandtabs(4)) if number <= len(source) else ""
            place = places.get(number)
            head = " " * (2 + 10 + 1 + 8 + 1 + _BAR + 1 + 5 + 1 + 5) if place is None else self._head(place, colours)
            shown.append(f"{head} {number:{digits}} | {line}".rstrip())
        return shown

    def _head(self, place: Place, colours: bool) -> str:
        heat = _SHADES[min(len(_SHADES) - 1, -(-(len(_SHADES) - 1) * place.runs // self.most))]
        if not place.runs:
            return f"{heat} {0:>10} {'':8} {'':{_BAR}} {'':5} {'':5}"
        bar = ("#" * round(_BAR * place.share)).ljust(_BAR, ".")
        if colours:
            bar = next(colour for least, colour in _COLOURS if place.share >= least) + bar + _PLAIN
        every, none = (f"{100 * one / place.runs:.0f} %" for one in (place.all_on, place.none_on))
        return f"{heat} {place.runs:>10} {100 * place.share:>6.0f} % {bar} {every:>5} {none:>5}"

    def html(self, title: str = "") -> str:
        """One page that needs nothing besides itself."""
        return profile_page(self, title or f"{self.file}: lanes on")

    def json(self) -> str:
        """An object with ``function``, ``file``, ``target``, ``width`` and ``places``, one a statement, for tools."""
        places = [
            {
                "file": place.file,
                "line": place.line,
                "column": place.column,
                "note": place.note,
                "runs": place.runs,
                "lanes": place.lanes,
                "all_on": place.all_on,
                "none_on": place.none_on,
                "counts": place.counts,
            }
            for place in self.places
        ]
        head = {"function": self.function, "file": self.file, "target": self.target, "width": self.width}
        return json.dumps(head | {"places": places}, indent=1)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return profile_fragment(self)


def counted_places(probes: Sequence[Sequence[Sequence[Any]]], counts: Sequence[Sequence[int]]) -> tuple[Place, ...]:
    """Places with their sums: ``probes`` has the ``[file, line, column, note]`` of each one, ``counts`` what it counted."""
    sums: dict[tuple[Any, ...], list[int]] = {}
    for places, row in zip(probes, counts, strict=True):
        for file, line, column, note in places:
            known = sums.setdefault((file, line, column, note), [0] * len(row))
            for on, count in enumerate(row):
                known[on] += count
    return tuple(Place(file, line, column, note, tuple(row)) for (file, line, column, note), row in sorted(sums.items()))
