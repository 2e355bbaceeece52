"""What the arrays of a call have to be together: long enough, of one length where a length is left out, and apart.

The entry point has the same tests as code (:mod:`voltac.python.entry_lengths`, :mod:`voltac.python.entry_overlaps`);
what fails one of them comes here.
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.messages.visible import visible_name
from voltac.python.given_argument import OMITTED, GivenArgument
from voltac.python.lengths import counted_arrays, is_missing
from voltac.python.signatures import Signature


def fill_in(arguments: Sequence[GivenArgument], signature: Signature) -> list[GivenArgument]:
    """Give the omitted arguments their values, the lengths of arrays that are checked by now; ValueError if these differ."""
    filled = [argument for argument in arguments if argument.value is OMITTED]
    for argument in filled:
        name = visible_name(argument.parameter.name)
        arrays = [arguments[position] for position in counted_arrays(signature)[argument.number - 1]]
        lengths = {array.objects for array in arrays}
        if None in lengths:
            raise TypeError(f"{signature.name}() needs '{name}', as it gets an address of nobody knows how many elements")
        if len(lengths) > 1:
            found = ", ".join(f"'{array.parameter.name}' has {array.objects}" for array in arrays)
            raise ValueError(f"{signature.name}() needs '{name}', as arrays differ in length: {found}")
        argument.value = arrays[0].objects
    return filled


def check_lengths(arguments: Sequence[GivenArgument], signature: Signature) -> None:
    """ValueError if an array lacks an element that the call uses."""
    numbers = {position: argument.whole for position, argument in enumerate(arguments)}
    for needed in signature.needed:
        objects = arguments[needed.parameter].objects
        if objects is not None and is_missing(needed, numbers, objects):
            arguments[needed.parameter].refuse_length(needed, numbers, signature)


def check_overlaps(arguments: Sequence[GivenArgument], signature: Signature) -> None:
    """ValueError if arrays share memory that have to be apart; with ``copy=True`` what is only read of it becomes a copy."""
    for apart in signature.apart:
        written, other = arguments[apart.written], arguments[apart.other]
        if written.start is None or other.start is None or not (written.bytes and other.bytes):
            continue
        if apart.may_be_same and written.start == other.start:
            continue
        if written.start < other.start + other.bytes and other.start < written.start + written.bytes:
            other.refuse_overlap(written)
