"""Branches in the body of a loop over gangs that seldom go one of their ways, and how several gangs at once take them.

    body:  %m = icmp uge <8 x i32> ...                     body:   %m = icmp uge <16 x i32> ...
           br (any of %m), rare, join                              br (any of %m), first, join
    rare:  %r = call cold @at_ends(%x, %m)          ->     first:  gang 0 alone: the branch, rare, what join chooses
           %s = select %m, %r, %v                          second: gang 1 alone, likewise
    join:  phi [ %s, rare ], [ %v, body ]                  last:   both put together
                                                           join:   phi [ together, last ], [ %v, body ]

So functions of the library leave the ends of their range to another one. The usual way is one for all gangs; where any of them
does not go it, each takes its own, exactly as alone. What stands on both ways touches no memory that anybody else sees, so
the gangs may take them before one of them has stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import element_of, lanes_of
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.facts.effects import module_effects
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.lane_loops import ANY_LANE
from voltac.records import record
from voltac.system.lazy_patterns import lazy_pattern

_ALL_LANES = m.op("icmp", m.op("bitcast", m.mask("mask"), named="bits"), m.number(-1), predicate="eq")
_PLAIN = frozenset(
    (*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "icmp", "fcmp", "select", "freeze", "shufflevector", "insertelement")
)
"""Operations that only compute."""
_OTHERS = frozenset(("alloca", "getelementptr", "phi", "br", "ret", "extractelement", "switch"))
"""Others that do nothing outside of a function."""
_GROUP = lazy_pattern(r" #\d+(?=,|$)")
Fresh = Callable[[str], str]
"""Makes names that nothing has."""
_ARRAY = lazy_pattern(r'@(?:"[^"]*"|[-\w$.]+)')
_COLD = "cold"
"""The attribute of calls of what is seldom called."""


@record(eq=False)
class RareBranch:
    """One branch; its ways are a block each, which nothing else leads to, or none."""

    block: Block
    """That ends with it."""
    rare: Block
    usual: Block | None
    """None where the usual way has no block of its own."""
    join: Block
    """Where the ways meet."""
    tests: tuple[str, str]
    """What is made of the mask that decides: its bits, then the comparison. Several branches may share them."""

    @property
    def sides(self) -> list[Block]:
        """The blocks of both ways."""
        return [self.rare] if self.usual is None else [self.rare, self.usual]


class RareCalls:
    """What a module's calls are known to do, as far as that concerns what is seldom called."""

    def __init__(self, module: Module) -> None:
        self.effects = module_effects(module)
        self._functions = {f"@{function.name}": function for function in module.functions}
        self._harmless: dict[str, bool] = {}
        groups = (line.split()[1] for line in module.lines() if line.startswith("attributes #") and f" {_COLD} " in line)
        self._cold = frozenset(groups)

    def is_any(self) -> bool:
        """Whether the module may have such calls."""
        return bool(self._cold)

    def is_cold(self, instruction: Instruction) -> bool:
        """Whether a call is one of them."""
        if instruction.op != "call":
            return False
        return any(group.strip() in self._cold for group in _GROUP.findall(instruction.text))

    def is_pure(self, instruction: Instruction) -> bool:
        """Whether all that an instruction does is its result: nothing is written, and only constants are read."""
        if instruction.op != "call":
            return instruction.op in _PLAIN
        callee = instruction.parts.callee
        if self.effects.effect(callee) == "none":
            return True
        return not any(map(_is_pointer, instruction.operands)) and self._touches_given(callee)

    def _touches_given(self, callee: str) -> bool:
        """Whether a function touches only variables, its own and those it is given, and constants, and so do those it calls."""
        if callee not in self._harmless:
            self._harmless[callee] = False  # where it calls itself
            function = self._functions.get(callee)
            self._harmless[callee] = function is not None and self._is_harmless(function)
        return self._harmless[callee]

    def _is_harmless(self, function: Function) -> bool:
        definitions = function.definitions()
        given = {parameter.name for parameter in function.parameters if parameter.type == "ptr"}
        return all(self._keeps_to(each, definitions, given) for each in function.instructions())

    def _keeps_to(self, each: Instruction, definitions: dict[str, Instruction], given: set[str]) -> bool:
        """Whether an instruction touches only variables of its function, what that is given, and constants."""
        if each.op not in ("load", "store", "call"):
            return each.op in _PLAIN or each.op in _OTHERS or each.op.startswith("#")
        parts = each.parts
        if each.op != "call":
            is_plain = "volatile" not in parts.flags and not parts.ordering
            return is_plain and self._is_known(each.operands[-1], each, definitions, given)
        if self.effects.effect(parts.callee) == "none" or parts.callee.startswith("@llvm.lifetime."):
            return True
        known = bool(pseudo_operation(each)) or self._touches_given(parts.callee)
        pointers = filter(_is_pointer, each.operands)
        return known and all(self._is_known(pointer, each, definitions, given) for pointer in pointers)

    def _is_known(self, pointer: Operand, user: Instruction, definitions: dict[str, Instruction], given: set[str]) -> bool:
        """Whether it points into a variable, or a constant that is only read."""
        name = pointer.value
        while (made := definitions.get(name)) is not None and made.op == "getelementptr":
            name = made.operands[0].value
        if made is not None:
            return made.op == "alloca"
        if name.startswith("getelementptr") and (array := _ARRAY.search(name)) is not None:
            name = array[0]
        only_reads = user.op == "load" or pseudo_operation(user) in ("gather", "load")
        return name in given or (only_reads and self.effects.is_constant(name))


