"""How functions call each other (IA-64 16): numbers in stacked registers, floats in ``f8`` and up, the rest on the stack."""

from __future__ import annotations

from voltac.codegen.calls import CallingConvention
from voltac.codegen.machine_code import AnyRegister, FrameSlot, MachineInstruction
from voltac.records import replace
from voltac.targets.ia64.select.pseudo import ROWS
from voltac.targets.ia64.select.registers import BACK, CLOBBERED, OUTPUT_REGISTERS, PARAMETER_REGISTERS, RESULT_REGISTERS

SIZES = {"r": 8, "f": 16, "p": 8}
"""Bytes on the stack."""
COPIES = {"r": "copy.r", "f": "copy.f"}


def kind_of(type_text: str) -> str:
    """The register class of a type."""
    return "f" if type_text in ("float", "double", "<2 x float>") else "r"


def copy(to: AnyRegister, source: AnyRegister) -> MachineInstruction:
    """A move between registers of one class."""
    return MachineInstruction(ROWS[COPIES[to.kind]], [to, source])


def store_at(register: AnyRegister, place: FrameSlot) -> MachineInstruction:
    """A register to the stack."""
    return MachineInstruction(ROWS[f"spill.{register.kind}"], [place, register])


def load_at(register: AnyRegister, place: FrameSlot) -> MachineInstruction:
    """A register from the stack."""
    return MachineInstruction(ROWS[f"reload.{register.kind}"], [register, place])


CALLS = CallingConvention(
    kind_of=kind_of,
    arguments=OUTPUT_REGISTERS,
    results=RESULT_REGISTERS,
    sizes=SIZES,
    clobbered=CLOBBERED,
    back=BACK,
    copy=copy,
    store=store_at,
    load=load_at,
    jump_to=lambda label: MachineInstruction(ROWS["call"], [label]),
    jump_by_address=lambda register: MachineInstruction(ROWS["call_address"], [register]),
    leave=lambda: MachineInstruction(ROWS["return"], []),
)
"""As the caller sees it."""
ENTRY = replace(CALLS, arguments=PARAMETER_REGISTERS)
"""As the callee does."""
