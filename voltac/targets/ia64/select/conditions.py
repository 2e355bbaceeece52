"""Conditions -> predicates, and what goes by them: choices and branches (IA-64 5, 14).

A condition has two predicates, one for each of its outcomes. One that several ask for is computed once, where it is defined;
what is asked for only where another holds is compared under that one::

    %a = fcmp ogt float %x, 0.0            fcmp.lt p6,p7=f0,x
    %b = fcmp ogt float %y, 0.0     ->     (p6) fcmp.lt.unc p8,p9=f0,y
    %c = and i1 %a, %b                     ... what goes by %c under p8, by %d under p9
    %n = xor i1 %b, true
    %d = and i1 %a, %n

Where a condition is a number, 0 or 1 in a general register, it is compared with 0.
"""

from __future__ import annotations

from voltac.codegen.machine_code import AnyRegister, Immediate, LabelOperand, MachineInstruction, VirtualRegister
from voltac.codegen.selection import Selection
from voltac.codegen.switches import SwitchBranches
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.targets.ia64.select.comparisons import TWO_STEPS, Both, clearing, compare, floats, in_parallel, integers
from voltac.targets.ia64.select.conventions import copy
from voltac.targets.ia64.select.pseudo import BRANCH_IF, JUMP, ROWS
from voltac.targets.ia64.select.values import literal, word_constant

_DEEPEST = 4
"""Conditions of conditions that are computed in predicates. Chosen."""
_MOST_SHARED, _MOST_ROTATING = 3, 12
"""Conditions of a block that stay in predicates: five pairs are allocated, more rotate in a pipelined loop. Chosen."""


def condition(selection: Selection, operand: Operand) -> Both:
    """Emits what computes a condition in predicates, where it is asked for or, if others ask too, where it is defined."""
    shared = _shared(selection, operand)
    if shared is not None:
        return shared
    both = selection.new("p"), selection.new("p")
    _into(selection, operand, both, None, 0)
    return both


def holds(selection: Selection, operand: Operand) -> AnyRegister:
    """The same for who needs no predicate for where it does not hold."""
    nested = _nested(selection, operand)
    return condition(selection, operand)[0] if nested is None else nested


def define(selection: Selection, instruction: Instruction) -> None:
    """A condition where it is defined: in predicates, as a number, or both."""
    name, both = instruction.name, _known(selection, instruction.name)
    if both is not None:
        _compute(selection, instruction, both)
    if not selection.is_demanded(name):
        return
    if both is None and instruction.op in ("icmp", "fcmp"):
        both = selection.new("p"), selection.new("p")
        _compute(selection, instruction, both)
    if both is None:
        rule = selection.rule_for(instruction)
        assert rule is not None
        selection.apply(*rule, selection.result(name, instruction.type))
        return
    result = selection.result(name, "i1")
    selection.emit("adds.r=imm14,r", result, Immediate(0), _zero(selection))
    under_predicate(selection.emit("adds.r=imm14,r", result, Immediate(1), _zero(selection)), both[0])


def _zero(selection: Selection) -> AnyRegister:
    return selection.constant(literal(0), "r")


def _compute(selection: Selection, made: Instruction, both: Both) -> None:
    if made.op == "icmp":
        integers(selection, made, both, None)
    elif made.op == "fcmp":
        floats(selection, made, both, None)
    else:
        _combined(selection, made, both, None, 0)


# --- conditions that several ask for


def _known(selection: Selection, name: str) -> Both | None:
    yes, no = (selection.derived.get((name, outcome)) for outcome in (True, False))
    return None if yes is None or no is None else (yes, no)


def _pair(selection: Selection, name: str) -> Both | None:
    """The predicates of a condition in this block, if there may be more."""
    known = _known(selection, name)
    if known is None:
        count = ("predicates of", selection.block)
        is_loop = selection.block in selection.flow.successors[selection.block]
        pairs = [key for key in selection.derived if isinstance(key, tuple) and key[-1] == count]
        if len(pairs) >= (_MOST_ROTATING if is_loop else _MOST_SHARED):
            return None
        known = selection.new("p"), selection.new("p")
        selection.derived[name, True], selection.derived[name, False] = known
        selection.derived[name, count] = known[0]
    return known


