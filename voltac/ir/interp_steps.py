"""Instructions that compute values -> Python functions on a frame, for ``interp_translate.py``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voltac.ir import interp_operations as operations
from voltac.ir.interp_constants import constant
from voltac.ir.interp_frame import Frame, Rule, Slots, Step
from voltac.ir.interp_values import InstructionFault, Value, has_poison, poison, uniform_value
from voltac.ir.model import Instruction


def _binary(slots: Slots, instruction: Instruction, target: int) -> Step:
    kind = slots.kinds[instruction.type]
    function = operations.BINARY[instruction.op](kind.scalar.bits, instruction.parts.flags)
    step = _map_two(slots, instruction, target, function, kind.is_vector)
    if instruction.op not in operations.DIVISIONS:
        return step
    right = slots.source(instruction.operands[1])

    def division(frame: Frame) -> None:
        if has_poison(frame[right]):
            raise InstructionFault("divides by poison")
        step(frame)

    return division


def _map_two(slots: Slots, instruction: Instruction, target: int, function: operations.BinaryFunction, is_vector: bool) -> Step:
    left, right = (slots.source(operand) for operand in instruction.operands)

    def scalar(frame: Frame) -> None:
        a, b = frame[left], frame[right]
        frame[target] = None if a is None or b is None else function(a, b)

    def vector(frame: Frame) -> None:
        frame[target] = [None if a is None or b is None else function(a, b) for a, b in zip(frame[left], frame[right])]

    return vector if is_vector else scalar


def _map_one(source: int, target: int, function: operations.UnaryFunction, is_vector: bool) -> Step:
    def scalar(frame: Frame) -> None:
        a = frame[source]
        frame[target] = None if a is None else function(a)

    def vector(frame: Frame) -> None:
        frame[target] = [None if a is None else function(a) for a in frame[source]]

    return vector if is_vector else scalar


def _cast(slots: Slots, instruction: Instruction, target: int) -> Step:
    operand = instruction.operands[0]
    source, result = slots.kinds[operand.type], slots.kinds[instruction.type]
    function = operations.CASTS[instruction.op](source.scalar, result.scalar, instruction.parts.flags)
    return _map_one(slots.source(operand), target, function, source.is_vector)


def _bitcast(slots: Slots, instruction: Instruction, target: int) -> Step:
    operand = instruction.operands[0]
    source = slots.source(operand)
    function = operations.bitcast(slots.kinds[operand.type], slots.kinds[instruction.type])

    def step(frame: Frame) -> None:
        frame[target] = function(frame[source])

    return step


def _negate(slots: Slots, instruction: Instruction, target: int) -> Step:
    kind = slots.kinds[instruction.type]
    function = operations.negate(kind.scalar.bits, instruction.parts.flags)
    return _map_one(slots.source(instruction.operands[0]), target, function, kind.is_vector)


def _freeze(slots: Slots, instruction: Instruction, target: int) -> Step:
    """Poison becomes an arbitrary value: one that a program would hardly expect."""
    kind = slots.kinds[instruction.type]
    source = slots.source(instruction.operands[0])
    arbitrary = uniform_value(kind, 0x5A5A5A5A5A5A5A5A & (kind.scalar.mask or -1), -1.5)

    def settle(value: Value, instead: Value) -> Value:
        if type(value) is list:
            return [settle(element, other) for element, other in zip(value, instead)]
        return instead if value is None else value

    def step(frame: Frame) -> None:
        frame[target] = settle(frame[source], arbitrary)

    return step


def _compare(slots: Slots, instruction: Instruction, target: int) -> Step:
    kind = slots.kinds[instruction.operands[0].type]
    make = operations.compare_integers if instruction.op == "icmp" else operations.compare_floats
    function = make(instruction.parts.predicate, kind.scalar.bits, instruction.parts.flags)
    return _map_two(slots, instruction, target, function, kind.is_vector)


def _select(slots: Slots, instruction: Instruction, target: int) -> Step:
    test, left, right = (slots.source(operand) for operand in instruction.operands)
    nothing = poison(slots.kinds[instruction.type])
    allowed = operations.finite_only(instruction.parts.flags)

    def whole(frame: Frame) -> None:
        condition = frame[test]
        frame[target] = nothing if condition is None else frame[left] if condition else frame[right]

    def by_element(frame: Frame) -> None:
        frame[target] = [
            None if condition is None else a if condition else b
            for condition, a, b in zip(frame[test], frame[left], frame[right])
        ]

    choose = by_element if slots.kinds[instruction.operands[0].type].is_vector else whole
    return choose if allowed is None else checking(choose, target, allowed)


def _extract_element(slots: Slots, instruction: Instruction, target: int) -> Step:
    vector, index = (slots.source(operand) for operand in instruction.operands)

    def step(frame: Frame) -> None:
        values, at = frame[vector], frame[index]
        frame[target] = None if at is None or at >= len(values) else values[at]

    return step


def _insert_element(slots: Slots, instruction: Instruction, target: int) -> Step:
    vector, element, index = (slots.source(operand) for operand in instruction.operands)

    def step(frame: Frame) -> None:
        values, at = list(frame[vector]), frame[index]
        if at is None or at >= len(values):
            values = [None] * len(values)
        else:
            values[at] = frame[element]
        frame[target] = values

    return step


def _shuffle(slots: Slots, instruction: Instruction, target: int) -> Step:
    left, right = (slots.source(operand) for operand in instruction.operands)
    count = slots.kinds[instruction.type].count
    mask_kind = slots.kinds[f"<{count} x i32>"]
    picks = constant(slots.kinds, mask_kind, instruction.parts.mask, slots.machine.address_of)

    def step(frame: Frame) -> None:
        both = frame[left] + frame[right]
        frame[target] = [None if pick is None else both[pick] for pick in picks]

    return step


def _extract_value(slots: Slots, instruction: Instruction, target: int) -> Step:
    source, indices = slots.source(instruction.operands[0]), tuple(instruction.parts.indices)

    def step(frame: Frame) -> None:
        value = frame[source]
        for index in indices:
            value = value[index]
        frame[target] = value

    return step


def _insert_value(slots: Slots, instruction: Instruction, target: int) -> Step:
    aggregate, element = (slots.source(operand) for operand in instruction.operands)
    indices = tuple(instruction.parts.indices)

    def step(frame: Frame) -> None:
        result = inner = list(frame[aggregate])
        for index in indices[:-1]:
            inner[index] = list(inner[index])
            inner = inner[index]
        inner[indices[-1]] = frame[element]
        frame[target] = result

    return step


def checking(step: Step, target: int, allowed: Callable[[Value], bool], sources: Sequence[int] = ()) -> Step:
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


RULES: dict[str, Rule] = {
    **dict.fromkeys(operations.BINARY, _binary),
    **dict.fromkeys(operations.CASTS, _cast),
    "bitcast": _bitcast,
    "fneg": _negate,
    "freeze": _freeze,
    "icmp": _compare,
    "fcmp": _compare,
    "select": _select,
    "extractelement": _extract_element,
    "insertelement": _insert_element,
    "shufflevector": _shuffle,
    "extractvalue": _extract_value,
    "insertvalue": _insert_value,
}
"""Operation -> how it is translated."""
