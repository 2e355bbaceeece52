"""Atomic operations -> a load, the operation, a store.

For machines that have none. Within one thread nothing comes between; memory that several threads
change needs a barrier between them, or a place for each thread: kernels that all threads run
("voltac-threads"="all") may use these on variables of their own only.
"""

from __future__ import annotations

from voltac.codegen.addresses import is_on_stack
from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.integers import add, compare, subtract
from voltac.codegen.legalize.scalar_accesses import bytes_of, load_scalar, store_scalar
from voltac.codegen.legalize.shapes import NotLegal, Shape
from voltac.ir import marks
from voltac.ir.model import Instruction

_HAS_THREADS = marks.attribute(marks.THREADS, "all")
_CHOICES = {"max": "smax", "min": "smin", "umax": "umax", "umin": "umin", "fmax": "maxnum", "fmin": "minnum"}


def _new_value(f: Legalizer, operation: str, shape: Shape, old: Words, operand: Words) -> Words:
    w = f.write
    match operation:
        case "xchg":
            return operand
        case "add":
            return add(f, False, old, operand)
        case "sub":
            return subtract(f, False, old, operand)
        case "and" | "or" | "xor":
            return [w.op(operation, x, y) for x, y in zip(old, operand)]
        case "nand":
            return [w.op("xor", w.op("and", x, y), -1) for x, y in zip(old, operand)]
        case "fadd" | "fsub":
            return [w.float_op(operation, old[0], operand[0], False, shape.element)]
    if operation in _CHOICES:
        return f.lane_function(_CHOICES[operation])(f, False, shape, old, operand)
    raise NotLegal(f"the atomic operation {operation}")


def _check_private(f: Legalizer, pointer: str) -> None:
    """Refuse memory that other threads may change at the same time."""
    if _HAS_THREADS not in f.attributes:
        return
    if not is_on_stack(pointer, f.definitions):
        raise NotLegal(
            f"an atomic operation on memory that several threads may change, which {f.machine.facts.title} does not have:"
            " give each thread a place of its own and combine them behind barrier()"
        )


def _legalize_atomicrmw(f: Legalizer, instruction: Instruction) -> None:
    pointer, operand = instruction.operands
    _check_private(f, pointer.value)
    shape = f.shapes.of(operand.type)
    place, size = f.words(pointer)[0], bytes_of(shape)
    old = load_scalar(f, shape, place, size)
    new = _new_value(f, instruction.parts.predicate, shape, old, f.words(operand))
    store_scalar(f, shape, new, place, size)
    if instruction.name:
        f.define(instruction, old)


def _legalize_cmpxchg(f: Legalizer, instruction: Instruction) -> None:
    pointer, expected, wanted = instruction.operands
    _check_private(f, pointer.value)
    shape = f.shapes.of(expected.type)
    place, size = f.words(pointer)[0], bytes_of(shape)
    old = load_scalar(f, shape, place, size)
    given, new = f.words(expected), f.words(wanted)
    w = f.write
    if shape.element == "ptr":
        same = w.compare("eq", w.number(old[0]), w.number(given[0]))
    else:
        same = compare(f, "eq", False, shape.bits or f.word_bits, old, given)
    stored = [w.choose(same, x, y, shape.kind(False)) for x, y in zip(new, old)]
    store_scalar(f, shape, stored, place, size)
    f.define(instruction, [*old, same])


RULES: dict[str, Rule] = {
    "atomicrmw": _legalize_atomicrmw,
    "cmpxchg": _legalize_cmpxchg,
}
