"""Constants of LLVM assembly text -> Python numbers, lane by lane."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from voltac.ir.parts import Operand, parse_operand
from voltac.ir.scan import split_list
from voltac.ir.types import element_of, integer_bits, vector_parts

_WORDS = {"true": 1, "false": 0, "zeroinitializer": 0, "null": 0, "poison": 0, "undef": 0}


@lru_cache(maxsize=8192)
def integers(type_text: str, value: str) -> tuple[int, ...] | None:
    """The lanes of an integer constant as LLVM prints them (signed; i1 true is 1), one for a scalar.

    Poison and undef lanes read as 0, which is one of the values they may have.
    None for what is no plain constant.
    """
    vector = vector_parts(type_text)
    lanes, element = vector if vector else (1, type_text)
    if not integer_bits(element):
        return None
    if value[0] in "-0123456789":
        return (int(value),)
    if value in _WORDS:
        return (_WORDS[value],) * lanes
    if (scalar := splatted(value)) is not None:
        one = integers(*scalar)
        return one * lanes if one else None
    if value[0] == "<":
        found: list[int] = []
        for item in split_list(value[1:-1]):
            operand = parse_operand(item)
            one = integers(operand.type, operand.value)
            if one is None:
                return None
            found.append(one[0])
        return tuple(found)
    return None


def splatted(value: str) -> Operand | None:
    """``splat (i32 5)`` is ``i32 5``, in every lane; None for a constant that is not written so."""
    return parse_operand(value[len("splat (") : -1]) if value.startswith("splat (") else None


@lru_cache(maxsize=4096)
def shuffle_mask(value: str, lanes: int) -> tuple[int, ...] | None:
    """The lanes a shufflevector mask asks for; -1 for poison ones."""
    if value == "zeroinitializer":
        return (0,) * lanes
    if value in ("poison", "undef"):
        return (-1,) * lanes
    if (scalar := splatted(value)) is not None:
        return (int(scalar.value),) * lanes
    if value[0] != "<":
        return None
    items = [item.rpartition(" ")[2] for item in split_list(value[1:-1])]
    return tuple(-1 if item in ("poison", "undef") else int(item) for item in items)


def written(vector: str, numbers: Sequence[int]) -> str:
    """The lower bits of numbers, one for each lane, as a constant of a type of vectors."""
    element = element_of(vector)
    limit = 1 << (integer_bits(element) - 1)
    cut = [(number + limit) % (2 * limit) - limit for number in numbers]
    return f"splat ({element} {cut[0]})" if len(set(cut)) == 1 else f"<{', '.join(f'{element} {number}' for number in cut)}>"


def is_all_true(value: str) -> bool:
    """Whether a mask is the constant with every lane on."""
    if value in ("true", "splat (i1 true)"):
        return True
    return value.startswith("<") and "false" not in value and "%" not in value and "true" in value and "poison" not in value
