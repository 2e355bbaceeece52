"""Loops of one block that end by a condition: which they are, and what an iteration does."""

from __future__ import annotations

from voltac.codegen.machine_code import (
    AnyRegister,
    LabelOperand,
    MachineBlock,
    MachineFunction,
    MachineInstruction,
    VirtualRegister,
)
from voltac.codegen.rows import Row
from voltac.records import record
from voltac.targets.ia64.select.conventions import COPIES
from voltac.targets.ia64.select.kernel_parts import is_one_instruction, live_behind
from voltac.targets.ia64.select.pseudo import BRANCH_IF, BRANCH_UNLESS, JUMP, ROWS
from voltac.targets.ia64.shapes import B

_LONGEST = 24
"""Instructions of a body. Chosen: longer ones fill groups by themselves."""
_ADD = "adds.r=imm14,r"
_EFFECTS = frozenset(("store", "call", "alloc", "break", "to ar", "to branch", "sets status", "compare", "float compare"))
_COMPARES = frozenset(("compare", "float compare"))
_OTHER_COMPARES = frozenset(("unc", "parallel and", "parallel or", "parallel or.andcm"))


@record(eq=False)
class ConditionLoop:
    """A loop, and the comparison by which it goes on."""

    body: MachineBlock
    exit: str
    compare: MachineInstruction
    goes_on: VirtualRegister
    code: list[MachineInstruction]
    """An iteration: up to the branch, then what is done on the way back."""
    live_out: set[AnyRegister]


def loop_by_condition(function: MachineFunction, body: MachineBlock) -> ConditionLoop | None:
    """What a block does in each iteration; None for one that is no such loop, or that has effects."""
    code = body.instructions
    if not 3 <= len(code) <= _LONGEST or code[-1].row.name != JUMP or code[-2].row.name not in (BRANCH_IF, BRANCH_UNLESS):
        return None
    blocks = {block.name: block for block in function.blocks}
    branch = code[-2]
    ways = [_label(branch.values[2]), _label(code[-1].values[0])]
    back = [way for way in ways if way == body.name or _is_way_back(blocks[way], body.name)]
    if len(back) != 1:
        return None
    exit_ = next(way for way in ways if way not in back)
    goes_on = branch.values[0] if (branch.row.name == BRANCH_IF) == (ways[0] == back[0]) else branch.values[1]
    compares = [one for one in code[:-2] if goes_on in one.writes()]
    if len(compares) != 1 or compares[0].mask is not None or not isinstance(goes_on, VirtualRegister):
        return None
    if not compares[0].row.traits & _COMPARES or compares[0].row.traits & _OTHER_COMPARES:
        return None
    live_out = live_behind(function, exit_)
    others = [one for one in code[:-2] if one is not compares[0]]
    if any(register in live_out for register in compares[0].writes()) or not all(map(_has_no_effect, others)):
        return None
    latch = [] if back[0] == body.name else blocks[back[0]].instructions[:-1]
    made = _with_steps(code[:-2], latch, live_out)
    is_loading = any("load" in one.row.traits for one in others)
    return ConditionLoop(body, exit_, compares[0], goes_on, made, live_out) if made is not None and is_loading else None


def _label(value: object) -> str:
    assert isinstance(value, LabelOperand)
    return value.name


def _is_way_back(block: MachineBlock, to: str) -> bool:
    *copies, last = block.instructions
    return last.row.name == JUMP and block.successors == [to] and all(one.row.name in COPIES.values() for one in copies)


def _has_no_effect(one: MachineInstruction) -> bool:
    if one.mask is not None or one.row.unit == B or one.row.traits & _EFFECTS:
        return False
    if "load" in one.row.traits:
        return speculative_row(one) is not None
    return "pseudo" not in one.row.traits or is_one_instruction(one)


def _with_steps(
    code: list[MachineInstruction], latch: list[MachineInstruction], live_out: set[AnyRegister]
) -> list[MachineInstruction] | None:
    """An iteration with what is done on the way back: each copy there is the end of a step; None where one is more."""
    made = list(code)
    for moved in latch:
        kept, new = moved.values
        makers = [one for one in made if new in one.writes()]
        is_step = len(makers) == 1 and makers[0].row.name == _ADD and makers[0].values[2] == kept
        if not is_step or new in live_out or any(new in one.reads() or kept in one.writes() for one in made):
            return None
        made.remove(makers[0])
        made.append(MachineInstruction(ROWS[_ADD], [kept, makers[0].values[1], kept], line=moved.line))
    return made


def is_step(one: MachineInstruction) -> bool:
    """Whether an instruction moves a register on by a constant."""
    return one.row.name == _ADD and one.values[0] == one.values[2]


def speculative_row(one: MachineInstruction) -> Row | None:
    """The form of a load that gives NaT instead of a fault."""
    head, _, rest = one.row.name.partition(".")
    return ROWS.rows.get(f"{head}.s.{rest}") if rest.startswith(("r=", "f=")) else None
