"""Indices of lanes that a short loop computes with -> carried from gang to gang, not broadcast in each.

When LLVM has finished simplifying::

    loop:  %i = phi i32 [ %start, %before ], [ %next, %loop ]
           %one = insertelement <8 x i32> poison, i32 %i, i64 0
           %all = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> zeroinitializer
           %lanes = add <8 x i32> %all, <i32 0, i32 1, ..., i32 7>
           %next = add i32 %i, 8

becomes

    before: %carried.first = add <8 x i32> (%start in all lanes), <i32 0, i32 1, ..., i32 7>
    loop:   %carried = phi <8 x i32> [ %carried.first, %before ], [ %carried.next, %loop ]
            %carried.next = add <8 x i32> %carried, splat (i32 8)
            and %carried for %lanes; lanes of %i + 8 are %carried + splat (i32 8)

A number that is moved to a vector register, put into all lanes of it and added to there takes three instructions, two of them
on one unit of Intel's processors: one addition is left. The sums are of the same bits and claim nothing.

Only loops of one block are looked at: in others a register would be held through loops inside.
"""

from __future__ import annotations

from collections import Counter

from voltac.ir import match as m
from voltac.ir.constants import integers, written
from voltac.ir.function_texts import rewrite_functions
from voltac.ir.model import Instruction
from voltac.ir.scan import VALUE, VALUES
from voltac.ir.types import lanes_of
from voltac.options import Options
from voltac.system.lazy_patterns import lazy_pattern

_MARK = " x i32> poison, i32 %"
_LABEL = lazy_pattern(r'(?P<name>"[^"]*"|[-\w$.]+):')
_TARGET = lazy_pattern(rf"label ({VALUE})")
_NUMBERED = lazy_pattern(r"%\d+")
_TAKEN = lazy_pattern(r"%carried\.(\d+)")
_DEBUG = lazy_pattern(r", !dbg !\d+$")
_MOST_LINES = 120
"""Of a loop: a longer one needs all registers, and hides what three instructions take. Chosen, not measured."""
_REGISTERS = 2
"""That lanes of indices may fill. Of more the broadcast is a small part, and they are missing elsewhere. Chosen."""
_BITS = 32
"""Of an index in a lane."""
_MADE_AND_USED = 2
"""Places where a name stands that is used once."""
_LANES = m.one_of(
    m.op("add", m.splat(m.value("scalar")), m.constant("lanes")),
    m.op("or", m.splat(m.value("scalar")), m.constant("lanes"), flag="disjoint"),
)
_SUM = m.one_of(
    m.op("add", m.value("of"), m.constant("step")),
    m.op("or", m.value("of"), m.constant("step"), flag="disjoint"),
    m.op("trunc", m.value("of")),
)


def carry_indices(text: str, options: Options) -> str:
    """The module's text, unchanged if no such loop computes with the indices of its lanes."""
    if _MARK not in text:
        return text
    taken = max(map(int, _TAKEN.findall(text)), default=0) if "%carried." in text else 0

    def rewrite(function: str) -> str:
        nonlocal taken
        if _MARK not in function or " = phi i" not in function:
            return function
        found = _Function(function.split("\n"), options.target.vector_bits * _REGISTERS, taken)
        found.run()
        if found.taken == taken:
            return function
        taken = found.taken
        return "\n".join(found.rewritten())

    return rewrite_functions(text, rewrite)


class _Function:
    """Lines of one function."""

    def __init__(self, lines: list[str], most_bits: int, taken: int) -> None:
        self.lines = lines
        self.most_bits = most_bits
        self.taken = taken
        """The last number in use in names."""
        self.ends: dict[str, int] = {}
        """``%block`` -> the place of the line that ends it."""
        self.before: dict[int, list[str]] = {}
        """What is put in front of the line at a place."""
        self.gone: set[int] = set()
        """Places of lines that nothing needs any more."""
        self.counts: Counter[str] = Counter()
        """How often each name stands in the function as it was, from the first time on that it is asked for."""

    def run(self) -> None:
        """Rewrite its loops of one block."""
        start, label = 0, ""
        loops: list[tuple[int, str]] = []
        for at, line in enumerate(self.lines):
            if line[:1] != " " and (found := _LABEL.match(line)):
                start, label = at + 1, "%" + found["name"]
            elif line.startswith(("  br ", "  switch ")):
                self.ends[label] = at
                if at - start < _MOST_LINES and label in _TARGET.findall(line):
                    loops.append((start, label))
        for start, label in loops:
            inside = self.lines[start : self.ends[label]]
            if any(_MARK in line for line in inside):
                _Loop(self, start, label, [Instruction(line) for line in inside]).run()

    def rewritten(self) -> list[str]:
        """The lines as they are now."""
        made: list[str] = []
        for at, line in enumerate(self.lines):
            made += self.before.get(at, ())
            if at not in self.gone:
                made.append(line)
        return made

    def fresh(self) -> str:
        """A name that nothing has."""
        self.taken += 1
        return f"%carried.{self.taken}"

    def count(self, name: str) -> int:
        """How often a name stands in the function."""
        if not self.counts:
            self.counts.update(VALUES.findall("\n".join(self.lines)))
        return self.counts[name]


