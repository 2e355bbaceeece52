"""What LLVM's intrinsics mean: rows found by the name without its type suffixes.

Element-wise ones are in ``interp_elementwise.py``. All others get a :class:`Called`; those that access memory are
in ``interp_accesses.py``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import reduce

from voltac.ir.interp_accesses import ACCESSES, PSEUDO, WholeFunction, mask_bit
from voltac.ir.interp_arm import AARCH64
from voltac.ir.interp_elementwise import ELEMENTWISE, Maker
from voltac.ir.interp_memory import Called
from voltac.ir.interp_operations import BINARY
from voltac.ir.interp_values import (
    InstructionFault,
    Kind,
    Value,
    has_poison,
    poison,
    to_signed,
)
from voltac.ir.interp_x86 import X86


def _fold(function: Callable[[Value, Value], Value], elements: list[Value]) -> Value:
    return None if has_poison(elements) else reduce(function, elements)


def _reduce(operation: str) -> WholeFunction:
    def run(called: Called) -> Value:
        kind = called.kinds[0].scalar
        if operation in BINARY:
            return _fold(BINARY[operation](kind.bits, ()), called.arguments[0])
        return _fold(ELEMENTWISE[operation](kind, kind), called.arguments[0])

    return run


def _reduce_from(operation: str) -> WholeFunction:
    """fadd and fmul have a start value and go in order."""

    def run(called: Called) -> Value:
        start, elements = called.arguments
        return _fold(BINARY[operation](called.result.bits, ()), [start, *elements])

    return run


def _with_overflow(operation: str, signed: bool) -> WholeFunction:
    exact: Callable[[int, int], int] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
    }[operation]

    def one(kind: Kind, a: Value, b: Value) -> tuple[Value, Value]:
        if a is None or b is None:
            return None, None
        if signed:
            a, b = to_signed(a, kind.bits), to_signed(b, kind.bits)
        value = exact(a, b)
        wrapped = value & kind.mask
        return wrapped, int(value != (to_signed(wrapped, kind.bits) if signed else wrapped))

    def run(called: Called) -> Value:
        left, right = called.arguments
        kind = called.kinds[0]
        if not kind.is_vector:
            return list(one(kind, left, right))
        pairs = [one(kind.scalar, a, b) for a, b in zip(left, right)]
        return [[value for value, _ in pairs], [flag for _, flag in pairs]]

    return run


def _assume(called: Called) -> Value:
    if called.arguments[0] != 1:
        raise InstructionFault("assumes something that does not hold")
    return None


def _compress(called: Called) -> Value:
    values, mask, otherwise = called.arguments
    kept = [value for lane, value in enumerate(values) if mask_bit(mask, lane)]
    return kept + otherwise[len(kept) :]


def _active_lanes(called: Called) -> Value:
    base, count = called.arguments
    if base is None or count is None:
        return poison(called.result)
    return [int(base + lane < count) for lane in range(called.result.count)]


def _splice(called: Called) -> Value:
    first, second, by = called.arguments
    both, start = first + second, to_signed(by, 32)
    start = start if start >= 0 else len(first) + start
    return both[start : start + len(first)]


def _insert_vector(called: Called) -> Value:
    into, what, at = called.arguments
    return into[:at] + what + into[at + len(what) :]


def _extract_vector(called: Called) -> Value:
    values, at = called.arguments
    return values[at : at + called.result.count]


def _trap(called: Called) -> Value:
    raise InstructionFault("traps")


def _nothing(called: Called) -> Value:
    return None


WHOLE: dict[str, WholeFunction] = {
    **ACCESSES,
    **X86,
    **AARCH64,
    **{f"vector.reduce.{name}": _reduce(name) for name in ("add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin")},
    "vector.reduce.fmax": _reduce("maxnum"),
    "vector.reduce.fmin": _reduce("minnum"),
    "vector.reduce.fmaximum": _reduce("maximum"),
    "vector.reduce.fminimum": _reduce("minimum"),
    "vector.reduce.fadd": _reduce_from("fadd"),
    "vector.reduce.fmul": _reduce_from("fmul"),
    "experimental.vector.compress": _compress,
    "vector.reverse": lambda called: called.arguments[0][::-1],
    "vector.splice": _splice,
    "vector.insert": _insert_vector,
    "vector.extract": _extract_vector,
    "stepvector": lambda called: list(range(called.result.count)),
    "vector.interleave2": lambda called: [value for pair in zip(*called.arguments) for value in pair],
    "vector.deinterleave2": lambda called: [called.arguments[0][::2], called.arguments[0][1::2]],
    "get.active.lane.mask": _active_lanes,
    **{f"{sign}{name}.with.overflow": _with_overflow(name, sign == "s") for sign in "su" for name in ("add", "sub", "mul")},
    "assume": _assume,
    "trap": _trap,
    "ubsantrap": _trap,
    "debugtrap": _trap,
    "readcyclecounter": lambda called: time.perf_counter_ns(),
    "read_volatile_register": lambda called: 0,
    "stacksave": lambda called: 0,
    "is.constant": lambda called: 0,
    "objectsize": lambda called: called.result.mask,
    **dict.fromkeys(("launder.invariant.group", "arithmetic.fence"), lambda called: called.arguments[0]),
    **dict.fromkeys(
        (
            *("stackrestore", "prefetch", "sideeffect", "donothing", "experimental.noalias.scope.decl", "var.annotation"),
            *("dbg.value", "dbg.declare", "dbg.label", "dbg.assign", "invariant.start", "invariant.end"),
        ),
        _nothing,
    ),
}


def find(name: str) -> tuple[str, Maker | WholeFunction] | None:
    """The row of ``llvm.smax.v8i32`` or ``volta.gather.v8f32``: the longest known name it begins with.

    Returns ``("element", maker)`` or ``("whole", function)``.
    """
    words = name.split(".")
    if words[0] == "volta" and len(words) >= 3:
        pseudo = PSEUDO.get(".".join(words[:2]))
        return ("whole", pseudo) if pseudo else None
    if words[0] != "llvm":
        return None
    for end in range(len(words), 1, -1):
        stem = ".".join(words[1:end])
        if stem in WHOLE:
            return "whole", WHOLE[stem]
        if stem in ELEMENTWISE:
            return "element", ELEMENTWISE[stem]
    return None
