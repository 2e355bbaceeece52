"""Short loops of known length in which each lane stores the next member of its struct -> their iterations one after the other.

    for k = 0 .. 3:  a[4 * i + k] = ...                          lanes are four elements apart
    ->
    a[4 * i] = ...   a[4 * i + 1] = ...   a[4 * i + 2] = ...   a[4 * i + 3] = ...

The same for rows of a matrix: ``for r = 0 .. 3: for k = 0 .. 3: a[16 * i + 4 * r + k] = ...`` is 16 stores.

And for what is added up of the members of a struct: ``for k = 0 .. 15: s += b[16 * i + k]`` is a sum of 16 loads.

Then it is seen that the stores of one gang fill memory without a gap (:mod:`voltac.passes.members.joined_members`), or that its
loads read all of it (:mod:`voltac.passes.members.reduced_members`). ``lower``
writes the bodies of shorter loops one after the other itself (``lower/control_flow/unrolling.py``). What is the same in each
iteration stands once. Blocks that only follow each other become one.
"""

from __future__ import annotations

from voltac.ir.cfg import control_flow
from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.options import Options
from voltac.passes.accesses.access import Access, pseudo_operation, read_access
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects, module_effects
from voltac.passes.loops.counted_loops import CountedLoop, IterationSteps
from voltac.passes.loops.gang_loops import root
from voltac.passes.members.member_reductions import may_be_reduced, operation_of
from voltac.passes.members.member_windows import stride_of

_MOST_MEMBERS = 8
"""Iterations. Chosen, not measured."""
_MOST_OF_ROWS = 16
"""Members of a struct of several rows, which is longer than a register: a matrix of 4 by 4. Chosen, not measured."""
_MOST_REDUCED = 64
"""Members of a struct that are added up: bytes of a line of the cache. Chosen, not measured."""
_MOST_INSTRUCTIONS = 1200
"""Of all copies together; a product with a matrix of 8 by 8 has 1000. Chosen, not measured."""


