"""Where very many jumps meet: groups of them meet in blocks of their own before.

A variable that each way gives another value is one phi of all ways there, and LLVM's
register allocation takes time by the square of their number (125 s for a switch with
10,000 cases). An ``llvm.sideeffect``, which becomes no instruction, keeps LLVM from
taking the blocks in between out again.
"""

from __future__ import annotations

from voltac.lower.text.function_builder import FunctionBuilder
from voltac.lower.text.module_builder import ModuleBuilder

_TOGETHER = 256
"""Jumps to one block."""


class MergePoint:
    """Jumps go to :meth:`label`; :meth:`finish` writes the blocks in between."""

    def __init__(self, module: ModuleBuilder, build: FunctionBuilder, final: str) -> None:
        self._module, self._build = module, build
        self.final = self._label = final
        """The last of the blocks."""
        self._jumps = 0
        self._between: list[str] = []

    def label(self) -> str:
        """Where to jump this time."""
        self._jumps += 1
        if self._jumps % _TOGETHER == 0:
            self._label = self._build.block("meet")
            self._between.append(self._label)
        return self._label

    def finish(self) -> None:
        """Begin the last of the blocks, the one behind which all ways meet."""
        build = self._build
        if self._between:
            build.jump(self.final)
            callee = self._module.declare("llvm.sideeffect", "void", "")
            for label in self._between:
                build.start(label)
                build.emit(f"call void {callee}()")
                build.jump(self.final)
        build.start(self.final)
