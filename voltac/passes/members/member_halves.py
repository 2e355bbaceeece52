"""Members of 1 or 2 bytes that fill registers, of structs of 2, 4 or 8 -> rows in both halves, and shuffles within halves.

    R0 G0 B0 A0 R1 ... A3 | R16 G16 ...          a row of pixels in each half: one of four registers
    R0-3 G0-3 B0-3 A0-3   | R16-19 ...           bytes within halves: a group is one member's alone
    R0-3 R4-7 G0-3 G4-7   | R16-19 R20-23 ...    groups of neighbouring registers in turn, stage by stage
    R0-15                 | R16-31               the elements in order

The lower half of a register is loaded from as far before the upper one as half of the lanes are, so that nothing goes from
half to half afterwards: 12 shuffles for 4 members. Where each lane is computed in elements as wide as the struct, whole
elements that members are cut out of (:mod:`voltac.passes.accesses.wide_elements`) need none.
"""

from __future__ import annotations

from functools import partial

from voltac.ir.constants import integers
from voltac.ir.model import Instruction
from voltac.ir.types import element_of, integer_bits
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.cost_rows import has_halves
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.piece import Piece, reason
from voltac.records import record, replace
from voltac.target_info import TargetInfo

_REGISTER, _HALF = 32, 16
"""Bytes."""
_MEMBERS = (2, 4, 8)
"""Of a struct, those that nobody loads among them."""
_EXTENSIONS = ("zext", "sext", "uitofp", "sitofp")


@record
class _Structs:
    """Some members of each lane's struct."""

    accesses: list[Access]
    """In the order of their places."""
    members: int

    @property
    def first(self) -> Access:
        return self.accesses[0]

    @property
    def size(self) -> int:
        """Bytes of a member."""
        return self.first.size

    @property
    def excess(self) -> int:
        """Bytes of a struct that lie behind the last member that is loaded."""
        last = self.accesses[-1].offsets[0] - self.first.offsets[0] + self.size
        return self.members * self.size - last

    def member(self, access: Access) -> int:
        return (access.offsets[0] - self.first.offsets[0]) // self.size


def in_halves(piece: Piece, target: TargetInfo) -> Piece:
    """The loads of whole elements, or these shuffles, as the members are used; ``piece`` writes the former."""
    members = sorted(piece.members, key=lambda access: access.offsets[0])
    structs = _structs(members, target)
    if structs is None or len(structs.accesses) < len(members) or len(members) == 1:
        return piece
    return replace(piece, write=partial(_as_used, piece, structs))


def plan_half_loads(members: list[Access], target: TargetInfo) -> list[Piece]:
    """Of accesses of one key those of several members of structs that are no whole element of 16 or 32 bits."""
    pieces: list[Piece] = []
    ordered = sorted(members, key=lambda access: access.offsets[0])
    while ordered:
        structs = _structs(ordered, target)
        if structs is None or len(structs.accesses) == 1 or structs.members * structs.size <= _WHOLE:
            ordered = ordered[1:]
            continue
        group = structs.accesses
        ordered = ordered[len(group) :]
        in_order = sorted(group, key=lambda access: access.index)
        pieces.append(Piece(in_order, partial(_write, structs), reason("load", 2 * structs.members, len(group))))
    return pieces


_WHOLE = 4
"""Bytes of the widest elements that members are cut out of otherwise."""


def plan_half_stores(cluster: list[Access], target: TargetInfo) -> list[Piece]:
    """The stores of four members of 2 bytes, each of all lanes, where they are all of a cluster."""
    ordered = sorted(cluster, key=lambda access: access.offsets[0])
    structs = _structs(ordered, target)
    if structs is None or (structs.members, structs.size) != (4, 2) or len(structs.accesses) != len(cluster):
        return []
    if [structs.member(each) for each in ordered] != list(range(structs.members)):
        return []
    return [Piece(cluster, partial(_write_stores, structs), reason("store", structs.members, structs.members))]


def _write_stores(structs: _Structs, emit: Emitter) -> None:
    """Words of two members in turn, then pairs of words: lanes in order within halves, which change places last."""
    first = structs.first
    assert first.address is not None
    words = [emit.as_element(each.vector, each.value, "i16") for each in structs.accesses]
    pairs: list[str] = []
    for one, other in ((words[0], words[1]), (words[2], words[3])):
        for high in (False, True):
            mixed = _in_turn(one, other, 2, high, emit)
            pairs.append(emit.value("pairs", f"bitcast <{_REGISTER // 2} x i16> {mixed} to <{_REGISTER // 4} x i32>"))
    rows = [_in_turn(pairs[at], pairs[at + 2], 4, high, emit) for at in (0, 1) for high in (False, True)]
    quarter = _REGISTER // 8
    vector = f"<{_REGISTER // 4} x i32>"
    for number, (row, half) in enumerate(((0, 0), (2, 0), (0, 1), (2, 1))):
        places = list(range(half * quarter, (half + 1) * quarter))
        whole = emit.shuffle(vector, rows[row], rows[row + 1], places + [2 * quarter + at for at in places])
        pointer = emit.address(first.address, first.offsets[0] + number * _REGISTER, first.element, first.size)
        emit.line(f"store {vector} {whole}, ptr {pointer}, align {first.size}")


def _in_turn(one: str, other: str, size: int, high: bool, emit: Emitter) -> str:
    """Elements of so many bytes of two vectors in turn: the lower, or the upper ones of each half."""
    count = _REGISTER // size
    own = count // 4
    starts = [(2 * half + high) * own for half in (0, 1)]
    mask = [at + vector for start in starts for at in range(start, start + own) for vector in (0, count)]
    return emit.shuffle(f"<{count} x i{8 * size}>", one, other, mask)


