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

from voltac.ir.model import Function, Module
from voltac.options import Options
from voltac.passes.accesses.access import AccessReport
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.rewriting import AccessRewriting
from voltac.passes.members.member_costs import MemberCosts, piece_of
from voltac.passes.members.member_groups import MemberGroup, may_store_members, next_group
from voltac.passes.members.member_trees import MemberWriter
from voltac.target_info import TargetInfo


def join_members(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the accesses that are joined."""
    rewriting = AccessRewriting(module, options)
    for part in rewriting.with_blocks(may_store_members):
        for block in part.blocks:
            tried: set[str] = set()
            while (stores := next_group(block, part.values, tried)) is not None:
                group = MemberGroup(block, stores, part.values, part.effects)
                if group.may_join() and MemberCosts(group.trees, stores, options.target, part.function).gain():
                    _report(group, part.function, rewriting)
                    part.gone.update(group.trees.covered)
                    _write(group, part.emitter, options.target)
    return rewriting.finish()


def _report(group: MemberGroup, function: Function, rewriting: AccessRewriting) -> None:
    """Of the stores, and of the loads that become part of the same."""
    moved = {node.access.instruction.name for node in group.trees.found() if node.moves and node.access is not None}
    for access in (*group.loads, *group.stores):
        kind = "shuffled" if access.instruction.name in moved else "vector"
        reason = f"{len(group.stores)} members of structs are computed side by side"
        rewriting.report(kind, access, function, group.block.name, reason)


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
