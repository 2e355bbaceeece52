"""Loops that clear the lowest bit until none is left, and count -> the number of bits.

    while (v != 0) { v &= v - 1; k++; }        ->        k += count of ones in v, where the lane is on

as LLVM does it with loops of scalars: there the loop takes as many turns as a number has bits set, and of a gang as many as the
lane with the most (Wegner, A technique for counting ones in a binary computer, 1960).
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.cfg import NaturalLoop, control_flow
from voltac.ir.constants import integers
from voltac.ir.lane_values import lane_values
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.options import Options
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.lane_loops import LaneLoop

_BLOCKS = 2
"""Test and body."""
_MOST_INSTRUCTIONS = 24
"""Of such a loop, with some counters: others are not looked at."""


def count_bits(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        if not any(".loop.test" in block.name for block in function.blocks):
            continue
        flow = control_flow(function)
        headers = [loop.header for loop in flow.loops if len(loop.blocks) == _BLOCKS and _may_clear_bits(loop, function)]
        for header in headers:
            flow = control_flow(function)
            loop = next(each for each in flow.loops if each.header == header)
            found = LaneLoop(function, loop, flow, lane_values(function, layout), options)
            if found.splits() and not found.loads:
                _replace(found, module)


def _may_clear_bits(loop: NaturalLoop, function: Function) -> bool:
    instructions = [each for name in loop.blocks for each in function.block(name).instructions]
    return len(instructions) <= _MOST_INSTRUCTIONS and any(_decremented(each, instructions) for each in instructions)


def _decremented(made: Instruction, instructions: list[Instruction]) -> str:
    """``v`` of ``v & (v - 1)``, else empty."""
    if made.op != "and" or not lanes_of(made.type) or integer_bits(element_of(made.type)) == 0:
        return ""
    for value, less in (made.operands, made.operands[::-1]):
        by_one = next((each for each in instructions if each.name and each.name == less.value), None)
        if by_one is None or by_one.op not in ("add", "sub") or by_one.operands[0].value != value.value:
            continue
        if set(integers(*by_one.operands[1]) or ()) == {-1 if by_one.op == "add" else 1}:
            return value.value
    return ""


def _replace(loop: LaneLoop, module: Module) -> None:
    definitions, body = loop.values.definitions, list(loop.instructions())
    phis = {phi.name: phi for phi in loop.header.phis()}
    cleared = {name: _changed(loop, name) for name in phis}
    numbers = [
        name for name, changed in cleared.items() if changed in definitions and _decremented(definitions[changed], body) == name
    ]
    if len(numbers) != 1:
        return
    goes_on = {loop.live, f"{numbers[0]} != 0"}
    following, number = loop.following(phis[loop.live]), phis[numbers[0]]
    if _conjuncts(loop.tested, loop) != goes_on or _conjuncts(following, loop) != goes_on or not _always(loop, number, goes_on):
        return
    steps = {name: step for name in phis if (step := _step(loop, phis[name], goes_on)) is not None}
    used = loop.used_outside.intersection(each.name for each in body if each.name)
    if not used or not used <= steps.keys():
        return
    _write(loop, number, {name: steps[name] for name in sorted(used)}, module)


def _changed(loop: LaneLoop, phi: str) -> str:
    """What a lane that goes on has in the next iteration."""
    following = loop.following(loop.values.definitions[phi])
    chosen = m.made_by(("select",), following, loop.values.definitions)
    return chosen.operands[1].value if chosen is not None and chosen.operands[2].value == phi else following


def _always(loop: LaneLoop, phi: Instruction, goes_on: set[str]) -> bool:
    """Whether a value changes in each iteration that its lane goes on; what it is in others nobody asks."""
    chosen = m.made_by(("select",), loop.following(phi), loop.values.definitions)
    return chosen is None or _conjuncts(chosen.operands[0].value, loop) == goes_on


def _step(loop: LaneLoop, phi: Instruction, goes_on: set[str]) -> int | None:
    """By how much a counter grows in each iteration that its lane goes on, and stays otherwise."""
    chosen = m.made_by(("select",), loop.following(phi), loop.values.definitions)
    if chosen is None or chosen.operands[2].value != phi.name or _conjuncts(chosen.operands[0].value, loop) != goes_on:
        return None
    total = m.made_by(("add",), chosen.operands[1].value, loop.values.definitions)
    if total is None or total.operands[0].value != phi.name:
        return None
    steps = set(integers(*total.operands[1]) or ())
    return steps.pop() if len(steps) == 1 else None


def _conjuncts(mask: str, loop: LaneLoop) -> set[str]:
    """The masks that a mask is made of: phis by name, ``v != 0`` of numbers, and whatever else by its own."""
    made = loop.values.definitions.get(mask)
    if made is None:
        return {mask}
    first = made.operands[0].value if made.operands else ""
    match made.op:
        case "sext" | "freeze":
            return _conjuncts(first, loop)
        case "and":
            return _conjuncts(first, loop) | _conjuncts(made.operands[1].value, loop)
        case "select" if made.operands[2].value == "zeroinitializer":
            return _conjuncts(first, loop) | _conjuncts(made.operands[1].value, loop)
        case "icmp" if made.operands[1].value == "zeroinitializer":
            if made.parts.predicate == "slt":
                return _conjuncts(first, loop)
            if made.parts.predicate == "ne":
                return {f"{first} != 0"}
    return {mask}


def _write(loop: LaneLoop, number: Instruction, steps: dict[str, int], module: Module) -> None:
    fresh, lines = loop.function.fresh_names(), list[Instruction]()

    def write(text: str) -> str:
        name = fresh("ones")
        lines.append(Instruction(f"  {name} = {text}"))
        return name

    live, kind = loop.values.definitions[loop.live], number.type
    on, lanes = loop.arm(live, False), lanes_of(kind)
    if element_of(live.type) != "i1":
        on = write(f"icmp slt {live.type} {on}, zeroinitializer")
    of_lanes = write(f"select <{lanes} x i1> {on}, {kind} {loop.arm(number, False)}, {kind} zeroinitializer")
    callee = f"@llvm.ctpop.v{lanes}{element_of(kind)}"
    module.declare([f"declare {kind} {callee}({kind})"])
    ones = write(f"call {kind} {callee}({kind} {of_lanes})")
    results: dict[str, str] = {}
    for name, step in steps.items():
        counter = loop.values.definitions[name]
        bits, own = integer_bits(element_of(kind)), integer_bits(element_of(counter.type))
        count = ones if bits == own else write(f"{'zext' if bits < own else 'trunc'} {kind} {ones} to {counter.type}")
        if step != 1:
            count = write(f"mul {counter.type} {count}, splat ({element_of(counter.type)} {step})")
        results[name] = write(f"add {counter.type} {loop.arm(counter, False)}, {count}")
    block = fresh(f"{unquoted(loop.header.name)}.counted")[1:]
    lines.append(Instruction(f"  br label %{loop.exit_name}"))
    loop.replace_blocks([Block(block, lines, f"{block}:")], results)
