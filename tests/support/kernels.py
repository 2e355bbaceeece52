"""Kernels for any x86 target: its machine code where this CPU runs it, else the interpreter of the IR on the same module.

So what a test says of a target's code is checked on every machine; only the last
step, LLVM's code generation, is not where the CPU lacks the instructions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

import voltac
from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.llvm import can_run
from voltac.llvm.host import needed, real_instruction_sets
from voltac.lower.control_flow.failure_exits import FAIL, OPEN_LAUNCH
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pipeline import Compilation
from voltac.python.callbacks import PRINT_FUNCTION
from voltac.python.kernel import Kernel
from voltac.python.module import KernelModule
from voltac.python.source import Source
from voltac.target_info import TargetInfo, find_target

OF_PYTHON = (f"@{PRINT_FUNCTION}", f"@{FAIL}", f"@{OPEN_LAUNCH}")
"""Functions of Python's process that kernels may call: what prints, fails or launches."""


def compile_kernels(
    source: str, target: str, *, opt: int = 3, cache: bool = True, **options: Any
) -> KernelModule | InterpretedModule:
    """What :func:`voltac.compile` makes, or something that is called like it."""
    with compilations() as made:
        module = voltac.compile(source, target=target, opt=opt, cache=cache, **options)
    if can_run(find_target(target)):
        return module
    return InterpretedModule(module, made.get(source) or compiled_again(source, target, opt, **options))


def compile_with_text(source: str, target: str, **options: Any) -> tuple[KernelModule | InterpretedModule, str]:
    """The kernels, and the LLVM text that the passes have made of them: half of what it takes to compile both by themselves."""
    with compilations() as made:
        kernels = compile_kernels(source, target, **options)
    compilation = made.get(source) or compiled_again(source, target, end="passes", **options)
    return kernels, compilation.results["passes"]


@contextmanager
def compilations() -> Iterator[dict[str, Compilation]]:
    """Those that make kernels meanwhile, by their sources, if what they call is no function of Python's process; what the cache
    has is not compiled."""
    made: dict[str, Compilation] = {}
    compiled = Source.compiled

    def kept(source: Source) -> Compilation:
        compilation = compiled(source)
        if not any(name in compilation.results["passes"] for name in OF_PYTHON):
            made[source.text] = compilation
        return compilation

    with patch.object(Source, "compiled", kept):
        yield made


def compiled_again(source: str, target: str, opt: int = 3, end: str = "", **options: Any) -> Compilation:
    """The compilation of kernels that were in the cache, or that call functions of Python's process."""
    settings = Options(target=find_target(target), level=opt, whole_program=True, **options)
    return compile_source(source, "<string>", settings, Diagnostics(), end=end)


def processor_runs(target: TargetInfo) -> bool:
    """Whether the processor itself has what code for a target needs, whatever it is to be taken for (``VOLTAC_HOST_CPU``)."""
    return real_instruction_sets().issuperset(needed(target))


class InterpretedModule:
    """Kernels on the interpreter of the IR: the module as LLVM is done with it."""

    def __init__(self, compiled: KernelModule, compilation: Compilation) -> None:
        self._compiled = compiled
        # LLVM reads padding as a part of wider numbers.
        self._machine = IRInterpreter(read(compilation.optimized.text()), new_is_poison=False)

    def __getattr__(self, name: str) -> JudgedKernel:
        return JudgedKernel(getattr(self._compiled, name), self._machine)

    def __getitem__(self, name: str) -> JudgedKernel:
        return JudgedKernel(self._compiled[name], self._machine)


STEPS = 20_000_000
"""Blocks of one call; a kernel that takes more does not end."""


class JudgedKernel:
    """Takes contiguous arrays and numbers. Arrays are objects of their own there: an access outside one is an error."""

    def __init__(self, kernel: Kernel, machine: IRInterpreter) -> None:
        self._kernel = kernel
        self._machine = machine
        self.assembly: Callable[[], str] = kernel.assembly
        self.signature = kernel.signature

    def __call__(self, *given: Any) -> Any:
        result = self._kernel._signature.result
        self._machine.blocks_left = STEPS
        found = self._machine.call(self._kernel.__name__, [*map(_argument, given)])
        sys.stdout.write("".join(self._machine.printed))
        self._machine.printed.clear()
        if result.kind == "bool":
            return bool(found & 1)
        if result.kind in ("int", "uint"):
            return int(np.array(found, np.uint64).astype(f"{result.kind[0]}{result.bits // 8}"))
        return found


def _argument(given: Any) -> Any:
    return given if isinstance(given, np.ndarray) else given.item() if isinstance(given, np.generic) else given
