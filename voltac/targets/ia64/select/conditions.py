"""Comparisons -> predicates, and what goes by them: choices and branches (IA-64 5, 14).

A condition has two predicates, one for each of its outcomes. Where it is a number, 0 or 1 in a general register, it is compared
with 0; a comparison itself is made anew for each that asks, which is not dearer.
"""

from __future__ import annotations

from voltac.codegen.machine_code import (
    AnyRegister,
    Immediate,
    LabelOperand,
    MachineInstruction,
    VirtualRegister,
)
from voltac.codegen.selection import Selection
from voltac.codegen.switches import SwitchBranches
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.ia64.select.conventions import copy
from voltac.targets.ia64.select.pseudo import BRANCH_IF, JUMP, ROWS
from voltac.targets.ia64.select.values import literal, word_constant

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
_DEEPEST = 4
"""Conditions of conditions that are computed in predicates. Chosen."""


def condition(selection: Selection, operand: Operand, depth: int = 0) -> Both:
    """Emits what computes a condition in predicates."""
    both = selection.new("p"), selection.new("p")
    _into(selection, operand, both, None, depth)
    return both


def _into(selection: Selection, operand: Operand, both: Both, under: AnyRegister | None, depth: int) -> None:
    """The same into given predicates; ``under`` one of these only where it is 1, else both stay as they are."""
    operand = selection.resolve(operand)
    known = word_constant(operand) if operand.type == "i1" else None
    made = selection.definitions.get(operand.value)
    if known is not None:
        relation = both if known else both[::-1]
        _compare(selection, "eq", relation, Immediate(0), selection.constant(literal(0), "r"), under)
    elif made is not None and made.op == "icmp":
        _integers(selection, made, both, under)
    elif made is not None and made.op == "fcmp":
        _floats(selection, made, both, under)
    elif made is not None and _is_logical(made) and depth < _DEEPEST and selection.foldable(operand):
        _combined(selection, made, both, under, depth)
    else:
        _compare(selection, "eq", both[::-1], Immediate(0), selection.register(operand), under)


_OPPOSITE = {"eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt"}
_FROM_ZERO = {"sgt": "lt", "slt": "gt", "sge": "le", "sle": "ge"}
"""What a number is to 0 -> what 0 is to the number (IA-64 5)."""


def _in_parallel(selection: Selection, operand: Operand, both: Both, is_and: bool) -> bool:
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


def _is_logical(made: Instruction) -> bool:
    """Whether a condition is made of others; so is a choice that is an ``and`` or an ``or``."""
    if made.op != "select" or made.type != "i1":
        return made.op in ("and", "or", "xor")
    return made.operands[2].value in ("false", "zeroinitializer") or made.operands[1].value == "true"


def _combined(selection: Selection, made: Instruction, both: Both, under: AnyRegister | None, depth: int) -> None:
    """The second condition is looked at only where the first does not decide."""
    operation, first, second = made.op, *made.operands[:2]
    if operation == "select":
        # (c ? d : false) and (c ? true : d)
        operation = "and" if word_constant(selection.resolve(made.operands[2])) == 0 else "or"
        second = made.operands[1 if operation == "and" else 2]
    if operation == "xor":
        if word_constant(selection.resolve(second)) == -1:
            _into(selection, first, both[::-1], under, depth + 1)
        else:
            _compare(selection, "eq", both[::-1], selection.register(first), selection.register(second), under)
        return
    if under is not None:
        _compare(selection, "eq", both[::-1], Immediate(0), selection.register(Operand("i1", made.name)), under)
        return
    _into(selection, first, both, None, depth + 1)
    if _in_parallel(selection, second, both, operation == "and"):
        return
    _into(selection, second, both, both[0] if operation == "and" else both[1], depth + 1)


def _compare(
    selection: Selection,
    relation: str,
    both: Both,
    first: AnyRegister | Immediate,
    second: AnyRegister,
    under: AnyRegister | None,
    size: str = "",
) -> None:
    kind = "imm8" if isinstance(first, Immediate) else "r"
    made = selection.emit(f"cmp{size}.{relation}.p,p={kind},r", *both, first, second)
    _predicated(made, both, under)


