"""Types of the language -> DWARF types (LLVM metadata), as the objects lie in memory.

===============================  ==============================================================
language                         DWARF
===============================  ==============================================================
``uniform int``                  base type
``varying float``                vector of W elements: gdb prints ``{1, 2, 3, ...}`` and computes with it
``varying T *``, ``varying E``   array of W pointers, of W enumerators
``uniform float<3>``             vector of 3 elements
``varying float<3>``             array of 3 vectors of W elements
``struct S``                     structure; one for each rate, named ``S``, ``varying S``, ``soa<8> S``
slice pointer                    structure of ``block`` and ``slot``
local ``varying bool``           W booleans as wide as the lanes of a mask, or bits: :meth:`DebugTypes.mask`; at -O0 bits
                                 are shown as bytes (``debug_info.py``)
===============================  ==============================================================
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.ir.strings import quoted
from voltac.lower.text.module_builder import ModuleBuilder
from voltac.sema.type_layout import Layout
from voltac.sema.types import (
    UNIFORM,
    VARYING,
    Array,
    Enum,
    FunctionType,
    Pointer,
    Qual,
    Reference,
    Scalar,
    Struct,
    Vector,
    Void,
    member_qual,
)
from voltac.target_info import TargetInfo

_ENCODINGS = {"bool": "DW_ATE_boolean", "int": "DW_ATE_signed", "uint": "DW_ATE_unsigned", "float": "DW_ATE_float"}


class DebugTypes:
    """The nodes of one module, each made when it is first needed."""

    def __init__(self, text: ModuleBuilder, sizes: Layout, target: TargetInfo) -> None:
        self._text = text
        self._sizes = sizes
        self._target = target
        self._known: dict[Qual, str] = {}
        self._mask = ""

    def of(self, qual: Qual) -> str:
        """The type of an object in memory: a node, or ``null`` for void."""
        qual = qual.with_const(False)
        known = self._known.get(qual)
        if known is None:
            if isinstance(qual.type, Struct):
                # A member may point to the struct itself.
                return self._struct(qual, qual.type)
            known = self._known[qual] = self._make(qual)
        return known

    def reference(self, pointer: Qual) -> str:
        """A reference, which is a pointer in the typed tree."""
        assert isinstance(pointer.type, Pointer)
        return self._pointing("DW_TAG_reference_type", pointer.type.to)

    def function(self, type: FunctionType) -> str:
        """Result and parameters, with no names."""
        quals = (type.result, *type.parameters)
        return self._node(f"!DISubroutineType(types: !{{{', '.join(map(self.of, quals))}}})")

    @property
    def mask(self) -> str:
        """Lanes in the form of masks: all bits of a lane set or none, or one bit a lane."""
        if not self._mask:
            width, bits = self._target.width, self._target.mask_bits
            if bits == 1:
                one = self._node('!DIBasicType(name: "bool", size: 1, encoding: DW_ATE_boolean)')
                count = self._node(f"!DISubrange(count: {width})")
                self._mask = self._node(
                    f"!DICompositeType(tag: DW_TAG_array_type, baseType: {one}, size: {width}, elements: !{{{count}}}, "
                    "bitStride: i64 1)"
                )
            else:
                names = [f'!DIEnumerator(name: "{name}", value: {value})' for name, value in (("false", 0), ("true", -1))]
                lane = self._node(
                    f"!DICompositeType(tag: DW_TAG_enumeration_type, size: {bits}, "
                    f"elements: !{{{', '.join(map(self._node, names))}}})"
                )
                self._mask = self._array(lane, width, width * bits, vector=False)
        return self._mask

    # --- one kind each

    def _make(self, qual: Qual) -> str:
        match qual.type:
            case Void():
                return "null"
            case Reference(to):
                return self._pointing("DW_TAG_reference_type", to)
            case Array(element, count):
                # An array has the rate of its element: there is no array for each lane.
                return self._array(self.of(element), count or 0, self._bits(qual), vector=False)
            case Vector(element, count):
                of = Qual(element, qual.rate)
                return self._array(self.of(of), count, self._bits(qual), vector=qual.rate is UNIFORM)
        lanes = {"varying": self._target.width, "soa": qual.rate.width}.get(qual.rate.kind, 0)
        match qual.type:
            case Scalar(kind, bits):
                one = self._node(f'!DIBasicType(name: "{_name(qual.type)}", size: {bits}, encoding: {_ENCODINGS[kind]})')
            case Enum() as enum:
                one = self._enum(enum)
            case Pointer(to):
                one = self._slice(to) if to.rate.kind == "soa" else self._pointing("DW_TAG_pointer_type", to)
                if lanes and to.rate.kind == "soa":
                    return self._rows_of_slices(to, lanes, qual)
            case FunctionType() as function:
                one = self.function(function)
            case _:
                raise TypeError(f"{qual} has no form in memory")
        if not lanes:
            return one
        return self._array(one, lanes, self._bits(qual), vector=isinstance(qual.type, Scalar) and qual.rate is VARYING)

    def _enum(self, enum: Enum) -> str:
        known = self._known.get(Qual(enum))
        if known is not None:
            return known
        names = [
            self._node(f"!DIEnumerator(name: {quoted(name)}, value: {value})")
            for name, value in ((name, value & 0xFFFF_FFFF) for name, value in enum.values.items())
        ]
        named = f"name: {quoted(enum.name)}, " if enum.name else ""
        return self._node(f"!DICompositeType(tag: DW_TAG_enumeration_type, {named}size: 32, elements: !{{{', '.join(names)}}})")

    def _pointing(self, tag: str, to: Qual) -> str:
        return self._node(f"!DIDerivedType(tag: {tag}, baseType: {self.of(to)}, size: {8 * self._sizes.pointer_bytes})")

    def _array(self, element: str, count: int, bits: int, *, vector: bool) -> str:
        flags = ", flags: DIFlagVector" if vector else ""
        subrange = self._node(f"!DISubrange(count: {count})")
        return self._node(
            f"!DICompositeType(tag: DW_TAG_array_type, baseType: {element}, size: {bits}{flags}, elements: !{{{subrange}}})"
        )

    def _slice(self, to: Qual) -> str:
        block = self._pointing("DW_TAG_pointer_type", to)
        return self._slice_of(to, block, self.of(Qual(self._word)), self._sizes.pointer_bytes)

    def _rows_of_slices(self, to: Qual, lanes: int, qual: Qual) -> str:
        """Slice pointers of all lanes: the blocks, then the slots."""
        bytes_ = lanes * self._sizes.pointer_bytes
        block = self._array(self._pointing("DW_TAG_pointer_type", to), lanes, 8 * bytes_, vector=False)
        return self._slice_of(to, block, self._array(self.of(Qual(self._word)), lanes, 8 * bytes_, vector=False), bytes_)

    @property
    def _word(self) -> Scalar:
        return Scalar("uint", 8 * self._sizes.pointer_bytes)

    def _slice_of(self, to: Qual, block: str, slot: str, bytes_: int) -> str:
        members = [self._member("block", block, 8 * bytes_, 0), self._member("slot", slot, 8 * bytes_, 8 * bytes_)]
        return self._structure(f"{to} *", 16 * bytes_, members)

    def _struct(self, qual: Qual, struct: Struct) -> str:
        prefix = "" if qual.rate is UNIFORM else f"{qual.rate} "
        name = prefix + struct.name if struct.name else ""
        if struct.members is None:
            node = f"!DICompositeType(tag: DW_TAG_structure_type, name: {quoted(name)}, flags: DIFlagFwdDecl)"
            self._known[qual] = self._node(node)
            return self._known[qual]
        number = self._text.metadata_placeholder()
        self._known[qual] = f"!{number}"
        offsets = self._sizes.offsets(qual)
        members = []
        for index, member in enumerate(struct.members):
            here = member_qual(qual, index)
            members.append(self._member(member.name, self.of(here), self._bits(here), 8 * offsets[index]))
        self._text.metadata[number] = self._structure_text(name, self._bits(qual), members)
        return self._known[qual]

    def _member(self, name: str, type: str, bits: int, offset: int) -> str:
        return self._node(
            f"!DIDerivedType(tag: DW_TAG_member, name: {quoted(name)}, baseType: {type}, size: {bits}, offset: {offset})"
        )

    def _structure(self, name: str, bits: int, members: Sequence[str]) -> str:
        return self._node(self._structure_text(name, bits, members))

    def _structure_text(self, name: str, bits: int, members: Sequence[str]) -> str:
        named = f"name: {quoted(name)}, " if name else ""
        elements = f"!{{{', '.join(members)}}}"
        return f"distinct !DICompositeType(tag: DW_TAG_structure_type, {named}size: {bits}, elements: {elements})"

    def _bits(self, qual: Qual) -> int:
        return 8 * self._sizes.size(qual)

    def _node(self, text: str) -> str:
        return self._text.metadata_node(text)


def _name(scalar: Scalar) -> str:
    """As it is written in the language; gdb knows 16 bits by C's name."""
    if scalar == Scalar("float", 16):
        return "_Float16"
    return str(scalar).replace("unsigned int", "uint")