def _is_pointer(operand: Operand) -> bool:
    return operand.type == "ptr" or element_of(operand.type) == "ptr"


def is_scope(instruction: Instruction) -> bool:
    """Whether it only says where the scope of names for memory begins."""
    return instruction.op == "call" and instruction.parts.callee == "@llvm.experimental.noalias.scope.decl"


def rare_branch(block: Block, loop: GangLoop, flow: ControlFlow, values: LaneValues, calls: RareCalls) -> RareBranch | None:
    """That which a block of the body ends with; None where it is none."""
    last = block.terminator
    if last.op != "br" or len(block.successors) != 2:
        return None
    yes, no = last.parts.labels
    condition = last.operands[0].value
    if (test := ANY_LANE.find(condition, values.definitions)) is not None:
        rare, usual = yes, no
    elif (test := _ALL_LANES.find(condition, values.definitions)) is not None:
        rare, usual = no, yes
    else:
        return None
    inside = {each.name: each for each in loop.blocks}
    if rare not in inside or len(inside[rare].successors) != 1:
        return None
    join = inside[rare].successors[0]
    sides = [inside[rare]] if usual == join else [inside[rare], inside[usual]] if usual in inside else []
    if not sides or join not in inside or any(flow.predecessors[side.name] != [block.name] for side in sides):
        return None
    if any(side.successors != [join] for side in sides) or len(flow.predecessors[join]) != 2:
        return None
    if yes == rare and not any(map(calls.is_cold, inside[rare].instructions)):
        return None
    work = [each for side in sides for each in side.instructions[:-1] if not each.op.startswith("#")]
    if not all(map(calls.is_pure, work)):
        return None
    if any(lanes_of(phi.type) != loop.width for phi in inside[join].phis()):
        return None
    tests = test["bits"].value, condition
    return RareBranch(block, inside[rare], None if usual == join else inside[usual], inside[join], tests)


