"""The least or greatest that a comparison chooses -> min and max, which are done for several gangs side by side.

    if (p[i] < low) low = p[i];         low = low < p[i] ? low : p[i];         int8 low = ... < (int)p[i] ? low : (int)p[i];

    %low = phi <8 x i32> [ %start, %outside ], [ %next, %body ]
    %v = gather %p, all on
    %less = icmp slt <8 x i32> %v, %low
    %again = gather %p, %less
    %next = select <8 x i1> %less, <8 x i32> %again, <8 x i32> %low    ->    %next = call @llvm.smin(%v, %low)

LLVM does not know that what is loaded under the mask is what was compared, nor that numbers compared after they were
extended may be narrower. What proves it: what the selection takes in a lane is, computed or loaded once more with nothing
written in between, one of the two that were compared, and the mask of such a load is on in every lane for which it is taken.
Where either of the compared is poison, the comparison and so the selection were. Of integers only: floats have NaNs and two
zeros.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.cfg import control_flow
from voltac.ir.constants import is_all_true
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, LANEWISE_INTRINSICS
from voltac.ir.types import element_of
from voltac.ir.uses import Uses, remove_unused_of
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation, read_access
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects, module_effects
from voltac.passes.loops.gang_loops import GangLoop
from voltac.records import record
from voltac.system.lazy_patterns import lazy_pattern

_MOST_INSTRUCTIONS = 200
"""Of a body. Chosen, not measured."""
_DEPTH = 8
"""Operands are compared this far. Chosen, not measured."""
_SELECTION = lazy_pattern(r" = select <\d+ x i1> %\S+, <\d+ x i(?:8|16|32|64)> ")
_INTRINSIC = lazy_pattern(r"@llvm\.(\w+)\.")
_LESS, _GREATER = ("lt", "le"), ("gt", "ge")
_EXTENSIONS = ("zext", "sext")


def find_extremes(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    effects: ModuleEffects | None = None
    for function in module.often_called:
        if not any(" = select <" in each.text and _SELECTION.search(each.text) for each in function.instructions()):
            continue
        flow, values = control_flow(function), lane_values(function, layout)
        for natural in flow.loops:
            loop = GangLoop.of(function, natural, flow, values, _MOST_INSTRUCTIONS)
            if loop is not None and len(loop.blocks) == 1 and loop.carried:
                effects = effects or module_effects(module)
                _rewrite(loop, FunctionEffects(effects, function, values))


def _rewrite(loop: GangLoop, effects: FunctionEffects) -> None:
    found = _Extremes(loop, effects)
    changed = [each for phi in loop.carried if (each := found.of(phi)) is not None]
    if not changed:
        return
    uses, pure = Uses(loop.function.instructions()), _pure(loop.function)
    for each in changed:
        if each.compare in _only_for(each.change.name, loop, uses, pure):
            uses.remove(each.change)
            each.change.text = f"  {each.change.name} = {each.text()}"
            uses.add(each.change)
    remove_unused_of(loop.function, pure, uses)


def _only_for(name: str, loop: GangLoop, uses: Uses, pure: set[str]) -> set[str]:
    """The value, and what nothing else needs: where the least is, too, is asked by the comparison."""
    only = {name}
    for made in reversed(loop.body.instructions):
        if made.name in pure and uses.is_only_by(made.name, only):
            only.add(made.name)
    return only


def _pure(function: Function) -> set[str]:
    """Values that may go where nothing uses them."""
    return {
        made.name
        for made in function.instructions()
        if made.op in (*BINARY, *CASTS, "icmp", "select", "getelementptr") or pseudo_operation(made) == "gather"
    }


@record
class _Extreme:
    """What a phi becomes in each iteration."""

    change: Instruction
    compare: str
    operation: str
    first: str
    second: str

    def text(self) -> str:
        """What stands behind ``=``."""
        vector = self.change.type
        callee = f"@llvm.{self.operation}.v{vector[1:-1].replace(' x ', '')}"
        return f"call {vector} {callee}({vector} {self.first}, {vector} {self.second})"


class _Extremes:
    """Answers about the body of one loop."""

    def __init__(self, loop: GangLoop, effects: FunctionEffects) -> None:
        self._loop = loop
        self._effects = effects
        self._values: LaneValues = loop.values
        self._definitions = loop.values.definitions
        self._places = {made.name: place for place, made in enumerate(loop.body.instructions) if made.name}

    def of(self, phi: Instruction) -> _Extreme | None:
        """None where it is something else."""
        incoming = dict(zip(phi.parts.labels, (operand.value for operand in phi.operands)))
        change = self._definitions.get(incoming[self._loop.body.name])
        if change is None or change.name not in self._places:
            return None
        choice = m.made_by(("select",), change.operands[0].value, self._definitions) if change.op == "trunc" else change
        if choice is None or choice.op != "select" or not element_of(change.type).startswith("i"):
            return None
        test, *arms = [operand.value for operand in choice.operands]
        flipped = m.made_by(("xor",), test, self._definitions)
        if flipped is not None and flipped.operands[1].value == "splat (i1 true)":
            test, arms = flipped.operands[0].value, arms[::-1]
        compare = m.made_by(("icmp",), test, self._definitions)
        if compare is None or compare.parts.predicate in ("eq", "ne"):
            return None
        sign, relation = compare.parts.predicate[0], compare.parts.predicate[1:]
        sides = [self._narrowed(operand.value, change.type) for operand in compare.operands]
        first, second = sides
        if first is None or second is None or phi.name not in (first[0], second[0]):
            return None
        extended = {extension for _, extension in (first, second) if extension}
        if extended:
            # Numbers that fit are in the same order after an extension by their own sign.
            if len(extended) > 1 or not (first[1] and second[1]) or (sign == "u" and "sext" in extended):
                return None
            sign = "u" if "zext" in extended else "s"
        taken = [self._narrowed(arm, change.type) for arm in arms]
        for at, (one, other) in enumerate(((first[0], second[0]), (second[0], first[0]))):
            if all(
                arm is not None and self._is_same(arm[0], side, (test, on), _DEPTH)
                for arm, side, on in zip(taken, (one, other), (True, False), strict=True)
            ):
                least = (relation in _LESS) == (at == 0)
                return _Extreme(change, test, f"{sign}{'min' if least else 'max'}", one, other)
        return None

    def _narrowed(self, name: str, vector: str) -> tuple[str, str] | None:
        """The value of the phi's type that it is, or is extended from, and by what."""
        made = self._definitions.get(name)
        if made is None:
            return None
        if made.type == vector:
            return name, ""
        extended = m.made_by(_EXTENSIONS, name, self._definitions)
        if extended is None or extended.operands[0].type != vector or extended.operands[0].value[0] != "%":
            return None
        return extended.operands[0].value, extended.op

    def _is_same(self, taken: str, compared: str, condition: tuple[str, bool], depth: int) -> bool:
        """Whether it is the value that was compared in all lanes where the condition is as given."""
        if taken == compared:
            return True
        one, other = self._definitions.get(taken), self._definitions.get(compared)
        if depth == 0 or one is None or other is None or one.op != other.op or one.type != other.type:
            return False
        if one.name not in self._places or other.name not in self._places:
            return False
        if pseudo_operation(one) == "gather" and pseudo_operation(other) == "gather":
            return self._is_loaded_again(one, other, condition)
        if not self._is_lanewise(one) or one.parts.callee != other.parts.callee or one.parts.predicate != other.parts.predicate:
            return False
        return len(one.operands) == len(other.operands) and all(
            first.type == second.type and self._is_same(first.value, second.value, condition, depth - 1)
            for first, second in zip(one.operands, other.operands, strict=True)
        )

    def _is_lanewise(self, made: Instruction) -> bool:
        if made.op == "call":
            called = _INTRINSIC.match(made.parts.callee)
            return called is not None and called[1] in LANEWISE_INTRINSICS
        return made.op in BINARY or (made.op in CASTS and made.op != "bitcast")

    def _is_loaded_again(self, again: Instruction, before: Instruction, condition: tuple[str, bool]) -> bool:
        """Whether a load gives what one with all lanes on gave, in the lanes of the condition."""
        (pointers, mask), (first_pointers, first_mask) = (
            [operand.value for operand in each.operands[:2]] for each in (again, before)
        )
        places = self._places[before.name], self._places[again.name]
        if pointers != first_pointers or not is_all_true(first_mask) or places[0] > places[1]:
            return False
        if not is_all_true(mask) and not self._is_condition(mask, condition):
            return False
        memory = read_access(places[0], before, "gather", self._values).memory
        return not any(
            self._effects.may_write(each, memory) for each in self._loop.body.instructions[places[0] + 1 : places[1]]
        )

    def _is_condition(self, mask: str, condition: tuple[str, bool]) -> bool:
        test, on = condition
        flipped = m.made_by(("xor",), mask, self._definitions)
        if flipped is not None and flipped.operands[1].value == "splat (i1 true)":
            mask, on = flipped.operands[0].value, not on
        return mask == test and on
