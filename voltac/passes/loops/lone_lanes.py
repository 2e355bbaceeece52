"""A loop of lanes that have nothing to do with each other -> the same loop for one lane after the other, in scalars.

What lanes begin with and end with goes through places of the stack, one for each value; the loop of one lane is in registers.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.constants import splatted
from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Block, Instruction, Module
from voltac.ir.parts import CASTS
from voltac.ir.types import element_of, lanes_of
from voltac.passes.accesses.available_loads import mask_implies
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.lane_loops import COMPARISONS, MOST_LANES, LaneLoop, scalar_callee

_ZEROS = {"i1": "false", "ptr": "null", **dict.fromkeys(("half", "float", "double"), "0.000000e+00")}
"""A zero as LLVM writes it; of integers it is 0."""


def do_lanes_alone(loop: LaneLoop, module: Module) -> None:
    """Put the loop over the lanes in its place."""
    _Writer(loop, module, loop.function.fresh_names()).write()


class _Writer:
    """The new blocks of one loop."""

    def __init__(self, walk: LaneLoop, module: Module, fresh: Callable[[str], str]) -> None:
        self.walk = walk
        self.module = module
        self.fresh = fresh
        self.before: list[Instruction] = []
        self.at_lane: list[Instruction] = []
        self.names: dict[str, str] = {}
        """What the loop had -> what one lane has."""
        self.slots: dict[str, str] = {}
        self.allocas: list[Instruction] = []
        self.lane = fresh("lane")

    def write(self) -> None:
        walk, function, fresh = self.walk, self.walk.function, self.fresh
        header, body, lanes = walk.header, walk.body, walk.lanes
        stem = f"{unquoted(header.name)}.lane"
        new = {each: fresh(f"{stem}.{each}")[1:] for each in ("begin", "next", "test", "body", "left", "done")}
        outside = next(name for name in walk.flow.predecessors[header.name] if name != body.name)
        exit_name = header.terminator.parts.labels[1]
        live = walk.values.definitions[walk.live]
        first = walk.arm(live, False)
        on = first
        if element_of(live.type) != "i1":
            on = self._insert(self.before, "on", f"icmp slt {live.type} {first}, zeroinitializer")
        packed = self._insert(self.before, "packed", f"bitcast <{lanes} x i1> {on} to i{lanes}")
        bits = packed if lanes == MOST_LANES else self._insert(self.before, "bits", f"zext i{lanes} {packed} to i64")
        some = self._insert(self.before, "some", f"icmp ne i64 {bits}, 0")
        left, fewer, more = fresh("left"), fresh("fewer"), fresh("more")

        phis = list(header.phis())
        for block in (header, body):
            for instruction in block.instructions:
                if instruction.name and instruction.name not in walk.deciding:
                    self.names[instruction.name] = fresh("of.lane")
        constant = mask_implies(walk.tested, walk.following(live), walk.values)
        if constant:
            self.names[walk.live] = "true" if element_of(live.type) == "i1" else "-1"
        test: list[Instruction] = []
        for phi in phis:
            if constant and phi.name == walk.live:
                continue
            start = self._start(phi, live)
            arms = f"[ {start}, %{new['next']} ], [ {self._scalar(phi.type, walk.following(phi))}, %{new['body']} ]"
            test.append(Instruction(f"  {self.names[phi.name]} = phi {element_of(phi.type)} {arms}"))
        test += self._scalars(header.instructions[len(phis) :])
        tested = self._scalar(f"<{lanes} x i1>", walk.tested)
        test.append(Instruction(f"  br i1 {tested}, label %{new['body']}, label %{new['left']}"))
        rest = [*self._scalars(body.instructions), Instruction(f"  br label %{new['test']}")]

        used = [phi for phi in phis if phi.name in walk.used_outside]
        leave: list[Instruction] = []
        results: dict[str, str] = {}
        done: list[Instruction] = []
        for phi in used:
            element = element_of(phi.type)
            slot = self._slot(phi.type, walk.arm(phi, False))
            place = self._insert(leave, "place", f"getelementptr {element}, ptr {slot}, i64 {self.lane}")
            leave.append(Instruction(f"  store {element} {self.names[phi.name]}, ptr {place}, align {self._size(element)}"))
            results[phi.name] = self._insert(done, "walked", f"load {phi.type}, ptr {slot}, align {self._alignment(phi.type)}")
        leave += [
            Instruction(f"  {fewer} = add i64 {left}, -1"),
            Instruction(f"  {more} = and i64 {left}, {fewer}"),
        ]
        again = self._insert(leave, "again", f"icmp ne i64 {more}, 0")
        leave.append(Instruction(f"  br i1 {again}, label %{new['next']}, label %{new['done']}"))
        done.append(Instruction(f"  br label %{exit_name}"))
        first_lane = [
            Instruction(f"  {left} = phi i64 [ {bits}, %{new['begin']} ], [ {more}, %{new['left']} ]"),
            Instruction(f"  {self.lane} = call i64 @llvm.cttz.i64(i64 {left}, i1 true)"),
            *self.at_lane,
            Instruction(f"  br label %{new['test']}"),
        ]
        # What is the same in each iteration may be used behind the loop.
        self.before += [Instruction(each.text) for each in walk.invariants()]
        self.before.append(Instruction(f"  br i1 {some}, label %{new['next']}, label %{new['done']}"))
        self.module.declare(["declare i64 @llvm.cttz.i64(i64, i1)"])
        contents = {
            "begin": self.before, "next": first_lane, "test": test, "body": rest, "left": leave, "done": done,
        }  # fmt: skip
        made = [Block(new[each], instructions, f"{new[each]}:") for each, instructions in contents.items()]
        position = function.blocks.index(header)
        function.blocks = [each for each in function.blocks if each.name not in walk.loop.blocks]
        function.blocks[position:position] = made
        function.block(outside).terminator.rename({f"%{header.name}": f"%{new['begin']}"})
        for phi in function.block(exit_name).phis():
            phi.rename({f"%{header.name}": f"%{new['done']}"})
        function.replace_uses(results)
        function.blocks[0].instructions[:0] = self.allocas

    def _insert(self, where: list[Instruction], stem: str, text: str) -> str:
        name = self.fresh(stem)
        where.append(Instruction(f"  {name} = {text}"))
        return name

    def _size(self, element: str) -> int:
        return self.walk.values.layout.size(element)

    def _alignment(self, vector: str) -> int:
        """Of a slot: that of the register it is stored from."""
        return min(64, self._size(element_of(vector)) * lanes_of(vector))

    def _start(self, phi: Instruction, live: Instruction) -> str:
        """What one lane begins with."""
        value = self.walk.arm(phi, False)
        if phi.name == live.name:
            return "true" if element_of(phi.type) == "i1" else "-1"
        return value if not lanes_of(phi.type) else self._scalar(phi.type, value)

    def _slot(self, vector: str, value: str, copied: bool = True) -> str:
        """A place of the stack with all lanes of a value from outside; ``copied``: lanes may write theirs."""
        key = f"{vector} {value} {copied}"
        if key not in self.slots:
            slot = self.slots[key] = self.fresh("slot")
            align = self._alignment(vector)
            self.allocas.append(Instruction(f"  {slot} = alloca {vector}, align {align}"))
            self.before.append(Instruction(f"  store {vector} {value}, ptr {slot}, align {align}"))
        return self.slots[key]

    def _scalar(self, type_text: str, value: str) -> str:
        """What stands for an operand in the loop of one lane."""
        if value in self.names:
            return self.names[value]
        if not lanes_of(type_text):
            return value
        element = element_of(type_text)
        if value in ("zeroinitializer", "poison", "undef"):
            return _ZEROS.get(element, "0") if value == "zeroinitializer" else value
        if (same := splatted(value)) is not None:
            return same.value
        if (scalar := scalar_of_splat(value, self.walk.values.definitions)) is not None:
            return self.names.get(scalar.value, scalar.value)
        if element == "i1":
            # Bits of a mask lie packed: its lanes are stored as bytes.
            wide = f"<{lanes_of(type_text)} x i8>"
            known = self.slots.get(f"mask {value}")
            if known is None:
                known = self.slots[f"mask {value}"] = self._insert(self.before, "bytes", f"zext {type_text} {value} to {wide}")
            byte = self._scalar(wide, known)
            self.names[value] = self._insert(self.at_lane, "of.lane", f"trunc i8 {byte} to i1")
            return self.names[value]
        slot = self._slot(type_text, value, copied=False)
        place = self._insert(self.at_lane, "place", f"getelementptr {element}, ptr {slot}, i64 {self.lane}")
        name = self._insert(self.at_lane, "of.lane", f"load {element}, ptr {place}, align {self._size(element)}")
        if value[0] == "%":
            self.names[value] = name
        return name

    def _scalars(self, instructions: list[Instruction]) -> list[Instruction]:
        made: list[Instruction] = []
        for instruction in instructions:
            if instruction.is_terminator or instruction.op.startswith("#") or instruction.name in self.walk.deciding:
                continue
            if instruction.op in ("insertelement", "shufflevector"):
                scalar = scalar_of_splat(instruction.name, self.walk.values.definitions)
                if scalar is not None:
                    self.names[instruction.name] = self.names.get(scalar.value, scalar.value)
                continue
            text = f"  {self.names[instruction.name]} = {self._text(instruction)}"
            attached = instruction.parts.metadata.get("dbg")
            made.append(Instruction(text + (f", !dbg {attached}" if attached else "")))
        return made

    def _text(self, instruction: Instruction) -> str:
        op, parts = instruction.op, instruction.parts
        flags = "".join(f"{flag} " for flag in parts.flags)
        element = element_of(instruction.type)
        types = [element_of(each.type) for each in parts.operands]
        given = [self._scalar(*each) for each in parts.operands]
        typed = [f"{kind} {value}" for kind, value in zip(types, given, strict=True)]
        if op == "call":
            found = scalar_callee(parts.callee)
            if found is None:
                return f"load {element}, ptr {given[0]}, align {self._size(element)}"
            self.module.declare([f"declare {element} {found[0]}({', '.join(types)})"])
            plain = "".join(f"{flag} " for flag in parts.flags if flag not in ("tail", "musttail", "notail"))
            return f"call {plain}{element} {found[0]}({', '.join(typed)})"
        if op in CASTS:
            return f"{op} {flags}{typed[0]} to {element}"
        if op in COMPARISONS:
            return f"{op} {flags}{parts.predicate} {typed[0]}, {given[1]}"
        if op == "select":
            return f"select {flags}{', '.join(typed)}"
        if op == "getelementptr":
            return f"getelementptr {flags}{parts.element_type}, {', '.join(typed)}"
        return f"{op} {flags}{typed[0]}" + (f", {given[1]}" if len(given) > 1 else "")