def _shared(selection: Selection, operand: Operand) -> Both | None:
    """The predicates of a condition that is computed where it is defined, in the same block; None where it is not."""
    made = selection.definition(operand)
    if made is None or not (made.op in ("icmp", "fcmp") or _is_logical(made)) or selection.users_left(operand) == 1:
        return None
    if selection.block_of[made.name] != selection.block:
        return None
    both = _pair(selection, made.name)
    if both is not None:
        selection.visit(made.name)
    return both


def _nested(selection: Selection, operand: Operand) -> AnyRegister | None:
    """The predicate of a condition that is asked for where another holds that others ask for too; None where it is no such.

    The comparison stands behind the definitions of both, so one does for both of its outcomes.
    """
    made = selection.definition(operand)
    if made is None or not _is_logical(made) or selection.block_of[made.name] != selection.block:
        return None
    operation, *parts = _operands(selection, made)
    if operation != "and":
        return None
    for (outer, is_outer), (inner, is_inner) in (parts, parts[::-1]):
        compared, around = selection.definition(inner), selection.definition(outer)
        if compared is None or not _is_compared(selection, inner) or around is None or around is compared:
            continue
        under = _outcome(selection, outer, is_outer)
        name = f"{around.name} {is_outer} {compared.name}"
        is_new = _known(selection, name) is None
        both = None if under is None else _pair(selection, name)
        if both is not None and is_new:
            _compare_under(selection, under, around, compared, both)
        if both is not None:
            return both[not is_inner]
    return None


def _outcome(selection: Selection, operand: Operand, wanted: bool) -> AnyRegister | None:
    """The predicate that is 1 where a condition that several ask for holds, or where it does not."""
    if wanted:
        made = selection.definition(operand)
        is_asked = made is not None and selection.users_left(operand) > 1
        nested = _nested(selection, operand) if is_asked else None
        if nested is not None:
            return nested
    both = _shared(selection, operand)
    return None if both is None else both[not wanted]


def _compare_under(
    selection: Selection, under: AnyRegister | None, around: Instruction, compared: Instruction, both: Both
) -> None:
    block = selection.function.block(selection.block).instructions
    later = max((one for one in block if one is around or one is compared), key=block.index)
    asked, selection.out = selection.out, []
    (integers if compared.op == "icmp" else floats)(selection, compared, both, None)
    (made,) = selection.out
    selection.out = asked
    assert isinstance(under, VirtualRegister)
    made.row, made.mask = clearing(made.row), under
    selection.behind.setdefault(later.name, []).append(made)
    selection.visit(later.name)


# --- conditions of conditions


def _is_logical(made: Instruction) -> bool:
    """Whether a condition is made of others; so is a choice that is an ``and`` or an ``or``."""
    if made.type != "i1":
        return False
    if made.op != "select":
        return made.op in ("and", "or", "xor")
    return made.operands[2].value in ("false", "zeroinitializer") or made.operands[1].value == "true"


def _operands(selection: Selection, made: Instruction) -> tuple[str, tuple[Operand, bool], tuple[Operand, bool]]:
    """``and``, ``or`` or ``xor``, and for each operand the condition and whether it is to hold or not."""
    operation, first, second = made.op, *made.operands[:2]
    if operation == "select":
        # (c ? d : false) and (c ? true : d)
        operation = "and" if word_constant(selection.resolve(made.operands[2])) == 0 else "or"
        second = made.operands[1 if operation == "and" else 2]
    return operation, _stripped(selection, first), _stripped(selection, second)


def _stripped(selection: Selection, operand: Operand) -> tuple[Operand, bool]:
    """A condition without the ``xor`` that negates it, and whether there was none."""
    made = selection.definition(operand)
    if made is None or made.op != "xor" or made.type != "i1" or word_constant(selection.resolve(made.operands[1])) != -1:
        return operand, True
    inner, is_same = _stripped(selection, made.operands[0])
    return inner, not is_same


