"""Addresses that are stepped behind their access -> incremented by the access itself (IA-64 6).

ldfs f=[r] ... adds r=4,r     ->     ldfs f=[r],4
"""

from __future__ import annotations

from voltac.codegen.machine_code import Immediate, MachineBlock, MachineFunction, MachineInstruction, VirtualRegister
from voltac.targets.ia64.select.pseudo import ROWS

_STEP = "adds.r=imm14,r"


def increment_addresses(function: MachineFunction) -> None:
    """In all blocks, on virtual registers."""
    for block in function.blocks:
        increment_in(block)


def increment_in(block: MachineBlock) -> None:
    """In a block."""
    for step in [one for one in block.instructions if _stepped(one) is not None]:
        _fold(block, step)


def _stepped(one: MachineInstruction) -> VirtualRegister | None:
    """The register that an instruction moves on by a constant that an access may."""
    if one.row.name != _STEP or one.mask is not None or one.values[0] != one.values[2]:
        return None
    register, number = one.values[0], one.values[1]
    fits = isinstance(number, Immediate) and -0x100 <= number.value < 0x100
    return register if fits and isinstance(register, VirtualRegister) else None


def _fold(block: MachineBlock, step: MachineInstruction) -> None:
    """If one access alone uses the address before the step, and what else uses it comes behind."""
    register = _stepped(step)
    at = block.instructions.index(step)
    before = [one for one in block.instructions[:at] if register in one.reads() or register in one.writes()]
    if not before:
        return
    access = before[-1]
    row = ROWS.rows.get(f"{access.row.name},imm9")
    # What is read before the access may be read before its step; what is written there is another address.
    if row is None or access.mask is not None or register in access.writes():
        return
    operand = next(number for number, one in enumerate(access.row.operands) if f"[{{{one.field}}}]" in access.row.text)
    if access.values[operand] != register or access.reads().count(register) != 1:
        return
    access.row = row
    access.values.append(step.values[1])
    block.instructions.remove(step)
