"""Lanes moved by numbers known at run time -> the permutes of the target: a vector is a table, looked up lane by lane.

A table fills one or several registers. x86 looks 16 bytes up in a register (``pshufb``), NEON in up
to four (``tbl``), AVX2 also eight 32-bit numbers, AVX-512 whole registers of 16, 32 and 64 bit
numbers and pairs of registers.
Larger tables are looked up part by part, and a bit of the number chooses. Each permute takes the low
bits of a number, so lookups wrap around by themselves where the table fills the registers.

A device may have one instruction for its registers; other targets without permutes get the table in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voltac.lower.builtins.intrinsic_calls import call
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, element_type, integer, lanes_of, poison, splat_constant, vector_constant
from voltac.records import record

_FLOAT_BITS = {"half": 16, "float": 32, "double": 64}


def element_bits(vector: str) -> int:
    """32 of ``<8 x float>``."""
    lane = element_type(vector)
    return _FLOAT_BITS.get(lane) or int(lane[1:])


@record
class Permute:
    """Instructions of one element size: ``one`` looks up in a register, ``two`` in a pair."""

    bits: int
    lanes: int
    """Numbers looked up at once; those in the table are as many."""
    one: str
    two: str = ""
    """Takes (first table, numbers, second table)."""
    index_bits: int = 0
    """Size of a number where it is not that of the elements."""
    real: bool = False
    """Wants floating-point elements."""

    @property
    def index_type(self) -> str:
        """The type of the vector of numbers that the instruction takes."""
        return f"<{self.lanes} x i{self.index_bits or self.bits}>"


def _permute(c: FunctionContext, bits: int, count: int) -> Permute | None:
    """The instruction for a table of ``count`` elements, ``None`` where bytes have to be moved."""
    isa = c.target.isa
    wide = c.target.has_avx512
    if bits == 32 and count == 4 and (wide or isa.startswith("avx")):
        return Permute(32, 4, "avx.vpermilvar.ps", "avx512.vpermi2var.ps.128" if wide else "", real=True)
    if bits == 32 and isa.startswith("avx2"):
        return Permute(32, 8, "avx2.permps", real=True)
    if not wide or (bits == 8 and isa == "avx512skx"):
        return None
    letter = {8: "qi", 16: "hi", 32: "si", 64: "di"}[bits]
    two = {8: "qi", 16: "hi", 32: "d", 64: "q"}[bits]
    size = min(max(count * bits, 128), c.target.vector_bits)
    if size == 128 and bits in (32, 64):
        size = 256
    name = "avx2.permd" if (bits, size) == (32, 256) else f"avx512.permvar.{letter}.{size}"
    return Permute(bits, size // bits, name, f"avx512.vpermi2var.{two}.{size}")


def look_up(c: FunctionContext, tables: Sequence[IR], numbers: IR) -> IR:
    """Lane l of the result is element ``numbers[l]`` of the tables one behind the other, modulo their size.

    There is one table or two, with as many elements as there are numbers; these are i32.
    """
    kind = tables[0].type
    lane, bits, count = element_type(kind), element_bits(kind), lanes_of(kind)
    if c.target.shuffle and count == c.width and bits <= 32:
        return _by_shuffles(c, tables, numbers)
    if not has_permutes(c):
        return _through_memory(c, tables, numbers)
    whole = f"<{count} x i{bits}>"
    plain = [table if lane[0] == "i" else c.build.convert("bitcast", table, whole) for table in tables]
    permute = _permute(c, bits, count)
    if bits == 8 and permute is None and c.target.isa == "avx512skx" and count > 16:
        wide = f"<{count} x i16>"
        found = look_up(c, [c.build.convert("zext", table, wide) for table in plain], numbers)
        found = c.build.convert("trunc", found, whole)
    elif bits == 64 and permute is None and c.target.isa.startswith("avx2"):
        found = _by_halves(c, plain, numbers)
    elif permute is None:
        found = _by_bytes(c, plain, numbers)
    else:
        found = _by_elements(c, permute, plain, numbers)
    return found if lane[0] == "i" else c.build.convert("bitcast", found, kind)


def has_permutes(c: FunctionContext) -> bool:
    """Whether the target looks vectors up by instructions, and not in memory."""
    return c.target.architecture == "aarch64" or (c.target.triple.startswith("x86_64") and c.target.cpu != "x86-64")


def moves_in_one_step(c: FunctionContext, vector: str) -> bool:
    """Whether one permute, without further preparation, looks up in a vector of this type."""
    permute = _permute(c, element_bits(vector), lanes_of(vector)) if has_permutes(c) else None
    return permute is not None and lanes_of(vector) <= permute.lanes


def _pieces(c: FunctionContext, vector: IR, size: int) -> list[IR]:
    """A vector in parts of ``size`` lanes; a short one is filled up."""
    count = lanes_of(vector.type)
    if count == size:
        return [vector]
    nothing = poison(vector.type)
    if count < size:
        return [c.build.shuffle(vector, nothing, [*range(count), *[-1] * (size - count)])]
    return [c.build.shuffle(vector, nothing, range(start, start + size)) for start in range(0, count, size)]


def joined(c: FunctionContext, parts: list[IR], count: int) -> IR:
    """One vector of ``count`` lanes from parts; the inverse of :func:`_pieces`."""
    while len(parts) > 1:
        size = 2 * lanes_of(parts[0].type)
        parts = [c.build.shuffle(left, right, range(size)) for left, right in zip(parts[::2], parts[1::2])]
    whole = parts[0]
    return whole if lanes_of(whole.type) == count else c.build.shuffle(whole, poison(whole.type), range(count))


Lookup = Callable[[Sequence[IR], IR], IR]


def _chosen(c: FunctionContext, parts: Sequence[IR], numbers: IR, most: int, first_bit: int, lookup: Lookup) -> IR:
    """Look up in at most ``most`` parts at once; bit ``first_bit`` of a number and those above it say in which."""
    if len(parts) <= most:
        return lookup(parts, numbers)
    half = len(parts) // 2
    low = _chosen(c, parts[:half], numbers, most, first_bit, lookup)
    high = _chosen(c, parts[half:], numbers, most, first_bit, lookup)
    bits = element_bits(numbers.type)
    bit = first_bit + half.bit_length() - 1
    # The bit becomes the sign, by which blends choose.
    sign = c.build.binary("shl", numbers, splat_constant(lanes_of(numbers.type), integer(f"i{bits}", bits - 1 - bit)))
    above = c.build.compare("icmp slt", sign, IR(sign.type, "zeroinitializer"))
    return c.build.select(above, high, low)


def _by_elements(c: FunctionContext, permute: Permute, tables: Sequence[IR], numbers: IR) -> IR:
    count = permute.lanes
    parts = _registers(c, tables, count)
    if lanes_of(numbers.type) < count:
        numbers = _wrapped(c, numbers, len(tables))
    real = f"<{count} x float>"

    def lookup(parts: Sequence[IR], indices: IR) -> IR:
        given = [c.build.convert("bitcast", part, real) if permute.real else part for part in parts]
        name = permute.two if len(given) == 2 else permute.one
        arguments = [given[0], indices, *given[1:]]
        found = call(c, f"llvm.x86.{name}", given[0].type, *arguments)
        return c.build.convert("bitcast", found, parts[0].type) if permute.real else found

    results = []
    for part in _pieces(c, numbers, count):
        indices = part
        if permute.index_type != part.type:
            narrow = element_bits(permute.index_type) < 32
            indices = c.build.convert("trunc" if narrow else "zext", part, permute.index_type)
        results.append(_chosen(c, parts, indices, 2 if permute.two else 1, count.bit_length() - 1, lookup))
    return joined(c, results, lanes_of(numbers.type))


def _by_halves(c: FunctionContext, tables: Sequence[IR], numbers: IR) -> IR:
    """64-bit elements as pairs of 32-bit ones."""
    count = 2 * lanes_of(numbers.type)
    doubled = c.build.binary("shl", numbers, splat_constant(count // 2, integer("i32", 1)))
    both = c.build.shuffle(doubled, poison(doubled.type), [lane // 2 for lane in range(count)])
    own = vector_constant([integer("i32", lane % 2) for lane in range(count)])
    halves = [c.build.convert("bitcast", table, f"<{count} x i32>") for table in tables]
    return c.build.convert("bitcast", look_up(c, halves, c.build.binary("or", both, own)), tables[0].type)


def _registers(c: FunctionContext, tables: Sequence[IR], count: int) -> list[IR]:
    """The tables in registers of ``count`` elements; what fills none follows each other in one."""
    if lanes_of(tables[0].type) < count:
        tables = [joined(c, list(tables), lanes_of(tables[0].type) * len(tables))]
    return [part for table in tables for part in _pieces(c, table, count)]


def _wrapped(c: FunctionContext, numbers: IR, tables: int) -> IR:
    """Numbers modulo the size of the tables, where these do not fill registers."""
    count = lanes_of(numbers.type)
    return c.build.binary("and", numbers, splat_constant(count, integer("i32", count * tables - 1)))


def _by_bytes(c: FunctionContext, tables: Sequence[IR], numbers: IR) -> IR:
    """Tables of 16 bytes, and for each byte of the result its number: the element's, times its size, plus its own."""
    bits = element_bits(tables[0].type)
    size = bits // 8
    per_register = 16 // size
    if lanes_of(numbers.type) < per_register:
        numbers = _wrapped(c, numbers, len(tables))
    parts = [c.build.convert("bitcast", part, "<16 x i8>") for part in _registers(c, tables, per_register)]
    if len(parts) > 8:
        # Numbers of bytes go to 127: in one half of the tables, or of the only one, at a time.
        half = len(tables) // 2
        halves = (
            [tables[:half], tables[half:]]
            if half
            else [[each] for each in _pieces(c, tables[0], lanes_of(tables[0].type) // 2)]
        )
        first, second = (_by_bytes(c, each, numbers) for each in halves)
        size = lanes_of(halves[0][0].type) * len(halves[0])
        bit = c.build.binary("and", numbers, splat_constant(lanes_of(numbers.type), integer("i32", size)))
        return c.build.select(c.build.compare("icmp eq", bit, IR(bit.type, "zeroinitializer")), first, second)

    def lookup(table: Sequence[IR], at: IR) -> IR:
        if len(parts) > most:
            # What is beyond its tables is zero for these instructions.
            at = c.build.binary("and", at, splat_constant(16, integer("i8", 16 * most - 1)))
        if most == 4:
            return call(c, f"llvm.aarch64.neon.tbl{len(table)}.v16i8", "<16 x i8>", *table, at)
        return _of_sixteen_bytes(c, table[0], at) if len(table) == 1 else _of_two_sixteens(c, table, at)

    most = 4 if c.target.architecture == "aarch64" else 2
    results = []
    for part in _pieces(c, numbers, per_register):
        found = _chosen(c, parts, _byte_numbers(c, part, size, len(parts)), most, 4, lookup)
        results.append(c.build.convert("bitcast", found, f"<{per_register} x i{bits}>"))
    return joined(c, results, lanes_of(numbers.type))


def _of_sixteen_bytes(c: FunctionContext, table: IR, at: IR) -> IR:
    return call(c, "llvm.x86.ssse3.pshuf.b.128", "<16 x i8>", table, at)


def _of_two_sixteens(c: FunctionContext, tables: Sequence[IR], at: IR) -> IR:
    """Numbers from 128 on, which those of the other table become, give zero."""
    in_first = call(c, "llvm.uadd.sat.v16i8", "<16 x i8>", at, splat_constant(16, integer("i8", 128 - 16)))
    in_second = c.build.binary("sub", at, splat_constant(16, integer("i8", 16)))
    found = (_of_sixteen_bytes(c, table, own) for table, own in zip(tables, (in_first, in_second)))
    return c.build.binary("or", *found)


def _byte_numbers(c: FunctionContext, numbers: IR, size: int, tables: int) -> IR:
    """``<16 x i8>``: for each byte of 16 bytes of results where it is in the tables. Below 128, as pshufb asks."""
    count = lanes_of(numbers.type)
    within = c.build.binary("and", numbers, splat_constant(count, integer("i32", 16 // size * tables - 1)))
    scaled = c.build.binary("shl", within, splat_constant(count, integer("i32", size.bit_length() - 1)))
    bytes_ = c.build.convert("bitcast", scaled, f"<{4 * count} x i8>")
    spread = c.build.shuffle(bytes_, poison(bytes_.type), [4 * (byte // size) for byte in range(16)])
    own = vector_constant([integer("i8", byte % size) for byte in range(16)])
    return c.build.binary("or", spread, own) if size > 1 else spread


def _by_shuffles(c: FunctionContext, tables: Sequence[IR], numbers: IR) -> IR:
    """By a device's instruction for any lanes of a register, which holds small numbers in lanes of 32 bits too."""
    kind, words = tables[0].type, numbers.type
    shuffle = c.module.text.declare(c.target.shuffle, words, f"{words}, {words}", "nounwind willreturn memory(none)")
    bits = element_bits(kind)
    is_float = element_type(kind) in _FLOAT_BITS
    whole = f"<{lanes_of(kind)} x i{bits}>"

    def found(table: IR) -> IR:
        plain = c.build.convert("bitcast", table, whole) if is_float else table
        wide = c.build.convert("zext", plain, words) if bits < 32 else plain
        return c.build.value(words, f"call {words} {shuffle}({wide}, {numbers})")

    moved = found(tables[0])
    if len(tables) > 1:
        count = lanes_of(kind)
        bit = c.build.binary("and", numbers, splat_constant(count, integer("i32", count)))
        in_first = c.build.compare("icmp eq", bit, IR(words, "zeroinitializer"))
        moved = c.build.select(in_first, moved, found(tables[1]))
    narrow = c.build.convert("trunc", moved, whole) if bits < 32 else moved
    return c.build.convert("bitcast", narrow, kind) if is_float else narrow


def _through_memory(c: FunctionContext, tables: Sequence[IR], numbers: IR) -> IR:
    kind = tables[0].type
    lane, bytes_ = element_type(kind), element_bits(kind) // 8
    wrapped = _wrapped(c, numbers, len(tables))
    size = bytes_ * lanes_of(kind)
    memory = c.build.alloca(f"[{len(tables)} x {kind}]", size, "table")
    for place, table in enumerate(tables):
        c.build.store(table, c.build.gep(kind, memory, integer("i64", place)) if place else memory, size)
    result = poison(kind)
    for number in range(lanes_of(kind)):
        position = c.build.convert("zext", c.build.extract(wrapped, integer("i64", number)), "i64")
        element = c.build.load(lane, c.build.gep(lane, memory, position), bytes_)
        result = c.build.insert(result, element, integer("i64", number))
    return result
