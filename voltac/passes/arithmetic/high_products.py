"""Upper halves of products of 64-bit lanes, and their divisions by constants -> products of 32-bit numbers.

When LLVM has finished simplifying::

    %d = udiv <4 x i64> %x, splat (i64 10)

becomes the upper half of %x times a constant, shifted (Granlund and Montgomery, "Division by Invariant Integers", 1994), and so
does what LLVM writes with twice the bits where a program puts an upper half together from four products::

    %a = zext <4 x i64> %x to <4 x i128>
    %b = zext <4 x i64> %y to <4 x i128>
    %c = mul nuw <4 x i128> %a, %b
    %d = lshr <4 x i128> %c, splat (i128 64)
    %h = trunc nuw <4 x i128> %d to <4 x i64>

x86 multiplies lanes of 32 bits to 64, which makes an upper half in some 13 operations; LLVM takes each lane out, multiplies it
as a scalar and puts it back, some five operations a lane. Signed numbers are divided by way of their sizes.
"""

from __future__ import annotations

import re
from collections import Counter

from voltac.ir.function_texts import rewrite_functions
from voltac.options import Options
from voltac.system.lazy_patterns import lazy_pattern

_NAME = lazy_pattern(r'%(?:[\w.$-]+|"[^"]*")')
_REST = r"(?P<debug>, !dbg !\d+)?(?:, !.*)?$"
_DIVISION = lazy_pattern(
    r"  (?P<name>%\S+) = (?P<op>[us](?:div|rem)) <(?P<lanes>\d+) x i64> (?P<value>%[^\s,]+), "
    rf"splat \(i64 (?P<by>-?\d+)\){_REST}"
)
_DIVIDES = lazy_pattern(r" = [us](?:div|rem) <\d+ x i64> %[^\s,]+, splat ")
_WIDE = lazy_pattern(
    r"  (?P<name>%\S+) = (?P<op>zext|mul|lshr) (?:nuw |nsw |nneg |exact )*<(?P<lanes>\d+) x i(?:64|128)> (?P<first>%[^\s,]+)"
    r"(?: to <\d+ x i128>|, (?P<second>%[^\s,]+|splat \(i128 -?\d+\)))"
)
_CUT = lazy_pattern(
    rf"  (?P<name>%\S+) = trunc (?:nuw |nsw )*<(?P<lanes>\d+) x i128> (?P<value>%[^\s,]+) to <\d+ x i64>{_REST}"
)
_TAKEN = lazy_pattern(r"%high\.product\.(\d+) =")
_SPLAT = lazy_pattern(r"splat \(i128 (-?\d+)\)")
_BITS, _HALF = 64, 32
"""Of the lanes, and of what x86 multiplies."""
_LOW = (1 << _HALF) - 1


def multiply_high(text: str, options: Options) -> str:
    """The module's text, unchanged if no 64-bit lanes are divided by a constant, and none multiplied to 128 bits."""
    divides = options.target.has_fma and _DIVIDES.search(text) is not None  # with AVX2: two lanes are faster as scalars
    if " x i128>" not in text and not divides:
        return text
    products = _Products(max(map(int, _TAKEN.findall(text)), default=0), divides)
    return rewrite_functions(text, products.function)


def _literal(value: int) -> str:
    value %= 1 << _BITS
    return f"splat (i64 {value - (1 << _BITS) if value >> _BITS - 1 else value})"


