"""Selections one upon the other, by masks that exclude each other -> one selection by each condition.

    %m = and %live, %c          %x1 = select %m, (add %x, 1), %x          if (c) x = x + 1; else x = x - 2;
    %n = and %live, (not %c)    %x2 = select %n, (sub %x1, 2), %x1
    ->
    %x2 = select %c, (add %x, 1), (sub %x, 2)

What lanes are that left a loop makes no difference where nothing but the loop looks at it, under the mask of those that are
still in it: so what a loop carries on is not held fast for them, which each iteration would wait for. In straight code all
lanes count.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow, NaturalLoop, control_flow
from voltac.ir.constants import is_all_true
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.match import made_by
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import element_of, lanes_of
from voltac.ir.uses import remove_unused_of, uses_of
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.accesses.available_loads import mask_implies
from voltac.passes.loops.lane_loops import scalar_callee

Literal = tuple[str, bool]
"""A condition, and whether it holds."""
Facts = frozenset[Literal]
"""What holds for the lanes that count."""

_DIVISIONS = frozenset(("sdiv", "udiv", "srem", "urem"))
_LANEWISE = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "icmp", "fcmp", "select", "freeze")) - _DIVISIONS
_FORMS = m.one_of(m.op(("sext", "freeze"), m.value("mask")), m.negative(m.value("mask")))
_BOTH = m.one_of(m.op("and", m.value("one"), m.value("other")), m.op("select", m.value("one"), m.value("other"), m.number(0)))
_INVERSE = m.op("xor", m.value("mask"), m.all_ones())
_ANY_LANE = m.op("icmp", m.op("bitcast", m.mask("mask")), m.number(0), predicate="ne")
_MOST_LITERALS = 12
"""Of a mask. Chosen, not measured."""
_MOST_DEEP = 12
"""Selections and operations one upon the other. Chosen, not measured."""
_MOST_CHAIN = 24
"""Selections one upon the other. Chosen, not measured."""

_MOST_STEPS = 400
"""Values looked at for one value: each condition is looked behind on both its sides. Ciphers written with selections took a
second without a limit; what was rewritten in the programs of the tests took 265 at most."""

_MOST_OF_FUNCTION = 5000
"""The same of all values of a function, which then takes 20 ms. Chosen."""


def choose_once(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        if any(" = select <" in each.text for each in function.instructions()):
            _Choices(function, lane_values(function, layout)).run()


class _Choices:
    """Selections of one function."""

    def __init__(self, function: Function, values: LaneValues) -> None:
        self.function = function
        self.values = values
        self.definitions = values.definitions
        self.uses = uses_of(function)
        self.fresh = function.fresh_names()
        self.new: list[Instruction] = []
        self.selections = 0
        """Written for the value at hand."""
        self.steps = 0
        """Values looked at for it."""
        self.all_steps = 0
        """Values looked at for those before."""
        self._literals: dict[str, Facts] = {}

    def run(self) -> None:
        """Of what loops carry on, then of all others."""
        flow = control_flow(self.function)
        for loop in flow.loops:
            if self._loop(loop, flow):
                self._clean()
        for block in self.function.blocks:
            # The last first: what its conditions are made of may be gone then.
            for made in reversed(list(block.instructions)):
                if made.op == "select" and lanes_of(made.operands[0].type) and not self._is_inside(made):
                    if not self.uses.is_unused(made.name) and self._straight(made, block):
                        self._clean()

    def _clean(self) -> None:
        """Take out what nothing needs any more."""
        names = {made.name for block in self.function.blocks for made in block.instructions if made.op in _LANEWISE}
        remove_unused_of(self.function, names, self.uses)
        self._literals = {}

    # ---- masks as conditions that all hold ------------------------------------

    def literals(self, mask: str) -> Facts:
        """What holds in the lanes of a mask."""
        if mask not in self._literals:
            self._literals[mask] = frozenset(self._collect(mask, 0))
        return self._literals[mask]

    def _collect(self, mask: str, depth: int) -> set[Literal]:
        while (form := _FORMS.find(mask, self.definitions)) is not None:
            mask = form["mask"].value
        if is_all_true(mask):
            return set()
        if depth < _MOST_DEEP:
            if (both := _BOTH.find(mask, self.definitions)) is not None:
                return {each for side in both.values() for each in self._collect(side.value, depth + 1)}
            if (inverse := _INVERSE.find(mask, self.definitions)) is not None:
                inner = self._collect(inverse["mask"].value, depth + 1)
                if len(inner) == 1:
                    return {(name, not holds) for name, holds in inner}
        return {(mask, True)}

    # ---- loops ------------------------------------------------------------------

    def _loop(self, loop: NaturalLoop, flow: ControlFlow) -> bool:
        """Values that the loop carries on for lanes that are still in it."""
        header = self.function.block(loop.header)
        branch = header.terminator
        if len(loop.latches) != 1 or branch.op != "br" or len(branch.parts.labels) != 2:
            return False
        tested = _ANY_LANE.find(branch.operands[0].value, self.definitions)
        if tested is None:
            return False
        latch = loop.latches[0]
        live = self._live(header, latch, tested["mask"].value)
        if live is None:
            return False
        inside = {made.name for name in loop.blocks for made in self.function.block(name).instructions if made.name}
        phis = {phi.name: phi for phi in header.phis() if lanes_of(phi.type) and phi is not live}
        changed = False
        for phi in phis.values():
            back = _arm(phi, latch)
            made = made_by(("select",), back, self.definitions)
            if made is None or not self._is_protected(phi, live, phis, inside, latch):
                continue
            home = next((each for each in self.function.blocks if any(one is made for one in each.instructions)), None)
            if home is None or home.name not in loop.blocks:
                continue
            value = self._rebuilt(Operand(phi.type, back), self.literals(tested["mask"].value), home, made)
            if value != back:
                self.uses.remove(phi)
                phi.text = phi.text.replace(f"[ {back}, %{latch} ]", f"[ {value}, %{latch} ]")
                self.uses.add(phi)
                changed = True
        return changed

    def _live(self, header: Block, latch: str, tested: str) -> Instruction | None:
        """The phi of the lanes that are still in the loop, where those that leave do not come back."""
        for phi in header.phis():
            if lanes_of(phi.type) and self.literals(_arm(phi, latch)) == self.literals(tested):
                if (phi.name, True) in self.literals(tested):
                    return phi
        return None

    def _is_protected(
        self, start: Instruction, live: Instruction, phis: dict[str, Instruction], inside: set[str], latch: str
    ) -> bool:
        """Whether lanes that left the loop may hold anything in this phi, poison too."""
        work, seen = [(start.name, False)], set[tuple[str, bool]]()
        while work:
            name, frozen = work.pop()
            if (name, frozen) in seen:
                continue
            seen.add((name, frozen))
            for user in self.uses.of(name):
                if user.name and user.name not in inside:
                    return False
                if user.op == "phi":
                    if user.name not in phis or user.name != start.name:
                        return False
                    continue
                if user.op == "select" and self._is_under(user.operands[0].value, live):
                    if user.operands[2].value == name:
                        work.append((user.name, False))
                    if user.operands[0].value == name:
                        return False
                    continue
                if pseudo_operation(user):
                    if not self._is_under(user.operands[-1].value, live) or user.operands[-1].value == name:
                        return False
                    continue
                if user.op == "and" and any(each.value != name and self._is_under(each.value, live) for each in user.operands):
                    if not frozen:
                        return False
                    continue
                if not _is_lanewise(user) or lanes_of(user.type) != lanes_of(start.type):
                    return False
                keeps = user.op in ("sext", "xor") or _FORMS.matches(user.name, self.definitions)
                work.append((user.name, user.op == "freeze" or (frozen and keeps)))
        return True

    def _is_under(self, mask: str, live: Instruction) -> bool:
        return (live.name, True) in self.literals(mask) or mask_implies(mask, live.name, self.values)

    # ---- straight code ----------------------------------------------------------

    def _is_inside(self, made: Instruction) -> bool:
        """Whether it is a part of one chain of selections."""
        users = self.uses.of(made.name)
        return len(users) == 1 and users[0].op == "select" and users[0].operands[2].value == made.name

    def _straight(self, made: Instruction, block: Block) -> bool:
        if made_by(("select",), made.operands[2].value, self.definitions) is None:
            return False
        value = self._rebuilt(Operand(made.type, made.name), frozenset(), block, made)
        if value == made.name:
            return False
        users = self.uses.of(made.name)
        for user in users:
            self.uses.remove(user)
        self.function.replace_uses({made.name: value})
        for user in users:
            self.uses.add(user)
        return True

    # ---- writing ----------------------------------------------------------------

    def _rebuilt(self, value: Operand, facts: Facts, block: Block, at: Instruction) -> str:
        """A value that is equal in the lanes for which this holds; itself where that takes more selections."""
        self.all_steps += self.steps
        self.new, self.selections, self.steps = [], 0, 0
        if self.all_steps > _MOST_OF_FUNCTION:
            return value.value
        masks: list[str] = []
        name = value.value
        while len(masks) < _MOST_CHAIN and (made := made_by(("select",), name, self.definitions)) is not None:
            masks.append(made.operands[0].value)
            name = made.operands[2].value
        chain = len(masks)
        found = self._decided(value, facts, 0)
        if found is None or found == value.value or self.selections > chain or chain == _MOST_CHAIN:
            return value.value
        if not facts and self.selections == chain and all(len(self.literals(mask)) < 2 for mask in masks):
            return value.value
        position = next(number for number, each in enumerate(block.instructions) if each is at) + 1
        block.instructions[position:position] = self.new
        for each in self.new:
            self.definitions[each.name] = each
            self.uses.add(each)
        return found

    def _decided(self, value: Operand, facts: Facts, depth: int) -> str | None:
        """What a value is where these facts hold; None where it is not worth it."""
        self.steps += 1
        if depth > _MOST_DEEP or self.selections > _MOST_CHAIN or self.steps > _MOST_STEPS:
            return None
        name = value.value
        made = self.definitions.get(name)
        while made is not None and made.op == "select" and lanes_of(made.operands[0].type):
            wanted = self.literals(made.operands[0].value)
            if wanted <= facts:
                name = made.operands[1].value
            elif any((condition, not holds) in facts for condition, holds in wanted):
                name = made.operands[2].value
            else:
                break
            made = self.definitions.get(name)
        if made is None or made.op not in _LANEWISE or not lanes_of(made.type):
            return name
        if made.op == "select" and lanes_of(made.operands[0].type):
            return self._choice(made, facts, depth)
        if not facts or made.op in ("icmp", "fcmp", "freeze"):
            return name
        return self._copied(made, facts, depth) or name

    def _operand(self, operand: Operand, facts: Facts, depth: int) -> str:
        """Of an operation: what is decided without another selection."""
        before = self.selections
        kept = len(self.new)
        found = self._decided(operand, facts, depth) if lanes_of(operand.type) else None
        if found is None or self.selections > before:
            self.selections = before
            del self.new[kept:]
            return operand.value
        return found

    def _choice(self, made: Instruction, facts: Facts, depth: int) -> str | None:
        """A selection by the first condition of a chain that is not known."""
        counts: dict[str, int] = {}
        ready: set[str] = set()
        name = made.name
        for _ in range(_MOST_CHAIN):
            each = self.definitions.get(name)
            if each is None or each.op != "select" or not lanes_of(each.operands[0].type):
                break
            wanted = self.literals(each.operands[0].value)
            if not any((condition, not holds) in facts for condition, holds in wanted):
                left = [condition for condition, _ in wanted - facts]
                ready.update(left if len(left) == 1 else ())
                counts.update((condition, counts.get(condition, 0) + 1) for condition in left)
            name = each.operands[2].value
        condition = self.definitions.get(max(ready, key=lambda name: (counts[name], name), default=""))
        if condition is None or element_of(condition.type) != "i1" or len(facts) > _MOST_LITERALS:
            return None
        whole = Operand(made.type, made.name)
        self.selections += 1
        sides = [self._decided(whole, facts | {(condition.name, holds)}, depth + 1) for holds in (True, False)]
        if sides[0] is None or sides[1] is None:
            return None
        frozen = self._write(f"freeze {condition.type} {self._where(condition, facts, depth)}")
        return self._write(f"select {condition.type} {frozen}, {made.type} {sides[0]}, {made.type} {sides[1]}")

    def _where(self, condition: Instruction, facts: Facts, depth: int) -> str:
        """A condition for lanes of which these facts are known."""
        if condition.op not in ("icmp", "fcmp") or not facts:
            return condition.name
        return self._copied(condition, facts, depth) or condition.name

    def _copied(self, made: Instruction, facts: Facts, depth: int) -> str:
        """An operation on what its operands are where these facts hold; empty where these are as they were."""
        given = [each.value if each.value[0] != "%" else self._operand(each, facts, depth + 1) for each in made.operands]
        if given == [each.value for each in made.operands]:
            return ""
        copy = Instruction(made.text)
        copy.rename({each.value: new for each, new in zip(made.operands, given) if each.value[0] == "%"})
        return self._write(copy.text.partition(" = ")[2])

    def _write(self, text: str) -> str:
        name = self.fresh("chosen")
        self.new.append(Instruction(f"  {name} = {text}"))
        return name


def _is_lanewise(made: Instruction) -> bool:
    """Whether each lane of the result is made of the same lanes, and nothing happens where these hold anything."""
    return made.op in _LANEWISE or (made.op == "call" and scalar_callee(made.parts.callee) is not None)


def _arm(phi: Instruction, label: str) -> str:
    """What comes to a phi from a block."""
    return next((operand.value for operand, each in zip(phi.operands, phi.parts.labels) if each == label), "")
