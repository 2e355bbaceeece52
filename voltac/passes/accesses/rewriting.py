"""What a pass that rewrites accesses has while it does: facts of the module, and what it leaves there at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Block, Function, Module
from voltac.ir.uses import remove_unused
from voltac.options import Options
from voltac.passes.accesses.access import Access, AccessReport, SourcePlaces, locations, pseudo_operation
from voltac.passes.accesses.emit import Emitter, declare
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects, module_effects


class AccessRewriting:
    """Of one module by one pass. Facts are found when they are first asked for: most modules have nothing to rewrite."""

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

    def with_blocks(self, are_wanted: Callable[[Block], bool]) -> Iterator[FunctionRewriting]:
        """Functions worth the work that have such blocks; each is finished when the next is asked for."""
        for function in self.module.often_called:
            blocks = list(filter(are_wanted, function.blocks))
            if blocks:
                rewriting = FunctionRewriting(self, function, blocks)
                yield rewriting
                rewriting.finish()

    @cached_property
    def effects(self) -> ModuleEffects:
        """Of the module, before the first access was rewritten."""
        return module_effects(self.module)

    @cached_property
    def _places(self) -> SourcePlaces:
        return SourcePlaces(locations(self.module))

    def emitter(self, function: Function, values: LaneValues) -> Emitter:
        """For what is rewritten of a function."""
        emitter = Emitter(self.module, function, values)
        self._emitters.append(emitter)
        return emitter

    def report(self, kind: str, access: Access, function: Function, block: str, reason: str) -> None:
        """What an access becomes, before it is rewritten; the kinds are those of :class:`AccessReport`."""
        instruction = access.instruction
        self.reports.append(
            AccessReport(
                *(kind, "store" if access.is_store else "load", function.name, block, access.element, access.lanes),
                *self._places.of(instruction),
                *(reason, access.all_on, self._places.inlined(instruction)),
            )
        )

    def finish(self) -> list[AccessReport]:
        """When all is rewritten: the module has what that needs. The reports."""
        declare(self.module, self._emitters)
        return self.reports


class FunctionRewriting:
    """Blocks of one function, and what is known of it before they change."""

    def __init__(self, module: AccessRewriting, function: Function, blocks: list[Block]) -> None:
        self._module = module
        self.function = function
        self.blocks = blocks
        self.values = lane_values(function, module.layout)
        self.emitter = module.emitter(function, self.values)
        self.gone: set[str] = set()
        """Values that nothing needs any more once the new ones are in their places."""

    @cached_property
    def effects(self) -> FunctionEffects:
        """Of the function's instructions."""
        return FunctionEffects(self._module.effects, self.function, self.values)

    def finish(self) -> None:
        """New values for old ones, and without those of which nothing is left to do."""
        self.emitter.finish()
        if self.gone:
            remove_unused(self.function, self.gone)
