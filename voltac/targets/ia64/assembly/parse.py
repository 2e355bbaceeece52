"""One instruction as text -> its row with the values of its operands."""

from __future__ import annotations

import re
from functools import cache

from voltac.codegen.assembly.lines import BadStatement, LinePiece
from voltac.codegen.encoding import EncodingError
from voltac.codegen.rows import Row
from voltac.messages.suggestions import suggestion
from voltac.records import record
from voltac.targets.ia64.instructions import INSTRUCTIONS
from voltac.targets.ia64.registers import BY_NAME
from voltac.targets.ia64.shapes import IMMEDIATES
from voltac.targets.ia64.slots import Slot, encode_slot


@record
class NeedsSymbol:
    """An address that the linker, or the end of the text, puts into an instruction."""

    part: str
    symbol: str
    addend: int


@record
class ParsedInstruction:
    """What an instruction's text says."""

    slot: Slot
    encoded: tuple[int, int]
    """As :func:`encode_slot` has it."""
    needed: NeedsSymbol | None


_PREDICATE = re.compile(r"\(\s*p(\d+)\s*\)\s*")
_OPERAND = r"\s*([^,=\[\]\s][^,=\[\]]*?)\s*"
_LABEL = re.compile(r"([A-Za-z_.$][\w.$]*)#?\s*(?:([+-])\s*(\w+))?$")
_FROM_POINTER = re.compile(r"@gprel\(\s*(.*?)\s*\)$")
_PREDICATES = 64
"""Of the machine (IA-64 2)."""


@cache
def _forms() -> dict[str, list[tuple[Row, re.Pattern[str]]]]:
    """Mnemonic -> rows, each with the pattern of its operands."""
    found: dict[str, list[tuple[Row, re.Pattern[str]]]] = {}
    for row in INSTRUCTIONS.rows.values():
        mnemonic, _, rest = row.text.partition(" ")
        pieces = re.split(r"(\{\w+\})", rest)
        pattern = "".join(_OPERAND if piece.startswith("{") else _spaced(piece) for piece in pieces)
        found.setdefault(mnemonic, []).append((row, re.compile(pattern + r"\s*$")))
    return found


def _spaced(text: str) -> str:
    """A pattern for punctuation with blanks where somebody likes them."""
    return "".join(rf"\s*{re.escape(one)}\s*" if one in ",=[]" else re.escape(one) for one in text.strip())


def parse_instruction(statement: LinePiece) -> ParsedInstruction:
    """BadStatement says what is wrong, and where in the line."""
    text, begin, predicate = statement.text, statement.begin, 0
    found = _PREDICATE.match(text)
    if found is not None:
        predicate = int(found[1])
        if predicate >= _PREDICATES:
            raise statement.wrong(f"there is no predicate p{predicate}: they go from p0 to p{_PREDICATES - 1}")
        text, begin = text[found.end() :], begin + found.end()
    mnemonic, _, rest = text.partition(" ")
    head = LinePiece(mnemonic, begin)
    forms = _forms().get(mnemonic)
    if forms is None:
        raise head.wrong(f"unknown instruction '{mnemonic}'{suggestion(mnemonic, _forms())}")
    wrong: BadStatement | None = None
    for row, pattern in forms:
        matched = pattern.match(rest)
        if matched is None:
            continue
        start = begin + len(mnemonic) + 1
        pieces = [LinePiece(matched[one], start + matched.start(one)) for one in range(1, len(row.operands) + 1)]
        try:
            return _filled(row, pieces, predicate)
        except BadStatement as reason:
            wrong = wrong or reason
    if wrong is not None:
        raise wrong
    written = " or ".join(dict.fromkeys(re.sub(r"[{}]", "", row.text) for row, _ in forms))
    raise head.wrong(f"'{mnemonic}' is written {written}")


def _filled(row: Row, pieces: list[LinePiece], predicate: int) -> ParsedInstruction:
    values = []
    needed: NeedsSymbol | None = None
    for operand, piece in zip(row.operands, pieces):
        kind = IMMEDIATES.get(operand.kind)
        register = BY_NAME.get(piece.text)
        if kind is None:
            if register is None or register.kind != operand.kind:
                raise piece.wrong(f"'{piece.text}' is no register of '{row.mnemonic}' here: {operand.kind}0 and its like are")
            values.append(register.number)
            continue
        if register is not None:
            raise piece.wrong(f"'{row.mnemonic}' takes a number here, not {piece.text}")
        from_pointer = _FROM_POINTER.match(piece.text)
        part = kind.part if from_pointer is None else kind.pointer_part
        label = _LABEL.match(piece.text if from_pointer is None else from_pointer[1])
        if label is not None and part:
            needed = NeedsSymbol(part, label[1], int(label[3] or "0", 0) * (-1 if label[2] == "-" else 1))
            values.append(0)
            continue
        if label is not None:
            remedy = f"address: the distance from gp is written @gprel({label[1]})" if kind.pointer_part else "symbol here"
            raise piece.wrong(f"'{row.mnemonic}' takes no {remedy}")
        try:
            value = int(piece.text, 0)
        except ValueError:
            raise piece.wrong(f"'{piece.text}' is no number") from None
        # Negative numbers may be written for what has no sign, as they stand in a register.
        values.append(value & (1 << 64) - 1 if operand.kind == "imm64" else value)
    _check(row, values, pieces, predicate)
    slot = Slot(row, tuple(values), predicate)
    try:
        return ParsedInstruction(slot, encode_slot(slot), needed)
    except EncodingError as error:
        raise pieces[error.operand].wrong(str(error)) from None


def _check(row: Row, values: list[int], pieces: list[LinePiece], predicate: int) -> None:
    """What the machine forbids of operands that each by itself may be there."""
    if row.mnemonic == "addl" and values[2] > 3:
        raise pieces[2].wrong("'addl' adds to r0, r1, r2 or r3 only: 'adds' takes any register and a shorter number")
    if predicate and row.traits & {"alloc", "clrrrb"}:
        raise (
            pieces[0].wrong(f"'{row.mnemonic}' is never predicated")
            if pieces
            else BadStatement(f"'{row.mnemonic}' is never predicated")
        )
    written = [(operand.kind, value) for operand, value in zip(row.operands, values) if operand.role != "use"]
    for number, (operand, value) in enumerate(zip(row.operands, values)):
        if operand.role == "use":
            continue
        if (operand.kind, value) in (("r", 0), ("f", 0), ("f", 1)):
            raise pieces[number].wrong(f"{operand.kind}{value} cannot be written")
        if written.count((operand.kind, value)) > 1 and (operand.kind, value) != ("p", 0):
            raise pieces[number].wrong(f"{operand.kind}{value} is written twice by one instruction")
    if "pair" in row.traits and (values[0] - values[1]) % 2 == 0:
        raise pieces[1].wrong("of the registers of a pair one has an even number and one an odd one")
