"""What a loop hands from one iteration to the next by copies on its way back -> read where the iteration before made it.

::

    loop:  b = load ...; y = b - x        loop:  u = b (of the iteration before); b = load ...; y = b - u
    back:  x = b                    ->    and before the loop  b = x
"""

from __future__ import annotations

from voltac.codegen.machine_code import AnyRegister, MachineFunction, MachineInstruction, Value, VirtualRegister
from voltac.records import record, replace
from voltac.targets.ia64.select.conventions import copy


@record
class CarriedCode:
    """An iteration without copies at its end."""

    code: list[MachineInstruction]
    starts: list[MachineInstruction]
    """What sets, before the loop, the values that the first iteration reads of the one before it."""


def without_copies(
    function: MachineFunction, code: list[MachineInstruction], copies: list[MachineInstruction], live_out: set[AnyRegister]
) -> CarriedCode | None:
    """The code so that each value has a register of its own; None where one is copied on, or read behind the loop."""
    starts: list[MachineInstruction] = []
    targets = {moved.values[0] for moved in copies}
    for moved in copies:
        kept, new = moved.values
        assert isinstance(kept, VirtualRegister)
        makers = [one for one in code if new in one.writes()]
        is_made_once = len(makers) == 1 and makers[0].mask is None and new not in makers[0].reads()
        if not isinstance(new, VirtualRegister) or new in targets or kept in live_out or not is_made_once:
            return None
        if any(new in one.reads() for one in code[: code.index(makers[0])]):
            # It is handed on itself, and may begin with something else.
            return None
        again = [one for one in code if kept in one.writes()]
        if len(again) > 1 or any(one.mask is not None or "update" in _roles(one, kept) for one in again):
            return None
        before, other = function.new_register(kept.kind), function.new_register(kept.kind)
        made, is_written = [copy(before, new)], False
        for one in code:
            made.append(_renamed(one, kept, other if is_written else before, other))
            is_written = is_written or one in again
        code = made
        starts.append(copy(new, kept))
    return CarriedCode(code, starts)


def _roles(one: MachineInstruction, register: VirtualRegister) -> set[str]:
    return {operand.role for operand, value in zip(one.row.operands, one.values) if value is register}


def _renamed(
    one: MachineInstruction, kept: VirtualRegister, read: VirtualRegister, written: VirtualRegister
) -> MachineInstruction:
    if kept not in one.reads() and kept not in one.writes():
        return one
    values: list[Value] = [
        value if value is not kept else read if operand.role == "use" else written
        for operand, value in zip(one.row.operands, one.values)
    ]
    uses = [read if value is kept else value for value in one.implicit_uses]
    mask = read if one.mask is kept else one.mask
    return replace(one, values=values, implicit_uses=uses, mask=mask)
