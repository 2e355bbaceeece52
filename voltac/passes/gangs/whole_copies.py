"""A foreach that only copies consecutive elements -> one memcpy of all of them, the rest included.

    for (i = start; i < aligned; i += W)  b[i + lanes] = a[i + lanes];  if (rest)  the same under a mask
    ->
    memcpy(b + start, a + start, (aligned - start + rest) * size)

LLVM finds the memcpy of the loop, but not that what follows it copies the rest.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.cfg import control_flow
from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, AccessReport, pseudo_operation, read_access
from voltac.passes.accesses.cost_rows import has_masked
from voltac.passes.accesses.emit import Emitter, declare
from voltac.passes.accesses.rewriting import AccessRewriting
from voltac.passes.facts.effects import FunctionEffects
from voltac.passes.loops.gang_loops import GangLoop, root
from voltac.target_info import TargetInfo

_MOST_INSTRUCTIONS = 24
"""Of a loop's body: index, addresses of rows, load, store and test are fewer; others do something besides copying."""
_MOVED = frozenset(("add", "sub", "mul", "shl", "and", "or", "xor", "sext", "zext", "trunc"))
"""What computes places of rows, and never fails."""
_ANY_LEFT = m.op("icmp", m.value("rest"), m.number(0), predicate="ne")
_GREATER = m.call("@llvm.smax.i32", m.value("limit"), m.value("start"))
_FIRST_LANES = m.op("icmp", m.constant("numbers"), m.splat(m.value("rest")), predicate="ult")


