"""Two accesses of a loop at a distance that is known when it begins, and does not change -> a test that they are far apart.

    a[i] = ...; a[n + i] = ...;      ->      %far = |sext(n)| >= lanes * stride

Both go on at one stride. Lanes of fewer than ``lanes`` indices from each other then never touch the same byte by the two, so
that what these lanes do may be done in another order. Of accesses at different strides all that one touches has to lie before
all that the other does.
"""

from __future__ import annotations

from collections.abc import Iterable

from voltac.ir.lane_formulas import UniformSymbol
from voltac.ir.parts import CASTS
from voltac.passes.accesses.access import Access
from voltac.passes.loops.gang_loops import GangLoop, root
from voltac.passes.loops.preheader import Number, Preheader
from voltac.records import record

_SUMS = frozenset(("add", "sub", "mul", "sext", "zext"))
"""Of integers."""
_BITS = 64
"""Of an address."""
_MOST = 6
"""Distances that are asked for before one loop. Chosen, not measured."""

_LEAST = 256
"""Bytes by which accesses from one place on are apart, if a loop may keep them apart. Chosen, not measured."""


@record
class Distance:
    """Bytes from what a lane touches by one access to what it touches by the other, and those from lane to lane."""

    terms: frozenset[tuple[UniformSymbol, int]]
    offset: int
    stride: int


def distance(loop: GangLoop, one: Access, other: Access) -> Distance | None:
    """None where it is not the same all the time, or no sum of what is known before."""
    if loop.values.layout.pointer_bytes * 8 != _BITS or not (loop.is_even(one) and loop.is_even(other)):
        return None
    assert one.address is not None and other.address is not None
    stride = one.offsets[1] - one.offsets[0]
    if other.offsets[1] - other.offsets[0] != stride:
        return None
    terms = dict(other.address.terms)
    for symbol, factor in one.address.terms.items():
        terms[symbol] = terms.get(symbol, 0) - factor
    terms = {symbol: factor for symbol, factor in terms.items() if factor}
    if not terms or not all(_is_plain(symbol) and _stays(root(symbol), loop) for symbol in terms):
        return None
    if next(iter(terms.values())) < 0:
        terms = {symbol: -factor for symbol, factor in terms.items()}
        return Distance(frozenset(terms.items()), one.offsets[0] - other.offsets[0], abs(stride))
    return Distance(frozenset(terms.items()), other.offsets[0] - one.offsets[0], abs(stride))


@record
class Extents:
    """Bytes from what the first lane touches by one access to what it touches by another that goes on at another stride."""

    terms: frozenset[tuple[UniformSymbol, int]]
    offset: int
    strides: tuple[int, int]
    sizes: tuple[int, int]


def extents(loop: GangLoop, one: Access, other: Access) -> Extents | None:
    """Of accesses that may be apart from the first iteration to the last; None where that cannot be asked before."""
    if loop.values.layout.pointer_bytes * 8 != _BITS or not (loop.is_even(one) and loop.is_even(other)):
        return None
    if one.index > other.index:
        return extents(loop, other, one)
    terms: dict[UniformSymbol, int] = {}
    for access, sign in ((other, 1), (one, -1)):
        assert access.address is not None
        for symbol, factor in access.address.terms.items():
            if root(symbol) != loop.counter:
                terms[symbol] = terms.get(symbol, 0) + sign * factor
    terms = {symbol: factor for symbol, factor in terms.items() if factor}
    if not all(_is_plain(symbol) and _stays(root(symbol), loop) for symbol in terms):
        return None
    strides = (one.offsets[1] - one.offsets[0], other.offsets[1] - other.offsets[0])
    offset = other.offsets[0] - one.offsets[0]
    if not terms and abs(offset) < _LEAST:
        return None
    return Extents(frozenset(terms.items()), offset, strides, (one.size, other.size))


def constant_distance(loop: GangLoop, one: Access, other: Access) -> int | None:
    """Bytes from what a lane touches by one to what it touches by the other, where both go on at one stride; else None."""
    if not (loop.is_even(one) and loop.is_even(other)):
        return None
    assert one.address is not None and other.address is not None
    if one.address.key != other.address.key or one.offsets[1] - one.offsets[0] != other.offsets[1] - other.offsets[0]:
        return None
    return other.offsets[0] - one.offsets[0]


