"""What a pass that rewrites loops with accesses has while it does: facts of the module, and what it leaves there at the end."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Function, Module
from voltac.options import Options
from voltac.passes.accesses.access import Access, AccessReport, SourcePlaces, locations, pseudo_operation
from voltac.passes.accesses.emit import Emitter, declare
from voltac.passes.facts.effects import ModuleEffects, module_effects
from voltac.passes.loops.counted_loops import CountedLoop


class LoopRewriting:
    """Of one module by one pass. Facts are found when they are first asked for: most modules have no such loop."""

    def __init__(self, module: Module, options: Options) -> None:
        self.module = module
        self.layout = module.layout(options.target.pointer_bits // 8)
        self.reports: list[AccessReport] = []
        self._emitters: list[Emitter] = []

    def functions(self, operation: str = "") -> Iterator[Function]:
        """Those worth the work that have this pseudo operation, or any."""
        for function in self.module.often_called:
            found = map(pseudo_operation, function.instructions())
            if operation in found if operation else any(found):
                yield function

    @cached_property
    def effects(self) -> ModuleEffects:
        """Of the module, before the first loop was rewritten."""
        return module_effects(self.module)

    @cached_property
    def places(self) -> SourcePlaces:
        """Of the source."""
        return SourcePlaces(locations(self.module))

    def emitter(self, function: Function, values: LaneValues) -> Emitter:
        """For a loop that is rewritten."""
        emitter = Emitter(self.module, function, values)
        self._emitters.append(emitter)
        return emitter

    def report(self, access: Access, loop: CountedLoop, reason: str) -> None:
        """An access of the loop, before it is rewritten, becomes a part of what stands in several lanes' rows."""
        instruction, name = access.instruction, loop.function.name
        blocks = (each.name for each in loop.blocks if any(instruction is made for made in each.instructions))
        block = next(blocks, loop.body.name)
        operation = "store" if access.is_store else "load"
        place, inlined = self.places.of(instruction), self.places.inlined(instruction)
        self.reports.append(
            AccessReport(
                "shuffled", operation, name, block, access.element, access.lanes, *place, reason, access.all_on, inlined
            )
        )

    def finish(self) -> list[AccessReport]:
        """When all loops are rewritten: the module has what they need. The reports."""
        declare(self.module, self._emitters)
        return self.reports