def _into(selection: Selection, operand: Operand, both: Both, under: AnyRegister | None, depth: int) -> None:
    """A condition into given predicates; ``under`` one of these only where it is 1, else both stay as they are."""
    operand = selection.resolve(operand)
    known = word_constant(operand) if operand.type == "i1" else None
    made = selection.definitions.get(operand.value)
    if known is not None:
        relation = both if known else both[::-1]
        compare(selection, "eq", relation, Immediate(0), _zero(selection), under)
    elif made is not None and made.op == "icmp":
        integers(selection, made, both, under)
    elif made is not None and made.op == "fcmp":
        floats(selection, made, both, under)
    elif made is not None and _is_logical(made) and depth < _DEEPEST and selection.foldable(operand):
        _combined(selection, made, both, under, depth)
    else:
        from_predicate = _outcome(selection, operand, True) if under is None else None
        if from_predicate is None:
            compare(selection, "eq", both[::-1], Immediate(0), selection.register(operand), under)
        else:
            compare(selection, "eq", both[::-1], Immediate(0), _zero(selection), None)
            compare(selection, "eq", both, Immediate(0), _zero(selection), from_predicate)


def _is_compared(selection: Selection, operand: Operand) -> bool:
    """Whether one comparison makes a condition."""
    made = selection.definition(operand)
    return made is not None and made.op in ("icmp", "fcmp") and made.parts.predicate not in TWO_STEPS


def _differing(selection: Selection, made: Instruction, both: Both, under: AnyRegister | None, depth: int) -> None:
    """One of two conditions but not both: where one holds the outcomes of the other change places."""
    first, second = made.operands
    if word_constant(selection.resolve(second)) == -1:
        _into(selection, first, both[::-1], under, depth + 1)
        return
    if under is None:
        for outer, inner in ((first, second), (second, first)):
            there = _outcome(selection, outer, True) if _is_compared(selection, inner) else None
            if there is not None:
                _into(selection, inner, both, None, depth + 1)
                _into(selection, inner, both[::-1], there, depth + 1)
                return
    compare(selection, "eq", both[::-1], selection.register(first), selection.register(second), under)


def _combined(selection: Selection, made: Instruction, both: Both, under: AnyRegister | None, depth: int) -> None:
    """The second condition is looked at only where the first does not decide."""
    if made.op == "xor":
        _differing(selection, made, both, under, depth)
        return
    if under is not None:
        compare(selection, "eq", both[::-1], Immediate(0), selection.register(Operand("i1", made.name)), under)
        return
    operation = _operands(selection, made)[0]
    first, second = made.operands[0], made.operands[2 if made.op == "select" and operation == "or" else 1]
    if _is_compared(selection, first):
        # The other one may be there already.
        first, second = second, first
    _into(selection, first, both, None, depth + 1)
    if in_parallel(selection, second, both, operation == "and"):
        return
    _into(selection, second, both, both[0] if operation == "and" else both[1], depth + 1)


# --- what goes by conditions ---


def under_predicate(made: MachineInstruction, predicate: AnyRegister) -> MachineInstruction:
    """An instruction that leaves what it writes as it was where a predicate is 0."""
    assert isinstance(predicate, VirtualRegister)
    made.mask = predicate
    made.implicit_uses = [*made.implicit_uses, *made.writes()]
    return made


def choose(selection: Selection, instruction: Instruction) -> None:
    """The other one, and this one moved over it where the condition holds."""
    asked, first, second = instruction.operands
    both = _known(selection, instruction.name)
    if both is not None:
        _compute(selection, instruction, both)
    if not selection.is_demanded(instruction.name):
        return
    result = selection.result(instruction.name, instruction.type)
    new = selection.register(first)
    under = holds(selection, asked)
    selection.copy_to(result, second)
    selection.out.append(under_predicate(copy(result, new), under))


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
