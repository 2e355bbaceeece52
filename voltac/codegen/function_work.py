"""A function on its way from legal IR to a device's instructions: its state, and the passes that every device begins with."""

from __future__ import annotations

from voltac.codegen.constant_placement import place_constants
from voltac.codegen.machine_code import MachineFunction
from voltac.codegen.phi_copies import place_phi_copies
from voltac.codegen.printer import print_function
from voltac.codegen.selection import Selection, SelectionTarget
from voltac.ir.model import Function, Module
from voltac.options import Options
from voltac.pass_runs import AnyPass, Pass, PassRuns


class FunctionWork:
    """What the passes of one function share; a device that needs more derives a class."""

    def __init__(self, target: SelectionTarget, module: Module, function: Function) -> None:
        self.selection = Selection(target, module, function)
        self.machine = MachineFunction(function.name)
        self.added: dict[str, str] = {}
        """The phi copies of each block."""

    def select(self) -> None:
        """Legal IR to machine instructions."""
        target = self.selection.target
        target.prepare(self.selection)
        self.machine = self.selection.run()

    def copy_phis(self) -> None:
        """Into the blocks that phis name."""
        self.added = place_phi_copies(self.selection, self.selection.target.jump)

    def text(self, is_global: bool = False) -> str:
        """Assembly of what is there."""
        return print_function(self.machine, is_global)

    def run(self, passes: tuple[AnyPass, ...], options: Options, runs: PassRuns) -> None:
        """These passes, as far as the options ask for them."""
        for row in runs.of(passes, options, self.text):
            row.run(self)


SELECTION = (
    Pass("select", "instructions of the device by pattern, on virtual registers", FunctionWork.select, required=True),
    Pass("place_phi_copies", "phis become copies at the ends of blocks", FunctionWork.copy_phis, required=True),
    Pass("place_constants", "constants are made where they are used, or before the loop",
         lambda work: place_constants(work.selection, work.added), required=True),
)  # fmt: skip
"""Legal IR to instructions on virtual registers, in order."""
