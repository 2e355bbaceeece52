"""Builtins that take floats apart and put them together -> an instruction where the target has one, integers elsewhere.

The results are the same to the last bit on every target, except that ``__mad`` rounds once or twice; the library's
elementary functions rest on that.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.lower.builtins.intrinsic_calls import Emitter, call, overload
from voltac.lower.builtins.lane_movement import has_permutes, look_up
from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, element_type, floating, integer, lanes_of, poison, splat_constant
from voltac.sema import tree
from voltac.sema.builtins import C_ONE, C_TWO

_INFINITY, _NAN = float("inf"), float("nan")
_TABLE_BITS = 128
"""What ``pshufb`` and ``tbl`` look up in; wider registers choose between four numbers by blends."""


def _like(value: IR, element: str) -> str:
    return f"<{lanes_of(value.type)} x {element}>" if lanes_of(value.type) else element


def _constant(value: IR, one: IR) -> IR:
    """A constant at the rate of a value."""
    return splat_constant(lanes_of(value.type), one) if lanes_of(value.type) else one


def _float(value: IR, number: float) -> IR:
    return _constant(value, floating(element_type(value.type) if lanes_of(value.type) else value.type, number))


def _int(value: IR, number: int, bits: int = 32) -> IR:
    return _constant(value, integer(f"i{bits}", number))


def _in_registers(c: FunctionContext, size: int, operation: Callable[..., IR], *values: IR) -> IR:
    """Apply an operation that exists for ``size`` lanes only to vectors of any width, or to scalars."""
    count = lanes_of(values[0].type)
    if count == size:
        return operation(*values)
    if count == 0:
        wide = [c.build.insert(poison(f"<{size} x {value.type}>"), value, integer("i64", 0)) for value in values]
        return c.build.extract(operation(*wide), integer("i64", 0))
    if count < size:
        places = [*range(count), *[-1] * (size - count)]
        result = operation(*(c.build.shuffle(value, poison(value.type), places) for value in values))
        return c.build.shuffle(result, poison(result.type), range(count))
    halves = []
    for start in (0, count // 2):
        lanes = range(start, start + count // 2)
        halves.append(_in_registers(c, size, operation, *(c.build.shuffle(v, poison(v.type), lanes) for v in values)))
    return c.build.shuffle(halves[0], halves[1], range(count))


def _avx512(c: FunctionContext, name: str, *operands: IR | str) -> IR:
    """A masked instruction of AVX-512 on float, with all lanes on, in registers of the target's size."""
    vectors = [operand for operand in operands if isinstance(operand, IR)]
    bits = c.target.vector_bits if lanes_of(vectors[0].type) else 128
    size = bits // 32

    def one(*values: IR) -> IR:
        rest = iter(values)
        given = [next(rest) if isinstance(operand, IR) else operand for operand in operands]
        rounding = ("i32 4",) if bits == 512 else ()
        mask = IR(f"i{max(8, size)}", "-1")
        unused = poison(values[0].type)
        return call(c, f"llvm.x86.avx512.mask.{name}.ps.{bits}", unused.type, *given, unused, mask, *rounding)

    return _in_registers(c, size, one, *vectors)


# --- fused multiply-add


