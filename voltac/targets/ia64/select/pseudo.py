"""Rows that stand for instructions until registers and frame are known: constants, addresses, spills, branches, returns.

A conditional branch has both predicates of its comparison: which one it goes by is known when the blocks have their order.
"""

from __future__ import annotations

from collections.abc import Collection

from voltac.codegen.machine_code import (
    FrameSlot,
    Immediate,
    LabelOperand,
    MachineFunction,
    MachineInstruction,
    Register,
    Value,
)
from voltac.codegen.rows import InstructionSet, Row, RowOperand
from voltac.records import replace
from voltac.targets.ia64.instructions import INSTRUCTIONS
from voltac.targets.ia64.select.registers import ALWAYS, BACK, CALL_TARGET, GP, LOAD_SCRATCH, SP, STORE_SCRATCH, ZERO
from voltac.targets.ia64.shapes import A, B, F, I, M

_FRESH = frozenset(("pseudo", "rematerialisable"))
_FORM = INSTRUCTIONS["nop.m.uimm21"].format
JUMP, BRANCH_IF, BRANCH_UNLESS = "jump", "branch_if", "branch_unless"
_BRANCH = "br.cond.sptk.few.target"
GP_RELATIVE = "gprel22"
"""The part of an address that is its distance from ``gp``."""
_CALL, _CALL_BY_REGISTER, _RETURN = "br.call.sptk.many.b=target", "br.call.sptk.many.b=b", "br.ret.sptk.many.b"


def _pseudo(name: str, text: str, operands: tuple[RowOperand, ...], unit: str, *traits: str, latency: int = 1) -> Row:
    return Row(name, f"{name} {text}", _FORM, {}, operands, unit, latency, traits=frozenset(("pseudo", *traits)))


def _fresh(name: str, kind: str, immediate: str) -> Row:
    operands = (RowOperand("d", kind, "def"), RowOperand("imm", immediate))
    return Row(name, f"{name} {{d}}={{imm}}", _FORM, {}, operands, A, 1, traits=_FRESH)


_BOTH = (RowOperand("p1", "p"), RowOperand("p2", "p"), RowOperand("target", "target"))
_ROWS = (
    _fresh("constant.r", "r", "imm64"),
    _fresh("constant.single", "f", "imm64"),
    _fresh("constant.double", "f", "imm64"),
    _fresh("constant.pair", "f", "imm64"),
    _fresh("address", "r", "imm64"),
    _fresh("frame", "r", "frame"),
    _pseudo("copy.r", "{d}={s}", (RowOperand("d", "r", "def"), RowOperand("s", "r")), A),
    _pseudo("copy.f", "{d}={s}", (RowOperand("d", "f", "def"), RowOperand("s", "f")), F, latency=4),
    _pseudo("spill.p", "{slot}={s}", (RowOperand("slot", "frame"), RowOperand("s", "p")), M, "store"),
    _pseudo("reload.p", "{d}={slot}", (RowOperand("d", "p", "def"), RowOperand("slot", "frame")), M, "load"),
    _pseudo("spill.r", "{slot}={s}", (RowOperand("slot", "frame"), RowOperand("s", "r")), M, "store"),
    _pseudo("spill.f", "{slot}={s}", (RowOperand("slot", "frame"), RowOperand("s", "f")), M, "store"),
    _pseudo("reload.r", "{d}={slot}", (RowOperand("d", "r", "def"), RowOperand("slot", "frame")), M, "load"),
    _pseudo("reload.f", "{d}={slot}", (RowOperand("d", "f", "def"), RowOperand("slot", "frame")), M, "load"),
    _pseudo(JUMP, "{target}", (RowOperand("target", "target"),), B, "branch"),
    _pseudo(BRANCH_IF, "{p1} {p2} {target}", _BOTH, B, "branch"),
    _pseudo(BRANCH_UNLESS, "{p1} {p2} {target}", _BOTH, B, "branch"),
    _pseudo("call", "{target}", (RowOperand("target", "target"),), B, "call"),
    _pseudo("call_address", "{r2}", (RowOperand("r2", "r"),), B, "call", "indirect"),
    _pseudo("return", "", (), B, "return"),
    _pseudo("trap", "", (), I, "end"),
)

ROWS = InstructionSet((*INSTRUCTIONS.rows.values(), *_ROWS))
"""What the selector emits: the machine's instructions and the rows above."""


def _made(name: str, *values: Value, mask: Register | None = None, line: int = 0) -> MachineInstruction:
    return MachineInstruction(ROWS[name], list(values), line=line, mask=mask)


def constant(register: Value, number: int, line: int = 0) -> MachineInstruction:
    """Puts a number into a general register, by the shortest instruction that does."""
    number = number - (1 << 64) if number >> 63 else number
    if -0x2000 <= number < 0x2000:
        return _made("adds.r=imm14,r", register, Immediate(number), ZERO["r"], line=line)
    if -0x200000 <= number < 0x200000:
        return _made("addl.r=imm22,r", register, Immediate(number), ZERO["r"], line=line)
    return _made("movl.r=imm64", register, Immediate(number & (1 << 64) - 1), line=line)


