"""What instructions of x86 add up of neighbouring members: bytes, their distances, 16-bit numbers and their products."""

from __future__ import annotations

from voltac.ir.types import element_of
from voltac.passes.members.member_bits import member_bits
from voltac.passes.members.member_trees import Node
from voltac.target_info import TargetInfo

EIGHT = 8
"""Bytes that ``psadbw`` adds up."""
_JOINS = frozenset(("or", "xor", "add"))
"""Alike for bits of which each is of one member."""


def kind_of(nodes: list[Node], operation: str, members: int, bits: int, target: TargetInfo) -> str:
    """``bits``, ``bytes`` (by eights), ``pairs`` of bytes, ``words``, or ``plain`` for what no instruction adds up.

    ``bits``: of the result.
    """
    if operation in _JOINS and len(nodes) == 1 and member_bits(nodes[0], members) is not None:
        return "bits"
    if operation != "add":
        return "plain"
    added = [bytes_added(node) for node in nodes]
    if bits > 8 and None not in added:
        if members >= EIGHT:
            return "bytes"
        if bits <= 32 and target.isa != "sse2" and all(each is not None and len(each) == 1 for each in added):
            return "pairs"
    return "words" if bits == 32 and None not in map(words_multiplied, nodes) else "plain"


def integer_register(target: TargetInfo) -> int:
    """Bits of a vector of integers."""
    return 128 if target.isa == "avx" else target.vector_bits


def bytes_added(node: Node) -> list[Node] | None:
    """The unsigned bytes that a node is made of, or two of which it is the distance."""
    made = node.instruction
    if made is None:
        return None
    if (byte := _byte(node)) is not None:
        return [byte]
    if made.op != "call" or not made.parts.callee.startswith("@llvm.abs."):
        return None
    inner = node.operands[0]
    if inner.instruction is None or inner.instruction.op != "sub":
        return None
    sides = [_byte(each) for each in inner.operands]
    return None if None in sides else [each for each in sides if each is not None]


def _byte(node: Node) -> Node | None:
    """What is extended by zeros."""
    made = node.instruction
    if node.kind != "op" or made is None or made.op != "zext" or element_of(made.operands[0].type) != "i8":
        return None
    return node.operands[0]


def words_multiplied(node: Node) -> tuple[Node, Node | None] | None:
    """The factors of a product, or one number."""
    made = node.instruction
    if made is None or node.kind != "op":
        return None
    if _is_word(node):
        return node, None
    if made.op != "mul" or not all(map(_is_word, node.operands)):
        return None
    first, second = node.operands
    return (second, first) if first.kind == "uniform" else (first, second)


def _is_word(node: Node) -> bool:
    """Whether it is a number that 16 bits hold with their sign."""
    made = node.instruction
    if node.kind == "uniform":
        return all(scalar[0] in "-0123456789" and -0x8000 <= int(scalar) < 0x8000 for scalar in node.scalars)
    if node.kind != "op" or made is None or made.op not in ("sext", "zext"):
        return False
    element = element_of(made.operands[0].type)
    return element == "i8" or (element == "i16" and made.op == "sext")
