"""legal IR -> assembly text: the stages of the code generator on one page."""

from __future__ import annotations

from collections.abc import Collection

from voltac.codegen.allocation import RegisterFile, allocate, coalesce
from voltac.codegen.block_placement import Branches, lay_out
from voltac.codegen.data_sections import DataForm, data, short_labels
from voltac.codegen.fixed_registers import read_fixed_registers
from voltac.codegen.function_work import SELECTION, FunctionWork
from voltac.codegen.issue_groups import IssueGroup, one_by_one
from voltac.codegen.kernels import exported
from voltac.codegen.loops.strides import step_addresses
from voltac.codegen.machine_code import AnyRegister, MachineInstruction, VirtualRegister
from voltac.codegen.selection import SelectionTarget
from voltac.codegen.stacks import check_stacks
from voltac.codegen.tidying.equal_operations import tidy
from voltac.ir.model import Function, Module
from voltac.ir.read import read
from voltac.ir.write import write
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns, optimizing
from voltac.targets.ia64.assembly.text import symbol_text
from voltac.targets.ia64.select.conditions import jump
from voltac.targets.ia64.select.conventions import CALLS, COPIES, ENTRY, SIZES, copy, kind_of, load_at, store_at
from voltac.targets.ia64.select.frame import complete_frame
from voltac.targets.ia64.select.groups import RULES as ISSUE_RULES
from voltac.targets.ia64.select.increments import increment_addresses
from voltac.targets.ia64.select.kernel_parts import PipelinedKernel
from voltac.targets.ia64.select.kernels import kernel_bundles
from voltac.targets.ia64.select.operations import FUNCTIONS
from voltac.targets.ia64.select.packing import PackedBundle, packed
from voltac.targets.ia64.select.pipelines import pipeline_loops, rotating_registers
from voltac.targets.ia64.select.pseudo import BRANCH_IF, BRANCH_UNLESS, JUMP, ROWS
from voltac.targets.ia64.select.registers import ALLOCATABLE, ONE, ZERO
from voltac.targets.ia64.select.rules import RULES
from voltac.targets.ia64.select.startup import FAILURES
from voltac.targets.ia64.select.text import function_text
from voltac.targets.ia64.select.values import (
    PREDICATES,
    TRANSPARENT,
    cheap_constant,
    constant_key,
    key,
    literal,
    make_constant,
    prepare,
    pure,
)

_FILE = RegisterFile(ALLOCATABLE, frozenset(COPIES.values()), SIZES, store_at, load_at)
_BRANCHES = Branches(ROWS, JUMP, {BRANCH_IF: BRANCH_UNLESS, BRANCH_UNLESS: BRANCH_IF})
_MOST_STACK = 1 << 20
"""Bytes of the stack. Chosen."""
_DATA = DataForm(8, "data8", "data4", "data1", symbol_text, short_bytes=1 << 20)
"""``gp`` reaches 4 MiB: of a program made of several files each has its share. Chosen: a quarter."""

_TARGET = SelectionTarget(
    instructions=ROWS,
    rules=RULES,
    functions={**FUNCTIONS, "ret": CALLS.ret, "call": CALLS.call},
    prepare=prepare,
    key=key,
    kind_of=kind_of,
    predicates=PREDICATES,
    constant_key=constant_key,
    make_constant=make_constant,
    cheap_constant=cheap_constant,
    literal=literal,
    splat_of=lambda selection, operand: None,
    transparent=TRANSPARENT,
    pure=pure,
    copy=copy,
    jump=jump,
    take_parameters=ENTRY.take_parameters,
)


MODULE_PASSES = (
    Pass("tidy", "branches and values that the steps before have left over go",
         lambda module: tidy(module, pure), optimizing),
    Pass("step_addresses", "addresses in loops are stepped instead of computed",
         lambda module: step_addresses(module, word="i64"), optimizing),
)  # fmt: skip
"""Legal IR to legal IR, in order."""


