"""Short loops of known length in which each lane stores the next member of its struct -> their iterations one after the other.

    for k = 0 .. 3:  a[4 * i + k] = ...                          lanes are four elements apart
    ->
    a[4 * i] = ...   a[4 * i + 1] = ...   a[4 * i + 2] = ...   a[4 * i + 3] = ...

Then it is seen that the stores of one gang fill memory without a gap (:mod:`voltac.passes.joined_members`). ``lower``
writes the bodies of shorter loops one after the other itself (``lower/control_flow/unrolling.py``). What is the same in each
iteration stands once. Blocks that only follow each other become one.
"""

from __future__ import annotations

from voltac.ir.cfg import control_flow
from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation, read_access
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects
from voltac.passes.loops.counted_loops import CountedLoop, IterationSteps

_MOST_MEMBERS = 8
"""Iterations. Chosen, not measured."""
_MOST_INSTRUCTIONS = 1200
"""Of all copies together; a product with a matrix of 8 by 8 has 1000. Chosen, not measured."""


def unroll_members(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    effects: ModuleEffects | None = None
    for function in module.often_called:
        if not any(pseudo_operation(each) == "scatter" for each in function.instructions()):
            continue
        looked_at: set[str] = set()
        while (found := _next_loop(function, looked_at)) is not None:
            effects = effects or ModuleEffects(module)
            values = lane_values(function, layout)
            if _stores_members(found, values, options.target.vector_bits // 8):
                _unroll(found, _repeated(found, values, FunctionEffects(effects, function, values)))


def _next_loop(function: Function, looked_at: set[str]) -> CountedLoop | None:
    """A loop of which copies would not be too long."""
    flow = control_flow(function)
    definitions: dict[str, Instruction] = {}
    for loop in flow.loops:
        if loop.header in looked_at:
            continue
        looked_at.add(loop.header)
        if len(loop.blocks) == 2:
            definitions = definitions or function.definitions()
            found = CountedLoop.of(function, loop, flow, definitions)
            if found is not None and _count(found):
                return found
    return None


def _count(loop: CountedLoop) -> int:
    """Iterations, where these are known and few; 0 for a loop that does more in its header than to count."""
    start = integers(loop.counter.type, loop.arm(loop.counter, loop.outside))
    limit = integers(loop.limit.type, loop.limit.value)
    if start is None or limit is None or len(loop.header.instructions) != 3 or "!llvm.loop" in loop.body.terminator.text:
        return 0  # or the program says itself whether to unroll it
    count = limit[0] - start[0] + (loop.predicate == "sle")
    return count if 2 <= count <= _MOST_MEMBERS and count * len(loop.body.instructions) <= _MOST_INSTRUCTIONS else 0


def _stores_members(loop: CountedLoop, values: LaneValues, register: int) -> bool:
    """Whether a store of the body fills a struct of each lane, member by member, and that is no longer than a register."""
    count = _count(loop)
    steps = IterationSteps(loop, values.definitions, values.layout)
    for instruction in loop.body.instructions:
        if pseudo_operation(instruction) != "scatter":
            continue
        access = read_access(0, instruction, "scatter", values)
        if access.address is None or steps.of(access.pointers) != access.size:
            continue
        if count * access.size <= register and all(
            after - before == count * access.size for before, after in zip(access.offsets, access.offsets[1:])
        ):
            return True
    return False


def _repeated(loop: CountedLoop, values: LaneValues, effects: FunctionEffects) -> set[str]:
    """What is not the same in each iteration, by name: loads are where a store of the loop may change what they load."""
    accesses = [
        read_access(index, each, operation, values)
        for index, each in enumerate(loop.body.instructions)
        if (operation := pseudo_operation(each))
    ]
    stores = [access for access in accesses if access.is_store]
    same = {
        access.instruction.name
        for access in accesses
        if not access.is_store and not any(effects.may_overlap(access.memory, store.memory) for store in stores)
    }
    found = {loop.counter.name}
    for made in loop.body.instructions:
        touches = made.op == "load" or (made.op == "call" and made.name not in same)
        if made.name and (touches or not found.isdisjoint(made.names_used())):
            found.add(made.name)
    return found


def _unroll(loop: CountedLoop, repeated: set[str]) -> None:
    """Copies of the body in the header, and those blocks joined that only follow each other."""
    function, header, body = loop.function, loop.header, loop.body
    fresh, count = function.fresh_names(), _count(loop)
    start = integers(loop.counter.type, loop.arm(loop.counter, loop.outside))
    assert start is not None
    after = header.terminator.parts.labels[1]
    lines: list[Instruction] = []
    for number in range(count):
        names = {loop.counter.name: str(start[0] + number)}
        names.update((made.name, fresh("member")) for made in body.instructions if made.name in repeated)
        for made in body.instructions[:-1]:
            if made.name and made.name not in repeated:
                if not number:
                    lines.append(made)
                continue
            copy = Instruction(made.text)
            copy.rename(names)
            if made.name:
                copy.text = copy.text.replace(f"{made.name} = ", f"{names[made.name]} = ", 1)
            lines.append(copy)
    lines.append(Instruction(f"  br label %{after}"))
    header.instructions = lines
    function.blocks.remove(body)
    function.replace_uses({loop.counter.name: str(start[0] + count)})
    behind = function.block(after)
    if control_flow(function).predecessors[after] == [header.name]:
        _join(function, header, behind)
    _join(function, function.block(loop.outside), header)


def _join(function: Function, before: Block, behind: Block) -> None:
    """Two blocks become one, where the first goes nowhere else and there are no phis; nothing else goes to the second."""
    if before.successors != [behind.name] or any(True for _ in behind.phis()):
        return
    before.instructions[-1:] = behind.instructions
    function.blocks.remove(behind)
    for name in before.successors:
        for phi in function.block(name).phis():
            phi.rename({f"%{behind.name}": f"%{before.name}"})
