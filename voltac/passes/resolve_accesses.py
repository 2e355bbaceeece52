"""Pseudo gathers and scatters -> the cheapest accesses that touch the same memory.

    %v = call <8 x float> @volta.gather.v8f32(<8 x ptr> %pointers, <8 x i1> splat (i1 true))
    ->
    %v = load <8 x float>, ptr %p, align 4          (where %pointers is p, p + 4, p + 8, ...)

This file decides for each access, block by block, what it becomes; one file each
knows how to write that: ``broadcast``, ``vector``, ``shuffled_loads``,
``shuffled_stores``, ``gather``. An access with off lanes never touches their
memory, and plain loads never reach beyond the first and the last byte touched. It is one file since each decision
depends on what waits in the same block to be decided.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from voltac.ir import marks
from voltac.ir import match as m
from voltac.ir.cfg import control_flow
from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.types import element_of, lanes_of
from voltac.options import Options
from voltac.passes.accesses import broadcast, gather, lane_images, shuffled_loads, shuffled_stores, tile_rows, vector
from voltac.passes.accesses.access import Access, AccessReport, Touched, pseudo_operation, read_access
from voltac.passes.accesses.available_loads import AvailableLoads, Layer, access_key
from voltac.passes.accesses.cost_rows import cost_row, has_masked
from voltac.passes.accesses.emit import Emitter, lane_source
from voltac.passes.accesses.merged_stores import Waiting, covers_all, is_passed, mark_readable, write_merged
from voltac.passes.accesses.neighbouring_loads import RecordAddresses, plan_records
from voltac.passes.accesses.permuted_copies import copied_from, plan_copies
from voltac.passes.accesses.piece import Piece
from voltac.passes.accesses.rewriting import AccessRewriting
from voltac.passes.facts.effects import FunctionEffects
from voltac.records import field, mutable_record

_LEAVING_LANE = m.one_of(
    m.op("extractelement", m.value("pointers"), m.constant("lane")),
    m.op("inttoptr", m.op("extractelement", m.op("ptrtoint", m.value("pointers")), m.constant("lane"))),
)
_TAKING_LANES = frozenset(("extractelement", "inttoptr"))
"""Operations that the above ends in."""
_TOUCHING = frozenset(("call", "store", "load", "atomicrmw", "cmpxchg", "fence"))
"""Operations that may touch memory."""

_MOST_OPEN = 24
"""Groups, and places with waiting stores; the oldest is closed first."""
_MOST_PASSED = 48
"""Writers that a load may be moved before."""

Writer = Callable[[Emitter], None]


@mutable_record
class _Plan:
    """What is to be written before which instruction of a block."""

    writers: dict[int, list[tuple[Instruction, Writer]]] = field(default_factory=dict)
    removed: set[int] = field(default_factory=set)
    vector_loads: dict[str, Access] = field(default_factory=dict)
    """Of elements at known distances, with all lanes on, by name."""
    lane_loads: set[str] = field(default_factory=set)
    """Those of them that are loaded lane by lane too."""
    scalar_loads: set[str] = field(default_factory=set)
    """What is loaded lane by lane, by name."""
    regular_loads: dict[str, Access] = field(default_factory=dict)
    """With all lanes on and addresses that are known but for one number, by name."""

    def add(self, index: int, instruction: Instruction, writer: Writer) -> None:
        """``instruction``: what is replaced; its place in the source is kept."""
        self.writers.setdefault(index, []).append((instruction, writer))


@mutable_record
class _Group:
    """Strided accesses of one block that differ by constants, and between which nothing interferes."""

    key: object
    members: list[Access]
    passed: list[tuple[Instruction, Access | None]]
    """Of loads: what may write between the first member and here; a later member would be moved before it."""
    distances: dict[int, int] | None = None
    """Of irregular loads: bytes from the record to each member, by its index."""


def resolve_accesses(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite every pseudo operation of a module; the reports come in program order."""
    rewriting = AccessRewriting(module, options)
    for function in module.functions:
        if not any(pseudo_operation(instruction) for instruction in function.instructions()):
            continue
        values = lane_values(function, rewriting.layout)
        emitter = rewriting.emitter(function, values)
        emitter.takes_words = options.level > 1 and options.target.is_x86
        known = FunctionEffects(rewriting.effects, function, values)
        _Resolver(options, function, values, known, emitter, rewriting, RecordAddresses(values, emitter.same)).run()
        emitter.finish()
    return rewriting.finish()


