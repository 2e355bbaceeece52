"""How functions call each other (IPU 4.4): words in ``$m0`` and up, floats in ``$a0`` and up, the rest on the stack."""

from __future__ import annotations

from voltac.codegen.calls import CallingConvention
from voltac.codegen.machine_code import AnyRegister, MachineInstruction
from voltac.targets.ipu.select.frame import load_at, store_at
from voltac.targets.ipu.select.pseudo import ROWS
from voltac.targets.ipu.select.registers import ARGUMENTS, CLOBBERED, LR, RESULTS
from voltac.targets.ipu.select.values import kind_of

SIZES = {"m": 4, "a": 4, "a2": 8}
COPIES = {"m": "mov.mm", "a": "mov.aa", "a2": "mov.a2a2"}


def copy(to: AnyRegister, source: AnyRegister) -> MachineInstruction:
    """A move between registers of one class."""
    return MachineInstruction(ROWS[COPIES[to.kind]], [to, source])


CONVENTION = CallingConvention(
    kind_of=kind_of,
    arguments=ARGUMENTS,
    results=RESULTS,
    sizes=SIZES,
    clobbered=CLOBBERED,
    back=LR,
    copy=copy,
    store=store_at,
    load=load_at,
    jump_to=lambda label: MachineInstruction(ROWS["call.mfunction"], [LR, label]),
    jump_by_address=lambda register: MachineInstruction(ROWS["call_address"], [register]),
    leave=lambda: MachineInstruction(ROWS["return"], [LR]),
)