def _structs(ordered: list[Access], target: TargetInfo) -> _Structs | None:
    """The first of these accesses, and those behind it that are of the same structs."""
    first = ordered[0]
    if not has_halves(target) or not first.all_on or first.size > 2 or first.lanes * first.size != _REGISTER:
        return None
    stride = first.offsets[1] - first.offsets[0]
    if stride % first.size or stride // first.size not in _MEMBERS:
        return None
    found: list[Access] = []
    for access in ordered:
        start = access.offsets[0]
        if start - first.offsets[0] + access.size > stride or (start - first.offsets[0]) % access.size:
            break
        if access.offsets != tuple(range(start, start + stride * access.lanes, stride)):
            break
        found.append(access)
    return _Structs(found, stride // first.size) if found else None


def _as_used(piece: Piece, structs: _Structs, emit: Emitter) -> None:
    bits = 8 * structs.members * structs.size
    if all(_is_extended(each, bits, emit) for each in structs.accesses):
        piece.write(emit)
    else:
        _write(structs, emit)


def _write(structs: _Structs, emit: Emitter) -> None:
    first, members, size = structs.first, structs.members, structs.size
    assert first.address is not None
    octets = f"<{_REGISTER} x i8>"
    order = _grouped(members, size)
    vectors: list[str] = []
    for number in range(members):
        # The last row ends with the last byte that is touched.
        excess = structs.excess if number == members - 1 else 0
        rows: list[str] = []
        for at, before in ((number, 0), (number + members, excess)):
            pointer = emit.address(first.address, first.offsets[0] + at * _HALF - before, first.element, size)
            rows.append(emit.load("row", f"load <{_HALF} x i8>, ptr {pointer}, align {size}"))
        both = emit.shuffle(f"<{_HALF} x i8>", rows[0], rows[1], list(range(_REGISTER)))
        mask = order + [_HALF + at + excess if at + excess < _HALF else -1 for at in order]
        vectors.append(both if mask == list(range(_REGISTER)) else emit.shuffle(octets, both, "poison", mask))
    wanted = {structs.member(each) for each in structs.accesses}
    columns = _transposed(vectors, _HALF // members, [member in wanted for member in range(members)], emit)
    vector = f"<{first.lanes} x i{8 * size}>"
    for each in structs.accesses:
        made = emit.value("member", f"bitcast {octets} {columns[structs.member(each)]} to {vector}")
        emit.alias(each.instruction.name, emit.as_element(vector, made, each.element))


def _grouped(members: int, size: int) -> list[int]:
    """Where the bytes of a row of structs are, the first member's of all before the second's, and so on."""
    starts = range(0, _HALF, members * size)
    return [start + member * size + byte for member in range(members) for start in starts for byte in range(size)]


def _transposed(vectors: list[str], group: int, wanted: list[bool], emit: Emitter) -> list[str]:
    """The first groups of all vectors, the second ones, ... within each half; nothing is written of those not wanted.

    ``group``: bytes. Groups of two vectors in turn are groups of twice the size, in half as many vectors.
    """
    if not any(wanted):
        return [""] * len(wanted)
    if len(vectors) == 1:
        return vectors
    octets, kind, count = f"<{_REGISTER} x i8>", f"<{_REGISTER // group} x i{8 * group}>", _HALF // group
    given = [emit.value("groups", f"bitcast {octets} {each} to {kind}") for each in vectors]
    half = len(wanted) // 2
    found: list[str] = []
    for first, own in ((0, wanted[:half]), (count // 2, wanted[half:])):
        places = [at for start in (0, count) for at in range(start + first, start + first + count // 2)]
        mask = [register + at for at in places for register in (0, 2 * count)]
        pairs = zip(given[::2], given[1::2]) if any(own) else ()
        merged = [emit.shuffle(kind, *pair, mask) for pair in pairs]
        found += _transposed(
            [emit.value("merged", f"bitcast {kind} {each} to {octets}") for each in merged], 2 * group, own, emit
        )
    return found


def _is_extended(access: Access, bits: int, emit: Emitter) -> bool:
    """Whether all that is done with what is loaded begins with its extension to so many bits, and some of it needs these."""
    users = emit.uses.of(access.instruction.name)
    if not all(user.op in _EXTENSIONS and (integer_bits(element_of(user.type)) or 32) >= bits for user in users):
        return False
    return any(_needs_all_bits(user, 8 * access.size, emit) for user in users)


_MOST_USERS = 40
"""Instructions that are looked at to see whether all bits are needed. Chosen, not measured."""
_CARRYING = ("add", "sub", "mul", "shl")
_LOW_BITS = frozenset((*_CARRYING, "and", "or", "xor", "select", "freeze"))


def _needs_all_bits(extended: Instruction, bits: int, emit: Emitter) -> bool:
    """Whether something is made of an extension of which more than the lower bits count: else LLVM computes it in these."""
    if extended.op not in ("zext", "sext"):
        return True
    work, seen = [extended], {extended.name}
    while work:
        made = work.pop()
        for user in emit.uses.of(made.name):
            if user.op == "trunc" and (integer_bits(element_of(user.type)) or 0) <= bits:
                continue
            if user.op in ("lshr", "ashr"):
                numbers = integers(*user.operands[1]) if user.operands[1].value[0] != "%" else None
                # The average of two is known to need no more bits.
                if not numbers or (made.op in _CARRYING and not (made.op == "add" and set(numbers) == {1})):
                    return True
            elif user.op not in _LOW_BITS:
                return True
            if user.name not in seen:
                seen.add(user.name)
                work.append(user)
        if len(seen) > _MOST_USERS:
            return True
    return False
