"""Some blocks of a function once more as a function of their own, which is called in the case that is not simple.

    before:  br label %loop                     before:  ... br i1 %simple, label %loop, label %loop.wrapping
    loop:    ... br label %after          ->    loop:    ... br label %after
    after:   uses %x of the loop                loop.wrapping:  %x.again = call @f.wrapping(...)   br label %after
                                                after:   %joined = phi [ %x, %loop ], [ %x.again, %loop.wrapping ]

What seldom runs is then no part of the function that is optimised, and is itself left as it is: LLVM takes as long
for these blocks as for the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from voltac.ir.model import Block, Function, Instruction, Module
from voltac.passes.loops.copied_blocks import CopiedBlocks, unquoted
from voltac.system.lazy_patterns import lazy_pattern

SELDOM = "noinline optnone cold"
"""The attributes of such a function."""

_PASSED = lazy_pattern(r"(?:<\d+ x )?(?:i\d+|ptr|float|double)>?")
"""Types of values that functions take and give back in the same way on all targets."""
_KEPT_OUT = lazy_pattern(r"\b(?:alwaysinline|minsize|optsize|optnone)\b")


def outline(
    module: Module, copy: CopiedBlocks, mark: str, tests: list[Instruction], simple: str, fresh: Callable[[str], str]
) -> Function | None:
    """Put the call before the blocks; ``tests`` compute ``simple``, which asks for the blocks instead.

    The new function, behind the old one; None, and nothing changed, where it would be given or would give back what
    functions do not take.
    """
    function = copy.function
    groups = re.findall(r"#\d+", function.attributes)
    known = dict(line.removeprefix("attributes ").split(" = ", 1) for line in module.lines() if line.startswith("attributes #"))
    given = _given(copy)
    if len(copy.exits) != 1 or _KEPT_OUT.search(" ".join(known.get(group, "") for group in groups)):
        return None
    meeting = function.block(copy.exits[0])
    inside = set(copy.names)
    ways = [label for label in dict.fromkeys(copy.predecessors[meeting.name]) if label in inside]
    phis = list(meeting.phis())
    results = [(phi.type, {label: operand.value for operand, label in zip(phi.operands, phi.parts.labels)}) for phi in phis]
    results += [(copy.own[name], dict.fromkeys(ways, name)) for name in copy.used_outside]
    if not all(_PASSED.fullmatch(type_text) for type_text in [*given.values(), *(type_text for type_text, _ in results)]):
        return None
    types = [type_text for type_text, _ in results]
    returned = "void" if not types else types[0] if len(types) == 1 else "{ " + ", ".join(types) + " }"
    made = _function(_name(module, function, mark), returned, copy, given, groups, mark)
    made.blocks.append(_done(copy, made, results, ways, mark, returned))
    module.items.insert(module.items.index(function) + 1, made)

    call = Block(fresh(f"{unquoted(copy.names[0])}.{mark}")[1:], [])
    call.label_line = f"{call.name}:"
    values = _called(made.name, returned, types, given, call, fresh)
    call.instructions.append(Instruction(f"  br label %{meeting.name}"))
    choice = Block(fresh(f"{unquoted(copy.names[0])}.choice")[1:], [])
    choice.label_line = f"{choice.name}:"
    choice.instructions = [*tests, Instruction(f"  br i1 {simple}, label %{copy.names[0]}, label %{call.name}")]
    for phi in function.block(copy.names[0]).phis():
        phi.rename({f"%{copy.before}": f"%{choice.name}"})
    function.block(copy.before).terminator.rename({f"%{copy.names[0]}": f"%{choice.name}"})
    for phi, value in zip(phis, values):
        phi.add_arms([(value, call.name)])
    joined = {name: fresh("joined") for name in copy.used_outside}
    for block in copy.others:
        for instruction in block.instructions:
            if not (block is meeting and instruction.op == "phi"):
                instruction.rename(joined)
    meeting.instructions[:0] = [
        Instruction(
            f"  {joined[name]} = phi {copy.own[name]} "
            + ", ".join([*(f"[ {name}, %{label} ]" for label in ways), f"[ {value}, %{call.name} ]"])
        )
        for name, value in zip(copy.used_outside, values[len(phis) :])
    ]
    place = function.blocks.index(copy.blocks[0])
    function.blocks.insert(place, choice)
    function.blocks.insert(function.blocks.index(copy.blocks[-1]) + 1, call)
    return made


def _given(copy: CopiedBlocks) -> dict[str, str]:
    """The values from outside that the blocks use -> their types."""
    outside = {parameter.name: parameter.type for parameter in copy.function.parameters}
    outside |= {made.name: made.type for block in copy.others for made in block.instructions if made.name}
    used = dict.fromkeys(name for block in copy.blocks for made in block.instructions for name in made.names_used())
    return {name: outside[name] for name in used if name in outside}


def _name(module: Module, function: Function, mark: str) -> str:
    taken = {other.name.strip('"') for other in module.functions} | {name.strip('"') for name in module.declared()}
    stem, number = f"{unquoted(function.name)}.{mark}", 0
    while (name := f"{stem}.{number}" if number else stem) in taken:
        number += 1
    return f'"{name}"' if function.name.startswith('"') else name


def _function(name: str, returned: str, copy: CopiedBlocks, given: dict[str, str], groups: list[str], mark: str) -> Function:
    parameters = ", ".join(f"{type_text} {value}" for value, type_text in given.items())
    header = " ".join([f"define internal {returned} @{name}({parameters})", SELDOM, *groups, "{"])
    labels = {f"%{block.name}": f"%{unquoted(block.name)}.{mark}" for block in copy.blocks}
    labels[f"%{copy.exits[0]}"] = f"%done.{mark}"
    labels[f"%{copy.before}"] = f"%entry.{mark}"
    entry = Block(f"entry.{mark}", [Instruction(f"  br label {labels[f'%{copy.names[0]}']}")], f"entry.{mark}:")
    made = Function(header, [entry])
    for block in copy.blocks:
        label = labels[f"%{block.name}"][1:]
        again = Block(label, [], f"{label}:")
        for instruction in block.instructions:
            # How long a variable of the caller lives only that one can say.
            if "@llvm.lifetime." not in instruction.text:
                again.instructions.append(Instruction(instruction.text))
                again.instructions[-1].rename(labels)
        made.blocks.append(again)
    return made


def _done(
    copy: CopiedBlocks, made: Function, results: list[tuple[str, dict[str, str]]], ways: list[str], mark: str, returned: str
) -> Block:
    """Where the blocks are left."""
    fresh = made.fresh_names()
    block = Block(f"done.{mark}", [], f"done.{mark}:")
    names = []
    for type_text, values in results:
        names.append(fresh("result"))
        arms = ", ".join(f"[ {values[label]}, %{unquoted(label)}.{mark} ]" for label in ways)
        block.instructions.append(Instruction(f"  {names[-1]} = phi {type_text} {arms}"))
    last = names[0] if len(names) == 1 else "poison"
    if len(names) > 1:
        for number, ((type_text, _), name) in enumerate(zip(results, names)):
            packed = fresh("results")
            block.instructions.append(Instruction(f"  {packed} = insertvalue {returned} {last}, {type_text} {name}, {number}"))
            last = packed
    block.instructions.append(Instruction(f"  ret {returned} {last}" if names else "  ret void"))
    return block


def _called(
    name: str, returned: str, types: list[str], given: dict[str, str], call: Block, fresh: Callable[[str], str]
) -> list[str]:
    """The results of the call, which is written into a block that goes on behind the blocks."""
    arguments = ", ".join(f"{type_text} {value}" for value, type_text in given.items())
    if not types:
        call.instructions.append(Instruction(f"  call {returned} @{name}({arguments})"))
        return []
    whole = fresh("results")
    call.instructions.append(Instruction(f"  {whole} = call {returned} @{name}({arguments})"))
    if len(types) == 1:
        return [whole]
    parts = [fresh("result") for _ in types]
    for number, part in enumerate(parts):
        call.instructions.append(Instruction(f"  {part} = extractvalue {returned} {whole}, {number}"))
    return parts