def copy_whole(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the accesses that are copied."""
    rewriting = AccessRewriting(module, options)
    for function in module.often_called:
        if len(function.blocks) > 4 and any(_may_copy(block) for block in function.blocks):
            _copy_in(rewriting, function, options.target)
    return rewriting.reports


def _may_copy(block: Block) -> bool:
    if len(block.instructions) > _MOST_INSTRUCTIONS:
        return False
    return sorted(filter(None, map(pseudo_operation, block.instructions))) == ["gather", "scatter"]


def _copy_in(rewriting: AccessRewriting, function: Function, target: TargetInfo) -> None:
    flow, layout = control_flow(function), rewriting.layout
    values: LaneValues | None = None
    for found in [loop for loop in flow.loops if len(loop.blocks) == 2]:
        values = values or lane_values(function, layout)
        loop = GangLoop.of(function, found, flow, values, _MOST_INSTRUCTIONS)
        copied = None if loop is None or loop.carried else _copied(loop.body, values)
        if loop is None or copied is None or not all(access.all_on and loop.is_even(access) for access in copied):
            continue
        if _is_placed_in(loop, copied):
            # Places of rows, as of y * width. A call for each row costs more than a mask for its rest does, if there are masks.
            if has_masked(target, copied[0].size):
                continue
            _move_before(loop)
            values = lane_values(function, layout)
            loop = GangLoop.of(function, found, flow, values, _MOST_INSTRUCTIONS)
            copied = None if loop is None else _copied(loop.body, values)
            if loop is None or copied is None or _is_placed_in(loop, copied):
                continue
        load, store = copied
        known = FunctionEffects(rewriting.effects, function, values)
        if load.memory.root == store.memory.root or known.may_overlap(load.memory, store.memory):
            continue
        rest = _rest(loop, load, store, values)
        if rest is not None:
            for access in copied:
                rewriting.report("copied", access, function, loop.body.name, "nothing else is done with what is loaded")
            _replace(rewriting.module, function, loop, load, store, *rest)
            values = None


def _is_placed_in(loop: GangLoop, copied: tuple[Access, Access]) -> bool:
    """Whether an address is made of numbers, besides the counter, that the loop computes."""
    inside = loop.names - {loop.counter}
    return any(root(symbol) in inside for access in copied if access.address for symbol in access.address.terms)


def _move_before(loop: GangLoop) -> None:
    """Numbers that are the same in each iteration to the block before the loop, from where the rest takes them as well.

    Nothing that may fail is moved, so it may be computed in vain.
    """
    function = loop.function
    inside, before = set(loop.names), function.block(loop.outside)
    moved: dict[str, str] = {}
    for made in list(loop.body.instructions):
        fixed = made.op in _MOVED and not lanes_of(made.type) and inside.isdisjoint(made.names_used())
        if fixed and made.name != loop.following:
            loop.body.instructions.remove(made)
            before.instructions.insert(-1, made)
            inside.remove(made.name)
            moved[_formula(made)] = made.name
    after = function.block(loop.header.terminator.parts.labels[1])
    if len(after.successors) != 2:
        return
    masked = function.block(after.successors[0])
    names: dict[str, str] = {}
    for made in list(masked.instructions):
        made.rename(names)
        same = moved.get(_formula(made))
        if same is not None:
            masked.instructions.remove(made)
            names[made.name] = same


def _formula(made: Instruction) -> str:
    """What it computes, without its name and what is noted behind it."""
    return made.text.partition(" = ")[2].partition(", !")[0]


def _copied(block: Block, values: LaneValues) -> tuple[Access, Access] | None:
    """The load and the store of a block that does nothing else but to find addresses."""
    if not _may_copy(block):
        return None
    accesses: list[Access] = []
    for index, instruction in enumerate(block.instructions[:-1]):
        operation = pseudo_operation(instruction)
        if operation:
            accesses.append(read_access(index, instruction, operation, values))
        elif instruction.op in ("call", "load", "store") and "@llvm.smax." not in instruction.text:
            return None
    load, store = accesses
    fits = load.is_consecutive and store.is_consecutive and load.vector == store.vector and load.mask == store.mask
    return (load, store) if fits and not load.is_store and store.value == load.instruction.name else None


def _rest(loop: GangLoop, load: Access, store: Access, values: LaneValues) -> tuple[str, Block] | None:
    """How many elements the masked block after the loop copies in the same way, and the block after it."""
    names = {block.name: block for block in loop.function.blocks}
    after = names[next(label for label in loop.header.successors if label != loop.body.name)]
    if len(after.instructions) != 2 or len(after.successors) != 2:
        return None
    test, _ = after.instructions
    masked, done = (names[label] for label in after.terminator.parts.labels)
    left = _ANY_LEFT.find(test.name, values.definitions)
    if left is None or any(done.phis()):
        return None
    rest = left["rest"].value
    copied = _copied(masked, values)
    if copied is None or masked.successors != [done.name] or not _is_first_lanes(copied[0].mask, rest, loop.width, values):
        return None
    for ours, other in zip((load, store), copied):
        assert ours.address is not None and other.address is not None
        if ours.offsets != other.offsets or ours.vector != other.vector or ours.memory.root != other.memory.root:
            return None
        if not _goes_on(loop, ours, other, values):
            return None
    return rest, done


def _is_first_lanes(mask: str, rest: str, width: int, values: LaneValues) -> bool:
    """``icmp ult <0, 1, 2, ...>, splat(rest)``."""
    found = _FIRST_LANES.find(mask, values.definitions, rest=Operand("i32", rest))
    if found is None or found["numbers"].type != f"<{width} x i32>":
        return False
    return integers(*found["numbers"]) == tuple(range(width))


def _goes_on(loop: GangLoop, ours: Access, other: Access, values: LaneValues) -> bool:
    """Whether the address of the rest is that of the loop with its limit, at least its start, as the counter."""
    assert ours.address is not None and other.address is not None
    fixed = {symbol: factor for symbol, factor in ours.address.terms.items() if root(symbol) != loop.counter}
    moving = {symbol: factor for symbol, factor in other.address.terms.items() if symbol not in fixed}
    if {symbol: factor for symbol, factor in other.address.terms.items() if symbol in fixed} != fixed or len(moving) != 1:
        return False
    symbol, factor = next(iter(moving.items()))
    if factor != ours.size or symbol.kind != "sext":
        return False
    limit, start = Operand("i32", loop.limit), Operand("i32", loop.start)
    return _GREATER.matches(root(symbol), values.definitions, limit=limit, start=start)


def _replace(module: Module, function: Function, loop: GangLoop, load: Access, store: Access, rest: str, done: Block) -> None:
    """The copy in front of the loop, which with its rest is not entered any more."""
    before = function.block(loop.outside)
    emit = Emitter(module, function, loop.values)
    start = loop.start
    count = emit.value("copied", f"sub i32 {loop.limit}, {start}")
    count = emit.value("copied", f"add i32 {count}, {rest}")
    count = emit.value("copied", f"zext i32 {count} to i64")
    count = emit.value("copied", f"mul nuw nsw i64 {count}, {load.size}")
    ends = []
    for access in (store, load):
        assert access.address is not None
        address = access.address.first()
        address.terms = {symbol: factor for symbol, factor in address.terms.items() if root(symbol) != loop.counter}
        base = emit.address(address, access.offsets[0], access.element, access.size)
        first = emit.value("first", f"sext i32 {start} to i64")
        ends.append(emit.value("begin", f"getelementptr {access.element}, ptr {base}, i64 {first}"))
    target, source = ends
    emit.call(
        "void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        f"ptr align {load.size} {target}, ptr align {load.size} {source}, i64 {count}, i1 false",
    )
    declare(module, [emit])
    # The way to the loop may be one of two ways on from the block before.
    name = emit.fresh(loop.header.name.strip('"') + ".copy")
    copy = Block(name[1:], [*emit.output, Instruction(f"  br label %{done.name}")])
    before.terminator.rename({f"%{loop.header.name}": name})
    function.blocks.insert(next(at for at, block in enumerate(function.blocks) if block is loop.header), copy)
    live = set(control_flow(function).order)
    function.blocks = [block for block in function.blocks if block.name in live]
