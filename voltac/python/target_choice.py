"""What ``target="auto"`` took, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voltac.report.measure import Ratio


@dataclass(frozen=True, slots=True)
class TriedTarget:
    """A target that was tried."""

    target: str
    speed: Ratio | None
    """Times as fast as the default: median and 99% interval of the rounds; None if it was not measured."""
    note: str = ""
    """Why it was not, or not taken."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What ``target="auto"`` took, and why; prints as a table."""

    target: str
    candidates: tuple[TriedTarget, ...]
    """The default first."""
    note: str
    """What was measured, or why nothing was."""

    def __str__(self) -> str:
        rows = [f"{self.target}: {self.note}"]
        for one in self.candidates:
            taken = "*" if one.target == self.target else " "
            shown = "" if one.speed is None else str(one.speed)
            rows.append(f"{taken} {one.target:16} {shown:20} {one.note}".rstrip())
        return "\n".join(rows)


def choice_of(data: Mapping[str, Any]) -> Choice:
    """Of the fields of one, as plain data."""
    rows = [
        TriedTarget(row["target"], None if row["speed"] is None else Ratio(**row["speed"]), row["note"])
        for row in data["candidates"]
    ]
    return Choice(data["target"], tuple(rows), data["note"])
