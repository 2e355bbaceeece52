"""legal IR -> assembly text: the stages of the NaplesPU code generator on one page."""

from __future__ import annotations

import re
from collections.abc import Hashable

from voltac.codegen.allocation import RegisterFile, allocate, coalesce
from voltac.codegen.constants import place_constants
from voltac.codegen.layout import Branches, lay_out
from voltac.codegen.machine_code import AnyRegister, MachineFunction, MachineInstruction
from voltac.codegen.phi_copies import place_phi_copies
from voltac.codegen.printer import print_function
from voltac.codegen.scheduling import Machine, schedule
from voltac.codegen.selection import Selection, SelectionTarget
from voltac.ir.model import Function, Module
from voltac.ir.read import read
from voltac.options import Options
from voltac.targets.naplespu.abi import SIZES
from voltac.targets.naplespu.calls import COPIES, call, copy, leave, take_parameters
from voltac.targets.naplespu.data import constant_vectors, data
from voltac.targets.naplespu.flushes import add_flushes
from voltac.targets.naplespu.frame import complete_frame, spill_load, spill_store
from voltac.targets.naplespu.low_bits import find_low_bits
from voltac.targets.naplespu.masks import FULL, assign_states, write_masks
from voltac.targets.naplespu.operations import FUNCTIONS, jump, masked_load, masked_store
from voltac.targets.naplespu.pseudo import ROWS
from voltac.targets.naplespu.reach import extend_branches
from voltac.targets.naplespu.regs import ALLOCATABLE, BY_NAME, CALLEE_SAVED
from voltac.targets.naplespu.rules import RULES
from voltac.targets.naplespu.shared_loads import share_loads
from voltac.targets.naplespu.stacks import check_stacks
from voltac.targets.naplespu.startup import exported, startup
from voltac.targets.naplespu.strides import step_addresses
from voltac.targets.naplespu.tidy import tidy
from voltac.targets.naplespu.unroll import count_turns, unroll
from voltac.targets.naplespu.values import (
    PREDICATES,
    TRANSPARENT,
    cheap_constant,
    constant_key,
    key,
    kind_of,
    literal,
    make_constant,
    prepare,
    pure,
    splat_of,
)
from voltac.targets.naplespu.versions import version_loops

_FILE = RegisterFile(
    # What a callee saves comes last; what arguments travel in, before that.
    {
        kind: tuple(sorted(registers, key=lambda one: (one in CALLEE_SAVED, one.number < 8, one.number)))
        for kind, registers in ALLOCATABLE.items()
    },
    frozenset(COPIES.values()),
    SIZES,
    spill_store,
    spill_load,
)
_MACHINE = Machine({"scalar": 50, "vector": 56}, FULL, switch_cycles=16)
_BRANCHES = Branches(ROWS, "jmp", {"bnez": "beqz", "beqz": "bnez"})


_REGISTER_NAME = re.compile(rf"@({'|'.join(BY_NAME)})(?![-\w$.])")
"""Globals and functions that the assembler would take for registers."""


def run(text: str, options: Options) -> str:
    module = read(_REGISTER_NAME.sub(r"@\1.", text))
    if options.level > 0:
        find_low_bits(module)
        tidy(module)
    if options.level > 1:
        version_loops(module)
    add_flushes(module)
    turns = count_turns(module) if options.level > 1 and options.loop_unrolling else {}
    step_addresses(module)
    if options.level > 0:
        share_loads(module)
    unroll(module, turns)
    pool: dict[tuple[int, ...], str] = {}
    kernels = {function.name for function in exported(module)}
    start = startup(module)
    functions = [compile_function(module, function, pool) for function in module.functions]
    check_stacks(functions)
    extend_branches(functions, start.count("\n"))
    parts = [start, "\t.text\n"]
    for source, machine in zip(module.functions, functions):
        parts.append(print_function(machine, source.name in kernels))
    return "".join([*parts, constant_vectors(pool), data(module)])


def compile_function(module: Module, function: Function, pool: dict[tuple[int, ...], str]) -> MachineFunction:
    """One function, from legal IR to instructions in their final order."""
    selection = Selection(_target(pool), module, function)
    prepare(selection)
    machine = selection.run()
    added = place_phi_copies(selection, jump)
    place_constants(selection, added)
    assign_states(machine)
    coalesce(machine, _FILE)
    schedule(machine, _MACHINE)
    allocate(machine, _FILE)
    write_masks(machine)
    complete_frame(machine)
    lay_out(machine, _BRANCHES)
    return machine


def _target(pool: dict[tuple[int, ...], str]) -> SelectionTarget:
    def constants(machine: MachineFunction, register: AnyRegister, name: Hashable) -> list[MachineInstruction]:
        return make_constant(pool, machine, register, name)

    return SelectionTarget(
        instructions=ROWS,
        rules=RULES,
        functions={
            **FUNCTIONS,
            "ret": leave,
            "call": call,
            "call.llvm.masked.load.v16i32.p68": masked_load,
            "call.llvm.masked.load.v16f32.p68": masked_load,
            "call.llvm.masked.store.v16i32.p68": masked_store,
            "call.llvm.masked.store.v16f32.p68": masked_store,
        },
        key=key,
        kind_of=kind_of,
        predicates=PREDICATES,
        constant_key=constant_key,
        make_constant=constants,
        cheap_constant=cheap_constant,
        literal=literal,
        splat_of=splat_of,
        transparent=TRANSPARENT,
        pure=pure,
        copy=copy,
        take_parameters=take_parameters,
    )
