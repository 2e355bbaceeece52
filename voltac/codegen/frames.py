"""Frames of functions: where slots lie in them, and which registers are saved there."""

from __future__ import annotations

from collections.abc import Collection

from voltac.codegen.calls import INCOMING, OUTGOING
from voltac.codegen.machine_code import MachineFunction, Register


def saved_registers(function: MachineFunction, callee_saved: Collection[Register], link: Register) -> list[Register]:
    """Those of the caller that a function writes; ``link``, which a call writes, is first."""
    written = {register for instruction in function.instructions() for register in instruction.writes()}
    saved = [register for register in sorted(callee_saved, key=lambda one: (one.kind, one.number)) if register in written]
    return [link, *saved] if function.calls else saved


def slot_offsets(function: MachineFunction, alignment: int, left_to_callees: int = 0) -> tuple[dict[int, int], int]:
    """Bytes from the stack pointer to each slot, and the size of the frame, a multiple of ``alignment``.

    From the stack pointer up: bytes that a callee may use as it likes, arguments and results of calls, slots. Small ones are
    first: the offsets of instructions reach only so far.
    """
    end = left_to_callees + function.outgoing if function.calls else 0
    offsets = {OUTGOING: left_to_callees}
    for slot in sorted(range(len(function.slots)), key=lambda one: (function.slots[one][0], one)):
        size, own = function.slots[slot]
        end = -(-end // own) * own
        offsets[slot] = end
        end += size
    frame = -(-end // alignment) * alignment
    offsets[INCOMING] = frame + left_to_callees
    return offsets, frame
