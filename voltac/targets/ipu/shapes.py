"""How a row of the IPU is declared: its text, and where each operand stands in the word.

Places are written as in the reference: ``d!:a2@4`` is an operand ``d`` that is
written (``~``: read and written), a pair of ARF registers, from bit 4 on;
``imm:zi12@19[7:4]+11[11:8]+3[3:0]`` a number in pieces, with each piece's top bit;
``18:2=2`` the number 2 in two bits from bit 18 on. Bits that nobody names are zero.
"""

from __future__ import annotations

import re

from voltac.codegen.device import ImmediateKind
from voltac.codegen.rows import Format, Row, RowOperand

MAIN, AUX = "main", "aux"
BUNDLED = 1 << 31
"""The bit that is set in both words of a bundle (IPU 2.1)."""

_WIDTHS = {"m": 4, "m2": 3, "a": 4, "a2": 3, "a4": 2, "csr": 8, "ucsr": 8}

IMMEDIATES = {
    "zi4": ImmediateKind(4, signed=False),
    "zi6": ImmediateKind(6, signed=False),
    "zi8": ImmediateKind(8, signed=False),
    "si8": ImmediateKind(8, signed=True),
    "zi12": ImmediateKind(12, signed=False),
    # The twelve bits at the top of a word (IPU 3.1).
    "iz12": ImmediateKind(32, signed=False, multiple=1 << 20, shift=20),
    "zi16": ImmediateKind(16, signed=False),
    "si16": ImmediateKind(16, signed=True),
    "zi20": ImmediateKind(20, signed=False, part="low 20"),
    # Addresses of words (IPU 3.2).
    "target": ImmediateKind(21, signed=False, multiple=4, shift=2, part="target"),
    "function": ImmediateKind(22, signed=False, multiple=4, shift=2, part="function"),
}
"""``zi`` is zero-extended, ``si`` sign-extended, ``iz`` has zeros behind it."""

_PLACE = re.compile(r"(\w+)([!~]?):(\w+)@(.+)")
_FIXED = re.compile(r"(\d+):(\d+)=(\d+)")


def shape(text: str, op: int, places: str, unit: str, meaning: str = "", traits: str = "", latency: int = 1) -> Row:
    """A row. Its name is the mnemonic and the kinds of its operands: ``add.mmsi16``.

    ``B``, ``BL`` or ``BU`` stands behind one that is broadcast.
    """
    bits: list[str] = ["0"] * 32
    bits[24:31] = list(f"{op:07b}"[::-1])
    operands: dict[str, RowOperand] = {}
    for place in places.split():
        fixed = _FIXED.fullmatch(place)
        if fixed is not None:
            low, width, value = (int(number) for number in fixed.groups())
            bits[low : low + width] = list(f"{value:0{width}b}"[::-1])
            continue
        found = _PLACE.fullmatch(place)
        if found is None:
            raise ValueError(f"{text}: {place} is no place of an operand")
        name, mark, kind, where = found.groups()
        operands[name] = RowOperand(name, kind, {"!": "def", "~": "update"}.get(mark, "use"))
        _take(bits, name, kind, where)
    ordered = tuple(operands[name] for name in re.findall(r"\{(\w+)\}", text))
    mnemonic, _, rest = text.partition(" ")
    suffixes = dict(re.findall(r"\{(\w+)\}:(B[LU]?)", rest))
    kinds = "".join(operand.kind + suffixes.get(operand.field, "") for operand in ordered)
    layout: list[str] = []
    for bit in reversed(bits):
        if not layout or layout[-1] != bit or bit in "01":
            layout.append(bit)
    known = frozenset(trait for trait in traits.split(",") if trait)
    name = f"{mnemonic}.{kinds}" if kinds else mnemonic
    return Row(name, text, Format(mnemonic, " ".join(layout)), {}, ordered, unit, latency, meaning, known)


def _take(bits: list[str], name: str, kind: str, where: str) -> None:
    """Give bits of the word to an operand. A pair's number leaves the lowest bit of its register's number zero."""
    if "[" in where:
        for piece in where.split("+"):
            top, high, low = (int(number) for number in re.findall(r"\d+", piece))
            width = high - low + 1
            bits[top - width + 1 : top + 1] = [f"{name}[{high}:{low}]"] * width
        return
    lowest = int(where)
    if kind in _WIDTHS:
        width = _WIDTHS[kind]
        lowest += {"2": 1, "4": 2}.get(kind[-1], 0)
    else:
        width = IMMEDIATES[kind].bits - IMMEDIATES[kind].shift
    bits[lowest : lowest + width] = [f"{name}:{width}"] * width
