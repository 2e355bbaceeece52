"""What instructions of a gang are for one lane: the same operation on scalars."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from voltac.ir.constants import splatted
from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Instruction, Module
from voltac.ir.types import element_of, lanes_of
from voltac.passes.accesses.available_loads import mask_implies
from voltac.passes.loops.lane_loops import LaneLoop, scalar_callee
from voltac.passes.loops.loop_hints import unpredictable
from voltac.passes.loops.same_operation import same_operation

ZEROS = {"i1": "false", "ptr": "null", **dict.fromkeys(("half", "float", "double"), "0.000000e+00")}
"""A zero as LLVM writes it; of integers it is 0."""
_ORDERS = {"smin": "slt", "smax": "sgt", "umin": "ult", "umax": "ugt"}
"""Intrinsic -> the compare that takes its first operand."""


class LaneTexts(ABC):
    """Writes the loop's instructions for one lane, as often as asked; where lanes of values from outside come from is open."""

    def __init__(self, walk: LaneLoop, module: Module, fresh: Callable[[str], str]) -> None:
        self.walk = walk
        self.module = module
        self.fresh = fresh
        self.names: dict[str, str] = {}
        """What the loop had -> what one lane has."""
        self.live = walk.values.definitions[walk.live]
        self.live_is_constant = mask_implies(walk.tested, walk.following(self.live), walk.values)
        """A lane that passed the test is still in the loop in the next one."""
        self.unpredictable = unpredictable(module)
        """Of a lane's selection. LLVM makes a branch of one that the next iteration waits for, which pays where it goes the
        same way for long; the loops of lanes are short, and each begins with elements of its own: 0.55 of the time for
        minima over rows of a dozen elements."""

    @abstractmethod
    def lane_of(self, vector: str, value: str) -> str:
        """The lane of a value from outside that is no splat."""

    def write(self, stem: str, text: str, where: list[Instruction]) -> str:
        """A new value."""
        name = self.fresh(stem)
        where.append(Instruction(f"  {name} = {text}"))
        return name

    def on(self) -> str:
        """A mask of one lane that is on, as the loop keeps those that are still in it."""
        return "true" if element_of(self.live.type) == "i1" else "-1"

    def off(self) -> str:
        """A mask of one lane that is off."""
        return "false" if element_of(self.live.type) == "i1" else "0"

    def start(self, phi: Instruction) -> str:
        """What one lane begins with."""
        if phi.name == self.live.name:
            return self.on()
        return self.scalar(phi.type, self.walk.arm(phi, False))

    def size(self, element: str) -> int:
        """In bytes."""
        return self.walk.values.layout.size(element)

    def scalar(self, type_text: str, value: str) -> str:
        """What stands for an operand."""
        if value in self.names:
            return self.names[value]
        if not lanes_of(type_text):
            return value
        if value in ("zeroinitializer", "poison", "undef"):
            return ZEROS.get(element_of(type_text), "0") if value == "zeroinitializer" else value
        if (same := splatted(value)) is not None:
            return same.value
        if (scalar := scalar_of_splat(value, self.walk.values.definitions)) is not None:
            return self.names.get(scalar.value, scalar.value)
        return self.lane_of(type_text, value)

    def scalars(self, instructions: list[Instruction]) -> list[Instruction]:
        """The same for one lane, without what decides the branch; their names are ``names``'."""
        made: list[Instruction] = []
        for instruction in instructions:
            if instruction.is_terminator or instruction.op.startswith("#") or instruction.name in self.walk.deciding:
                continue
            if instruction.op in ("insertelement", "shufflevector"):
                scalar = scalar_of_splat(instruction.name, self.walk.values.definitions)
                if scalar is not None:
                    self.names[instruction.name] = self.names.get(scalar.value, scalar.value)
                continue
            if not instruction.name:
                text = self._store(instruction)
            else:
                written = self._extreme(instruction, made) or self._text(instruction)
                text = f"  {self.names[instruction.name]} = {written}"
                text += self.unpredictable if written.startswith("select") else ""
            attached = instruction.parts.metadata.get("dbg")
            made.append(Instruction(text + (f", !dbg {attached}" if attached else "")))
        return made

    def _store(self, instruction: Instruction) -> str:
        value, place = instruction.operands[:2]
        element = element_of(value.type)
        given = f"{element} {self.scalar(*value)}, ptr {self.scalar(*place)}"
        return f"  store {given}, align {self.size(element)}"

    def _extreme(self, instruction: Instruction, where: list[Instruction]) -> str:
        """A minimum or maximum of integers as a selection; empty for others."""
        found = scalar_callee(instruction.parts.callee) if instruction.op == "call" else None
        order = _ORDERS.get(found[0].split(".")[1]) if found is not None else None
        if order is None:
            return ""
        element = element_of(instruction.type)
        one, other = (self.scalar(*each) for each in instruction.operands)
        # LLVM takes a selection by a compare for the minimum again, which has no place for the hint.
        frozen = self.write(
            "frozen", f"freeze i1 {self.write('before', f'icmp {order} {element} {one}, {other}', where)}", where
        )
        return f"select i1 {frozen}, {element} {one}, {element} {other}"

    def _text(self, instruction: Instruction) -> str:
        parts = instruction.parts
        element = element_of(instruction.type)
        types = [element_of(each.type) for each in parts.operands]
        given = [self.scalar(*each) for each in parts.operands]
        if instruction.op == "load":
            return f"load {instruction.type}, ptr {given[0]}, align {parts.alignment or 1}"
        if instruction.op != "call":
            return same_operation(instruction, element, types, given)
        found = scalar_callee(parts.callee)
        if found is None:
            return f"load {element}, ptr {given[0]}, align {self.size(element)}"
        self.module.declare([f"declare {element} {found[0]}({', '.join(types)})"])
        return same_operation(instruction, element, types, given, found[0])
