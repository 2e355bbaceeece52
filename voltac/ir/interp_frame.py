"""A function of the IR in the form that is executed: Python functions on a frame of numbered values, one an instruction.

Every value, constants too, gets a slot of the frame, so that an instruction reads and writes by number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from voltac.ir.interp_constants import constant
from voltac.ir.interp_memory import CheckedMemory
from voltac.ir.interp_values import KindTable, Value
from voltac.ir.model import Block, Instruction
from voltac.ir.parts import Operand
from voltac.records import field, mutable_record

Frame = list[Value]
Step = Callable[[Frame], None]
Leave = Callable[[Frame], int]
"""Of a terminator: the number of the next block, or -1 to return what is in slot 0."""

RESULT, ALLOCATED = 0, 1
"""Slots of a frame with a fixed use: the returned value, and the addresses of the frame's allocas."""


class ExecutionError(Exception):
    """The program did what it must not; the message names function, block and instruction."""


class RunningModule(Protocol):
    """What a step sees of the interpreter that runs it (``interp.py``)."""

    kinds: KindTable
    memory: CheckedMemory
    printed: list[str]

    @property
    def externals(self) -> Mapping[str, Any]:
        """The functions that are not the module's own, by name."""

    def address_of(self, name: str) -> int:
        """Of ``@name``."""

    def call_named(self, name: str, arguments: list[Value]) -> Value:
        """Call a function by its name without ``@``."""

    def call_address(self, address: Value, arguments: list[Value]) -> Value:
        """An indirect call."""


class Slots:
    """The slots of one function's frame, given out as its values are met."""

    def __init__(self, machine: RunningModule) -> None:
        self.machine = machine
        self.memory = machine.memory
        self.kinds = machine.kinds
        self.template: Frame = [None, None]
        """A frame in which the constants are there already; it grows with each block that is translated."""
        self._numbers: dict[str, int] = {}

    def slot(self, name: str) -> int:
        """The slot of ``%name``, a new one where it is not known."""
        found = self._numbers.get(name)
        if found is None:
            found = self._numbers[name] = len(self.template)
            self.template.append(None)
        return found

    def source(self, operand: Operand) -> int:
        """The slot an operand is read from; constants lie in the frame's template."""
        if operand.value[0] == "%":
            return self.slot(operand.value)
        key = f"{operand.type} {operand.value}"
        found = self._numbers.get(key)
        if found is None:
            found = self.slot(key)
            self.template[found] = constant(self.kinds, self.kinds[operand.type], operand.value, self.machine.address_of)
        return found


@mutable_record
class TranslatedBlock:
    """A basic block, translated."""

    source: Block
    leave: Leave | None = None
    """None until control comes there for the first time: the other fields are empty, too."""
    steps: list[Step] = field(default_factory=list)
    moves: dict[int, tuple[list[int], list[int]]] = field(default_factory=dict)
    """Number of the block control comes from -> slots of the phis and of what they take."""
    origins: list[Instruction] = field(default_factory=list)
    """The instruction of each step; the terminator last."""


@mutable_record
class TranslatedFunction:
    """A function ready to run, block by block."""

    name: str
    parameters: list[int]
    slots: Slots
    blocks: list[TranslatedBlock]
    numbers: dict[str, int]
    """Of its blocks, by name."""


Rule = Callable[[Slots, Instruction, int], Step]
"""An instruction, and the slot of its result -> what is done."""
