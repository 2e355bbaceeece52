"""A run of elements whose length is known at run time, between memory and the first lanes of a vector.

Masked accesses do it where the target's are fast. Elsewhere a number in binary says which pieces
the run has: W, W/2, ... 1 elements, each behind those that are larger. All pieces are accessed,
without a branch; those that the run does not have, in memory on the stack: nothing behind the run is
touched. Loads do that in the vector's own copy, stores beside it: what the loads of pieces wait for would
depend on the count, and processors guess which stores a load waits for.

AVX and AVX2 load under masks, but their masked stores take tens of cycles on AMD.
"""

from __future__ import annotations

from collections.abc import Iterator

from voltac.lower.builtins.intrinsic_calls import overload
from voltac.lower.builtins.lane_movement import element_bits
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, element_type, integer, lanes_of, poison, vector_constant
from voltac.records import record


def load_front(c: FunctionContext, address: IR, count: IR, type: str) -> IR:
    """``count`` elements (an i32) from ``address`` to the first lanes of a vector; any value in the others."""
    size = element_bits(type) // 8
    if c.target.has_masked_small or (c.target.has_masked_load and size >= 4):
        on = _first_lanes(c, count, type)
        callee = c.module.intrinsic(f"llvm.masked.load.{overload(type)}.p0", type, "ptr", on.type, type)
        return c.build.value(type, f"call {type} {callee}(ptr align {size} {address.name}, {on}, {poison(type)})")
    buffer = c.build.alloca(type, size * lanes_of(type), "front")
    for piece in _pieces(c, count, type, buffer):
        source = c.build.select(piece.exists, c.build.gep(element_type(type), address, piece.offset), piece.slot)
        c.build.store(c.build.load(piece.type, source, size), piece.slot, piece.size)
    return c.build.load(type, buffer, size * lanes_of(type))


def store_front(c: FunctionContext, address: IR, vector: IR, count: IR) -> None:
    """The first ``count`` lanes (an i32) of a vector to ``address``; nothing behind them is written."""
    type = vector.type
    size = element_bits(type) // 8
    if c.target.has_masked_small:
        on = _first_lanes(c, count, type)
        callee = c.module.intrinsic(f"llvm.masked.store.{overload(type)}.p0", "void", type, "ptr", on.type)
        c.build.emit(f"call void {callee}({vector}, ptr align {size} {address.name}, {on})")
        return
    buffer = c.build.alloca(type, size * lanes_of(type), "front")
    c.build.store(vector, buffer, size * lanes_of(type))
    nowhere = c.build.alloca(type, size * lanes_of(type), "nowhere")
    for piece in _pieces(c, count, type, buffer):
        # Where in it depends on the count, or LLVM would make branches of the choice.
        unused = c.build.gep(element_type(type), nowhere, piece.offset)
        target = c.build.select(piece.exists, c.build.gep(element_type(type), address, piece.offset), unused)
        c.build.store(c.build.load(piece.type, piece.slot, piece.size), target, size)


def _first_lanes(c: FunctionContext, count: IR, type: str) -> IR:
    """Compared in lanes no wider than the elements, so in one register."""
    lanes, bits = lanes_of(type), min(32, element_bits(type))
    number = f"i{bits}"
    numbers = vector_constant([integer(number, lane) for lane in range(lanes)])
    few = count if bits == 32 else c.build.convert("trunc", count, number)
    return c.build.compare("icmp slt", numbers, c.build.splat(lanes, few))


@record
class _Piece:
    type: str
    size: int
    """In bytes."""
    offset: IR
    """The number of its first element."""
    exists: IR
    slot: IR
    """Its place in the buffer, which holds the vector in memory."""


def _pieces(c: FunctionContext, count: IR, type: str, buffer: IR) -> Iterator[_Piece]:
    """From the largest. A piece that is none has a slot too, so that nothing happens when it is copied onto itself."""
    element, all_lanes = element_type(type), lanes_of(type)
    lanes = all_lanes
    while lanes:
        bit = c.build.binary("and", count, integer("i32", lanes))
        exists = c.build.compare("icmp ne", bit, integer("i32", 0))
        larger = c.build.binary("and", count, integer("i32", all_lanes - 1 & -2 * lanes))
        offset = c.build.convert("zext", larger, "i64")
        slot = c.build.gep(element, buffer, offset)
        yield _Piece(f"<{lanes} x {element}>", lanes * element_bits(type) // 8, offset, exists, slot)
        lanes //= 2
