"""Failed assertions and divisions that have no result -> a report to whoever called, and the way out of the kernel.

With ``catch_failures`` (kernels called from Python) they go to ``voltac.fail``, which does
not come back: it leaves all functions up to the one that guards the call, after waiting
for the tasks they have launched. So that it knows these, a function that launches tells of
its handle, and tasks are run by a function that guards each. ``voltac/python/failures.py`` has
these functions. Without it assertions end the process, as in C, and divisions trap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

from voltac.ir import pseudo_operations
from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, element_type, integer, lanes_of, same_elements, zero
from voltac.messages.message import Span
from voltac.messages.visible import bytes_of
from voltac.options import Options
from voltac.records import record
from voltac.sema import tree
from voltac.sema.tree_walk import nodes, nodes_of
from voltac.sema.types import VARYING, Scalar, Vector

FAIL, OPEN_LAUNCH, CLOSE_LAUNCH, RUN_TASK = "voltac.fail", "voltac.open_launch", "voltac.close_launch", "voltac.run_task"

DEVICE_FAIL = "volta_fail"
"""Of a device's start-up code."""

FAIL_WITH = "voltac.fail_with"
"""As :data:`FAIL`, with three numbers for the message."""

ASSERTION, ZERO_DIVISION, OVERFLOW, OUTSIDE, RACE, UNWRITTEN, NOT_FINITE = range(7)
"""What failed; the last four are what ``lower/checks`` looks for."""

LAUNCH_RECORD = "[2 x ptr]"
"""The handle of the tasks of a function, and the record of the function that launched before it."""


def fail_if(c: FunctionContext, condition: IR, kind: int, text: str, lanes: IR | None = None) -> None:
    """Leave the kernel if the i1 is true. ``lanes`` are the lanes that failed, one bit each."""
    failed, checked = c.build.block("failed"), c.build.block("checked")
    c.build.branch(condition, failed, checked)
    c.build.start(failed)
    report(c, kind, text, lanes)
    c.build.start(checked)


def report(c: FunctionContext, kind: int, text: str, lanes: IR | None, values: Sequence[IR] = ()) -> None:
    """The end of a block that is only reached by a failure; ``values`` are none, or three i64."""
    place = c.module.text.text_constant(bytes_of(text))
    if c.target.is_device:
        # It stops there; who runs it looks up what was passed.
        stop = c.module.text.declare(DEVICE_FAIL, "void", "ptr, i32, i32", "nounwind noreturn cold")
        bits = IR("i32", "0") if lanes is None else c.build.convert("zext", lanes, "i32") if c.width < 32 else lanes
        c.build.emit(f"call void {stop}({place}, i32 {kind}, {bits})")
        c.build.terminate("unreachable")
        return
    callee = c.module.text.declare(FAIL, "void", "i32, ptr, i64", "nounwind noreturn cold")
    bits = IR("i64", "0")
    if lanes is not None and c.width <= 64:
        bits = c.build.convert("zext", lanes, "i64") if c.width < 64 else lanes
    if values:
        callee = c.module.text.declare(FAIL_WITH, "void", "i32, ptr, i64, i64, i64, i64", "nounwind noreturn cold")
    more = "".join(f", {value}" for value in values)
    c.build.emit(f"call void {callee}(i32 {kind}, {place}, {bits}{more})")
    c.build.terminate("unreachable")


def check_division(c: FunctionContext, operator: str, left: IR, right: IR, signed: bool, span: Span) -> None:
    """A division of uniform integers, or short vectors of them, has a result, or fails."""
    known = _constants(right)
    bits = int(right.type.removesuffix(">").rpartition("i")[2])
    place = f"{span.file}:{span.line}:{span.column}"
    what = "division" if operator == "/" else "remainder"
    if known is None or 0 in known:
        is_zero = _any_element(c, c.build.compare("icmp eq", right, zero(right.type)))
        fail_if(c, is_zero, ZERO_DIVISION, _by_zero(operator, span))
    # Shorter ones wrap around.
    if signed and bits >= 32 and not c.options.wrap_signed and (known is None or -1 in known):
        least = c.build.compare("icmp eq", left, same_elements(left.type, -(1 << bits - 1)))
        minus_one = c.build.compare("icmp eq", right, same_elements(right.type, -1))
        text = f"{place}: integer {what} of {-(1 << bits - 1)} by -1 overflows int{bits}"
        fail_if(c, _any_element(c, c.build.binary("and", least, minus_one)), OVERFLOW, text)


def _by_zero(operator: str, span: Span) -> str:
    what = "division" if operator == "/" else "remainder"
    return f"{span.file}:{span.line}:{span.column}: integer {what} by zero"


def check_divisors(c: FunctionContext, operator: str, right: IR, signed: bool, span: Span) -> None:
    """A varying division fails where a lane that is on has a divisor of zero:
    ``passes/arithmetic/check_divisors.py`` sees when."""
    known = _constants(right)
    text = _by_zero(operator, span)
    if known == {0}:
        on = masks.bits(c, masks.explicit(c, c.mask))
        fail_if(c, c.build.compare("icmp ne", on, zero(on.type)), ZERO_DIVISION, text, on)
    elif known is None or 0 in known:
        single = c.build.splats.get(right.name)
        divisor = right if single is None or c.mask is not None else single
        if right.type.endswith("i8>") or right.type.endswith("i16>"):
            # The form that it is divided in, which exists anyway.
            divisor = c.build.convert("sext" if signed else "zext", divisor, re.sub(r"i\d+", "i32", divisor.type))
        if c.mask is not None:
            divisor = c.build.select(c.mask, divisor, same_elements(divisor.type, -1))
        lanes, element = (c.width, element_type(divisor.type)) if divisor.type[0] == "<" else (0, divisor.type)
        callee = c.module.pseudo(pseudo_operations.DIVISOR, element, lanes)
        c.build.emit(f"call void {callee}({divisor}, {c.module.text.text_constant(bytes_of(text))})")


