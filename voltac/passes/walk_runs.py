"""Loops in which each lane walks a run of elements of its own -> the same loop for one lane after the other, in scalars.

    loop:   %k = phi <8 x i32> ...                        while (c[k] != 0) k++;
            %c = call <8 x i8> @volta.gather.v8i8(%p + %k, %live)
            ...
            %k.next = select <8 x i1> %on, (add %k, splat (i32 1)), %k
    ->
    slots of %k and of what else comes from outside, a place of the stack for each
    for each lane that is on:
        loop:   %k = phi i32 ...
                %c = load i8, ptr (%p + %k)
                ...
        the lane's slot of %k = %k

A gather of a gang costs what its lanes cost one by one, and the gang runs as long as its slowest
lane. One lane alone reads its row, its list or its string from the first-level cache, at the cost of scalar code.
Every operation of the loop is one of each lane by itself and nothing is stored, so the order of the lanes is free, and each
computes what it computed before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow, NaturalLoop, control_flow
from voltac.ir.constants import splatted
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, LANEWISE_INTRINSICS, Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, AccessReport, SourcePlaces, pseudo_operation, read_access
from voltac.passes.accesses.available_loads import mask_implies
from voltac.passes.accesses.cost_rows import cost_row
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.outlined_blocks import is_seldom_called
from voltac.records import field, mutable_record

_UNARY = ("fneg", "freeze")
_COMPARISONS = ("icmp", "fcmp")
_PLAIN = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, *_UNARY, *_COMPARISONS, "select", "getelementptr"))
_ANY_LANE = m.op("icmp", m.op("bitcast", m.mask("mask"), named="bits"), m.number(0), predicate="ne")
_STEP = m.one_of(
    m.op("add", m.value("counter"), m.constant("step")), m.op("getelementptr", m.value("counter"), m.constant("step"))
)
_MOST_LANES = 64
"""A register of 64 bits says which lanes are on."""
_ZEROS = {"i1": "false", "ptr": "null", **dict.fromkeys(("half", "float", "double"), "0.000000e+00")}
"""A zero as LLVM writes it; of integers it is 0."""
_FREE = frozenset(("getelementptr", "freeze", "sext", "zext", "bitcast"))
"""What an address or a compare does by itself."""


def walk_runs(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the loads that became scalar."""
    reports: list[AccessReport] = []
    layout = module.layout(options.target.pointer_bits // 8)
    places: SourcePlaces | None = None
    for function in module.functions:
        if is_seldom_called(function) or not any(".loop.test" in block.name for block in function.blocks):
            continue
        flow = control_flow(function)
        values: LaneValues | None = None
        for loop in flow.loops:
            if len(loop.blocks) != _BLOCKS or not any(map(pseudo_operation, _instructions(function, loop))):
                continue
            values = values or LaneValues(function, layout)
            walk = _Walk(function, loop, flow, values, options)
            if walk.is_worth_it():
                walk.write(module)
                values = None
                places = places or SourcePlaces({n: body for n, _, body in (line.partition(" = ") for line in module.lines())})
                reports += [_report(access, function, block, places) for access, block in walk.loads]
    return reports


def _instructions(function: Function, loop: NaturalLoop) -> Iterator[Instruction]:
    return (each for name in loop.blocks for each in function.block(name).instructions)


_BLOCKS = 2
"""Of a loop that is looked at: the test, and the rest, in which no lane asks for a branch."""


def _report(access: Access, function: Function, block: str, places: SourcePlaces) -> AccessReport:
    place = places.of(access.instruction)
    reason = "each lane walks a run of elements of its own, so the loop is done for one lane after the other"
    inlined = places.inlined(access.instruction)
    return AccessReport(
        "run", "load", function.name, block, access.element, access.lanes, *place, reason, access.all_on, inlined
    )


@mutable_record
class _Walk:
    """One loop."""

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

    @property
    def header(self) -> Block:
        return self.function.block(self.loop.header)

    @property
    def body(self) -> Block:
        return self.function.block(self.loop.latches[0])

    @property
    def lanes(self) -> int:
        return lanes_of(self.values.definitions[self.live].type)

    # ---- whether ----------------------------------------------------------------

    def is_worth_it(self) -> bool:
        """Whether the loop has the shape, can be done lane by lane, and costs less so."""
        return self._has_shape() and self._can_split() and self._gains()

    def _has_shape(self) -> bool:
        branch = self.header.terminator
        if branch.op != "br" or len(branch.parts.labels) != 2 or self.body.name != branch.parts.labels[0]:
            return False
        condition = branch.operands[0].value
        found = _ANY_LANE.find(condition, self.values.definitions)
        if found is None or self.flow.predecessors[self.body.name] != [self.header.name]:
            return False
        if len(self.flow.predecessors[self.header.name]) != 2 or self.body.name == self.header.name:
            return False
        self.tested, self.deciding = found["mask"].value, {condition, found["bits"].value}
        for phi in self.header.phis():
            if not lanes_of(phi.type) or integer_bits(element_of(phi.type)) not in (1, self.options.target.mask_bits):
                continue
            # A lane that has left does not come back.
            if mask_implies(self.tested, phi.name, self.values) and mask_implies(self._next(phi), self.tested, self.values):
                self.live = phi.name
                return self.lanes <= _MOST_LANES
        return False

    def _arm(self, phi: Instruction, from_body: bool) -> str:
        arms = zip(phi.operands, phi.parts.labels, strict=True)
        return next(operand.value for operand, label in arms if (label == self.body.name) == from_body)

    def _next(self, phi: Instruction) -> str:
        return self._arm(phi, True)

    def _can_split(self) -> bool:
        inside = {each.name for block in (self.header, self.body) for each in block.instructions if each.name}
        for block in (self.header, self.body):
            for instruction in block.instructions:
                if not self._is_lanewise(instruction, block):
                    return False
        kept = {phi.name for phi in self.header.phis() if self._keeps(phi)}
        for block in self.function.blocks:
            if block.name in self.loop.blocks:
                continue
            for instruction in block.instructions:
                if any(name in inside and name not in kept for name in instruction.names_used()):
                    return False
        return True

    def _keeps(self, phi: Instruction) -> bool:
        """Whether a lane that has left has its value unchanged."""
        following = self._next(phi)
        made = m.made_by(("select",), following, self.values.definitions)
        if made is None or not lanes_of(phi.type) or element_of(phi.type) == "i1":
            return False
        mask, _, otherwise = made.operands
        return otherwise.value == phi.name and mask_implies(mask.value, self.tested, self.values)

    def _is_lanewise(self, instruction: Instruction, block: Block) -> bool:
        op, parts = instruction.op, instruction.parts
        if op == "phi":
            return block.name == self.header.name
        if instruction.is_terminator or op.startswith("#") or instruction.name in self.deciding:
            return True
        if parts.unknown or any(name in self.deciding for name in instruction.names_used()):
            return False
        if not lanes_of(instruction.type) and not any(lanes_of(each.type) for each in instruction.operands):
            return op in _PLAIN and op not in ("sdiv", "udiv", "srem", "urem")
        if any(lanes_of(each.type) not in (0, self.lanes) for each in (Operand(instruction.type, ""), *instruction.operands)):
            return False
        if op in ("insertelement", "shufflevector"):
            return scalar_of_splat(instruction.name, self.values.definitions) is not None or self._begins_splat(instruction)
        if op != "call":
            return op in _PLAIN and lanes_of(instruction.type) == self.lanes
        operation = pseudo_operation(instruction)
        if not operation:
            return _scalar_callee(parts.callee) is not None
        if operation not in ("gather", "load"):
            return False
        access = read_access(0, instruction, operation, self.values)
        sure = self.live if block.name == self.header.name else self.tested
        self.loads.append((access, block.name))
        return operation == "gather" and (access.all_on or mask_implies(sure, access.mask, self.values))

    def _begins_splat(self, instruction: Instruction) -> bool:
        users = [
            each for block in (self.header, self.body) for each in block.instructions if instruction.name in each.names_used()
        ]
        return all(scalar_of_splat(each.name, self.values.definitions) is not None for each in users)

    def _gains(self) -> bool:
        """By what the row of costs says of gathers; arithmetic is what a gang does at once, and lanes do one by one."""
        irregular = [access for access, _ in self.loads if access.address is None]
        if not any(self._walks(access) for access in irregular):
            return False
        others = sum(self._is_work(each) for block in (self.header, self.body) for each in block.instructions)
        row = cost_row(self.options.target)
        wide = row.masked_gather_lane if row.native_masked_gather else row.gather_lane
        gathers = sum(wide if access.size >= _WIDE else _SMALL_LANE for access in irregular) * self.lanes
        registers = max(1, 32 * self.lanes // self.options.target.vector_bits)
        gang = gathers + others * registers * _OPERATION + _ITERATION
        alone = self.lanes * ((others + len(irregular)) * _OPERATION + _ITERATION_ALONE) * _SHARE_ON
        return alone < gang

    def _is_work(self, instruction: Instruction) -> bool:
        if instruction.op == "call":
            return not pseudo_operation(instruction)
        free = instruction.op in _FREE or element_of(instruction.type) == "i1"
        return instruction.op in _PLAIN and instruction.name not in self.deciding and not free

    def _walks(self, access: Access) -> bool:
        """Whether the element of a lane is as many behind its last one in each iteration."""
        definitions, value = self.values.definitions, access.pointers.value
        while (made := m.made_by(("getelementptr", "sext", "zext", "add"), value, definitions)) is not None:
            value = next(
                (each.value for each in reversed(made.operands) if each.value in definitions and lanes_of(each.type)), ""
            )
            if not value:
                return False
        if value not in {phi.name for phi in self.header.phis()}:
            return False
        following = self._next(definitions[value])
        chosen = m.made_by(("select",), following, definitions)
        found = _STEP.find(chosen.operands[1].value if chosen is not None else following, definitions)
        return found is not None and found["counter"].value == value

    # ---- writing ----------------------------------------------------------------

    def write(self, module: Module) -> None:
        """Put the loop over the lanes in its place."""
        _Writer(self, module, self.function.fresh_names()).write()


_WIDE = 4
"""Bytes of the smallest element that gathers are for."""
_OPERATION, _ITERATION, _ITERATION_ALONE, _SMALL_LANE = 0.5, 2.0, 3.0, 3.5
"""An operation; the branch of an iteration and what waits for it, of a gang and of one lane; a lane's byte or 16-bit number
under a mask. In the unit of the cost rows, measured on Zen 3: rows of a sparse matrix and strings gain 2 to 4 times; rows of
floats all of one length lose 10 % and are left to gathers; two gathers and two operations gain at any length."""
_SHARE_ON = 0.6
"""Of the iterations of a gang, those in which a lane is still in the loop: 0.5 to 0.65 for random lengths, and 1 where all are
the same."""


def _scalar_callee(callee: str) -> tuple[str, str] | None:
    """``@llvm.smax.v8i32`` -> ``@llvm.smax.i32``, ``i32``; None for what is no intrinsic of each lane by itself."""
    found = re.fullmatch(r"@llvm\.(\w+)((?:\.sat)?)\.v\d+(\w+)", callee)
    if found is None or found[1] not in LANEWISE_INTRINSICS:
        return None
    return f"@llvm.{found[1]}{found[2]}.{found[3]}", found[3]


class _Writer:
    """The new blocks of one loop."""

    def __init__(self, walk: _Walk, module: Module, fresh: Callable[[str], str]) -> None:
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
        first = walk._arm(live, False)
        on = first
        if element_of(live.type) != "i1":
            on = self._insert(self.before, "on", f"icmp slt {live.type} {first}, zeroinitializer")
        packed = self._insert(self.before, "packed", f"bitcast <{lanes} x i1> {on} to i{lanes}")
        bits = packed if lanes == _MOST_LANES else self._insert(self.before, "bits", f"zext i{lanes} {packed} to i64")
        some = self._insert(self.before, "some", f"icmp ne i64 {bits}, 0")
        left, fewer, more = fresh("left"), fresh("fewer"), fresh("more")

        phis = list(header.phis())
        for block in (header, body):
            for instruction in block.instructions:
                if instruction.name and instruction.name not in walk.deciding:
                    self.names[instruction.name] = fresh("of.lane")
        constant = mask_implies(walk.tested, walk._next(live), walk.values)
        if constant:
            self.names[walk.live] = "true" if element_of(live.type) == "i1" else "-1"
        test: list[Instruction] = []
        for phi in phis:
            if constant and phi.name == walk.live:
                continue
            start = self._start(phi, live)
            arms = f"[ {start}, %{new['next']} ], [ {self._scalar(phi.type, walk._next(phi))}, %{new['body']} ]"
            test.append(Instruction(f"  {self.names[phi.name]} = phi {element_of(phi.type)} {arms}"))
        test += self._scalars(header.instructions[len(phis) :])
        tested = self._scalar(f"<{lanes} x i1>", walk.tested)
        test.append(Instruction(f"  br i1 {tested}, label %{new['body']}, label %{new['left']}"))
        rest = [*self._scalars(body.instructions), Instruction(f"  br label %{new['test']}")]

        used = self._used_outside(phis)
        leave: list[Instruction] = []
        results: dict[str, str] = {}
        done: list[Instruction] = []
        for phi in used:
            element = element_of(phi.type)
            slot = self._slot(phi.type, walk._arm(phi, False))
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

    def _used_outside(self, phis: list[Instruction]) -> list[Instruction]:
        used: set[str] = set()
        for block in self.walk.function.blocks:
            if block.name not in self.walk.loop.blocks:
                for instruction in block.instructions:
                    used.update(instruction.names_used())
        return [phi for phi in phis if phi.name in used]

    def _start(self, phi: Instruction, live: Instruction) -> str:
        """What one lane begins with."""
        value = self.walk._arm(phi, False)
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
            found = _scalar_callee(parts.callee)
            if found is None:
                return f"load {element}, ptr {given[0]}, align {self._size(element)}"
            self.module.declare([f"declare {element} {found[0]}({', '.join(types)})"])
            plain = "".join(f"{flag} " for flag in parts.flags if flag not in ("tail", "musttail", "notail"))
            return f"call {plain}{element} {found[0]}({', '.join(typed)})"
        if op in CASTS:
            return f"{op} {flags}{typed[0]} to {element}"
        if op in _COMPARISONS:
            return f"{op} {flags}{parts.predicate} {typed[0]}, {given[1]}"
        if op == "select":
            return f"select {flags}{', '.join(typed)}"
        if op == "getelementptr":
            return f"getelementptr {flags}{parts.element_type}, {', '.join(typed)}"
        return f"{op} {flags}{typed[0]}" + (f", {given[1]}" if len(given) > 1 else "")
