"""Repeats in the assembly of a device whose hardware counts loops: pipelined bodies, each of a loop of the source.

# repeat foreach_2_5.all_on: 3 bundles, 3 iterations
{ rpt $lr, 2 ; fnop }
{ ... }
{ ... }
{ ... }
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from voltac.records import record

_NOTE = re.compile(r"\t# repeat (\S+): (\d+) bundles, (\d+) iterations$")


@record
class Repeat:
    """A body that the hardware repeats."""

    loop: str
    """The block of the loop that it does, which is named after the statement."""
    function: str
    """Where it stands in the assembly."""
    iterations: int
    """Of the loop, for one turn of the body: one takes a word of 64 bits of each array, or what is as many elements."""
    bundles: tuple[str, ...]

    @property
    def interval(self) -> float:
        """Bundles from one iteration to the next, the initiation interval of the schedule."""
        return len(self.bundles) / self.iterations

    def told(self) -> str:
        """One line."""
        count = f"{self.interval:g} bundle{'s' * (self.interval != 1)}"
        return f"{count} an iteration, {self.iterations} in a body of {len(self.bundles)}"


def repeats_of(assembly: str) -> list[Repeat]:
    """In the order of the text."""
    found: list[Repeat] = []
    lines = assembly.splitlines()
    function = ""
    for number, line in enumerate(lines):
        if line.endswith(", @function"):
            function = line.split()[1].rstrip(",")
        note = _NOTE.match(line)
        if note is not None:
            first = number + 2
            body = tuple(one.strip() for one in lines[first : first + int(note[2])])
            found.append(Repeat(note[1], function, int(note[3]), body))
    return found


def of_statement(repeats: Sequence[Repeat], name: str) -> tuple[Repeat, ...]:
    """Those of a statement, given what the names of its blocks begin with, the fastest first."""
    there = [one for one in repeats if one.loop == name or one.loop.startswith((f"{name}.", f"{name}_"))]
    return tuple(sorted(there, key=lambda one: one.interval))