class _FunctionWork(FunctionWork):
    def __init__(self, module: Module, function: Function, any_order: bool, short: Collection[str]) -> None:
        super().__init__(_TARGET, module, function)
        self.any_order = any_order
        """Whether sums of floats may be added in another order."""
        self.short = short
        """Labels of data that ``gp`` reaches."""
        self.groups: dict[str, list[IssueGroup]] = {}
        self.kernels: dict[str, PipelinedKernel] = {}
        """Of pipelined loops, by their block."""

    def text(self, is_global: bool = False) -> str:
        groups = self.groups or one_by_one(self.machine)
        if any("pseudo" in one.row.traits for one in self.machine.instructions()):
            return "".join(
                f"{block.name}:\n" + "".join(f"\t{one}\n" for one in block.instructions) for block in self.machine.blocks
            )
        bundles = {label: self._bundles(label, of_block) for label, of_block in groups.items()}
        return function_text(self.machine.name, bundles, is_global)

    def _bundles(self, label: str, groups: list[IssueGroup]) -> list[PackedBundle]:
        kernel = self.kernels.get(label)
        if kernel is None:
            return packed(groups)
        # What stands behind the kernel is where the loop goes on.
        rest = [group for group in groups if not any(one in each for each in kernel.groups for one in group)]
        return [bundle for group in kernel.groups for bundle in kernel_bundles(group)] + packed(rest)

    def pipeline(self) -> None:
        self.kernels = pipeline_loops(self.machine, self.any_order)

    def complete_frame(self) -> None:
        complete_frame(self.machine, rotating_registers(self.kernels), self.short)

    def group(self) -> None:
        self.groups = ISSUE_RULES.groups(self.machine)


_FIXED = {("constant.r", 0): ZERO["r"], ("constant.single", 0): ZERO["f"], ("constant.double", 0): ZERO["f"],
          ("constant.pair", 0): ZERO["f"],
          ("constant.single", 0x3F800000): ONE, ("constant.double", 0x3FF0000000000000): ONE}  # fmt: skip
"""Constants that registers always have."""


def _fixed(instruction: MachineInstruction) -> AnyRegister | None:
    is_constant = instruction.row.name.startswith("constant.")
    return _FIXED.get((instruction.row.name, int(str(instruction.values[1])))) if is_constant else None


def _summands(instruction: MachineInstruction) -> tuple[AnyRegister, ...]:
    """What is added to a product: with ``f0`` nothing is, and -0 stays what it is (IA-64 7). ``x - 0`` is ``x`` either way."""
    is_sum = instruction.row.mnemonic.partition(".")[0] in ("fma", "fnma", "fpma", "fpnma")
    summand = instruction.values[-1] if is_sum else None
    return (summand,) if isinstance(summand, VirtualRegister) else ()


FUNCTION_PASSES = (
    *SELECTION,
    Pass("use_fixed_registers", "0 and 1 are read from the registers that have them",
         lambda work: read_fixed_registers(work.machine, _fixed, _summands)),
    Pass("coalesce", "registers that are copies of each other become one", lambda work: coalesce(work.machine, _FILE)),
    Pass("increment_addresses", "accesses step their addresses", lambda work: increment_addresses(work.machine), optimizing),
    Pass("pipeline_loops", "iterations of counted loops overlap", _FunctionWork.pipeline,
         lambda options: options.level > 1 and options.loop_unrolling),
    Pass("allocate", "virtual registers become physical ones, or places of the frame",
         lambda work: allocate(work.machine, _FILE), required=True),
    Pass("lay_out", "blocks get their order, and branches their form", lambda work: lay_out(work.machine, _BRANCHES),
         required=True),
    Pass("complete_frame", "the frame is laid out, what a callee saves is saved",
         _FunctionWork.complete_frame, required=True),
    Pass("group", "instructions issue together", _FunctionWork.group, optimizing),
)  # fmt: skip
"""One function, in order."""


def run(text: str, options: Options, runs: PassRuns | None = None) -> str:
    """Legal IR -> the text of an assembly file."""
    runs = runs or PassRuns()
    module = read(text)
    for row in runs.of(MODULE_PASSES, options, lambda: write(module)):
        row.run(module)
    short = short_labels(module, _DATA)
    any_order = options.fast_math == "aggressive"
    works = [_FunctionWork(module, function, any_order, short) for function in module.functions]
    for work in works:
        work.run(FUNCTION_PASSES, options, runs)
    check_stacks([work.machine for work in works], _MOST_STACK)
    names = {kernel.name for kernel in exported(module)}
    functions = [work.text(function.name in names) for function, work in zip(module.functions, works)]
    return "".join(["\t.explicit\n", *functions, FAILURES, data(module, _DATA)])
