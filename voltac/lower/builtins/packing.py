"""Lanes that are on moved to the front, and back: AVX-512 has instructions, elsewhere a permute by numbers from a table.

The table has a row for each mask: the numbers of its lanes that are on, or how many lanes below
each one are on. Gangs of 16 lanes on AVX2 compute the numbers by bit deposit and extract. Lanes that
fill more than one register are stored and loaded register by register.
"""

from __future__ import annotations

from voltac.lower.builtins.front_lanes import load_front, store_front
from voltac.lower.builtins.intrinsic_calls import call, overload
from voltac.lower.builtins.lane_movement import element_bits, has_permutes, joined, look_up
from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, element_type, integer, lanes_of, poison, vector_constant, zero

_WIDEST_TABLE = 8
"""Lanes of a gang whose masks are counted up in a table: 2 kB."""
_LEAST_PIECE = 4
"""Lanes: two at a time, with SSE4, lanes of 64 bits take 1.1 times the time of all at once (Zen 4)."""


def has_avx512(c: FunctionContext) -> bool:
    """The generic targets have masks of one bit without the instructions."""
    return c.target.has_avx512


def compress(c: FunctionContext, vector: IR, mask: IR) -> IR:
    """The lanes that are on, in order, at the front; anything behind."""
    if has_avx512(c):
        return _compress_avx512(c, vector, mask)
    if lanes_of(vector.type) <= _WIDEST_TABLE:
        return _compress_by_table(c, vector, _bits(c, mask))
    if c.target.is_x86 and c.target.has_gather and c.target.pointer_bits == 64 and c.width == 16:
        return look_up(c, [vector], _numbers_of_16_lanes(c, mask))
    if c.target.is_device:
        name = f"llvm.experimental.vector.compress.{overload(vector.type)}"
        return call(c, name, vector.type, vector, mask, poison(vector.type))
    return _compress_by_lane(c, vector, mask)


def store_active(c: FunctionContext, address: IR, vector: IR, mask: IR) -> None:
    """The lanes that are on to consecutive elements."""
    lane, piece = element_type(vector.type), _piece(c, vector.type)
    if piece == c.width:
        store_front(c, address, compress(c, vector, mask), _number_on(c, mask))
        return
    lanes, end = _bits(c, mask), integer("i32", 0)
    for start in range(0, c.width, piece):
        part = c.build.shuffle(vector, poison(vector.type), range(start, start + piece))
        place = c.build.gep(lane, address, c.build.convert("zext", end, "i64"))
        if has_avx512(c):
            part_mask = c.build.shuffle(mask, poison(mask.type), range(start, start + piece))
            count = _number_on(c, part_mask)
            front = _compress_avx512(c, part, part_mask)
        else:
            row = c.build.binary("and", c.build.binary("lshr", lanes, integer("i64", start)), integer("i64", (1 << piece) - 1))
            count = _ones(c, row)
            front = _compress_by_table(c, part, row)
        store_front(c, place, front, count)
        end = c.build.binary("add", end, count)


def load_active(c: FunctionContext, address: IR, mask: IR, type: str) -> IR:
    """Consecutive elements for the lanes that are on; any value elsewhere."""
    lane, piece = element_type(type), _piece(c, type)
    if piece == c.width or not has_avx512(c) or (element_bits(type) < 32 and not _has_short_compress(c)):
        return expand(c, load_front(c, address, _number_on(c, mask), type), mask)
    end = integer("i32", 0)
    parts = []
    for start in range(0, c.width, piece):
        part_mask = c.build.shuffle(mask, poison(mask.type), range(start, start + piece))
        count = _number_on(c, part_mask)
        place = c.build.gep(lane, address, c.build.convert("zext", end, "i64"))
        part = load_front(c, place, count, f"<{piece} x {lane if lane != 'half' else 'i16'}>")
        parts.append(c.build.convert("bitcast", _expand_register(c, part, part_mask), f"<{piece} x {lane}>"))
        end = c.build.binary("add", end, count)
    return joined(c, parts, c.width)


def _number_on(c: FunctionContext, mask: IR) -> IR:
    return _ones(c, _bits(c, mask))


def _bits(c: FunctionContext, mask: IR) -> IR:
    bits = c.build.convert("bitcast", mask, f"i{lanes_of(mask.type)}")
    return bits if bits.type == "i64" else c.build.convert("zext", bits, "i64")


