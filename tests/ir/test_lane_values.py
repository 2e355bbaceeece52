"""Formulas over lanes: what they are for known shapes, and that no random program contradicts one."""

from __future__ import annotations

import random

import pytest

from voltac.ir.lane_formulas import LaneValue, UniformSymbol
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Function
from voltac.ir.read import read

W = 8
IOTA = "<" + ", ".join(f"i32 {lane}" for lane in range(W)) + ">"

LOOP = """define void @f(ptr %p, i32 %n, i32 %a, i64 %w) {{
entry:
  br label %loop

loop:
  %i = phi i32 [ {start}, %entry ], [ %i.next, %loop ]
  %v = phi <8 x i32> [ {iota}, %entry ], [ %v.next, %loop ]
  %one = insertelement <8 x i32> poison, i32 %i, i64 0
  %all = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> zeroinitializer
  %lanes = add nsw <8 x i32> %all, {iota}
  %block = and i32 %a, -8
  %one.block = insertelement <8 x i32> poison, i32 %block, i64 0
  %blocks = shufflevector <8 x i32> %one.block, <8 x i32> poison, <8 x i32> zeroinitializer
{body}
  %v.next = add nsw <8 x i32> %v, splat (i32 8)
  %i.next = add nsw i32 %i, 8
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}}
"""


def formula(body: str, name: str = "%x", start: str = "0") -> str:
    """The formula of a value of the loop body, as text; ``none`` for an irregular one."""
    module = read(LOOP.format(body=body, iota=IOTA, start=start))
    function = module.function("f")
    made = function.definitions()[name]
    found = LaneValues(function, module.layout()).value(made.type, name)
    return "none" if found is None else found.text()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("  %x = shl nsw <8 x i32> %lanes, splat (i32 1)", "2*%i + [0, 2, 4, 6, 8, 10, 12, 14]"),
        ("  %x = sdiv <8 x i32> %lanes, splat (i32 2)", "%i/2 + [0, 0, 1, 1, 2, 2, 3, 3]"),
        ("  %x = and <8 x i32> %lanes, splat (i32 -4)", "%i + [0, 0, 0, 0, 4, 4, 4, 4]"),
        ("  %x = srem <8 x i32> %lanes, splat (i32 4)", "[0, 1, 2, 3, 0, 1, 2, 3]"),
        ("  %x = and <8 x i32> %lanes, splat (i32 1023)", "%x + [0, 1, 2, 3, 4, 5, 6, 7]"),
        ("  %x = and <8 x i32> %lanes, splat (i32 1020)", "%x + [0, 0, 0, 0, 4, 4, 4, 4]"),
        ("  %x = urem <8 x i32> %lanes, splat (i32 24)", "%x + [0, 1, 2, 3, 4, 5, 6, 7]"),
        ("  %x = srem <8 x i32> %lanes, splat (i32 24)", "%x + [0, 1, 2, 3, 4, 5, 6, 7]"),
        ("  %x = urem <8 x i32> %lanes, splat (i32 20)", "none"),
        ("  %x = xor <8 x i32> %lanes, splat (i32 1)", "%i + [1, 0, 3, 2, 5, 4, 7, 6]"),
        ("  %x = sub nsw <8 x i32> splat (i32 9), %lanes", "-1*%i + [9, 8, 7, 6, 5, 4, 3, 2]"),
        ("  %x = ashr <8 x i32> %v, splat (i32 2)", "%v/4 + [0, 0, 0, 0, 1, 1, 1, 1]"),
        # What is done with a multiple of the gang that is the same in all lanes.
        ("  %x = and <8 x i32> %lanes, %blocks", "%x + [0, 0, 0, 0, 0, 0, 0, 0]"),
        (
            "  %y = sub nsw <8 x i32> %blocks, splat (i32 1)\n  %x = and <8 x i32> %lanes, %y",
            "%x + [0, 1, 2, 3, 4, 5, 6, 7]",
        ),
        (
            "  %y = add nsw <8 x i32> %blocks, splat (i32 3)\n  %x = xor <8 x i32> %y, %lanes",
            "%x + [0, -1, -2, -3, 4, 3, 2, 1]",
        ),
        ("  %x = or <8 x i32> %lanes, %blocks", "%x + [0, 1, 2, 3, 4, 5, 6, 7]"),
        ("  %x = udiv <8 x i32> %lanes, %blocks", "%x + [0, 0, 0, 0, 0, 0, 0, 0]"),
        ("  %x = srem <8 x i32> %lanes, %blocks", "%x + [0, 1, 2, 3, 4, 5, 6, 7]"),
        ("  %x = xor <8 x i32> %lanes, splat (i32 -1)", "-1*%i + [-1, -2, -3, -4, -5, -6, -7, -8]"),
        ("  %x = sext <8 x i32> %lanes to <8 x i64>", "sext(%i) + [0, 1, 2, 3, 4, 5, 6, 7]"),
        ("  %x = zext <8 x i32> %lanes to <8 x i64>", "sext(%i) + [0, 1, 2, 3, 4, 5, 6, 7]"),
        ("  %y = add <8 x i32> %lanes, splat (i32 1)\n  %x = sext <8 x i32> %y to <8 x i64>", "none"),
        # All lanes wrap together, because the uniform part is a multiple of 16 in each iteration.
        ("  %x = shl <8 x i32> %lanes, splat (i32 1)", "%x + [0, 2, 4, 6, 8, 10, 12, 14]"),
        (
            "  %y = shl <8 x i32> %lanes, splat (i32 2)\n  %x = or <8 x i32> %y, splat (i32 3)",
            "%y + [3, 7, 11, 15, 19, 23, 27, 31]",
        ),
        (
            "  %y = mul <8 x i32> %lanes, splat (i32 2)\n  %z = add <8 x i32> %y, splat (i32 1)\n"
            "  %x = zext <8 x i32> %z to <8 x i64>",
            "zext(%y) + [1, 3, 5, 7, 9, 11, 13, 15]",
        ),
        ("  %y = mul <8 x i32> %lanes, splat (i32 3)\n  %x = sext <8 x i32> %y to <8 x i64>", "none"),
        ("  %x = sdiv <8 x i32> %lanes, splat (i32 3)", "none"),
        ("  %x = mul nsw <8 x i32> %lanes, %lanes", "none"),
        ("  %x = mul nsw <8 x i32> %all, %all", "%x + [0, 0, 0, 0, 0, 0, 0, 0]"),
        (
            "  %x = getelementptr { float, [3 x i32] }, ptr %p, <8 x i32> %lanes, i32 1, i32 2",
            "%p + 16*sext(%i) + [12, 28, 44, 60, 76, 92, 108, 124]",
        ),
    ],
)
def test_the_formula_of_an_index_is_what_arithmetic_says(body: str, expected: str) -> None:
    assert formula(body) == expected


