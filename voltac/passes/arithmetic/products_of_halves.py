"""Products of the lower and of the upper halves of lanes, added -> one instruction of x86.

When LLVM has finished simplifying::

    %a = shl <8 x i32> %x, splat (i32 16)              %b = shl <8 x i32> %y, splat (i32 16)
    %xl = ashr exact <8 x i32> %a, splat (i32 16)      %yl = ashr exact <8 x i32> %b, splat (i32 16)
    %xh = ashr <8 x i32> %x, splat (i32 16)            %yh = ashr <8 x i32> %y, splat (i32 16)
    %p = mul nsw <8 x i32> %xl, %yl                    %q = mul nsw <8 x i32> %xh, %yh
    %r = add nsw <8 x i32> %p, %q

becomes

    %r = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> (bitcast %x), <16 x i16> (bitcast %y))

LLVM finds ``pmaddwd`` where neighbours are shuffled apart, not where they are halves of wider lanes: pairs of 16-bit numbers,
such as samples of two channels, are loaded so (:mod:`voltac.passes.accesses.wide_elements`). Sums wrap in both.
"""

from __future__ import annotations

import re

from voltac.ir.function_texts import rewrite_functions
from voltac.system.lazy_patterns import lazy_pattern
from voltac.target_info import TargetInfo

_STEP = lazy_pattern(
    r"  (?P<name>%\S+) = (?P<op>shl|ashr|mul|add) (?P<flags>(?:n[us]w |exact )*)<(?P<lanes>\d+) x i32> "
    r"(?P<first>%[^\s,]+), (?P<second>%[^\s,]+|splat \(i32 -?\d+\))(?P<rest>, !dbg !\d+)?$"
)
_TAKEN = lazy_pattern(r"%halves\.(\d+) =")
_SPLAT = lazy_pattern(r"splat \(i32 (-?\d+)\)")
_BY_HALF = "splat (i32 16)"
_INTRINSICS = {4: "sse2.pmadd.wd", 8: "avx2.pmadd.wd", 16: "avx512.pmaddw.d.512"}
"""Lanes of the sum -> the function."""

_Factor = tuple[str, str]
"""``low`` or ``high`` with the lanes it is the half of; a number with an empty name."""


def multiply_halves(text: str, target: TargetInfo) -> str:
    """The module's text, unchanged if no products of halves are added."""
    if " = mul " not in text or _BY_HALF not in text:
        return text
    register = 128 if target.isa in ("avx", "avx1") else target.vector_bits
    rewriter = _Products(max(map(int, _TAKEN.findall(text)), default=0), register // 32)
    text = rewrite_functions(text, rewriter.function)
    declared = [
        f"declare <{lanes} x i32> @llvm.x86.{_INTRINSICS[lanes]}(<{2 * lanes} x i16>, <{2 * lanes} x i16>)"
        for lanes in sorted(rewriter.lanes)
        if f"@llvm.x86.{_INTRINSICS[lanes]}(<{2 * lanes} x i16>, <" not in text
    ]
    return "\n".join([text, *declared, ""]) if declared else text


class _Products:
    def __init__(self, number: int, most: int) -> None:
        self.number = number
        self.most = most
        """Lanes of a register."""
        self.lanes: set[int] = set()
        """Of the sums that were written."""

    def function(self, body: str) -> str:
        """A function's text rewritten."""
        if " = mul " not in body or _BY_HALF not in body:
            return body
        moved: dict[str, str] = {}
        halves: dict[str, _Factor] = {}
        products: dict[str, tuple[_Factor, _Factor]] = {}
        lines: list[str] = []
        for line in body.split("\n"):
            made = _STEP.match(line) if " x i32> %" in line else None
            if made is not None:
                name, op, first, second = made["name"], made["op"], made["first"], made["second"]
                if op == "shl" and second == _BY_HALF:
                    moved[name] = first
                elif op == "ashr" and second == _BY_HALF:
                    halves[name] = ("low", moved[first]) if first in moved else ("high", first)
                elif op == "mul" and first in halves:
                    factor = halves.get(second) or _number(second)
                    if factor is not None:
                        products[name] = halves[first], factor
                elif op == "add" and first in products and second in products:
                    line = self._sum(made, products[first], products[second]) or line
            lines.append(line)
        return "\n".join(lines)

    def _sum(self, made: re.Match[str], one: tuple[_Factor, _Factor], other: tuple[_Factor, _Factor]) -> str | None:
        lanes = int(made["lanes"])
        if lanes not in _INTRINSICS or lanes > self.most:
            return None
        low, high = (one, other) if one[0][0] == "low" else (other, one)
        if {each for each, source in low if source} != {"low"} or {each for each, source in high if source} != {"high"}:
            return None
        first = low[0][1]
        rest = high[1] if high[0][1] == first else high[0]
        if first not in (high[0][1], high[1][1]) or bool(rest[1]) != bool(low[1][1]) or rest[1] != low[1][1]:
            return None
        self.lanes.add(lanes)
        vector, words = f"<{lanes} x i32>", f"<{2 * lanes} x i16>"
        lines = [self._words(vector, words, first)]
        if rest[1]:
            lines.append(self._words(vector, words, rest[1]))
            second = f"%halves.{self.number}"
        else:
            pair = f"i16 {low[1][0]}, i16 {rest[0]}"
            second = f"<{', '.join([pair] * lanes)}>"
        given = f"%halves.{self.number - (1 if rest[1] else 0)}"
        call = f"call {vector} @llvm.x86.{_INTRINSICS[lanes]}({words} {given}, {words} {second})"
        return "\n".join([*lines, f"  {made['name']} = {call}{made['rest'] or ''}"])

    def _words(self, vector: str, words: str, name: str) -> str:
        self.number += 1
        return f"  %halves.{self.number} = bitcast {vector} {name} to {words}"


def _number(text: str) -> _Factor | None:
    """A constant of 16 bits."""
    found = _SPLAT.fullmatch(text)
    return (found[1], "") if found is not None and -(1 << 15) <= int(found[1]) < 1 << 15 else None
