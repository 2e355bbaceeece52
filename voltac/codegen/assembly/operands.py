"""An instruction's operands as written → the rows that they fit.

A row fits if each operand has the form that its text asks for (``{P}+=``, ``{s}:B``)
and is a register of the right kind or an expression. Which of several rows with
numbers it is depends on their values; these may be known only at the end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from voltac.codegen.assembly.expressions import AssemblyValue
from voltac.codegen.assembly.lines import BadStatement, LinePiece
from voltac.codegen.device import DeviceCode, ImmediateKind
from voltac.codegen.rows import Row, RowOperand
from voltac.messages.suggestions import suggestion
from voltac.records import record

_PLACE = re.compile(r"\{(\w+)\}(.*)", re.DOTALL)


@record(eq=False)
class _RowForm:
    """A row's operands as its text writes them: what stands behind each."""

    row: Row
    operands: tuple[tuple[RowOperand, str], ...]


@record(eq=False)
class MatchedInstruction:
    """The rows of a mnemonic that the kinds of the operands fit, with the operands: registers' numbers, and expressions."""

    rows: tuple[Row, ...]
    operands: tuple[int | LinePiece, ...]
    mnemonic: LinePiece
    pieces: tuple[LinePiece, ...]

    @property
    def row(self) -> Row:
        """One that stands for all: they differ in numbers only."""
        return self.rows[0]


class InstructionForms:
    """Finds the rows of instructions."""

    def __init__(self, device: DeviceCode, numbered: frozenset[str] = frozenset()) -> None:
        self.device = device
        self.numbered = numbered
        """Kinds of registers that may be written as numbers."""
        self._forms: dict[str, list[_RowForm]] = {}
        for row in device.instructions.rows.values():
            self._forms.setdefault(row.mnemonic, []).append(_form(row))
        self._kinds: dict[str, list[str]] = {}
        for name, register in device.registers.items():
            self._kinds.setdefault(register.kind, []).append(name)

    def knows(self, mnemonic: str) -> bool:
        """Whether there is an instruction of the name."""
        return mnemonic in self._forms

    def counts(self, mnemonic: str) -> set[int]:
        """How many operands the rows of a mnemonic have."""
        return {len(form.operands) for form in self._forms.get(mnemonic, ())}

    def match(self, mnemonic: LinePiece, pieces: Sequence[LinePiece]) -> MatchedInstruction:
        """The rows that fit; :class:`~voltac.codegen.assembly.lines.BadStatement` says what was expected."""
        forms = self._forms.get(mnemonic.text)
        if forms is None:
            raise mnemonic.wrong(f"unknown instruction '{mnemonic.text}'{suggestion(mnemonic.text, self._forms)}")
        of_length = [form for form in forms if len(form.operands) == len(pieces)]
        if not of_length:
            raise mnemonic.wrong(self._written(mnemonic.text))
        rows: list[Row] = []
        values: tuple[int | LinePiece, ...] = ()
        farthest, expected = -1, [of_length[0].operands[0][0]] if pieces else []
        for form in of_length:
            found = []
            for position, ((operand, suffix), piece) in enumerate(zip(form.operands, pieces)):
                value = self._operand(operand, suffix, piece)
                if value is None:
                    if position > farthest:
                        farthest, expected = position, []
                    if position == farthest:
                        expected.append(operand)
                    break
                found.append(value)
            else:
                rows.append(form.row)
                values = tuple(found)
        if not rows:
            raise self._unfitting(mnemonic.text, of_length, pieces[farthest], farthest)
        return MatchedInstruction(tuple(rows), values, mnemonic, tuple(pieces))

    def _operand(self, operand: RowOperand, suffix: str, piece: LinePiece) -> int | LinePiece | None:
        text = piece.text
        if suffix:
            if not text.endswith(suffix):
                return None
            text = text[: -len(suffix)].rstrip()
        elif text.endswith(("+=", "++", "@")):
            return None
        register = self.device.registers.get(text)
        if register is not None:
            return register.number if register.kind == operand.kind else None
        is_number = operand.kind in self.device.immediates or operand.kind in self.numbered
        if not is_number or not text or text.startswith("$"):
            return None
        return piece if not suffix else LinePiece(text, piece.begin)

    # --- what is wrong ----------------------------------------------------------------------------------------------

    def _written(self, mnemonic: str) -> str:
        forms = list(dict.fromkeys(form.row.text.replace("{", "").replace("}", "") for form in self._forms[mnemonic]))
        return f"'{mnemonic}' is written {' or '.join(forms[:4])}"

    def _unfitting(self, mnemonic: str, forms: list[_RowForm], piece: LinePiece, position: int) -> BadStatement:
        wanted = dict.fromkeys(self._described(form.operands[position]) for form in forms)
        text = piece.text
        bare = re.sub(r"(\+=|\+\+|@|:B[LU]?)$", "", text).rstrip()
        place = f"operand {position + 1} of '{mnemonic}'"
        close = ""
        if bare.startswith("$") and bare not in self.device.registers:
            close = suggestion(bare, self.device.registers)
            return piece.wrong(f"there is no register '{bare}'{close}; {place} is {' or '.join(wanted)}")
        found = f"'{text}'" if text else "nothing"
        return piece.wrong(f"{found} cannot be {place}: it must be {' or '.join(wanted)}")

    def _described(self, form: tuple[RowOperand, str]) -> str:
        operand, suffix = form
        kind = self.device.immediates.get(operand.kind)
        if kind is not None:
            return described_number(kind)
        names = self._kinds.get(operand.kind, [])
        example = f" like {names[min(1, len(names) - 1)]}{suffix}" if names else ""
        number = " or its number" if operand.kind in self.numbered else ""
        return f"a register of kind {operand.kind}{example}{number}"


