"""Elements that each lane changes at a place of its own, where these never meet -> changed for one lane after the other.

    %old = call <8 x i32> @volta.gather.v8i32(<8 x ptr> %p, all on)
    %new = add <8 x i32> %old, splat (i32 1)
    call void @volta.scatter.v8i32(<8 x i32> %new, <8 x ptr> %p, all on)
    ->
    %p.0 = ...   %old.0 = load i32, ptr %p.0   %new.0 = add i32 %old.0, 1   store i32 %new.0, ptr %p.0
    %p.1 = ...

Counts of each lane in an array of its own, or in a row of its own: eight elements and eight places at once are more than
there are registers, and an element that is loaded, changed and stored is one instruction. Where two lanes may change one
element all loads come first. That they do not is seen from the places: those of a lane's own variables lie at its own
distance from every border of gangs, or of the multiples of a power of two; those in rows are the lane's row, as many elements
behind the one before as the index within the row may be.
"""

from __future__ import annotations

from voltac.ir.constants import integers, splatted
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import made_by, scalar_of_splat, source
from voltac.ir.model import Block, Instruction, Module
from voltac.ir.parts import BINARY, FLOAT_BINARY, Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.ir.uses import Uses, uses_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, AccessReport, pseudo_operation, read_access
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.rewriting import AccessRewriting
from voltac.passes.facts.lane_ranges import LaneRanges
from voltac.passes.loops.same_operation import same_operation

_MOST_OPERATIONS = 2
"""Between load and store: more are done for a gang at once. Chosen, not measured."""


