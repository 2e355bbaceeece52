"""Legalization changes nothing that a program computes: operations of all types on edge cases, before and after."""

import struct
from collections.abc import Sequence
from textwrap import dedent

import numpy as np
import pytest
from device_oracle import Array, legalized, machine

from voltac.codegen.legalize.shapes import NotLegal
from voltac.ir.read import read
from voltac.targets.naplespu.legalize.verify import IllegalIR, verify

ROWS = 8
"""Of operands for each operation."""


def floats(rng: np.random.Generator, count: int) -> Array:
    """All kinds of numbers: special ones, of any exponent, near integers, with ties."""
    special = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754944e-38]
    special += [3.4028235e38, 8388607.5, 8388608.0, -4194303.5, 16777216.0, 0.49999997, 2.0**31, -(2.0**31), 1e-40, 65504.0]
    made = [
        np.array(special, np.float32),
        rng.integers(0, 1 << 32, count, np.uint64).astype(np.uint32).view(np.float32),
        (rng.standard_normal(count) * 100).astype(np.float32),
        (rng.integers(-64, 64, count) / 4).astype(np.float32),
    ]
    return rng.choice(np.concatenate(made), count)


def integers(rng: np.random.Generator, bits: int, count: int) -> list[int]:
    edges = [0, 1, 2, 3, (1 << bits) - 1, (1 << bits) - 2, 1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << (bits - 1)) + 1]
    found: list[int] = []
    for kind in rng.integers(0, 3, count):
        if kind == 0:
            found.append(edges[rng.integers(len(edges))])
        else:
            size = int(rng.integers(1, bits + 1)) if kind == 1 else bits
            found.append(int.from_bytes(rng.bytes(16), "little") % (1 << size))
    return found


