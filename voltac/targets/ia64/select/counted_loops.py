"""Loops of one block that count: what is compared at their end, and by what steps (IA-64 11)."""

from __future__ import annotations

from voltac.codegen.dependence import is_fence
from voltac.codegen.machine_code import (
    AnyRegister,
    Immediate,
    LabelOperand,
    MachineBlock,
    MachineFunction,
    MachineInstruction,
    Register,
    VirtualRegister,
)
from voltac.records import record
from voltac.targets.ia64.select.conditions import under_predicate
from voltac.targets.ia64.select.conventions import COPIES
from voltac.targets.ia64.select.pseudo import BRANCH_IF, BRANCH_UNLESS, JUMP, ROWS
from voltac.targets.ia64.select.registers import ZERO

_LONGEST = 64
"""Instructions of a body. Chosen: those of longer ones are enough to fill groups by themselves."""


@record(eq=False)
class CountedBlock:
    """A loop, and how it counts."""

    body: MachineBlock
    latch: MachineBlock | None
    """A block on the way back, empty but for copies."""
    exit: str
    compare: MachineInstruction
    counter: VirtualRegister
    step: int
    end: AnyRegister | Immediate
    relation: str
    """What of the counter and the end, behind the step, lets the loop go on: ``ne``, or ``lt``, ``le``, ``ltu``, ``leu``;
    ``ne4`` of their lower halves."""


def counted_block(function: MachineFunction, body: MachineBlock) -> CountedBlock | None:
    """What a block is if it is one; None for others."""
    code = body.instructions
    if (
        len(code) < 4
        or len(code) > _LONGEST
        or code[-1].row.name != JUMP
        or code[-2].row.name not in (BRANCH_IF, BRANCH_UNLESS)
    ):
        return None
    branch = code[-2]
    blocks = {block.name: block for block in function.blocks}
    ways = [_label(branch.values[2]), _label(code[-1].values[0])]
    back = [way for way in ways if way == body.name or _leads_back(blocks[way], body.name)]
    if len(back) != 1:
        return None
    exit_ = next(way for way in ways if way not in back)
    goes_on_by = branch.values[0] if (branch.row.name == BRANCH_IF) == (ways[0] == back[0]) else branch.values[1]
    makers = [one for one in code if goes_on_by in one.writes()]
    if len(makers) != 1 or any(is_fence(one) for one in code[:-2]):
        return None
    compare = makers[0]
    if compare.mask is not None:
        return None
    latch = blocks[back[0]] if back[0] != body.name else None
    changed = {one.values[0] for one in latch.instructions[:-1]} if latch is not None else set()
    for counter, end, relation in _relations(compare, goes_on_by):
        step = _step(code, compare, counter, end)
        if step and counter not in changed and end not in changed:
            return CountedBlock(body, latch, exit_, compare, counter, step, end, relation)
    return None


def _label(value: object) -> str:
    assert isinstance(value, LabelOperand)
    return value.name


def _leads_back(block: MachineBlock, to: str) -> bool:
    *copies, last = block.instructions
    return last.row.name == JUMP and block.successors == [to] and all(one.row.name in COPIES.values() for one in copies)


def _relations(compare: MachineInstruction, goes_on_by: object) -> list[tuple[VirtualRegister, AnyRegister | Immediate, str]]:
    """Each register that may be the counter, the end, and the relation."""
    head, _, operands = compare.row.name.partition(".p,p=")
    relation = {"cmp.eq": "ne", "cmp4.eq": "ne4", "cmp.lt": "lt", "cmp.ltu": "ltu"}.get(head)
    if relation is None or operands not in ("r,r", "imm8,r"):
        return []
    first, second = compare.values[2:]
    is_true = compare.values[0] is goes_on_by
    pairs: list[tuple[object, object, str]]
    if relation.startswith("ne"):
        pairs = [] if is_true else [(second, first, relation), (first, second, relation)]
    else:
        # What is not less the other way round is less or equal.
        pairs = [(first, second, relation)] if is_true else [(second, first, relation.replace("t", "e", 1))]
    return [
        (counter, end, name)
        for counter, end, name in pairs
        if isinstance(counter, VirtualRegister) and isinstance(end, (VirtualRegister, Register, Immediate))
    ]


def _step(
    code: list[MachineInstruction], compare: MachineInstruction, counter: VirtualRegister, end: AnyRegister | Immediate
) -> int:
    """By how much a register is moved on before it is compared; 0 where it does not count so."""
    writers = [one for one in code if counter in one.writes()]
    if len(writers) != 1 or code.index(writers[0]) > code.index(compare) or counter not in writers[0].reads():
        return 0
    step = next((value.value for value in reversed(writers[0].values) if isinstance(value, Immediate)), 0)
    if step <= 0 or step & step - 1 or (not isinstance(end, Immediate) and any(end in one.writes() for one in code)):
        return 0
    return step


def turns_of(function: MachineFunction, counted: CountedBlock, turns: VirtualRegister) -> list[MachineInstruction]:
    """What computes, before a loop, how often its branch goes back: once less than it iterates."""

    def made(row: str, *values: AnyRegister | Immediate) -> MachineInstruction:
        return MachineInstruction(ROWS[row], list(values))

    counter, end, relation = counted.counter, counted.end, counted.relation
    kind = "imm8" if isinstance(end, Immediate) else "r"
    code = [made(f"sub.r={kind},r", turns, end, counter)]
    less = made("adds.r=imm14,r", turns, Immediate(-1), turns)
    places = counted.step.bit_length() - 1
    if relation == "ne4":
        half = made("extr.u.r=r,pos6,len6", turns, turns, Immediate(places), Immediate(32 - places))
        return [*code, less, half]
    if relation.startswith("lt"):
        code.append(less)
    if places:
        code.append(made("extr.u.r=r,pos6,len6", turns, turns, Immediate(places), Immediate(64 - places)))
    if relation == "ne":
        return [*code, less]
    # One that has no room for a step iterates once.
    none = function.new_register("p"), function.new_register("p")
    if relation.startswith("lt"):
        code.append(made(f"cmp.{relation}.p,p=r,r", *none[::-1], counter, end))
    else:
        code.append(made(f"cmp.{relation.replace('e', 't')}.p,p={kind},r", *none, end, counter))
    return [*code, under_predicate(made("adds.r=imm14,r", turns, Immediate(0), ZERO["r"]), none[0])]
