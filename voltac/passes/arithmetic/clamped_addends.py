"""A number that all lanes share, added to bytes and held within bounds -> one that 16 bits are enough for.

    %x = zext <8 x i8> %b to <8 x i32>
    %y = add nsw <8 x i32> %x, %splat                  ; of %n, which may be any number
    %low = call @llvm.smax(%y, splat (i32 0))          %bright = call @llvm.smin(%low, splat (i32 255))
    ->
    %near = smin(smax(%n, -255), 255)                  ; once, where %n is known
    %y = add nsw <8 x i32> %x, splat of %near

``%x`` is from 0 to 255: with 255 and with all that is more every sum is held at 255, with -255 and less at 0. What would have
overflowed does not any more. :mod:`voltac.passes.arithmetic.narrow_arithmetic` then finds that the sum has 16 bits.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.constants import integers
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, integer_bits
from voltac.ir.uses import uses_of
from voltac.options import Options
from voltac.passes.arithmetic.prepared_numbers import DECLARATIONS, PreparedNumbers
from voltac.passes.facts.integer_ranges import Range
from voltac.passes.facts.lane_ranges import LaneRanges
from voltac.system.lazy_patterns import lazy_pattern

_BOUND = lazy_pattern(r"@llvm\.(smin|smax)\.v\d+i32$")
_MOST = (1 << 15) - 1
"""In 16 bits."""


def bound_addends(module: Module, options: Options) -> None:
    """Rewrite the module."""
    changed = False
    for function in module.often_called:
        if any(" @llvm.smax.v" in made.text for made in function.instructions() if made.op == "call"):
            changed = _rewrite(function) or changed
    if changed:
        module.declare(DECLARATIONS)


def _rewrite(function: Function) -> bool:
    definitions, uses = function.definitions(), uses_of(function)
    ranges, numbers = LaneRanges(definitions), PreparedNumbers(function, function.fresh_names())
    changed = False

    def bounds(made: Instruction) -> Range | None:
        """Within which two operations hold a sum that only they see."""
        found: dict[str, int] = {}
        for _ in range(2):
            user = uses.single_use(made.name)
            called = _BOUND.match(user.parts.callee) if user is not None and user.op == "call" else None
            if user is None or called is None or called[1] in found:
                return None
            others = [each for each in user.operands[:2] if each.value != made.name]
            constants = set(integers(others[0].type, others[0].value) or ()) if others and others[0].value[0] != "%" else set()
            if len(constants) != 1:
                return None
            found[called[1]] = constants.pop()
            made = user
        return (found["smax"], found["smin"]) if found["smax"] <= found["smin"] else None

    for block in function.blocks:
        here = {made.name for made in block.instructions if made.name}
        lines: list[Instruction] = []
        for made in block.instructions:
            found = _shared_addend(made, definitions)
            if found is not None and found[1].value not in here and (held := bounds(made)) is not None:
                place, scalar = found
                low, high = ranges.range(made.operands[1 - place])
                # Of a sum; of what is taken off turned around.
                least, most = held[0] - high, held[1] - low
                if made.op == "sub":
                    least, most = (-most, -least) if place == 1 else (held[0] + low, held[1] + high)
                if max(abs(least), abs(most)) + max(abs(low), abs(high)) <= _MOST:
                    near = numbers.splat(numbers.nearest(scalar.value, scalar.value, least, most), made.type, lines)
                    values = [near if at == place else each.value for at, each in enumerate(made.operands)]
                    made.text = f"  {made.name} = {made.op} nsw {made.type} {values[0]}, {values[1]}"
                    changed = True
            lines.append(made)
        block.instructions = lines
    if changed:
        numbers.write()
    return changed


def _shared_addend(made: Instruction, definitions: m.Definitions) -> tuple[int, Operand] | None:
    """Which operand of a sum with bytes, that may not overflow, is a number that all lanes share, and that number."""
    if made.op not in ("add", "sub") or " = " + made.op + " nsw <" not in made.text or element_of(made.type) != "i32":
        return None
    for place, operand in enumerate(made.operands):
        scalar = m.scalar_of_splat(operand.value, definitions)
        extended = m.made_by(("zext", "sext"), made.operands[1 - place].value, definitions)
        if scalar is not None and scalar.value[0] == "%" and extended is not None:
            return (place, scalar) if integer_bits(element_of(extended.operands[0].type)) == 8 else None
    return None