def _fused(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    """Where there is no instruction: in double, rounded to odd before it is rounded to float (Boldo and Melquiond 2008)."""
    type = arguments[0].type
    if c.target.has_fma or not c.target.has_double or not type.endswith(("float", "float>")):
        return call(c, f"llvm.fma.{overload(type)}", type, *arguments)
    build = c.build
    a, b, addend = (build.convert("fpext", argument, _like(argument, "double")) for argument in arguments)
    product = build.binary("fmul", a, b)
    total = build.binary("fadd", product, addend)
    # What the sum lost (Knuth).
    part = build.binary("fsub", total, product)
    lost = build.binary(
        "fadd", build.binary("fsub", product, build.binary("fsub", total, part)), build.binary("fsub", addend, part)
    )
    bits = build.convert("bitcast", total, _like(total, "i64"))
    lost_bits = build.convert("bitcast", lost, bits.type)
    # Cut off instead of rounded, which is a step back where what was lost has the other sign; then odd if inexact.
    size = call(c, f"llvm.fabs.{overload(lost.type)}", lost.type, lost)
    inexact = build.convert("zext", build.compare("fcmp ogt", size, _float(lost, 0.0)), bits.type)
    beyond = build.binary("lshr", build.binary("xor", bits, lost_bits), _int(bits, 63, 64))
    odd = build.binary("or", build.binary("sub", bits, build.binary("and", beyond, inexact)), inexact)
    return build.convert("fptrunc", build.convert("bitcast", odd, total.type), type)


def _mad(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    if c.target.has_fma:
        return _fused(c, node, arguments)
    a, b, addend = arguments
    return c.build.binary("fadd", c.build.binary("fmul", a, b), addend)


# --- exponent and significand


def _split(c: FunctionContext, x: IR) -> tuple[IR, IR]:
    """Exponent as an integer and bits of the significand, for what is above zero and finite."""
    build = c.build
    small = build.compare("fcmp olt", x, _float(x, 2.0**-126))
    power = 23
    if not c.target.has_ieee_products:
        # Products take subnormal numbers for others; their bits are the number of the smallest ones that it is.
        power = 149
        steps = build.binary("and", build.convert("bitcast", x, _like(x, "i32")), _int(x, 0x7FFFFF))
        normal = build.convert("sitofp", steps, x.type)
    else:
        normal = build.binary("fmul", x, _float(x, 2.0**power))
    exponent, significand = _split_normal(c, build.select(small, normal, x))
    return build.binary("add", exponent, build.select(small, _int(x, -power), _int(x, 0))), significand


def _split_normal(c: FunctionContext, x: IR) -> tuple[IR, IR]:
    build = c.build
    bits = build.convert("bitcast", x, _like(x, "i32"))
    exponent = build.binary("ashr", build.binary("sub", bits, _int(x, 0x3F400000)), _int(x, 23))
    return exponent, build.binary("sub", bits, build.binary("shl", exponent, _int(x, 23)))


def _exponent(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    (x,) = arguments
    build = c.build
    if c.target.has_avx512:
        significand = _avx512(c, "getmant", x, "i32 11")
        return build.binary("fsub", _avx512(c, "getexp", x), _avx512(c, "getexp", significand))
    exponent = build.convert("sitofp", _split(c, x)[0], x.type)
    # Infinity and NaN stay, zero has none, numbers below have no logarithm.
    exponent = build.select(build.compare("fcmp olt", x, _float(x, _INFINITY)), exponent, x)
    exponent = build.select(build.compare("fcmp oeq", x, _float(x, 0.0)), _float(x, -_INFINITY), exponent)
    return build.select(build.compare("fcmp olt", x, _float(x, 0.0)), _float(x, _NAN), exponent)


def _significand(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    (x,) = arguments
    if c.target.has_avx512:
        # Interval 3/4 .. 3/2, NaN for what is below zero.
        return _avx512(c, "getmant", x, "i32 11")
    return c.build.convert("bitcast", _split(c, x)[1], x.type)


def _exponent_normal(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    if c.target.has_avx512:
        return _exponent(c, node, arguments)
    return c.build.convert("sitofp", _split_normal(c, arguments[0])[0], arguments[0].type)


def _significand_normal(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    if c.target.has_avx512:
        return _significand(c, node, arguments)
    return c.build.convert("bitcast", _split_normal(c, arguments[0])[1], arguments[0].type)


def _all_plain(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    """Bits from those of the smallest normal number to below those of infinity, moved to the end of the signed integers."""
    build = c.build
    double = arguments[0].type.endswith(("double", "double>"))
    if c.target.has_avx512 and not double:
        return IR("i1", "false")
    # Lanes that are off may hold poison, which no branch may depend on.
    x = build.value(arguments[0].type, f"freeze {arguments[0]}")
    if double:
        # Not all processors compare integers of 64 bits.
        small = build.compare("fcmp oge", x, _float(x, 2.0**-1022))
        plain = build.binary("and", small, build.compare("fcmp olt", x, _float(x, _INFINITY)))
        return _wherever_on(c, plain) if lanes_of(x.type) else plain
    moved = build.binary("add", build.convert("bitcast", x, _like(x, "i32")), _int(x, 0x7F800000))
    plain = build.compare("icmp slt", moved, _int(x, -0x01000000))
    return _wherever_on(c, plain) if lanes_of(x.type) else plain


def _wherever_on(c: FunctionContext, test: IR) -> IR:
    """Whether a test, which is no poison, holds in all lanes that are on."""
    return masks.every_on(c, test if c.mask is None else masks.disjunction(c, masks.inverse(c, c.mask), test))


def _scale_sum(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    """In two steps, of which only the second rounds; the low bits of n + 1.5 * 2^23 are n."""
    a, b, shifted = arguments
    build = c.build
    if c.target.has_avx512:
        return _avx512(c, "scalef", build.binary("fadd", a, b), build.binary("fsub", shifted, _float(shifted, 12582912.0)))
    whole = build.binary("shl", build.convert("bitcast", shifted, _like(shifted, "i32")), _int(shifted, 23))
    half = build.binary("and", build.binary("ashr", whole, _int(shifted, 1)), _int(shifted, -1 << 23))
    one = _int(shifted, 0x3F800000)
    if not c.target.has_ieee_products:
        # Only quotients neither wrap around nor miss the last bit of a multiple by a power of two.
        total = build.binary("fadd", a, b)
        for part in (half, build.binary("sub", whole, half)):
            total = build.binary("fdiv", total, build.convert("bitcast", build.binary("sub", one, part), a.type))
        return total
    first = build.convert("bitcast", build.binary("add", half, one), a.type)
    second = build.convert("bitcast", build.binary("add", build.binary("sub", whole, half), one), a.type)
    if c.target.has_fma:
        # A power of two times a rounded sum is the rounded sum of the multiples.
        total = call(c, f"llvm.fma.{overload(a.type)}", a.type, b, first, build.binary("fmul", a, first))
    else:
        total = build.binary("fmul", build.binary("fadd", a, b), first)
    return build.binary("fmul", total, second)


def _scale_sum_normal(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    """In one step: the exponents next to the normal ones are those of zero and infinity."""
    a, b, shifted = arguments
    build = c.build
    if c.target.has_avx512 or not c.target.has_ieee_products:
        return _scale_sum(c, node, arguments)
    whole = build.binary("shl", build.convert("bitcast", shifted, _like(shifted, "i32")), _int(shifted, 23))
    power = build.convert("bitcast", build.binary("add", whole, _int(shifted, 0x3F800000)), a.type)
    return build.binary("fmul", build.binary("fadd", a, b), power)


# --- small tables


def _entries(c: FunctionContext, table: IR, start: int, count: int, element: str = "float") -> IR:
    return c.build.load(f"<{count} x {element}>", c.build.gep(element, table, integer("i64", start)), 4)


def _entry(c: FunctionContext, table: IR, place: IR, element: str) -> IR:
    return c.build.load(element, c.build.gep(element, table, place), 4)


def _lookup(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    table, index = arguments
    build = c.build
    if lanes_of(index.type) and c.target.has_avx512 and c.target.vector_bits == 512:
        return _permuted(c, _entries(c, table, 0, 16), index)
    if lanes_of(index.type) and c.target.shuffle:
        return _shuffled(c, _entries(c, table, 0, 16), index)
    if lanes_of(index.type) and _has_permps(c):
        low, high = _entries(c, table, 0, 8), _entries(c, table, 8, 8)
        if c.target.has_avx512:
            name = "llvm.x86.avx512.vpermi2var.ps.256"
            return _in_registers(c, 8, lambda i: call(c, name, low.type, low, i, high), index)

        def two_halves(i: IR) -> IR:
            first, second = (call(c, "llvm.x86.avx2.permps", half.type, half, i) for half in (low, high))
            in_high = build.compare("icmp slt", build.binary("shl", i, _int(i, 28)), _int(i, 0))
            return build.select(in_high, second, first)

        return _in_registers(c, 8, two_halves, index)
    return _one_by_one(c, table, index, 16)


def _has_permps(c: FunctionContext) -> bool:
    """AVX2, with which FMA comes."""
    return c.target.is_x86 and c.target.has_fma and c.target.has_gather


def _lookup_eight(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    table, index = arguments
    if lanes_of(index.type) and c.target.shuffle:
        eight = _entries(c, table, 0, 8)
        return _shuffled(c, c.build.shuffle(eight, poison(eight.type), [*range(8), *range(8)]), index)
    if not (lanes_of(index.type) and has_permutes(c)):
        return _one_by_one(c, table, index, 8)
    if not _has_permps(c):
        return _of_two_fours(c, [_entries(c, table, start, 4) for start in (0, 4)], index)
    whole = _entries(c, table, 0, 8)
    if c.target.has_avx512 and c.target.vector_bits == 512:
        return _permuted(c, c.build.shuffle(whole, poison(whole.type), [*range(8), *range(8)]), index)
    return _in_registers(c, 8, lambda i: call(c, "llvm.x86.avx2.permps", whole.type, whole, i), index)


def _of_two_fours(c: FunctionContext, fours: list[IR], index: IR) -> IR:
    if _permutes_sixteen_bytes(c):
        low, high = (_permuted_within(c, four, index) for four in fours)
        return c.build.select(_bit_set(c, index, 2), high, low)
    return _in_registers(c, 4, lambda i: look_up(c, fours, i), index)


def _lookup_two(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    table, index = arguments
    if not lanes_of(index.type):
        return c.build.select(_bit_set(c, index, 0), *(_entry(c, table, integer("i64", k), "double") for k in (1, 0)))
    two = _entries(c, table, 0, 2, "double")
    if _permutes_sixteen_bytes(c):
        # The instruction looks at the second bit.
        return _permuted_within(c, two, c.build.binary("add", index, index))
    return _of_two(c, two, 0, index)


def _lookup_four(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
    table, index = arguments
    if not lanes_of(index.type):
        return _one_by_one(c, table, index, 4)
    four = _entries(c, table, 0, 4)
    if c.target.shuffle:
        return _shuffled(c, c.build.shuffle(four, poison(four.type), [*range(4)] * 4), index)
    if _permutes_sixteen_bytes(c):
        return _permuted_within(c, four, index)
    if has_permutes(c) and c.target.vector_bits == _TABLE_BITS:
        return _in_registers(c, 4, lambda i: look_up(c, [four], i), index)
    return c.build.select(_bit_set(c, index, 1), _of_two(c, four, 2, index), _of_two(c, four, 0, index))


def _permutes_sixteen_bytes(c: FunctionContext) -> bool:
    """vpermilps and vpermilpd."""
    return c.target.is_x86 and c.target.vector_bits >= 256


def _permuted_within(c: FunctionContext, entries: IR, index: IR) -> IR:
    """Entries of 16 bytes in all, in each 16 bytes of a register."""
    bits = c.target.vector_bits
    count = lanes_of(entries.type)
    tables = c.build.shuffle(entries, poison(entries.type), [*range(count)] * (bits // 128))
    name = f"llvm.x86.{'avx512' if bits == 512 else 'avx'}.vpermilvar.{'ps' if count == 4 else 'pd'}.{bits}"
    return _in_registers(c, lanes_of(tables.type), lambda i: call(c, name, tables.type, tables, i), index)


def _bit_set(c: FunctionContext, index: IR, bit: int) -> IR:
    width = 64 if index.type.endswith(("i64", "i64>")) else 32
    moved = c.build.binary("shl", index, _int(index, width - 1 - bit, width))
    return c.build.compare("icmp slt", moved, _int(index, 0, width))


def _of_two(c: FunctionContext, entries: IR, first: int, index: IR) -> IR:
    """The entry at ``first`` or that behind it, by the lowest bit."""
    zero, one = (c.build.splat(lanes_of(index.type), c.build.extract(entries, integer("i64", first + k))) for k in (0, 1))
    return c.build.select(_bit_set(c, index, 0), one, zero)


def _permuted(c: FunctionContext, table: IR, index: IR) -> IR:
    """With tables of 16 in one register."""
    return _in_registers(c, 16, lambda i: call(c, "llvm.x86.avx512.permvar.sf.512", table.type, table, i), index)


def _shuffled(c: FunctionContext, table: IR, index: IR) -> IR:
    """By a device's instruction, which takes the index modulo the lanes of a gang; these are 8 or 16."""
    build = c.build
    lanes = index.type
    callee = c.module.text.declare(c.target.shuffle, lanes, f"{lanes}, {lanes}", "nounwind willreturn memory(none)")
    bits = build.value(lanes, f"call {lanes} {callee}({build.convert('bitcast', table, lanes)}, {index})")
    return build.convert("bitcast", bits, table.type)


def _one_by_one(c: FunctionContext, table: IR, index: IR, size: int) -> IR:
    build = c.build
    wrapped = build.binary("and", index, _int(index, size - 1))

    def one(position: IR) -> IR:
        return _entry(c, table, build.convert("zext", position, "i64"), "float")

    if not lanes_of(index.type):
        return one(wrapped)
    result = poison(_like(index, "float"))
    for lane in range(lanes_of(index.type)):
        at = integer("i64", lane)
        result = build.insert(result, one(build.extract(wrapped, at)), at)
    return result


# --- the C library


def _c_function(name: str) -> Emitter:
    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        type = arguments[0].type
        return call(c, name + "f" * (type == "float"), type, *arguments)

    return emit


FLOAT_PARTS: dict[str, Emitter] = {
    **{f"__c_{name}": _c_function(name) for name in (*C_ONE, *C_TWO)},
    "__fma": _fused,
    "__mad": _mad,
    "__exponent": _exponent,
    "__significand": _significand,
    "__exponent_normal": _exponent_normal,
    "__significand_normal": _significand_normal,
    "__all_plain": _all_plain,
    "__scale_sum": _scale_sum,
    "__scale_sum_normal": _scale_sum_normal,
    "__lookup": _lookup,
    "__lookup_two": _lookup_two,
    "__lookup_four": _lookup_four,
    "__lookup_eight": _lookup_eight,
}