def in_parts(
    instruction: Instruction, name: str, width: int, wide: int, names: dict[str, str], fresh: Fresh
) -> list[Instruction]:
    """A call without effects, which no wide gang has, once for each gang; ``names``: of the wide gang's values."""
    made: list[Instruction] = []
    results: list[str] = []
    vectors = [each for each in instruction.operands if lanes_of(each.type) == width and each.value in names]
    for gang in range(wide // width):
        own = parts_of_gang(vectors, names, gang, wide, made, fresh)
        results.append(fresh("apart"))
        made.append(named(instruction, results[-1], names | own))
    return [*made, *_together(results, instruction.type, name, fresh)]


def take_apart(
    branch: RareBranch, inside: dict[str, Instruction], width: int, wide: int, names: dict[str, str], fresh: Fresh
) -> tuple[list[Block], dict[str, str]]:
    """The blocks in which each gang takes its own way, and for each phi of the join what they come to.

    The first of them is for the first gang, the last one goes to the wide gang's join. ``inside``: the loop's values.
    """
    phis = list(branch.join.phis())
    tests = [inside[name] for name in branch.tests]
    ways = [each for side in branch.sides for each in side.instructions if not each.op.startswith("#")]
    here = {each.name for each in (*tests, *ways)}
    used = {each.value: each for made in (*tests, *ways, *phis) for each in made.operands if each.value not in here}
    vectors = [each for each in used.values() if lanes_of(each.type) == width]
    results: dict[str, list[str]] = {phi.name: [] for phi in phis}
    begin = Block(fresh("apart")[1:], [])
    blocks = [begin]
    for gang in range(wide // width):
        behind = Block(fresh("apart")[1:], [])
        sides = {side.name: Block(fresh("apart_way")[1:], []) for side in branch.sides}
        # What is from outside of the loop is the same for all gangs.
        own = names | {each.value: each.value for each in vectors if each.value not in inside}
        of_loop = [each for each in vectors if each.value in inside]
        own |= parts_of_gang(of_loop, names, gang, wide, begin.instructions, fresh)
        own |= {name: fresh("apart") for name in here if name}
        own |= {f"%{branch.join.name}": f"%{behind.name}", f"%{branch.block.name}": f"%{begin.name}"}
        own |= {f"%{name}": f"%{side.name}" for name, side in sides.items()}
        begin.instructions += [named(each, own[each.name], own) for each in tests]
        begin.instructions.append(named(branch.block.terminator, "", own))
        for side in branch.sides:
            copied = [each for each in side.instructions if not each.op.startswith("#")]
            sides[side.name].instructions = [named(each, own.get(each.name, ""), own) for each in copied]
        for phi in phis:
            results[phi.name].append(fresh("apart"))
            behind.instructions.append(named(phi, results[phi.name][-1], own))
        blocks += [*sides.values(), behind]
        begin = behind
    together = {phi.name: fresh("together") for phi in phis}
    for phi in phis:
        begin.instructions += _together(results[phi.name], phi.type, together[phi.name], fresh)
    begin.instructions.append(Instruction(f"  br label {names[f'%{branch.join.name}']}"))
    return blocks, together


def named(instruction: Instruction, name: str, names: dict[str, str]) -> Instruction:
    """A copy that makes ``name`` of what ``names`` say."""
    made = Instruction(instruction.text)
    made.rename(names)
    if name:
        made.text = made.text.replace(f"{instruction.name} = ", f"{name} = ", 1)
    return made


def _part(made: list[Instruction], vector: str, value: str, gang: int, wide: int, fresh: Fresh) -> str:
    """The lanes of one gang out of a wide one's; ``vector``: the type of a gang's."""
    width, name = lanes_of(vector), fresh("part")
    lanes = ", ".join(f"i32 {lane}" for lane in range(gang * width, gang * width + width))
    type = f"<{wide} x {element_of(vector)}>"
    made.append(Instruction(f"  {name} = shufflevector {type} {value}, {type} poison, <{width} x i32> <{lanes}>"))
    return name


def parts_of_gang(
    vectors: Sequence[Operand], names: dict[str, str], gang: int, wide: int, made: list[Instruction], fresh: Fresh
) -> dict[str, str]:
    """What a gang has of a wide gang's values, which ``names`` say; the instructions are added to ``made``."""
    own: dict[str, str] = {}
    for each in vectors:
        if each.value not in own:
            own[each.value] = _part(made, each.type, names[each.value], gang, wide, fresh)
    return own


def _together(values: Sequence[str], vector: str, name: str, fresh: Fresh) -> list[Instruction]:
    """Gangs one behind the other; ``vector``: the type of each."""
    count, parts, made = lanes_of(vector), list(values), []
    while len(parts) > 1:
        lanes = ", ".join(f"i32 {lane}" for lane in range(2 * count))
        type = f"<{count} x {element_of(vector)}>"
        pairs = list(zip(parts[::2], parts[1::2]))
        parts = [fresh("together") if len(pairs) > 1 else name for _ in pairs]
        for (low, high), whole in zip(pairs, parts):
            made.append(Instruction(f"  {whole} = shufflevector {type} {low}, {type} {high}, <{2 * count} x i32> <{lanes}>"))
        count *= 2
    return made
