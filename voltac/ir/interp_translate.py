"""A function of the IR -> :class:`Code`: Python functions on a frame of numbered values, one an instruction.

Every value, constants too, gets a slot of the frame, so that an instruction
reads and writes by number. ``interp.py`` runs the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from voltac.ir import interp_intrinsics as intrinsics
from voltac.ir import interp_operations as operations
from voltac.ir.interp_memory import Called
from voltac.ir.interp_values import ROUND, Fault, Kind, Value, constant, has_poison, poison, to_signed, uniform_value
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.scan import match_bracket, split_list
from voltac.records import field, mutable_record

if TYPE_CHECKING:
    from voltac.ir.interp import Machine

Frame = list[Value]
Step = Callable[[Frame], None]
Leave = Callable[[Frame], int]
"""Of a terminator: the number of the next block, or -1 to return what is in slot 0."""

RESULT, ALLOCATED = 0, 1
"""Slots of a frame with a fixed use: the returned value, and the addresses of the frame's allocas."""


class ExecutionError(Exception):
    """The program did what it must not; the message names function, block and instruction."""


@mutable_record
class Block:
    """A basic block, translated."""

    name: str
    steps: list[Step] = field(default_factory=list)
    leave: Leave = lambda frame: -1
    moves: dict[int, tuple[list[int], list[int]]] = field(default_factory=dict)
    """Number of the block control comes from -> slots of the phis and of what they take."""
    phis: int = 0
    origins: list[Instruction] = field(default_factory=list)
    """The instruction of each step; the terminator last."""


@mutable_record
class Code:
    """A function ready to run."""

    name: str
    parameters: list[int]
    template: Frame
    blocks: list[Block]


