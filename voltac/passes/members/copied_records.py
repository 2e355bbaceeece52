"""Three bytes that each lane copies from a place of its own -> copied for one lane after the other.

    %r = call <8 x i8> @volta.gather.v8i8(%p, all on)       call void @volta.scatter.v8i8(%r, %q, all on)
    ... of the bytes behind %p and behind %q, twice
    ->
    load i16 and i8 from lane 0 of %p, store them to lane 0 of %q; the same of lane 1; ...

Colours from a table, for instance. The members of all lanes would be put together, one vector each, and taken apart again.
What is read and what is written must not overlap, nor what two lanes write: lanes would have written member after member.
"""

from __future__ import annotations

from itertools import pairwise

from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Block, Module
from voltac.ir.uses import Uses, uses_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, AccessReport, pseudo_operation, read_access
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.neighbouring_loads import RecordAddresses
from voltac.passes.accesses.rewriting import AccessRewriting
from voltac.passes.facts.effects import FunctionEffects

_MEMBERS = 3
"""Bytes of a record: four and more are faster in registers, where they are words. Three take 0.55 of the time on Zen 4."""
_WORDS = (2, 1)
"""Bytes that are moved at once, of one record."""
_TOUCHING = ("load", "store", "call", "atomicrmw", "cmpxchg", "fence")


def copy_records(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the accesses that became scalar."""
    rewriting = AccessRewriting(module, options)
    for part in rewriting.with_blocks(_copies):
        finder = _Finder(part.effects, part.values, uses_of(part.function))
        part.emitter.takes_words = options.target.is_x86
        for block in part.blocks:
            while (found := finder.next_record(block)) is not None:
                for access in (each for pair in found for each in pair):
                    rewriting.report("scalar", access, part.function, block.name, _REASON)
                _write(found, block, part.emitter)
    return rewriting.finish()


_REASON = "each lane copies a record, one lane after the other"


def _copies(block: Block) -> bool:
    """Whether so many gathers are scattered as they are."""
    stored = {each.operands[0].value for each in block.instructions if pseudo_operation(each) == "scatter"}
    loaded = [each.name for each in block.instructions if each.name in stored and pseudo_operation(each) == "gather"]
    return len(loaded) >= _MEMBERS


_Pairs = list[tuple[Access, Access]]
"""Loads with the stores of what they load, in the order of memory."""


class _Finder:
    """What of one function is copied."""

    def __init__(self, effects: FunctionEffects, values: LaneValues, uses: Uses) -> None:
        self.effects, self.values, self.uses = effects, values, uses
        self.records = RecordAddresses(values, {})

    def next_record(self, block: Block) -> _Pairs | None:
        """A record of a block that is copied whole, and between whose accesses nothing is in the way."""
        groups: dict[object, list[tuple[int, Access, Access]]] = {}
        loads: dict[str, Access] = {}
        for index, made in enumerate(block.instructions):
            operation = pseudo_operation(made)
            if operation not in ("gather", "scatter"):
                continue
            access = read_access(index, made, operation, self.values)
            if not access.is_store and access.all_on and access.address is None:
                loads[made.name] = access
            load = loads.get(access.value) if access.is_store and access.all_on else None
            if load is None or load.element != access.element or len(self.uses.of(load.instruction.name)) != 1:
                continue
            source, to = self.records.split(load.pointers), self.records.split(access.pointers)
            if source is not None and to is not None:
                key = (source[0], to[0], source[1] - to[1], access.size)
                groups.setdefault(key, []).append((to[1], load, access))
        for members in groups.values():
            members.sort(key=lambda each: each[0])
            found = [(load, store) for _, load, store in members]
            size, first = found[0][0].size, members[0][0]
            together = [each[0] - first for each in members] == list(range(0, len(members) * size, size))
            if together and size == 1 and len(found) == _MEMBERS and _are_apart(found[0][1]) and self._is_free(found, block):
                return found
        return None

    def _is_free(self, found: _Pairs, block: Block) -> bool:
        """Whether all loads may be done where the last store is, and all stores."""
        loads, stores = [load for load, _ in found], [store for _, store in found]
        own = {each.index for pair in found for each in pair}
        if any(self.effects.may_overlap(load.memory, store.memory) for load in loads for store in stores):
            return False
        for index in range(min(own), max(own)):
            made = block.instructions[index]
            if index in own or made.op not in _TOUCHING:
                continue
            operation = pseudo_operation(made)
            if not operation:
                return False
            access = read_access(index, made, operation, self.values)
            others = [*stores, *loads] if access.is_store else stores
            if any(self.effects.may_overlap(access.memory, each.memory) for each in others):
                return False
        return True


def _are_apart(store: Access) -> bool:
    """Whether records of the lanes are known to lie beside each other."""
    if store.address is None:
        return False
    places = sorted(store.offsets)
    return all(after - before >= _MEMBERS for before, after in pairwise(places))


def _write(found: _Pairs, block: Block, emit: Emitter) -> None:
    emit.begin_block()
    load, store = found[0]
    last = max((each for _, each in found), key=lambda each: each.index)
    attached = last.instruction.parts.metadata.get("dbg")
    emit.attachment = f", !dbg {attached}" if attached else ""
    for lane in range(load.lanes):
        source, to = _place(load, lane, emit), _place(store, lane, emit)
        at = 0
        for word in _WORDS:
            first, second = (_behind(each, at, emit) for each in (source, to))
            copied = emit.load("copied", f"load i{8 * word}, ptr {first}, align 1")
            emit.line(f"store i{8 * word} {copied}, ptr {second}, align 1")
            at += word
    gone = {id(each.instruction) for pair in found for each in pair}
    behind = block.instructions[last.index + 1 :]
    kept = [each for each in block.instructions[: last.index] if id(each) not in gone]
    block.instructions = [*kept, *emit.output, *behind]


def _behind(pointer: str, distance: int, emit: Emitter) -> str:
    return emit.value("part", f"getelementptr i8, ptr {pointer}, i64 {distance}") if distance else pointer


def _place(access: Access, lane: int, emit: Emitter) -> str:
    if access.address is not None:
        return emit.address(access.address, access.offsets[lane], access.element, access.size)
    return emit.lane_pointer(access.pointers.type, access.pointers.value, lane)
