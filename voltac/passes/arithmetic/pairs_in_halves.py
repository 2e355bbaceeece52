"""Even and odd elements of two registers -> taken within halves of registers, and added without horizontal instructions.

When LLVM has finished simplifying::

    %a = load <8 x float>, ptr %p                     %b = load <8 x float>, ptr %q
    %even = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 2, i32 4, ... i32 14>
    %odd = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 1, i32 3, i32 5, ... i32 15>
    %sum = fadd <8 x float> %even, %odd

becomes

    %low = the first halves of both                   %high = the second halves of both
    %even = shufflevector <8 x float> %low, <8 x float> %high, <8 x i32> <i32 0, i32 2, i32 8, i32 10, i32 4, ...>
    %apart = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %even)
    %sum = fadd <8 x float> %apart, %odd

With AVX and AVX2 elements that go from one half to the other take a second shuffle, of two operations and six cycles on Zen 3;
a half that is loaded into its place takes none. LLVM makes ``vhaddps`` and ``vhsubps`` of sums and differences of neighbours,
each of which shuffles both registers again: three to four operations on every processor. The fence is no instruction; it
keeps LLVM from seeing where the elements are from.
"""

from __future__ import annotations

import re
from collections import Counter

from voltac.ir.function_texts import rewrite_functions
from voltac.options import Options
from voltac.records import mutable_record
from voltac.system.lazy_patterns import lazy_pattern

_NAME = lazy_pattern(r'%(?:[\w.$-]+|"[^"]*")')
_LABEL = lazy_pattern(r'(?:[\w.$-]+|"[^"]*"):')
_TYPE = r"<(?P<lanes>[48]) x (?P<element>float|double|i32|i64)>"
_LOAD = lazy_pattern(rf"  (?P<name>%\S+) = load {_TYPE}, ptr (?P<from>%[^\s,]+), align (?P<align>\d+)(?P<rest>.*)$")
_SHUFFLE = lazy_pattern(
    rf"  (?P<name>%\S+) = shufflevector {_TYPE} (?P<first>%[^\s,]+), <\d x \w+> (?P<second>%[^\s,]+), "
    r"<\d x i32> <(?P<mask>i32 \d+(?:, i32 \d+)+)>(?P<rest>.*)$"
)
_SUM = lazy_pattern(
    rf"  %\S+ = (?:fadd|fsub|add|sub) (?:\w+ )*{_TYPE} (?P<first>%[^\s,]+), (?P<second>%[^\s,]+)(?:, !dbg !\d+)?$"
)
_TAKEN = lazy_pattern(r"%in\.halves\.(\d+)")
_BITS = {"float": 32, "double": 64, "i32": 32, "i64": 64}
_HALF = 128
"""Bits within which shuffles cost one operation."""


def pair_in_halves(text: str, options: Options) -> str:
    """The module's text, unchanged if nothing takes even or odd elements of two registers."""
    if not any(mask in text for mask in _MASKS):
        return text
    number = max(map(int, _TAKEN.findall(text)), default=0)
    pairs = _Pairs(number, loads=options.target.vector_bits == 2 * _HALF and not options.target.has_avx512)
    text = rewrite_functions(text, pairs.function)
    declared = [
        f"declare {kind} {callee}({kind})" for kind, callee in sorted(pairs.fences) if f" {callee}({kind})\n" not in text
    ]
    return "\n".join([text, *declared, ""]) if declared else text


def _mask(lanes: int, odd: int, halves: int) -> str:
    """Of the even or the odd elements of two vectors, taken half by half."""
    step = lanes // halves
    places = [
        vector * lanes + at
        for half in range(halves)
        for vector in (0, 1)
        for at in range(half * step + odd, (half + 1) * step, 2)
    ]
    return ", ".join(f"i32 {place}" for place in places)


_MASKS = {_mask(lanes, odd, halves): odd for lanes in (4, 8) for odd in (0, 1) for halves in (1, 2)}
"""Text -> whether it takes the odd ones."""


@mutable_record
class _Shuffle:
    """Of even or odd elements, within a block."""

    line: int
    sources: tuple[str, str]
    odd: int
    found: re.Match[str]


