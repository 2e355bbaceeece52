"""IR -> IR: loops whose accesses are streams become calls of pipelined functions, where addresses and banks allow it.

    loop:                                                  %block = (words, addresses, scalars)
      %i = phi i32 [ %begin, %before ], [ %n, %loop ]      call void @ipu.stream.0.paced(ptr %block)
      %p = getelementptr float, ptr %x, i32 %i             br label %behind
      %v = load <4 x float>, ptr %p                ->
      %r = fadd <4 x float> %v, %splat
      store <4 x float> %r, ptr %p
      ...

The loop stays, for addresses that are no multiples of eight. One load and one store of one instruction must be in different
banks (IPU 1.4): in place that is so in region 1, as the pipeline's load is an odd number of words ahead; two streams must be
further apart than an element. Else the function with an instruction for each access is called.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.scan import split_list
from voltac.ir.types import vector_parts
from voltac.records import field, mutable_record
from voltac.targets.ipu.memory_map import ELEMENT, MemoryMap
from voltac.targets.ipu.streams.program import KEY, PACED, PLAIN, PREFIX, StreamProgram, StreamStep

_OPERATIONS = {"fadd": "add", "fsub": "sub", "fmul": "mul"}
_INTRINSICS = {"@llvm.maxnum.": "max", "@llvm.minnum.": "min"}
_CHOICES = {"ogt": "max", "olt": "min"}
"""``a > b ? a : b`` is the greater one, if b is a number."""
_BYTES = {"float": 4, "half": 2}
_WORD = 8
_AHEAD = 256
"""Bytes that a load may be ahead of a store, and more."""
_FAR = 2 * ELEMENT + _AHEAD
"""Bytes between streams that never meet in a bank, wherever they are: an element of region 1, and how far loads run ahead."""
Value = Callable[[str, str], str]
"""``(label, text)``: writes an instruction; the name of its result."""
_MOST_LOADS, _MOST_SCALARS = 2, 4
"""Chosen: what registers there are for addresses, and for pairs beside a pipeline's."""


@mutable_record(eq=False)
class _Loop:
    """What is known of a loop of one block."""

    block: Block
    before: str
    behind: str
    counter: str
    begin: str
    step: int
    following: str
    limit: str
    element: str = ""
    loads: list[tuple[Operand, int]] = field(default_factory=list)
    """Base and bytes beyond it where the first word is, for ``begin`` = 0."""
    store: tuple[Operand, int] | None = None
    scalars: list[Operand] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    """Values -> names in the program."""
    steps: list[StreamStep] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    """Names of the scalars that must be numbers."""
    stored: str = ""


class _Other(Exception):
    """The loop is no loop over streams."""


def find_streams(module: Module, map: MemoryMap) -> None:
    """In all functions of a module before legalization."""
    number = 0
    declarations: list[str] = []
    for function in module.functions:
        for block in list(function.blocks):
            try:
                loop = _loop_of(function, block)
                _read_body(function, loop)
            except _Other:
                continue
            steps = _with_clamps(loop.steps, loop.stored)
            program = StreamProgram(loop.element, len(loop.loads), len(loop.scalars), steps, loop.stored)
            name = f"@{PREFIX}{number}"
            number += 1
            declarations += [f'declare void {name}.{form}(ptr) "{KEY}"="{program}"' for form in (PACED, PLAIN)]
            _replace(function, loop, name, map)
    if declarations:
        module.items.append(declarations)


def _loop_of(function: Function, block: Block) -> _Loop:
    last = block.instructions[-1]
    if last.op != "br" or len(last.parts.labels) != 2 or last.parts.labels[0] != block.name:
        raise _Other
    phis = list(block.phis())
    if len(phis) != 1 or phis[0].type != "i32":
        raise _Other
    (phi,) = phis
    arms = dict(zip(phi.parts.labels, phi.operands))
    if len(arms) != 2 or block.name not in arms:
        raise _Other
    following = arms.pop(block.name).value
    ((before, begin),) = arms.items()
    made = {one.name: one for one in block.instructions if one.name}
    step, test = made.get(following), made.get(last.operands[0].value)
    if step is None or step.op != "add" or step.operands[0].value != phi.name or not step.operands[1].value.isdigit():
        raise _Other
    if test is None or test.op != "icmp" or test.parts.predicate not in ("slt", "ult") or test.operands[0].value != following:
        raise _Other
    if test.operands[1].value in made:
        raise _Other
    behind = last.parts.labels[1]
    loop = _Loop(block, before, behind, phi.name, begin.value, int(step.operands[1].value), following, test.operands[1].value)
    # Behind the loop only the counter may be known.
    for other in function.blocks:
        if other is not block:
            for instruction in other.instructions:
                is_exit = instruction.op == "phi" and other.name == behind
                if set(instruction.names_used()) & made.keys() - ({following} if is_exit else set()):
                    raise _Other
    return loop


