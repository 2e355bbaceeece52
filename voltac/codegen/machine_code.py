"""A function on its way from selected to assembled instructions: blocks of device instructions over registers.

Selection makes it over virtual registers, allocation replaces these by
physical ones, scheduling orders the blocks, the assembler writes it out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TypeVar

from voltac.codegen.rows import Row
from voltac.records import field, mutable_record, record


@record(eq=False)
class VirtualRegister:
    """Made by :meth:`MachineFunction.new_register` only, so that identity, which is fast, is equality."""

    number: int
    kind: str
    """The register class."""
    lanes: tuple[VirtualRegister, ...] = ()
    """Of one that is several neighbours of another class, such as a pair: these, which instructions name, too."""

    def __str__(self) -> str:
        return f"%{self.kind[0]}{self.number}"


@record(eq=False)
class Register:
    """A physical register: one object each, in the target's ``regs.py``."""

    name: str
    """As the assembler writes it: ``s3``, ``rm``."""
    kind: str
    number: int
    """Its encoding."""
    lanes: tuple[Register, ...] = ()
    """Of a pair and the like: what it consists of, the lowest first."""

    def __str__(self) -> str:
        return self.name


@record
class Immediate:
    """A number in an instruction."""

    value: int

    def __str__(self) -> str:
        return str(self.value)


@record
class LabelOperand:
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


AnyRegister = VirtualRegister | Register
_REGISTERS = (VirtualRegister, Register)
Value = AnyRegister | Immediate | LabelOperand | FrameSlot
AnyValue = TypeVar("AnyValue", AnyRegister, Value)


@record
class MemoryOperand:
    """What is known of the memory a load or store touches."""

    space: str
    """Accesses of different spaces never meet."""
    origin: str = ""
    """The object (alloca, global, parameter that nothing else points into); empty where it is not known."""
    base: str = ""
    """Name of the address that ``offset`` counts from; accesses off one base meet only if their bytes do."""
    offset: int = 0
    size: int = 0

    def meets(self, other: MemoryOperand) -> bool:
        """Whether both may touch one byte."""
        if self.space != other.space or (self.origin and other.origin and self.origin != other.origin):
            return False
        if not self.base or self.base != other.base:
            return True
        return self.offset < other.offset + other.size and other.offset < self.offset + self.size


@mutable_record(eq=False)
class MachineInstruction:
    """A row with its operands filled in, in the row's order."""

    row: Row
    values: list[Value]
    implicit_uses: list[AnyRegister] = field(default_factory=list)
    """Registers read beyond the operands: arguments of a call, results of a return."""
    implicit_defs: list[AnyRegister] = field(default_factory=list)
    """Registers written beyond the operands: results and clobbers of a call."""
    line: int = 0
    """Of the source, 0 where none is known."""
    mask: VirtualRegister | Register | Immediate | None = None
    """The lanes that it writes, None for all of them; the device's mask register is set later."""
    access: MemoryOperand | None = None
    """Of a load or store."""
    states: tuple[Hashable, ...] = ()
    """Names of the states of the machine (such as masks) in which it may run, its own first; empty: in any."""

    def reads(self) -> list[AnyRegister]:
        """Every register whose value matters, the old value of an updated one among them; of a pair its lanes."""
        found = self._registers_at(self.row.places_read)
        if self.mask is not None and isinstance(self.mask, _REGISTERS):
            found.append(self.mask)
        return found + self.implicit_uses

    def writes(self) -> list[AnyRegister]:
        """All registers that it changes, implicit ones too; of a pair its lanes."""
        return self._registers_at(self.row.places_written) + self.implicit_defs

    def _registers_at(self, places: tuple[int, ...]) -> list[AnyRegister]:
        found: list[AnyRegister] = []
        values = self.values
        for place in places:
            value = values[place]
            if isinstance(value, _REGISTERS):
                if value.lanes:
                    found += value.lanes
                else:
                    found.append(value)
        return found

    def replace_registers(self, new: Mapping[VirtualRegister, AnyRegister]) -> None:
        """Put other registers in the place of virtual ones."""

        self.values = _replaced(self.values, new)
        if self.implicit_uses:
            self.implicit_uses = _replaced(self.implicit_uses, new)
        if self.implicit_defs:
            self.implicit_defs = _replaced(self.implicit_defs, new)
        if isinstance(self.mask, VirtualRegister):
            self.mask = new.get(self.mask, self.mask)

    def __str__(self) -> str:
        names = {operand.field: str(value) for operand, value in zip(self.row.operands, self.values)}
        return self.row.text.format_map({**dict.fromkeys(self.row.format.fields, ""), **names})


def _replaced(values: list[AnyValue], new: Mapping[VirtualRegister, AnyRegister]) -> list[AnyValue]:
    return [new.get(value, value) if isinstance(value, VirtualRegister) else value for value in values]


@mutable_record(eq=False)
class MachineBlock:
    """Instructions of which all are executed, or none; the last ones may branch."""

    name: str
    instructions: list[MachineInstruction] = field(default_factory=list)
    successors: list[str] = field(default_factory=list)
    frequency: int = 0
    """Depth of the innermost loop it is in."""
    around: tuple[MachineBlock, MachineBlock] | None = None
    """Of a scheduled loop to which nothing can be added: the block before it, which leads only there, and the one behind."""


@mutable_record(eq=False)
class MachineFunction:
    """A function on its way from selection to text: its blocks in order, its frame, its registers."""

    name: str
    blocks: list[MachineBlock] = field(default_factory=list)
    slots: list[tuple[int, int]] = field(default_factory=list)
    """Size and alignment in bytes of each frame slot."""
    registers: int = 0
    """How many virtual registers there are."""
    parameters: list[AnyRegister] = field(default_factory=list)
    """Physical registers that hold something at the entry."""
    calls: bool = False
    """Whether it calls anything."""
    outgoing: int = 0
    """Bytes of arguments and results on the stack of the calls it makes."""
    frame: int = 0
    """Bytes of its frame, once that is laid out."""

    def new_register(self, kind: str) -> VirtualRegister:
        """A virtual register of a kind that the device's register file knows; ``a2`` is two neighbours of kind ``a``."""
        lanes = tuple(self.new_register(kind[:-1]) for _ in range(int(kind[-1]))) if kind[-1].isdigit() else ()
        self.registers += 1
        return VirtualRegister(self.registers - 1, kind, lanes)

    def new_slot(self, size: int, alignment: int) -> int:
        """Room in the frame, in bytes; its number."""
        self.slots.append((size, alignment))
        return len(self.slots) - 1

    def instructions(self) -> Iterator[MachineInstruction]:
        """Of all blocks, in order."""
        for block in self.blocks:
            yield from block.instructions
