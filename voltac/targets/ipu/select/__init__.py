"""legal IR -> assembly text: the stages of the IPU's code generator on one page."""

from __future__ import annotations

from voltac.codegen.allocation import RegisterFile, allocate, coalesce
from voltac.codegen.block_placement import Branches, lay_out
from voltac.codegen.data_sections import data
from voltac.codegen.fixed_registers import read_fixed_registers
from voltac.codegen.function_work import SELECTION, FunctionWork
from voltac.codegen.issue_groups import IssueGroup, one_by_one
from voltac.codegen.kernels import exported
from voltac.codegen.loops.strides import step_addresses
from voltac.codegen.machine_code import AnyRegister, MachineInstruction
from voltac.codegen.selection import SelectionTarget
from voltac.codegen.stacks import check_stacks
from voltac.codegen.tidying.equal_operations import tidy
from voltac.ir.model import Function, Module
from voltac.ir.read import read
from voltac.ir.write import write
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns, optimizing
from voltac.targets.ipu.memory_map import map_of
from voltac.targets.ipu.select.bundles import bundled
from voltac.targets.ipu.select.conventions import CONVENTION, COPIES, SIZES, copy
from voltac.targets.ipu.select.frame import complete_frame, load_at, store_at
from voltac.targets.ipu.select.operations import FUNCTIONS, jump
from voltac.targets.ipu.select.pair_operations import FUNCTIONS as PAIR_FUNCTIONS
from voltac.targets.ipu.select.pseudo import ROWS
from voltac.targets.ipu.select.registers import ALLOCATABLE, ZERO
from voltac.targets.ipu.select.rules import RULES
from voltac.targets.ipu.select.startup import entry, stack_size, support
from voltac.targets.ipu.select.text import function_text
from voltac.targets.ipu.select.values import (
    PREDICATES,
    TRANSPARENT,
    cheap_constant,
    constant_key,
    key,
    kind_of,
    lane_of,
    literal,
    make_constant,
    prepare,
    pure,
    splat_of,
)
from voltac.targets.ipu.streams.code import stream_functions

_FILE = RegisterFile(ALLOCATABLE, frozenset(COPIES.values()), SIZES, store_at, load_at)
_BRANCHES = Branches(
    ROWS,
    "bri.target",
    {
        "brnz.mtarget": "brz.mtarget",
        "brz.mtarget": "brnz.mtarget",
        "brneg.mtarget": "brpos.mtarget",
        "brpos.mtarget": "brneg.mtarget",
    },
)
_MOST_STACK = 1 << 16
"""Bytes of a worker's stack. Chosen: six of them are most of a tile's memory, which the linker looks at."""

_TARGET = SelectionTarget(
    instructions=ROWS,
    rules=RULES,
    functions={**FUNCTIONS, **PAIR_FUNCTIONS, "ret": CONVENTION.ret, "call": CONVENTION.call},
    prepare=prepare,
    key=key,
    kind_of=kind_of,
    predicates=PREDICATES,
    constant_key=constant_key,
    make_constant=make_constant,
    cheap_constant=cheap_constant,
    literal=literal,
    splat_of=splat_of,
    transparent=TRANSPARENT,
    pure=pure,
    copy=copy,
    jump=jump,
    take_parameters=CONVENTION.take_parameters,
    lane_of=lane_of,
)


MODULE_PASSES = (
    Pass("tidy", "branches and values that the steps before have left over go",
         lambda module: tidy(module, pure), optimizing),
    Pass("step_addresses", "addresses in loops are stepped instead of computed",
         lambda module: step_addresses(module), optimizing),
)  # fmt: skip
"""Legal IR to legal IR, in order."""


class _FunctionWork(FunctionWork):
    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(_TARGET, module, function)
        self.bundles: dict[str, list[IssueGroup]] = {}

    def bundle(self) -> None:
        self.bundles = bundled(self.machine)

    def text(self, is_global: bool = False) -> str:
        blocks = self.bundles or one_by_one(self.machine)
        return function_text(self.machine.name, blocks, is_global)


def _zero(instruction: MachineInstruction) -> AnyRegister | None:
    is_zero = instruction.row.name.startswith("constant.") and str(instruction.values[1]) == "0"
    return ZERO[instruction.row.operands[0].kind] if is_zero else None


FUNCTION_PASSES = (
    *SELECTION,
    Pass("use_zero_registers", "zeros are read from the registers that are zero",
         lambda work: read_fixed_registers(work.machine, _zero)),
    Pass("coalesce", "registers that are copies of each other become one", lambda work: coalesce(work.machine, _FILE)),
    Pass("allocate", "virtual registers become physical ones, or places of the frame",
         lambda work: allocate(work.machine, _FILE), required=True),
    Pass("complete_frame", "the frame is laid out, what a callee saves is saved",
         lambda work: complete_frame(work.machine), required=True),
    Pass("lay_out", "blocks get their order, and branches their form", lambda work: lay_out(work.machine, _BRANCHES),
         required=True),
    Pass("bundle", "instructions of both pipes issue together", _FunctionWork.bundle, optimizing),
)  # fmt: skip
"""One function, in order."""


def run(text: str, options: Options, runs: PassRuns | None = None) -> str:
    """Legal IR -> the text of an assembly file."""
    runs = runs or PassRuns()
    module = read(text)
    for row in runs.of(MODULE_PASSES, options, lambda: write(module)):
        row.run(module)
    kernels = exported(module)
    works = [_FunctionWork(module, function) for function in module.functions]
    for work in works:
        work.run(FUNCTION_PASSES, options, runs)
    machines = [work.machine for work in works]
    needed = check_stacks(machines, _MOST_STACK)
    entries = [entry(module, kernel, needed[kernel.name]) for kernel in kernels]
    names = {kernel.name for kernel in kernels}
    functions = [work.text(function.name in names) for function, work in zip(module.functions, works)]
    streams = stream_functions(module, map_of(options.target.name).repeats)
    return "".join([*entries, *functions, streams, support(module), data(module), stack_size(machines, needed, kernels)])
