"""Local variables without a first value: reads of lanes that were never written fail.

Beside the variable lies a shadow of the same shape, in whose bytes something other than zero stands for what was
written (after Seward and Nethercote, "Using Valgrind to detect undefined value errors with bit-precision", USENIX ATC 2005,
with objects instead of bits). Variables whose address is taken are let off, since others may write them.
"""

from __future__ import annotations

from voltac.lower.checks.failed_check import fail_in_lanes
from voltac.lower.control_flow.failure_exits import UNWRITTEN
from voltac.lower.function_context import FunctionContext
from voltac.lower.memory.address import Shadow
from voltac.lower.text.ir_values import IR, element_type, integer, lanes_of, zero
from voltac.sema import tree
from voltac.sema.types import VARYING


def new_shadow(c: FunctionContext, symbol: tree.VariableSymbol) -> Shadow | None:
    """Of a variable that is declared here, without a first value; nothing of it is written yet."""
    if not c.checks.unwritten or symbol.address_taken or symbol.type.rate.kind == "soa" or c.types.is_slice(symbol.type):
        return None
    size = c.types.sizes.size(symbol.type)
    pointer = c.build.alloca(f"[{size} x i8]", 8 * (c.width if symbol.type.rate is VARYING else 1), f"{symbol.name}.written")
    clear = c.module.intrinsic("llvm.memset.p0.i64", "void", "ptr", "i8", "i64", "i1 immarg")
    text = f"call void {clear}({pointer}, i8 0, i64 {size}, i1 false)"
    # Jumps may lead past the declaration; in loops it is passed again.
    c.build.at_entry(text)
    c.build.emit(text)
    return Shadow(pointer, symbol.name)


def mark_written(c: FunctionContext, shadow: IR, type: str, mask: IR | None) -> None:
    """An LLVM type is stored to the variable; with a mask, the elements of its lanes."""
    ones = _ones(_whole_numbers(type))
    if mask is not None:
        ones = c.build.select(mask, ones, c.build.load(ones.type, shadow, 1))
    c.build.store(ones, shadow, 1)


def mark_bytes(c: FunctionContext, shadow: IR, size: int) -> None:
    """So many are written."""
    fill = c.module.intrinsic("llvm.memset.p0.i64", "void", "ptr", "i8", "i64", "i1 immarg")
    c.build.emit(f"call void {fill}({shadow}, i8 -1, i64 {size}, i1 false)")


def mark_each(c: FunctionContext, shadows: IR, type: str, mask: IR) -> None:
    """A scatter to the variable; ``type`` is that of the vector stored."""
    ones = _ones(_whole_numbers(type))
    callee = c.module.pseudo("volta.scatter", element_type(ones.type))
    c.build.emit(f"call void {callee}({ones}, {shadows}, {mask}){c.debug.attachment()}")


def check_written(c: FunctionContext, shadow: Shadow, type: str, varying: bool) -> None:
    """An LLVM type is loaded from the variable; of one with lanes, those that are on."""
    marks = c.build.load(_whole_numbers(type), shadow.pointer, 1)
    _fail(c, c.build.compare("icmp eq", marks, zero(marks.type)), shadow.name, varying)


def check_each_written(c: FunctionContext, shadows: IR, name: str, type: str, mask: IR) -> None:
    """A gather from the variable."""
    whole = _whole_numbers(type)
    callee = c.module.pseudo("volta.gather", element_type(whole))
    marks = c.build.value(whole, f"call {whole} {callee}({shadows}, {mask}){c.debug.attachment()}")
    _fail(c, c.build.compare("icmp eq", marks, zero(whole)), name, varying=True)


def _fail(c: FunctionContext, missing: IR, name: str, varying: bool) -> None:
    fail_in_lanes(c, missing, c.mask, UNWRITTEN, (name,), lambda lane: [integer("i64", 0)] * 3, varying)


def _whole_numbers(type: str) -> str:
    """The type with integers as elements."""
    if type[0] == "<":
        return f"<{lanes_of(type)} x {_whole_numbers(element_type(type))}>"
    return {"half": "i16", "float": "i32", "double": "i64", "ptr": "i64"}.get(type, type)


def _ones(type: str) -> IR:
    return IR(type, f"splat ({element_type(type)} -1)" if type[0] == "<" else "-1")