def check_large_divisors(c: FunctionContext, operator: str, divisors: IR, span: Span) -> None:
    """Of a varying division of 64 bits, where one of the numbers is large or, less one, looks so; 1 where lanes are off."""
    lanes = masks.bits(c, c.build.compare("icmp eq", divisors, zero(divisors.type)))
    fail_if(c, c.build.compare("icmp ne", lanes, zero(lanes.type)), ZERO_DIVISION, _by_zero(operator, span), lanes)


def _constants(value: IR) -> set[int] | None:
    """The elements of a constant; None where they are not known."""
    if value.name == "zeroinitializer":
        return {0}
    if value.type[0] != "<":
        return {int(value.name)} if value.name.removeprefix("-").isdecimal() else None
    # Of anything but plain numbers nothing is known.
    found = re.fullmatch(r"(?:splat \()?<?((?:(?:, )?i\d+ -?\d+)+)[>)]", value.name)
    return None if found is None else {int(element.rpartition(" ")[2]) for element in found[1].split(", ")}


def _any_element(c: FunctionContext, test: IR) -> IR:
    if test.type == "i1":
        return test
    elements = c.build.convert("bitcast", test, f"i{lanes_of(test.type)}")
    return c.build.compare("icmp ne", elements, zero(elements.type))


# --- tasks


def open_launch(c: FunctionContext, record: IR) -> IR:
    """There will be tasks of this function; gives the guard of the call that it is part of."""
    return c.build.value("ptr", f"call ptr {c.module.intrinsic(OPEN_LAUNCH, 'ptr', 'ptr')}({record})")


def close_launch(c: FunctionContext, record: IR) -> None:
    """The tasks of this function have ended; leaves it if one of them failed."""
    c.build.emit(f"call void {c.module.text.declare(CLOSE_LAUNCH, 'void', 'ptr')}({record})")


def guard_task(c: FunctionContext, function: IR, guard: IR, block: IR, head: int) -> tuple[IR, IR]:
    """The function to launch instead of a task, and where the task's arguments are in its block."""
    for offset, value in ((0, function), (8, guard), (16, integer("i64", head))):
        c.build.store(value, c.build.gep("i8", block, integer(c.types.word, offset)), 8)
    run = c.module.text.declare(RUN_TASK, "void", ", ".join(["ptr", *["i32"] * 10]))
    return IR("ptr", run), c.build.gep("i8", block, integer(c.types.word, head))


# --- what can fail


@record
class _Facts:
    asserts: bool
    divides: bool
    """By what may be zero, or calls what is not known."""
    known: frozenset[tree.FunctionSymbol]
    """The functions it calls, launches or takes the address of."""


def may_fail(node: tree.Value, options: Options) -> bool:
    """Whether evaluating a value may end in a failure."""
    if not options.catch_failures:
        return False
    if options.checked:
        return True
    facts = _facts_of(nodes(node))
    return facts.divides or any(can_fail(function, options) for function in facts.known)


def can_fail(symbol: tree.FunctionSymbol, options: Options) -> bool:
    """Whether a call of the function may end in a failure, its own or that of a function or task it knows."""
    if not options.catch_failures:
        return False
    if options.checked:
        return True
    seen = {symbol}
    waiting = [symbol]
    while waiting:
        facts = _facts(waiting.pop())
        if facts.divides or (facts.asserts and not options.disable_assertions):
            return True
        waiting += facts.known - seen
        seen |= facts.known
    return False


def _facts(symbol: tree.FunctionSymbol) -> _Facts:
    found = _KNOWN.get(symbol)
    if found is None:
        found = _KNOWN[symbol] = _facts_of(nodes_of(symbol))
    return found


def _facts_of(parts: Iterable[object]) -> _Facts:
    asserts = divides = False
    known: set[tree.FunctionSymbol] = set()
    for node in parts:
        match node:
            case tree.Assert():
                asserts = True
            case tree.Binary(operator="/" | "%", right=right) | tree.CompoundAssign(operator="/" | "%", value=right):
                divides = divides or _may_have_no_result(right)
            case tree.CallPointer():
                divides = True
            case tree.Call(function=function) | tree.FunctionAddress(function=function):
                known.add(function)
            case tree.Launch(function=function) if isinstance(function, tree.FunctionSymbol):
                known.add(function)
            case tree.Launch():
                divides = True
    return _Facts(asserts, divides, frozenset(known))


_KNOWN: WeakKeyDictionary[tree.FunctionSymbol, _Facts] = WeakKeyDictionary()
"""By the object: what is known of a function goes when its symbol does."""


def _may_have_no_result(divisor: tree.Value) -> bool:
    type = divisor.type.type.element if isinstance(divisor.type.type, Vector) else divisor.type.type
    if isinstance(type, Scalar) and type.kind == "float":
        return False
    results = (0,) if divisor.type.rate is VARYING else (0, -1)
    while isinstance(divisor, tree.Broadcast | tree.Splat):
        divisor = divisor.value
    return not (isinstance(divisor, tree.Constant) and divisor.value not in results)
