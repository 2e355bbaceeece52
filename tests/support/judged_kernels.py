"""Kernels that a pass has changed, before two judges: the interpreter of the IR, and the processor, between guard pages.

The interpreter takes the module as the passes leave it, and stops at poison and at accesses outside of an array. The
processor runs the machine code where it can; where it lacks the instructions, the interpreter's calls are what is judged.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np
from guard_pages import Array, FencedCalls
from kernels import InterpretedModule, compilations, compile_kernels, compiled_again

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.target_info import find_target

BOTH_ENDS = (False, True)


class JudgedKernels:
    """What a source's kernels must make of arrays: collected by ``expect``, run by ``check``."""

    def __init__(self, source: str, target: str = "avx2-i32x8", **options: Any) -> None:
        self._target, self._options, self._source = find_target(target), options, source
        self.width = self._target.width
        with compilations() as made:
            self._kernels = compile_kernels(source, target, **options)
        self._compilation = made.get(source)
        self._calls = FencedCalls()

    @cached_property
    def text(self) -> str:
        """The LLVM text as the passes leave it."""
        made = self._compilation or compiled_again(self._source, self._target.name, end="passes", **self._options)
        text: str = made.results["passes"]
        return text

    @cached_property
    def _interpreter(self) -> IRInterpreter:
        return IRInterpreter(read(self.text))

    def elements(self, dtype: np.dtype[Any]) -> int:
        """As many as a register holds, or as a gang has lanes where these are more."""
        return max(self.width, self._target.vector_bits // 8 // dtype.itemsize)

    def expect(
        self,
        name: str,
        arrays: list[Array],
        numbers: tuple[Any, ...],
        *wanted: Array,
        interpreted: bool,
        at_ends: tuple[bool, ...] = BOTH_ENDS,
    ) -> None:
        """``wanted`` is in the first arrays behind a call of kernel ``name`` with all of them and then the numbers.

        ``interpreted``: by the interpreter as well, at once (it takes milliseconds a gang). ``at_ends``: at which ends of
        memory that may be touched the arrays lie (True: the upper one).
        """
        if interpreted:
            copies = [array.copy() for array in arrays]
            self._interpreter.call(name, [*copies, *numbers])
            for copy, result in zip(copies, wanted):
                assert copy.tolist() == result.tolist(), (name, numbers, self._source)
        for at_end in at_ends:
            given = self._calls.copies(*arrays, at_end=at_end)
            call = partial(self._kernels[name], *given, *numbers)
            self._calls.add((name, numbers, at_end, self._source), call, *zip(given, wanted))

    def call(self, name: str, *arguments: Any) -> None:
        """Run a kernel on arrays as they are, for what others are compared with."""
        self._kernels[name](*arguments)

    def check(self) -> None:
        """AssertionError names the call that touched what it may not, or whose result is another."""
        if not isinstance(self._kernels, InterpretedModule):
            self._calls.check()
