"""What the kernels of software pipelines have in common, counted or not (IA-64 2, 9, 11)."""

from __future__ import annotations

from voltac.codegen.issue_groups import IssueGroup
from voltac.codegen.liveness import liveness
from voltac.codegen.machine_code import AnyRegister, LabelOperand, MachineBlock, MachineFunction, MachineInstruction, Register
from voltac.records import field, mutable_record
from voltac.targets.ia64.select.conventions import COPIES
from voltac.targets.ia64.select.pseudo import as_instruction
from voltac.targets.ia64.shapes import A

FIRST = {"r": 32, "f": 32}
"""The first rotating register of each class."""
FIRST_STAGE, LAST_PREDICATE = 16, 62
"""Predicates of the stages, and behind them of values."""
LIMITS = {"r": 48, "f": 96}
"""Names of a loop's values. General registers begin with the parameters' places, which are free when the function has begun;
those behind are allocated, too, where no loop is: so many are chosen."""
MOST_STAGES = 47
_MOST_STATIC = {"r": 40, "f": 20}
"""Registers that a loop reads and that do not rotate; there are more, and all are needed at once."""


@mutable_record(eq=False)
class PipelinedKernel:
    """The groups of a pipelined loop, one for each cycle of its interval."""

    name: str
    """Of its block."""
    groups: list[IssueGroup] = field(default_factory=list)
    interval: int = 0
    stages: int = 0
    rotating: int = 0
    """General registers that rotate."""
    unrotate: MachineInstruction | None = None
    """What gives the registers their own names again, behind the loop."""
    initial: list[Register] = field(default_factory=list)
    """Names that are set before the loop."""


def live_behind(function: MachineFunction, exit: str) -> set[AnyRegister]:
    """Registers that somebody reads behind a loop whose exit leads to a block."""
    lives = liveness(function)
    exit_ = next(block for block in function.blocks if block.name == exit)
    wanted: set[AnyRegister] = set(lives.live_out[exit_.name])
    for instruction in reversed(exit_.instructions):
        wanted.difference_update(instruction.writes())
        wanted.update(instruction.reads())
    return wanted


def has_few_static_registers(code: list[MachineInstruction]) -> bool:
    """Whether what a loop reads and does not make leaves registers for others."""
    made = {register for one in code for register in one.writes()}
    static = {register for one in code for register in one.reads() if register not in made}
    return all(sum(register.kind == kind for register in static) <= most for kind, most in _MOST_STATIC.items())


def is_one_instruction(one: MachineInstruction) -> bool:
    """Whether what stands for others stands for one, that goes to any slot of M or I."""
    is_constant = one.row.name == "constant.r" and as_instruction(one).row.unit == A
    return is_constant or one.row.name in COPIES.values()


def redirect(block: MachineBlock, old: str, new: str) -> None:
    """Lets a block lead to another one."""
    for instruction in block.instructions:
        if "branch" in instruction.row.traits:
            instruction.values = [
                LabelOperand(new, value.part) if isinstance(value, LabelOperand) and value.name == old else value
                for value in instruction.values
            ]
    block.successors = [new if name == old else name for name in block.successors]
