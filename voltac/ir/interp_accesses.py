"""Intrinsics and pseudo operations that access memory, for the IR interpreter.

Lanes that are off touch no memory; a poisoned mask is an error.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.interp_memory import Called
from voltac.ir.interp_values import InstructionFault, Value
from voltac.records import replace

WholeFunction = Callable[[Called], Value]


def mask_bit(mask: Value, lane: int) -> bool:
    """Whether a lane is on; a :class:`InstructionFault` where that is poison."""
    bit = mask[lane]
    if bit is None:
        raise InstructionFault(f"lane {lane} of the mask of a memory access is poison")
    return bool(bit)


def _alignment_of(called: Called, position: int) -> int:
    """Of a masked access: the ``align`` attribute of its pointer."""
    return called.alignments[position]


def _masked_load(called: Called) -> Value:
    address, mask, otherwise = called.arguments
    element = called.result.scalar
    if any(mask_bit(mask, lane) for lane in range(called.result.count)):
        _check_aligned(address, _alignment_of(called, 0))
    return [
        called.memory.load(element, _advance(address, lane * element.size), 1) if mask[lane] else otherwise[lane]
        for lane in range(called.result.count)
    ]


def _masked_store(called: Called) -> Value:
    values, address, mask = called.arguments
    kind = called.kinds[0]
    if any(mask_bit(mask, lane) for lane in range(kind.count)):
        _check_aligned(address, _alignment_of(called, 1))
    for lane in range(kind.count):
        if mask[lane]:
            called.memory.store(kind.scalar, values[lane], _advance(address, lane * kind.scalar.size), 1)
    return None


def _advance(address: Value, by: int) -> Value:
    return None if address is None else address + by


def _check_aligned(address: Value, alignment: int) -> None:
    if address is not None and alignment > 1 and address % alignment:
        raise InstructionFault(f"accesses {address:#x}, which is not aligned to {alignment}")


def _gather(called: Called) -> Value:
    addresses, mask, otherwise = called.arguments
    element = called.result.scalar
    return [
        called.memory.load(element, addresses[lane], _alignment_of(called, 0)) if mask_bit(mask, lane) else otherwise[lane]
        for lane in range(called.result.count)
    ]


def _scatter(called: Called) -> Value:
    values, addresses, mask = called.arguments
    kind = called.kinds[0]
    for lane in range(kind.count):
        if mask_bit(mask, lane):
            called.memory.store(kind.scalar, values[lane], addresses[lane], _alignment_of(called, 1))
    return None


def _expand_load(called: Called) -> Value:
    address, mask, otherwise = called.arguments
    element, found, taken = called.result.scalar, [], 0
    for lane in range(called.result.count):
        if mask_bit(mask, lane):
            found.append(called.memory.load(element, _advance(address, taken * element.size), 1))
            taken += 1
        else:
            found.append(otherwise[lane])
    return found


def _compress_store(called: Called) -> Value:
    values, address, mask = called.arguments
    element, put = called.kinds[0].scalar, 0
    for lane in range(called.kinds[0].count):
        if mask_bit(mask, lane):
            called.memory.store(element, values[lane], _advance(address, put * element.size), 1)
            put += 1
    return None


def pseudo_gather(called: Called) -> Value:
    """Lanes that are off are poison."""
    addresses, mask = called.arguments
    element = called.result.scalar
    return [
        called.memory.load(element, addresses[lane], element.alignment) if mask_bit(mask, lane) else None
        for lane in range(called.result.count)
    ]


def pseudo_scatter(called: Called) -> Value:
    """Lanes that are on, in order: of one address the last one stays."""
    values, addresses, mask = called.arguments
    element = called.kinds[0].scalar
    for lane in range(called.kinds[0].count):
        if mask_bit(mask, lane):
            called.memory.store(element, values[lane], addresses[lane], element.alignment)
    return None


def pseudo_load(called: Called) -> Value:
    """A gather of consecutive elements."""
    address, mask = called.arguments
    step = called.result.scalar.size
    addresses = [_advance(address, lane * step) for lane in range(called.result.count)]
    return pseudo_gather(replace(called, arguments=[addresses, mask]))


def pseudo_store(called: Called) -> Value:
    """A scatter to consecutive elements."""
    values, address, mask = called.arguments
    step = called.kinds[0].scalar.size
    addresses = [_advance(address, lane * step) for lane in range(called.kinds[0].count)]
    return pseudo_scatter(replace(called, arguments=[values, addresses, mask]))


def _copy(called: Called) -> Value:
    called.memory.copy(*called.arguments[:3])
    return None


def _fill(called: Called) -> Value:
    called.memory.fill(*called.arguments[:3])
    return None


def _forget(called: Called) -> Value:
    called.memory.forget(called.arguments[-1])
    return None


ACCESSES: dict[str, WholeFunction] = {
    "masked.load": _masked_load,
    "masked.store": _masked_store,
    "masked.gather": _gather,
    "masked.scatter": _scatter,
    "masked.expandload": _expand_load,
    "masked.compressstore": _compress_store,
    "memcpy": _copy,
    "memcpy.inline": _copy,
    "memmove": _copy,
    "memset": _fill,
    "memset.inline": _fill,
    "lifetime.start": _forget,
    "lifetime.end": _forget,
}


def pseudo_divisor(called: Called) -> Value:
    """A :class:`InstructionFault` where a lane is zero."""
    divisor = called.arguments[0]
    if 0 in (divisor if called.kinds[0].is_vector else [divisor]):
        raise InstructionFault("divides by zero")
    return None


PSEUDO: dict[str, WholeFunction] = {
    "volta.gather": pseudo_gather,
    "volta.scatter": pseudo_scatter,
    "volta.load": pseudo_load,
    "volta.store": pseudo_store,
    "volta.divisor": pseudo_divisor,
}
"""``ir/pseudo_operations.py`` says what they are; off lanes yield poison, so that nobody may look at them."""
