"""Writes what is reduced of all members of structs: by instructions that add up neighbours, where there are some.

Bytes and their distances are added by eights (``psadbw``), bytes by twos (``pmaddubsw``), 16-bit numbers and their products by
twos (``pmaddwd``); what is a bit of each member is a comparison's mask (:mod:`voltac.passes.members.member_bits`). All else is
done register by register (:mod:`voltac.passes.members.lane_folds`).
"""

from __future__ import annotations

from voltac.ir.types import element_of, lanes_of
from voltac.passes.accesses.emit import Emitter
from voltac.passes.members.lane_folds import LaneFold
from voltac.passes.members.member_bits import member_bits, write_bits
from voltac.passes.members.member_reductions import Reduction
from voltac.passes.members.member_sums import EIGHT, bytes_added, integer_register, kind_of, words_multiplied
from voltac.passes.members.member_trees import Node
from voltac.passes.members.member_writer import MemberWriter
from voltac.target_info import TargetInfo

_DISTANCES = {128: "sse2.psad.bw", 256: "avx2.psad.bw", 512: "avx512.psad.bw.512"}
_PAIRS_OF_BYTES = {128: "ssse3.pmadd.ub.sw.128", 256: "avx2.pmadd.ub.sw", 512: "avx512.pmaddubs.w.512"}
_PAIRS_OF_WORDS = {128: "sse2.pmadd.wd", 256: "avx2.pmadd.wd", 512: "avx512.pmaddw.d.512"}