class Translation:
    """One function -> :class:`Code`: every value, constants too, gets a slot of the frame."""

    def __init__(self, machine: Machine, function: Function) -> None:
        self.machine = machine
        self.memory = machine.memory
        self.kinds = machine.kinds
        self.function = function
        self.template: Frame = [None, None]
        self.slots: dict[str, int] = {}
        self.numbers = {block.name: number for number, block in enumerate(function.blocks)}
        self.types: dict[str, str] = {}

    def translate(self) -> Code:
        """The whole function."""
        parameters = [self.slot(parameter.name) for parameter in self.function.parameters]
        for parameter in self.function.parameters:
            self.types[parameter.name] = parameter.type
        for instruction in self.function.instructions():
            if instruction.name:
                self.slot(instruction.name)
        blocks = [Block(block.name) for block in self.function.blocks]
        for block, source in zip(blocks, self.function.blocks):
            self._phis(block, list(source.phis()))
            for instruction in source.instructions:
                if instruction.op == "phi" or instruction.op.startswith("#"):
                    continue
                block.origins.append(instruction)
                if instruction.is_terminator:
                    block.leave = self._terminator(instruction)
                else:
                    block.steps.append(self._step(instruction))
        return Code(self.function.name, parameters, self.template, blocks)

    def slot(self, name: str) -> int:
        """The slot of ``%name``, a new one where it is not known."""
        found = self.slots.get(name)
        if found is None:
            found = self.slots[name] = len(self.template)
            self.template.append(None)
        return found

    def source(self, operand: Operand) -> int:
        """The slot an operand is read from; constants lie in the frame's template."""
        if operand.value[0] == "%":
            return self.slot(operand.value)
        key = f"{operand.type} {operand.value}"
        found = self.slots.get(key)
        if found is None:
            found = self.slot(key)
            self.template[found] = constant(self.kinds, self.kinds[operand.type], operand.value, self.machine.address_of)
        return found

    def _phis(self, block: Block, phis: list[Instruction]) -> None:
        block.phis = len(phis)
        for phi in phis:
            target = self.slot(phi.name)
            seen: set[int] = set()
            for operand, label in zip(phi.operands, phi.parts.labels):
                number = self.numbers[label]
                if number not in seen:
                    seen.add(number)
                    slots, sources = block.moves.setdefault(number, ([], []))
                    slots.append(target)
                    sources.append(self.source(operand))

    # --- terminators ---

    def _terminator(self, instruction: Instruction) -> Leave:
        parts = instruction.parts
        match instruction.op:
            case "ret":
                if not parts.operands:
                    return lambda frame: -1
                source = self.source(parts.operands[0])

                def leave(frame: Frame) -> int:
                    frame[RESULT] = frame[source]
                    return -1

                return leave
            case "br":
                targets = [self.numbers[label] for label in parts.labels]
                if len(targets) == 1:
                    only = targets[0]
                    return lambda frame: only
                return self._conditional_branch(self.source(parts.operands[0]), *targets)
            case "switch":
                value, *cases = (self.source(operand) for operand in parts.operands)
                default, *others = (self.numbers[label] for label in parts.labels)
                return self._switch(value, {self.template[case]: number for case, number in zip(cases, others)}, default)
            case "unreachable":
                return self._unreachable
        raise ExecutionError(f"in @{self.function.name}: no meaning is known for: {instruction.text.strip()}")

    @staticmethod
    def _conditional_branch(test: int, then: int, otherwise: int) -> Leave:
        def leave(frame: Frame) -> int:
            condition = frame[test]
            if condition is None:
                raise Fault("branches on poison")
            return then if condition else otherwise

        return leave

    @staticmethod
    def _switch(value: int, targets: dict[int, int], default: int) -> Leave:
        def leave(frame: Frame) -> int:
            if frame[value] is None:
                raise Fault("switches on poison")
            return targets.get(frame[value], default)

        return leave

    @staticmethod
    def _unreachable(frame: Frame) -> int:
        raise Fault("reaches what is unreachable")

    # --- steps ---

    def _step(self, instruction: Instruction) -> Step:
        op = instruction.op
        target = self.slot(instruction.name) if instruction.name else RESULT
        try:
            if op in operations.BINARY:
                return self._binary(instruction, target)
            if op in operations.CASTS:
                return self._cast(instruction, target)
            rule = _RULES.get(op)
            if rule is not None:
                return rule(self, instruction, target)
        except Fault as fault:
            raise ExecutionError(f"in @{self.function.name}: {fault}\n  {instruction.text.strip()}") from fault
        raise ExecutionError(f"in @{self.function.name}: no meaning is known for: {instruction.text.strip()}")

    def _binary(self, instruction: Instruction, target: int) -> Step:
        kind = self.kinds[instruction.type]
        function = operations.BINARY[instruction.op](kind.scalar.bits, instruction.parts.flags)
        step = self._map_two(instruction, target, function, kind.is_vector)
        if instruction.op not in operations.DIVISIONS:
            return step
        right = self.source(instruction.operands[1])

        def division(frame: Frame) -> None:
            if has_poison(frame[right]):
                raise Fault("divides by poison")
            step(frame)

        return division

    def _map_two(self, instruction: Instruction, target: int, function: operations.BinaryFunction, is_vector: bool) -> Step:
        left, right = (self.source(operand) for operand in instruction.operands)

        def scalar(frame: Frame) -> None:
            a, b = frame[left], frame[right]
            frame[target] = None if a is None or b is None else function(a, b)

        def vector(frame: Frame) -> None:
            frame[target] = [None if a is None or b is None else function(a, b) for a, b in zip(frame[left], frame[right])]

        return vector if is_vector else scalar

    def _map_one(self, source: int, target: int, function: operations.UnaryFunction, is_vector: bool) -> Step:
        def scalar(frame: Frame) -> None:
            a = frame[source]
            frame[target] = None if a is None else function(a)

        def vector(frame: Frame) -> None:
            frame[target] = [None if a is None else function(a) for a in frame[source]]

        return vector if is_vector else scalar

    def _cast(self, instruction: Instruction, target: int) -> Step:
        operand = instruction.operands[0]
        source, result = self.kinds[operand.type], self.kinds[instruction.type]
        function = operations.CASTS[instruction.op](source.scalar, result.scalar, instruction.parts.flags)
        return self._map_one(self.source(operand), target, function, source.is_vector)

    def _bitcast(self, instruction: Instruction, target: int) -> Step:
        operand = instruction.operands[0]
        source = self.source(operand)
        function = operations.bitcast(self.kinds[operand.type], self.kinds[instruction.type])

        def step(frame: Frame) -> None:
            frame[target] = function(frame[source])

        return step

    def _negate(self, instruction: Instruction, target: int) -> Step:
        kind = self.kinds[instruction.type]
        function = operations.negate(kind.scalar.bits, instruction.parts.flags)
        return self._map_one(self.source(instruction.operands[0]), target, function, kind.is_vector)

    def _freeze(self, instruction: Instruction, target: int) -> Step:
        """Poison becomes an arbitrary value: one that a program would hardly expect."""
        kind = self.kinds[instruction.type]
        source = self.source(instruction.operands[0])
        arbitrary = uniform_value(kind, 0x5A5A5A5A5A5A5A5A & (kind.scalar.mask or -1), -1.5)

        def settle(value: Value, instead: Value) -> Value:
            if type(value) is list:
                return [settle(element, other) for element, other in zip(value, instead)]
            return instead if value is None else value

        def step(frame: Frame) -> None:
            frame[target] = settle(frame[source], arbitrary)

        return step

    def _compare(self, instruction: Instruction, target: int) -> Step:
        kind = self.kinds[instruction.operands[0].type]
        make = operations.compare_integers if instruction.op == "icmp" else operations.compare_floats
        function = make(instruction.parts.predicate, kind.scalar.bits, instruction.parts.flags)
        return self._map_two(instruction, target, function, kind.is_vector)

    def _select(self, instruction: Instruction, target: int) -> Step:
        test, left, right = (self.source(operand) for operand in instruction.operands)
        nothing = poison(self.kinds[instruction.type])
        allowed = operations.finite_only(instruction.parts.flags)

        def whole(frame: Frame) -> None:
            condition = frame[test]
            frame[target] = nothing if condition is None else frame[left] if condition else frame[right]

        def by_element(frame: Frame) -> None:
            frame[target] = [
                None if condition is None else a if condition else b
                for condition, a, b in zip(frame[test], frame[left], frame[right])
            ]

        choose = by_element if self.kinds[instruction.operands[0].type].is_vector else whole
        return choose if allowed is None else _checking(choose, target, allowed)

    # --- vectors and aggregates ---

    def _extract_element(self, instruction: Instruction, target: int) -> Step:
        vector, index = (self.source(operand) for operand in instruction.operands)

        def step(frame: Frame) -> None:
            values, at = frame[vector], frame[index]
            frame[target] = None if at is None or at >= len(values) else values[at]

        return step

    def _insert_element(self, instruction: Instruction, target: int) -> Step:
        vector, element, index = (self.source(operand) for operand in instruction.operands)

        def step(frame: Frame) -> None:
            values, at = list(frame[vector]), frame[index]
            if at is None or at >= len(values):
                values = [None] * len(values)
            else:
                values[at] = frame[element]
            frame[target] = values

        return step

    def _shuffle(self, instruction: Instruction, target: int) -> Step:
        left, right = (self.source(operand) for operand in instruction.operands)
        count = self.kinds[instruction.type].count
        mask_kind = self.kinds[f"<{count} x i32>"]
        picks = constant(self.kinds, mask_kind, instruction.parts.mask, self.machine.address_of)

        def step(frame: Frame) -> None:
            both = frame[left] + frame[right]
            frame[target] = [None if pick is None else both[pick] for pick in picks]

        return step

    def _extract_value(self, instruction: Instruction, target: int) -> Step:
        source, indices = self.source(instruction.operands[0]), tuple(instruction.parts.indices)

        def step(frame: Frame) -> None:
            value = frame[source]
            for index in indices:
                value = value[index]
            frame[target] = value

        return step

    def _insert_value(self, instruction: Instruction, target: int) -> Step:
        aggregate, element = (self.source(operand) for operand in instruction.operands)
        indices = tuple(instruction.parts.indices)

        def step(frame: Frame) -> None:
            result = inner = list(frame[aggregate])
            for index in indices[:-1]:
                inner[index] = list(inner[index])
                inner = inner[index]
            inner[indices[-1]] = frame[element]
            frame[target] = result

        return step

    # --- memory ---

    def _alloca(self, instruction: Instruction, target: int) -> Step:
        parts, memory = instruction.parts, self.memory
        kind = self.kinds[parts.element_type]
        alignment = parts.alignment or kind.alignment
        count = self.source(parts.operands[0]) if parts.operands else -1
        name = f"the local {instruction.name}"

        def step(frame: Frame) -> None:
            number = 1 if count < 0 else frame[count]
            if number is None:
                raise Fault("allocates a poisoned number of elements")
            base = memory.allocate(name, kind.size * number, alignment).base
            if frame[ALLOCATED] is None:
                frame[ALLOCATED] = []
            frame[ALLOCATED].append(base)
            frame[target] = base

        return step

    def _load(self, instruction: Instruction, target: int) -> Step:
        memory, kind = self.memory, self.kinds[instruction.type]
        address, alignment = self.source(instruction.operands[0]), instruction.parts.alignment

        def step(frame: Frame) -> None:
            frame[target] = memory.load(kind, frame[address], alignment)

        return step

    def _store(self, instruction: Instruction, target: int) -> Step:
        memory, kind = self.memory, self.kinds[instruction.operands[0].type]
        value, address = (self.source(operand) for operand in instruction.operands)
        alignment = instruction.parts.alignment

        def step(frame: Frame) -> None:
            memory.store(kind, frame[value], frame[address], alignment)

        return step

    def _getelementptr(self, instruction: Instruction, target: int) -> Step:
        """Scalar or vector; poison where ``inbounds``, ``nuw`` or ``nusw`` promise what does not hold."""
        parts = instruction.parts
        base, *indices = parts.operands
        steps = [self._index_scale(kind_and_index) for kind_and_index in self._index_types(parts.element_type, indices)]
        offset = sum(scale * index for scale, index in steps if isinstance(index, int))
        variable = [
            (scale, self.source(index), self.kinds[index.type].scalar.bits, self.kinds[index.type].is_vector)
            for scale, index in steps
            if isinstance(index, Operand)
        ]
        source, kind = self.source(base), self.kinds[instruction.type]
        advance = self._advance_pointer(parts.flags)

        def scalar(frame: Frame) -> None:
            total = offset
            for scale, slot, bits, _ in variable:
                index = frame[slot]
                if index is None:
                    frame[target] = None
                    return
                total += scale * to_signed(index, bits)
            frame[target] = advance(frame[source], total)

        if not kind.is_vector:
            return scalar
        count, many = kind.count, self.kinds[base.type].is_vector

        def vector(frame: Frame) -> None:
            addresses = frame[source] if many else [frame[source]] * count
            columns = [(scale, frame[slot] if wide else [frame[slot]] * count, bits) for scale, slot, bits, wide in variable]
            results: list[Value] = []
            for lane, address in enumerate(addresses):
                total: int | None = offset
                for scale, column, bits in columns:
                    index = column[lane]
                    total = None if index is None or total is None else total + scale * to_signed(index, bits)
                results.append(None if total is None else advance(address, total))
            frame[target] = results

        return vector

    def _index_types(self, element_type: str, indices: list[Operand]) -> Iterator[tuple[Kind, int | None, Operand]]:
        """For each index: the type it steps over, or a struct and the number of the member."""
        kind = self.kinds[element_type]
        yield kind, None, indices[0]
        for operand in indices[1:]:
            if kind.shape == "struct":
                value = self.template[self.source(operand)]
                member = value[0] if type(value) is list else value
                yield kind, member, operand
                kind = kind.members[member]
            else:
                assert kind.element is not None
                kind = kind.element
                yield kind, None, operand

    def _index_scale(self, found: tuple[Kind, int | None, Operand]) -> tuple[int, int | Operand]:
        """Bytes a step takes and the index, as a number where it is constant."""
        kind, member, operand = found
        if member is not None:
            return kind.offsets[member], 1
        if operand.value[0] != "%":
            value = self.template[self.source(operand)]
            if type(value) is int:
                return kind.size, to_signed(value, self.kinds[operand.type].bits)
        return kind.size, operand

    def _advance_pointer(self, flags: Sequence[str]) -> Callable[[Value, int], Value]:
        memory = self.memory
        mask = (1 << self.kinds.layout.pointer_bytes * 8) - 1
        inbounds, no_unsigned = "inbounds" in flags, "nuw" in flags

        def advance(address: Value, by: int) -> Value:
            if address is None:
                return None
            result = address + by
            if no_unsigned and (by < 0 or result > mask):
                return None
            if inbounds and by:
                found = memory.in_object(address)
                if found is None or not found.base <= result <= found.end:
                    return None
            return result & mask

        return advance

    def _atomic_update(self, instruction: Instruction, target: int) -> Step:
        memory, kind = self.memory, self.kinds[instruction.type]
        address, operand = (self.source(operand) for operand in instruction.operands)
        name = instruction.parts.predicate
        function: Callable[[Value, Value], Value]
        if kind.shape == "float":
            exact = operations.ATOMIC_FLOAT[name]
            function = lambda old, new: ROUND[kind.bits](exact(old, new))  # noqa: E731
        else:
            combine = operations.ATOMIC[name]
            function = lambda old, new: combine(old, new, kind.bits) & kind.mask  # noqa: E731

        def step(frame: Frame) -> None:
            old, new = memory.load(kind, frame[address], kind.size), frame[operand]
            memory.store(kind, None if old is None or new is None else function(old, new), frame[address], kind.size)
            frame[target] = old

        return step

    def _compare_exchange(self, instruction: Instruction, target: int) -> Step:
        memory, kind = self.memory, self.kinds[instruction.operands[1].type]
        address, expected, new = (self.source(operand) for operand in instruction.operands)

        def step(frame: Frame) -> None:
            old = memory.load(kind, frame[address], kind.size)
            if old is None or frame[expected] is None:
                raise Fault("compares poison")
            if old == frame[expected]:
                memory.store(kind, frame[new], frame[address], kind.size)
            frame[target] = [old, int(old == frame[expected])]

        return step

    def _fence(self, instruction: Instruction, target: int) -> Step:
        return lambda frame: None

    # --- calls ---

    def _call(self, instruction: Instruction, target: int) -> Step:
        parts, machine = instruction.parts, self.machine
        operands = [operand for operand in parts.operands if operand.type != "metadata"]
        name = parts.callee.removeprefix("@").strip('"')
        row = intrinsics.find(name) if parts.callee[0] == "@" and name not in machine.externals else None
        if row is not None:
            if len(operands) != len(parts.operands) and not instruction.name:
                return lambda frame: None  # debug information
            return self._intrinsic(instruction, target, row, operands)
        sources = [self.source(operand) for operand in operands]
        if parts.callee[0] == "@":

            def named(frame: Frame) -> None:
                frame[target] = machine.call_named(name, [frame[source] for source in sources])

            return named
        address = self.slot(parts.callee)

        def indirect(frame: Frame) -> None:
            frame[target] = machine.call_address(frame[address], [frame[source] for source in sources])

        return indirect

    def _intrinsic(self, instruction: Instruction, target: int, row: tuple[str, Any], operands: list[Operand]) -> Step:
        sources = [self.source(operand) for operand in operands]
        kinds, result = tuple(self.kinds[operand.type] for operand in operands), self.kinds[instruction.type]
        shape, meaning = row
        if shape == "element":
            function = meaning(kinds[0].scalar, result.scalar)

            def element(frame: Frame) -> None:
                frame[target] = intrinsics.apply_elementwise(function, kinds, result, [frame[source] for source in sources])

            allowed = operations.finite_only(instruction.parts.flags) if result.scalar.shape == "float" else None
            return element if allowed is None else _checking(element, target, allowed, sources)
        memory, alignments = self.memory, _argument_alignments(instruction, len(operands))

        def whole(frame: Frame) -> None:
            arguments = [frame[source] for source in sources]
            frame[target] = meaning(Called(memory, kinds, result, arguments, alignments))

        return whole


