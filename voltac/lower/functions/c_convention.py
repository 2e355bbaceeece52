"""The platform's C calling convention, for exported functions and ``extern "C"`` ones.

x86-64 and x86 (System V): small integers carry ``signext`` or ``zeroext``. On x86-64 a
struct of at most 16 bytes travels in registers, one for each eight bytes (SSE if they
hold floats only, else integer); a larger one, and any on x86, in memory (``sret``,
``byval``).

aarch64 (AAPCS64): the upper bits of small integers are anything. A struct of up to four
floats of one type travels in as many registers, another one of at most 16 bytes in
integer registers, all of it or nothing (an array, for LLVM); a larger one as the address
of a copy, results at an address given by the caller (``sret``). On macOS
the caller extends small integers to 32 bits.

Windows (x64): the upper bits of small integers are anything. A struct of 1, 2, 4 or 8 bytes travels in an integer
register, any other one as the address of a copy, results at an address given by the caller (``sret``).

RISC-V (lp64d): integers of 32 bits are extended with their sign, whether they have one or not. A struct of one or two
numbers of which one is a float travels in registers of their kinds, another one of at most 16 bytes in integer
registers; a larger one as the address of a copy, results at an address given by the caller (``sret``).

WebAssembly: a struct of one number travels as that number, any other one in memory (``sret``, ``byval``).

Devices: structs travel in memory.
"""

from __future__ import annotations

from voltac.lower.text.llvm_types import TypeLayout
from voltac.records import record
from voltac.sema.types import VARYING, Array, Enum, Pointer, Qual, Reference, Scalar, Struct, Vector, member_qual


@record
class Passing:
    """How one value crosses a C call."""

    type: str
    attributes: str = ""
    parts: tuple[str, ...] = ()
    """Registers of a struct; empty for everything else and for structs in memory."""
    part_bytes: int = 8
    """From one part of a struct to the next."""
    joined: str = ""
    """The array type in which the parts of an argument travel together."""
    in_memory: bool = False

    def __str__(self) -> str:
        return f"{self.type} {self.attributes}" if self.attributes else self.type


def passing(types: TypeLayout, qual: Qual, result: bool = False) -> Passing:
    """How an argument of a type travels, or with ``result`` a result; pointers are ``noalias`` as far as this knows."""
    match qual.type:
        case Struct():
            return _struct_passing(types, qual, result)
        case Scalar("bool", _) if qual.rate is VARYING:
            return Passing(types.memory(qual))
        case Scalar("bool", _):
            return Passing("i1", "zeroext" if types.architecture != "aarch64" or types.system == "macos" else "")
        case Scalar("int" | "uint" as kind, bits) if bits < 32 and qual.rate is not VARYING and _extends(types):
            return Passing(f"i{bits}", "signext" if kind == "int" else "zeroext")
        case Scalar("int" | "uint", 32) | Enum() if qual.rate is not VARYING and types.architecture == "riscv64":
            return Passing("i32", "signext")
        case Pointer(to) if qual.rate is not VARYING and not result and to.rate.kind != "soa" and not is_function(to):
            return Passing("ptr", "noalias")
        case Reference() if not result:
            return Passing("ptr", "noalias")
    return Passing(types.register(qual))


def _extends(types: TypeLayout) -> bool:
    """Whether integers of less than 32 bits are extended by whoever passes them."""
    if types.architecture == "aarch64":
        return types.system == "macos"
    return types.system != "windows"


def array_element(type: str) -> str:
    """``i64`` of ``[2 x i64]``."""
    return type[1:-1].partition(" x ")[2]


def is_function(qual: Qual) -> bool:
    """The type of a function, which is no data."""
    return type(qual.type).__name__ == "Function"


