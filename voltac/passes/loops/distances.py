"""Two accesses of a loop at a distance that is known when it begins, and does not change -> a test that they are far apart.

    a[i] = ...; a[n + i] = ...;      ->      %far = |sext(n)| >= lanes * stride

Both go on at one stride. Lanes of fewer than ``lanes`` indices from each other then never touch the same byte by the two, so
that what these lanes do may be done in another order.
"""

from __future__ import annotations

from collections.abc import Iterable

from voltac.ir.lane_formulas import UniformSymbol
from voltac.passes.accesses.access import Access
from voltac.passes.loops.gang_loops import GangLoop, root
from voltac.passes.loops.preheader import Number, Preheader
from voltac.records import record

_BITS = 64
"""Of an address."""
_MOST = 6
"""Distances that are asked for before one loop. Chosen, not measured."""


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
    for symbol, factor in terms.items():
        if root(symbol) in loop.names and (root(symbol) != loop.counter or factor):
            return None
    terms = {symbol: factor for symbol, factor in terms.items() if factor}
    if not terms or not all(map(_is_plain, terms)):
        return None
    if next(iter(terms.values())) < 0:
        terms = {symbol: -factor for symbol, factor in terms.items()}
        return Distance(frozenset(terms.items()), one.offsets[0] - other.offsets[0], abs(stride))
    return Distance(frozenset(terms.items()), other.offsets[0] - one.offsets[0], abs(stride))


def few(distances: Iterable[Distance]) -> bool:
    """Whether to ask for them costs little."""
    return len(set(distances)) <= _MOST


def _is_plain(symbol: UniformSymbol) -> bool:
    """Whether it is a number or pointer, or the extension of a number."""
    if symbol.kind in ("sext", "zext"):
        return symbol.inner is not None and symbol.inner.kind == "value" and symbol.bits == _BITS
    return symbol.kind in ("value", "pointer") and symbol.bits == _BITS


def are_far(distances: Iterable[Distance], lanes: int, code: Preheader) -> str:
    """What says that all are at least so many lanes: the name of an i1."""
    far = ""
    for each in dict.fromkeys(distances):
        total: Number = each.offset
        for symbol, factor in sorted(each.terms, key=lambda term: term[0].text()):
            total = code.binary("add", total, code.binary("mul", _number(symbol, code), factor))
        most = each.stride * lanes - 1
        # Neither from -most to most.
        moved = code.binary("add", total, most)
        one = code.value(f"icmp ugt i64 {moved}, {2 * most}", "far")
        far = code.value(f"and i1 {far}, {one}", "far") if far else one
    return far


def _number(symbol: UniformSymbol, code: Preheader) -> str:
    if symbol.kind == "pointer":
        return code.value(f"ptrtoint ptr {symbol.name} to i64")
    if symbol.inner is not None:
        return code.value(f"{symbol.kind} i{symbol.inner.bits} {symbol.inner.name} to i64")
    return symbol.name
