"""legal IR -> legal IR: loops of one block with a small known trip count become copies of their body.

::

    loop:                                                  %a.1 = extractelement <16 x i32> %v, i32 0
      %i = phi i32 [ 0, %before ], [ %n, %loop ]           ...
      %a = extractelement <16 x i32> %v, i32 %i     ->     %a = extractelement <16 x i32> %v, i32 15
      ...                                                  br label %after
      %n = add i32 %i, 1
      %t = icmp ult i32 %n, 16
      br i1 %t, label %loop, label %after

Lane numbers become constants, the counter and its test go, and the copies' operations
fill each other's latencies. The trip count is found before ``strides.py``, which may let
it end by a pointer; the copies are made after it, so a stepped address is one addition a copy.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.interp_values import to_signed
from voltac.ir.model import Block, Function, Instruction, Module

_WORD = 0xFFFFFFFF
_MOST_TURNS = 16
_MOST_INSTRUCTIONS = 320
"""Of all copies: straight-line code costs a miss of the instruction cache for each line of 16."""
_TESTS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b, "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b,
    "ult": lambda a, b: a & _WORD < b & _WORD, "ule": lambda a, b: a & _WORD <= b & _WORD,
    "ugt": lambda a, b: a & _WORD > b & _WORD, "uge": lambda a, b: a & _WORD >= b & _WORD,
}  # fmt: skip
_FOLDED: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "shl": lambda a, b: a << b,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b,
}  # fmt: skip

TripCounts = dict[str, dict[str, int]]
"""Function -> block that is a loop -> how often it runs."""


def count_trips(module: Module) -> TripCounts:
    """The short loops of a module."""
    return {function.name: _short_loops(function) for function in module.functions}


def unroll(module: Module, trips: TripCounts) -> None:
    """Write out the loops that :func:`count_trips` has found."""
    for function in module.functions:
        for name, count in trips.get(function.name, {}).items():
            block = function.block(name)
            if _is_loop(block):
                _drop_unused(function, block)
                if count * len(block.instructions) <= _MOST_INSTRUCTIONS:
                    _write_out(function, block, count)


def _is_loop(block: Block) -> bool:
    return block.terminator.op == "br" and len(block.successors) == 2 and block.name in block.successors


def _short_loops(function: Function) -> dict[str, int]:
    found: dict[str, int] = {}
    for block in function.blocks:
        if _is_loop(block):
            count = _turns(block)
            if count:
                found[block.name] = count
    return found


def _turns(block: Block) -> int:
    """How often a loop of one block runs; 0 if that is not known or too much."""
    inside = {instruction.name: instruction for instruction in block.instructions if instruction.name}
    test = inside.get(block.terminator.operands[0].value)
    if test is None or test.op != "icmp" or test.operands[0].type != "i32":
        return 0
    counter, bound = test.operands
    limit = _number(bound.value)
    tested = inside.get(counter.value)
    if limit is None or tested is None:
        return 0
    phi = tested if tested.op == "phi" else inside.get(tested.operands[0].value)
    if phi is None or phi.op != "phi" or block.name not in phi.parts.labels or len(phi.operands) != 2:
        return 0
    position = phi.parts.labels.index(block.name)
    start, following = _number(phi.operands[1 - position].value), inside.get(phi.operands[position].value)
    if start is None or following is None or following.op != "add" or following.operands[0].value != phi.name:
        return 0
    step = _number(following.operands[1].value)
    if step is None or tested not in (phi, following):
        return 0
    stays = block.terminator.parts.labels[0] == block.name
    holds = _TESTS[test.parts.predicate]
    value = start
    for count in range(1, _MOST_TURNS + 1):
        after = to_signed(value + step & _WORD, 32)
        if holds(value if tested is phi else after, limit) != stays:
            return count
        value = after
    return 0


def _number(text: str) -> int | None:
    return int(text) if text.lstrip("-").isdigit() else None


def _drop_unused(function: Function, block: Block) -> None:
    """Addresses that are stepped now leave sums behind that nobody needs."""
    used = {name for instruction in function.instructions() for name in instruction.names_used()}
    kept: list[Instruction] = []
    for instruction in reversed(block.instructions):
        if instruction.op in _FOLDED or instruction.op == "getelementptr":
            if instruction.name not in used:
                continue
        kept.append(instruction)
    if len(kept) < len(block.instructions):
        block.instructions = kept[::-1]
        _drop_unused(function, block)


def _write_out(function: Function, block: Block, count: int) -> None:
    """The last copy keeps the names, for those who use the values behind the loop."""
    fresh = function.fresh_names()
    phis = list(block.phis())
    body = [instruction for instruction in block.instructions[:-1] if instruction.op != "phi"]
    values: dict[str, str] = {}
    for phi in phis:
        values[phi.name] = phi.operands[1 - phi.parts.labels.index(block.name)].value
    made: list[Instruction] = []
    for trip in range(count):
        last = trip == count - 1
        for instruction in body:
            copy = Instruction(instruction.text)
            copy.rename(values)
            known = _folded(copy)
            if known is not None and not last:
                values[instruction.name] = known
                continue
            if instruction.name:
                values[instruction.name] = instruction.name if last else fresh(instruction.name[1:])
                copy.text = copy.text.replace(instruction.name, values[instruction.name], 1)
            made.append(copy)
        if not last:
            carried = {phi.name: phi.operands[phi.parts.labels.index(block.name)].value for phi in phis}
            values.update({name: values.get(value, value) for name, value in carried.items()})
    after = next(name for name in block.successors if name != block.name)
    block.instructions = [*made, Instruction(f"  br label %{after}")]
    function.replace_uses({phi.name: values[phi.name] for phi in phis})


def _folded(instruction: Instruction) -> str | None:
    """The result of an operation on constants."""
    compute = _FOLDED.get(instruction.op)
    if compute is None or instruction.type != "i32":
        return None
    numbers = [_number(operand.value) for operand in instruction.operands]
    if numbers[0] is None or numbers[1] is None or (instruction.op == "shl" and not 0 <= numbers[1] < 32):
        return None
    return str(to_signed(compute(numbers[0], numbers[1]) & _WORD, 32))
