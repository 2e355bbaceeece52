"""Sizes, alignments and member offsets in bytes, as the language promises them (language 5.2, 5.8, 5.10, 12.1)."""

from __future__ import annotations

from voltac.sema.types import (
    UNBOUND,
    UNIFORM,
    VARYING,
    Array,
    Enum,
    FunctionType,
    Pointer,
    Qual,
    Reference,
    Scalar,
    Struct,
    Vector,
    Void,
    member_qual,
)
from voltac.target_info import TargetInfo

_MACHINE_VECTOR_BYTES = 16
"""The narrowest vector register of a target: shorter vectors take as much."""


class Layout:
    """Answers for one target. Incomplete types raise ValueError."""

    def __init__(self, target: TargetInfo) -> None:
        self.width = target.width
        self.pointer_bytes = target.pointer_bits // 8
        self._most_aligned = 4 if target.architecture == "x86" else 16
        """Alignment of uniform scalars is no more than this."""
        self._structs: dict[tuple[int, str], tuple[int, int, tuple[int, ...]]] = {}

    def size(self, qual: Qual) -> int:
        """Bytes of an object in memory."""
        return self._size_and_alignment(qual)[0]

    def alignment(self, qual: Qual) -> int:
        """Bytes, as in memory."""
        return self._size_and_alignment(qual)[1]

    def offsets(self, struct: Qual) -> tuple[int, ...]:
        """Byte offset of each member of a struct at the rate of ``struct``."""
        return self._struct(struct)[2]

    def scalar_bytes(self, type: object) -> int:
        """Bytes of one lane of a scalar, enum or pointer."""
        match type:
            case Scalar(_, bits):
                return bits // 8
            case Enum():
                return 4
            case Pointer() | Reference() | FunctionType():
                return self.pointer_bytes
        raise ValueError(f"{type} is no scalar type")

    def _size_and_alignment(self, qual: Qual) -> tuple[int, int]:
        lanes = self.width if qual.rate == VARYING else 1
        # Within soa data every scalar is a row of as many as a block holds, aligned like one.
        slots = qual.rate.width if qual.rate.kind == "soa" else 1
        match qual.type:
            case Scalar() | Enum() | FunctionType():
                bytes_ = self.scalar_bytes(qual.type) * lanes
                return bytes_ * slots, bytes_ if qual.rate == VARYING else min(bytes_, self._most_aligned)
            case Pointer(to):
                # A slice pointer is a block address and a slot number of the same size.
                bytes_ = self.pointer_bytes * lanes
                return bytes_ * slots * (2 if to.rate.kind == "soa" else 1), bytes_
            case Reference():
                return self.pointer_bytes, self.pointer_bytes
            case Vector(element, count):
                one = self.scalar_bytes(element)
                if qual.rate.kind == "soa":
                    return one * slots * count, min(one, self._most_aligned)
                if qual.rate == VARYING:
                    return one * lanes * count, one * lanes
                rounded = max(1 << (count - 1).bit_length(), _MACHINE_VECTOR_BYTES // one)
                return one * rounded, one * rounded
            case Array(of, count):
                if count is None:
                    raise ValueError(f"{qual} has no known size")
                size, alignment = self._size_and_alignment(of)
                return size * count, alignment
            case Struct():
                size, alignment, _ = self._struct(qual)
                return size, alignment
            case Void():
                return 1, 1
        raise ValueError(f"{qual} has no size")

    def _struct(self, qual: Qual) -> tuple[int, int, tuple[int, ...]]:
        struct = qual.type
        assert isinstance(struct, Struct)
        if struct.members is None:
            raise ValueError(f"{struct} is declared but not defined")
        key = (id(struct), str(qual.rate))
        known = self._structs.get(key)
        if known is not None:
            return known
        rate = UNIFORM if qual.rate == UNBOUND else qual.rate
        offset, widest, offsets = 0, max(1, struct.alignment), []
        for index in range(len(struct.members)):
            size, alignment = self._size_and_alignment(member_qual(Qual(struct, rate), index))
            offset = -(-offset // alignment) * alignment
            offsets.append(offset)
            offset += size
            widest = max(widest, alignment)
        # As in C++, an object without members takes a byte: two of them have two addresses.
        size = -(-(offset if struct.members else 1) // widest) * widest
        self._structs[key] = (size, widest, tuple(offsets))
        return self._structs[key]
