"""LLVM text → optimised LLVM text, before the Python passes.

Stage ``early`` inlines and promotes to registers but leaves addresses as the front end
wrote them: InstCombine would reassociate them and drop ``nsw``, and the access
analysis of :mod:`voltac.passes` lives on both. NewGVN is left out because an
assertion in it ends the process on some programs with nested loops; the passes see
equal formulas and known memory by themselves, and ``late`` merges what is left.
"""

from __future__ import annotations

from typing import Any

from voltac.llvm.counted_arrays import count_in_straight_code
from voltac.llvm.masked_variables import select_in_variables
from voltac.llvm.target_machine import LLVMModule, binding, pass_builder, stage
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns, optimizing


class _Module:
    """A module in stage ``early``, and the passes that wait to be run on it."""

    def __init__(self, text: str, options: Options) -> None:
        self.has_arrays = " = alloca [" in text
        self.stores_under_masks = "@volta.store." in text
        self.options = options
        self._text: str | None = None
        """Once it has been written; none again where passes wait."""
        self._read(text)

    def _read(self, text: str) -> None:
        self._module = LLVMModule(text, self.options)
        # What it knows is about this module alone.
        self._builder = pass_builder(self.options, self.options.level)
        self._manager = binding().create_new_module_pass_manager()

    def waiting(self) -> Any:
        """The pass manager to which passes may be added."""
        self._text = None
        return self._manager

    def run(self) -> None:
        """Run the passes that wait."""
        self._manager.run(self._module.ref, self._builder)
        self._manager = binding().create_new_module_pass_manager()

    def text(self) -> str:
        """What the passes made."""
        if self._text is None:
            self.run()
            self._text = self._module.text()
        return self._text

    def change(self, text: str) -> None:
        """Go on with another text."""
        self._module.close()
        self._read(text)


def _add_inlining(module: _Module) -> None:
    manager = module.waiting()
    manager.add_always_inliner_pass()
    manager.add_global_dead_code_eliminate_pass()


def _add_promotion(module: _Module) -> None:
    manager = module.waiting()
    manager.add_sroa_pass()
    manager.add_simplify_cfg_pass()
    manager.add_aggressive_dce_pass()
    manager.add_simplify_cfg_pass()


def _add_names(module: _Module) -> None:
    module.waiting().add_instruction_namer_pass()


def _promote_counted(module: _Module) -> None:
    """Behind the names, so that where nothing is counted the text is the result."""
    if module.has_arrays and (counted := count_in_straight_code(module.text())) is not module.text():
        module.change(counted)
        module.waiting().add_sroa_pass()
        _add_names(module)


def _promote_masked(module: _Module) -> None:
    """Behind the names, as above."""
    if module.stores_under_masks and (selected := select_in_variables(module.text(), module.options)) is not module.text():
        module.change(selected)
        _add_promotion(module)
        _add_names(module)


EARLY = (
    Pass("inline", "functions that must be inlined are, and what nobody calls goes", _add_inlining, required=True),
    Pass("promote", "variables become registers; branches that lead nowhere go", _add_promotion, optimizing),
    Pass("name_values", "every value gets a name", _add_names, required=True),
    Pass(
        "promote_counted",
        "arrays become registers whose indices are counted up in straight code",
        _promote_counted,
        optimizing,
    ),
    Pass(
        "promote_masked",
        "variables become registers that functions they were handed to assign to under masks",
        _promote_masked,
        optimizing,
    ),
)
"""Each adds LLVM's own passes to those that wait."""


def early(text: str, options: Options, runs: PassRuns | None = None) -> str:
    """Inlining and promotion to registers, with every address and ``nsw`` left as written.

    At ``-O0`` only the functions that must be inlined are.
    """
    runs = runs or PassRuns()
    with stage("early", text, options):
        module = _Module(text, options)
        for row in runs.of(EARLY, options, module.text):
            row.run(module)
            if runs.watches:
                module.run()
        return module.text()
