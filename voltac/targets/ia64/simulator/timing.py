"""How many cycles a group takes to issue: ports and bundle pairs of an Itanium 2, one table (IA-64 10).

Latencies are those of the rows; a branch sees predicates a cycle earlier.
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.codegen.rows import Row
from voltac.targets.ia64.shapes import A, B, F, I, M, X

PORTS = {
    "integer load": ("M0", "M1"), "float load": ("M0", "M1", "M2", "M3"), "store": ("M2", "M3"), "M2": ("M2",),
    "M": ("M0", "M1", "M2", "M3"), "A": ("M0", "M1", "M2", "M3", "I0", "I1"), "I0": ("I0",), "I": ("I0", "I1"),
    "F": ("F0", "F1"), "B": ("B0", "B1", "B2"),
}  # fmt: skip
"""Class -> the ports one of which it takes for a cycle."""
BUNDLES = 2
"""That issue in a cycle."""


def port_class(row: Row, unit: str) -> str:
    """The class of an instruction in a slot of a unit."""
    traits = row.traits
    if row.unit in (F, B):
        return row.unit
    if "M2" in traits:
        return "M2"
    if traits & {"store", "setf", "semaphore"} or row.mnemonic.startswith("chk.s"):
        return "store"
    if "float load" in traits and not traits & {"advanced", "check"}:
        return "float load"
    if traits & {"load", "prefetch", "ALAT"}:
        return "integer load"
    if "I0" in traits:
        return "I0"
    return {A: "A", M: "M", I: "I", X: "I"}.get(row.unit, "A")


def fits(taken: Sequence[str]) -> bool:
    """Whether instructions of these classes find a port each, by matching them one after the other."""
    holder: dict[str, int] = {}

    def place(number: int, tried: set[str]) -> bool:
        for port in PORTS[taken[number]]:
            if port in tried:
                continue
            tried.add(port)
            if port not in holder or place(holder[port], tried):
                holder[port] = number
                return True
        return False

    return all(place(number, set()) for number in range(len(taken)))


def issue_cycles(group: Sequence[tuple[int, Row, str]]) -> int:
    """Of a group: each instruction with the address of its bundle and the unit of its slot; nops take no port."""
    cycles = 1
    taken: list[str] = []
    bundles: list[int] = []
    closed = False
    """A branch ends the cycle's bundles."""
    for bundle, row, unit in group:
        wanted = [] if "nop" in row.traits else [port_class(row, unit)]
        if row.unit == X:
            wanted.append("F")
        new = bundle not in bundles
        if (new and (len(bundles) == BUNDLES or closed)) or not fits([*taken, *wanted]):
            cycles += 1
            taken, bundles, closed = [], [], False
        if bundle not in bundles:
            bundles.append(bundle)
        taken += wanted
        closed = closed or (row.unit == B and "nop" not in row.traits)
    return cycles