def both(text: str, arguments: Sequence[Array]) -> tuple[list[Array], list[Array]]:
    """The arrays after ``@f`` has run, as it is and legalized."""
    results: list[list[Array]] = []
    for module in (text, legalized(text)):
        copies = [np.zeros(-(-array.nbytes // 64) * 64, np.uint8) for array in arguments]
        for copy, array in zip(copies, arguments):
            copy[: array.nbytes] = array.view(np.uint8)
        machine(module).call("f", copies)
        results.append(copies)
    return results[0], results[1]


def check(body: str, arguments: Sequence[Array], declarations: str = "", kind: str = "") -> None:
    """``body`` is of a function of as many pointers ``%p0``, ``%p1`` ... as there are arrays."""
    parameters = ", ".join(f"ptr align 64 %p{number}" for number in range(len(arguments)))
    text = f"{declarations}\ndefine void @f({parameters}) #7 {{\nentry:\n{body}\n  ret void\n}}\n"
    text += 'attributes #7 = { "voltac-lines"="own" }\n'
    before, after = both(text, arguments)
    for number, (one, other) in enumerate(zip(before, after)):
        if kind:
            one, other = one.view(kind), other.view(kind)
        same = np.array_equal(one, other, equal_nan=kind != "")
        at = int(np.argmin((one == other) | ((one != one) & (other != other)))) if not same else 0
        assert same, f"array {number} element {at}: {one[at]!r} before, {other[at]!r} after\n{text}"


# --- integers

WIDTHS = (8, 16, 32, 64)
FORMS = {"scalar": "{}", "16 lanes": "<16 x {}>", "3 lanes": "<3 x {}>", "32 lanes": "<32 x {}>"}
LANES = {"scalar": 1, "16 lanes": 16, "3 lanes": 3, "32 lanes": 32}


def numbers(values: Sequence[int], bits: int) -> Array:
    return np.frombuffer(b"".join(value.to_bytes(bits // 8, "little") for value in values), np.uint8).copy()


def on_rows(type: str, lines: str, size: int, result: str = "", result_size: int = 0) -> str:
    """``lines`` compute %r from %x, %y for each row of operands: p0 is written, p1 and p2 are read."""
    result_size = result_size or size
    text = ["  br label %row", "row:", "  %k = phi i32 [ 0, %entry ], [ %k1, %row ]"]
    for name, pointer, bytes_ in (("a", "%p1", size), ("b", "%p2", size), ("o", "%p0", result_size)):
        text += [f"  %{name}0 = mul i32 %k, {bytes_}", f"  %{name} = getelementptr i8, ptr {pointer}, i32 %{name}0"]
    alignment, result_alignment = (min(64, each & -each) for each in (size, result_size))
    text += [f"  %x = load {type}, ptr %a, align {alignment}", f"  %y = load {type}, ptr %b, align {alignment}"]
    text += ["  " + line.strip().replace("#", "") for line in lines.strip().splitlines()]
    text += [f"  store {result or type} %r, ptr %o, align {result_alignment}", "  %k1 = add i32 %k, 1"]
    text += [f"  %again = icmp ult i32 %k1, {ROWS}", "  br i1 %again, label %row, label %done", "done:"]
    return "\n".join(text)


BINARY = ("add", "sub", "mul", "and", "or", "xor", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr")


def operands(rng: np.random.Generator, operation: str, bits: int, count: int) -> tuple[list[int], list[int]]:
    a, b = integers(rng, bits, count), integers(rng, bits, count)
    if operation in ("shl", "lshr", "ashr"):
        b = [value % bits for value in b]
    if "div" in operation or "rem" in operation:
        b = [value or 7 for value in b]
        if operation[0] == "s":
            b = [3 if value == (1 << bits) - 1 else value for value in b]
    return a, b


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("bits", WIDTHS)
def test_arithmetic_on_integers(bits: int, form: str) -> None:
    rng = np.random.default_rng(bits)
    type = FORMS[form].format(f"i{bits}")
    size = LANES[form] * bits // 8
    for operation in BINARY:
        if form == "32 lanes" and operation in ("sdiv", "srem", "urem"):
            continue
        a, b = operands(rng, operation, bits, LANES[form] * ROWS)
        out = np.zeros(size * ROWS, np.uint8)
        check(on_rows(type, f"%r# = {operation} {type} %x#, %y#", size), [out, numbers(a, bits), numbers(b, bits)])


@pytest.mark.parametrize("form", ("scalar", "16 lanes"))
@pytest.mark.parametrize("bits", WIDTHS)
def test_division_and_products_by_constants(bits: int, form: str) -> None:
    rng = np.random.default_rng(bits + 1)
    type, size = FORMS[form].format(f"i{bits}"), LANES[form] * bits // 8
    divisors = [1, 2, 3, 5, 7, 10, 12, 25, 64, 100, 127, (1 << bits) // 2, (1 << bits) - 1, (1 << bits) - 2, (1 << bits) - 7]
    divisors += [641, 1000, 65537, 0x7FFFFFFF] if bits >= 32 else []
    if bits == 64:
        divisors = divisors[2:14:3]  # by numbers, as no constant is a special case
    for divisor in divisors:
        for operation in ("udiv", "sdiv", "urem", "srem"):
            if operation[0] == "s" and divisor == (1 << bits) - 1:
                continue  # the lowest number has no quotient
            number = divisor - (1 << bits) if divisor >> (bits - 1) else divisor
            text = f"splat (i{bits} {number})" if form != "scalar" else str(number)
            a = numbers(integers(rng, bits, LANES[form] * ROWS), bits)
            check(on_rows(type, f"%r# = {operation} {type} %x#, {text}", size), [np.zeros(size * ROWS, np.uint8), a, a])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("bits", WIDTHS)
def test_comparison_of_integers(bits: int, form: str) -> None:
    rng = np.random.default_rng(bits + 2)
    type, condition = FORMS[form].format(f"i{bits}"), FORMS[form].format("i1")
    size = LANES[form] * bits // 8
    for predicate in ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"):
        a, b = integers(rng, bits, LANES[form] * ROWS), integers(rng, bits, LANES[form] * ROWS)
        b = [x if rng.integers(4) == 0 else y for x, y in zip(a, b)]
        lines = f"%c# = icmp {predicate} {type} %x#, %y#\n%r# = select {condition} %c#, {type} %x#, {type} %y#"
        check(on_rows(type, lines, size), [np.zeros(size * ROWS, np.uint8), numbers(a, bits), numbers(b, bits)])


INTRINSICS = {
    **dict.fromkeys(("smax", "smin", "umax", "umin", "sadd.sat", "ssub.sat", "uadd.sat", "usub.sat"), 2),
    **dict.fromkeys(("ctpop", "bswap", "bitreverse"), 1),
    **dict.fromkeys(("abs", "ctlz", "cttz"), -1),
    **dict.fromkeys(("fshl", "fshr"), 3),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("bits", WIDTHS)
def test_intrinsics_of_integers(bits: int, form: str) -> None:
    rng = np.random.default_rng(bits + 3)
    type, size = FORMS[form].format(f"i{bits}"), LANES[form] * bits // 8
    suffix = f"v{LANES[form]}i{bits}" if form != "scalar" else f"i{bits}"
    for name, count in INTRINSICS.items():
        if name == "bswap" and bits == 8:
            continue
        given = {1: "T %x#", -1: "T %x#, i1 false", 2: "T %x#, T %y#", 3: "T %x#, T %y#, T %y#"}[count].replace("T", type)
        types = {1: "T", -1: "T, i1", 2: "T, T", 3: "T, T, T"}[count].replace("T", type)
        callee = f"@llvm.{name}.{suffix}"
        a, b = (numbers(integers(rng, bits, LANES[form] * ROWS), bits) for _ in range(2))
        check(
            on_rows(type, f"%r# = call {type} {callee}({given})", size),
            [np.zeros(size * ROWS, np.uint8), a, b],
            f"declare {type} {callee}({types})",
        )


@pytest.mark.parametrize("form", ("scalar", "16 lanes"))
@pytest.mark.parametrize("bits", WIDTHS)
def test_overflow_is_found(bits: int, form: str) -> None:
    rng = np.random.default_rng(bits + 4)
    type, size = FORMS[form].format(f"i{bits}"), LANES[form] * bits // 8
    suffix = f"v16i{bits}" if form != "scalar" else f"i{bits}"
    condition = FORMS[form].format("i1")
    for name in ("sadd", "uadd", "ssub", "usub", "smul", "umul"):
        callee, whole = f"@llvm.{name}.with.overflow.{suffix}", f"{{ {type}, {condition} }}"
        lines = f"""%w# = call {whole} {callee}({type} %x#, {type} %y#)
            %v# = extractvalue {whole} %w#, 0
            %c# = extractvalue {whole} %w#, 1
            %r# = select {condition} %c#, {type} {"zeroinitializer" if form != "scalar" else "0"}, {type} %v#"""
        a, b = (numbers(integers(rng, bits, LANES[form] * ROWS), bits) for _ in range(2))
        out = np.zeros(size * ROWS, np.uint8)
        check(on_rows(type, lines, size), [out, a, b], f"declare {whole} {callee}({type}, {type})")


@pytest.mark.parametrize("form", FORMS)
def test_conversions_between_integers(form: str) -> None:
    rng = np.random.default_rng(5)
    for source in WIDTHS:
        for target in WIDTHS:
            if source == target:
                continue
            first, second = (FORMS[form].format(f"i{bits}") for bits in (source, target))
            sizes = [LANES[form] * bits // 8 for bits in (source, target)]
            for operation in ("trunc",) if target < source else ("zext", "sext"):
                a = numbers(integers(rng, source, LANES[form] * ROWS), source)
                lines = on_rows(first, f"%r# = {operation} {first} %x# to {second}", sizes[0], second, sizes[1])
                check(lines, [np.zeros(sizes[1] * ROWS, np.uint8), a, a])


# --- floating point


@pytest.mark.parametrize("form", ("scalar", "16 lanes", "3 lanes"))
def test_comparison_of_floats(form: str) -> None:
    rng = np.random.default_rng(6)
    type, condition = FORMS[form].format("float"), FORMS[form].format("i1")
    words = FORMS[form].format("i32")
    size = LANES[form] * 4
    constants = [None, 0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, np.inf, -np.inf, 1.5]
    for predicate in ("oeq", "one", "olt", "ole", "ogt", "oge", "ueq", "une", "ult", "ule", "ugt", "uge", "ord", "uno"):
        for constant in constants:
            a, b = floats(rng, LANES[form] * ROWS), floats(rng, LANES[form] * ROWS)
            b = np.where(rng.integers(0, 4, len(a)) == 0, a, b)
            other = "%y#"
            if constant is not None:
                bits = f"0x{int.from_bytes(struct.pack('<d', constant), 'little'):016X}"
                other = f"splat (float {bits})" if form != "scalar" else bits
                a = np.where(rng.integers(0, 4, len(a)) == 0, np.float32(constant), a)
            lines = f"%c# = fcmp {predicate} {type} %x#, {other}\n%r# = zext {condition} %c# to {words}"
            check(on_rows(type, lines, size, words, size), [np.zeros(len(a), np.uint32), a, b])


FLOAT_INTRINSICS = {
    **dict.fromkeys(("fabs", "floor", "ceil", "trunc", "round", "roundeven", "rint", "nearbyint", "sqrt"), 1),
    **dict.fromkeys(("minnum", "maxnum", "minimum", "maximum", "copysign"), 2),
    "fma": 3,
}


@pytest.mark.parametrize("form", ("scalar", "16 lanes"))
@pytest.mark.parametrize("name", FLOAT_INTRINSICS)
def test_functions_of_floats(name: str, form: str) -> None:
    rng = np.random.default_rng(7)
    type, size = FORMS[form].format("float"), LANES[form] * 4
    count = FLOAT_INTRINSICS[name]
    callee = f"@llvm.{name}.{'v16f32' if form != 'scalar' else 'f32'}"
    for _ in range(3):
        a, b = floats(rng, LANES[form] * ROWS), floats(rng, LANES[form] * ROWS)
        given = ", ".join(f"{type} {operand}" for operand in ("%x#", "%y#", "%z#")[:count])
        lines = f"%r# = call {type} {callee}({given})"
        if count == 3:
            lines = f"%z# = fneg {type} %q#\n" + lines
            turned = "0" if form == "scalar" else "<" + ", ".join(f"i32 {(lane + 5) % 16}" for lane in range(16)) + ">"
            source = f"%q# = shufflevector {type} %y#, {type} poison, <16 x i32> {turned}"
            lines = (f"%q# = fmul {type} %x#, %y#" if form == "scalar" else source) + "\n" + lines
        declaration = f"declare {type} {callee}({', '.join([type] * count)})"
        check(on_rows(type, lines, size), [np.zeros(len(a), np.float32), a, b], declaration, "float32")


@pytest.mark.parametrize("form", ("scalar", "16 lanes"))
def test_remainders_and_signs_of_floats(form: str) -> None:
    rng = np.random.default_rng(8)
    type, size = FORMS[form].format("float"), LANES[form] * 4
    for lines in (f"%r# = frem {type} %x#, %y#", f"%r# = fneg {type} %x#"):
        for _ in range(3):
            a, b = floats(rng, LANES[form] * ROWS), floats(rng, LANES[form] * ROWS)
            check(on_rows(type, lines, size), [np.zeros(len(a), np.float32), a, b], kind="float32")


@pytest.mark.parametrize("form", ("scalar", "16 lanes"))
@pytest.mark.parametrize("bits", WIDTHS)
def test_conversions_between_integers_and_floats(bits: int, form: str) -> None:
    rng = np.random.default_rng(bits + 9)
    real, whole = FORMS[form].format("float"), FORMS[form].format(f"i{bits}")
    sizes = LANES[form] * 4, LANES[form] * bits // 8
    for operation in ("sitofp", "uitofp"):
        for _ in range(4):
            a = numbers(integers(rng, bits, LANES[form] * ROWS), bits)
            lines = on_rows(whole, f"%r# = {operation} {whole} %x# to {real}", sizes[1], real, sizes[0])
            check(lines, [np.zeros(LANES[form] * ROWS, np.float32), a, a])
    for operation in ("fptosi", "fptoui"):
        low, high = (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1)) if operation == "fptosi" else (0.0, 2.0**bits)
        exponent = rng.integers(-3, bits, LANES[form] * ROWS)
        values = (rng.choice([-1.0, 1.0], len(exponent)) * rng.uniform(1, 2, len(exponent)) * 2.0**exponent).astype(np.float32)
        values = np.where((values >= low) & (values < high), values, np.float32(1.75)).astype(np.float32)
        lines = on_rows(real, f"%r# = {operation} {real} %x# to {whole}", sizes[0], whole, sizes[1])
        check(lines, [np.zeros(sizes[1] * ROWS, np.uint8), values, values])


@pytest.mark.parametrize("form", ("scalar", "16 lanes"))
def test_numbers_of_16_bits(form: str) -> None:
    rng = np.random.default_rng(10)
    half, real = FORMS[form].format("half"), FORMS[form].format("float")
    count = LANES[form] * ROWS
    for _ in range(8):
        halves = rng.integers(0, 1 << 16, count).astype(np.uint16).view(np.float16)
        halves = np.where(np.isnan(halves), np.float16(1.5), halves)
        lines = on_rows(half, f"%r# = fpext {half} %x# to {real}", LANES[form] * 2, real, LANES[form] * 4)
        check(lines, [np.zeros(count, np.float32), halves, halves])
        near = (halves.astype(np.float32) * (1 + rng.integers(-3, 4, count) * np.float32(2.0**-12))).astype(np.float32)
        values = np.where(rng.integers(0, 4, count) == 0, floats(rng, count), near).astype(np.float32)
        values = np.where(np.isnan(values), np.float32(0.1), values)
        lines = on_rows(real, f"%r# = fptrunc {real} %x# to {half}", LANES[form] * 4, half, LANES[form] * 2)
        check(lines, [np.zeros(count, np.float16), values, values])
        for operation in ("fadd", "fmul", "fdiv", "fsub"):
            other = np.roll(halves, 1)
            lines = on_rows(half, f"%r# = {operation} {half} %x#, %y#", LANES[form] * 2)
            check(lines, [np.zeros(count, np.float16), halves, other], kind="float16")


# --- memory


@pytest.mark.parametrize("element", ("i8", "i16", "i32", "i64", "float"))
@pytest.mark.parametrize("lanes", (2, 3, 8, 16, 17, 32))
def test_vectors_at_any_address(element: str, lanes: int) -> None:
    size = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4}[element]
    rng = np.random.default_rng(lanes * size)
    type = f"<{lanes} x {element}>"
    data = rng.integers(0, 120, 1024).astype(np.uint8)
    lines = []
    for number in range(10):
        alignment = int(rng.choice([1, size, 4, 16, 64]))
        source, target = (int(rng.integers(0, 640 // alignment)) * alignment for _ in range(2))
        lines.append(f"  %s{number} = getelementptr i8, ptr %p1, i32 {source}")
        lines.append(f"  %v{number} = load {type}, ptr %s{number}, align {alignment}")
        lines.append(f"  %t{number} = getelementptr i8, ptr %p0, i32 {target}")
        lines.append(f"  store {type} %v{number}, ptr %t{number}, align {alignment}")
    check("\n".join(lines), [np.zeros(1024, np.uint8), data])


@pytest.mark.parametrize("element", ("i8", "i16", "i32", "i64", "float"))
@pytest.mark.parametrize("lanes", (4, 16))
def test_accesses_under_masks(element: str, lanes: int) -> None:
    """Lanes that are off touch no memory: most of what is read and written lies beyond the arrays."""
    size = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4}[element]
    suffix = f"v{lanes}{'f32' if element == 'float' else element}"
    rng = np.random.default_rng(lanes + size)
    type, mask = f"<{lanes} x {element}>", f"<{lanes} x i1>"
    data = rng.integers(0, 120, 256).astype(np.uint8)
    declarations = f"""declare {type} @llvm.masked.load.{suffix}.p0(ptr, {mask}, {type})
declare void @llvm.masked.store.{suffix}.p0({type}, ptr, {mask})"""
    lines = []
    for number in range(12):
        alignment = int(rng.choice([size, size, 64 if size < 8 else 8]))
        source, target = (int(rng.integers(-lanes + 1, 256 // size)) * size // alignment * alignment for _ in range(2))
        on = rng.integers(0, 2 if number % 4 else 1, lanes).astype(bool)
        on &= all_inside(source, size, lanes) & all_inside(target, size, lanes)
        bits = "<" + ", ".join(f"i1 {'true' if bit else 'false'}" for bit in on) + ">"
        # Not known to the compiler.
        lines.append(f"  %m{number} = freeze {mask} {bits}")
        lines.append(f"  %s{number} = getelementptr i8, ptr %p1, i32 {source}")
        lines.append(
            f"  %v{number} = call {type} @llvm.masked.load.{suffix}.p0(ptr align {alignment} %s{number}, {mask} %m{number},"
            f" {type} zeroinitializer)"
        )
        lines.append(f"  %t{number} = getelementptr i8, ptr %p0, i32 {target}")
        lines.append(
            f"  call void @llvm.masked.store.{suffix}.p0({type} %v{number},"
            f" ptr align {alignment} %t{number}, {mask} %m{number})"
        )
    check("\n".join(lines), [np.zeros(256, np.uint8), data], declarations)


def all_inside(start: int, size: int, lanes: int) -> Array:
    first = start + size * np.arange(lanes)
    return (first >= 0) & (first + size <= 256)


@pytest.mark.parametrize("element", ("i8", "i16", "i32", "i64", "float"))
def test_lanes_anywhere(element: str) -> None:
    size = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4}[element]
    suffix = f"v16{'f32' if element == 'float' else element}"
    rng = np.random.default_rng(size)
    type, mask = f"<16 x {element}>", "<16 x i1>"
    data = rng.integers(0, 120, 256).astype(np.uint8)
    declarations = f"""declare {type} @llvm.masked.gather.{suffix}.v16p0(<16 x ptr>, {mask}, {type})
declare void @llvm.masked.scatter.{suffix}.v16p0({type}, <16 x ptr>, {mask})"""
    lines = []
    for number in range(8):
        places = [rng.integers(-200, 456 // size, 16) for _ in range(2)]
        on = rng.integers(0, 2, 16).astype(bool)
        for row in places:
            on &= (row >= 0) & ((row + 1) * size <= 256)
        bits = "<" + ", ".join(f"i1 {'true' if bit else 'false'}" for bit in on) + ">"
        for name, pointer, row in (("s", "%p1", places[0]), ("t", "%p0", places[1])):
            indices = "<" + ", ".join(f"i32 {place}" for place in row) + ">"
            lines.append(f"  %{name}{number} = getelementptr {element}, ptr {pointer}, <16 x i32> {indices}")
        lines.append(
            f"  %v{number} = call {type} @llvm.masked.gather.{suffix}.v16p0(<16 x ptr> align {size} %s{number}, {mask} {bits},"
            f" {type} zeroinitializer)"
        )
        lines.append(
            f"  call void @llvm.masked.scatter.{suffix}.v16p0({type} %v{number},"
            f" <16 x ptr> align {size} %t{number}, {mask} {bits})"
        )
    check("\n".join(lines), [np.zeros(256, np.uint8), data], declarations)


# --- lanes, structs, calls


def test_lanes_by_variable_numbers() -> None:
    rng = np.random.default_rng(11)
    for lanes in (3, 16, 20):
        for element, size in (("i8", 1), ("i32", 4), ("i64", 8)):
            type = f"<{lanes} x {element}>"
            lines = ["  %n = load i32, ptr %p2, align 4", f"  %v = load {type}, ptr %p1, align 1"]
            lines += [f"  %e = extractelement {type} %v, i32 %n", f"  %w = insertelement {type} %v, {element} 77, i32 %n"]
            lines += [f"  store {type} %w, ptr %p0, align 1", "  %q = getelementptr i8, ptr %p0, i32 256"]
            lines.append(f"  store {element} %e, ptr %q, align 1")
            data = rng.integers(0, 256, lanes * size).astype(np.uint8)
            check("\n".join(lines), [np.zeros(320, np.uint8), data, np.array([int(rng.integers(lanes))], np.int32)])


@pytest.mark.parametrize("element", ("i1", "i8", "i32", "i64"))
def test_shuffles_of_any_widths(element: str) -> None:
    rng = np.random.default_rng(12)
    for source, target in ((16, 16), (16, 32), (32, 16), (3, 16), (16, 5), (20, 20), (4, 2)):
        indices = [int(index) for index in rng.integers(0, 2 * source, target)]
        mask = "<" + ", ".join(f"i32 {index}" for index in indices) + ">"
        size = {"i1": 1, "i8": 1, "i32": 4, "i64": 8}[element]
        stored = "i8" if element == "i1" else element
        lines = []
        for name, pointer in (("a", "%p1"), ("b", "%p2")):
            lines.append(f"  %{name}0 = load <{source} x {stored}>, ptr {pointer}, align 1")
            cut = f"trunc <{source} x i8> %{name}0 to <{source} x i1>" if element == "i1" else ""
            lines.append(f"  %{name} = {cut or f'freeze <{source} x {element}> %{name}0'}")
        type = f"<{source} x {element}>"
        lines.append(f"  %s = shufflevector {type} %a, {type} %b, <{target} x i32> {mask}")
        wide = f"zext <{target} x i1> %s to <{target} x i8>" if element == "i1" else f"freeze <{target} x {element}> %s"
        lines += [f"  %w = {wide}", f"  store <{target} x {stored}> %w, ptr %p0, align 1"]
        a, b = (rng.integers(0, 256, source * size).astype(np.uint8) for _ in range(2))
        check("\n".join(lines), [np.zeros(target * size, np.uint8), a, b])


@pytest.mark.parametrize("pair", [("<16 x i1>", "i16"), ("<32 x i1>", "i32"), ("<8 x i1>", "i8"), ("<64 x i1>", "i64"),
                                  ("<16 x float>", "<16 x i32>"), ("<4 x i8>", "i32"), ("<2 x i32>", "i64"),
                                  ("<64 x i8>", "<16 x i32>"), ("<8 x i64>", "<16 x i32>"), ("<16 x half>", "<16 x i16>"),
                                  ("<4 x float>", "<2 x i64>"), ("float", "<2 x i16>")])  # fmt: skip
def test_the_same_bits_as_another_type(pair: tuple[str, str]) -> None:
    rng = np.random.default_rng(13)
    for first, second in (pair, pair[::-1]):
        data = rng.integers(0, 120, 64).astype(np.uint8)
        lines = f"""  %a = load {first}, ptr %p1, align 1
  %b = bitcast {first} %a to {second}
  store {second} %b, ptr %p0, align 1"""
        check(lines, [np.zeros(64, np.uint8), data])


def test_structs_and_many_results_cross_calls() -> None:
    big = "{ i64, <16 x i64>, [3 x <16 x float>], i1, <16 x i1>, i8 }"
    functions = f"""define internal {big} @g(i64 %a, <16 x i64> %b, <16 x float> %c, i1 %d) {{
  %s0 = insertvalue {big} poison, i64 %a, 0
  %s1 = insertvalue {big} %s0, <16 x i64> %b, 1
  %s2 = insertvalue {big} %s1, <16 x float> %c, 2, 0
  %s3 = insertvalue {big} %s2, <16 x float> %c, 2, 1
  %n = fneg <16 x float> %c
  %s4 = insertvalue {big} %s3, <16 x float> %n, 2, 2
  %s5 = insertvalue {big} %s4, i1 %d, 3
  %m = icmp sgt <16 x i64> %b, splat (i64 0)
  %s6 = insertvalue {big} %s5, <16 x i1> %m, 4
  %s7 = insertvalue {big} %s6, i8 -3, 5
  ret {big} %s7
}}
define internal {{ i64, float }} @h(i64 %a) {{
  %f = sitofp i64 %a to float
  %s0 = insertvalue {{ i64, float }} poison, i64 %a, 0
  %s1 = insertvalue {{ i64, float }} %s0, float %f, 1
  ret {{ i64, float }} %s1
}}"""
    body = f"""  %a = load i64, ptr %p1, align 4
  %b = load <16 x i64>, ptr %p1, align 4
  %c = load <16 x float>, ptr %p2, align 4
  %r = call {big} @g(i64 %a, <16 x i64> %b, <16 x float> %c, i1 true)
  %x = extractvalue {big} %r, 2, 2
  store <16 x float> %x, ptr %p0, align 4
  %y = extractvalue {big} %r, 1
  %q = getelementptr i8, ptr %p0, i64 64
  %m = extractvalue {big} %r, 4
  %z = select <16 x i1> %m, <16 x i64> %y, <16 x i64> splat (i64 5)
  store <16 x i64> %z, ptr %q, align 4
  %e = extractvalue {big} %r, 5
  %e1 = sext i8 %e to i64
  %h = call {{ i64, float }} @h(i64 %e1)
  %h0 = extractvalue {{ i64, float }} %h, 0
  %h1 = extractvalue {{ i64, float }} %h, 1
  %u = getelementptr i8, ptr %q, i64 128
  store i64 %h0, ptr %u, align 4
  %v = getelementptr i8, ptr %u, i64 8
  store float %h1, ptr %v, align 4"""
    rng = np.random.default_rng(14)
    data = rng.integers(-(1 << 40), 1 << 40, 16)
    check(body, [np.zeros(256, np.uint8), data, rng.standard_normal(16).astype(np.float32)], functions)


def test_reductions() -> None:
    rng = np.random.default_rng(15)
    for element, bits in (("i8", 8), ("i32", 32), ("i64", 64)):
        for lanes in (3, 16, 32):
            for name in ("add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin"):
                type = f"<{lanes} x {element}>"
                callee = f"@llvm.vector.reduce.{name}.v{lanes}i{bits}"
                lines = f"%r# = call {element} {callee}({type} %x#)"
                a = numbers(integers(rng, bits, lanes * ROWS), bits)
                out = np.zeros(ROWS * bits // 8, np.uint8)
                check(
                    on_rows(type, lines, lanes * bits // 8, element, bits // 8),
                    [out, a, a],
                    f"declare {element} {callee}({type})",
                )


def test_copies_and_fills() -> None:
    rng = np.random.default_rng(16)
    declarations = """declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)"""
    for size in (0, 3, 8, 64, 200):
        for distance in (0, 4, 13, -8):
            body = f"""  %n = load i64, ptr %p1, align 4
  %s = getelementptr i8, ptr %p0, i32 256
  %t = getelementptr i8, ptr %s, i32 {distance}
  call void @llvm.memmove.p0.p0.i64(ptr align {abs(distance) & -distance or 4} %t, ptr align 4 %s, i64 {size}, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %t, ptr %p0, i64 %n, i1 false)
  call void @llvm.memset.p0.i32(ptr %p0, i8 7, i32 {size}, i1 false)"""
            check(body, [rng.integers(0, 256, 1024).astype(np.uint8), np.array([size], np.int64)], declarations)


# --- what is refused, and what the verifier finds


def test_constants_that_take_instructions_are_computed_where_a_phi_gets_them_from() -> None:
    """Vectors of addresses, whole and by lanes; a random program of 669 had one behind the last block's ``ret``."""
    lanes = ", ".join(f"ptr getelementptr (i8, ptr @g, i32 {4 * (15 - lane)})" for lane in range(16))
    body = f"""
      %n = load i32, ptr %p1, align 4
      %some = icmp eq i32 %n, 0
      br i1 %some, label %one, label %two
    one:
      br label %join
    two:
      br label %join
    join:
      %q = phi <16 x ptr> [ splat (ptr @g), %one ], [ <{lanes}>, %two ]
      %m = ptrtoint <16 x ptr> %q to <16 x i32>
      %g0 = ptrtoint ptr @g to i32
      %g1 = insertelement <16 x i32> poison, i32 %g0, i32 0
      %g2 = shufflevector <16 x i32> %g1, <16 x i32> poison, <16 x i32> zeroinitializer
      %r = sub <16 x i32> %m, %g2
      store <16 x i32> %r, ptr %p0, align 64"""
    for n, expected in ((0, [0] * 16), (1, [4 * (15 - lane) for lane in range(16)])):
        arguments = [np.zeros(64, np.uint8), numbers([n], 32)]
        text = "@g = internal global [64 x i8] zeroinitializer, align 64\n"
        text += f"define void @f(ptr align 64 %p0, ptr align 64 %p1) {{\nentry:{dedent(body)}\n  ret void\n}}\n"
        for results in both(text, arguments):
            assert results[0].view(np.int32).tolist() == expected


def test_double_is_refused_with_the_remedy() -> None:
    with pytest.raises(NotLegal, match="no double precision: use float"):
        legalized("define double @f(double %a) {\n  ret double %a\n}\n")


@pytest.mark.parametrize(
    "line",
    (
        "%r = add i64 1, 2",
        "%r = udiv i32 4, 2",
        "%r = fcmp olt float 0.0, 1.0",
        "%r = load <16 x i32>, ptr %p, align 4",
        "%r = load <8 x i32>, ptr %p, align 64",
        "%r = shufflevector <16 x i32> zeroinitializer, <16 x i32> zeroinitializer, <16 x i32> zeroinitializer",
        "%r = call i32 @llvm.smax.i32(i32 1, i32 2)",
        "store i64 1, ptr %p",
    ),
)
def test_the_verifier_names_what_is_not_legal(line: str) -> None:
    module = read(f"define void @f(ptr %p) {{\n  {line}\n  ret void\n}}\n")
    with pytest.raises(IllegalIR, match="in @f"):
        verify(module)


ATOMIC = """define void @f(ptr %p) ATTRIBUTES {
  %own = alloca i32, align 4
  store i32 1, ptr %own, align 4
  %old = atomicrmw add ptr POINTER, i32 3 seq_cst
  ret void
}
"""


def test_threads_may_not_change_memory_of_all_by_atomics() -> None:
    all_run = ATOMIC.replace("ATTRIBUTES", '"voltac-threads"="all"')
    with pytest.raises(NotLegal, match=r"give each thread a place of its own"):
        legalized(all_run.replace("POINTER", "%p"))
    legalized(all_run.replace("POINTER", "%own"))
    legalized(ATOMIC.replace("ATTRIBUTES", '"voltac-threads"="one"').replace("POINTER", "%p"))


@pytest.mark.parametrize("lanes", [2, 3, 16, 19])
def test_vectors_of_known_addresses_as_numbers_of_two_words(lanes: int) -> None:
    """An element is the address of an element of a global array less that of its first: four for each."""
    numbers = ", ".join(
        f"i64 ptrtoint (ptr getelementptr (i8, ptr @table, i32 {lane % 5 * 4}) to i64)" for lane in range(lanes)
    )
    same = ", ".join(["i64 ptrtoint (ptr @table to i64)"] * lanes)
    body = f"""
  store <{lanes} x i64> <{numbers}>, ptr %p0, align 64
  %there = load <{lanes} x i64>, ptr %p0, align 64
  %apart = sub <{lanes} x i64> %there, <{same}>
  store <{lanes} x i64> %apart, ptr %p0, align 64"""
    check(body, [np.full(lanes, -1, np.int64)], "@table = internal global [5 x i32] zeroinitializer, align 64", "i8")
