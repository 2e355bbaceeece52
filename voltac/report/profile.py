"""The report of ``voltac profile``: how often each line was executed and how many lanes were on, as text and JSON.

Counted by an instrumented build (``voltac/lower/control_flow/probes.py``) during one call.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from voltac.messages.visible import visible_name
from voltac.report.lane_counts import LaneCounts, Place
from voltac.report.profile_page import profile_fragment, profile_page

_SHADES = " ░▒▓█"
"""Of a line that was never executed, to the one executed most often."""
_BAR = 10
"""Characters of the bar for the lanes that were on."""
_COLOURS = ((0.75, "\x1b[32m"), (0.4, "\x1b[33m"), (0.0, "\x1b[31m"))
"""Least share of lanes on -> green, yellow, red."""
_PLAIN = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Profile(LaneCounts):
    """What one call of a kernel executed; prints as a heat map over the source."""

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
