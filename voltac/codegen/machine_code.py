"""A function on its way from selected to assembled instructions: blocks of device instructions over registers.

Selection makes it over virtual registers, allocation replaces these by
physical ones, scheduling orders the blocks, the assembler writes it out.
"""

from __future__ import annotations

from collections.abc import Iterator

from voltac.codegen.rows import Row
from voltac.records import field, mutable_record, record


@record
class VirtualRegister:
    number: int
    kind: str
    """The register class."""

    def __str__(self) -> str:
        return f"%{self.kind[0]}{self.number}"


@record
class Register:
    """A physical register."""

    name: str
    """As the assembler writes it: ``s3``, ``rm``."""
    kind: str
    number: int
    """Its encoding."""

    def __str__(self) -> str:
        return self.name


@record
class Immediate:
    value: int

    def __str__(self) -> str:
        return str(self.value)


@record
class Label:
    """A block, function or global; ``part`` is what of its address is meant: ``relative``, ``high``, ``low``, ``absolute``."""

    name: str
    part: str = "relative"
    addend: int = 0

    def __str__(self) -> str:
        return self.name + (f"+{self.addend}" if self.addend else "")


@record
class FrameSlot:
    """An offset into the frame that is known after allocation (spills, allocas, arguments on the stack)."""

    slot: int
    offset: int = 0

    def __str__(self) -> str:
        return f"frame{self.slot}" + (f"+{self.offset}" if self.offset else "")


Value = VirtualRegister | Register | Immediate | Label | FrameSlot


@mutable_record(eq=False)
class MachineInstruction:
    """A row with its operands filled in, in the row's order."""

    row: Row
    values: list[Value]
    implicit_uses: list[VirtualRegister | Register] = field(default_factory=list)
    """Registers read beyond the operands: arguments of a call, the mask of a masked instruction."""
    implicit_defs: list[VirtualRegister | Register] = field(default_factory=list)
    """Registers written beyond the operands: results and clobbers of a call."""
    line: int = 0
    """Of the source, 0 where none is known."""

    def __str__(self) -> str:
        names = {operand.field: str(value) for operand, value in zip(self.row.operands, self.values)}
        return self.row.text.format_map({**{name: "" for name in self.row.format.fields}, **names})


@mutable_record(eq=False)
class MachineBlock:
    name: str
    instructions: list[MachineInstruction] = field(default_factory=list)
    successors: list[str] = field(default_factory=list)
    frequency: int = 0
    """Depth of the innermost loop it is in."""


@mutable_record(eq=False)
class MachineFunction:
    name: str
    blocks: list[MachineBlock] = field(default_factory=list)
    slots: list[tuple[int, int]] = field(default_factory=list)
    """Size and alignment in bytes of each frame slot."""
    registers: int = 0
    """How many virtual registers there are."""

    def new_register(self, kind: str) -> VirtualRegister:
        self.registers += 1
        return VirtualRegister(self.registers - 1, kind)

    def new_slot(self, size: int, alignment: int) -> int:
        self.slots.append((size, alignment))
        return len(self.slots) - 1

    def instructions(self) -> Iterator[MachineInstruction]:
        for block in self.blocks:
            yield from block.instructions
