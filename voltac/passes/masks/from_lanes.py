"""Vectors of integers that are masks, 0 and -1 in each lane -> vectors of truth values.

    %live = phi <8 x i32> [ %l, %entry ], [ %still, %loop ]       %live = phi <8 x i1> [ %m, ... ], [ %s, ... ]
    %still = select <8 x i1> %m, <8 x i32> %live, <8 x i32> zeroinitializer
    %on = icmp slt <8 x i32> %live, zeroinitializer               %live itself

LLVM carries a mask so where the program once stored it. The lanes may then be of another width than what they select.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.constants import integers
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.ir.uses import remove_unused
from voltac.passes.masks.widths import is_mask

_KEEPING = frozenset(("phi", "select", "and", "or", "xor", "freeze"))
_ANY = m.value("lanes")
_ON = m.one_of(m.negative(_ANY), m.op("icmp", _ANY, m.number(0), predicate="ne"), m.op("trunc", _ANY))
_OFF = m.one_of(m.op("icmp", _ANY, m.number(-1), predicate="sgt"), m.op("icmp", _ANY, m.number(0), predicate="eq"))


def make_masks_of_lanes(function: Function) -> bool:
    """Rewrite a function; what uses the lanes as numbers takes sign extensions of the masks. False if nothing was there."""
    definitions = function.definitions()
    lanes = _masks_in_lanes(definitions)
    if all(definitions[name].op == "sext" for name in lanes):
        return False
    fresh = function.fresh_names()
    mask_of = {name: fresh("lanes.mask") for name, made in definitions.items() if name in lanes and made.op != "sext"}
    for name in lanes - mask_of.keys():
        mask_of[name] = definitions[name].operands[0].value
    same: dict[str, str] = {}
    for block in function.blocks:
        made: list[Instruction] = []
        extended: list[Instruction] = []
        for instruction in block.instructions:
            if instruction.name in lanes and instruction.op != "sext":
                made.append(_mask(instruction, mask_of))
                extension = Instruction(f"  {instruction.name} = sext {made[-1].type} {made[-1].name} to {instruction.type}")
                (extended if instruction.op == "phi" else made).append(extension)
                continue
            if extended and instruction.op != "phi":
                made += extended
                extended = []
            mask, inverts = _tested(instruction, definitions, mask_of)
            if mask and not inverts:
                same[instruction.name] = mask
                continue
            if mask:
                instruction.text = f"  {instruction.name} = xor {instruction.type} {mask}, splat (i1 true)"
            made.append(instruction)
        block.instructions[:] = made
    function.replace_uses(same)
    remove_unused(function, lanes)
    return True


def _masks_in_lanes(definitions: dict[str, Instruction]) -> set[str]:
    """Names of vectors that are 0 or -1 in each lane whatever they depend on."""
    found = {
        name
        for name, made in definitions.items()
        if (made.op in _KEEPING or (made.op == "sext" and element_of(made.operands[0].type) == "i1"))
        and " x i" in made.text
        and lanes_of(made.type)
        and integer_bits(element_of(made.type)) >= 8
    }
    while True:
        wrong = {
            name
            for name in found
            if definitions[name].op != "sext" and not all(_is_mask(each, found) for each in _values(definitions[name]))
        }
        if not wrong:
            return found
        found -= wrong


def _values(made: Instruction) -> list[Operand]:
    """What the lanes come from."""
    return made.operands[1:] if made.op == "select" else made.operands


def _is_mask(operand: Operand, found: set[str]) -> bool:
    if operand.value.startswith("%"):
        return operand.value in found
    numbers = integers(operand.type, operand.value)
    return numbers is not None and all(number in (0, -1) for number in numbers)


def _mask(made: Instruction, mask_of: dict[str, str]) -> Instruction:
    """The same of truth values."""
    count = lanes_of(made.type)
    bits = f"<{count} x i1>"

    def arm(operand: Operand) -> str:
        if operand.value in mask_of:
            return mask_of[operand.value]
        if operand.value in ("zeroinitializer", "poison", "undef"):
            return operand.value
        numbers = integers(operand.type, operand.value)
        assert numbers is not None, operand
        return f"<{', '.join('i1 true' if number else 'i1 false' for number in numbers)}>"

    name, values = mask_of[made.name], [arm(operand) for operand in _values(made)]
    if made.op == "phi":
        arms = ", ".join(f"[ {value}, %{label} ]" for value, label in zip(values, made.parts.labels))
        return Instruction(f"  {name} = phi {bits} {arms}")
    if made.op == "select":
        condition = made.operands[0]
        return Instruction(f"  {name} = select {condition.type} {condition.value}, {bits} {values[0]}, {bits} {values[1]}")
    return Instruction(f"  {name} = {made.op} {bits} {', '.join(values)}")


def _tested(instruction: Instruction, definitions: dict[str, Instruction], mask_of: dict[str, str]) -> tuple[str, bool]:
    """The mask that an instruction reads from lanes, and whether it inverts it; empty for another instruction."""
    if instruction.op in ("icmp", "trunc") and is_mask(instruction.type):
        for shape, inverts in ((_ON, False), (_OFF, True)):
            found = shape.find(instruction.name, definitions)
            if found is not None and found["lanes"].value in mask_of:
                return mask_of[found["lanes"].value], inverts
    return "", False
