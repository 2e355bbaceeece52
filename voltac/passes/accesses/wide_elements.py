"""Bytes and 16-bit numbers that lie 2 or 4 bytes apart -> whole elements of 16 or 32 bits, shifted.

    %red = call <8 x i8> @volta.gather.v8i8(<p, p + 4, ...>, <all on>)         (and green, blue)
    ->
    %pixels = load <8 x i32>, ptr %p
    %red = trunc <8 x i32> %pixels                         %green = trunc (lshr %pixels, 8) ...

An image of RGBA bytes or a pair of 16-bit channels is read and written so; where the
numbers are extended anyway, LLVM makes an ``and`` of the ``trunc``, and no lane moves.
The last elements are loaded so that they end with the last byte touched.
"""

from __future__ import annotations

from functools import partial

from voltac.passes.accesses.access import Access
from voltac.passes.accesses.cost_rows import has_halves
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.piece import Piece, joined_parts, reason
from voltac.passes.members.member_halves import in_halves
from voltac.records import record
from voltac.target_info import TargetInfo

_STRIDES = (2, 4)
"""Bytes; then a lane's element is one integer of 16 or 32 bits."""
_FULL = 32
"""Lanes whose bytes fill a register that has halves."""
_WHOLE = 256
"""Bits of registers whose halves are shuffled alike. With AVX-512 one permutation of bytes does it."""


@record
class _Row:
    """Accesses of one element of ``stride`` bytes in each lane, which starts ``first`` bytes from the uniform part."""

    members: list[Access]
    first: int
    stride: int

    @property
    def covered(self) -> int:
        """Bytes of each element up to the last that is touched."""
        return max(access.offsets[0] - self.first + access.size for access in self.members)

    def shift(self, access: Access) -> int:
        return 8 * (access.offsets[0] - self.first)


def find_rows(members: list[Access], target: TargetInfo) -> list[_Row]:
    """The rows that accesses of one key make, all lanes on."""
    if not members[0].all_on or not target.is_x86 or target.width == 1:
        return []
    rows: list[_Row] = []
    for access in sorted(members, key=lambda each: each.offsets[0]):
        stride = access.offsets[1] - access.offsets[0]
        if access.element not in ("i8", "i16") or stride not in _STRIDES or stride <= access.size:
            continue
        first = access.offsets[0]
        if access.offsets != tuple(range(first, first + stride * access.lanes, stride)):
            continue
        last = rows[-1] if rows else None
        if last is not None and last.stride == stride and first + access.size <= last.first + stride:
            last.members.append(access)
        else:
            rows.append(_Row([access], first, stride))
    return [row for row in rows if row.stride * row.members[0].lanes >= 16]


def plan_wide_loads(members: list[Access], target: TargetInfo) -> list[Piece]:
    """A single byte of two is as well picked out of vectors of its own size, where these are not halves of registers."""
    pieces = []
    for row in find_rows(members, target):
        if len(row.members) > 1 or row.stride == 4 or (has_halves(target) and row.members[0].lanes == _FULL):
            count = _lanes_at_once(row, target)
            vectors = row.members[0].lanes // count
            served = reason("load", vectors, len(row.members))
            pieces.append(in_halves(Piece(row.members, partial(_write_loads, row, count), served), target))
    return pieces


def plan_wide_stores(members: list[Access], target: TargetInfo) -> list[Piece]:
    """Rows of which every byte is written, each once."""
    pieces = []
    for row in find_rows(members, target):
        written = {access.offsets[0] for access in row.members}
        if len(written) == len(row.members) == row.stride // row.members[0].size:
            vectors = max(1, row.stride * row.members[0].lanes * 8 // target.vector_bits)
            members_in_order = sorted(row.members, key=lambda access: access.index)
            served = reason("store", vectors, len(row.members))
            registers = 8 * row.members[0].lanes * row.members[0].size // _WHOLE
            write = _interleave if len(row.members) == 2 and registers and target.vector_bits == _WHOLE else _write_stores
            pieces.append(Piece(members_in_order, partial(write, row), served))
    return pieces


def _lanes_at_once(row: _Row, target: TargetInfo) -> int:
    """Lanes of a vector to load; at least two vectors if the last may not be read to its end."""
    lanes = row.members[0].lanes
    count = min(lanes, target.vector_bits // 8 // row.stride)
    return lanes // 2 if count == lanes and row.covered < row.stride else count


def _write_loads(row: _Row, count: int, emit: Emitter) -> None:
    access = row.members[0]
    address = access.address
    assert address is not None
    wide = f"<{count} x i{8 * row.stride}>"
    octets = f"<{count * row.stride} x i8>"
    parts: dict[int, list[str]] = {}
    for lane in range(0, access.lanes, count):
        excess = row.stride - row.covered if lane + count == access.lanes else 0
        pointer = emit.address(address, row.first + lane * row.stride - excess, access.element, access.size)
        loaded = emit.load("span", f"load {octets}, ptr {pointer}, align {1 if excess else access.size}")
        # Nothing is known of the bytes in between, which would spoil whole elements.
        known = emit.value("known", f"freeze {octets} {loaded}")
        elements = emit.value("wide", f"bitcast {octets} {known} to {wide}")
        for member in row.members:
            shift = row.shift(member) + 8 * excess
            shifted = emit.value("shifted", f"lshr {wide} {elements}, splat (i{8 * row.stride} {shift})") if shift else elements
            parts.setdefault(member.index, []).append(shifted)
    for member in row.members:
        # Cut off of all lanes at once: LLVM packs whole registers, where it would pick a half out of each.
        whole = joined_parts(parts[member.index], f"i{8 * row.stride}", count, emit)
        cut = emit.value("part", f"trunc <{access.lanes} x i{8 * row.stride}> {whole} to {_bits(member)}")
        emit.alias(member.instruction.name, emit.as_element(_bits(member), cut, member.element))


def _bits(access: Access) -> str:
    return f"<{access.lanes} x i{8 * access.size}>"


def _interleave(row: _Row, emit: Emitter) -> None:
    """Two members that fill registers: four shuffles for two of them, of which two within the halves."""
    access = row.members[0]
    assert access.address is not None
    first, second = (emit.as_element(each.vector, each.value, access.element) for each in row.members)
    mask = [at for lane in range(access.lanes) for at in (lane, access.lanes + lane)]
    whole = emit.shuffle(access.vector, first, second, mask)
    pointer = emit.address(access.address, row.first, access.element, access.size)
    emit.line(f"store <{2 * access.lanes} x {access.element}> {whole}, ptr {pointer}, align {access.size}")


def _write_stores(row: _Row, emit: Emitter) -> None:
    access = row.members[0]
    address = access.address
    assert address is not None
    element = f"i{8 * row.stride}"
    wide = f"<{access.lanes} x {element}>"
    whole = ""
    for member in row.members:
        known = emit.value("known", f"freeze {member.vector} {member.value}")
        part = emit.value("wide", f"zext {member.vector} {known} to {wide}")
        if row.shift(member):
            part = emit.value("shifted", f"shl {wide} {part}, splat ({element} {row.shift(member)})")
        whole = emit.value("whole", f"or disjoint {wide} {whole}, {part}") if whole else part
    pointer = emit.address(address, row.first, access.element, access.size)
    emit.line(f"store {wide} {whole}, ptr {pointer}, align {access.size}")