def _ones(c: FunctionContext, bits: IR) -> IR:
    return c.build.convert("trunc", call(c, "llvm.ctpop.i64", "i64", bits), "i32")


def _piece(c: FunctionContext, type: str) -> int:
    """As many lanes as one instruction compresses or permutes, if there is one."""
    bits = element_bits(type)
    if not has_avx512(c):
        lanes = _permuted_bits(c) // bits
        return min(c.width, lanes) if bits >= 32 and lanes >= _LEAST_PIECE and c.target.is_x86 and has_permutes(c) else c.width
    return min(c.width, c.target.vector_bits // (bits if _has_short_compress(c) else max(bits, 32)))


def _permuted_bits(c: FunctionContext) -> int:
    """Of a register whose parts one instruction moves anywhere: words of 32 bits with AVX2, bytes before."""
    return 256 if c.target.has_gather else 128


def _has_short_compress(c: FunctionContext) -> bool:
    """Instructions for lanes of 8 and 16 bits (VBMI2)."""
    return has_avx512(c) and c.target.isa != "avx512skx"


def expand(c: FunctionContext, vector: IR, mask: IR) -> IR:
    """A lane that is on gets the element with the number of lanes below it that are on; any value elsewhere."""
    bits = element_bits(vector.type)
    if _has_short_compress(c) and bits < 32 and 128 <= bits * c.width <= c.target.vector_bits:
        plain = c.build.convert("bitcast", vector, f"<{c.width} x i{bits}>")
        return c.build.convert("bitcast", _expand_register(c, plain, mask), vector.type)
    if has_avx512(c) and c.width <= 16:
        if bits >= 32 and bits * c.width <= c.target.vector_bits:
            return _expand_register(c, vector, mask)
        return look_up(c, [vector], _expand_register(c, c.lanes("i32"), mask))
    if c.width <= _WIDEST_TABLE:
        return look_up(c, [vector], _row(c, _bits(c, mask), _lanes_below(c.width)))
    counts = c.build.convert("zext", mask, f"<{c.width} x i32>")
    total = counts
    step = 1
    while step < c.width:
        moved = c.build.shuffle(zero(total.type), total, [0] * step + [c.width + k for k in range(c.width - step)])
        total = c.build.binary("add", total, moved)
        step *= 2
    return look_up(c, [vector], c.build.binary("sub", total, counts))


# --- numbers of lanes


def _lanes_that_are_on(width: int) -> list[list[int]]:
    rows = [[lane for lane in range(width) if mask >> lane & 1] for mask in range(1 << width)]
    return [row + [0] * (width - len(row)) for row in rows]


def _lanes_below(width: int) -> list[list[int]]:
    return [[(mask & ((1 << lane) - 1)).bit_count() for lane in range(width)] for mask in range(1 << width)]


def _compress_by_table(c: FunctionContext, vector: IR, on: IR) -> IR:
    """By the bits of the lanes that are on; lanes are moved in the parts that one instruction moves."""
    lane, bits, count = element_type(vector.type), element_bits(vector.type), lanes_of(vector.type)
    rows = _lanes_that_are_on(count)
    unit = 32 if c.target.has_gather else 8
    if bits <= unit or bits * count > _permuted_bits(c) or not (c.target.is_x86 and has_permutes(c)):
        return look_up(c, [vector], _row(c, on, rows))
    parts, kind = bits // unit, f"<{count * bits // unit} x i{unit}>"
    moves = [[number * parts + part for number in row for part in range(parts)] for row in rows]
    moved = look_up(c, [c.build.convert("bitcast", vector, kind)], _row(c, on, moves))
    return c.build.convert("bitcast", moved, f"<{count} x {lane}>")


def _compress_by_lane(c: FunctionContext, vector: IR, mask: IR) -> IR:
    """One lane behind the other in memory, each where the next one goes if it is off.

    LLVM 22 makes nothing of its own ``vector.compress`` where its code generator first sees that the mask is constant.
    """
    lane, size = element_type(vector.type), element_bits(vector.type) // 8
    count = lanes_of(vector.type)
    packed = c.build.alloca(vector.type, size * count, "compressed")
    end = integer("i64", 0)
    for number in range(count):
        c.build.store(c.build.extract(vector, integer("i32", number)), c.build.gep(lane, packed, end), size)
        if number + 1 < count:
            end = c.build.binary("add", end, c.build.convert("zext", c.build.extract(mask, integer("i32", number)), "i64"))
    return c.build.load(vector.type, packed, size * count)


def _row(c: FunctionContext, at: IR, rows: list[list[int]]) -> IR:
    """A row of a table, as numbers of 32 bits."""
    size = len(rows[0])
    row = f"<{size} x i8>"
    constants = [vector_constant([integer("i8", number) for number in numbers]) for numbers in rows]
    table = c.module.constant_image(IR(f"[{len(rows)} x {row}]", f"[{', '.join(map(str, constants))}]"), size)
    return c.build.convert("zext", c.build.load(row, c.build.gep(row, table, at), size), f"<{size} x i32>")


def _numbers_of_16_lanes(c: FunctionContext, mask: IR) -> IR:
    """The numbers of the lanes that are on, moved to the front: hexadecimal digits extracted by the mask (BMI2)."""
    lanes = c.build.convert("zext", masks.bits(c, mask), "i64")
    spread = call(c, "llvm.x86.bmi.pdep.64", "i64", lanes, integer("i64", 0x1111111111111111))
    digits_on = c.build.binary("mul", spread, integer("i64", 0xF))
    packed = call(c, "llvm.x86.bmi.pext.64", "i64", integer("i64", 0xFEDCBA9876543210 - (1 << 64)), digits_on)
    low = c.build.convert("bitcast", packed, "<8 x i8>")
    high = c.build.binary("lshr", low, IR("<8 x i8>", "splat (i8 4)"))
    digits = c.build.shuffle(low, high, [lane // 2 + lane % 2 * 8 for lane in range(16)])
    numbers = c.build.binary("and", digits, IR("<16 x i8>", "splat (i8 15)"))
    return c.build.convert("zext", numbers, "<16 x i32>")


# --- AVX-512


def _compress_register(c: FunctionContext, vector: IR, mask: IR) -> IR:
    name = f"llvm.x86.avx512.mask.compress.{overload(vector.type)}"
    return call(c, name, vector.type, vector, zero(vector.type), mask)


def _expand_register(c: FunctionContext, vector: IR, mask: IR) -> IR:
    name = f"llvm.x86.avx512.mask.expand.{overload(vector.type)}"
    return call(c, name, vector.type, vector, zero(vector.type), mask)


def _compress_avx512(c: FunctionContext, vector: IR, mask: IR) -> IR:
    lane, bits, count = element_type(vector.type), element_bits(vector.type), lanes_of(vector.type)
    if bits < 32:
        plain = vector if lane != "half" else c.build.convert("bitcast", vector, f"<{count} x i16>")
        if _has_short_compress(c) and bits * count >= 128:
            narrow = _compress_pieces(c, plain, mask)
        else:
            # The instruction moves lanes of 32 and 64 bits; LLVM 22 knows no vectors shorter than a register.
            moved = _compress_pieces(c, c.build.convert("zext", plain, f"<{count} x i32>"), mask)
            narrow = c.build.convert("trunc", moved, plain.type)
        return narrow if lane != "half" else c.build.convert("bitcast", narrow, vector.type)
    if bits == 64 and count == c.width and 32 * c.width <= c.target.vector_bits < 64 * c.width:
        return look_up(c, [vector], _compress_register(c, c.lanes("i32"), mask))
    return _compress_pieces(c, vector, mask)


def _compress_pieces(c: FunctionContext, vector: IR, mask: IR) -> IR:
    """Register by register, one behind the other in memory: LLVM 22 splits wider compressions wrongly."""
    lane, bytes_ = element_type(vector.type), element_bits(vector.type) // 8
    count = lanes_of(vector.type)
    piece = min(count, c.target.vector_bits // 8 // bytes_)
    if piece == count:
        return _compress_register(c, vector, mask)
    size = bytes_ * count
    table = c.build.alloca(vector.type, size, "compressed")
    end = integer("i64", 0)
    for start in range(0, count, piece):
        lanes = range(start, start + piece)
        part, part_mask = (c.build.shuffle(whole, poison(whole.type), lanes) for whole in (vector, mask))
        c.build.store(_compress_register(c, part, part_mask), c.build.gep(lane, table, end), bytes_)
        end = c.build.binary("add", end, c.build.convert("zext", _number_on(c, part_mask), "i64"))
    return c.build.load(vector.type, table, size)
