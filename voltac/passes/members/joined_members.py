"""Lanes that compute each member of a struct of their own by the same formula -> all members at once, as they lie in memory.

    for k = 0 .. 3:  scatter (fmul (splat %s_k), (gather b + 16 * lane + 4 * k)), a + 16 * lane + 4 * k
    ->
    store <8 x float> (fmul <s_0, s_1, s_2, s_3, s_0, ...>, (load <8 x float>, ptr b)), ptr a                of two lanes
    store <8 x float> (fmul <s_0, ...>, (load <8 x float>, ptr (b + 32))), ptr (a + 32)                      of the next two
    ...

Members taken apart by shuffles and put together again are what this saves; numbers of each member, such as a matrix, fill one
register in place of one each. One member of a struct for all of them is a shuffle, or an element of memory in all lanes; where
structs fill several registers (matrices) a row for all rows is one in both halves. Which
costs less is counted in registers' worth of instructions.
"""

from __future__ import annotations

from voltac.ir.lane_values import lane_values
from voltac.ir.model import Function, Module
from voltac.ir.uses import remove_unused
from voltac.options import Options
from voltac.passes.accesses.access import AccessReport, SourcePlaces, locations
from voltac.passes.accesses.emit import Emitter, declare
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects, module_effects
from voltac.passes.members.member_costs import MemberCosts, piece_of
from voltac.passes.members.member_groups import MemberGroup, may_store_members, next_group
from voltac.passes.members.member_writer import MemberWriter
from voltac.target_info import TargetInfo


def join_members(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the accesses that are joined."""
    reports: list[AccessReport] = []
    emitters: list[Emitter] = []
    effects: ModuleEffects | None = None
    places: SourcePlaces | None = None
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        blocks = list(filter(may_store_members, function.blocks))
        if not blocks:
            continue
        effects = effects or module_effects(module)
        values = lane_values(function, layout)
        known = FunctionEffects(effects, function, values)
        emitter = Emitter(module, function, values)
        covered: set[str] = set()
        for block in blocks:
            tried: set[str] = set()
            while (stores := next_group(block, values, tried)) is not None:
                group = MemberGroup(block, stores, values, known)
                if group.may_join() and MemberCosts(group.trees, stores, options.target, function).gain():
                    places = places or SourcePlaces(locations(module))
                    reports += _reports(group, function, places)
                    covered.update(group.trees.covered)
                    _write(group, emitter, options.target)
        if covered:
            emitter.finish()
            remove_unused(function, covered)
            emitters.append(emitter)
    declare(module, emitters)
    return reports


def _reports(group: MemberGroup, function: Function, places: SourcePlaces) -> list[AccessReport]:
    """Of the stores, and of the loads that become part of the same."""
    moved = {node.access.instruction.name for node in group.trees.found() if node.moves and node.access is not None}
    made = []
    for access in (*group.loads, *group.stores):
        kind = "shuffled" if access.instruction.name in moved else "vector"
        made.append(
            AccessReport(
                *(kind, "store" if access.is_store else "load", function.name, group.block.name, access.element, access.lanes),
                *places.of(access.instruction),
                f"{len(group.stores)} members of structs are computed side by side",
                *(access.all_on, places.inlined(access.instruction)),
            )
        )
    return made


def _write(group: MemberGroup, emit: Emitter, target: TargetInfo) -> None:
    """All pieces one after the other, where the last store was."""
    first, root = group.stores[0], group.trees.root
    assert root is not None and first.address is not None
    piece = piece_of(group.trees, group.stores, target)
    emit.begin_block()
    last = group.block.instructions[group.last]
    attached = last.parts.metadata.get("dbg")
    emit.attachment = f", !dbg {attached}" if attached else ""
    writer = MemberWriter(emit, len(group.stores), piece, group.lanes)
    for number in range(len(group.stores) * group.lanes // piece):
        value = writer.value(root, number)
        pointer = emit.address(first.address, first.offsets[0] + number * piece * first.size, first.element, first.size)
        emit.line(f"store <{piece} x {first.element}> {value}, ptr {pointer}, align {first.size}")
    gone = {store.index for store in group.stores}
    behind = group.block.instructions[group.last + 1 :]
    kept = [each for at, each in enumerate(group.block.instructions[: group.last]) if at not in gone]
    group.block.instructions = kept + emit.output + behind
    group.values.definitions.update((each.name, each) for each in emit.output if each.name)