def _struct_passing(types: TypeLayout, qual: Qual, result: bool) -> Passing:
    size = types.sizes.size(qual)
    memory, alignment = types.memory(qual), types.sizes.alignment(qual)
    leaves: list[tuple[int, Scalar | None]] = []
    if types.architecture == "aarch64":
        if qual.rate is not VARYING:
            _leaves(types, qual, 0, leaves)
            if size <= 64 and (floats := _equal_floats(types, leaves, size)):
                return floats
        if size > 16 or qual.rate is VARYING:
            return Passing("ptr", f"sret({memory}) align {alignment}" if result else "", in_memory=True)
        parts = tuple(f"i{8 * min(8, size - start)}" for start in range(0, size, 8))
        return Passing(_together(parts), "", parts, joined="[2 x i64]" if len(parts) == 2 else "")
    if types.architecture == "riscv64":
        return _riscv_struct(types, qual, result)
    if types.architecture == "wasm32":
        if qual.rate is not VARYING:
            _leaves(types, qual, 0, leaves)
            if len(leaves) == 1 and size == _bytes(types, leaves[0][1]):
                return Passing(part := _register(types, leaves[0][1]), "", (part,))
        return Passing("ptr", f"{'sret' if result else 'byval'}({memory}) align {alignment}", in_memory=True)
    if types.is_device:
        return Passing("ptr", f"sret({memory}) align {alignment}" if result else "", in_memory=True)
    if types.system == "windows":
        if size not in (1, 2, 4, 8) or qual.rate is VARYING:
            return Passing("ptr", f"sret({memory}) align {alignment}" if result else "", in_memory=True)
        return Passing(f"i{8 * size}", "", (f"i{8 * size}",))
    if types.architecture == "x86":
        # The stack is aligned for words only.
        return Passing("ptr", f"sret({memory}) align {alignment}" if result else f"byval({memory}) align 4", in_memory=True)
    if size > 16 or qual.rate is VARYING:
        return Passing("ptr", f"{'sret' if result else 'byval'}({memory}) align {alignment}", in_memory=True)
    _leaves(types, qual, 0, leaves)
    parts = tuple(_eightbyte(types, leaves, start, min(8, size - start)) for start in range(0, size, 8))
    return Passing(_together(parts), "", parts)


def _riscv_struct(types: TypeLayout, qual: Qual, result: bool) -> Passing:
    size, alignment = types.sizes.size(qual), types.sizes.alignment(qual)
    if size > 16 or qual.rate is VARYING:
        return Passing("ptr", f"sret({types.memory(qual)}) align {alignment}" if result else "", in_memory=True)
    leaves: list[tuple[int, Scalar | None]] = []
    _leaves(types, qual, 0, leaves)
    floats = [scalar for _, scalar in leaves if scalar is not None and scalar.kind == "float"]
    if floats and len(leaves) <= 2:
        parts = tuple(_register(types, scalar) for _, scalar in leaves)
        return Passing(_together(parts), "", parts, leaves[-1][0] or 8)
    if alignment == 16:
        return Passing("i128", "", ("i128",), 16)
    parts = tuple(f"i{8 * min(8, size - start)}" for start in range(0, size, 8))
    return Passing(_together(parts), "", parts)


def _register(types: TypeLayout, scalar: Scalar | None) -> str:
    """The type of a member that travels by itself; None stands for a pointer, which is an address."""
    return f"i{8 * types.sizes.pointer_bytes}" if scalar is None else types.lane_in_memory(scalar)


def _bytes(types: TypeLayout, scalar: Scalar | None) -> int:
    return types.sizes.pointer_bytes if scalar is None else types.sizes.scalar_bytes(scalar)


def _together(parts: tuple[str, ...]) -> str:
    """The result made of these registers."""
    return "void" if not parts else parts[0] if len(parts) == 1 else f"{{ {', '.join(parts)} }}"


def _equal_floats(types: TypeLayout, leaves: list[tuple[int, Scalar | None]], size: int) -> Passing | None:
    """A struct of one to four floats of one type and nothing else, not even padding."""
    first = leaves[0][1] if leaves else None
    if first is None or first.kind != "float" or len(leaves) > 4 or any(scalar != first for _, scalar in leaves):
        return None
    if size != len(leaves) * first.bits // 8:
        return None
    parts = (types.lane(first),) * len(leaves)
    return Passing(_together(parts), "", parts, first.bits // 8, f"[{len(parts)} x {parts[0]}]" if len(parts) > 1 else "")


def _eightbyte(types: TypeLayout, leaves: list[tuple[int, Scalar | None]], start: int, size: int) -> str:
    held = [(offset, scalar) for offset, scalar in leaves if start <= offset < start + 8]
    floats = [scalar for _, scalar in held if scalar is not None and scalar.kind == "float"]
    if not held or len(floats) < len(held):
        return f"i{size * 8}"
    widest = max(scalar.bits for scalar in floats)
    if len(floats) == 1:
        return types.lane(floats[0])
    return f"<{max(2, size * 8 // widest)} x {types.lane(Scalar('float', widest))}>"


def _leaves(types: TypeLayout, qual: Qual, offset: int, out: list[tuple[int, Scalar | None]]) -> None:
    """Scalars of an object with their offsets; None stands for pointers."""
    match qual.type:
        case Struct() as struct:
            for index, start in enumerate(types.sizes.offsets(qual)):
                _leaves(types, member_qual(qual, index), offset + start, out)
            del struct
        case Array(element, count):
            size = types.sizes.size(element)
            for number in range(count or 0):
                _leaves(types, element, offset + number * size, out)
        case Vector(scalar, count):
            out += [(offset + number * types.sizes.scalar_bytes(scalar), scalar) for number in range(count)]
        case Scalar() as scalar:
            out.append((offset, scalar))
        case Enum():
            out.append((offset, Scalar("uint", 32)))
        case _:
            out.append((offset, None))
