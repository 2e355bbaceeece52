"""How a row of IA-64 is declared: its text, and the layout of its slot of 41 bits.

The layout is written as in :mod:`voltac.codegen.rows`, without the qualifying predicate, whose six bits end every slot.
The kinds of operands follow from their names (``r1`` is a general register, ``f2`` a floating one), their roles from
where they stand in the text: what is left of ``=`` is written, but for an address, which is read, and written as well
where it is incremented behind the access. Numbers have a kind each.
"""

from __future__ import annotations

import re

from voltac.codegen.device import ImmediateKind
from voltac.codegen.rows import Format, Row, RowOperand

SLOT_BITS = 41
A, M, I, F, B, X = "A", "M", "I", "F", "B", "X"  # noqa: E741 (the manual's names)
"""Classes of instructions (IA-64 3): A goes to M or I, X takes both slots behind an M."""

IMMEDIATES = {
    "imm8": ImmediateKind(8, signed=True),
    "imm9": ImmediateKind(9, signed=True),
    "imm14": ImmediateKind(14, signed=True),
    "imm22": ImmediateKind(22, signed=True, pointer_part="gprel22"),
    "imm64": ImmediateKind(64, signed=False, part="imm64", pointer_part="gprel64"),
    "uimm21": ImmediateKind(21, signed=False),
    "rotated": ImmediateKind(44, signed=True, multiple=1 << 16, shift=16),
    "mask17": ImmediateKind(17, signed=True, multiple=2, shift=1),
    "count4": ImmediateKind(2, signed=False, base=1),
    "count3": ImmediateKind(2, signed=False, base=1, highest_stored=2),
    "count5": ImmediateKind(5, signed=False),
    "ccount5": ImmediateKind(5, signed=False, base=31, is_complement=True),
    "count6": ImmediateKind(6, signed=False),
    "pos6": ImmediateKind(6, signed=False),
    "cpos6": ImmediateKind(6, signed=False, base=63, is_complement=True),
    "len6": ImmediateKind(6, signed=False, base=1),
    "len4": ImmediateKind(4, signed=False, base=1),
    "imm1": ImmediateKind(1, signed=True),
    "mux": ImmediateKind(8, signed=False),
    "class9": ImmediateKind(9, signed=False),
    "mask7": ImmediateKind(7, signed=False),
    "target": ImmediateKind(25, signed=True, multiple=16, shift=4, part="target"),
    "frame": ImmediateKind(7, signed=False),
    "rotation": ImmediateKind(7, signed=False, multiple=8, shift=3),
}
"""Numbers by kind."""

_NUMBERS = {
    **{name: name for name in ("imm8", "imm9", "imm14", "imm22", "imm64", "target", "mux", "imm1", "rotated", "mask17")},
    **{name: name for name in ("count3", "count4", "count5", "ccount5", "count6", "len4")},
    "pos": "pos6", "cpos": "cpos6", "len": "len6", "class": "class9", "uimm": "uimm21", "and7": "mask7", "or7": "mask7",
    "sol": "frame", "out": "frame", "rot": "rotation",
}  # fmt: skip
"""The kind of the number that an operand of a name is."""


def row(
    text: str, unit: str, layout: str, meaning: str = "", traits: str = "", latency: int = 1, updates: str = "", fixed: str = ""
) -> Row:
    """A row, named by its text: ``add {r1}={r2},{r3}`` is ``add.r=r,r``.

    ``updates`` are written operands that are read as well; ``fixed`` has values for fields: ``x4=3 x2b=1``.
    """
    mnemonic, _, rest = text.partition(" ")
    target, equals, _ = rest.partition("=")
    operands = []
    for name in re.findall(r"\{(\w+)\}", rest):
        kind = _NUMBERS.get(name) or re.sub(r"\d+$", "", name)
        role = "use"
        if f"[{{{name}}}]" in rest:
            role = "update" if f"[{{{name}}}]," in rest or name in updates.split() else "use"
        elif equals and f"{{{name}}}" in target and not target.strip().startswith("["):
            role = "update" if name in updates.split() else "def"
        operands.append(RowOperand(name, kind, role))
    short = re.sub(r"\{(\w+)\}", lambda found: _NUMBERS.get(found[1]) or re.sub(r"\d+$", "", found[1]), rest)
    values = {name: int(value) for name, value in (one.split("=") for one in fixed.split())}
    form = Format(mnemonic, f"{layout} qp:6", SLOT_BITS)
    known = frozenset(trait for trait in traits.split(",") if trait)
    if re.search(r"\[\{\w+\}\](=\{\w+\})?,", rest):
        known |= {"increments"}
    return Row(f"{mnemonic}.{short}" if short else mnemonic, text, form, values, tuple(operands), unit, latency, meaning, known)