def test_what_an_intrinsic_makes_of_equal_lanes_is_equal_in_all_lanes() -> None:
    """A clamped row of an image, ``clamp(y + 1, 0, h - 1) * w + x``, is a row."""
    least = "call <8 x i32> @llvm.smin.v8i32(<8 x i32> %all, <8 x i32> splat (i32 9))"
    row = f"  %y = {least}\n  %x = add nsw <8 x i32> %y, {IOTA}"
    assert formula(row) == "%y + [0, 1, 2, 3, 4, 5, 6, 7]"
    assert formula(row.replace("%all,", "%lanes,")) == "none"


def test_extended_constants_are_constants() -> None:
    zero = formula("  %x = zext <8 x i16> splat (i16 -3) to <8 x i32>")
    assert zero == formula("  %x = add <8 x i32> splat (i32 65533), zeroinitializer")
    sign = formula("  %x = sext <8 x i16> splat (i16 -3) to <8 x i32>")
    assert sign == formula("  %x = add <8 x i32> splat (i32 -3), zeroinitializer")


def test_without_a_known_start_a_quotient_is_irregular() -> None:
    assert formula("  %x = sdiv <8 x i32> %lanes, splat (i32 2)", start="%a") == "none"
    assert formula("  %x = shl nsw <8 x i32> %lanes, splat (i32 1)", start="%a") != "none"
    extended = "  %y = shl <8 x i32> %lanes, splat (i32 1)\n  %x = sext <8 x i32> %y to <8 x i64>"
    assert formula(extended, start="%a") == "none" and formula(extended) != "none"


# ---- random programs against brute force -------------------------------------------

POISON = None
Lanes = list["int | None"]


def signed(value: int, bits: int) -> int:
    return ((value + (1 << (bits - 1))) & ((1 << bits) - 1)) - (1 << (bits - 1))


