"""Types of LLVM assembly as text -> their parts, sizes and alignments (x86-64 and 32-bit data layout)."""

from __future__ import annotations

import re
from functools import lru_cache

from voltac.ir.scan import split_list
from voltac.records import mutable_record
from voltac.system.lazy_patterns import lazy_pattern

_VECTOR = lazy_pattern(r"<(\d+) x ([^<>]+|<.*>)>$")
_ARRAY = lazy_pattern(r"\[(\d+) x (.*)\]$", re.DOTALL)
_FLOAT_BYTES = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "x86_fp80": 16, "fp128": 16}


@lru_cache(maxsize=4096)
def vector_parts(type_text: str) -> tuple[int, str] | None:
    """``<8 x float>`` is ``(8, "float")``; None for what is no vector."""
    found = _VECTOR.match(type_text)
    return (int(found.group(1)), found.group(2)) if found else None


@lru_cache(maxsize=4096)
def lanes_of(type_text: str) -> int:
    """Lanes of a vector type, 0 for any other."""
    parts = vector_parts(type_text)
    return parts[0] if parts else 0


@lru_cache(maxsize=4096)
def element_of(type_text: str) -> str:
    """Element type of a vector type; any other type is its own element."""
    parts = vector_parts(type_text)
    return parts[1] if parts else type_text


@lru_cache(maxsize=4096)
def array_parts(type_text: str) -> tuple[int, str] | None:
    """``[4 x float]`` is ``(4, "float")``; None for what is no array."""
    found = _ARRAY.match(type_text)
    return (int(found.group(1)), found.group(2)) if found else None


@lru_cache(maxsize=4096)
def integer_bits(type_text: str) -> int:
    """Bits of an integer type, 0 for any other."""
    return int(type_text[1:]) if type_text[0] == "i" and type_text[1:].isdigit() else 0


@mutable_record
class DataLayout:
    """Sizes and offsets of types, given the named types of a module."""

    named: dict[str, str]
    """``%struct.S`` -> its body, such as ``{ i32, float }``."""
    pointer_bytes: int = 8
    natural: bool = True
    """Scalars are aligned to their size; where not, to four bytes at most."""

    def resolve(self, type_text: str) -> str:
        """The body of a named type; any other type as it is."""
        while type_text.startswith("%"):
            type_text = self.named[type_text]
        return type_text

    def members(self, type_text: str) -> tuple[list[str], bool]:
        """Member types of a struct and whether it is packed."""
        body = self.resolve(type_text)
        packed = body.startswith("<{")
        return split_list(body[2:-2] if packed else body[1:-1]), packed

    def alignment(self, type_text: str) -> int:
        """Bytes, by the ABI of the data layout."""
        body = self.resolve(type_text)
        if body == "ptr":
            return self.pointer_bytes
        bits = integer_bits(body)
        widest = 16 if self.natural else 4
        if bits:
            return min(widest, _power_of_two((bits + 7) // 8))
        if body in _FLOAT_BYTES:
            return min(widest, _FLOAT_BYTES[body])
        array = array_parts(body)
        if array:
            return self.alignment(array[1])
        if vector_parts(body):
            return _power_of_two(self.size(body))
        if body.startswith("<{"):
            return 1
        if body.startswith("{"):
            return max([1, *map(self.alignment, self.members(body)[0])])
        raise ValueError(f"no alignment is known for the type {type_text}")

    def size(self, type_text: str) -> int:
        """Bytes between consecutive elements of an array of this type (allocation size)."""
        body = self.resolve(type_text)
        if body == "ptr":
            return self.pointer_bytes
        bits = integer_bits(body)
        if bits:
            store = (bits + 7) // 8
            return _round_up(store, self.alignment(body))
        if body in _FLOAT_BYTES:
            return _FLOAT_BYTES[body]
        array = array_parts(body)
        if array:
            return array[0] * self.size(array[1])
        vector = vector_parts(body)
        if vector:
            element_bits = integer_bits(vector[1]) or self.size(vector[1]) * 8
            return _power_of_two((vector[0] * element_bits + 7) // 8)
        if body[0] in "<{":
            _, end = self._offsets(body)
            return end
        raise ValueError(f"no size is known for the type {type_text}")

    def member_offset(self, type_text: str, index: int) -> int:
        """Bytes from the beginning of a struct type."""
        return self._offsets(self.resolve(type_text))[0][index]

    def _offsets(self, body: str) -> tuple[list[int], int]:
        members, packed = self.members(body)
        offsets: list[int] = []
        end = 0
        largest = 1
        for member in members:
            alignment = 1 if packed else self.alignment(member)
            largest = max(largest, alignment)
            end = _round_up(end, alignment)
            offsets.append(end)
            end += self.size(member)
        return offsets, _round_up(end, largest)


def _round_up(value: int, to: int) -> int:
    return (value + to - 1) // to * to


def _power_of_two(value: int) -> int:
    return 1 << max(0, value - 1).bit_length()