class _Products:
    def __init__(self, number: int, divides: bool) -> None:
        self.number, self.divides = number, divides
        self.lines: list[str] = []
        self.kind = self.debug = ""
        """Type and place of what is being replaced."""

    def function(self, body: str) -> str:
        """A function's text rewritten."""
        if " x i128>" not in body and not (self.divides and _DIVIDES.search(body)):
            return body
        self.lines = []
        extended: dict[str, str] = {}
        products: dict[str, tuple[str, str]] = {}
        upper: dict[str, tuple[str, str]] = {}
        """128-bit name -> the number that was extended to it, and the factors that it is the product or its upper half of."""
        for line in body.split("\n"):
            if " x i128>" in line:
                if (cut := _CUT.match(line)) and cut["value"] in upper:
                    self._begin(cut)
                    self._name_last(cut["name"], self._high(*upper[cut["value"]]))
                    continue
                if wide := _WIDE.match(line):
                    self._follow(wide, extended, products, upper)
            elif self.divides and " x i64> " in line and (division := _DIVISION.match(line)) and self._divide(division):
                continue
            self.lines.append(line)
        return "\n".join(self._without_dead())

    def _follow(
        self,
        wide: re.Match[str],
        extended: dict[str, str],
        products: dict[str, tuple[str, str]],
        upper: dict[str, tuple[str, str]],
    ) -> None:
        """Note what a line makes with 128 bits of numbers of 64."""
        name, op, first, second = wide["name"], wide["op"], wide["first"], wide["second"] or ""
        if op == "zext":
            extended[name] = first
        elif op == "lshr" and first in products and second == f"splat (i128 {_BITS})":
            upper[name] = products[first]
        elif op == "mul" and first in extended:
            constant = _SPLAT.match(second)
            if constant and 0 <= int(constant[1]) < 1 << _BITS:
                products[name] = extended[first], _literal(int(constant[1]))
            elif second in extended:
                products[name] = extended[first], extended[second]

    def _without_dead(self) -> list[str]:
        """The lines, less those that extend to 128 bits and multiply what nothing takes any more."""
        uses = Counter(_NAME.findall("\n".join(self.lines)))
        kept: list[str] = []
        for line in reversed(self.lines):
            if " x i128>" in line and (wide := _WIDE.match(line)) and uses[wide["name"]] == 1:
                uses.subtract(_NAME.findall(line))
            else:
                kept.append(line)
        return kept[::-1]

    def _begin(self, made: re.Match[str]) -> None:
        self.kind, self.debug = f"<{made['lanes']} x i64>", made["debug"] or ""

    def _value(self, op: str, first: str, second: str) -> str:
        self.number += 1
        name = f"%high.product.{self.number}"
        self.lines.append(f"  {name} = {op} {self.kind} {first}, {second}{self.debug}")
        return name

    def _name_last(self, name: str, value: str) -> None:
        self.lines[-1] = self.lines[-1].replace(f"  {value} =", f"  {name} =")

    def _high(self, first: str, second: str) -> str:
        """The upper half of a product, none of whose sums exceeds 64 bits (Warren, Hacker's Delight, 8-2)."""
        value, low, half = self._value, _literal(_LOW), _literal(_HALF)
        a, b = value("and", first, low), value("lshr", first, half)
        if second.startswith("%"):
            c, d = value("and", second, low), value("lshr", second, half)
        else:
            number = int(second[len("splat (i64 ") : -1]) % (1 << _BITS)
            c, d = _literal(number & _LOW), _literal(number >> _HALF)
        middle = value("add", value("mul", a, d), value("lshr", value("mul", a, c), half))
        other = value("add", value("mul", b, c), value("and", middle, low))
        upper = value("add", value("mul", b, d), value("lshr", middle, half))
        return value("add", upper, value("lshr", other, half))

    def _divide(self, made: re.Match[str]) -> bool:
        """Whether the division is written here: LLVM shifts for powers of two."""
        is_signed, by = made["op"][0] == "s", int(made["by"])
        by = abs(by) if is_signed else by % (1 << _BITS)
        if by & (by - 1) == 0:
            return False
        self._begin(made)
        x, sign = made["value"], ""
        if is_signed:
            sign = self._value("ashr", x, _literal(_BITS - 1))
            x = self._value("sub", self._value("xor", x, sign), sign)
        result = self._quotient(x, by, _BITS - is_signed)
        if made["op"].endswith("rem"):
            result = self._value("sub", x, self._value("mul", result, _literal(by)))
        elif is_signed and int(made["by"]) < 0:
            sign = self._value("xor", sign, _literal(-1))
        if sign:
            result = self._value("sub", self._value("xor", result, sign), sign)
        self._name_last(made["name"], result)
        return True

    def _quotient(self, x: str, by: int, bits: int) -> str:
        """Of numbers below, or of as many ``bits`` at most 1 above: the product is too large by less than one part."""
        twos = (by & -by).bit_length() - 1
        for evens in sorted({0, twos}):
            part, most = by >> evens, bits - evens
            for shift in range(part.bit_length() + 1):
                inverse = -(-(1 << _BITS + shift) // part)
                if inverse < 1 << _BITS and (inverse * part - (1 << _BITS + shift)) << most < 1 << _BITS + shift:
                    x = self._value("lshr", x, _literal(evens)) if evens else x
                    high = self._high(x, _literal(inverse))
                    return self._value("lshr", high, _literal(shift)) if shift else high
        shift = by.bit_length()
        high = self._high(x, _literal(-(-(1 << _BITS + shift) // by) - (1 << _BITS)))
        half = self._value("lshr", self._value("sub", x, high), _literal(1))
        return self._value("lshr", self._value("add", half, high), _literal(shift - 1))
