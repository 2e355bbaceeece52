"""Masked accesses of lanes known by number, side by side -> plain accesses of these.

When LLVM has finished simplifying::

    call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr align 4 %p, <8 x i1> <i1 true, i1 true, i1 false, ...>)

becomes

    %lanes = shufflevector <8 x float> %v, <8 x float> poison, <2 x i32> <i32 0, i32 1>
    store <2 x float> %lanes, ptr %p, align 4

and six lanes become four and two. Such masks belong to the rest of a foreach of known length. Before AVX-512 a masked store is
19 instructions of an AMD processor (13 cycles, 1 for a plain one, on a Zen 4), and of bytes and 16-bit numbers a branch and a
store a lane. With AVX-512 it costs where rows follow each other: the next row's first load waits for a store whose off
lanes it overlaps (rows of 40 floats on a Zen 4: 33 cycles a row, 7 without).

A store of one lane has to be a scalar one: LLVM 22's code generator for AVX-512 makes it that itself, but where ``%v`` is cut
off from wider lanes it stores the wide lane, and with it bytes of other lanes (``reduceMaskedStoreToScalarStore`` takes a
truncating store for a plain one).
"""

from __future__ import annotations

from collections.abc import Iterator

from voltac.ir.types import DataLayout, element_of, lanes_of
from voltac.passes.accesses.cost_rows import has_masked
from voltac.passes.accesses.emit import shuffle_text
from voltac.system.lazy_patterns import lazy_pattern
from voltac.target_info import TargetInfo

_LANES = r"<\d+ x i1> <(?P<mask>i1 (?:true|false)(?:, i1 (?:true|false))*)>"
_STORE = lazy_pattern(
    r"  (?:tail )?call void @llvm\.masked\.store\.\w+\.p0\((?P<vector><\d+ x \w+>) (?P<value>.+), ptr align (?P<align>\d+) "
    rf"(?P<pointer>.+), {_LANES}\)(?:, (?P<debug>!dbg !\d+))?"
)
_LOAD = lazy_pattern(
    r"  (?P<name>%\S+) = (?:tail )?call <\d+ x \w+> @llvm\.masked\.load\.\w+\.p0\(ptr align (?P<align>\d+) "
    rf"(?P<pointer>.+), {_LANES}, (?P<vector><\d+ x \w+>) (?P<others>poison|undef|zeroinitializer)\)(?:, (?P<debug>!dbg !\d+))?"
)
_TAKEN = lazy_pattern(r"%known_lanes\.(\d+)")
_MARKS = ("@llvm.masked.store.", "@llvm.masked.load.")
_LAYOUT = DataLayout({})
_MOST_PIECES, _MOST_BESIDE_MASKS = 4, 2
"""Plain stores for a masked one: fewer where that is one instruction. Chosen, not measured."""


def access_known_lanes(text: str, target: TargetInfo) -> str:
    """The module's text, unchanged if there is no such access."""
    if "x i1> <i1 " not in text or not any(mark in text for mark in _MARKS):
        return text
    writer = _Writer(max(map(int, _TAKEN.findall(text)), default=0), target)
    lines: list[str] = []
    for line in text.split("\n"):
        lines += (writer.plain(line) if "x i1> <i1 " in line else None) or [line]
    return "\n".join(lines)


def _pieces(mask: str) -> list[tuple[int, int]]:
    """First lane and number of them, a power of two, of parts of the lanes that are on; none if these are not side by side."""
    lanes = [lane == "i1 true" for lane in mask.split(", ")]
    on = sum(lanes)
    first = lanes.index(True) if on else 0
    if not all(lanes[first : first + on]):
        return []
    found: list[tuple[int, int]] = []
    while on:
        size = 1 << (on.bit_length() - 1)
        found.append((first, size))
        first, on = first + size, on - size
    return found


class _Writer:
    def __init__(self, number: int, target: TargetInfo) -> None:
        self._number = number
        self._target = target

    def plain(self, line: str) -> list[str] | None:
        """The lines in place of a masked access; None for any other line."""
        is_store = _MARKS[0] in line
        if not is_store and _MARKS[1] not in line:
            return None
        found = (_STORE if is_store else _LOAD).match(line)
        if found is None:
            return None
        vector, pieces = found["vector"], _pieces(found["mask"])
        count, element = lanes_of(vector), element_of(vector)
        size = _LAYOUT.size(element)
        is_masked = has_masked(self._target, size)
        most = 1 if is_masked and not is_store else _MOST_BESIDE_MASKS if self._target.has_masked_small else _MOST_PIECES
        if not 0 < len(pieces) <= most or pieces[0][1] == count:
            return None
        debug = f", {found['debug']}" if found["debug"] else ""
        lines, others = list[str](), found["others"] if not is_store else ""
        for lane, lanes in pieces:
            part = f"<{lanes} x {element}>" if lanes > 1 else element
            pointer, align = found["pointer"], int(found["align"])
            if lane:
                pointer = self._define(lines, f"getelementptr {element}, ptr {pointer}, i64 {lane}{debug}")
                align = min(align, lane * size & -(lane * size))
            if is_store:
                value = self._define(lines, f"{_taken(vector, found['value'], lane, lanes)}{debug}")
                lines.append(f"  store {part} {value}, ptr {pointer}, align {align}{debug}")
                continue
            loaded = self._define(lines, f"load {part}, ptr {pointer}, align {align}{debug}")
            for text in _placed(vector, others, loaded, lane, lanes):
                others = self._define(lines, text.replace("$", others) + debug)
        if not is_store:
            # The last one made is the whole.
            lines[-1] = lines[-1].replace(f"  {others} =", f"  {found['name']} =", 1)
        return lines

    def _define(self, lines: list[str], text: str) -> str:
        self._number += 1
        name = f"%known_lanes.{self._number}"
        lines.append(f"  {name} = {text}")
        return name


def _taken(vector: str, value: str, lane: int, lanes: int) -> str:
    """Some lanes of a vector."""
    if lanes == 1:
        return f"extractelement {vector} {value}, i64 {lane}"
    return shuffle_text(vector, value, "poison", list(range(lane, lane + lanes)))


def _placed(vector: str, others: str, loaded: str, lane: int, lanes: int) -> Iterator[str]:
    """What puts some lanes into a vector; ``$`` is the one before."""
    count, element = lanes_of(vector), element_of(vector)
    if lanes == 1:
        yield f"insertelement {vector} $, {element} {loaded}, i64 {lane}"
        return
    at = [each - lane if lane <= each < lane + lanes else -1 for each in range(count)]
    yield shuffle_text(f"<{lanes} x {element}>", loaded, "poison", at)
    if others != "poison":
        yield shuffle_text(vector, others, "$", [each if place < 0 else count + each for each, place in enumerate(at)])
