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

from voltac.ir.lane_values import lane_values
from voltac.ir.model import Function, Module
from voltac.ir.uses import remove_unused
from voltac.options import Options
from voltac.passes.accesses.access import AccessReport, SourcePlaces, locations
from voltac.passes.accesses.emit import Emitter, declare
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects, module_effects
from voltac.passes.members.member_reductions import TOUCHING, Reduction, ReductionFinder, may_reduce
from voltac.passes.members.reduction_writer import ReductionWriter


def reduce_members(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the loads."""
    reports: list[AccessReport] = []
    emitters: list[Emitter] = []
    effects: ModuleEffects | None = None
    places: SourcePlaces | None = None
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        blocks = list(filter(may_reduce, function.blocks))
        if not blocks:
            continue
        effects = effects or module_effects(module)
        values = lane_values(function, layout)
        known = FunctionEffects(effects, function, values)
        emitter = Emitter(module, function, values)
        gone: set[str] = set()
        for block in blocks:
            found = {each.index: each for each in ReductionFinder(block, values, known, function, options.target).find()}
            if not found:
                continue
            places = places or SourcePlaces(locations(module))
            emitter.begin_block()
            for index, instruction in enumerate(block.instructions):
                reduction = found.get(index)
                if reduction is None:
                    emitter.output.append(instruction)
                    if instruction.op in TOUCHING:
                        emitter.forget_loads()
                    continue
                reports += _reports(reduction, function, block.name, places)
                gone |= reduction.chain | set(reduction.trees.covered)
                ReductionWriter(reduction, emitter, options.target).write()
            block.instructions = emitter.output
        if gone:
            emitter.finish()
            remove_unused(function, gone)
            emitters.append(emitter)
    declare(module, emitters)
    return reports


def _reports(reduction: Reduction, function: Function, block: str, places: SourcePlaces) -> list[AccessReport]:
    return [
        AccessReport(
            *("vector", "load", function.name, block, access.element, access.lanes),
            *places.of(access.instruction),
            f"{reduction.members} members of structs are reduced as they lie in memory",
            *(True, places.inlined(access.instruction)),
        )
        for access in reduction.loads
    ]