def few(distances: Iterable[Distance | Extents]) -> bool:
    """Whether to ask for them costs little."""
    return len(set(distances)) <= _MOST


def _is_plain(symbol: UniformSymbol) -> bool:
    """Whether it is a number or pointer, or the extension of a number."""
    if symbol.kind in ("sext", "zext"):
        return symbol.inner is not None and symbol.inner.kind == "value" and symbol.bits == _BITS
    return symbol.kind in ("value", "pointer") and symbol.bits == _BITS


def _stays(name: str, loop: GangLoop) -> bool:
    """Whether it is the same all the time: from outside, or a sum or product, in the loop, of what is."""
    if name not in loop.names:
        return True
    made = loop.values.definitions[name]
    return made.op in _SUMS and all(each.value[0] != "%" or _stays(each.value, loop) for each in made.operands)


def are_far(loop: GangLoop, distances: Iterable[Distance | Extents], lanes: int, code: Preheader) -> str:
    """What says that all are at least so many lanes: the name of an i1, which may be either where no iteration is done."""
    far = ""
    for each in dict.fromkeys(distances):
        total: Number = each.offset
        for symbol, factor in sorted(each.terms, key=lambda term: term[0].text()):
            total = code.binary("add", total, code.binary("mul", _number(symbol, loop, code), factor))
        if isinstance(each, Extents):
            one = _are_apart(loop, each, total, lanes, code)
        else:
            most = each.stride * lanes - 1
            # Neither from -most to most.
            moved = code.binary("add", total, most)
            one = code.value(f"icmp ugt i64 {moved}, {2 * most}", "far")
        far = code.value(f"and i1 {far}, {one}", "far") if far else one
    # What is known before may be poison where the loop does nothing with it.
    return code.value(f"freeze i1 {far}", "far")


def _are_apart(loop: GangLoop, each: Extents, total: Number, lanes: int, code: Preheader) -> str:
    """Whether one access ends before the other begins, either way. Differences of addresses need fewer than 64 bits."""
    first = _extended(loop.start, code)
    # The last gang may reach beyond the limit.
    last = code.binary("add", _extended(loop.limit, code), lanes)
    ends: list[tuple[Number, Number]] = []
    for stride, size, start in zip(each.strides, each.sizes, (0, total), strict=True):
        places = [code.binary("add", start, code.binary("mul", at, stride)) for at in (first, last)]
        low, high = places if stride > 0 else places[::-1]
        ends.append((low, code.binary("add", high, size)))
    (low, high), (other_low, other_high) = ends
    before = code.value(f"icmp sle i64 {high}, {other_low}", "far")
    behind = code.value(f"icmp sle i64 {other_high}, {low}", "far")
    return code.value(f"or i1 {before}, {behind}", "far")


def _extended(number: str, code: Preheader) -> Number:
    return int(number) if number[0] != "%" else code.value(f"sext i32 {number} to i64")


def _number(symbol: UniformSymbol, loop: GangLoop, code: Preheader) -> str:
    if symbol.kind == "pointer":
        return code.value(f"ptrtoint ptr {_outside(symbol.name, loop, code)} to i64")
    if symbol.inner is not None:
        return code.value(f"{symbol.kind} i{symbol.inner.bits} {_outside(symbol.inner.name, loop, code)} to i64")
    return _outside(symbol.name, loop, code)


def _outside(name: str, loop: GangLoop, code: Preheader) -> str:
    """The number itself, or what computes it outside. Without its flags: where no iteration does, it may wrap around."""
    if name not in loop.names:
        return name
    made = loop.values.definitions[name]
    values = [_outside(each.value, loop, code) if each.value[0] == "%" else each.value for each in made.operands]
    if made.op in CASTS:
        return code.value(f"{made.op} {made.operands[0].type} {values[0]} to {made.type}")
    return code.value(f"{made.op} {made.type} {', '.join(values)}")
