"""What the kernels of software pipelines have in common, counted or not (IA-64 2, 9, 11)."""

from __future__ import annotations

from voltac.codegen.issue_groups import IssueGroup
from voltac.codegen.liveness import live_out
from voltac.codegen.machine_code import (
    AnyRegister,
    Immediate,
    LabelOperand,
    MachineBlock,
    MachineFunction,
    MachineInstruction,
    Register,
    VirtualRegister,
)
from voltac.records import field, mutable_record
from voltac.targets.ia64.registers import BY_NAME
from voltac.targets.ia64.select.conventions import COPIES
from voltac.targets.ia64.select.pseudo import JUMP, ROWS, as_instruction
from voltac.targets.ia64.shapes import A

FIRST = {"r": 32, "f": 32}
"""The first rotating register of each class."""
FIRST_STAGE, LAST_PREDICATE = 16, 62
"""Predicates of the stages, and behind them of values."""
LIMITS = {"r": 48, "f": 96}
"""Names of a loop's values. General registers begin with the parameters' places, which are free when the function has begun;
those behind are allocated, too, where no loop is: so many are chosen."""
MOST_STAGES = 47
_LC, _EC = BY_NAME["ar.lc"], BY_NAME["ar.ec"]
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


def of_row(row: str, *values: AnyRegister | Immediate | LabelOperand) -> MachineInstruction:
    """An instruction of a row."""
    return MachineInstruction(ROWS[row], list(values))


def jump_to(block: str) -> MachineInstruction:
    """What a block ends with that another one follows."""
    return of_row(JUMP, LabelOperand(block, "target"))


class Rotation:
    """What begins and ends around a kernel: the predicates that rotate, and the loop count where it is one that counts."""

    def __init__(self, function: MachineFunction, turns: VirtualRegister | None) -> None:
        """``turns``: how often the kernel's branch goes back without draining; None where that is a condition's matter."""
        self.predicates = function.new_register("r")
        self.loops = function.new_register("r") if turns is not None else None
        self.turns = turns
        self.unrotate = of_row("clrrrb")

    def begin(self, stages: int, filled: int) -> list[MachineInstruction]:
        """``filled``: the predicates that are 1 at first, by their numbers."""
        code = [of_row("mov.r=pr", self.predicates)]
        if self.loops is not None:
            code.append(of_row("mov.i.r=ar", self.loops, _LC))
        code.append(of_row("clrrrb"))
        if self.turns is not None:
            code.append(of_row("mov.i.ar=r", _LC, self.turns))
        return [*code, of_row("mov.i.ar=imm8", _EC, Immediate(stages)), of_row("mov.pr.rot=rotated", Immediate(filled))]

    def end(self) -> list[MachineInstruction]:
        """Gives the registers their own names again, and what the caller had there; these two come first."""
        code = [self.unrotate, of_row("mov.pr=r,mask17", self.predicates, Immediate(-(1 << FIRST_STAGE)))]
        return code if self.loops is None else [*code, of_row("mov.i.ar=r", _LC, self.loops)]


def by_eights(registers: int) -> int:
    """So many general registers rotate at least (IA-64 2)."""
    return -(-registers // 8) * 8


def live_behind(function: MachineFunction, exit: str) -> set[AnyRegister]:
    """Registers that somebody reads behind a loop whose exit leads to a block."""
    exit_ = next(block for block in function.blocks if block.name == exit)
    wanted = live_out(function)[exit_.name]
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
