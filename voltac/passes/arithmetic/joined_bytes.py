"""Numbers put together of bytes by shifts -> these bytes in turn.

When LLVM has finished simplifying::

    %a = zext <32 x i8> %p to <32 x i32>              %b = shl <32 x i32> (zext %q), splat (i32 8)         and so on
    %ab = or disjoint <32 x i32> %a, %b               %v = or disjoint <32 x i32> %ab, %cd

becomes

    %low = shufflevector <32 x i8> %p, %q, <0, 32, 1, 33, ... 7, 39, 16, 48, ... 23, 55>            vpunpcklbw
    %w = shufflevector <16 x i16> %low, (of %r and %s), <0, 16, 1, 17, 2, 18, 3, 19, 8, 24, ...>    vpunpcklwd
    %v = the halves of the four registers in order

Twelve shuffles for 32 numbers of four bytes, not 16 extensions, 12 shifts and 12 disjunctions. A byte may be a constant (the
opaque pixel made of a grey value), and the same one stand at several places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from voltac.ir.constants import written
from voltac.ir.function_texts import rewrite_functions
from voltac.options import Options
from voltac.records import record
from voltac.system.lazy_patterns import lazy_pattern

_PART = lazy_pattern(
    r"  (?P<name>%\S+) = (?:(?P<extended>zext) (?:nneg )?<\d+ x i8> (?P<byte>%[^\s,]+) to <\d+ x i(?:16|32)>"
    r"|shl (?:\w+ )*<\d+ x i(?:16|32)> (?P<value>%[^\s,]+), splat \(i\d+ (?P<count>\d+)\)"
    r"|or (?:disjoint )?<(?P<lanes>\d+) x i(?P<bits>16|32)> (?P<first>%[^\s,]+), (?P<second>%[^\s,]+|splat \(i\d+ -?\d+\)))"
    r"(?P<debug>, !dbg !\d+)?$"
)
_SPLAT = lazy_pattern(r"splat \(i\d+ (-?\d+)\)")
_JOINS = lazy_pattern(r" = or (?:disjoint )?<\d\d+ x i(?:16|32)> ")
_TAKEN = lazy_pattern(r"%in\.turn\.(\d+)")
_HALF = 16
"""Bytes of the parts of a register within which two are put together in turn by one instruction."""
_MOST_ROWS = 4
"""Registers that bytes become of which a number has four; halves of registers of 512 bits."""
_DEEPEST = 8
"""Disjunctions, one upon the other, that are looked through: more than four bytes need."""

_Byte = str | int
"""A vector of bytes, or a number."""


@record
class _Joined:
    """A number of each lane, as its bytes: the lowest first."""

    lanes: int
    parts: tuple[_Byte, ...]


def join_bytes(text: str, options: Options) -> str:
    """The module's text, unchanged if nothing is put together so."""
    if not _JOINS.search(text):
        return text
    writer = _Writer(max(map(int, _TAKEN.findall(text)), default=0), options.target.vector_bits // 8)
    return rewrite_functions(text, lambda body: _of_function(body, writer))


def _of_function(body: str, writer: _Writer) -> str:
    if not _JOINS.search(body):
        return body
    lines = body.split("\n")
    made: dict[str, re.Match[str]] = {}
    joins: list[tuple[int, re.Match[str]]] = []
    for at, line in enumerate(lines):
        if (" = zext <" in line or " = zext nneg <" in line or " = shl " in line or " = or " in line) and (
            found := _PART.match(line)
        ):
            made[found["name"]] = found
            if found["lanes"]:
                joins.append((at, found))
    inside: set[str] = set()
    for at, found in reversed(joins):
        if found["name"] in inside:
            continue
        joined = _joined(found, made, inside)
        if joined is not None:
            lines[at] = "\n".join(writer.lines(joined, found["name"], found["debug"] or ""))
    return "\n".join(lines)


def _joined(root: re.Match[str], made: dict[str, re.Match[str]], inside: set[str]) -> _Joined | None:
    """What a disjunction puts together where that is bytes; its own parts become part of ``inside``."""
    lanes, size = int(root["lanes"]), int(root["bits"]) // 8
    found: list[_Byte] = [0] * size
    parts: set[str] = set()
    for byte, place in _bytes_of(root["name"], 0, size, made, parts, _DEEPEST):
        if place < 0 or found[place] != 0:
            return None
        found[place] = byte
    variable = [each for each in found if isinstance(each, str)]
    if lanes % _HALF or len(variable) < 2 or (len(variable) == 2 and variable[0] == variable[1]):
        return None
    inside |= parts
    return _Joined(lanes, tuple(found))


def _bytes_of(
    name: str, place: int, size: int, made: dict[str, re.Match[str]], parts: set[str], deep: int
) -> Iterator[tuple[_Byte, int]]:
    """Bytes that a value is put together of, and their places; a place below zero for anything else."""
    found = made.get(name)
    if found is None or not deep:
        yield name, -1
    elif found["extended"]:
        if place < size:
            yield found["byte"], place
    elif found["value"]:
        count = int(found["count"])
        yield from (
            _bytes_of(found["value"], place + count // 8, size, made, parts, deep - 1) if count % 8 == 0 else [(name, -1)]
        )
    else:
        parts.add(name)
        for operand in (found["first"], found["second"]):
            constant = _SPLAT.match(operand)
            if constant is None:
                yield from _bytes_of(operand, place, size, made, parts, deep - 1)
                continue
            number = int(constant[1])
            for at in range(size - place):
                if (byte := (number >> 8 * at) & 255) != 0:
                    yield byte, place + at


class _Writer:
    """Text of shuffles; the numbers of their names."""

    def __init__(self, number: int, register: int) -> None:
        self._number = number
        self._register = register
        """Bytes."""
        self._lines: list[str] = []
        self._debug = ""

    def lines(self, joined: _Joined, name: str, debug: str) -> list[str]:
        """What makes the value of that name."""
        self._lines, self._debug = [], debug
        count = self._register
        while joined.lanes % count:
            count //= 2
        size = len(joined.parts)
        whole: list[str] = []
        if len({each for each in joined.parts if isinstance(each, str)}) == 1:
            whole = [self._copied(joined, first, count // size) for first in range(0, joined.lanes, count // size)]
        else:
            for first in range(0, joined.lanes, count):
                # Registers whose halves hold neighbours, of one, two and four bytes.
                rows = [[self._slice(each, joined.lanes, first, count)] for each in joined.parts]
                width = 1
                while len(rows) > 1:
                    rows = [self._in_turn(one, other, count, width) for one, other in zip(rows[::2], rows[1::2])]
                    width *= 2
                whole += self._ordered(rows[0], count // size, size)
        number = count // size
        while len(whole) > 1:
            places = ", ".join(f"i32 {at}" for at in range(2 * number))
            kind = f"<{number} x i{8 * size}>"
            whole = [
                self._named(f"shufflevector {kind} {one}, {kind} {other}, <{2 * number} x i32> <{places}>")
                for one, other in zip(whole[::2], whole[1::2])
            ]
            number *= 2
        made = self._lines.pop()
        self._lines.append(f"  {name} = {made.partition(' = ')[2]}")
        return self._lines

    def _named(self, text: str) -> str:
        self._number += 1
        name = f"%in.turn.{self._number}"
        self._lines.append(f"  {name} = {text}{self._debug}")
        return name

    def _slice(self, byte: _Byte, lanes: int, first: int, count: int) -> str:
        """Bytes that fill a register, of all lanes'."""
        if isinstance(byte, int):
            return f"splat (i8 {(byte + 128) % 256 - 128})"
        if lanes == count:
            return byte
        places = ", ".join(f"i32 {at}" for at in range(first, first + count))
        return self._named(f"shufflevector <{lanes} x i8> {byte}, <{lanes} x i8> poison, <{count} x i32> <{places}>")

    def _in_turn(self, first: list[str], second: list[str], count: int, width: int) -> list[str]:
        """Elements of ``width`` bytes of two rows of registers in turn, within halves: lower ones and upper ones."""
        made: list[str] = []
        number = count // width
        own = _HALF // width
        kind, wide = f"<{number} x i{8 * width}>", f"<{number // 2} x i{16 * width}>"
        for one, other in zip(first, second):
            for start in (0, own // 2):
                places = [
                    at + register
                    for half in range(0, number, own)
                    for at in range(half + start, half + start + own // 2)
                    for register in (0, number)
                ]
                mask = ", ".join(f"i32 {at}" for at in places)
                mixed = self._named(f"shufflevector {kind} {one}, {kind} {other}, <{number} x i32> <{mask}>")
                made.append(self._named(f"bitcast {kind} {mixed} to {wide}"))
        return made

    def _ordered(self, rows: list[str], number: int, size: int) -> list[str]:
        """Half ``h`` of register ``q`` becomes half ``h * registers + q`` of all."""
        halves, count = number * size // _HALF, len(rows)
        if halves == 1:
            return rows
        if halves == count == _MOST_ROWS:
            # Each is of four registers: two of two, before.
            lower, upper = ([(register, start + half) for register in (0, 1) for half in (0, 1)] for start in (0, 2))
            pairs = [[self._halves(rows[at : at + 2], each, number, size) for at in (0, 2)] for each in (lower, upper)]
            return [
                self._halves(
                    pairs[at // 2], [(register, start + at % 2) for register in (0, 1) for start in (0, 2)], number, size
                )
                for at in range(count)
            ]
        made: list[str] = []
        for at in range(0, halves * count, halves):
            taken = [divmod(place, count) for place in range(at, at + halves)]
            sources = sorted({register for _, register in taken})
            picked = [(sources.index(register), half) for half, register in taken]
            made.append(self._halves([rows[register] for register in sources], picked, number, size))
        return made

    def _halves(self, rows: list[str], picked: list[tuple[int, int]], number: int, size: int) -> str:
        """One register of halves of one or two: which of them, and which half of it."""
        own, kind = _HALF // size, f"<{number} x i{8 * size}>"
        places = [register * number + half * own + at for register, half in picked for at in range(own)]
        mask = ", ".join(f"i32 {at}" for at in places)
        second = rows[1] if len(rows) > 1 else "poison"
        return self._named(f"shufflevector {kind} {rows[0]}, {kind} {second}, <{number} x i32> <{mask}>")

    def _copied(self, joined: _Joined, first: int, count: int) -> str:
        """Lanes that fill a register, where one vector of bytes gives all that are no constants."""
        lanes, size = joined.lanes, len(joined.parts)
        byte = next(each for each in joined.parts if isinstance(each, str))
        places = [lane if isinstance(each, str) else lanes for lane in range(first, first + count) for each in joined.parts]
        mask = ", ".join(f"i32 {at}" for at in places)
        kind, wide = f"<{lanes} x i8>", f"<{count} x i{8 * size}>"
        mixed = self._named(f"shufflevector {kind} {byte}, {kind} zeroinitializer, <{count * size} x i32> <{mask}>")
        whole = self._named(f"bitcast <{count * size} x i8> {mixed} to {wide}")
        number = sum(each << 8 * at for at, each in enumerate(joined.parts) if isinstance(each, int))
        constant = written(wide, [number] * count)
        return self._named(f"or disjoint {wide} {whole}, {constant}") if number else whole
