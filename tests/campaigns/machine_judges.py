"""Random programs on other machines than this one: SVE, RISC-V's vectors, WebAssembly, x86 with pointers of 32 bits.

Objects are made at every level, for LLVM's code generators for these end the process on what is in order on x86. They are run
by the emulator of the machine, or of the late IR by its interpreter where there is none.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import wasm_modules
from emulated import AARCH64, X86, Machine, missing, run_emulated
from program_judges import X86_32, difference, first_wrong, interpreted
from run_programs import Array, NativeRunner, at_level, compile_for, natively
from test_other_machines import with_sve, with_vectors

from voltac.pipeline import Compilation
from voltac.target_info import TARGETS, TargetInfo

OTHER_MACHINES = (*(target for target in TARGETS.values() if target.isa.startswith(("sve", "rvv", "wasm"))), *X86_32)
"""By names: SVE of each length, RISC-V, WebAssembly; those for small types have most lanes."""

_OF_QEMU = "decode_save_opc: Assertion"
"""QEMU 7.2 ends at some programs for RISC-V's vectors, whatever they do."""


def machine_of_program(seed: int) -> TargetInfo:
    return random.Random(f"other machine {seed}").choice(OTHER_MACHINES)


def emulator_of(target: TargetInfo) -> Machine | None:
    """That of vectors as long as the target asks for; None where there is none."""
    if target.has_sve:
        machine = with_sve(target.vector_bits // 128)
    elif target.architecture == "riscv64":
        machine = with_vectors(target.vector_bits)
    else:
        machine = X86 if target in X86_32 else AARCH64
    return None if missing(machine) or target.architecture == "wasm32" else machine


def ran(jobs: Sequence[Compilation], text: str) -> list[tuple[Array, str]]:
    """out and the printed text of each."""
    target = jobs[0].options.target
    calls_others = any(word in text for word in ("print(", "assert(", "new ", "clock("))
    if target.architecture == "wasm32" and wasm_modules.NODE and not calls_others:
        return [(wasm_modules.run_test(job), "") for job in jobs]
    machine = emulator_of(target)
    if machine is not None and not (machine is X86 and calls_others):
        try:
            return run_emulated(jobs, machine)
        except AssertionError as error:
            if _OF_QEMU not in str(error):
                raise
    return NativeRunner().run([natively(job) for job in jobs])


def judge_on_machine(seed: int, text: str) -> str:
    """For one target, run at -O2 and at one of the other levels; there is an object of the rest."""
    target, path = machine_of_program(seed), Path(f"program_{seed}.ispc")
    job = compile_for(path, text, target)
    expected, text_printed = interpreted(job)
    others = [at_level(job, level) for level in (0, 1, 3)]
    for each in (job, *others):
        each.optimized.object_code()
    jobs = (job, others[seed % len(others)])
    try:
        results = ran(jobs, text)
    except AssertionError as crash:
        return f"crash, {first_wrong(job, expected)}: {target.name}: {crash}"
    return difference(jobs, results, expected, text_printed)
