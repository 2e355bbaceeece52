"""Lanes that each sum up, or find the least of, all members of a struct of their own -> as the members lie in memory.

    %s = add (zext (gather b + 16 * lane)), (zext (gather b + 16 * lane + 1)), ... of 16 members
    ->
    %bytes = load <32 x i8>, ptr b                                of two lanes, and so on
    %sums = call <4 x i64> @llvm.x86.avx2.psad.bw(%bytes, 0)
    ...                                                           added in pairs, and cut to the lanes' size

What each member is made of first is done for all of them at once, too (:mod:`voltac.passes.members.joined_members`): absolute
differences, products. Members need not be brought one into each lane for that; what is left of each register is
(:mod:`voltac.passes.members.lane_folds`).
"""

from __future__ import annotations

from voltac.ir.model import Module
from voltac.options import Options
from voltac.passes.accesses.access import AccessReport
from voltac.passes.accesses.rewriting import AccessRewriting
from voltac.passes.members.member_reductions import TOUCHING, ReductionFinder, may_reduce
from voltac.passes.members.reduction_writer import ReductionWriter


def reduce_members(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the loads."""
    rewriting = AccessRewriting(module, options)
    for part in rewriting.with_blocks(may_reduce):
        emitter = part.emitter
        for block in part.blocks:
            finder = ReductionFinder(block, part.values, part.effects, part.function, options.target)
            found = {each.index: each for each in finder.find()}
            if not found:
                continue
            emitter.begin_block()
            for index, instruction in enumerate(block.instructions):
                reduction = found.get(index)
                if reduction is None:
                    emitter.output.append(instruction)
                    if instruction.op in TOUCHING:
                        emitter.forget_loads()
                    continue
                reason = f"{reduction.members} members of structs are reduced as they lie in memory"
                for access in reduction.loads:
                    rewriting.report("vector", access, part.function, block.name, reason)
                part.gone |= reduction.chain | set(reduction.trees.covered)
                ReductionWriter(reduction, emitter, options.target).write()
            block.instructions = emitter.output
    return rewriting.finish()
