"""The tests of :mod:`voltac.python.lengths` as LLVM text: what is not long enough goes the slow way, which says so."""

from __future__ import annotations

from collections.abc import Sequence

from voltac.python.conventions import Convention
from voltac.python.entry_names import MOST
from voltac.python.entry_values import EntryWriter
from voltac.python.lengths import counted_arrays
from voltac.python.signatures import Signature, Sum

_FITS = 1 << 62
"""Sums below this are found in 64 bits; the others take 128, which the analysis keeps to."""


def fill_in(out: EntryWriter, signature: Signature, convention: Convention) -> list[str]:
    """The values of all parameters; lengths whose bit in ``%omitted`` is set are those of their arrays, which have to agree."""
    values = [f"%v{position}" for position in range(len(signature.parameters))]
    for position in sorted({needed.parameter for needed in signature.needed}):
        _count_objects(out, position, signature)
    counted = counted_arrays(signature)
    for position, arrays in counted.items() if len(values) <= MOST else ():
        parameter, type_ = signature.parameters[position], convention.parameters[position][0]
        length = f"%objects{arrays[0]}"
        out.put(f"%bit{position} = and i64 %omitted, {1 << position}")
        out.put(f"%is.given{position} = icmp eq i64 %bit{position}, 0")
        most = (1 << parameter.range_bits - (parameter.kind == "int")) - 1
        out.put(f"%agrees{position}.0 = icmp ule i64 {length}, {min(most, (1 << 63) - 1)}")
        for number, array in enumerate(arrays[1:], 1):
            out.put(f"%same{position}.{number} = icmp eq i64 {length}, %objects{array}")
            out.put(f"%agrees{position}.{number} = and i1 %agrees{position}.{number - 1}, %same{position}.{number}")
        out.put(f"%usable{position} = or i1 %is.given{position}, %agrees{position}.{len(arrays) - 1}")
        out.require(f"%usable{position}")
        if type_ != "i64":
            out.put(f"%length.cut{position} = trunc i64 {length} to {type_}")
            length = f"%length.cut{position}"
        values[position] = f"%n.final{position}"
        out.put(f"{values[position]} = select i1 %is.given{position}, {type_} %v{position}, {type_} {length}")
    return values


def check_lengths(out: EntryWriter, signature: Signature, convention: Convention, values: Sequence[str]) -> None:
    """Go on if the arrays have all elements that are needed with the numbers in ``values``."""
    if not signature.needed:
        return
    sums = {needed.index for needed in signature.needed} | {one for needed in signature.needed for one in needed.extents}
    wide = "i64" if all(_most(one, signature) < _FITS for one in sums) else "i128"
    for position in sorted({factor for one in sums for _, factors in one for factor in factors}):
        parameter, type_ = signature.parameters[position], convention.parameters[position][0]
        extension = "sext" if parameter.kind == "int" else "zext"
        same = type_ == wide
        out.put(
            f"%n{position} = "
            + (f"add i64 0, {values[position]}" if same else f"{extension} {type_} {values[position]} to {wide}")
        )
    names = {one: _sum(out, number, one, wide) for number, one in enumerate(sorted(sums))}
    for position in sorted({needed.parameter for needed in signature.needed}):
        extended = f"add i64 0, %objects{position}" if wide == "i64" else f"zext i64 %objects{position} to i128"
        out.put(f"%length{position} = {extended}")
    fine = []
    for number, needed in enumerate(signature.needed):
        index = names[needed.index]
        test = f"slt {wide} {index}, %length{needed.parameter}" if needed.below_end else f"sge {wide} {index}, 0"
        out.put(f"%inside{number} = icmp {test}")
        result = f"%inside{number}"
        for place, extent in enumerate(needed.extents):
            out.put(f"%empty{number}.{place} = icmp sle {wide} {names[extent]}, 0")
            out.put(f"%fine{number}.{place} = or i1 {result}, %empty{number}.{place}")
            result = f"%fine{number}.{place}"
        fine.append(result)
    result = fine[0]
    for number, other in enumerate(fine[1:]):
        out.put(f"%enough{number} = and i1 {result}, {other}")
        result = f"%enough{number}"
    out.require(result)


def _most(sum_: Sum, signature: Signature) -> int:
    return sum(
        abs(coefficient) << sum(signature.parameters[factor].range_bits for factor in factors) for coefficient, factors in sum_
    )


def _sum(out: EntryWriter, number: int, sum_: Sum, wide: str) -> str:
    """The name of the sum's value."""
    total = "0"
    for place, (coefficient, factors) in enumerate(sum_):
        product = str(coefficient)
        for step, factor in enumerate(factors):
            out.put(f"%product{number}.{place}.{step} = mul {wide} {product}, %n{factor}")
            product = f"%product{number}.{place}.{step}"
        out.put(f"%sum{number}.{place} = add {wide} {total}, {product}")
        total = f"%sum{number}.{place}"
    return total


def _count_objects(out: EntryWriter, position: int, signature: Signature) -> None:
    """``%objects<position>`` becomes the number of the array's objects."""
    memory = signature.parameters[position].memory
    assert memory is not None
    elements = out.element_count(position)
    out.put(
        f"%objects{position} = " + (f"udiv i64 {elements}, {memory.count}" if memory.count > 1 else f"add i64 0, {elements}")
    )