def described_number(kind: ImmediateKind) -> str:
    """What an operand of the kind may be."""
    multiple = f" that is a multiple of {kind.multiple:#x}" if kind.multiple > 1 else ""
    label = "a label or " if kind.part else ""
    return f"{label}a number{multiple} from {kind.lowest} to {kind.highest}"


def chosen_row(
    matched: MatchedInstruction, values: Sequence[int | AssemblyValue], device: DeviceCode
) -> tuple[Row, list[int], AssemblyValue | None]:
    """The first row that the values fit, the values as its word takes them, and the address that is still open."""
    problem: BadStatement | None = None
    expected: dict[str, None] = {}
    for row in matched.rows:
        numbers: list[int] = []
        address: AssemblyValue | None = None
        for operand, value, piece in zip(row.operands, values, matched.pieces):
            if isinstance(value, int):
                numbers.append(value)
                continue
            kind = device.immediates.get(operand.kind)
            if value.section:
                if kind is None or not kind.part:
                    problem = problem or piece.wrong(f"'{piece.text}' is an address; here stands a number")
                    break
                numbers.append(0)
                address = value
                continue
            fitting = _fitted(value.number, kind, row, operand)
            if fitting is None:
                wanted = described_number(kind) if kind is not None else f"the number of a register of kind {operand.kind}"
                expected[wanted] = None
                problem = problem or piece.wrong(f"{value.number} cannot stand here: it must be ")
                break
            numbers.append(fitting)
        else:
            return row, numbers, address
    assert problem is not None
    if expected:
        raise BadStatement(str(problem) + " or ".join(expected), problem.begin, problem.end)
    raise problem


def _fitted(number: int, kind: ImmediateKind | None, row: Row, operand: RowOperand) -> int | None:
    if kind is None:
        return number if 0 <= number < 1 << row.format.fields[operand.field].width else None
    if not kind.signed and kind.bits == _WORD and -(1 << _WORD - 1) <= number < 0:
        number += 1 << _WORD
    return number if kind.lowest <= number <= kind.highest and number % kind.multiple == 0 else None


_WORD = 32
"""Bits: numbers that use all of a word may be written with a sign."""


def _form(row: Row) -> _RowForm:
    by_field = {operand.field: operand for operand in row.operands}
    _, _, rest = row.text.partition(" ")
    places = []
    for text in rest.split(", ") if rest else []:
        match = _PLACE.fullmatch(text)
        if match is None:
            raise ValueError(f"{row.text}: '{text}' is no place of an operand")
        places.append((by_field[match[1]], match[2]))
    return _RowForm(row, tuple(places))
