"""Loops of a test and a body, which lanes leave one by one, and whose lanes have nothing to do with each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow, NaturalLoop
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, LANEWISE_INTRINSICS, Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, pseudo_operation, read_access
from voltac.passes.accesses.available_loads import mask_implies
from voltac.records import field, mutable_record

COMPARISONS = ("icmp", "fcmp")
PLAIN = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, *COMPARISONS, "fneg", "freeze", "select", "getelementptr"))
"""Operations of each lane by itself."""
_SPLATS = ("insertelement", "shufflevector")
"""What makes the same of all lanes of a number."""
MOST_LANES = 64
"""A register of 64 bits says which lanes are on."""
DIVISIONS = ("sdiv", "udiv", "srem", "urem")
ANY_LANE = m.op("icmp", m.op("bitcast", m.mask("mask"), named="bits"), m.number(0), predicate="ne")
"""Whether any lane of a mask is on."""


def scalar_callee(callee: str) -> tuple[str, str] | None:
    """``@llvm.smax.v8i32`` -> ``@llvm.smax.i32``, ``i32``; None for what is no intrinsic of each lane by itself."""
    found = re.fullmatch(r"@llvm\.(\w+)((?:\.sat)?)\.v\d+(\w+)", callee)
    if found is None or found[1] not in LANEWISE_INTRINSICS:
        return None
    return f"@llvm.{found[1]}{found[2]}.{found[3]}", found[3]


def loads_for_all(instruction: Instruction) -> bool:
    """Whether it is a plain load of what is the same for all lanes.

    A lane that goes alone may do it by itself: the gang does it in each iteration that one of its lanes begins, or passes the
    test of, with the same address, and what is there does not change where the loop stores nothing.
    """
    parts = instruction.parts
    return instruction.op == "load" and not lanes_of(instruction.type) and "volatile" not in parts.flags and not parts.ordering


@mutable_record
class LaneLoop:
    """One loop; ``options.target`` says how wide masks are."""

    function: Function
    loop: NaturalLoop
    flow: ControlFlow
    values: LaneValues
    options: Options
    loads: list[tuple[Access, str]] = field(default_factory=list)
    """Of lanes, with the blocks that they are in."""
    live: str = ""
    """The phi of the lanes that are still in the loop."""
    tested: str = ""
    """The mask of those that go on, and what else decides the branch."""
    deciding: set[str] = field(default_factory=set)
    asked: dict[str, str] = field(default_factory=dict)
    """Block behind the test that branches -> the mask of which any lane has to be on for that."""
    guarded: dict[str, str] = field(default_factory=dict)
    """Loads that a lane in the loop may not do -> the mask of those that do."""

    @property
    def header(self) -> Block:
        """The test."""
        return self.function.block(self.loop.header)

    @property
    def body(self) -> Block:
        """All else."""
        return self.function.block(self.loop.latches[0])

    def inner_blocks(self) -> list[Block]:
        """Those behind the test, in order."""
        return [self.body]

    @property
    def lanes(self) -> int:
        """Of the gang."""
        return lanes_of(self.values.definitions[self.live].type)

    @property
    def exit_name(self) -> str:
        """The block behind the loop."""
        return self.header.terminator.parts.labels[1]

    def replace_blocks(self, blocks: list[Block], results: dict[str, str]) -> None:
        """Put blocks in place of the loop, of which the first is entered and the last goes on behind it, and ``results`` in
        place of values of the loop."""
        function, header = self.function, self.header
        outside = next(name for name in self.flow.predecessors[header.name] if name != self.body.name)
        exit_name = self.exit_name
        position = function.blocks.index(header)
        function.blocks = [each for each in function.blocks if each.name not in self.loop.blocks]
        function.blocks[position:position] = blocks
        function.block(outside).terminator.rename({f"%{header.name}": f"%{blocks[0].name}"})
        for phi in function.block(exit_name).phis():
            phi.rename({f"%{header.name}": f"%{blocks[-1].name}"})
        function.replace_uses(results)

    def instructions(self) -> Iterator[Instruction]:
        """Of both blocks, in order."""
        yield from self.header.instructions
        yield from self.body.instructions

    def splits(self) -> bool:
        """Whether the loop has the shape, and each lane could do it alone, as far as can be told from the loop."""
        return self._has_shape() and all(
            self._is_lanewise(instruction, block) for block in (self.header, self.body) for instruction in block.instructions
        )

    def _has_shape(self) -> bool:
        branch = self.header.terminator
        if branch.op != "br" or len(branch.parts.labels) != 2 or self.body.name != branch.parts.labels[0]:
            return False
        condition = branch.operands[0].value
        found = ANY_LANE.find(condition, self.values.definitions)
        if found is None or self.flow.predecessors[self.body.name] != [self.header.name]:
            return False
        if len(self.flow.predecessors[self.header.name]) != 2 or self.body.name == self.header.name:
            return False
        self.tested, self.deciding = found["mask"].value, {condition, found["bits"].value}
        for phi in self.header.phis():
            if not lanes_of(phi.type) or integer_bits(element_of(phi.type)) not in (1, self.options.target.mask_bits):
                continue
            # A lane that has left does not come back.
            if mask_implies(self.tested, phi.name, self.values) and mask_implies(self.following(phi), self.tested, self.values):
                self.live = phi.name
                return self.lanes <= MOST_LANES
        return False

    def arm(self, phi: Instruction, from_body: bool) -> str:
        """What comes to a phi from the end of an iteration, or from before the loop."""
        arms = zip(phi.operands, phi.parts.labels, strict=True)
        return next(operand.value for operand, label in arms if (label == self.body.name) == from_body)

    def following(self, phi: Instruction) -> str:
        """What a phi is in the next iteration."""
        return self.arm(phi, True)

    def leaves_kept_values(self) -> bool:
        """Whether what is used behind the loop is what lanes that have left keep, or the same in each iteration; what the test
        computes of these is computed once more behind it."""
        inside = {each.name for each in self.instructions() if each.name}
        inside -= {phi.name for phi in self.header.phis() if self._keeps(phi)} | {each.name for each in self.invariants()}
        wanted = inside & self.used_outside
        if not wanted:
            return True
        again = self._computable_behind(inside, wanted)
        if again is None:
            return False
        self._compute_behind(again)
        return True

    def _computable_behind(self, inside: set[str], wanted: set[str]) -> list[Instruction] | None:
        """What computes the values wanted from what is there behind the loop, in order; None if it is not."""
        exit_block = self.function.block(self.exit_name)
        if self.flow.predecessors[self.exit_name] != [self.header.name] or any(True for _ in exit_block.phis()):
            return None
        found: list[Instruction] = []
        wanted = set(wanted)
        for each in reversed(self.header.instructions):
            if each.name in wanted:
                if each.op not in PLAIN or each.op in DIVISIONS or each.name in self.deciding:
                    return None
                wanted.remove(each.name)
                wanted |= inside.intersection(each.names_used())
                found.append(each)
        return None if wanted else found[::-1]

    def _compute_behind(self, again: list[Instruction]) -> None:
        fresh = self.function.fresh_names()
        names = {each.name: fresh("behind") for each in again}
        for block in self.function.blocks:
            if block.name not in self.loop.blocks:
                for instruction in block.instructions:
                    instruction.rename(names)
        copies = [Instruction(each.text.replace(each.name, names[each.name], 1)) for each in again]
        for copy in copies:
            copy.rename(names)
        self.function.block(self.exit_name).instructions[:0] = copies
        del self.used_outside

    @cached_property
    def used_outside(self) -> set[str]:
        """The names that the rest of the function uses, as it was when first asked."""
        used: set[str] = set()
        for block in self.function.blocks:
            if block.name not in self.loop.blocks:
                for instruction in block.instructions:
                    used.update(instruction.names_used())
        return used

    def invariants(self) -> list[Instruction]:
        """What the test computes from values that are the same in each iteration, in order."""
        inside = {each.name for each in self.instructions() if each.name}
        found: list[Instruction] = []
        for each in self.header.instructions:
            if each.op not in (*PLAIN, *_SPLATS) or each.op in DIVISIONS or each.name in self.deciding:
                continue
            if inside.isdisjoint(each.names_used()):
                inside.discard(each.name)
                found.append(each)
        return found

    def _keeps(self, phi: Instruction) -> bool:
        """Whether a lane that has left has its value unchanged."""
        if not lanes_of(phi.type) or element_of(phi.type) == "i1":
            return False
        value = self.following(phi)
        while value != phi.name:
            made = m.made_by(("select",), value, self.values.definitions)
            if made is None or not mask_implies(made.operands[0].value, self.tested, self.values):
                return False
            value = made.operands[2].value
        return True

    def _is_lanewise(self, instruction: Instruction, block: Block) -> bool:
        op, parts = instruction.op, instruction.parts
        if op == "phi":
            return block.name == self.header.name
        if instruction.is_terminator or op.startswith("#") or instruction.name in self.deciding:
            return True
        if parts.unknown or any(name in self.deciding for name in instruction.names_used()):
            return False
        if not lanes_of(instruction.type) and not any(lanes_of(each.type) for each in instruction.operands):
            return (op in PLAIN and op not in DIVISIONS) or loads_for_all(instruction)
        if any(lanes_of(each.type) not in (0, self.lanes) for each in (Operand(instruction.type, ""), *instruction.operands)):
            return False
        if op in _SPLATS:
            return scalar_of_splat(instruction.name, self.values.definitions) is not None or self._begins_splat(instruction)
        if op != "call":
            return op in PLAIN and lanes_of(instruction.type) == self.lanes
        operation = pseudo_operation(instruction)
        if not operation:
            return scalar_callee(parts.callee) is not None
        if operation not in ("gather", "load"):
            return False
        access = read_access(0, instruction, operation, self.values)
        sure = self.live if block.name == self.header.name else self.tested
        self.loads.append((access, block.name))
        return operation == "gather" and (access.all_on or mask_implies(sure, access.mask, self.values))

    def _begins_splat(self, instruction: Instruction) -> bool:
        users = [each for each in self.instructions() if instruction.name in each.names_used()]
        return all(scalar_of_splat(each.name, self.values.definitions) is not None for each in users)
