"""A bit of each lane at a place of its own, shifted down -> tested where it is, where lanes have no shifts of their own.

    %down = lshr <32 x i8> %x, <0, 1, ..., 7, 0, ...>          %set = and <32 x i8> %x, <1, 2, ..., 128, 1, ...>
    %bit = and <32 x i8> %down, splat (i8 1)            ->     %test = icmp ne <32 x i8> %set, zeroinitializer
                                                               %bit = zext <32 x i1> %test to <32 x i8>

x86 has no such shifts of bytes and, before AVX-512, none of 16 bits; LLVM makes a product for each. Bit maps are unpacked
so: ``(map[i >> 3] >> (i & 7)) & 1``. The counts are known from the formulas of lanes.
"""

from __future__ import annotations

from voltac.ir.constants import integers, written
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.ir.uses import Uses, uses_of
from voltac.options import Options
from voltac.target_info import TargetInfo

_SHIFTS = ("lshr", "ashr")
_CASTS = ("zext", "sext", "trunc")


def place_bit_tests(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        if any(_may_be_tested(each, options.target) for each in function.instructions()):
            _rewrite(function, lane_values(function, layout), options.target)


def _may_be_tested(made: Instruction, target: TargetInfo) -> bool:
    if made.op not in _SHIFTS or not lanes_of(made.type):
        return False
    bits = integer_bits(element_of(made.type))
    return bits == 8 or (bits == 16 and not target.has_avx512) or (bits in (32, 64) and not target.has_lane_shifts)


def _rewrite(function: Function, values: LaneValues, target: TargetInfo) -> None:
    uses, fresh = uses_of(function), function.fresh_names()
    for block in function.blocks:
        lines: list[Instruction] = []
        for made in block.instructions:
            counts = _counts(made, values) if _may_be_tested(made, target) else None
            if counts is None or not _is_bit(made.name, uses):
                lines.append(made)
                continue
            kind, value = made.type, made.operands[0].value
            bits, test = fresh("set"), fresh("test")
            lines.append(Instruction(f"  {bits} = and {kind} {value}, {written(kind, [1 << count for count in counts])}"))
            lines.append(Instruction(f"  {test} = icmp ne {kind} {bits}, zeroinitializer"))
            lines.append(Instruction(f"  {made.name} = zext <{lanes_of(kind)} x i1> {test} to {kind}"))
        block.instructions = lines


def _counts(made: Instruction, values: LaneValues) -> list[int] | None:
    """By how many bits each lane is shifted; None where that is not known, or the same for all."""
    count = made.operands[1]
    found = integers(count.type, count.value) if count.value[0] != "%" else None
    if found is None:
        known = values.of(count)
        found = known.offsets if known is not None and known.is_constant else None
    bits = integer_bits(element_of(made.type))
    return list(found) if found and len(set(found)) > 1 and all(0 <= each < bits for each in found) else None


def _is_bit(name: str, uses: Uses) -> bool:
    """Whether all that is used of a value is its lowest bit."""
    users = uses.of(name)
    return bool(users) and all(
        (user.op == "and" and set(integers(*user.operands[1]) or ()) == {1})
        or (user.op == "trunc" and element_of(user.type) == "i1")
        or (user.op in _CASTS and _is_bit(user.name, uses))
        for user in users
    )
