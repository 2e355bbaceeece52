"""Instructions that stand for others (IPU 3.1, 3.3, 7)."""

from __future__ import annotations

from voltac.codegen.assembly.expressions import AssemblyValue, UnknownSymbol
from voltac.codegen.assembly.lines import LinePiece
from voltac.codegen.assembly.state import AssemblyState

Instructions = list[tuple[LinePiece, list[LinePiece]]]

_LOW = 20
"""Bits that ``setzi`` fills."""
_WORD = 0xFFFFFFFF
"""All bits of a register."""


def rewritten(mnemonic: LinePiece, operands: list[LinePiece], state: AssemblyState) -> Instructions:
    """The instructions that an instruction as written stands for, mostly itself."""
    name = mnemonic.text
    if name == "ldconst" and len(operands) == 2:
        return _constant(mnemonic, operands[0], operands[1], state)
    if name == "sub" and len(operands) == 3 and _is_register(operands[1]) and not _is_register(operands[2]):
        negative = LinePiece(f"-({operands[2].text})", operands[2].begin)
        return [(_named("add", mnemonic), [*operands[:2], negative])]
    if name == "swap16" and len(operands) == 2:
        return [(_named("roll16", mnemonic), [operands[0], operands[1], operands[1]])]
    if len(operands) == 3 and _takes_delta(name, state):
        # An address without a delta.
        return [(mnemonic, [*operands[:2], LinePiece("$mzero", operands[1].end), operands[2]])]
    return [(mnemonic, operands)]


def _is_register(piece: LinePiece) -> bool:
    return piece.text.startswith("$")


def _named(name: str, mnemonic: LinePiece) -> LinePiece:
    return LinePiece(name, mnemonic.begin)


def _takes_delta(name: str, state: AssemblyState) -> bool:
    rows = state.device.instructions.by_mnemonic.get(name, ())
    return any(
        len(row.operands) == 4 and [operand.field for operand in row.operands[1:3]] == ["b", "x"] and "step" not in row.traits
        for row in rows
    )


def _constant(mnemonic: LinePiece, target: LinePiece, number: LinePiece, state: AssemblyState) -> Instructions:
    """``ldconst d, value``: one or two instructions; an address fits one."""
    try:
        value = state.value(number, state.context())
    except UnknownSymbol:
        value = AssemblyValue(0, "?")
    if value.section:
        return [(_named("setzi", mnemonic), [target, number])]
    if not -(1 << 31) <= value.number <= _WORD:
        raise number.wrong(f"{value.number} does not fit a register of 32 bits")
    bits = value.number & _WORD
    low, high = bits & (1 << _LOW) - 1, bits >> _LOW << _LOW
    zero = LinePiece("$azero" if target.text.startswith("$a") else "$mzero", target.begin)
    written = [LinePiece(str(part), number.begin) for part in (low, high)]
    if not high:
        return [(_named("setzi", mnemonic), [target, written[0]])]
    if not low:
        return [(_named("or", mnemonic), [target, zero, written[1]])]
    return [
        (_named("setzi", mnemonic), [target, written[0]]),
        (_named("or", mnemonic), [target, target, written[1]]),
    ]
