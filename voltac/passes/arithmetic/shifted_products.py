"""Products of 16-bit numbers of which 16 bits in the middle are wanted -> both halves of them, computed in 16 bits.

When LLVM has finished simplifying::

    %a = sext <16 x i16> %x to <16 x i32>             %p = mul nsw <16 x i32> %a, splat (i32 200)
    %s = lshr <16 x i32> %p, splat (i32 8)            %t = trunc <16 x i32> %s to <16 x i16>

becomes

    %low = mul <16 x i16> %x, splat (i16 200)         %high = trunc (lshr %p, 16) to <16 x i16>            vpmulhw
    %t = or disjoint (shl %high, 8), (lshr %low, 8)

Five instructions for a register of results in place of two extensions, two products, two shifts, a pack and a permutation.
Where half of the last bit is added before a shift by 15, ``vpmulhrsw`` is all of it. Samples with a volume are such numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from voltac.ir.constants import integers, written
from voltac.ir.function_texts import rewrite_functions
from voltac.options import Options
from voltac.records import record
from voltac.system.lazy_patterns import lazy_pattern
from voltac.target_info import TargetInfo

_EXTENDED = lazy_pattern(r"  (%\S+) = ([sz])ext (?:nneg )?<\d+ x i16> (%[^\s,]+) to <\d+ x i32>(?:, !dbg !\d+)?$")
_PRODUCT = lazy_pattern(
    r"  (%\S+) = mul (?:\w+ )*<(\d+) x i32> (%[^\s,]+), (%[^\s,]+|splat \(i32 -?\d+\)|<i32 [^%>]*>)(?:, !dbg !\d+)?$"
)
_ROUNDED = lazy_pattern(r"  (%\S+) = add (?:\w+ )*<\d+ x i32> (%[^\s,]+), splat \(i32 (\d+)\)(?:, !dbg !\d+)?$")
_SHIFTED = lazy_pattern(r"  (%\S+) = [la]shr (?:\w+ )*<\d+ x i32> (%[^\s,]+), splat \(i32 (\d+)\)(?:, !dbg !\d+)?$")
_CUT = lazy_pattern(r"  (%\S+) = trunc (?:\w+ )*<\d+ x i32> (%[^\s,]+) to <\d+ x i16>(, !dbg !\d+)?$")
_NAME = lazy_pattern(r'%(?:[\w.$-]+|"[^"]*")')
_TAKEN = lazy_pattern(r"%middle\.(\d+)")
_CUTS = lazy_pattern(r" = trunc (?:\w+ )*<\d+ x i32> %[^\s,]+ to <\d+ x i16>")
_HALF = 16
"""Bits."""
_LEAST_LANES = 8
"""Of a register of 16-bit numbers."""
_ROUNDING = {8: "ssse3.pmul.hr.sw.128", 16: "avx2.pmul.hr.sw", 32: "avx512.pmul.hr.sw.512"}
"""Lanes of a register -> the instruction that multiplies, shifts by 15 and rounds."""


@record
class _Product:
    """Of 16-bit numbers: its name, lanes, the two as they are multiplied in 16 bits, and whether they are signed."""

    name: str
    lanes: int
    factors: tuple[str, str]
    signed: bool


def shift_products(text: str, options: Options) -> str:
    """The module's text, unchanged if there are no such products."""
    if not _CUTS.search(text) or " = mul " not in text:
        return text
    writer = _Writer(max(map(int, _TAKEN.findall(text)), default=0), _rounded_lanes(options.target))
    text = rewrite_functions(text, writer.function)
    declared = [line for line in sorted(writer.declared) if line not in text]
    return "\n".join([text, *declared, ""]) if declared else text


def _rounded_lanes(target: TargetInfo) -> int:
    """Of the widest register that is multiplied and rounded by one instruction; 0 if none is."""
    if target.has_avx512:
        return 4 * _LEAST_LANES
    if target.isa.startswith("avx2"):
        return 2 * _LEAST_LANES
    return 0 if target.isa == "sse2" else _LEAST_LANES


