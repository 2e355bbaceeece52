"""A bit for each member of a struct, put together -> the comparison of all members at once, taken as the number that it is.

%r = or (shl (select (icmp ugt %m_0, 60), 1, 0), 0), (shl (select (icmp ugt %m_1, 60), 1, 0), 1), ...   of 8 members
->
%test = icmp ugt <32 x i8> %all, splat (i8 60)
%r = bitcast <32 x i1> %test to <4 x i8>                      of four lanes: vpmovmskb
"""

from __future__ import annotations

from voltac.ir.types import element_of, lanes_of
from voltac.passes.accesses.emit import Emitter
from voltac.passes.members.member_trees import Node
from voltac.passes.members.member_writer import MemberWriter
from voltac.records import record

_WIDTHS = (8, 16, 32, 64)
"""Members that make an integer of their own."""
_MOST_BITS = 64
"""Of an integer: a shift by more is of another program."""


@record
class MemberBits:
    """What gives the bits."""

    test: Node
    """A truth value, or a number whose lowest bit it is."""
    places: tuple[int, ...]
    """Of each member, its bit."""


def member_bits(node: Node, members: int) -> MemberBits | None:
    """Of a node that has for each member nothing or a power of two, each of them once; None for any other."""
    found = _weights(node, members)
    if found is None or members not in _WIDTHS:
        return None
    test, weights = found
    places = tuple(weight.bit_length() - 1 for weight in weights)
    return MemberBits(test, places) if sorted(weights) == [1 << place for place in range(members)] else None


def _weights(node: Node, members: int) -> tuple[Node, tuple[int, ...]] | None:
    """A condition, and what each member is where it is true; 0 where it is not."""
    made = node.instruction
    if node.kind != "op" or made is None:
        return None
    if made.op == "select" and node.operands[0].kind == "op":
        values, zeros = (_numbers(each) for each in node.operands[1:])
        return (node.operands[0], values) if values is not None and zeros == (0,) * members else None
    if made.op == "zext" and element_of(made.operands[0].type) == "i1":
        return node.operands[0], (1,) * members
    if made.op in ("zext", "trunc"):
        found = _weights(node.operands[0], members)
        limit = 1 << int(node.element[1:])
        return found if found is not None and max(found[1]) < limit else None
    if made.op == "and":
        for one, other in (node.operands, reversed(node.operands)):
            if one.kind in ("op", "load") and _numbers(other) == (1,) * members:
                return one, (1,) * members
    if made.op in ("shl", "mul"):
        factors = _numbers(node.operands[1])
        found = _weights(node.operands[0], members)
        if factors is None or found is None or min(factors) < 0 or (made.op == "shl" and max(factors) >= _MOST_BITS):
            return None
        weights = tuple(
            weight << factor if made.op == "shl" else weight * factor for weight, factor in zip(found[1], factors, strict=True)
        )
        return (found[0], weights) if max(weights) < 1 << int(node.element[1:]) else None
    return None


def _numbers(node: Node) -> tuple[int, ...] | None:
    """What is the same in all lanes, as unsigned numbers; None where it is not known."""
    if node.kind != "uniform" or any(scalar[0] not in "-0123456789" for scalar in node.scalars):
        return None
    return tuple(int(scalar) % (1 << int(node.element[1:])) for scalar in node.scalars)


def write_bits(bits: MemberBits, emit: Emitter, members: int, lanes: int, register: int) -> str:
    """A vector of integers of as many bits as members; ``register``: bits of one."""
    test = bits.test
    compared = test.element if test.element != "i1" else _compared(test)
    count = min(max(members, register // int(compared[1:])), members * lanes)
    writer = MemberWriter(emit, members, count, lanes)
    pieces = members * lanes // count
    words, order = "poison", [0] * count
    for at in range(count):
        order[at - at % members + bits.places[at % members]] = at
    for number in range(pieces):
        value = writer.value(test, number)
        # Lanes that are off may have anything, but lanes that share a word must not have poison from each other.
        if test.element == "i1" and order == list(range(count)):
            value = emit.value("known", f"freeze <{count} x i1> {value}")
        else:
            # Whole elements change places, not truth values, of which LLVM makes wider ones first.
            whole = f"<{count} x {compared}>"
            if test.element == "i1":
                value = emit.value("wide", f"sext <{count} x i1> {value} to {whole}")
            value = emit.value("known", f"freeze {whole} {value}")
            if order != list(range(count)):
                value = emit.shuffle(whole, value, "poison", order)
            lowest = f"icmp slt {whole} {value}, zeroinitializer", f"trunc {whole} {value} to <{count} x i1>"
            value = emit.value("lowest", lowest[test.element != "i1"])
        word = emit.value("word", f"bitcast <{count} x i1> {value} to i{count}")
        words = emit.value("words", f"insertelement <{pieces} x i{count}> {words}, i{count} {word}, i64 {number}")
    return emit.value("bits", f"bitcast <{pieces} x i{count}> {words} to <{lanes} x i{members}>")


def _compared(test: Node) -> str:
    """The type of which a truth value is."""
    work = [test]
    while work:
        node = work.pop()
        made = node.instruction
        if made is not None and made.op in ("icmp", "fcmp") and lanes_of(made.operands[0].type):
            element = element_of(made.operands[0].type)
            return {"float": "i32", "double": "i64", "half": "i16"}.get(element, element)
        work += node.operands
    return "i8"
