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
from voltac.records import record, replace
from voltac.targets.ia64.select.conventions import COPIES
from voltac.targets.ia64.select.increments import increment_in
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
    """A loop of one or two blocks, and the comparisons by which it goes on."""

    body: MachineBlock
    inside: frozenset[str]
    """Its blocks, that of the way back among them."""
    exit: str
    """Where it leads; empty where there are two ways out: then the last iteration is done by the loop as it was."""
    compare: MachineInstruction
    goes_on: VirtualRegister
    second: MachineInstruction | None
    """Another comparison, for equality, that has to be true as well: of the other block, or of the same."""
    is_second_equal: bool
    """Whether it goes on where that is true."""
    code: list[MachineInstruction]
    """An iteration: up to the branch, then what is done on the way back."""
    live_out: set[AnyRegister]


@record(eq=False)
class _Joined:
    """A comparison for equality that makes false what another one found true."""

    original: MachineInstruction
    plain: MachineInstruction
    """The same comparison for itself."""
    is_equal: bool
    """Whether the loop goes on where that is true."""


@record(eq=False)
class _Test:
    """A block that ends a loop, or goes on with it."""

    block: MachineBlock
    way: str
    """On which it goes on."""
    exit: str
    compare: MachineInstruction
    goes_on: VirtualRegister
    others: list[MachineInstruction]
    joined: _Joined | None = None


def is_equality(compare: MachineInstruction) -> bool:
    """Whether a comparison has forms that set, or clear, what it finds true, and leave the rest as it is."""
    return compare.row.name.startswith(("cmp.eq.p,p", "cmp4.eq.p,p"))


def loop_by_condition(function: MachineFunction, body: MachineBlock) -> ConditionLoop | None:
    """What a block, or it and the next one, does in each iteration; None for what is no such loop, or has effects."""
    blocks = {block.name: block for block in function.blocks}
    tests = _tests(function, body, blocks)
    joined = tests[0].joined if tests else None
    code = [
        joined.plain if joined is not None and one is joined.original else one
        for test in tests
        for one in test.block.instructions[:-2]
    ]
    if not tests or len(code) > _LONGEST or not all(_has_no_effect(one) for test in tests for one in test.others):
        return None
    last = tests[-1]
    latch = [] if last.way == body.name else blocks[last.way].instructions[:-1]
    has_second = len(tests) > 1 or joined is not None
    live_out: set[AnyRegister] = set() if has_second else live_behind(function, last.exit)
    made = _with_steps(code, latch, live_out)
    if made is None or any(one in live_out for one in last.compare.writes()):
        return None
    if not any("load" in one.row.traits for one in made):
        return None
    if len(tests) > 1:
        # What is loaded in the first block may be stepped in the second.
        made = [replace(one, values=[*one.values]) if "load" in one.row.traits else one for one in made]
        increment_in(merged := MachineBlock(body.name, made, [], 0))
        made = merged.instructions
    # Each may be the second: all that they compare is computed ahead, and a load that fails makes either false.
    seconds = [test for test in tests[::-1] if is_equality(test.compare)] if len(tests) > 1 else []
    if len(seconds) < len(tests) - 1:
        return None
    second = seconds[0] if seconds else None
    first = next(test for test in tests if test is not second)
    other, is_equal = (None, False) if second is None else (second.compare, second.compare.values[0] == second.goes_on)
    if joined is not None:
        other, is_equal = joined.plain, joined.is_equal
    return ConditionLoop(
        body,
        frozenset((*(test.block.name for test in tests), last.way)),
        "" if has_second else first.exit,
        first.compare,
        first.goes_on,
        other,
        is_equal,
        made,
        live_out,
    )


def _tests(function: MachineFunction, body: MachineBlock, blocks: dict[str, MachineBlock]) -> list[_Test]:
    """Of a loop of one block or two; empty for what is none."""
    back = _tested(body, [way for way in _ways(body) if _leads_back(way, body, blocks)], function)
    if back is not None:
        return [back]
    for way in _ways(body):
        ahead = _tested(body, [way])
        again = _tested(blocks[way], [one for one in _ways(blocks[way]) if _leads_back(one, body, blocks)])
        if ahead is not None and again is not None and sum(way in block.successors for block in function.blocks) == 1:
            return [ahead, again]
    return []


def _ways(block: MachineBlock) -> list[str]:
    """Where a block leads by a condition."""
    code = block.instructions
    if len(code) < 3 or code[-1].row.name != JUMP or code[-2].row.name not in (BRANCH_IF, BRANCH_UNLESS):
        return []
    return [_label(code[-2].values[2]), _label(code[-1].values[0])]


def _leads_back(way: str, body: MachineBlock, blocks: dict[str, MachineBlock]) -> bool:
    return way == body.name or _is_way_back(blocks[way], body.name)


def _tested(block: MachineBlock, on: list[str], function: MachineFunction | None = None) -> _Test | None:
    """The comparison by which a block goes on with the loop; ``on`` is that way, if it is one. In a function, which has
    registers to give, it may be joined by another one."""
    if len(on) != 1:
        return None
    *code, branch, _ = block.instructions
    ways = _ways(block)
    goes_on = branch.values[0] if (branch.row.name == BRANCH_IF) == (ways[0] == on[0]) else branch.values[1]
    if not isinstance(goes_on, VirtualRegister):
        return None
    compares = [one for one in code if goes_on in one.writes()]
    joined = _joined(function, compares[1], goes_on) if function is not None and len(compares) == 2 else None
    if len(compares) != 1 + (joined is not None) or compares[0].mask is not None:
        return None
    if not compares[0].row.traits & _COMPARES or compares[0].row.traits & _OTHER_COMPARES:
        return None
    exit_ = ways[1 - ways.index(on[0])]
    return _Test(block, on[0], exit_, compares[0], goes_on, [one for one in code if one not in compares], joined)


def _joined(function: MachineFunction, compare: MachineInstruction, goes_on: AnyRegister) -> _Joined | None:
    """A comparison that clears one predicate and sets the other where it holds, taken for itself."""
    name = compare.row.name
    relation = next((one for one in ("eq", "ne") if f".{one}.or.andcm.p,p=" in name), "")
    if not relation or compare.values[1] != goes_on or compare.mask is not None:
        return None
    row = ROWS[name.replace(f".{relation}.or.andcm.", ".eq.")]
    values = [function.new_register("p"), function.new_register("p"), *compare.values[2:]]
    return _Joined(compare, MachineInstruction(row, values, line=compare.line), relation == "ne")


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