class _Writer:
    def __init__(self, number: int, register: int) -> None:
        self._number = number
        self._register = register
        """Lanes that are multiplied and rounded at once; 0 if there is no instruction for it."""
        self.declared: set[str] = set()

    def function(self, body: str) -> str:
        """A function's text rewritten."""
        if not _CUTS.search(body) or " = mul " not in body:
            return body
        extended: dict[str, tuple[str, bool]] = {}
        products: dict[str, _Product] = {}
        rounded: dict[str, tuple[str, int]] = {}
        shifted: dict[str, tuple[str, int]] = {}
        uses: Counter[str] | None = None
        lines = body.split("\n")
        for at, line in enumerate(lines):
            if "ext " in line and (found := _EXTENDED.match(line)):
                extended[found[1]] = found[3], found[2] == "s"
            elif " = mul " in line and (found := _PRODUCT.match(line)):
                product = _product(found, extended)
                if product is not None:
                    products[found[1]] = product
            elif " = add " in line and (found := _ROUNDED.match(line)) and found[2] in products:
                rounded[found[1]] = found[2], int(found[3])
            elif "shr " in line and (found := _SHIFTED.match(line)):
                shifted[found[1]] = found[2], int(found[3])
            elif " = trunc " in line and (found := _CUT.match(line)) and found[2] in shifted:
                whole, count = shifted[found[2]]
                name, added = rounded.get(whole, (whole, 0))
                if name not in products or not 1 <= count < _HALF or added not in (0, 1 << count - 1):
                    continue
                uses = uses or Counter(_NAME.findall(body))
                if all(uses[each] == 2 for each in {found[2], whole, name}):  # where it is defined, and here
                    lines[at] = "\n".join(self._lines(products[name], count, added != 0, found[1], found[3] or ""))
        return "\n".join(lines)

    def _lines(self, product: _Product, count: int, rounds: bool, name: str, debug: str) -> list[str]:
        lines: list[str] = []
        kind, wide = f"<{product.lanes} x i16>", f"<{product.lanes} x i32>"

        def made(text: str) -> str:
            self._number += 1
            lines.append(f"  %middle.{self._number} = {text}{debug}")
            return f"%middle.{self._number}"

        first, second = product.factors
        if rounds and count == _HALF - 1 and product.signed and self._register:
            self._rounded(product, made)
        else:
            low = made(f"mul {kind} {first}, {second}")
            high = made(f"lshr {wide} {product.name}, splat (i32 {_HALF})")
            high = made(f"trunc {wide} {high} to {kind}")
            high = made(f"shl {kind} {high}, splat (i16 {_HALF - count})")
            down = made(f"lshr {kind} {low}, splat (i16 {count})")
            whole = made(f"or disjoint {kind} {high}, {down}")
            if rounds:
                half = made(f"lshr {kind} {low}, splat (i16 {count - 1})")
                half = made(f"and {kind} {half}, splat (i16 1)")
                made(f"add {kind} {whole}, {half}")
        lines[-1] = f"  {name} = {lines[-1].partition(' = ')[2]}"
        return lines

    def _rounded(self, product: _Product, made: Callable[[str], str]) -> None:
        """One instruction for each register."""
        lanes, own = product.lanes, min(product.lanes, self._register)
        kind, part = f"<{lanes} x i16>", f"<{own} x i16>"
        callee = f"@llvm.x86.{_ROUNDING[own]}"
        self.declared.add(f"declare {part} {callee}({part}, {part})")
        parts: list[str] = []
        for start in range(0, lanes, own):
            mask = ", ".join(f"i32 {at}" for at in range(start, start + own))
            given = product.factors
            if lanes > own:
                one, other = (made(f"shufflevector {kind} {each}, {kind} poison, <{own} x i32> <{mask}>") for each in given)
                given = one, other
            parts.append(made(f"call {part} {callee}({part} {given[0]}, {part} {given[1]})"))
        while len(parts) > 1:
            mask = ", ".join(f"i32 {at}" for at in range(2 * own))
            kind = f"<{own} x i16>"
            parts = [
                made(f"shufflevector {kind} {one}, {kind} {other}, <{2 * own} x i32> <{mask}>")
                for one, other in zip(parts[::2], parts[1::2])
            ]
            own *= 2


def _product(found: re.Match[str], extended: dict[str, tuple[str, bool]]) -> _Product | None:
    """A product of numbers that 16 bits hold, read in one way."""
    lanes = int(found[2])
    if found[3] not in extended or lanes < _LEAST_LANES or lanes & (lanes - 1):
        return None
    first, signed = extended[found[3]]
    if found[4][0] == "%":
        second, other = extended.get(found[4], ("", not signed))
        return _Product(found[1], lanes, (first, second), signed) if signed == other else None
    numbers = integers(f"<{lanes} x i32>", found[4])
    low, high = (-(1 << _HALF - 1), (1 << _HALF - 1) - 1) if signed else (0, (1 << _HALF) - 1)
    if not numbers or not low <= min(numbers) <= max(numbers) <= high:
        return None
    return _Product(found[1], lanes, (first, written(f"<{lanes} x i16>", numbers)), signed)
