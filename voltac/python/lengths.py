"""The lengths of the arrays a call is given, against those the kernel needs (:mod:`voltac.sema.analyses.needed_elements`).

The entry point has the same tests as code (:mod:`voltac.python.entry_lengths`); what fails one of them comes here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from voltac.python.signatures import Needed, Signature, Sum


def value_of(sum_: Sum, numbers: Mapping[int, int]) -> int:
    """The value of a sum; ``numbers`` are the arguments by their parameters' numbers."""
    return sum(coefficient * prod(numbers[factor] for factor in factors) for coefficient, factors in sum_)


def is_missing(needed: Needed, numbers: Mapping[int, int], length: int) -> bool:
    """Whether the call uses an element that an array of ``length`` objects does not have."""
    index = value_of(needed.index, numbers)
    is_outside = index >= length if needed.below_end else index < 0
    return is_outside and all(value_of(extent, numbers) > 0 for extent in needed.extents)


def reason(needed: Needed, signature: Signature, numbers: Mapping[int, int]) -> str:
    """Why the element is needed: who uses it, or what the declaration says, and the numbers it follows from."""
    names = [parameter.name for parameter in signature.parameters]
    array = names[needed.parameter]
    index = value_of(needed.index, numbers)
    used = sorted({factor for _, factors in needed.index for factor in factors})
    given = ", ".join(f"{names[number]} is {numbers[number]}" for number in used)
    if needed.place:
        return f"{needed.place} uses {array}[{index}]" + (f" where {given}" if given else "")
    length = text_of(plus_one(needed.index), names)
    return f"it is declared {array}[{length}]" + (f", and {given}" if given else "")


def plus_one(sum_: Sum) -> Sum:
    """A length, from the index of its last element."""
    constant = 1 + sum(coefficient for coefficient, factors in sum_ if not factors)
    rest = tuple((coefficient, factors) for coefficient, factors in sum_ if factors)
    return (*rest, (constant, ())) if constant else rest


def text_of(sum_: Sum, names: Sequence[str]) -> str:
    """The sum as the language writes it."""
    text = ""
    for coefficient, factors in sum_:
        product = [names[factor] for factor in factors]
        if abs(coefficient) != 1 or not product:
            product.insert(0, str(abs(coefficient)))
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {' * '.join(product)}" if text else f"{'-' if sign == '-' else ''}{' * '.join(product)}"
    return text or "0"


def counted_arrays(signature: Signature) -> dict[int, list[int]]:
    """KernelParameter that is the length of arrays by their declarations -> the arrays."""
    found: dict[int, list[int]] = {}
    for needed in signature.needed:
        length = plus_one(needed.index)
        if not needed.place and len(length) == 1 and length[0][0] == 1 and len(length[0][1]) == 1:
            found.setdefault(length[0][1][0], []).append(needed.parameter)
    return found


def omissible(signature: Signature) -> list[int]:
    """The parameters at the end that Python's syntax lets a call leave out: with a default, or the length of arrays."""
    counted = counted_arrays(signature)
    found: list[int] = []
    for position in reversed(range(len(signature.parameters))):
        if position not in counted and not signature.parameters[position].has_default:
            break
        found.insert(0, position)
    return found
