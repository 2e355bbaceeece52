"""legal IR -> assembly text: the stages of the NaplesPU code generator on one page."""

from __future__ import annotations

import re
from collections.abc import Hashable

from voltac.codegen.allocation import RegisterFile, allocate, coalesce
from voltac.codegen.block_placement import Branches, lay_out
from voltac.codegen.data_sections import data
from voltac.codegen.function_work import SELECTION, FunctionWork
from voltac.codegen.kernels import exported
from voltac.codegen.loops.low_bits import find_low_bits
from voltac.codegen.loops.strides import step_addresses
from voltac.codegen.loops.unroll import TripCounts, count_trips, unroll
from voltac.codegen.loops.versions import version_loops
from voltac.codegen.machine_code import AnyRegister, MachineFunction, MachineInstruction
from voltac.codegen.printer import print_function
from voltac.codegen.scheduling import IssueModel, schedule
from voltac.codegen.selection import SelectionTarget
from voltac.codegen.stacks import check_stacks
from voltac.codegen.tidying.equal_operations import tidy
from voltac.codegen.tidying.shared_loads import share_loads
from voltac.ir.model import Module
from voltac.ir.read import read
from voltac.ir.write import write
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns, optimizing
from voltac.records import field, mutable_record
from voltac.targets.naplespu.regs import ALLOCATABLE, BY_NAME, CALLEE_SAVED
from voltac.targets.naplespu.select.calls import CONVENTION, COPIES, SIZES, copy
from voltac.targets.naplespu.select.flushes import add_flushes
from voltac.targets.naplespu.select.frame import complete_frame, spill_load, spill_store
from voltac.targets.naplespu.select.masks import FULL, assign_states, write_masks
from voltac.targets.naplespu.select.operations import FUNCTIONS, jump, masked_load, masked_store
from voltac.targets.naplespu.select.pseudo import ROWS
from voltac.targets.naplespu.select.reach import extend_branches
from voltac.targets.naplespu.select.rules import RULES
from voltac.targets.naplespu.select.startup import USABLE_STACK, most_loaded, startup
from voltac.targets.naplespu.select.values import (
    PREDICATES,
    TRANSPARENT,
    cheap_constant,
    constant_key,
    key,
    kind_of,
    leaves_memory,
    literal,
    make_constant,
    prepare,
    pure,
    splat_of,
)
from voltac.targets.naplespu.select.vector_pool import constant_vectors

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
_MACHINE = IssueModel({"scalar": 50, "vector": 56}, FULL, switch_cycles=16)
_BRANCHES = Branches(ROWS, "jmp", {"bnez": "beqz", "beqz": "bnez"})


_ALIGNMENT_TESTS = (15, 31, 63)
"""What is asked of the address of a vector of bytes, halves or words (``legalize/lines.py``)."""
_REGISTER_NAME = re.compile(rf"@({'|'.join(BY_NAME)})(?![-\w$.])")
"""Globals and functions that the assembler would take for registers."""


@mutable_record(eq=False)
class _Work:
    """A module on its way."""

    module: Module
    trips: TripCounts = field(default_factory=dict)
    """The loops to write out: counted while they are as the source has them."""

    def count_trips(self) -> None:
        self.trips = count_trips(self.module)


MODULE_PASSES = (
    Pass("find_low_bits", "tests of addresses whose low bits are known are decided",
         lambda work: find_low_bits(work.module), optimizing),
    Pass("tidy", "branches and values that the steps before have left over go",
         lambda work: tidy(work.module, pure), optimizing),
    Pass("version_loops", "loops over what may be aligned become one for each case",
         lambda work: version_loops(work.module, _ALIGNMENT_TESTS), lambda options: options.level > 1),
    Pass("add_flushes", "what a kernel has written is made visible to the host",
         lambda work: add_flushes(work.module), required=True),
    Pass("count_trips", "short loops that are worth it are found", _Work.count_trips,
         lambda options: options.level > 1 and options.loop_unrolling),
    Pass("step_addresses", "addresses in loops are stepped instead of computed",
         lambda work: step_addresses(work.module, most_loaded)),
    Pass("share_loads", "loads of neighbouring elements become one of the line",
         lambda work: share_loads(work.module, leaves_memory), optimizing),
    Pass("unroll", "the short loops are written out", lambda work: unroll(work.module, work.trips)),
)  # fmt: skip
"""Legal IR to legal IR, in order."""


FUNCTION_PASSES = (
    *SELECTION,
    Pass("assign_states", "each instruction learns under which masks it may run",
         lambda work: assign_states(work.machine), required=True),
    Pass("coalesce", "registers that are copies of each other become one", lambda work: coalesce(work.machine, _FILE)),
    Pass("schedule", "instructions move away from those they wait for", lambda work: schedule(work.machine, _MACHINE)),
    Pass("allocate", "virtual registers become physical ones, or places of the frame",
         lambda work: allocate(work.machine, _FILE), required=True),
    Pass("write_masks", "the mask register is written where it changes", lambda work: write_masks(work.machine), required=True),
    Pass("complete_frame", "the frame is laid out, what a callee saves is saved",
         lambda work: complete_frame(work.machine), required=True),
    Pass("lay_out", "blocks get their order, and branches their form", lambda work: lay_out(work.machine, _BRANCHES),
         required=True),
)  # fmt: skip
"""One function, in order."""


def run(text: str, options: Options, runs: PassRuns | None = None) -> str:
    """Legal IR -> the text of an assembly file."""
    runs = runs or PassRuns()
    work = _Work(read(_REGISTER_NAME.sub(r"@\1.", text)))
    module = work.module
    for row in runs.of(MODULE_PASSES, options, lambda: write(module)):
        row.run(work)
    pool: dict[tuple[int, ...], str] = {}
    kernels = {function.name for function in exported(module)}
    start = startup(module)
    works = [FunctionWork(_target(pool), module, function) for function in module.functions]
    for each in works:
        each.run(FUNCTION_PASSES, options, runs)
    functions = [each.machine for each in works]
    check_stacks(functions, USABLE_STACK)
    extend_branches(functions, start.count("\n"))
    parts = [start, "\t.text\n"]
    for source, machine in zip(module.functions, functions):
        parts.append(print_function(machine, source.name in kernels))
    return "".join([*parts, constant_vectors(pool), data(module)])


def _target(pool: dict[tuple[int, ...], str]) -> SelectionTarget:
    def constants(machine: MachineFunction, register: AnyRegister, name: Hashable) -> list[MachineInstruction]:
        return make_constant(pool, machine, register, name)

    return SelectionTarget(
        instructions=ROWS,
        rules=RULES,
        functions={
            **FUNCTIONS,
            "ret": CONVENTION.ret,
            "call": CONVENTION.call,
            "call.llvm.masked.load.v16i32.p68": masked_load,
            "call.llvm.masked.load.v16f32.p68": masked_load,
            "call.llvm.masked.store.v16i32.p68": masked_store,
            "call.llvm.masked.store.v16f32.p68": masked_store,
        },
        prepare=prepare,
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
        jump=jump,
        take_parameters=CONVENTION.take_parameters,
    )
