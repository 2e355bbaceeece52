"""Two tests of ranges that differ in one bit, of which either may hold -> one test without that bit.

    %upper = icmp ult <32 x i8> (add %x, splat (i8 -65)), splat (i8 26)            A to Z
    %lower = icmp ult <32 x i8> (add %x, splat (i8 -97)), splat (i8 26)            a to z, 32 more
    %either = or ... %upper ... or ... %lower
    ->
    %letter = and <32 x i8> %x, splat (i8 -33)
    %upper = icmp ult <32 x i8> (add %letter, splat (i8 -65)), splat (i8 26)
    %either = or ... %upper ...

LLVM does so for two tests side by side; of classes of characters they mostly stand further apart.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from voltac.ir.function_texts import rewrite_functions
from voltac.records import record
from voltac.system.lazy_patterns import lazy_pattern

_ADD = lazy_pattern(r"  (%\S+) = add (?:nsw |nuw )*<\d+ x i\d+> (%[^\s,]+), splat \(i\d+ (-?\d+)\)")
_TEST = lazy_pattern(r"  (%\S+) = icmp ult (<\d+ x i(\d+)>) (%[^\s,]+), splat \(i\d+ (\d+)\)")
_OR = lazy_pattern(r"  (%\S+) = or (?:disjoint )?<\d+ x i1> (%[^\s,]+), (%[^\s,]+)")
_FREEZE = lazy_pattern(r"  (%\S+) = freeze <\d+ x i1> (%[^\s,]+)")
_NAME = lazy_pattern(r'%(?:[\w.$-]+|"[^"]*")')
_TAKEN = lazy_pattern(r"%case\.(\d+) =")


@record
class _Range:
    """A test whether a number is one of ``count`` from ``low`` on."""

    line: int
    type: str
    bits: int
    value: str
    low: int
    count: int


def merge_ranges(text: str) -> str:
    """The module's text, unchanged if there are no such tests."""
    if " = icmp ult <" not in text or " = or <" not in text:
        return text
    return rewrite_functions(text, _of_function)


def _of_function(body: str) -> str:
    if body.count(" = icmp ult <") < 2:
        return body
    lines: list[str | None] = list(body.split("\n"))
    starts = [
        at for at, line in enumerate(lines) if line and line[0] not in " ;}" and (line.endswith((":", "{")) or ":  " in line)
    ]
    merger: _Merger | None = None
    for start, end in pairwise((*starts, len(lines))):
        block = "\n".join(line for line in lines[start:end] if line is not None)
        if block.count(" = icmp ult <") > 1 and " = or <" in block:
            merger = merger or _Merger(lines, body)
            merger.merge(start, end)
    if merger is None or not merger.changed:
        return body
    return "\n".join(line for line in lines if line is not None)


class _Merger:
    def __init__(self, lines: list[str | None], text: str) -> None:
        self.lines = lines
        self.uses = Counter(_NAME.findall(text))
        self.number = max(map(int, _TAKEN.findall(text)), default=0)
        self.changed = False

    def merge(self, start: int, end: int) -> None:
        """In one block, as long as there are some."""
        while self._merge_one(start, end):
            self.changed = True

    def _merge_one(self, start: int, end: int) -> bool:
        added: dict[str, tuple[str, int]] = {}
        ranges: dict[str, _Range] = {}
        users: dict[str, tuple[str, int, str]] = {}
        for at in range(start, end):
            line = self.lines[at]
            if line is None:
                continue
            if " = add " in line and (found := _ADD.match(line)):
                added[found[1]] = found[2], -int(found[3])
            elif " = icmp ult " in line and (found := _TEST.match(line)):
                bits = int(found[3])
                value, low = added.get(found[4], (found[4], 0))
                ranges[found[1]] = _Range(at, found[2], bits, value, low % (1 << bits), int(found[5]))
            elif " = or " in line and (found := _OR.match(line)):
                users[found[2]] = found[1], at, found[3]
                users[found[3]] = found[1], at, found[2]
            elif " = freeze " in line and (found := _FREEZE.match(line)):
                users[found[2]] = found[1], at, ""
        for one, first in ranges.items():
            for other, second in ranges.items():
                if _differ_in_a_bit(first, second) and self._may_be_one(one, other, users):
                    self._write(one, first, other, second, users)
                    return True
        return False

    def _ways(self, name: str, users: dict[str, tuple[str, int, str]]) -> list[str]:
        """What a test is a part of, and nothing else is."""
        found: list[str] = []
        while name in users and self.uses[name] == 2:  # where it is defined, and one user
            name = users[name][0]
            found.append(name)
        return found

    def _may_be_one(self, one: str, other: str, users: dict[str, tuple[str, int, str]]) -> bool:
        ways = self._ways(other, users)
        return any(name in ways for name in self._ways(one, users))

    def _write(self, one: str, first: _Range, other: str, second: _Range, users: dict[str, tuple[str, int, str]]) -> None:
        """The lower range is tested without the bit; what the other one was joined with is all that is left of that."""
        self.number += 1
        bit = second.low - first.low
        case, without = f"%case.{self.number}", (1 << first.bits - 1) - 1 & ~bit if bit >> first.bits - 1 else ~bit
        low = f"{case}.from"
        self.lines[first.line] = (
            f"  {case} = and {first.type} {first.value}, splat (i{first.bits} {without})\n"
            f"  {low} = add {first.type} {case}, splat (i{first.bits} {-first.low})\n"
            f"  {one} = icmp ult {first.type} {low}, splat (i{first.bits} {first.count})"
        )
        name = other
        self.lines[second.line] = None
        while not users[name][2]:
            self.lines[users[name][1]] = None
            name = users[name][0]
        joined, at, left = users[name]
        self.lines[at] = None
        self._rename(joined, left)

    def _rename(self, name: str, new: str) -> None:
        self.uses[new] += self.uses[name] - 2
        for at, line in enumerate(self.lines):
            if line is not None and name in line:
                self.lines[at] = _NAME.sub(lambda found: new if found.group() == name else found.group(), line)


def _differ_in_a_bit(first: _Range, second: _Range) -> bool:
    """Whether the second range is the first with a bit more in each of its numbers."""
    if (first.type, first.value, first.count) != (second.type, second.value, second.count):
        return False
    bit = second.low - first.low
    return bit > 0 and not bit & bit - 1 and not first.low & bit and (first.low & bit - 1) + first.count <= bit
