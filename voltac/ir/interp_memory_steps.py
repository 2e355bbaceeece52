"""Instructions that make addresses and access memory -> Python functions on a frame, for ``interp_translate.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from voltac.ir import interp_operations as operations
from voltac.ir.interp_frame import ALLOCATED, Frame, Rule, Slots, Step
from voltac.ir.interp_values import ROUND, InstructionFault, Kind, Value, to_signed
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand


def _alloca(slots: Slots, instruction: Instruction, target: int) -> Step:
    parts, memory = instruction.parts, slots.memory
    kind = slots.kinds[parts.element_type]
    alignment = parts.alignment or kind.alignment
    count = slots.source(parts.operands[0]) if parts.operands else -1
    name = f"the local {instruction.name}"

    def step(frame: Frame) -> None:
        number = 1 if count < 0 else frame[count]
        if number is None:
            raise InstructionFault("allocates a poisoned number of elements")
        base = memory.allocate(name, kind.size * number, alignment).base
        if frame[ALLOCATED] is None:
            frame[ALLOCATED] = []
        frame[ALLOCATED].append(base)
        frame[target] = base

    return step


def _load(slots: Slots, instruction: Instruction, target: int) -> Step:
    memory, kind = slots.memory, slots.kinds[instruction.type]
    address, alignment = slots.source(instruction.operands[0]), instruction.parts.alignment

    def step(frame: Frame) -> None:
        frame[target] = memory.load(kind, frame[address], alignment)

    return step


def _store(slots: Slots, instruction: Instruction, target: int) -> Step:
    memory, kind = slots.memory, slots.kinds[instruction.operands[0].type]
    value, address = (slots.source(operand) for operand in instruction.operands)
    alignment = instruction.parts.alignment

    def step(frame: Frame) -> None:
        memory.store(kind, frame[value], frame[address], alignment)

    return step


def _getelementptr(slots: Slots, instruction: Instruction, target: int) -> Step:
    """Scalar or vector; poison where ``inbounds``, ``nuw`` or ``nusw`` promise what does not hold."""
    parts = instruction.parts
    base, *indices = parts.operands
    steps = [_index_scale(slots, kind_and_index) for kind_and_index in _index_types(slots, parts.element_type, indices)]
    offset = sum(scale * index for scale, index in steps if isinstance(index, int))
    variable = [
        (scale, slots.source(index), slots.kinds[index.type].scalar.bits, slots.kinds[index.type].is_vector)
        for scale, index in steps
        if isinstance(index, Operand)
    ]
    source, kind = slots.source(base), slots.kinds[instruction.type]
    advance = _advance_pointer(slots, parts.flags)

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
    count, many = kind.count, slots.kinds[base.type].is_vector

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


def _index_types(slots: Slots, element_type: str, indices: list[Operand]) -> Iterator[tuple[Kind, int | None, Operand]]:
    """For each index: the type it steps over, or a struct and the number of the member."""
    kind = slots.kinds[element_type]
    yield kind, None, indices[0]
    for operand in indices[1:]:
        if kind.shape == "struct":
            value = slots.template[slots.source(operand)]
            member = value[0] if type(value) is list else value
            yield kind, member, operand
            kind = kind.members[member]
        else:
            assert kind.element is not None
            kind = kind.element
            yield kind, None, operand


def _index_scale(slots: Slots, found: tuple[Kind, int | None, Operand]) -> tuple[int, int | Operand]:
    """Bytes a step takes and the index, as a number where it is constant."""
    kind, member, operand = found
    if member is not None:
        return kind.offsets[member], 1
    if operand.value[0] != "%":
        value = slots.template[slots.source(operand)]
        if type(value) is int:
            return kind.size, to_signed(value, slots.kinds[operand.type].bits)
    return kind.size, operand


def _advance_pointer(slots: Slots, flags: Sequence[str]) -> Callable[[Value, int], Value]:
    memory = slots.memory
    mask = (1 << slots.kinds.layout.pointer_bytes * 8) - 1
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


def _atomic_update(slots: Slots, instruction: Instruction, target: int) -> Step:
    memory, kind = slots.memory, slots.kinds[instruction.type]
    address, operand = (slots.source(operand) for operand in instruction.operands)
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


def _compare_exchange(slots: Slots, instruction: Instruction, target: int) -> Step:
    memory, kind = slots.memory, slots.kinds[instruction.operands[1].type]
    address, expected, new = (slots.source(operand) for operand in instruction.operands)

    def step(frame: Frame) -> None:
        old = memory.load(kind, frame[address], kind.size)
        if old is None or frame[expected] is None:
            raise InstructionFault("compares poison")
        if old == frame[expected]:
            memory.store(kind, frame[new], frame[address], kind.size)
        frame[target] = [old, int(old == frame[expected])]

    return step


def _fence(slots: Slots, instruction: Instruction, target: int) -> Step:
    return lambda frame: None


RULES: dict[str, Rule] = {
    "alloca": _alloca,
    "load": _load,
    "store": _store,
    "getelementptr": _getelementptr,
    "atomicrmw": _atomic_update,
    "cmpxchg": _compare_exchange,
    "fence": _fence,
}
"""Operation -> how it is translated."""