def _read_body(function: Function, loop: _Loop) -> None:
    definitions = function.definitions()
    inside = {one.name for one in loop.block.instructions if one.name}
    noalias = {each.name for each in function.parameters if "noalias" in each.attributes.split()}
    addresses: dict[str, tuple[Operand, int]] = {}
    choices: dict[str, Instruction] = {}
    for instruction in loop.block.instructions[1:-1]:
        operands, name = instruction.operands, instruction.name
        match instruction.op:
            case "getelementptr":
                addresses[name] = _address(loop, instruction, addresses)
            case "load":
                _check_width(loop, instruction.type)
                place = addresses.get(operands[0].value)
                if place is None or loop.store is not None:
                    raise _Other
                if place not in loop.loads:
                    loop.loads.append(place)
                loop.names[name] = f"v{loop.loads.index(place)}"
            case "store":
                _check_width(loop, operands[0].type)
                if loop.store is not None or operands[1].value not in addresses or operands[0].value not in loop.names:
                    raise _Other
                loop.store, loop.stored = addresses[operands[1].value], loop.names[operands[0].value]
            case "fcmp":
                choices[name] = instruction
            case "select":
                _choice(loop, instruction, choices, definitions, inside)
            case "call" if any(instruction.parts.callee.startswith(each) for each in _INTRINSICS):
                operation = next(to for each, to in _INTRINSICS.items() if instruction.parts.callee.startswith(each))
                _operation(loop, name, instruction.type, operation, instruction.parts.operands, definitions, inside)
            case op if op in _OPERATIONS:
                _operation(loop, name, instruction.type, _OPERATIONS[op], operands, definitions, inside)
            case "add" | "icmp" if name == loop.following or name == loop.block.terminator.operands[0].value:
                pass
            case op if op.startswith("#"):
                pass
            case _:
                raise _Other
    if loop.store is None or not 1 <= len(loop.loads) <= _MOST_LOADS or len(loop.scalars) > _MOST_SCALARS:
        raise _Other
    for base, offset in loop.loads:
        same = base == loop.store[0]
        # Words are read before those behind are written: that must make no difference.
        if (same and offset != loop.store[1]) or not (same or {base.value, loop.store[0].value} & noalias):
            raise _Other


def _check_width(loop: _Loop, type: str) -> None:
    vector = vector_parts(type)
    if vector is None or vector[1] not in _BYTES or (loop.element or vector[1]) != vector[1] or vector[0] != loop.step:
        raise _Other
    if vector[0] * _BYTES[vector[1]] % _WORD:
        raise _Other
    loop.element = vector[1]


def _address(loop: _Loop, instruction: Instruction, known: dict[str, tuple[Operand, int]]) -> tuple[Operand, int]:
    base, *indices = instruction.operands
    element = instruction.parts.element_type
    if len(indices) != 1 or instruction.type != "ptr":
        raise _Other
    if indices[0].value == loop.counter and element in _BYTES:
        if loop.element and element != loop.element:
            raise _Other
        return base, 0
    if base.value in known and element == "i8" and indices[0].value.lstrip("-").isdigit():
        return known[base.value][0], known[base.value][1] + int(indices[0].value)
    raise _Other


def _choice(
    loop: _Loop,
    instruction: Instruction,
    choices: dict[str, Instruction],
    definitions: dict[str, Instruction],
    inside: set[str],
) -> None:
    condition, first, second = instruction.operands
    test = choices.get(condition.value)
    if test is None or test.parts.predicate not in _CHOICES or [first, second] != test.operands:
        raise _Other
    _operation(loop, instruction.name, instruction.type, _CHOICES[test.parts.predicate], [first, second], definitions, inside)
    if loop.steps[-1].operands[1].startswith("s"):
        loop.numbers.append(loop.steps[-1].operands[1])
    else:
        # Both may be no numbers, and then it matters which.
        raise _Other


