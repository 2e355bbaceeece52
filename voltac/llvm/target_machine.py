"""Options of a compilation → LLVM's target machine and contexts; the one door through which llvmlite comes in."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from voltac.llvm.aborts import no_end_of_process
from voltac.llvm.light_import import import_binding
from voltac.llvm.module_text import text_of
from voltac.messages.diagnostics import InternalError
from voltac.options import Options
from voltac.system.forking import lock_around_forks, new_in_child
from voltac.system.lazy_patterns import lazy_pattern

_starting = threading.RLock()


def _new_lock() -> None:
    global _starting
    _starting = threading.RLock()


new_in_child(_new_lock)


def binding() -> Any:
    """``llvmlite.binding`` with the code generators set up. Imported late: loading LLVM takes 60 ms."""
    with _starting:
        return _binding()


@cache
def _binding() -> Any:
    llvm = import_binding()
    lock = llvm.ffi.lib._lock
    lock_around_forks(lock.__enter__, lambda: lock.__exit__(None, None, None))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    # Copies of a loop that sums up get a sum each, where the order of additions does not matter.
    llvm.set_option("voltac", "--unroll-add-parallel-reductions")
    # Reading a module with debug information would verify it for that, and end the process if it is wrong; we verify it too.
    llvm.set_option("voltac", "--disable-auto-upgrade-debug-info")
    return llvm


def llvm_version() -> tuple[int, int, int]:
    """Version of the LLVM in use."""
    major, minor, patch = binding().llvm_version_info
    return major, minor, patch


def host_features() -> list[str]:
    """LLVM's names of the instruction sets this CPU has."""
    return [name for name, present in binding().get_host_cpu_features().items() if present]


def target_machine(options: Options, comments: bool = False) -> Any:
    """The target machine for these options; ``comments`` go into the assembly language it writes.

    Code is always position independent: it costs next to nothing on x86-64, links
    into the executables today's C compilers make by default, and loads anywhere.
    ``--pic`` is about what is reached through the table of addresses (``lower/module_context.py``).
    """
    # LLVM's fast selector for aarch64 keeps a place in the module it worked on last, and looks at it when that is gone.
    make = _machine if options.level or options.target.architecture != "aarch64" else _machine.__wrapped__
    return make(
        options.target.triple,
        options.target.cpu,
        options.target.features,
        options.level,
        options.code_model or "small",
        comments,
    )


@cache
def write_intel_assembly() -> None:
    """Assembly language has Intel's syntax from here on. For the process: LLVM takes it once, before any target machine."""
    binding().set_option("voltac", "--x86-asm-syntax=intel")


_ABIS = {"riscv64": "lp64d"}
"""Architecture -> LLVM's name of its C convention, where that is not the only one."""


@cache
def _leave_riscv_uncombined() -> None:
    """LLVM 22 takes the number of elements of any vector operation for a register where it looks at sums of three, and ends
    the process at one that is a constant (``areRVVInstsReassociable``). For the process; of RISC-V only."""
    binding().set_option("voltac", "--riscv-enable-machine-combiner=false")


def _target_of(triple: str) -> Any:
    """LLVM's code generator for a triple. Those of other machines are set up where one is asked for: they take 10 MB."""
    target = binding().Target
    try:
        return target.from_triple(triple)
    except RuntimeError:
        binding().initialize_all_targets()
        binding().initialize_all_asmprinters()
        return target.from_triple(triple)


@cache
def _machine(triple: str, cpu: str, features: str, level: int, code_model: str, comments: bool) -> Any:
    target = _target_of(triple)
    architecture = triple.partition("-")[0]
    if architecture == "riscv64":
        _leave_riscv_uncombined()
    machine = target.create_target_machine(
        cpu=cpu,
        features=features,
        opt=level,
        # A linker places the data of WebAssembly; code that asks where they are is for its dynamic libraries.
        reloc="static" if architecture == "wasm32" else "pic",
        codemodel=code_model,
        abiname=_ABIS.get(architecture, ""),
    )
    machine.set_asm_verbosity(comments)
    return machine