class ReductionWriter:
    """Of one reduction."""

    def __init__(self, reduction: Reduction, emit: Emitter, target: TargetInfo) -> None:
        self.reduction = reduction
        self.emit = emit
        self.target = target
        root = reduction.root
        self.lanes, self.bits = lanes_of(root.type), int(element_of(root.type)[1:])
        self.members = reduction.members
        self.register = integer_register(target)

    def write(self) -> None:
        """Where the root stands."""
        emit, root = self.emit, self.reduction.root
        attached = root.parts.metadata.get("dbg")
        emit.attachment = f", !dbg {attached}" if attached else ""
        kind = kind_of(self.reduction.nodes, self.reduction.operation, self.members, self.bits, self.target)
        value = {
            "bits": self._bits, "bytes": self._sums_of_eights, "pairs": self._sums_of_pairs, "words": self._sums_of_words,
            "plain": self._plain,
        }[kind]()  # fmt: skip
        for other in self.reduction.rest:
            value = self._operation(root.type, value, other)
        emit.alias(root.name, value)

    def _operation(self, type_text: str, first: str, second: str) -> str:
        operation, emit = self.reduction.operation, self.emit
        if operation[0] != "@":
            return emit.value("reduced", f"{operation} {type_text} {first}, {second}")
        callee = operation[: operation.rindex(".")] + f".v{lanes_of(type_text)}{element_of(type_text)}"
        emit.declarations.add(f"{type_text} {callee}({type_text}, {type_text})")
        return emit.value("reduced", f"call {type_text} {callee}({type_text} {first}, {type_text} {second})")

    def _bits(self) -> str:
        """Of members that are one bit each."""
        found = member_bits(self.reduction.nodes[0], self.members)
        assert found is not None
        value = write_bits(found, self.emit, self.members, self.lanes, self.register)
        if self.bits == self.members:
            return value
        to = f"<{self.lanes} x i{self.bits}>"
        return self.emit.value("bits", f"zext <{self.lanes} x i{self.members}> {value} to {to}")

    def _plain(self) -> str:
        """Registers full of the elements that are reduced."""
        count = self._count(self.bits)
        writer = MemberWriter(self.emit, self.members, count, self.lanes)
        return self._folded(
            [[writer.value(node, number) for node in self.reduction.nodes] for number in self._pieces(count)], self.bits, count
        )

    def _count(self, bits: int) -> int:
        """Elements of a register."""
        return min(self.register // bits, self.lanes * self.members)

    def _pieces(self, count: int) -> range:
        return range(self.lanes * self.members // count)

    def _folded(self, pieces: list[list[str]], bits: int, count: int, added: int = 1) -> str:
        """One vector of all lanes; of each piece the rows' values. ``added``: members that are one element already."""
        values = []
        for rows in pieces:
            value = rows[0]
            for row in rows[1:]:
                value = self._operation(f"<{count} x i{bits}>", value, row)
            values.append(value)
        fold = LaneFold(self.emit, bits, count, self._operation)
        registers = fold.fold(values, self.members // added)
        return fold.in_order(fold.narrow(registers, self.bits), self.lanes)

    def _sums_of_eights(self) -> str:
        count = self._count(8)
        return self._folded(
            [[self._distances(count, row) for row in piece] for piece in self._bytes(count)], 64, count // EIGHT, EIGHT
        )

    def _sums_of_pairs(self) -> str:
        count, ones, halves = self._count(8), "splat (i8 1)", "splat (i16 1)"
        pieces = [[self._neighbours(_PAIRS_OF_BYTES, 8, count, row[0], ones) for row in piece] for piece in self._bytes(count)]
        if self.bits == 16:
            return self._folded(pieces, 16, count // 2, 2)
        pieces = [[self._neighbours(_PAIRS_OF_WORDS, 16, count // 2, row, halves) for row in piece] for piece in pieces]
        return self._folded(pieces, 32, count // 4, 4)

    def _bytes(self, count: int) -> list[list[list[str]]]:
        """For each piece of so many, of each row: the bytes, or those whose distances are added."""
        writer = MemberWriter(self.emit, self.members, count, self.lanes)
        rows = [bytes_added(node) or [] for node in self.reduction.nodes]
        return [[[writer.value(side, number) for side in row] for row in rows] for number in self._pieces(count)]

    def _distances(self, count: int, row: list[str]) -> str:
        bytes_, sums, intrinsic = f"<{count} x i8>", f"<{count // EIGHT} x i64>", f"@llvm.x86.{_DISTANCES[8 * count]}"
        self.emit.declarations.add(f"{sums} {intrinsic}({bytes_}, {bytes_})")
        second = row[1] if len(row) > 1 else "zeroinitializer"
        return self.emit.value("sums", f"call {sums} {intrinsic}({bytes_} {row[0]}, {bytes_} {second})")

    def _neighbours(self, names: dict[int, str], bits: int, count: int, first: str, second: str) -> str:
        """Products of elements, two neighbours added."""
        given, sums, intrinsic = f"<{count} x i{bits}>", f"<{count // 2} x i{2 * bits}>", f"@llvm.x86.{names[bits * count]}"
        self.emit.declarations.add(f"{sums} {intrinsic}({given}, {given})")
        return self.emit.value("sums", f"call {sums} {intrinsic}({given} {first}, {given} {second})")

    def _sums_of_words(self) -> str:
        """Of products of signed 16-bit numbers."""
        count = self._count(16)
        writer = MemberWriter(self.emit, self.members, count, self.lanes)
        found = [words_multiplied(node) for node in self.reduction.nodes]
        pieces = []
        for number in self._pieces(count):
            rows = []
            for sides in found:
                assert sides is not None
                first, second = (self._word(side, writer, number, count) for side in sides)
                rows.append(self._neighbours(_PAIRS_OF_WORDS, 16, count, first, second))
            pieces.append(rows)
        return self._folded(pieces, 32, count // 2, 2)

    def _word(self, node: Node | None, writer: MemberWriter, number: int, count: int) -> str:
        """A factor as 16-bit numbers; None is 1."""
        if node is None:
            return "splat (i16 1)"
        if node.kind == "uniform":
            first = number * count
            known = [node.scalars[(first + at) % self.members] for at in range(count)]
            return "<" + ", ".join(f"i16 {scalar}" for scalar in known) + ">"
        made, inner = node.instruction, node.operands[0]
        assert made is not None
        value = writer.value(inner, number)
        if inner.element == "i16":
            return value
        return self.emit.value("word", f"{made.op} <{count} x i8> {value} to <{count} x i16>")