def _operation(
    loop: _Loop,
    name: str,
    type: str,
    operation: str,
    operands: list[Operand],
    definitions: dict[str, Instruction],
    inside: set[str],
) -> None:
    _check_width(loop, type)
    first, second = (_operand(loop, operand, definitions, inside) for operand in operands)
    if first[0] == second[0] == "s":
        raise _Other
    result = f"v{len(loop.loads) + len(loop.steps) + 16}"
    loop.names[name] = result
    loop.steps.append(StreamStep(result, operation, (first, second)))


def _with_clamps(steps: list[StreamStep], stored: str) -> tuple[StreamStep, ...]:
    """The first pair of ``max`` and ``min`` by scalars, of which nobody else reads what is between, is one operation."""
    uses = [name for step in steps for name in step.operands] + [stored]
    for at, (first, second) in enumerate(pairwise(steps)):
        (value, low), (between, high) = first.operands, second.operands
        if (first.operation, second.operation, between) == ("max", "min", first.result) and low[0] == high[0] == "s":
            if value[0] == "v" and uses.count(between) == uses.count(low) == uses.count(high) == 1 and low != high:
                return (*steps[:at], StreamStep(second.result, "clamp", (value, low, high)), *steps[at + 2 :])
    return tuple(steps)


def _operand(loop: _Loop, operand: Operand, definitions: dict[str, Instruction], inside: set[str]) -> str:
    if operand.value in loop.names:
        return loop.names[operand.value]
    if operand.value in inside:
        raise _Other
    scalar = _scalar(operand, loop.element, definitions)
    if scalar not in loop.scalars:
        loop.scalars.append(scalar)
    return f"s{loop.scalars.index(scalar)}"


def _scalar(operand: Operand, element: str, definitions: dict[str, Instruction]) -> Operand:
    """What is in every lane of a vector."""
    text = operand.value
    if text == "zeroinitializer":
        return Operand(element, "0.0" if element == "float" else "0xH0000")
    if text.startswith("splat ("):
        return Operand(element, text[len("splat (") : -1].partition(" ")[2])
    if text.startswith("<"):
        values = {item.partition(" ")[2] for item in split_list(text[1:-1])}
        if len(values) == 1:
            return Operand(element, values.pop())
    scalar = scalar_of_splat(text, definitions)
    if scalar is None:
        raise _Other
    return scalar


# --- what stands for the loop


