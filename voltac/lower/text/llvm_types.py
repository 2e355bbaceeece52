"""Types of the language -> types of LLVM: the only place that maps one to the other.

A type has two forms. In a *register* a bool is ``i1``; in *memory* it is ``i8``,
and a uniform short vector is rounded up to its storage size. Values of struct
type have no register form: they are addresses of temporaries.

=====================  =========================  ================================
language               register                   memory
=====================  =========================  ================================
``uniform bool``       ``i1``                     ``i8``
``varying float``      ``<W x float>``            ``<W x float>``
``varying bool``       ``<W x i1>``               ``<W x i8>``
``uniform float<3>``   ``<3 x float>``            ``<4 x float>``
``varying float<3>``   ``[3 x <W x float>]``      ``[3 x <W x float>]``
slice pointer          ``{ ptr, i64 }``           ``{ ptr, i64 }``
struct                 (``ptr``)                  ``%struct.S``
=====================  =========================  ================================
"""

from __future__ import annotations

from voltac.lower.text.module_builder import ModuleBuilder
from voltac.sema.type_layout import Layout
from voltac.sema.types import (
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

_FLOATS = {16: "half", 32: "float", 64: "double"}
_ATOMIC_BYTES = 8
"""Of the widest number that atomics change."""


class TypeLayout:
    """Answers for one module; struct definitions are added to it when first needed."""

    def __init__(self, target: TargetInfo, module: ModuleBuilder) -> None:
        self.sizes = Layout(target)
        self.width = target.width
        self.architecture = target.architecture
        self.system = target.system
        self.is_device = target.is_device
        self.word = f"i{target.pointer_bits}"
        """The integer as wide as an address."""
        self.mask = f"<{self.width} x i1>"
        self.mask_storage = f"<{self.width} x i{target.mask_bits}>"
        self._module = module
        self._lanes: dict[object, str] = {}
        self._lanes_in_memory: dict[object, str] = {}
        self._alignments: dict[Qual, int] = {}
        self._registers: dict[Qual, str] = {}
        self._memory: dict[Qual, str] = {}
        self._members: dict[str, tuple[int, ...]] = {}
        self._struct_names: dict[tuple[int, object], str] = {}
        self._structs: list[Struct] = []

    def is_slice(self, qual: Qual) -> bool:
        """A pointer that carries the slot within an soa block."""
        return isinstance(qual.type, Pointer) and qual.type.to.rate.kind == "soa"

    def lane(self, type: object) -> str:
        """Register type of one lane of a scalar."""
        known = self._lanes.get(type)
        if known is None:
            known = self._lanes[type] = self._lane(type)
        return known

    def _lane(self, type: object) -> str:
        match type:
            case Scalar("bool", _):
                return "i1"
            case Scalar("float", bits):
                return _FLOATS[bits]
            case Scalar(_, bits):
                return f"i{bits}"
            case Enum():
                return "i32"
            case Pointer() | Reference() | FunctionType():
                return "ptr"
        raise ValueError(f"{type} is no scalar type")

    def lane_in_memory(self, type: object) -> str:
        """Type of one lane of a scalar as it lies in memory: bools are bytes."""
        known = self._lanes_in_memory.get(type)
        if known is None:
            lane = self.lane(type)
            known = self._lanes_in_memory[type] = "i8" if lane == "i1" else lane
        return known

    def alignment(self, qual: Qual) -> int:
        """In bytes, of an object; remembered."""
        known = self._alignments.get(qual)
        if known is None:
            known = self._alignments[qual] = self.sizes.alignment(qual)
        return known

    def object_alignment(self, qual: Qual) -> int:
        """Of a variable: on 32-bit x86, where one of 64 bits needs 4 bytes by C's rules, LLVM's atomics need 8."""
        alignment = self.alignment(qual)
        is_wider = self.architecture == "x86" and alignment < _ATOMIC_BYTES <= self.sizes.size(qual)
        return _ATOMIC_BYTES if is_wider else alignment

    def element_alignment(self, qual: Qual) -> int:
        """Alignment of one scalar of a scalar or short vector."""
        type = qual.type.element if isinstance(qual.type, Vector) else qual.type
        lane = self.lane_in_memory(type)
        size = {"half": 2, "float": 4, "double": 8, "ptr": self.sizes.pointer_bytes}.get(lane) or int(lane[1:]) // 8
        return min(size, 4) if self.architecture == "x86" else size

    def register(self, qual: Qual) -> str:
        """Type of a value: ``<W x T>`` if varying, the address of a struct or an array."""
        known = self._registers.get(qual)
        if known is None:
            known = self._registers[qual] = self._register(qual)
        return known

    def _register(self, qual: Qual) -> str:
        match qual.type:
            case Void():
                return "void"
            case Struct() | Array():
                return "ptr"
            case Vector(element, count):
                if qual.rate is VARYING:
                    return f"[{count} x {self.register(Qual(element, VARYING))}]"
                return f"<{count} x {self.lane(element)}>"
        if self.is_slice(qual):
            if qual.rate is VARYING:
                return f"{{ <{self.width} x ptr>, <{self.width} x {self.word}> }}"
            return f"{{ ptr, {self.word} }}"
        lane = self.lane(qual.type)
        return f"<{self.width} x {lane}>" if qual.rate is VARYING else lane

    def memory(self, qual: Qual) -> str:
        """Type of an object; structs are named types, defined at their first use."""
        known = self._memory.get(qual)
        if known is None:
            known = self._memory[qual] = self._in_memory(qual)
        return known

    def _in_memory(self, qual: Qual) -> str:
        match qual.type:
            case Void():
                return "i8"
            case Array(element, count):
                return f"[{count or 0} x {self.memory(element)}]"
            case Struct():
                return self._struct(qual)
            case Vector(element, count):
                if qual.rate.kind == "uniform":
                    one = self.lane_in_memory(element)
                    return f"<{self.sizes.size(qual) // self.sizes.scalar_bytes(element)} x {one}>"
                return f"[{count} x {self.memory(Qual(element, qual.rate))}]"
        if self.is_slice(qual):
            slots = qual.rate.width
            return f"{{ [{slots} x ptr], [{slots} x {self.word}] }}" if qual.rate.kind == "soa" else self.register(qual)
        lane = self.lane_in_memory(qual.type)
        if qual.rate is VARYING:
            return f"<{self.width} x {lane}>"
        if qual.rate.kind == "soa":
            return f"[{qual.rate.width} x {lane}]"
        return lane

    def member_index(self, struct: Qual, index: int) -> int:
        """Number of the LLVM struct's member that holds member ``index``: padding may stand before it."""
        return self._members[self.memory(struct)][index]

    def _struct(self, qual: Qual) -> str:
        struct = qual.type
        assert isinstance(struct, Struct)
        key = (id(struct), qual.rate)
        name = self._struct_names.get(key)
        if name is not None:
            return name
        suffix = {"uniform": "", "varying": ".varying", "soa": f".soa{qual.rate.width}"}.get(qual.rate.kind, "")
        plain = "".join(c if c.isalnum() else "." for c in struct.name) or "anonymous"
        name = f"%struct.{plain}{suffix}"
        serial = 0
        while name in self._module.types:
            serial += 1
            name = f"%struct.{plain}{suffix}.{serial}"
        self._struct_names[key] = name
        self._structs.append(struct)
        if struct.members is None:
            self._module.types[name] = "opaque"
            return name
        self._module.types[name] = ""
        members = [member_qual(qual, index) for index in range(len(struct.members))]
        texts = [self.memory(member) for member in members]
        offsets = self.sizes.offsets(qual)
        size = self.sizes.size(qual)
        if self._is_natural(members, offsets, size):
            self._members[name] = tuple(range(len(members)))
            self._module.types[name] = f"{{ {', '.join(texts)} }}" if texts else "{}"
            if not texts:
                self._module.types[name] = f"{{ [{size} x i8] }}"
            return name
        fields: list[str] = []
        indices: list[int] = []
        end = 0
        for text, member, offset in zip(texts, members, offsets):
            if offset > end:
                fields.append(f"[{offset - end} x i8]")
            indices.append(len(fields))
            fields.append(text)
            end = offset + self.sizes.size(member)
        if size > end:
            fields.append(f"[{size - end} x i8]")
        self._members[name] = tuple(indices)
        self._module.types[name] = f"<{{ {', '.join(fields)} }}>"
        return name

    def _is_natural(self, members: list[Qual], offsets: tuple[int, ...], size: int) -> bool:
        """Would LLVM lay the members out at these offsets by itself?"""
        end, widest = 0, 1
        for member, offset in zip(members, offsets):
            alignment = self._alignment_in_llvm(member)
            end = -(-end // alignment) * alignment
            if end != offset:
                return False
            end += self.sizes.size(member)
            widest = max(widest, alignment)
        return -(-end // widest) * widest == size

    def _alignment_in_llvm(self, qual: Qual) -> int:
        match qual.type:
            case Array(element, _):
                return self._alignment_in_llvm(element)
            case Struct() as struct:
                if self._module.types[self.memory(qual)].startswith("<{"):
                    return 1
                count = len(struct.members or ())
                return max((self._alignment_in_llvm(member_qual(qual, index)) for index in range(count)), default=1)
        return self.sizes.alignment(qual)