def unroll_members(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    effects: ModuleEffects | None = None
    for function in module.often_called:
        if not any(pseudo_operation(each) in ("scatter", "gather") for each in function.instructions()):
            continue
        looked_at: set[str] = set()
        while (found := _next_loop(function, looked_at)) is not None:
            effects = effects or module_effects(module)
            values = lane_values(function, layout)
            register = options.target.vector_bits // 8
            if _reduces_structs(found, values) if _carried(found) else _stores(found, values, register):
                _unroll(found, _repeated(found, values, FunctionEffects(effects, function, values)))


def _next_loop(function: Function, looked_at: set[str]) -> CountedLoop | None:
    """A loop of which copies would not be too long."""
    flow = control_flow(function)
    definitions: dict[str, Instruction] = {}
    for loop in flow.loops:
        if loop.header not in looked_at and len(loop.blocks) == 2:
            looked_at.add(loop.header)
            definitions = definitions or function.definitions()
            found = CountedLoop.of(function, loop, flow, definitions)
            if found is not None and _count(found):
                return found
    return None


def _carried(loop: CountedLoop) -> list[Instruction]:
    """What a loop carries on beside its counter."""
    return [phi for phi in loop.header.phis() if phi is not loop.counter]


def _stores(loop: CountedLoop, values: LaneValues, register: int) -> bool:
    return _stores_members(loop, values, register) or _fills_structs(loop, values, register)


def _reduces_structs(loop: CountedLoop, values: LaneValues) -> bool:
    """Whether all that is carried on is what is reduced of one member of each lane's struct after the other."""
    count = _count(loop)
    steps = IterationSteps(loop, values.definitions, values.layout)
    for phi in _carried(loop):
        following = values.definitions.get(loop.arm(phi, loop.body.name))
        if following is None or not operation_of(following) or all(each.value != phi.name for each in following.operands):
            return False
        if sum(each.names_used().count(phi.name) for each in loop.body.instructions) > 1:
            return False
    found = False
    for instruction in loop.body.instructions:
        operation = pseudo_operation(instruction)
        if operation == "gather":
            access = read_access(0, instruction, operation, values)
            found |= access.all_on and stride_of(access) == count * access.size == count * (steps.of(access.pointers) or 0)
        elif operation or instruction.op == "store" or (instruction.op == "call" and "@llvm." not in instruction.text):
            return False
    return found and may_be_reduced(count)


def _count(loop: CountedLoop) -> int:
    """Iterations, where these are known and few; 0 for a loop that does more in its header than to count."""
    count = _iterations(loop)
    return count if count * len(loop.body.instructions) <= _MOST_INSTRUCTIONS else 0


def _iterations(loop: CountedLoop) -> int:
    """The same, however long the body is."""
    start = integers(loop.counter.type, loop.arm(loop.counter, loop.outside))
    limit = integers(loop.limit.type, loop.limit.value)
    carried = len(_carried(loop))
    if start is None or limit is None or len(loop.header.instructions) != 3 + carried:
        return 0
    if "!llvm.loop" in loop.body.terminator.text:
        return 0  # the program says itself whether to unroll it
    count = limit[0] - start[0] + (loop.predicate == "sle")
    return count if 2 <= count <= (_MOST_REDUCED if carried else _MOST_OF_ROWS) else 0


def _stores_members(loop: CountedLoop, values: LaneValues, register: int) -> bool:
    """Whether a store of the body fills a struct of each lane, member by member, and that is no longer than a register."""
    count = _count(loop)
    if count > _MOST_MEMBERS:
        return False
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


def _fills_structs(loop: CountedLoop, values: LaneValues, register: int) -> bool:
    """Whether iterations fill a struct of two registers, or of rows: by several stores, or in a loop around for the rows."""
    steps = IterationSteps(loop, values.definitions, values.layout)
    rows: dict[object, list[Access]] = {}
    for instruction in loop.body.instructions:
        if pseudo_operation(instruction) == "scatter":
            access = read_access(0, instruction, "scatter", values)
            if access.address is not None and access.all_on:
                rows.setdefault((access.address.key, access.size), []).append(access)
    for stores in rows.values():
        first, size, stride = stores[0], stores[0].size, stride_of(stores[0])
        starts = sorted(each.offsets[0] for each in stores)
        if not 0 < stride <= _MOST_OF_ROWS * size or starts != list(range(starts[0], starts[0] + size * len(starts), size)):
            continue
        row = _count(loop) * size * len(starts)
        if steps.of(first.pointers) == size * len(starts) and (
            (row == stride and (len(starts) > 1 or stride <= 2 * register)) or _repeats(loop, first, row, stride, values)
        ):
            return True
    return False


def _repeats(loop: CountedLoop, store: Access, row: int, stride: int, values: LaneValues) -> bool:
    """Whether the loop around does the same for each row."""
    flow = control_flow(loop.function)
    around = [each for each in flow.loops if loop.header.name in each.blocks and each.header != loop.header.name]
    outer = CountedLoop.of(loop.function, around[-1], flow, values.definitions) if around else None
    if outer is None or store.address is None:
        return False
    copies = _iterations(outer) * _count(loop)
    moves = any(root(symbol) == outer.counter.name and factor == row for symbol, factor in store.address.terms.items())
    return moves and _iterations(outer) * row == stride and copies * len(loop.body.instructions) <= _MOST_INSTRUCTIONS


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
    found = {loop.counter.name, *(phi.name for phi in _carried(loop))}
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
    carried = {phi.name: loop.arm(phi, loop.outside) for phi in _carried(loop)}
    following = {phi.name: loop.arm(phi, body.name) for phi in _carried(loop)}
    for number in range(count):
        names = {loop.counter.name: str(start[0] + number), **carried}
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
        carried = {name: names.get(value, value) for name, value in following.items()}
    lines.append(Instruction(f"  br label %{after}"))
    header.instructions = lines
    function.blocks.remove(body)
    function.replace_uses({loop.counter.name: str(start[0] + count), **carried})
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