def one_lane(op: str, flags: tuple[str, ...], bits: int, a: int | None, b: int | None) -> int | None:
    """What LLVM's reference says of one operation; values are signed numbers, None is poison."""
    if a is POISON or b is POISON:
        return POISON
    mask = (1 << bits) - 1
    ua, ub = a & mask, b & mask
    if op in ("add", "sub", "mul", "shl"):
        if op == "shl" and ub >= bits:
            return POISON
        exact = {"add": a + b, "sub": a - b, "mul": a * b, "shl": a << ub if op == "shl" else 0}[op]
        unsigned = {"add": ua + ub, "sub": ua - ub, "mul": ua * ub, "shl": ua << ub if op == "shl" else 0}[op]
        if "nsw" in flags and signed(exact, bits) != exact:
            return POISON
        if "nuw" in flags and unsigned & mask != unsigned:
            return POISON
        return signed(exact, bits)
    if op in ("ashr", "lshr"):
        return POISON if ub >= bits else a >> ub if op == "ashr" else signed(ua >> ub, bits)
    if op[1:] in ("div", "rem") and not b:
        return POISON  # the program ends there
    if op in ("sdiv", "srem"):
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return signed(quotient if op == "sdiv" else a - quotient * b, bits)
    if op in ("udiv", "urem"):
        return signed(ua // ub if op == "udiv" else ua % ub, bits)
    return signed({"and": ua & ub, "or": ua | ub, "xor": ua ^ ub}[op], bits)


class RandomProgram:
    """A loop with a random straight body over lanes and scalars, and its values at each iteration."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        near_the_end = [str(2**31 - 32), str(2**30 - 16), str(-(2**29) - 16)]  # products and shifts of the counter wrap
        self.start = self.random.choice(["0", "0", "16", "-8", "%a", "4", *near_the_end])
        self.kinds = {"%lanes": (W, 32), "%v": (W, 32), "%i": (0, 32), "%all": (W, 32), "%a": (0, 32), "%w": (0, 64)}
        self.kinds |= {"%block": (0, 32), "%blocks": (W, 32)}
        self.steps: list[tuple[str, str, tuple[str, ...], str, str]] = []
        self.lines: list[str] = []
        for number in range(self.random.randrange(1, 7)):
            self.step(f"%x{number}")

    def type_of(self, name: str) -> str:
        lanes, bits = self.kinds[name]
        return f"<{lanes} x i{bits}>" if lanes else f"i{bits}"

    def step(self, name: str) -> None:
        source = self.random
        first = source.choice(list(self.kinds)[-3:] if source.random() < 0.7 else list(self.kinds))
        lanes, bits = self.kinds[first]
        kind = source.random()
        if kind < 0.2:
            op = source.choice(["sext", "zext"] if bits == 32 else ["trunc"])
            target = 64 if bits == 32 else 32
            self.kinds[name] = (lanes, target)
            self.lines.append(f"  {name} = {op} {self.type_of(first)} {first} to {self.type_of(name)}")
            self.steps.append((name, op, (), first, ""))
            return
        same = [other for other, each in self.kinds.items() if each == (lanes, bits) and other != name]
        op = source.choice(
            ["add", "add", "sub", "mul", "shl", "sdiv", "udiv", "ashr", "lshr", "and", "or", "xor", "srem", "urem"]
        )
        flags: tuple[str, ...] = ()
        if op in ("add", "sub", "mul", "shl"):
            flags = source.choice([("nsw",), ("nsw",), (), ("nuw",), ("nuw", "nsw")])
        if op in ("add", "sub", "and", "or", "xor", "sdiv", "udiv", "srem", "urem") and source.random() < 0.5:
            second = source.choice(same)
        else:
            number = source.choice([1, 2, 3, 4, 5, 8, 16])
            if op in ("shl", "ashr", "lshr"):
                number = source.choice([0, 1, 2, 3])
            if op in ("and", "or", "xor", "add", "mul"):
                number = source.choice([number, number - 1, -number])
            second = f"splat (i{bits} {number})" if lanes else str(number)
        self.kinds[name] = (lanes, bits)
        self.lines.append(f"  {name} = {' '.join([op, *flags])} {self.type_of(name)} {first}, {second}")
        self.steps.append((name, op, flags, first, second))

    def text(self) -> str:
        return LOOP.format(body="\n".join(self.lines), iota=IOTA, start=self.start)

    def iterations(self, a: int, w: int, count: int = 3) -> list[dict[str, Lanes]]:
        """The values of all names in the first iterations."""
        start = a if self.start == "%a" else int(self.start)
        i: int | None = start
        v: Lanes = list(range(W))
        found: list[dict[str, Lanes]] = []
        for _ in range(count):
            values: dict[str, Lanes] = {"%i": [i], "%a": [a], "%w": [w], "%v": v, "%all": [i] * W}
            values |= {"%block": [a & -8], "%blocks": [a & -8] * W}
            values["%lanes"] = [one_lane("add", ("nsw",), 32, i, lane) for lane in range(W)]
            for name, op, flags, first, second in self.steps:
                bits = self.kinds[first][1]
                left = values[first]
                if op in ("sext", "zext", "trunc"):
                    to = self.kinds[name][1]
                    values[name] = [
                        POISON if x is POISON else signed(x & ((1 << bits) - 1) if op == "zext" else x, to) for x in left
                    ]
                    continue
                right: Lanes
                if second[0] == "%":
                    right = values[second]
                else:
                    right = [int(second.rstrip(")").rpartition(" ")[2])] * len(left)
                values[name] = [one_lane(op, flags, bits, x, y) for x, y in zip(left, right)]
            found.append(values)
            i = one_lane("add", ("nsw",), 32, i, 8)
            v = [one_lane("add", ("nsw",), 32, x, 8) for x in v]
        return found


def symbol_value(symbol: UniformSymbol, values: dict[str, Lanes], first: int) -> int | None:
    if symbol.inner is None:
        return values[symbol.name][first if symbol.kind == "lane" else 0]
    inner = symbol_value(symbol.inner, values, first)
    if inner is POISON:
        return POISON
    if symbol.kind in ("sext", "trunc"):
        return signed(inner, symbol.bits)
    if symbol.kind == "zext":
        return inner & ((1 << symbol.inner.bits) - 1)
    if symbol.kind == "unsigned_quotient":
        inner &= (1 << symbol.bits) - 1
    assert inner % symbol.divisor == 0, f"{symbol.text()} leaves a remainder at {inner}"
    return signed(inner // symbol.divisor, symbol.bits)


def check(value: LaneValue, lanes: Lanes, values: dict[str, Lanes], analysis: LaneValues) -> None:
    factors: list[tuple[int, int]] = []
    for symbol, factor in value.terms.items():
        known = symbol_value(symbol, values, analysis.first_lane)
        if known is POISON:
            return
        facts = analysis.facts(symbol)
        assert known % facts.multiple == 0 if facts.multiple else known == 0, f"{symbol.text()} is {known}: {facts}"
        assert facts.low is None or known >= facts.low, f"{symbol.text()} is {known}: {facts}"
        assert facts.high is None or known <= facts.high, f"{symbol.text()} is {known}: {facts}"
        factors.append((factor, known))
    mask = (1 << value.bits) - 1
    for lane, offset in zip(lanes, value.offsets):
        if lane is POISON:
            continue
        total = sum(factor * known for factor, known in factors) + offset
        assert (total - lane) & mask == 0, f"{value.text()} gives {total}, not {lane}"
        if value.signed:
            assert total == lane, f"{value.text()} says it does not wrap, but {total} is {lane}"
        if value.unsigned:
            total = sum(factor * (known & mask) for factor, known in factors) + offset
            assert total == lane & mask, f"{value.text()} says it does not wrap unsigned, but {total} is {lane & mask}"


def definition_type(function: Function, name: str) -> str:
    return next((each.type for each in function.parameters if each.name == name), "") or function.definitions()[name].type


def test_three_thousand_random_programs_do_not_contradict_their_formulas() -> None:
    regular = 0
    for seed in range(3000):
        program = RandomProgram(seed)
        module = read(program.text())
        function = module.function("f")
        subset = program.random.choice([(), (0, 1, 2, 3), (4, 5, 6, 7), (2, 3)])
        analysis = LaneValues(function, module.layout(), subset)
        numbers = [0, 1, -1, 7, -8, 40, 2**31 - 1, 2**31 - 20, -(2**31), program.random.randrange(-(2**31), 2**31)]
        tries = [program.iterations(a, program.random.choice(numbers)) for a in program.random.sample(numbers, 4)]
        for name, *_ in program.steps:
            found = analysis.value(definition_type(function, name), name)
            if found is None:
                continue
            regular += len(found.offsets) > 1 and bool(found.terms)
            for values in (each for run in tries for each in run):
                try:
                    lanes = values[name]
                    check(found, [lanes[lane] for lane in subset] if len(lanes) > 1 and subset else lanes, values, analysis)
                except AssertionError as error:
                    raise AssertionError(f"seed {seed}, {name}: {error}\n{program.text()}") from None
    assert regular > 2000, "the analysis finds formulas at all"
