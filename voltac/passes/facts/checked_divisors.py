"""Which divisors of a function have to be looked at, and which of them before they are divided by."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from voltac.ir import match as m
from voltac.ir.cfg import control_flow
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import CASTS, Operand
from voltac.ir.types import element_of
from voltac.ir.uses import Uses, uses_of
from voltac.passes.accesses.access import is_divisor
from voltac.passes.facts.known_divisors import is_never_zero

_DIVISIONS = frozenset(("fdiv", "sdiv", "udiv", "srem", "urem"))
_BEFORE_DIVISIONS = frozenset((*CASTS, "freeze", "insertelement", "shufflevector", "and", "or", "xor", "fadd", "fsub", "icmp"))
"""What makes of a divisor the form that it is divided in (:mod:`voltac.lower.values.division`)."""
_LOCAL = m.behind(("getelementptr",), m.op("alloca"))


class CheckedDivisors:
    """The divisors of one function; where nothing is optimized all that are looked at are so at once."""

    def __init__(self, function: Function, values: LaneValues, optimizing: bool) -> None:
        self._function = function
        self._values = values
        self._optimizing = optimizing
        self._flow = control_flow(function)

    def needed(self) -> list[Instruction]:
        """The divisors to be looked at; not those that are known, or are looked at where the way here led through."""
        found: list[Instruction] = []
        seen: dict[object, list[str]] = {}
        by_name = {block.name: block for block in self._function.blocks}
        for name in self._flow.order:
            for made in by_name[name].instructions:
                if is_divisor(made):
                    before = seen.setdefault(self._key(made.operands[0]), [])
                    if not any(self._flow.dominates(other, name) for other in before):
                        before.append(name)
                        if not is_never_zero(made.operands[0], self._values):
                            found.append(made)
        return found

    def _key(self, operand: Operand) -> object:
        """The same for divisors that are computed twice from what is one."""
        made = m.made_by(("select", "sext", "zext"), operand.value, self._values.definitions)
        if made is None:
            return operand
        return made.op, made.type, tuple(map(self._key, made.operands))

    def is_due_at_once(self, made: Instruction) -> bool:
        """Whether what is made of the quotient may end the process, or keep it from ending."""
        if not self._optimizing:
            return True  # Values go through memory there.
        waiting = list(self._quotients(made.operands[0].value))
        seen = set(waiting)
        while waiting:
            name = waiting.pop()
            for user in self._uses.of(name):
                if self._is_fateful(user, name):
                    return True
                if user.name and user.name not in seen and user.op not in ("load", "cmpxchg", "atomicrmw"):
                    seen.add(user.name)
                    waiting.append(user.name)
        return False

    def _is_fateful(self, user: Instruction, name: str) -> bool:
        """Whether a wrong number in ``name`` does harm there, and not only in what is computed."""
        if user.op in ("br", "switch"):
            return True  # A loop may not end, and what the test guards may be reached.
        if user.op == "store" and user.operands[0].value == name:
            return self._is_local(user.operands[1].value)
        if user.op in ("load", "store", "cmpxchg", "atomicrmw"):
            return True
        if user.op != "call" or is_divisor(user):
            return False
        if not user.parts.callee.startswith("@llvm."):
            return True
        if user.parts.callee.startswith("@llvm.mem"):
            return True
        decides = ("ptr", "i1") if user.parts.callee.startswith("@llvm.masked.") else ("ptr",)
        return any(element_of(operand.type) in decides and operand.value == name for operand in user.operands)

    def _is_local(self, pointer: str) -> bool:
        """Whether it leads into a variable of the function, where a number may come back from."""
        return _LOCAL.matches(pointer, self._values.definitions)

    def _quotients(self, divisor: str) -> Iterator[str]:
        """The results of divisions by a divisor, as far as they are found; else the divisor, of which they are made."""
        waiting, seen, found = [divisor], {divisor}, False
        definitions = self._values.definitions
        while waiting:
            name = waiting.pop()
            made = definitions.get(name)
            before = []
            if made is not None and made.op in ("select", "shufflevector", "sext", "zext"):
                # Where lanes are off, or all have one divisor, what is divided by is what this was made of.
                before = [made.operands[1 if made.op == "select" else 0].value]
            elif made is not None and made.op == "insertelement":
                before = [made.operands[1].value]
            for user in self._uses.of(name):
                if user.op in _DIVISIONS:
                    found = True
                    yield user.name
                elif user.op in _BEFORE_DIVISIONS or "@llvm.abs." in user.text:
                    before.append(user.name)
            for each in before:
                if each[0] == "%" and each not in seen:
                    seen.add(each)
                    waiting.append(each)
        if not found:
            yield divisor

    @cached_property
    def _uses(self) -> Uses:
        return uses_of(self._function)