def _checking(step: Step, target: int, allowed: Callable[[Value], bool], sources: Sequence[int] = ()) -> Step:
    """A step whose result is poison where fast-math flags exclude it, or an operand of the same element."""

    def checked(frame: Frame) -> None:
        step(frame)
        for slot in (target, *sources):
            values, result = frame[slot], frame[target]
            if type(result) is not list:
                frame[target] = result if values is not None and allowed(values) else None
            elif type(values) is list:
                pairs = zip(result, values)
                frame[target] = [one if value is not None and allowed(value) else None for one, value in pairs]

    return checked


def _argument_alignments(instruction: Instruction, count: int) -> tuple[int, ...]:
    """The ``align N`` attribute of each argument of a call, 1 without."""
    text = instruction.text
    opening = text.index("(", text.index(instruction.parts.callee))
    items = split_list(text[opening + 1 : match_bracket(text, opening) - 1])
    found = (re.search(r"\balign (\d+)", item) for item in items[:count])
    return tuple(int(match.group(1)) if match else 1 for match in found)


_RULES: dict[str, Callable[[Translation, Instruction, int], Step]] = {
    "bitcast": Translation._bitcast,
    "fneg": Translation._negate,
    "freeze": Translation._freeze,
    "icmp": Translation._compare,
    "fcmp": Translation._compare,
    "select": Translation._select,
    "extractelement": Translation._extract_element,
    "insertelement": Translation._insert_element,
    "shufflevector": Translation._shuffle,
    "extractvalue": Translation._extract_value,
    "insertvalue": Translation._insert_value,
    "alloca": Translation._alloca,
    "load": Translation._load,
    "store": Translation._store,
    "getelementptr": Translation._getelementptr,
    "atomicrmw": Translation._atomic_update,
    "cmpxchg": Translation._compare_exchange,
    "fence": Translation._fence,
    "call": Translation._call,
}
"""Operation -> how it is translated; ``operations.BINARY`` and ``operations.CASTS`` have one rule each."""
