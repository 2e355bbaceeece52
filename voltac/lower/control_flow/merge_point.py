"""Where very many jumps meet: groups of them meet in blocks of their own before.

A variable that each way gives another value is one phi of all ways there, and LLVM's
register allocation takes time by the square of their number (125 s for a switch with
10,000 cases). An ``llvm.sideeffect``, which becomes no instruction, keeps LLVM from
taking the blocks in between out again.
"""

from __future__ import annotations

from voltac.lower.function_context import FunctionContext

_TOGETHER = 256
"""Jumps to one block."""


class MergePoint:
    """Jumps go to :meth:`label`; :meth:`finish` writes the blocks in between."""

    def __init__(self, context: FunctionContext, label: str) -> None:
        self._context = context
        self._final = self._label = label
        self._jumps = 0
        self._between: list[str] = []

    def label(self) -> str:
        """Where to jump this time."""
        self._jumps += 1
        if self._jumps % _TOGETHER == 0:
            self._label = self._context.build.block("meet")
            self._between.append(self._label)
        return self._label

    def finish(self) -> None:
        """Begin the last of the blocks, the one behind which all ways meet."""
        build = self._context.build
        if self._between:
            build.jump(self._final)
            callee = self._context.module.text.declare("llvm.sideeffect", "void", "")
            for label in self._between:
                build.start(label)
                build.emit(f"call void {callee}()")
                build.jump(self._final)
        build.start(self._final)
