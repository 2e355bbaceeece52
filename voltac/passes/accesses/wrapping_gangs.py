"""Accesses of one gang by indices that may wrap around between two lanes -> a test, and the accesses for both cases.

%index = zext <8 x i32> %sum to <8 x i64>        %first = extractelement <8 x i32> %sum, i64 0
%v = gather at %index                       ->   br i1 (%first <= 2 ** 32 - 8), label %even, label %wrapping
                                                 even:      %v.0 = gather at zext(%first) + <0 .. 7>
                                                 wrapping:  %v.1 = gather at %index
                                                 and %v is one of the two
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.lane_values import LaneValues
from voltac.ir.marks import WRAPPING
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.passes.accesses.access import pseudo_operation
from voltac.records import mutable_record

_MOST_INSTRUCTIONS = 120
"""Of a stretch that is copied."""
_ADDRESSES = frozenset(("getelementptr", "add", "sub", "mul", "shl", "zext", "sext", "freeze"))


@mutable_record
class _Stretch:
    """Accesses of a block, and all between them."""

    first: int
    last: int
    extensions: dict[str, Instruction]
    addresses: dict[str, Instruction]
    """What is computed from the extensions, in order; the last of each are the pointers."""


def split_blocks(function: Function, values: LaneValues, extensions: dict[str, Instruction], left: set[str]) -> bool:
    """Split all blocks but those of names in ``left``; whether there was any to split."""
    fresh = function.fresh_names()
    changed = False
    for block in list(function.blocks):
        while block.name not in left and (stretch := _stretch(block, values, extensions)) is not None:
            rest = _split(function, block, stretch, values, fresh)
            changed = True
            block = rest
    return changed


def _stretch(block: Block, values: LaneValues, extensions: dict[str, Instruction]) -> _Stretch | None:
    """The first accesses that a test before them makes regular."""
    place = {made.name: index for index, made in enumerate(block.instructions) if made.name}
    found: _Stretch | None = None
    for index, instruction in enumerate(block.instructions):
        if not pseudo_operation(instruction):
            continue
        chain = _chain(instruction.operands[-2].value, values, extensions)
        if chain is None:
            continue
        used = {name: made for name, made in chain.items() if name in extensions}
        if not all(_limit(made, values) is not None for made in used.values()):
            continue
        if found is None:
            found = _Stretch(index, index, used, chain)
            continue
        # What is tested has to be there before the first access.
        sources = [operand.value for made in chain.values() for operand in made.operands if operand.value not in chain]
        late = any(place.get(name, -1) >= found.first for name in sources)
        if late or index - found.first > _MOST_INSTRUCTIONS:
            break
        found.last = index
        found.extensions |= used
        found.addresses |= chain
    return found


def _chain(pointer: str, values: LaneValues, extensions: dict[str, Instruction]) -> dict[str, Instruction] | None:
    """The irregular values from the extensions to a pointer; None if anything else makes it irregular."""
    found: dict[str, Instruction] = {}
    pending, seen = [pointer], {pointer}
    while pending:
        name = pending[-1]
        made = values.definitions.get(name)
        if made is None:
            return None  # a parameter
        if name in found or not _is_irregular(made.type, name, values):
            pending.pop()
            continue
        if name not in extensions:
            if made.op not in _ADDRESSES:
                return None
            missing = [
                operand.value
                for operand in made.operands
                if operand.value[0] == "%" and operand.value not in found and _is_irregular(operand.type, operand.value, values)
            ]
            if missing:
                # One that was seen and is missing still is nothing that could be written anew: part of an aggregate, a cycle.
                if len(pending) > _MOST_INSTRUCTIONS or not seen.isdisjoint(missing):
                    return None
                pending += missing
                seen.update(missing)
                continue
            by_known = made.op != "mul" or any(operand.value[0] != "%" for operand in made.operands)
            if not by_known or not any(operand.value in found for operand in made.operands):
                return None
        found[name] = made
        pending.pop()
    return found or None


def _is_irregular(type_text: str, name: str, values: LaneValues) -> bool:
    return bool(lanes_of(type_text)) and values.value(type_text, name) is None


def _limit(extension: Instruction, values: LaneValues) -> tuple[int, int] | None:
    """The lane with the least number, and the greatest number it may have; None where that is no use."""
    operand = extension.operands[0]
    inner = values.of(operand)
    if inner is None:
        return None
    least = min(inner.offsets)
    bits = integer_bits(element_of(operand.type)) - (extension.op == "sext")
    limit = (1 << bits) - 1 - (max(inner.offsets) - least)
    return (inner.offsets.index(least), limit) if limit > 0 else None


def _split(function: Function, block: Block, stretch: _Stretch, values: LaneValues, fresh: Callable[[str], str]) -> Block:
    """The block that the rest of the instructions are in."""
    even, wrapping, rest = (Block(fresh(f"{_plain('%' + block.name)}.{part}")[1:], []) for part in ("even", WRAPPING, "done"))
    for each in (even, wrapping, rest):
        each.label_line = f"{each.name}:"
    body = block.instructions[stretch.first : stretch.last + 1]
    rest.instructions = block.instructions[stretch.last + 1 :]
    head = block.instructions[: stretch.first]
    test, renamed = _tests(stretch, values, head, even, fresh)
    head.append(Instruction(f"  br i1 {test}, label %{even.name}, label %{wrapping.name}"))
    block.instructions = head
    named = [made for made in body if made.name]
    names = [{made.name: fresh(f"{_plain(made.name)}.{part}") for made in named} for part in ("even", WRAPPING)]
    names[0] |= renamed
    for copy, new_names in ((even, names[0]), (wrapping, names[1])):
        for instruction in body:
            if copy is even and instruction.name in renamed:
                continue
            made = Instruction(instruction.text)
            made.rename(new_names)
            if instruction.name:
                made.text = made.text.replace(instruction.name, new_names[instruction.name], 1)
            copy.instructions.append(made)
        copy.instructions.append(Instruction(f"  br label %{rest.name}"))
    for made in reversed(named):
        arms = (f"[ {new_names[made.name]}, %{way.name} ]" for new_names, way in zip(names, (even, wrapping)))
        rest.instructions.insert(0, Instruction(f"  {made.name} = phi {made.type} {', '.join(arms)}"))
    for name in rest.successors:
        for phi in function.block(name).phis():
            phi.rename({f"%{block.name}": f"%{rest.name}"})
    place = function.blocks.index(block) + 1
    function.blocks[place:place] = [even, wrapping, rest]
    return rest


def _tests(
    stretch: _Stretch, values: LaneValues, head: list[Instruction], even: Block, fresh: Callable[[str], str]
) -> tuple[str, dict[str, str]]:
    """Whether no index wraps, tested at the end of ``head``; ``even`` gets the addresses for this case, with new names."""
    test = ""
    renamed: dict[str, str] = {}

    def write(to: list[Instruction], stem: str, text: str) -> str:
        name = fresh(stem)
        to.append(Instruction(f"  {name} = {text}"))
        return name

    for name, extension in stretch.extensions.items():
        operand = extension.operands[0]
        inner, limit = values.of(operand), _limit(extension, values)
        assert inner is not None and limit is not None
        lane, most = limit
        narrow, wide, count = element_of(operand.type), element_of(extension.type), lanes_of(extension.type)
        first = write(head, "first", f"extractelement {operand.type} {operand.value}, i64 {lane}")
        order = "ule" if extension.op == "zext" else "sle"
        holds = write(head, "no_wrap", f"icmp {order} {narrow} {first}, {_printed(most, integer_bits(narrow))}")
        test = write(head, "no_wrap", f"and i1 {test}, {holds}") if test else holds
        lines = even.instructions
        start = write(lines, "first", f"{extension.op} {narrow} {first} to {wide}")
        vector = write(lines, "first", f"insertelement {extension.type} poison, {wide} {start}, i64 0")
        splat = write(
            lines, "first", f"shufflevector {extension.type} {vector}, {extension.type} poison, <{count} x i32> zeroinitializer"
        )
        least = min(inner.offsets)
        steps = ", ".join(f"{wide} {offset - least}" for offset in inner.offsets)
        renamed[name] = write(lines, "index", f"add nsw {extension.type} {splat}, <{steps}>")
    for name, made in stretch.addresses.items():
        if name not in stretch.extensions:
            again = Instruction(made.text)
            again.rename(renamed)
            renamed[name] = fresh(f"{_plain(name)}.even")
            again.text = again.text.replace(name, renamed[name], 1)
            even.instructions.append(again)
    # Lanes that are off may be poison.
    return write(head, "no_wrap", f"freeze i1 {test}"), renamed


def _plain(name: str) -> str:
    return name[1:].strip('"')


def _printed(number: int, bits: int) -> int:
    """As LLVM prints it: signed."""
    return number - (1 << bits) if number >> (bits - 1) else number
