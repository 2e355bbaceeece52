"""Comparisons of integers and floats -> predicates, one for each outcome (IA-64 5).

Any may be made under another predicate, where that is 0 both stay as they are.
"""

from __future__ import annotations

from voltac.codegen.machine_code import AnyRegister, Immediate, MachineInstruction, VirtualRegister
from voltac.codegen.rows import Row
from voltac.codegen.selection import Selection
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.ia64.select.pseudo import ROWS
from voltac.targets.ia64.select.values import word_constant

Both = tuple[AnyRegister, AnyRegister]
"""The predicate that is 1 where a condition holds, and the one that is 1 where it does not."""

# Relation of the machine, whether the operands change places, whether the outcomes do.
_RELATIONS = {
    "eq": ("eq", False, False), "ne": ("eq", False, True),
    "slt": ("lt", False, False), "sgt": ("lt", True, False), "sge": ("lt", False, True), "sle": ("lt", True, True),
    "ult": ("ltu", False, False), "ugt": ("ltu", True, False), "uge": ("ltu", False, True), "ule": ("ltu", True, True),
}  # fmt: skip
_FLOAT_RELATIONS = {
    "oeq": ("eq", False, False), "une": ("eq", False, True),
    "olt": ("lt", False, False), "ogt": ("lt", True, False), "uge": ("lt", False, True), "ule": ("lt", True, True),
    "ole": ("le", False, False), "oge": ("le", True, False), "ugt": ("le", False, True), "ult": ("le", True, True),
    "uno": ("unord", False, False), "ord": ("unord", False, True),
}  # fmt: skip
TWO_STEPS = ("one", "ueq")
"""Relations of floats that take two comparisons."""
_OPPOSITE = {"eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt"}
_FROM_ZERO = {"sgt": "lt", "slt": "gt", "sge": "le", "sle": "ge"}
"""What a number is to 0 -> what 0 is to the number (IA-64 5)."""


def in_parallel(selection: Selection, operand: Operand, both: Both, is_and: bool) -> bool:
    """One more condition of an ``or`` (of an ``and``: its opposite) by a comparison that several may be of a group; whether
    there is one: of equality, and of signs."""
    made = selection.definition(operand)
    if made is None or made.op != "icmp" or made.parts.predicate not in _OPPOSITE:
        return False
    relation = _OPPOSITE[made.parts.predicate] if is_and else made.parts.predicate
    both = both[::-1] if is_and else both
    first, second = made.operands
    short = [_of_32_bits(selection, one, "eq" if relation in ("eq", "ne") else "lt") for one in (first, second)]
    size = ""
    if all(one is not None for one in short):
        first, second = (one for one in short if one is not None)
        size = "4"
    number = word_constant(selection.resolve(second))
    if relation in _FROM_ZERO:
        if number == 0:
            row = f"cmp{size}.{_FROM_ZERO[relation]}.or.andcm.p,p=r0,r"
            selection.emit(row, *both, selection.register(first))
        return number == 0
    if number is not None and -0x80 <= number <= 0x7F:
        selection.emit(f"cmp{size}.{relation}.or.andcm.p,p=imm8,r", *both, Immediate(number), selection.register(first))
    else:
        row = f"cmp{size}.{relation}.or.andcm.p,p=r,r"
        selection.emit(row, *both, selection.register(first), selection.register(second))
    return True


def compare(
    selection: Selection,
    relation: str,
    both: Both,
    first: AnyRegister | Immediate,
    second: AnyRegister,
    under: AnyRegister | None,
    size: str = "",
) -> None:
    """Of two registers, or of a number and one; ``size`` is 4 for their lower halves."""
    kind = "imm8" if isinstance(first, Immediate) else "r"
    made = selection.emit(f"cmp{size}.{relation}.p,p={kind},r", *both, first, second)
    _predicated(made, both, under)


def _predicated(made: MachineInstruction, both: Both, under: AnyRegister | None) -> None:
    if under is not None:
        assert isinstance(under, VirtualRegister)
        made.mask = under
        made.implicit_uses = list(both)


def integers(selection: Selection, made: Instruction, both: Both, under: AnyRegister | None) -> None:
    """What an ``icmp`` says."""
    relation, swaps, is_opposite = _RELATIONS[made.parts.predicate]
    first, second = made.operands
    size = ""
    short = [_of_32_bits(selection, one, relation) for one in (first, second)]
    if all(one is not None for one in short):
        first, second = (one for one in short if one is not None)
        size = "4"
    if is_opposite:
        both = both[::-1]
    if swaps:
        first, second = second, first
    number = word_constant(selection.resolve(second))
    if number is not None and relation != "eq":
        # a < n is not n - 1 < a.
        less = number - 1
        if -0x80 <= less <= 0x7F and (relation == "lt" or less >= 0):
            compare(selection, relation, both[::-1], Immediate(less), selection.register(first), under, size)
            return
    if number is not None and relation == "eq":
        first, second = second, first
    number = word_constant(selection.resolve(first))
    if number is not None and -0x80 <= number <= 0x7F:
        compare(selection, relation, both, Immediate(number), selection.register(second), under, size)
    else:
        compare(selection, relation, both, selection.register(first), selection.register(second), under, size)


def _of_32_bits(selection: Selection, operand: Operand, relation: str) -> Operand | None:
    """What a number is an extension of, so that a comparison of the lower halves says the same."""
    operand = selection.resolve(operand)
    number = word_constant(operand)
    if number is not None:
        fits = 0 <= number < 1 << 31 if relation != "lt" else -(1 << 31) <= number < 1 << 31
        return operand if fits else None
    made = selection.definitions.get(operand.value)
    if made is None:
        return None
    if relation == "lt" and made.op == "ashr" and word_constant(made.operands[1]) == 32:
        inner = selection.definition(made.operands[0])
        if inner is not None and inner.op == "shl" and word_constant(inner.operands[1]) == 32:
            return inner.operands[0]
    if relation != "lt" and made.op == "and" and word_constant(made.operands[1]) == (1 << 32) - 1:
        return made.operands[0]
    return None


def floats(selection: Selection, made: Instruction, both: Both, under: AnyRegister | None) -> None:
    """What an ``fcmp`` says."""
    predicate = made.parts.predicate
    if predicate in TWO_STEPS and under is not None:
        # Two steps, of which the second would look at what the first has left as it was: as a number.
        compare(selection, "eq", both[::-1], Immediate(0), selection.register(Operand("i1", made.name)), under)
        return
    a, b = (selection.register(one) for one in made.operands)
    if predicate in TWO_STEPS:
        # Less, or greater where it is not less.
        which = both if predicate == "one" else both[::-1]
        selection.emit("fcmp.lt.s1.p,p=f,f", *which, a, b)
        _predicated(selection.emit("fcmp.lt.s1.p,p=f,f", *which, b, a), both, which[1])
        return
    relation, swaps, is_opposite = _FLOAT_RELATIONS[predicate]
    if swaps:
        a, b = b, a
    made_one = selection.emit(f"fcmp.{relation}.s1.p,p=f,f", *(both[::-1] if is_opposite else both), a, b)
    _predicated(made_one, both, under)


def clearing(row: Row) -> Row:
    """The row of a comparison that clears both predicates where its own is 0."""
    head, relation, rest = row.name.split(".", 2)
    return ROWS[f"{head}.{relation}.unc.{rest}"]