def _predicated(made: MachineInstruction, both: Both, under: AnyRegister | None) -> None:
    if under is not None:
        assert isinstance(under, VirtualRegister)
        made.mask = under
        made.implicit_uses = list(both)


def _integers(selection: Selection, made: Instruction, both: Both, under: AnyRegister | None) -> None:
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
            _compare(selection, relation, both[::-1], Immediate(less), selection.register(first), under, size)
            return
    if number is not None and relation == "eq":
        first, second = second, first
    number = word_constant(selection.resolve(first))
    if number is not None and -0x80 <= number <= 0x7F:
        _compare(selection, relation, both, Immediate(number), selection.register(second), under, size)
    else:
        _compare(selection, relation, both, selection.register(first), selection.register(second), under, size)


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


def _floats(selection: Selection, made: Instruction, both: Both, under: AnyRegister | None) -> None:
    predicate = made.parts.predicate
    if predicate in ("one", "ueq") and under is not None:
        # Two steps, of which the second would look at what the first has left as it was: as a number.
        _compare(selection, "eq", both[::-1], Immediate(0), selection.register(Operand("i1", made.name)), under)
        return
    a, b = (selection.register(one) for one in made.operands)
    if predicate in ("one", "ueq"):
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


# --- what goes by conditions ---


def under_predicate(made: MachineInstruction, predicate: AnyRegister) -> MachineInstruction:
    """An instruction that leaves what it writes as it was where a predicate is 0."""
    assert isinstance(predicate, VirtualRegister)
    made.mask = predicate
    made.implicit_uses = [*made.implicit_uses, *made.writes()]
    return made


def as_number(selection: Selection, instruction: Instruction) -> None:
    """A comparison as 0 or 1."""
    result = selection.result(instruction.name, "i1")
    both = condition(selection, Operand("i1", instruction.name))
    selection.emit("adds.r=imm14,r", result, Immediate(0), selection.constant(literal(0), "r"))
    under_predicate(selection.emit("adds.r=imm14,r", result, Immediate(1), selection.constant(literal(0), "r")), both[0])


def choose(selection: Selection, instruction: Instruction) -> None:
    """The other one, and this one moved over it where the condition holds."""
    asked, first, second = instruction.operands
    result = selection.result(instruction.name, instruction.type)
    new = selection.register(first)
    both = condition(selection, asked)
    selection.copy_to(result, second)
    selection.out.append(under_predicate(copy(result, new), both[0]))


def jump(block: str) -> MachineInstruction:
    """The end of a block that one other follows."""
    return MachineInstruction(ROWS[JUMP], [LabelOperand(block, "target")])


def branch(selection: Selection, instruction: Instruction) -> None:
    """A ``br`` without a condition."""
    selection.out.append(jump(selection.label(instruction.parts.labels[0])))


def branch_if(selection: Selection, instruction: Instruction) -> None:
    """A ``br`` by a condition, and a jump to the other block."""
    yes, no = map(selection.label, instruction.parts.labels)
    both = condition(selection, instruction.parts.operands[0])
    selection.emit(BRANCH_IF, *both, LabelOperand(yes, "target"))
    selection.out.append(jump(no))


def _branch_on(selection: Selection, relation: str, value: AnyRegister, number: int, target: str) -> list[MachineInstruction]:
    """``eq``, and ``sge``, which is not less."""
    both: Both = selection.new("p"), selection.new("p")
    written = both if relation == "eq" else both[::-1]
    if relation == "eq":
        first: list[AnyRegister | Immediate] = [
            Immediate(number) if -0x80 <= number <= 0x7F else selection.constant(literal(number), "r"),
            value,
        ]
    else:
        first = [value, selection.constant(literal(number), "r")]
    kind = "imm8" if isinstance(first[0], Immediate) else "r"
    compare = MachineInstruction(ROWS[f"cmp.{'eq' if relation == 'eq' else 'lt'}.p,p={kind},r"], [*written, *first])
    return [compare, MachineInstruction(ROWS[BRANCH_IF], [*both, LabelOperand(target, "target")])]


SWITCHES = SwitchBranches(lambda text: word_constant(Operand("i64", text)), _branch_on, jump)
"""How a switch branches."""
