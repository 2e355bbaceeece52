"""Sums of narrow elements, of which only the total counts: added up by the instructions that add neighbours.

%product = mul <16 x i32> (sext of <16 x i16> %a), (sext of %b)       pmaddwd: products of neighbours, added
%distance = abs <16 x i32> of zext <16 x i8> %a - zext of %b           psadbw: distances of eight neighbours, added
%one = zext <16 x i1> %test to <16 x i32>                              psadbw: what is counted
%product = mul <16 x i32> (zext of <16 x i8> %a), (sext of %b)         vpdpbusd: products of four neighbours, added to a sum
%s.next = add <16 x i32> %s, %product

Which lane a term is added to is not what the program says then. That is allowed where
every use of the sum ends in ``llvm.vector.reduce.add``, all lanes on.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import match as m
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Function, Instruction
from voltac.ir.types import element_of, lanes_of
from voltac.ir.uses import remove_unused, uses_of
from voltac.passes.loops.accumulators import Accumulator
from voltac.passes.loops.gang_loops import GangLoop
from voltac.records import record, replace
from voltac.target_info import TargetInfo

_PRODUCT = m.op("mul", m.value("first"), m.value("second"))
_DISTANCE = m.call("@llvm.abs.", m.op("sub", m.value("first"), m.value("second")))
_COUNTED = m.one_of(m.op("select", m.mask("test"), m.number(1), m.number(0)), m.op("zext", m.mask("test")))
"""The condition under which one is added."""
_CHOSEN = m.one_of(
    m.op("select", m.mask("test"), m.value("wide"), m.number(0)), m.op("select", m.mask("test"), m.number(0), m.value("wide"))
)
"""What is added under a condition."""


@record
class NarrowSum:
    """What is added to a sum in each iteration."""

    kind: str
    """``products`` of 16 bits, ``bytes``: products of unsigned with signed ones, or ``distances``."""
    first: str
    first_extension: str
    second: str
    """Empty for a sum of single elements."""
    second_extension: str
    first_bits: int
    second_bits: int

    @property
    def counts(self) -> bool:
        """Whether the elements are conditions."""
        return self.first_bits == 1

    @property
    def divisor(self) -> int:
        """Elements that are added up in one lane of the sum."""
        return 2 if self.kind == "products" else 4


def narrow_sums(function: Function, found: list[Accumulator], values: LaneValues, target: TargetInfo) -> dict[str, NarrowSum]:
    """By the names of the phis: those of the sums that can be made so."""
    if not target.is_x86:
        return {}
    made = {each.phi.name: _terms(each, values) for each in found if each.operation == "add" and element_of(each.type) == "i32"}
    if target.has_products_of_bytes:
        made = {name: _of_bytes(terms) for name, terms in made.items()}
    sums = {name: terms for name, terms in made.items() if terms is not None}
    return {name: terms for name, terms in sums.items() if only_total_counts(function, name)} if sums else {}


def _terms(accumulator: Accumulator, values: LaneValues) -> NarrowSum | None:
    term = accumulator.term
    if product := _PRODUCT.find(term, values.definitions):
        factors = [_narrow(operand.value, values) for operand in product.values()]
        if any(factor is None or factor[1:] == ("zext", 16) for factor in factors):
            return None
        first, second = (factor for factor in factors if factor is not None)
        return NarrowSum("products", first[0], first[1], second[0], second[1], first[2], second[2])
    if distance := _DISTANCE.find(term, values.definitions):
        sides = [_narrow(operand.value, values) for operand in distance.values()]
        if any(side is None or side[1:] != ("zext", 8) for side in sides):
            return None
        first, second = (side for side in sides if side is not None)
        return NarrowSum("distances", first[0], "zext", second[0], "zext", 8, 8)
    counted = _COUNTED.find(term, values.definitions)
    test = counted["test"].value if counted else ""
    if test.startswith("%") and _is_narrow_test(test, values):
        return NarrowSum("distances", test, "zext", "", "", 1, 1)
    single = _narrow(term, values)
    if single is None or single[1:] == ("zext", 16):
        return None
    kind = "distances" if single[1:] == ("zext", 8) else "products"
    return NarrowSum(kind, single[0], single[1], "", "", single[2], single[2])


def choose_before_extending(loop: GangLoop, values: LaneValues, target: TargetInfo) -> None:
    """``if (test) sum += byte;`` adds a chosen byte.

    %wide = zext <8 x i8> %byte to <8 x i32>                                     %chosen = select <8 x i1> %test, %byte, zeros
    %term = select <8 x i1> %test, <8 x i32> %wide, zeroinitializer        ->    %term = zext <8 x i8> %chosen to <8 x i32>
    %next = add <8 x i32> %s, %term
    """
    if not target.is_x86:
        return
    instructions, uses = loop.body.instructions, uses_of(loop.function)
    unused: set[str] = set()
    for phi in loop.carried:
        for change in uses.of(phi.name):
            if change.op != "add" or phi.type != f"<{loop.width} x i32>" or not any(each is change for each in instructions):
                continue
            term = next((operand.value for operand in change.operands if operand.value != phi.name), "")
            found = _CHOSEN.find(term, values.definitions)
            extended = m.made_by(("sext", "zext"), found["wide"].value, values.definitions) if found else None
            if (
                found is None
                or extended is None
                or _narrow(extended.name, values) is None
                or uses.count(term) != 1
                or not _is_narrow_test(found["test"].value, values)
                or not only_total_counts(loop.function, phi.name)
            ):
                continue
            choice = values.definitions[term]
            narrow = extended.operands[0]
            arms = [narrow.value if each.value == extended.name else "zeroinitializer" for each in choice.operands[1:]]
            name, test = loop.function.fresh_names()("chosen"), choice.operands[0]
            chosen = Instruction(
                f"  {name} = select {test.type} {test.value}, {narrow.type} {arms[0]}, {narrow.type} {arms[1]}"
            )
            unused.add(extended.name)
            values.definitions[name] = chosen
            choice.text = f"  {term} = {extended.op} {narrow.type} {name} to {phi.type}"
            instructions.insert(instructions.index(choice), chosen)
    remove_unused(loop.function, unused)


def _is_narrow_test(test: str, values: LaneValues) -> bool:
    """Whether a condition is made of comparisons of narrow elements alone."""
    seen: set[str] = set()
    work = [test]
    while work:
        name = work.pop()
        made = values.definitions.get(name)
        if name in seen or name[0] != "%":
            continue
        seen.add(name)
        if made is not None and made.op in ("and", "or", "xor", "select", "freeze"):
            work += [each.value for each in made.operands]
        elif made is None or made.op != "icmp" or element_of(made.operands[0].type) not in ("i8", "i16"):
            return False
    return True


def _of_bytes(terms: NarrowSum | None) -> NarrowSum | None:
    """The same by products of bytes, the unsigned ones first, where it is one of these."""
    if terms is None or terms.kind != "products" or (terms.first_bits, terms.second_bits) != (8, 8):
        return terms
    if (terms.first_extension, terms.second_extension) == ("zext", "sext"):
        return replace(terms, kind="bytes")
    if (terms.first_extension, terms.second_extension) == ("sext", "zext"):
        return NarrowSum("bytes", terms.second, "zext", terms.first, "sext", 8, 8)
    return terms


def _narrow(name: str, values: LaneValues) -> tuple[str, str, int] | None:
    """The narrow vector that is extended, how, and its bits."""
    made = m.made_by(("sext", "zext"), name, values.definitions)
    if made is None:
        return None
    source = made.operands[0]
    bits = {"i8": 8, "i16": 16}.get(element_of(source.type))
    return (source.value, made.op, bits) if bits and source.value.startswith("%") else None


def only_total_counts(function: Function, phi: str) -> bool:
    """Whether every value made of the phi is it plus something in each lane, and is only summed up in the end."""
    uses = uses_of(function)
    sums = {phi}
    work = [phi]
    seen: list[Instruction] = []
    while work:
        for user in uses.of(work.pop()):
            seen.append(user)
            if user.op == "call" and user.parts.callee.startswith("@llvm.vector.reduce.add."):
                continue
            if user.op not in ("phi", "add", "select", "freeze"):
                return False
            if user.name not in sums:
                sums.add(user.name)
                work.append(user.name)
    return all(_has_once(user, sums) for user in seen)


def _has_once(user: Instruction, sums: set[str]) -> bool:
    """Whether each lane of the result has each lane of the sum once."""
    among = [operand.value in sums for operand in user.operands]
    if user.op == "add":
        return among.count(True) == 1
    if user.op == "select":
        return among == [False, True, True]
    return True


def summed(
    terms: NarrowSum,
    sums: str,
    wide: int,
    names: dict[str, str],
    lines: list[Instruction],
    target: TargetInfo,
    fresh: Callable[[str], str],
) -> str:
    """``sums``, of ``wide / divisor`` lanes, with the terms of ``wide`` elements added by instructions after ``lines``."""

    def value(stem: str, text: str) -> str:
        name = fresh(stem)
        lines.append(Instruction(f"  {name} = {text}"))
        return name

    lane = "i16" if terms.kind == "products" else "i8"
    vectors: list[str] = []
    sides = ((terms.first, terms.first_extension, terms.first_bits), (terms.second, terms.second_extension, terms.second_bits))
    for name, extension, bits in sides:
        if not name:
            vectors.append("")
        elif lane == f"i{bits}":
            vectors.append(names[name])
        else:
            vectors.append(value("extended", f"{extension} <{wide} x i{bits}> {names[name]} to <{wide} x {lane}>"))
    size = int(lane[1:])
    register = min(_integer_register(target), wide * size)
    piece, lanes = register // size, register // 32
    vector = f"<{lanes} x i32>"
    pieces: list[str] = []
    for start in range(0, wide, piece):
        parts = [_part(each, lane, wide, start, piece, value) for each in vectors]
        before = _part(sums, "i32", wide // terms.divisor, start // terms.divisor, lanes, value)
        if terms.kind == "bytes":
            bytes_ = f"<{piece} x i8>"
            callee = f"@llvm.x86.avx512.vpdpbusd.{register}"
            pieces.append(value("sums", f"call {vector} {callee}({vector} {before}, {bytes_} {parts[0]}, {bytes_} {parts[1]})"))
        else:
            added = _neighbours_added(terms.kind, register, parts[0], parts[1], value)
            pieces.append(value("sums", f"add {vector} {before}, {added}"))
    while len(pieces) > 1:
        order = ", ".join(f"i32 {number}" for number in range(2 * lanes))
        vector = f"<{lanes} x i32>"
        pieces = [
            value("sums", f"shufflevector {vector} {one}, {vector} {two}, <{2 * lanes} x i32> <{order}>")
            for one, two in zip(pieces[::2], pieces[1::2])
        ]
        lanes *= 2
    return pieces[0]


def _integer_register(target: TargetInfo) -> int:
    if target.isa in ("avx", "avx1"):
        return 128
    return target.vector_bits


def _part(vector: str, lane: str, wide: int, start: int, piece: int, value: Callable[[str, str], str]) -> str:
    if not vector:
        return "splat (i16 1)" if lane == "i16" else "zeroinitializer"
    if piece == wide:
        return vector
    places = ", ".join(f"i32 {number}" for number in range(start, start + piece))
    whole = f"<{wide} x {lane}>"
    return value("part", f"shufflevector {whole} {vector}, {whole} poison, <{piece} x i32> <{places}>")


_PRODUCTS = {128: "sse2.pmadd.wd", 256: "avx2.pmadd.wd", 512: "avx512.pmaddw.d.512"}
_DISTANCES = {128: "sse2.psad.bw", 256: "avx2.psad.bw", 512: "avx512.psad.bw.512"}


def _neighbours_added(kind: str, register: int, first: str, second: str, value: Callable[[str, str], str]) -> str:
    sums = f"<{register // 32} x i32>"
    if kind == "products":
        vector = f"<{register // 16} x i16>"
        return value("pairs", f"call {sums} @llvm.x86.{_PRODUCTS[register]}({vector} {first}, {vector} {second})")
    vector, wide = f"<{register // 8} x i8>", f"<{register // 64} x i64>"
    # The upper halves of these sums are zero.
    added = value("distances", f"call {wide} @llvm.x86.{_DISTANCES[register]}({vector} {first}, {vector} {second})")
    return value("halves", f"bitcast {wide} {added} to {sums}")


def fewest_gangs(sums: dict[str, NarrowSum], filling: int) -> int:
    """How few gangs still fill a register of elements, of which ``filling`` do, and one of sums.

    Of 16 gangs of bytes up to 15 are left: in rows of 100 bytes they take longer one by one than the row before them.
    """
    return max(filling, *(each.divisor for each in sums.values()))


def enough(terms: NarrowSum, vector: str, wide: int) -> bool:
    """Whether the sums of a wide loop have at least the lanes of the gang's."""
    return wide // terms.divisor >= lanes_of(vector)