def change_lanes_in_turn(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the accesses that became scalar."""
    rewriting = AccessRewriting(module, options)
    for part in rewriting.with_blocks(_changes):
        uses = uses_of(part.function)
        part.emitter.takes_words = options.target.is_x86
        for block in part.blocks:
            for change in _found(block, part.values, uses):
                for access in (change.load, change.store):
                    rewriting.report("scalar", access, part.function, block.name, _REASON)
                change.write(block, part.emitter)
    return rewriting.finish()


_REASON = "each lane changes an element that no other lane changes, one lane after the other"


def _changes(block: Block) -> bool:
    """Whether what is gathered may be scattered to the same places."""
    scattered = {each.operands[-2].value for each in block.instructions if pseudo_operation(each) == "scatter"}
    return bool(scattered) and any(
        pseudo_operation(each) == "gather" and each.operands[-2].value in scattered for each in block.instructions
    )


class _Change:
    """A gather, what is computed from it, and the scatter of that."""

    def __init__(self, load: Access, store: Access, operations: list[Instruction], values: LaneValues) -> None:
        self.load, self.store, self.operations, self.values = load, store, operations, values

    def write(self, block: Block, emit: Emitter) -> None:
        """In place of the scatter."""
        emit.begin_block()
        attached = self.store.instruction.parts.metadata.get("dbg")
        emit.attachment = f", !dbg {attached}" if attached else ""
        element, size, pointers = self.store.element, self.store.size, self.store.pointers
        places = [emit.lane_pointer(pointers.type, pointers.value, lane) for lane in range(self.store.lanes)]
        others = [self._others(emit, lane) for lane in range(self.store.lanes)]
        for place, names in zip(places, others, strict=True):
            names[self.load.instruction.name] = emit.load("changed", f"load {element}, ptr {place}, align {size}")
            for made in self.operations:
                kinds, given = [element_of(each.type) for each in made.operands], [names[each.value] for each in made.operands]
                names[made.name] = emit.load("changed", same_operation(made, element_of(made.type), kinds, given))
            emit.line(f"store {element} {names[self.store.value]}, ptr {place}, align {size}")
        gone = [self.load.instruction, *self.operations]
        at = block.instructions.index(self.store.instruction)
        kept = [each for each in block.instructions[:at] if not any(each is one for one in gone)]
        block.instructions = kept + emit.output + block.instructions[at + 1 :]

    def _others(self, emit: Emitter, lane: int) -> dict[str, str]:
        """The lane of what else the operations take."""
        inside = {self.load.instruction.name, *(made.name for made in self.operations)}
        found: dict[str, str] = {}
        for operand in (each for made in self.operations for each in made.operands if each.value not in inside):
            constants = integers(*operand) if operand.value[0] != "%" and integer_bits(element_of(operand.type)) else None
            same = splatted(operand.value) or scalar_of_splat(operand.value, self.values.definitions)
            if same is not None:
                found[operand.value] = same.value
            else:
                found[operand.value] = (
                    str(constants[lane]) if constants is not None else emit.lane(operand.type, operand.value, lane)
                )
        return found


def _found(block: Block, values: LaneValues, uses: Uses) -> list[_Change]:
    """In order, none within another."""
    found: list[_Change] = []
    loads: dict[str, Access] = {}
    """Places -> what was gathered from them since something was stored."""
    for index, made in enumerate(block.instructions):
        operation = pseudo_operation(made)
        if operation == "gather":
            access = read_access(index, made, operation, values)
            if access.address is None and access.all_on:
                loads[access.pointers.value] = access
        elif operation == "scatter":
            store = read_access(index, made, operation, values)
            load = loads.get(store.pointers.value)
            if load is not None and store.all_on and load.element == store.element and _are_apart(store, values):
                operations = _operations(load, store, block, uses)
                if operations is not None:
                    found.append(_Change(load, store, operations, values))
            loads = {}
        elif operation != "load" and made.op in ("store", "call", "atomicrmw", "cmpxchg", "fence"):
            loads = {}
    return found


def _operations(load: Access, store: Access, block: Block, uses: Uses) -> list[Instruction] | None:
    """From what is loaded to what is stored, in order; None where more hangs on these, or they are none of each lane."""
    names, found = {load.instruction.name}, list[Instruction]()
    for made in block.instructions[load.index + 1 : store.index]:
        if not names.isdisjoint(made.names_used()):
            if made.op not in (*BINARY, *FLOAT_BINARY) or made.op in _DIVISIONS or len(found) == _MOST_OPERATIONS:
                return None
            names.add(made.name)
            found.append(made)
    inside = [*found, store.instruction]
    used_inside = all(any(user is each for each in inside) for name in names for user in uses.of(name))
    addresses = {store.pointers.value, store.mask}
    return found if found and store.value == found[-1].name and used_inside and names.isdisjoint(addresses) else None


_WORD = 32
"""Bits of the lanes whose ranges are known."""
_DIVISIONS = ("sdiv", "udiv", "srem", "urem", "fdiv", "frem")
"""A gang's are worth a vector."""


def _are_apart(store: Access, values: LaneValues) -> bool:
    """Whether no two lanes have the same place."""
    made = made_by(("getelementptr",), store.pointers.value, values.definitions)
    if made is None or values.layout.size(made.parts.element_type) != store.size or len(made.operands) != 2:
        return False
    base, index = made.operands
    if lanes_of(base.type):
        return _are_own_variables(base, index, store, values)
    # What is extended is another number where it was another one.
    total = made_by(("add",), source(index.value, ("sext", "zext"), values.definitions), values.definitions)
    return total is not None and any(
        _is_of_rows(row, column, values) or _is_beside_others(row, column, values)
        for row, column in (total.operands, reversed(total.operands))
    )


def _are_own_variables(base: Operand, index: Operand, store: Access, values: LaneValues) -> bool:
    """A place of each lane in one of the gangs that lie behind a pointer."""
    made = made_by(("getelementptr",), base.value, values.definitions)
    lanes = integers(index.type, index.value)
    if made is None or lanes is None or lanes_of(made.operands[0].type) or len(made.operands) != 2:
        return False
    gang = values.layout.size(made.parts.element_type)
    in_gang = [lane * store.size for lane in lanes]
    return gang & (gang - 1) == 0 and all(0 <= at <= gang - store.size for at in in_gang) and len(set(in_gang)) == store.lanes


def _is_of_rows(row: Operand, column: Operand, values: LaneValues) -> bool:
    """Whether rows begin farther apart than columns reach; sums are counted around 2 to the power of their bits."""
    starts, most = values.of(row), _most(column, values)
    if starts is None or most is None:
        return False
    around = 1 << starts.bits
    ordered = sorted(offset % around for offset in starts.offsets)
    distances = [after - before for before, after in zip(ordered, [*ordered[1:], ordered[0] + around], strict=True)]
    return min(distances) > most


def _is_beside_others(own: Operand, multiple: Operand, values: LaneValues) -> bool:
    """Whether each adds to what lanes are, apart from each other, a multiple of a power of two: counts[n * width + lane]."""
    starts, made = values.of(own), made_by(("mul", "shl"), multiple.value, values.definitions)
    factors = integers(*made.operands[1]) if made is not None else None
    if starts is None or made is None or not factors or len(set(factors)) > 1 or factors[0] <= 0:
        return False
    power = (factors[0] & -factors[0]) if made.op == "mul" else 1 << min(factors[0], starts.bits)
    return len({offset % power for offset in starts.offsets}) == len(starts.offsets)


def _most(column: Operand, values: LaneValues) -> int | None:
    """The largest index, where none is negative."""
    bits = integer_bits(element_of(column.type))
    if bits == _WORD:
        least, most = LaneRanges(values.definitions).range(column)
        return most if least >= 0 else None
    made = made_by(("and", "urem", "lshr", "zext"), column.value, values.definitions)
    if made is None:
        return None
    if made.op == "zext":
        return (1 << integer_bits(element_of(made.operands[0].type))) - 1
    constants = [found for each in made.operands if (found := integers(each.type, each.value)) is not None]
    if made.op != "and" and integers(*made.operands[1]) is None:
        return None
    if not constants or min(constants[-1]) < 0:
        return None
    limits = {"and": max(constants[-1]), "urem": max(constants[-1]) - 1, "lshr": (1 << max(bits - min(constants[-1]), 0)) - 1}
    return limits[made.op]
