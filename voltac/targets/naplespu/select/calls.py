"""How values travel between functions (NaplesPU 3.2, with the changes it advises). ``rm`` is full at every call and return."""

from __future__ import annotations

from voltac.codegen.calls import CallingConvention
from voltac.codegen.machine_code import AnyRegister, MachineInstruction
from voltac.targets.naplespu.regs import ALLOCATABLE, ARGUMENTS, CALLEE_SAVED, RA, RESULTS, SP
from voltac.targets.naplespu.select.pseudo import ROWS
from voltac.targets.naplespu.select.values import kind_of

SIZES = {"scalar": 4, "vector": 64}
COPIES = {"scalar": "move_i32.ss", "vector": "move_i32.vv"}
LOADS = {"scalar": "load32", "vector": "load_v16i32"}
STORES = {"scalar": "store32", "vector": "store_v16i32"}

_CALLER_SAVED = tuple(register for kind in ALLOCATABLE.values() for register in kind if register not in CALLEE_SAVED)


def copy(to: AnyRegister, source: AnyRegister) -> MachineInstruction:
    """A move between registers of one class."""
    return MachineInstruction(ROWS[COPIES[to.kind]], [to, source])


CONVENTION = CallingConvention(
    kind_of=kind_of,
    arguments=ARGUMENTS,
    results=RESULTS,
    sizes=SIZES,
    clobbered=(*_CALLER_SAVED, RA),
    back=RA,
    copy=copy,
    store=lambda register, slot: MachineInstruction(ROWS[STORES[register.kind]], [register, slot, SP]),
    load=lambda register, slot: MachineInstruction(ROWS[LOADS[register.kind]], [register, slot, SP]),
    jump_to=lambda label: MachineInstruction(ROWS["jmpsr"], [label]),
    jump_by_address=lambda register: MachineInstruction(ROWS["call_address"], [register]),
    leave=lambda: MachineInstruction(ROWS["jret"], []),
)