def add_offset(register: Value, base: Register, offset: int, line: int = 0) -> list[MachineInstruction]:
    """A register and a constant."""
    if -0x2000 <= offset < 0x2000:
        return [_made("adds.r=imm14,r", register, Immediate(offset), base, line=line)]
    amount = STORE_SCRATCH if register is base else register
    return [constant(amount, offset, line), _made("add.r=r,r", register, amount, base, line=line)]


def expand(function: MachineFunction, offsets: dict[int, int], short: Collection[str]) -> None:
    """Replace the rows above, when registers and the offsets of frame slots are known; ``gp`` reaches the ``short`` labels."""
    for block in function.blocks:
        block.instructions = [made for one in block.instructions for made in _expanded(one, offsets, short)]


def as_instruction(one: MachineInstruction) -> MachineInstruction:
    """A copy, or a constant in a general register, as the instruction that makes it; others as they are."""
    if one.row.name == "constant.r":
        assert isinstance(one.values[1], Immediate)
        return _with(one, constant(one.values[0], one.values[1].value, one.line))
    if one.row.name == "copy.r":
        return _with(one, _made("adds.r=imm14,r", one.values[0], Immediate(0), one.values[1], line=one.line))
    if one.row.name == "copy.f":
        return _with(one, _made("fmerge.s.f=f,f", one.values[0], one.values[1], one.values[1], line=one.line))
    return one


def _place(value: Value, offsets: dict[int, int]) -> int:
    assert isinstance(value, FrameSlot)
    return offsets[value.slot] + value.offset


def _address(register: Value, label: Value, short: Collection[str], line: int) -> MachineInstruction:
    assert isinstance(label, LabelOperand)
    if label.name not in short:
        return _made("movl.r=imm64", register, label, line=line)
    return _made("addl.r=imm22,r", register, replace(label, part=GP_RELATIVE), GP, line=line)


def _expanded(one: MachineInstruction, offsets: dict[int, int], short: Collection[str]) -> list[MachineInstruction]:
    values, line = one.values, one.line
    match one.row.name:
        case "constant.single" | "constant.double" | "constant.pair":
            assert isinstance(values[1], Immediate)
            row = {"single": "setf.s.f=r", "double": "setf.d.f=r", "pair": "setf.sig.f=r"}[one.row.name.partition(".")[2]]
            return [constant(STORE_SCRATCH, values[1].value, line), _made(row, values[0], STORE_SCRATCH, line=line)]
        case "address":
            return [_address(values[0], values[1], short, line)]
        case "frame":
            return add_offset(values[0], SP, _place(values[1], offsets), line)
        case "constant.r" | "copy.r" | "copy.f":
            return [as_instruction(one)]
        case "spill.r" | "spill.f":
            row = "st8.[r]=r" if one.row.name.endswith("r") else "stf.spill.[r]=f"
            return [
                *add_offset(STORE_SCRATCH, SP, _place(values[0], offsets), line),
                _made(row, STORE_SCRATCH, values[1], line=line),
            ]
        case "spill.p":
            assert isinstance(values[1], Register)
            return [
                *add_offset(STORE_SCRATCH, SP, _place(values[0], offsets), line),
                constant(LOAD_SCRATCH, 0, line),
                _made("adds.r=imm14,r", LOAD_SCRATCH, Immediate(1), ZERO["r"], mask=values[1], line=line),
                _made("st8.[r]=r", STORE_SCRATCH, LOAD_SCRATCH, line=line),
            ]
        case "reload.p":
            return [
                *add_offset(LOAD_SCRATCH, SP, _place(values[1], offsets), line),
                _made("ld8.r=[r]", LOAD_SCRATCH, LOAD_SCRATCH, line=line),
                _made("cmp.eq.p,p=imm8,r", values[0], ALWAYS, Immediate(1), LOAD_SCRATCH, line=line),
            ]
        case "reload.r" | "reload.f":
            row = "ld8.r=[r]" if one.row.name.endswith("r") else "ldf.fill.f=[r]"
            return [
                *add_offset(LOAD_SCRATCH, SP, _place(values[1], offsets), line),
                _made(row, values[0], LOAD_SCRATCH, line=line),
            ]
        case "jump":
            return [_made(_BRANCH, values[0], line=line)]
        case "branch_if" | "branch_unless":
            mask = values[0] if one.row.name == BRANCH_IF else values[1]
            assert isinstance(mask, Register)
            return [_made(_BRANCH, values[2], mask=None if mask is ALWAYS else mask, line=line)]
        case "call":
            return [_keeping(one, _made(_CALL, BACK, values[0], line=line))]
        case "call_address":
            moved = _made("mov.b=r", CALL_TARGET, values[0], line=line)
            return [moved, _keeping(one, _made(_CALL_BY_REGISTER, BACK, CALL_TARGET, line=line))]
        case "return":
            return [_keeping(one, _made(_RETURN, BACK, line=line))]
        case "trap":
            return [_made("break.i.uimm21", Immediate(1), line=line)]
    return [one]


def _keeping(one: MachineInstruction, made: MachineInstruction) -> MachineInstruction:
    made.implicit_uses, made.implicit_defs = one.implicit_uses, one.implicit_defs
    return made


def _with(one: MachineInstruction, made: MachineInstruction) -> MachineInstruction:
    made.mask = one.mask
    return _keeping(one, made)