def data_layout(options: Options) -> str:
    """LLVM's data layout string for the target."""
    triple = options.target.triple
    layout = _LAYOUTS.get(triple)
    if layout is None:
        layout = _LAYOUTS[triple] = str(target_machine(options).target_data)
    return layout


_LAYOUTS: dict[str, str] = {}
"""By triple: what is kept by options would be kept of every compilation with a macro of its own."""


def pass_builder(options: Options, level: int) -> Any:
    """What runs LLVM's passes; it knows what they found out about one module."""
    llvm = binding()
    tuning = llvm.create_pipeline_tuning_options(speed_level=level)
    tuning.loop_vectorization = False
    tuning.slp_vectorization = False
    tuning.loop_unrolling = options.loop_unrolling and level > 1 and not options.target.keeps_loops
    # Devices are not LLVM's: what it decides by costs of a machine is then left as it is.
    machine = None if options.target.is_device else target_machine(options)
    return llvm.create_pass_builder(machine, tuning)


class LLVMModule:
    """LLVM text parsed and verified, in a context of its own, with the target's triple and data layout.

    llvmlite disposes of a context and its modules in any order when both die in one
    garbage collection, and crashes; here the module goes first.
    """

    def __init__(self, text: str, options: Options) -> None:
        self.ref: Any = None
        self._context: Any = None
        llvm = binding()
        if "target datalayout" not in text:
            # Given before parsing: loads and stores without an alignment take the layout's.
            text = f'target datalayout = "{data_layout(options)}"\n{text}'
        self._context = llvm.create_context()
        self._context._owned = True
        self.ref = llvm.parse_assembly(text, self._context)
        self.ref.triple = options.target.triple
        self.ref.verify()

    def is_sound(self) -> bool:
        """Whether LLVM's verifier finds nothing wrong."""
        try:
            self.ref.verify()
        except RuntimeError:
            return False
        return True

    def text(self) -> str:
        """The module as LLVM writes it."""
        return text_of(self.ref, binding())

    def definitions(self) -> Iterator[Any]:
        """The functions that have a body."""
        return (function for function in self.ref.functions if not function.is_declaration)

    def close(self) -> None:
        """Free the memory; done by itself when the object dies."""
        if self.ref is not None:
            self.ref.close()
        if self._context is not None:
            self._context._owned = False
            self._context.close()

    def __del__(self) -> None:
        if not sys.is_finalizing():
            self.close()


@contextmanager
def stage(name: str, text: str, options: Options) -> Iterator[None]:
    """Turns a failure of LLVM into an :class:`InternalError` that names the stage and a file with its input.

    One that would end the process, too, in a thread that compiles (:mod:`voltac.system.compiling_thread`).
    """

    def stopped() -> InternalError:
        # Nobody else is to work with the one that it stopped in the middle of.
        _machine.cache_clear()
        file = _FILE.search(text)
        where = f"{f'{file[1]} ' if file else ''}for {options.target.name} at -O{options.level}"
        return _failure(name, text, f"LLVM cannot compile {where}: it says why on standard error; {_REMEDY}")

    try:
        with no_end_of_process(binding().ffi.lib._lock, stopped):
            yield
    except RuntimeError as error:
        raise _failure(name, text, str(error).strip()) from error


_FILE = lazy_pattern(r'^source_filename = "([^"]*)"', re.MULTILINE)
_REMEDY = "another target or level (-O) may do, or other words for what it names"


def _failure(name: str, text: str, what: str) -> InternalError:
    import tempfile  # slow to import

    handle, path = tempfile.mkstemp(prefix=f"voltac-{name}-", suffix=".ll")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    error = InternalError(f"stage '{name}': {what}\nthe input of the stage is in {path}")
    error.input_file = path
    return error