class _Loop:
    """One block that follows itself."""

    def __init__(self, function: _Function, start: int, label: str, instructions: list[Instruction]) -> None:
        self.function = function
        self.start = start
        """The place of its first line."""
        self.label = label
        self.instructions = instructions
        self.definitions = {each.name: each for each in instructions if each.name}
        self.carried: dict[tuple[str, str], tuple[str, list[int]]] = {}
        """Counter and type -> the lanes that are carried, and what they are more than the counter."""

    def run(self) -> None:
        """Carry what is a sum of a counter in all lanes and constants."""
        sums: list[tuple[int, Instruction, str, tuple[int, ...]]] = []
        for place, made in enumerate(self.instructions, self.start):
            if made.op not in ("add", "or") or " x i32> " not in made.text:
                continue
            found = _LANES.find(made.name, self.definitions)
            lanes = None if found is None else integers(made.type, found["lanes"].value)
            if found is not None and lanes is not None and len(lanes) * _BITS <= self.function.most_bits:
                sums.append((place, made, found["scalar"].value, lanes))
        alike = Counter(made.operands[0].value for _, made, _, _ in sums)
        for place, made, scalar, lanes in sums:
            splat = made.operands[0].value
            # One stands where it is made; where others need it, too, it stays, and nothing is won.
            if self.function.count(splat) == alike[splat] + 1:
                counter, more = self._counter(scalar)
                if counter and self._carry(place, made, counter, [more + lane for lane in lanes]):
                    self._remove(splat)

    def _counter(self, scalar: str) -> tuple[str, int]:
        """The phi of which and of a constant a number is the sum, empty if there is none, and the constant modulo 2^32."""
        more = 0
        while (made := self.definitions.get(scalar)) is not None and made.op != "phi":
            found = _SUM.find(scalar, self.definitions)
            if found is None:
                return "", 0
            if "step" in found:
                more += (integers(made.type, found["step"].value) or (0,))[0]
            scalar = found["of"].value
        return scalar if made is not None else "", more

    def _carry(self, place: int, made: Instruction, counter: str, more: list[int]) -> bool:
        """Rewrite the sum at a place, which is the counter and ``more``, lane by lane; whether that could be done."""
        debug = found[0] if (found := _DEBUG.search(made.text)) else ""
        kind, key = made.type, (counter, made.type)
        if key not in self.carried:
            phi = self.definitions[counter].parts
            arms = {label: each.value for label, each in zip(phi.labels, phi.operands)}
            back, step = self._counter(arms.pop(self.label[1:], ""))
            if back != counter or len(arms) != 1:
                return False
            ((before, start),) = arms.items()
            end = self.function.ends.get("%" + before)
            first = None if end is None else self._first(start, phi.type, kind, more, end, debug)
            if first is None:
                return False
            following, name, same = self.function.fresh(), made.name, ""
            if _NUMBERED.fullmatch(name):
                # Numbers must stand in order, and the phi goes up.
                name = self.function.fresh()
                same = f"  {made.name} = bitcast {kind} {name} to {kind}\n"
            self.carried[key] = name, more
            head = f"  {name} = phi {kind} [ {first}, %{before} ], [ {following}, {self.label} ]{debug}"
            self.function.before.setdefault(self.start, []).append(head)
            self.function.lines[place] = f"{same}  {following} = add {kind} {name}, {written(kind, [step] * len(more))}{debug}"
            return True
        base, included = self.carried[key]
        rest = [one - other for one, other in zip(more, included)]
        self.function.lines[place] = f"  {made.name} = add {kind} {base}, {written(kind, rest)}{debug}"
        return True

    def _remove(self, splat: str) -> None:
        """A vector that nothing uses, and what was inserted for it alone."""
        names = {splat}
        inserted = self.definitions[splat].operands[0].value
        if self.function.count(inserted) == _MADE_AND_USED:
            names.add(inserted)
        self.function.gone.update(place for place, each in enumerate(self.instructions, self.start) if each.name in names)

    def _first(self, start: str, scalar: str, kind: str, more: list[int], end: int, debug: str) -> str | None:
        """The lanes of the first gang, computed in front of the line that goes to it; None if the start has no name."""
        if start[0] != "%":
            number = integers(scalar, start)
            return None if number is None else written(kind, [number[0] + each for each in more])
        new = self.function.before.setdefault(end, [])

        def value(text: str) -> str:
            name = self.function.fresh()
            new.append(f"  {name} = {text}{debug}")
            return name

        if scalar != "i32":
            start = value(f"trunc {scalar} {start} to i32")
        one = value(f"insertelement {kind} poison, i32 {start}, i64 0")
        every = value(f"shufflevector {kind} {one}, {kind} poison, <{lanes_of(kind)} x i32> zeroinitializer")
        return value(f"add {kind} {every}, {written(kind, more)}")