def _write_layers(access: Access, layers: tuple[Layer, ...], emit: Emitter) -> None:
    value = layers[0].value
    lanes = f"<{access.lanes} x i1>"
    for layer in layers[1:]:
        value = emit.value("known", f"select {lanes} {layer.mask}, {access.vector} {layer.value}, {access.vector} {value}")
    emit.alias(access.instruction.name, value)


def _write_lane_loads(access: Access, emit: Emitter) -> None:
    assert access.address is not None
    emit.load_lanes(access.instruction.name, access.address, access.element, access.size)


@mutable_record
class _Resolver:
    options: Options
    function: Function
    values: LaneValues
    effects: FunctionEffects
    emit: Emitter
    rewriting: AccessRewriting
    records: RecordAddresses
    subsets: dict[tuple[int, ...], LaneValues] = field(default_factory=dict)
    """Formulas of some of the lanes only."""

    @property
    def is_short(self) -> bool:
        """Short code is better here than fast code."""
        return marks.is_seldom_called(self.function.name)

    def run(self) -> None:
        """Every block, after those that dominate it."""
        if len(self.function.blocks) == 1:
            self.block(self.function.blocks[0], AvailableLoads(self.effects, self.values, {}))
            return
        flow = control_flow(self.function)
        position = {name: number for number, name in enumerate(flow.order)}
        blocks = sorted(self.function.blocks, key=lambda block: position.get(block.name, len(position)))
        at_end: dict[str, AvailableLoads] = {}
        for block in blocks:
            before = flow.predecessors[block.name]
            known = at_end.get(before[0]) if len(before) == 1 else None
            at_end[block.name] = known.copy() if known is not None else AvailableLoads(self.effects, self.values, {})
            self.block(block, at_end[block.name])

    def block(self, block: Block, known: AvailableLoads) -> None:
        """Plan the accesses of a block, then write it anew."""
        plan = _Plan()
        accesses: list[Access] = []
        loads: list[_Group] = []
        stores: list[_Group] = []
        finished: list[_Group] = []
        waiting: list[Waiting] = []
        done_waiting: list[Waiting] = []
        stops: list[int] = []
        for index, instruction in enumerate(block.instructions):
            operation = pseudo_operation(instruction) if instruction.op == "call" else ""
            access = read_access(index, instruction, operation, self.values) if operation else None
            if access is None and instruction.op not in _TOUCHING:
                if instruction.op in _TAKING_LANES and instruction.type == "ptr" and self.options.resolve_accesses:
                    self._leaving_lane(index, instruction, plan)
                continue
            if access is not None:
                accesses.append(access)
                plan.removed.add(index)
                if not access.is_store and access.all_on and access.address is not None:
                    plan.regular_loads[instruction.name] = access
                # What is known is not loaded: no store has to be done before it.
                if not access.is_store and self.options.resolve_accesses and (layers := known.find(access)):
                    plan.add(index, instruction, partial(_write_layers, access, layers))
                    if len(layers) == 1:
                        self.emit.same[instruction.name] = layers[0].value
                    self._report(access, block, "shared", "the value is known already")
                    continue
            self._interfere(instruction, access, loads, stores, finished)
            self._interfere_waiting(instruction, access, waiting, done_waiting)
            known.pass_by(instruction, access)
            if access is None:
                if self.effects.may_stop(instruction):
                    stops.append(index)
                continue
            if access.is_store and access.is_consecutive and self.options.resolve_accesses:
                self._wait(access, waiting, done_waiting)
                continue
            for groups in (loads, stores):
                if len(groups) > _MOST_OPEN:
                    finished.append(groups.pop(0))
            strided = self._is_strided(access)
            if strided and access.is_store:
                self._join(access, stores, self._key(access), [])
                continue
            record = self._record(access) if not strided else None
            if strided or record is not None:
                # Stores that wait may sink below this load, and then below what joins it later.
                pending = [each for group in stores for each in group.members]
                pending += [each for place in waiting for each in place.stores]
                writers: list[tuple[Instruction, Access | None]] = [(each.instruction, each) for each in pending]
                self._join(access, loads, self._key(access) if record is None else record[0], writers, record)
            else:
                self._alone(access, block, plan)
        for group in (*finished, *loads, *stores):
            self._decide(group, block, plan)
        for place in (*done_waiting, *waiting):
            self._decide_waiting(place, block, plan)
        mark_readable(accesses, stops, self.values)
        if plan.writers:
            self._rewrite(block, plan)

    def _interfere(
        self, instruction: Instruction, access: Access | None, loads: list[_Group], stores: list[_Group], finished: list[_Group]
    ) -> None:
        """Close the groups whose members may not be moved past this instruction."""
        touched = access.memory if access is not None else None
        for groups, is_store in ((loads, False), (stores, True)):
            for group in list(groups):
                if access is not None and touched is not None:
                    if not is_store and not access.is_store:
                        continue
                    same = is_store and access.is_store and self._is_strided(access) and group.key == self._key(access)
                    clash = not same and any(self.effects.may_overlap(touched, each.memory) for each in group.members)
                elif is_store:
                    clash = any(self.effects.may_touch(instruction, each.memory) for each in group.members)
                else:
                    clash = any(self.effects.may_write(instruction, each.memory) for each in group.members)
                if clash:
                    groups.remove(group)
                    finished.append(group)
                elif not is_store and (access is None or access.is_store):
                    group.passed.append((instruction, access))
                    if len(group.passed) > _MOST_PASSED:
                        groups.remove(group)
                        finished.append(group)

    def _interfere_waiting(
        self, instruction: Instruction, access: Access | None, waiting: list[Waiting], done: list[Waiting]
    ) -> None:
        """Close the waiting stores that may not be moved past this instruction."""
        if not waiting:
            return
        touched = access.memory if access is not None else None
        for place in list(waiting):
            if access is not None and touched is not None:
                if access.is_store and access_key(access) == place.key:
                    continue
                if not access.is_store and is_passed(place, access, self.values):
                    continue
                clash = self.effects.may_overlap(touched, place.stores[0].memory)
            else:
                clash = self.effects.may_touch(instruction, place.stores[0].memory)
            if clash:
                waiting.remove(place)
                done.append(place)

    def _wait(self, access: Access, waiting: list[Waiting], done: list[Waiting]) -> None:
        key = access_key(access)
        for place in waiting:
            if place.key == key:
                place.stores.append(access)
                return
        waiting.append(Waiting(key, [access]))
        if len(waiting) > _MOST_OPEN:
            done.append(waiting.pop(0))

    def _decide_waiting(self, place: Waiting, block: Block, plan: _Plan) -> None:
        if len(place.stores) == 1:
            self._alone(place.stores[0], block, plan)
            return
        all_on = covers_all(place.stores, self.values)
        last = place.stores[-1]
        plan.add(last.index, last.instruction, partial(write_merged, place.stores, all_on))
        for store in place.stores:
            self._report(store, block, "merged", f"{len(place.stores)} stores of the same elements are one")

    def _key(self, access: Access) -> object:
        assert access.address is not None
        mask = "" if access.all_on else access.mask
        return access.address.key, access.size, access.element == "ptr", access.offsets[0] % access.size, mask

    def _is_strided(self, access: Access) -> bool:
        """Regular, but neither one address nor consecutive, and where lanes may be off the target can mask them."""
        if access.address is None or not self.options.resolve_accesses:
            return False
        if not access.all_on and not has_masked(self.options.target, access.size):
            return False
        if access.is_uniform or access.is_consecutive:
            return False
        start = access.offsets[0]
        return all((offset - start) % access.size == 0 for offset in access.offsets)

    def _record(self, access: Access) -> tuple[object, int] | None:
        """Of an irregular load of which neighbours may be loaded with it: a key, and its distance."""
        if access.is_store or access.address is not None or not self.options.resolve_accesses:
            return None
        found = self.records.split(access.pointers)
        if found is None or self._rows(access):
            return None
        return ("record", found[0], access.size, "" if access.all_on else access.mask), found[1]

    def _join(
        self,
        access: Access,
        groups: list[_Group],
        key: object,
        pending: list[tuple[Instruction, Access | None]],
        record: tuple[object, int] | None = None,
    ) -> None:
        memory = access.memory
        for group in groups:
            if group.key == key and not any(self._may_write(*writer, memory) for writer in group.passed):
                group.members.append(access)
                break
        else:
            group = _Group(key, [access], pending, {} if record is not None else None)
            groups.append(group)
        if record is not None and group.distances is not None:
            group.distances[access.index] = record[1]

    def _may_write(self, instruction: Instruction, access: Access | None, memory: Touched) -> bool:
        if access is not None:
            return self.effects.may_overlap(access.memory, memory)
        return self.effects.may_write(instruction, memory)

    def _alone(self, access: Access, block: Block, plan: _Plan) -> None:
        """An access that is decided without its neighbours."""
        consecutive_operation = access.pointers.type == "ptr"
        resolve = self.options.resolve_accesses or consecutive_operation
        if resolve and access.is_uniform and access.lanes > 1:
            writer = broadcast.broadcast_store if access.is_store else broadcast.broadcast_load
            self._write(plan, access, block, writer, "broadcast", "all lanes have one address")
        elif resolve and access.is_consecutive:
            writer = vector.vector_store if access.is_store else vector.vector_load
            kind = "vector" if access.all_on else "masked"
            self._write(plan, access, block, writer, kind, "the lanes are consecutive in memory")
            if access.all_on and not access.is_store:
                plan.vector_loads[access.instruction.name] = access
        elif rows := self._rows(access):
            writer = partial(tile_rows.store_rows if access.is_store else tile_rows.load_rows, rows=rows)
            reason = f"the lanes are {len(rows)} rows of consecutive elements"
            self._write(plan, access, block, writer, "vector" if access.all_on else "masked", reason)
        else:
            known = access.address is not None
            reason = "some lanes may be off" if known else "the addresses of the lanes are not a known pattern"
            self._irregular(plan, access, block, reason)

    def _rows(self, access: Access) -> list[tile_rows.TileRow]:
        """The rows of an access that has no formula as a whole."""
        if access.address is not None or not self.options.resolve_accesses:
            return []
        if not access.all_on and not has_masked(self.options.target, access.size):
            return []
        return tile_rows.find_rows(access, self._values_of)

    def _values_of(self, subset: tuple[int, ...]) -> LaneValues:
        found = self.subsets.get(subset)
        if found is None:
            found = self.subsets[subset] = self.values.for_lanes(subset)
        return found

    def _irregular(self, plan: _Plan, access: Access, block: Block, reason: str) -> None:
        row = cost_row(self.options.target)
        # Scalar accesses at known distances need no addresses from vectors, which makes them the cheaper choice.
        device = self.options.target.is_device
        vectors = (access.size >= 4 or device) and not (
            access.all_on and access.address is not None and self.options.resolve_accesses
        )
        # Where the indices come from memory, scalars read them from there: no lane has to leave a vector. A device's core
        # has no addresses with an index, so there the sums for all lanes at once are cheaper.
        gathers_all = vectors and row.native_loaded_gather and not access.is_store and not self.is_short
        loaded = not (device or gathers_all) and self._load_lanes(access, plan)
        if access.is_store:
            native = row.native_scatter and vectors and not loaded
            writer = gather.native_scatter if native else gather.scalar_scatter
            if not native:
                self._load_lanes(access, plan, (access.value,))
            self._write(plan, access, block, writer, "scatter" if native else "scalar", reason)
        else:
            fast = row.native_gather if access.all_on and not self.is_short else row.native_masked_gather
            native = vectors and not loaded and fast
            writer = gather.native_gather if native else gather.scalar_gather
            self._write(plan, access, block, writer, "gather" if native else "scalar", reason)
            if not native:
                plan.scalar_loads.add(access.instruction.name)

    def _write(
        self, plan: _Plan, access: Access, block: Block, writer: Callable[[Access, Emitter], None], kind: str, reason: str
    ) -> None:
        plan.add(access.index, access.instruction, lambda emit: writer(access, emit))
        self._report(access, block, kind, reason)

    def _report(self, access: Access, block: Block, kind: str, reason: str) -> None:
        # Of what only other files call, all places stand in other versions as well.
        if marks.is_left_over(block.name) or marks.is_for_other_files(self.function.name):
            return
        if access.lanes == 1 and kind in ("gather", "scatter", "scalar"):
            kind = "vector" if access.all_on else "masked"  # of one lane: there is nothing to do otherwise
        self.rewriting.report(kind, access, self.function, block.name, reason)

    def _decide(self, group: _Group, block: Block, plan: _Plan) -> None:
        """Shuffles for a group where they are cheaper than going lane by lane."""
        members = group.members
        if group.distances is not None:
            self._decide_record(members, group.distances, block, plan)
            return
        if members[0].is_store and members[0].all_on and all(each.value in plan.scalar_loads for each in members):
            # The lanes are scalars already: put into vectors, they would only be shuffled.
            pieces = lane_images.plan_lane_images(members, self.options.target)
        elif members[0].is_store:
            pieces = self._plan_stores(members, block, plan)
        else:
            pieces = shuffled_loads.plan_loads(members, self.options.target)
        done: set[int] = set()
        for piece in pieces:
            index = (max if members[0].is_store else min)(access.index for access in piece.members)
            plan.add(index, piece.members[0].instruction, piece.write)
            for access in piece.members:
                done.add(access.index)
                self._report(access, block, "shuffled", piece.reason)
                if access.all_on and not access.is_store:
                    plan.vector_loads[access.instruction.name] = access
        for access in members:
            if access.index not in done:
                self._irregular(plan, access, block, "loading the span of the lanes whole would cost more")

    def _plan_stores(self, members: list[Access], block: Block, plan: _Plan) -> list[Piece]:
        """Copies of members, and what else is worth to be written with shuffles."""
        pieces: list[Piece] = []
        others: list[Access] = []
        for cluster in shuffled_loads.clusters(members, 0):
            copies = self._plan_copies(cluster, block, plan)
            if copies is None:
                others += cluster
            else:
                pieces.append(copies)
        return pieces + shuffled_stores.plan_stores(others, self.options.target) if others else pieces

    def _plan_copies(self, stores: list[Access], block: Block, plan: _Plan) -> Piece | None:
        if not stores[0].all_on or self.options.target.is_device:
            return None
        loads: list[Access] = []
        for store in stores:
            load = copied_from(store, plan.regular_loads, self.values.definitions)
            if load is None or (loads and self._key(load) != self._key(loads[0])):
                return None
            loads.append(load)
        # What is stored last is where all are loaded and stored.
        own, end = {store.index for store in stores}, stores[-1].index
        accesses = {each.index: each for each in stores}
        for load in dict.fromkeys(loads):
            for index in range(load.index + 1, end):
                instruction = block.instructions[index]
                if index in own or instruction.op not in _TOUCHING or instruction.op == "load":
                    continue
                operation = pseudo_operation(instruction)
                if operation and index not in accesses:
                    accesses[index] = read_access(index, instruction, operation, self.values)
                access = accesses.get(index)
                if (access is None or access.is_store) and self._may_write(instruction, access, load.memory):
                    return None
        return plan_copies(stores, loads, self.options.target)

    def _load_lanes(self, access: Access, plan: _Plan, vectors: tuple[str, ...] = ()) -> bool:
        """Load as scalars too what the addresses of a lane-by-lane access are made of, or ``vectors``; whether that can be."""
        if not access.all_on or access.address is not None:
            return False
        return self._load_sources(vectors or self._indices(access.pointers.value), plan)

    def _leaving_lane(self, index: int, instruction: Instruction, plan: _Plan) -> None:
        """A pointer that leaves a vector, for a scalar access: its address is made of scalars."""
        found = _LEAVING_LANE.find(instruction.name, self.values.definitions)
        if found is None:
            return
        pointers, lane = found["pointers"], integers(*found["lane"])
        indices = self._indices(pointers.value) if element_of(pointers.type) == "ptr" else ()
        if indices and lane:
            self._load_sources(indices, plan)
            plan.removed.add(index)
            name, number = instruction.name, lane[0]
            plan.add(
                index, instruction, lambda emit: emit.alias(name, emit.lane_pointer(pointers.type, pointers.value, number))
            )

    def _load_sources(self, vectors: tuple[str, ...], plan: _Plan) -> bool:
        found = False
        for each in vectors:
            name = lane_source(each, self.values, self.emit.same)
            source = plan.vector_loads.get(name)
            if source is None or source.address is None:
                continue
            found = True
            if name not in plan.lane_loads:
                plan.lane_loads.add(name)
                plan.add(source.index, source.instruction, partial(_write_lane_loads, source))
        return found

    def _indices(self, pointers: str) -> tuple[str, ...]:
        """The vectors of indices of a pointer vector."""
        found: list[str] = []
        while (instruction := m.made_by(("getelementptr",), pointers, self.values.definitions)) is not None:
            found += [index.value for index in instruction.operands[1:] if lanes_of(index.type)]
            pointers = instruction.operands[0].value
        return tuple(found)

    def _decide_record(self, members: list[Access], distances: dict[int, int], block: Block, plan: _Plan) -> None:
        """Rows for neighbours where that saves loads, the others each alone."""
        done: set[int] = set()
        gathers = cost_row(self.options.target).native_loaded_gather and not self.is_short
        pieces = plan_records(members, distances, gathers)
        if any(piece.from_lanes for piece in pieces):
            self._load_lanes(members[0], plan)
        for piece in pieces:
            plan.add(members[0].index, piece.members[0].instruction, piece.write)
            for access in piece.members:
                done.add(access.index)
                self._report(access, block, "shuffled", piece.reason)
        for access in members:
            if access.index not in done:
                self._alone(access, block, plan)

    def _rewrite(self, block: Block, plan: _Plan) -> None:
        emit = self.emit
        emit.begin_block()
        for index, instruction in enumerate(block.instructions):
            for replaced, writer in plan.writers.get(index, ()):
                attached = replaced.parts.metadata.get("dbg")
                emit.attachment = f", !dbg {attached}" if attached else ""
                writer(emit)
            if index not in plan.removed:
                emit.output.append(instruction)
        block.instructions = emit.output
        emit.begin_block()