def _replace(function: Function, loop: _Loop, name: str, map: MemoryMap) -> None:
    assert loop.store is not None
    words = [*loop.loads, loop.store]
    lines: list[str] = []
    n = f"%{name[1:]}."

    def value(label: str, text: str) -> str:
        lines.append(f"{n}{label} = {text}")
        return n + label

    size = _BYTES[loop.element]
    distance = value("distance", f"sub i32 {loop.limit}, {loop.begin}")
    rounded = value("rounded", f"add i32 {distance}, {loop.step - 1}")
    gangs = value("gangs", f"udiv i32 {rounded}, {loop.step}")
    count = value("words", f"mul i32 {gangs}, {loop.step * size // _WORD}")
    end = value("end", f"add i32 {loop.begin}, {value('elements', f'mul i32 {gangs}, {loop.step}')}")
    places = []
    for index, (base, offset) in enumerate(words):
        first = value(f"first{index}", f"getelementptr {loop.element}, ptr {base.value}, i32 {loop.begin}")
        place = value(f"place{index}", f"getelementptr i8, ptr {first}, i32 {offset}")
        places.append(value(f"address{index}", f"ptrtoint ptr {place} to i32"))
    low = places[0]
    for index, place in enumerate(places[1:]):
        low = value(f"either{index}", f"or i32 {low}, {place}")
    fits = value("fits", f"icmp eq i32 {value('low', f'and i32 {low}, {_WORD - 1}')}, 0")
    for number in loop.numbers:
        scalar = loop.scalars[int(number[1:])]
        ordered = value(f"number.{number}", f"fcmp ord {scalar.type} {scalar.value}, {scalar.value}")
        fits = value(f"fits.{number}", f"and i1 {fits}, {ordered}")
    check, call, paced, plain, done = (f"{name[1:]}.{part}" for part in ("check", "call", "paced", "plain", "done"))
    lines.append(f"br i1 {fits}, label %{call}, label %{loop.block.name}")
    blocks = [Block(check, _instructions(lines))]
    lines.clear()
    block = f"{n}block"
    count_of_words = 1 + len(places) + len(loop.scalars)
    entry = function.blocks[0].instructions
    entry.insert(0, Instruction(f"  {block} = alloca [{4 * count_of_words} x i8], align 4"))
    texts = [f"i32 {count}", *(f"i32 {place}" for place in places)]
    texts += [_word(value, index, scalar) for index, scalar in enumerate(loop.scalars)]
    for index, text in enumerate(texts):
        lines.append(f"store {text}, ptr {value(f'field{index}', f'getelementptr i8, ptr {block}, i32 {4 * index}')}, align 4")
    lines.append(f"br i1 {_apart(value, places, loop, count, map)}, label %{paced}, label %{plain}")
    blocks.append(Block(call, _instructions(lines)))
    for form, label in ((PACED, paced), (PLAIN, plain)):
        blocks.append(Block(label, _instructions([f"call void {name}.{form}(ptr {block})", f"br label %{done}"])))
    blocks.append(Block(done, _instructions([f"br label %{loop.behind}"])))
    for one in blocks:
        one.label_line = f"{one.name}:"
    _enter(function, loop, check, done, end)
    at = function.blocks.index(loop.block)
    function.blocks[at:at] = blocks


def _word(value: Value, index: int, scalar: Operand) -> str:
    """A scalar as a field: a half stands in both halves of its word."""
    if scalar.type == "float":
        return f"float {scalar.value}"
    bits = value(f"bits{index}", f"bitcast half {scalar.value} to i16")
    low = value(f"half{index}", f"zext i16 {bits} to i32")
    return f"i32 {value(f'both{index}', f'mul i32 {low}, 65537')}"


def _apart(value: Value, places: list[str], loop: _Loop, count: str, map: MemoryMap) -> str:
    """Whether the accesses of each instruction are in different banks."""
    if len(places) == 2 and loop.loads[0] == loop.store:
        return value("inside", f"icmp uge i32 {places[0]}, {map.interleaved}")
    # Either they are far from each other, or in no element both.
    first, second = places[:2]
    moved = value("moved", f"add i32 {value('difference', f'sub i32 {first}, {second}')}, {_FAR}")
    far = value("far", f"icmp ugt i32 {moved}, {2 * _FAR}")
    size = value("bytes", f"add i32 {value('size', f'shl i32 {count}, 3')}, {_AHEAD}")
    element = (2 * ELEMENT).bit_length() - 1
    limits = []
    for index, place in enumerate((first, second)):
        end = value(f"last{index}", f"add i32 {place}, {size}")
        limits.append(
            [value(f"{label}{index}", f"lshr i32 {each}, {element}") for label, each in (("low", place), ("high", end))]
        )
    below = value("below", f"icmp ult i32 {limits[0][1]}, {limits[1][0]}")
    above = value("above", f"icmp ult i32 {limits[1][1]}, {limits[0][0]}")
    return value("apart", f"or i1 {far}, {value('disjoint', f'or i1 {below}, {above}')}")


def _instructions(lines: list[str]) -> list[Instruction]:
    return [Instruction(f"  {line}") for line in lines]


def _enter(function: Function, loop: _Loop, check: str, done: str, end: str) -> None:
    """What led to the loop leads to the check; the loop is entered from there."""
    for block in function.blocks:
        if block.name == loop.before:
            block.terminator.rename({f"%{loop.block.name}": f"%{check}"})
        if block.name == loop.behind:
            for phi in block.phis():
                arms = dict(zip(phi.parts.labels, phi.operands))
                arm = arms[loop.block.name].value
                phi.add_arms([(end if arm == loop.following else arm, done)])
    for phi in loop.block.phis():
        phi.text = phi.text.replace(f"%{loop.before} ]", f"%{check} ]")