class _Pairs:
    def __init__(self, number: int, loads: bool) -> None:
        self.number = number
        self.loads = loads
        """Whether to load halves into their places."""
        self.fences: set[tuple[str, str]] = set()
        """Types, and the functions for them."""

    def function(self, body: str) -> str:
        """A function's text rewritten."""
        if not any(mask in body for mask in _MASKS):
            return body
        lines = body.split("\n")
        shuffles: dict[str, _Shuffle] = {}
        loads: dict[str, tuple[int, re.Match[str]]] = {}
        sums: list[tuple[str, str]] = []
        blocks: list[int] = []
        for at, line in enumerate(lines):
            blocks.append(blocks[-1] + bool(_LABEL.match(line)) if blocks else 0)
            if " = load <" in line and (made := _LOAD.match(line)):
                loads[made["name"]] = at, made
            elif " = shufflevector <" in line and (made := _SHUFFLE.match(line)) and made["mask"] in _MASKS:
                shuffles[made["name"]] = _Shuffle(at, (made["first"], made["second"]), _MASKS[made["mask"]], made)
            elif ("add " in line or "sub " in line) and (made := _SUM.match(line)):
                sums.append((made["first"], made["second"]))
        if self.loads:
            self._load_halves(lines, shuffles, loads, blocks, Counter(_NAME.findall(body)))
        self._keep_apart(lines, shuffles, sums)
        return "\n".join(lines)

    def _load_halves(
        self,
        lines: list[str],
        shuffles: dict[str, _Shuffle],
        loads: dict[str, tuple[int, re.Match[str]]],
        blocks: list[int],
        uses: Counter[str],
    ) -> None:
        pairs: dict[tuple[str, str], list[_Shuffle]] = {}
        for each in shuffles.values():
            if all(source in loads and blocks[loads[source][0]] == blocks[each.line] for source in each.sources):
                pairs.setdefault(each.sources, []).append(each)
        for pair, users in pairs.items():
            lanes, element = int(users[0].found["lanes"]), users[0].found["element"]
            if pair[0] == pair[1] or lanes * _BITS[element] != 2 * _HALF:
                continue
            # Once where it is defined, else by these shuffles alone, none of which is within halves already.
            if any(uses[source] != len(users) + 1 for source in pair):
                continue
            if any(each.found["mask"] != _mask(lanes, each.odd, 1) for each in users):
                continue
            self._write_halves(lines, [loads[source] for source in pair], users, lanes, element)

    def _write_halves(
        self, lines: list[str], loads: list[tuple[int, re.Match[str]]], users: list[_Shuffle], lanes: int, element: str
    ) -> None:
        half, whole = f"<{lanes // 2} x {element}>", f"<{lanes} x {element}>"
        parts: list[list[str]] = []
        for at, made in loads:
            low, behind, high = self._name(), self._name(), self._name()
            rest, size = made["rest"], _BITS[element] // 8
            lines[at] = (
                f"  {low} = load {half}, ptr {made['from']}, align {min(int(made['align']), _HALF // 8)}{rest}\n"
                f"  {behind} = getelementptr i8, ptr {made['from']}, i64 {lanes // 2 * size}\n"
                f"  {high} = load {half}, ptr {behind}, align {min(int(made['align']), _HALF // 8)}{rest}"
            )
            parts.append([low, high])
        order = ", ".join(f"i32 {at}" for at in range(lanes))
        joins: list[str] = []
        joined: list[str] = []
        for first, second in zip(*parts):
            joined.append(self._name())
            joins.append(f"  {joined[-1]} = shufflevector {half} {first}, {half} {second}, <{lanes} x i32> <{order}>\n")
        for number, each in enumerate(sorted(users, key=lambda user: user.line)):
            made = each.found
            before, mask = "".join(joins) if number == 0 else "", _mask(lanes, each.odd, 2)
            lines[each.line] = (
                f"{before}  {made['name']} = shufflevector {whole} {joined[0]}, {whole} {joined[1]}, "
                f"<{lanes} x i32> <{mask}>{made['rest']}"
            )

    def _keep_apart(self, lines: list[str], shuffles: dict[str, _Shuffle], sums: list[tuple[str, str]]) -> None:
        fenced: set[str] = set()
        for pair in sums:
            sides = [shuffles[name] for name in pair if name in shuffles]
            if len(sides) == 2 and sides[0].sources == sides[1].sources and sides[0].odd != sides[1].odd:
                fenced |= {name for name in pair if not shuffles[name].odd}
        for name in fenced:
            each = shuffles[name]
            lanes, element = each.found["lanes"], each.found["element"]
            bits = _BITS[element]
            kind, floats = f"<{lanes} x {element}>", f"<{lanes} x {'float' if bits == 32 else 'double'}>"
            callee = f"@llvm.arithmetic.fence.v{lanes}f{bits}"
            self.fences.add((floats, callee))
            bare = self._name()
            before, behind = "", ""
            given = bare
            if kind != floats:
                given, taken = self._name(), self._name()
                before = f"\n  {given} = bitcast {kind} {bare} to {floats}"
                behind = f"\n  {name} = bitcast {floats} {taken} to {kind}"
            result = name if kind == floats else taken
            lines[each.line] = (
                lines[each.line].replace(f"  {name} = shufflevector", f"  {bare} = shufflevector")
                + f"{before}\n  {result} = call {floats} {callee}({floats} {given}){behind}"
            )

    def _name(self) -> str:
        self.number += 1
        return f"%in.halves.{self.number}"
