"""What may issue together, and what a repeat's body may be (IPU 2.1 to 2.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from voltac.codegen.assembly.finish import Report
from voltac.codegen.assembly.lines import BadStatement
from voltac.codegen.assembly.operands import MatchedInstruction
from voltac.codegen.assembly.state import AssemblyState, WaitingInstruction
from voltac.codegen.object_file import Section
from voltac.targets.ipu.registers import written_registers
from voltac.targets.ipu.shapes import AUX, BUNDLED, MAIN

_BODY_ALIGNMENT = 8
"""Bytes of a bundle, and so of every step through a repeat's body."""


def issued_together(group: Sequence[MatchedInstruction], in_braces: bool) -> list[int]:
    """The bits to set in each word, of an instruction alone or of a bundle."""
    if in_braces:
        return _bundle(group)
    _check_destinations(group)
    return [0]


def _bundle(group: Sequence[MatchedInstruction]) -> list[int]:
    if len(group) != 2:
        have = f"{len(group)} instructions" if group else "none"
        raise BadStatement(f"a bundle has two instructions, one of the main pipe and one of the aux pipe; this one has {have}")
    for instruction, pipe, filler in zip(group, (MAIN, AUX), ("nop", "fnop")):
        row = instruction.row
        if row.unit != pipe:
            order = "the first of a bundle" if pipe == MAIN else "the second of a bundle"
            raise instruction.mnemonic.wrong(
                f"'{row.mnemonic}' is an instruction of the {row.unit} pipe; {order} is one of the {pipe} pipe, like '{filler}'"
            )
        if "solo" in row.traits:
            raise instruction.mnemonic.wrong(f"'{row.mnemonic}' is never in a bundle")
    _check_destinations(group)
    return [BUNDLED, BUNDLED]


def _check_destinations(group: Sequence[MatchedInstruction]) -> None:
    seen: dict[str, str] = {}
    for instruction in group:
        row = instruction.row
        if "distinct" in row.traits:
            first, second = (instruction.operands[number] for number in (0, 1))
            if first == second:
                raise instruction.pieces[1].wrong(f"'{row.mnemonic}' has two destinations, and they are equal")
        for operand, value, piece in zip(row.operands, instruction.operands, instruction.pieces):
            if operand.role == "use" or not isinstance(value, int):
                continue
            for register in written_registers(operand.kind, value):
                if register in seen:
                    raise piece.wrong(f"{register} is written twice at once, here and as '{seen[register]}'")
                seen[register] = piece.text


def check_repeats(state: AssemblyState, report: Report) -> None:
    """Bodies are 8-byte aligned and consist of bundles that may be there."""
    by_section: dict[str, dict[int, WaitingInstruction]] = {}
    for one in state.instructions:
        by_section.setdefault(one.section.name, {})[one.offset] = one
    for one in state.instructions:
        if "repeat" not in one.matched.row.traits:
            continue
        try:
            _check_body(one, by_section[one.section.name])
        except BadStatement as wrong:
            report(wrong, one.line)


def _check_body(repeat: WaitingInstruction, instructions: dict[int, WaitingInstruction]) -> None:
    word = _word(repeat.section, repeat.offset)
    bundles = (word & 0xFF) + 1
    begin = repeat.offset + (8 if repeat.or_bits else 4)
    if begin % _BODY_ALIGNMENT:
        how = "solo, without the aux instruction beside it" if repeat.or_bits else "in a bundle, as {rpt ... ; fnop}"
        raise repeat.matched.mnemonic.wrong(
            f"the body of this repeat begins at offset {begin:#x} of its section, which is no multiple of 8:"
            f" write the rpt {how}, or '.align 8' above it"
        )
    for offset, found in _body(begin, bundles, instructions):
        if found is None:
            raise repeat.matched.mnemonic.wrong(
                f"the body of this repeat has {bundles} bundles, and at offset {offset:#x} of the section there is none"
            )
        row = found.matched.row
        if not found.or_bits:
            raise repeat.matched.mnemonic.wrong(
                f"the body of this repeat ({bundles} bundles) has the single instruction '{row.mnemonic}' at offset"
                f" {offset:#x} of the section: only bundles are repeated"
            )
        if row.traits & {"control", "not in repeat"}:
            raise repeat.matched.mnemonic.wrong(
                f"'{row.mnemonic}' at offset {offset:#x} of the section is in the body of this repeat, where it may not be"
            )


def _body(
    begin: int, bundles: int, instructions: dict[int, WaitingInstruction]
) -> Iterator[tuple[int, WaitingInstruction | None]]:
    for offset in range(begin, begin + 8 * bundles, 4):
        yield offset, instructions.get(offset)


def _word(section: Section, offset: int) -> int:
    return int.from_bytes(section.content[offset : offset + 4], "little")
