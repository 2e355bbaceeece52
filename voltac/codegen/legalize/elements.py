"""Single lanes of vectors, and vectors made of scalars lane by lane."""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Words
from voltac.codegen.legalize.shapes import Shape


def element(f: Legalizer, shape: Shape, columns: list[Words], lane: int) -> Words:
    """One lane of a vector, as the words of a scalar."""
    number, within = shape.place(lane)
    if within < 0:
        return columns[number]
    return [lane_of(f, shape, word, str(within)) for word in columns[number]]


def lane_of(f: Legalizer, shape: Shape, vector: str, lane: str) -> str:
    """One lane of a register, whose number may be known at run time only."""
    w = f.write
    if shape.element == "i1":
        bits = w.op("lshr", w.bitmap(vector), lane)
        return w.compare("ne", w.op("and", bits, 1), 0)
    word = w.lane(vector, lane, shape.kind(True))
    return w.pointer(word) if shape.element == "ptr" else word


def assembled(f: Legalizer, shape: Shape, lanes: list[Words]) -> Words:
    """A vector of these scalars."""
    made: Words = []
    at = 0
    for chunk in shape.chunks:
        if not chunk:
            made += lanes[at]
            at += 1
            continue
        row = lanes[at : at + f.width]
        at += f.width
        for word in range(shape.words):
            scalars = [each[word] for each in row]
            if shape.element == "i1":
                made.append(mask_of(f, scalars))
                continue
            if shape.element == "ptr":
                scalars = [each if each == "poison" else f.write.number(each) for each in scalars]
            made.append(f.write.gathered(scalars, shape.kind(True)))
    return made


def mask_of(f: Legalizer, scalars: Words) -> str:
    """A mask of these conditions."""
    w = f.write
    if len(set(scalars)) == 1:
        return "poison" if scalars[0] == "poison" else w.mask(w.to_all_bits(scalars[0], False))
    bits = ""
    for lane, scalar in enumerate(scalars):
        if scalar in ("poison", "false"):
            continue
        bit = w.op("shl", w.to_int(scalar, False), lane)
        bits = w.op("or", bits, bit) if bits else bit
    return w.mask(bits or "0")
