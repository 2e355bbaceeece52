"""Sums that a condition selects behind them -> sums of what the condition selects, so that the next sum waits for nothing else.

    %t = fadd float %s, %x                                 %some = select i1 %c, float %x, float -0.0
    %next = select i1 %c, float %t, float %s        ->     %next = fadd float %s, %some

A loop carries ``%s`` on: each iteration waits for the sum and the selection of the one before, of which the selection is
outside of the chain then. What is added where the condition does not hold is the operation's neutral element: ``s + -0.0``,
``s - 0.0``, ``s * 1.0`` are ``s`` for every ``s``, both zeros, infinities and NaN among them. Of signalling NaN and of denormal
numbers (where the program has these flushed) that holds of what was computed or is a constant, so only what begins as one is
changed. A sum that begins with 0 never is -0.0: there 0.0 is neutral as well, and the selection is an ``and``.

Integers are LLVM's. A fused product would need both factors selected (-0.0 times 0.0), which takes as long as it gains. Where
masks are bits, an operation under a mask is one instruction anyway.
"""

from __future__ import annotations

from functools import cached_property

from voltac.ir.cfg import NaturalLoop, control_flow
from voltac.ir.match import Definitions, made_by
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import FLOAT_BINARY
from voltac.ir.types import element_of, lanes_of
from voltac.ir.uses import Uses, uses_of
from voltac.options import Options
from voltac.passes.loops.same_operation import same_operation
from voltac.records import record

_FLOATS = ("float", "double")
_ZERO = "0.000000e+00"
_NEUTRAL = {"fadd": f"-{_ZERO}", "fsub": _ZERO, "fmul": "1.000000e+00", "fdiv": "1.000000e+00"}
"""Right operands that change nothing."""
_EITHER_SIDE = ("fadd", "fmul")
_PROMISES = frozenset(("fast", "nnan", "ninf"))
"""Of the operation, which did not count for what was not selected."""
_ZEROS = (_ZERO, "zeroinitializer")


def select_operands(module: Module, options: Options) -> None:
    """Rewrite the module."""
    for function in module.functions:
        if any(map(_selects_numbers, function.instructions())) and any(map(_carries_numbers, function.instructions())):
            _Sums(function).run()


def _selects_numbers(each: Instruction) -> bool:
    return " = select " in each.text and each.op == "select" and element_of(each.type) in _FLOATS


def _carries_numbers(each: Instruction) -> bool:
    return " = phi " in each.text and each.op == "phi" and element_of(each.type) in _FLOATS


@record
class _Step:
    """A sum that is selected: ``choice`` is it where the condition is ``on``, else what it was made of, ``kept``."""

    choice: Instruction
    made: Instruction
    on: bool
    kept: str


class _Sums:
    """What the loops of one function sum up."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.definitions: Definitions = function.definitions()
        self.fresh = function.fresh_names()
        self.new: dict[str, list[Instruction]] = {}
        """Names of selections -> what stands in their place."""
        self.gone: set[str] = set()

    @cached_property
    def uses(self) -> Uses:
        """Of the function as it was."""
        return uses_of(self.function)

    def run(self) -> None:
        for loop in control_flow(self.function).loops:
            for phi in self.function.block(loop.header).phis():
                if element_of(phi.type) in _FLOATS and len(loop.latches) == 1:
                    self._rewrite_steps(phi, loop)
        for block in self.function.blocks if self.new else ():
            block.instructions = [
                new for each in block.instructions if each.name not in self.gone for new in self.new.get(each.name, (each,))
            ]

    def _rewrite_steps(self, phi: Instruction, loop: NaturalLoop) -> None:
        arms = dict(zip(phi.parts.labels, (each.value for each in phi.operands), strict=True))
        value, starts = arms.pop(loop.latches[0]), list(arms.values())
        if made_by(("select",), value, self.definitions) is None or not all(map(self._is_computed, starts)):
            return
        steps: list[_Step] = []
        while value != phi.name:
            choice = made_by(("select",), value, self.definitions)
            step = self._step(choice) if choice is not None else None
            if step is None or self._follows(step.choice.operands[0].value, phi):
                return
            steps.append(step)
            value = step.kept
        # Sums are exact where they are that small: only two -0.0 make one.
        zero_is_neutral = len(steps) == 1 and all(each in _ZEROS for each in starts)
        for step in steps:
            self._rewrite(step, zero_is_neutral)

    def _is_computed(self, value: str) -> bool:
        """Whether it is a constant, or arithmetic made it."""
        made = self.definitions.get(value)
        return value[0] != "%" if made is None else made.op in FLOAT_BINARY

    def _step(self, choice: Instruction) -> _Step | None:
        for on in (True, False):
            result, kept = (choice.operands[each].value for each in ((1, 2) if on else (2, 1)))
            made = made_by(_NEUTRAL, result, self.definitions)
            if made is None or self.uses.single_use(result) is not choice:
                continue
            operands = [each.value for each in made.operands]
            if not _PROMISES.isdisjoint(made.parts.flags):
                continue
            if operands.count(kept) == 1 and (operands[0] == kept or made.op in _EITHER_SIDE):
                return _Step(choice, made, on, kept)
        return None

    def _follows(self, condition: str, phi: Instruction) -> bool:
        """Whether the condition is known only where the sum before is, so that there is nothing to gain."""
        pending, seen = [condition], set[str]()
        while pending:
            name = pending.pop()
            made = self.definitions.get(name)
            if made is None or name in seen:
                continue
            if made is phi:
                return True
            seen.add(name)
            pending += made.names_used()
        return False

    def _rewrite(self, step: _Step, zero_is_neutral: bool) -> None:
        made, kind, name = step.made, step.made.type, step.choice.name
        condition = step.choice.operands[0]
        neutral = _ZERO if zero_is_neutral and made.op == "fadd" else _NEUTRAL[made.op]
        if lanes_of(kind):
            neutral = f"splat ({element_of(kind)} {neutral})"
        operands = [each.value for each in made.operands]
        at = 1 - operands.index(step.kept)
        sides = (operands[at], neutral) if step.on else (neutral, operands[at])
        operands[at] = self.fresh("some")
        chosen = f"select {condition.type} {condition.value}, {kind} {sides[0]}, {kind} {sides[1]}"
        unforeseen, debug = step.choice.parts.metadata.get("unpredictable"), made.parts.metadata.get("dbg")
        chosen += f", !unpredictable {unforeseen}" if unforeseen else ""
        sum = same_operation(made, kind, [kind, kind], operands) + (f", !dbg {debug}" if debug else "")
        self.new[name] = [Instruction(f"  {operands[at]} = {chosen}"), Instruction(f"  {name} = {sum}")]
        self.gone.add(made.name)
