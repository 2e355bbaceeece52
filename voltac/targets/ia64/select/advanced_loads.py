"""Loads that wait for stores of iterations before -> loads ahead of these, and checks behind them (IA-64 8).

    ldfs   f=[h]                      ldfs.a     f=[h]        of several iterations ahead
    fma    g=f,s,w           ->       ldfs.c.clr f=[h]        behind the store of the iteration before
    stfs   [h]=g                      fma        g=f,s,w
                                      stfs       [h]=g

for ``h[a[i]] += w[i]``, of which nobody knows whether neighbours meet. The ALAT remembers where the first load was from; a
store to one of these bytes makes it forget, and then the check loads again. Both loads name the same register of the
file, which rotates between them, and have the same predicate: in each iteration there are both or none. Stores whose
distance is known are waited for.
"""

from __future__ import annotations

from voltac.codegen.dependence import may_meet
from voltac.codegen.machine_code import MachineFunction, MachineInstruction, VirtualRegister
from voltac.codegen.rows import Row
from voltac.targets.ia64.select.conditions import under_predicate
from voltac.targets.ia64.select.pseudo import ROWS
from voltac.targets.ia64.select.streams import Streams


def with_advanced_loads(function: MachineFunction, code: list[MachineInstruction]) -> list[MachineInstruction] | None:
    """The code of a loop's body with a load and a check for each load that a store may meet; None where there is none."""
    streams = Streams(function, code)
    made: list[MachineInstruction] = []
    for number, one in enumerate(code):
        # What steps its address does so behind.
        ahead, check = _row(one, ".a", stepping=False), _row(one, ".c.clr", stepping=True)
        if ahead is None or check is None or not _may_be_stored_to(number, one, code, streams):
            made.append(one)
            continue
        made += [_like(one, ahead), _like(one, check)]
    return made if len(made) > len(code) else None


def _row(one: MachineInstruction, completer: str, stepping: bool) -> Row | None:
    """Another form of a plain load."""
    head, _, rest = one.row.name.partition(".")
    if "load" not in one.row.traits or not rest.startswith(("r=[r]", "f=[r]")):
        return None
    return ROWS.rows.get(f"{head}{completer}.{rest if stepping else rest.partition(',')[0]}")


def _may_be_stored_to(number: int, load: MachineInstruction, code: list[MachineInstruction], streams: Streams) -> bool:
    """Whether a store may be to what a load loads in a later iteration, or earlier in its own, and none is known to be."""
    found = False
    for at, store in enumerate(code):
        if "store" not in store.row.traits:
            continue
        if not (streams.distance(store, load) or (at < number and may_meet(store, load))):
            continue
        place, other = streams.places.get(id(store)), streams.places.get(id(load))
        if place is not None and other is not None and place.register == other.register:
            return False
        found = True
    return found


def _like(one: MachineInstruction, row: Row) -> MachineInstruction:
    made = MachineInstruction(row, one.values[: len(row.operands)], line=one.line, access=one.access)
    return under_predicate(made, one.mask) if isinstance(one.mask, VirtualRegister) else made
