"""Vectors that are put together lane by lane and taken apart lane by lane -> scalars all the way.

    %a = load i8, ptr %p0 ...                                   %a = load i8, ptr %p0 ...
    %v = insertelement <8 x i8> poison, i8 %a, i64 0 ...        %wide = zext i8 %a to i32
    %wide = zext <8 x i8> %v to <8 x i32>                       %k = and i32 %wide, 15
    %k = and <8 x i32> %wide, splat (i32 15)              ->    ... of each lane
    %l = extractelement <8 x i32> %k, i64 0 ...
    %q = getelementptr i32, ptr %to, i32 %l                     %q = getelementptr i32, ptr %to, i32 %k

Accesses that became scalar ones bring lanes into vectors and take them out of vectors again: places in a table that were loaded
themselves, counts that are loaded, increased and stored. A lane that comes and goes takes two to four operations, all of
them shuffles, of which a processor does one or two in a cycle, four times as many of others. Where all that is computed
between costs less in scalars, no vector is made. LLVM does it for vectors that are used once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property

from voltac.ir import match as m
from voltac.ir.cfg import control_flow
from voltac.ir.constants import integers, splatted
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, Operand, parse_operand
from voltac.ir.scan import split_list
from voltac.ir.types import element_of, lanes_of
from voltac.ir.uses import Uses, uses_of
from voltac.options import Options

_SLOW = frozenset(("udiv", "sdiv", "urem", "srem"))
_COMPUTED = (frozenset((*BINARY, "fadd", "fsub", "fmul")) - _SLOW) | (frozenset(CASTS) & {"zext", "sext", "trunc"})
_PURE = _COMPUTED | {"getelementptr", "insertelement", "shufflevector", "extractelement"}
_SCALAR, _VECTOR = 0.3, 0.5
"""A scalar operation and one of a vector, in those that bring a lane into a vector or out of it."""
_MOST_LANES = 16
"""Of wider ones there are more scalars than registers by far. Chosen."""


def keep_lanes_in_scalars(module: Module, options: Options) -> None:
    """Rewrite the module."""
    for function in module.often_called:
        if _is_taken_apart(function):
            if _Lanes(function).run():
                _remove_unused(function)


def _is_taken_apart(function: Function) -> bool:
    """Whether as many lanes are taken from some vector as it has."""
    taken = Counter(each.operands[0] for block in function.blocks for each in block.instructions if each.op == "extractelement")
    return any(1 < lanes_of(vector.type) <= min(count, _MOST_LANES) for vector, count in taken.items())


def _remove_unused(function: Function) -> None:
    uses = Uses(function.instructions())
    pure = {each.name: each for each in function.instructions() if each.op in _PURE}
    work = [name for name in pure if uses.is_unused(name)]
    gone: set[str] = set()
    while work:
        name = work.pop()
        gone.add(name)
        uses.remove(pure[name])
        work += [used for used in set(pure[name].names_used()) if used in pure and used not in gone and uses.is_unused(used)]
    if gone:
        for block in function.blocks:
            block.instructions = [each for each in block.instructions if each.name not in gone]


class _Lanes:
    """The vectors of one function that are used lane by lane."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.definitions = function.definitions()
        self.uses = uses_of(function)
        self.unused: set[str] = set()
        """What passes left behind, which counts as no use."""
        self.inside = self._used_by_lane()
        self.scalars: dict[str, list[str]] = {}

    @cached_property
    def _blocks(self) -> list[Block]:
        """Each before those that it dominates, which the text need not have so; last those that nothing reaches."""
        places = {name: at for at, name in enumerate(control_flow(self.function).order)}
        return sorted(self.function.blocks, key=lambda block: places.get(block.name, len(places)))

    @cached_property
    def fresh(self) -> Callable[[str], str]:
        """For names that are not taken in the function."""
        return self.function.fresh_names()

    def run(self) -> bool:
        """Compute in scalars what costs less so; whether anything does."""
        chosen: set[str] = set()
        left = set(self.inside)
        for name in self.inside:
            if name in left:
                together = self._together(name)
                left -= together
                if self._gains(together):
                    chosen |= together
        if chosen:
            self._write(chosen)
        return bool(chosen)

    def _used_by_lane(self) -> dict[str, None]:
        """Values all of whose users take single lanes, or compute such values."""
        found: dict[str, None] = {}
        for block in reversed(self._blocks):
            for made in reversed(block.instructions):
                if made.op not in _PURE:
                    continue
                if self.uses.is_only_by(made.name, self.unused):
                    self.unused.add(made.name)
                    continue
                if made.op not in _COMPUTED or not 1 < lanes_of(made.type) <= _MOST_LANES:
                    continue
                if all(_lane_taken(user) is not None or user.name in found for user in self._users(made.name)):
                    if all(self._is_known(each) for each in made.operands):
                        found[made.name] = None
        return found

    def _users(self, name: str) -> list[Instruction]:
        return [user for user in self.uses.of(name) if user.name not in self.unused]

    def _is_known(self, operand: Operand) -> bool:
        if element_of(operand.type) == "i1":
            return False  # lanes of masks are bits, which take longer to come by
        return operand.value[0] == "%" or _constants(operand) is not None

    def _together(self, first: str) -> set[str]:
        """What is computed with a value."""
        found: set[str] = set()
        work = [first]
        while work:
            name = work.pop()
            if name in found:
                continue
            found.add(name)
            work += [each.value for each in self.definitions[name].operands if each.value in self.inside]
            work += [user.name for user in self._users(name) if user.name in self.inside]
        return found

    def _gains(self, together: set[str]) -> bool:
        lanes = lanes_of(self.definitions[next(iter(together))].type)
        gain, loss, taken = 0.0, 0.0, 0
        sources: dict[str, Operand] = {}
        for name in together:
            gain += _VECTOR
            taken += sum(_lane_taken(user) is not None for user in self._users(name))
            loss += _SCALAR * lanes
            sources.update({each.value: each for each in self.definitions[name].operands if each.value[0] == "%"})
        for name, operand in sources.items():
            if name in together or m.scalar_of_splat(name, self.definitions) is not None:
                continue
            if self._parts(operand) is None:
                loss += lanes
            elif all(user.name in together or _lane_taken(user) is not None for user in self._users(name)):
                gain += lanes
        # Single lanes, such as the first one of places that are side by side, LLVM computes alone.
        return taken >= lanes and gain + taken > loss

    def _parts(self, operand: Operand) -> list[Operand] | None:
        """The scalars that a vector was put together from, one for each lane."""
        parts: dict[int, Operand] = {}
        name = operand.value
        while (made := m.made_by(("insertelement",), name, self.definitions)) is not None:
            place = integers(made.operands[2].type, made.operands[2].value) if made.operands[2].value[0] != "%" else None
            if not place:
                return None
            parts.setdefault(place[0], made.operands[1])
            name = made.operands[0].value
        lanes = lanes_of(operand.type)
        return [parts[lane] for lane in range(lanes)] if parts.keys() == set(range(lanes)) else None

    def _write(self, chosen: set[str]) -> None:
        same: dict[str, str] = {}
        for block in self._blocks:
            lines: list[Instruction] = []
            for made in block.instructions:
                lane = _lane_taken(made)
                if made.name in chosen:
                    self._compute(made, lines)
                elif lane is not None and made.operands[0].value in chosen:
                    same[made.name] = self.scalars[made.operands[0].value][lane]
                else:
                    lines.append(made)
            block.instructions = lines
        self.function.replace_uses(same)

    def _compute(self, made: Instruction, lines: list[Instruction]) -> None:
        """Each lane by itself."""
        lanes, flags = lanes_of(made.type), "".join(f"{flag} " for flag in made.parts.flags)
        operands = [self._lanes_of(each, lines) for each in made.operands]
        kind = element_of(made.operands[0].type)
        names: list[str] = []
        for lane in range(lanes):
            name = self.fresh("in.lane")
            values = ", ".join(each[lane] for each in operands)
            ending = f" to {element_of(made.type)}" if made.op in CASTS else ""
            lines.append(Instruction(f"  {name} = {made.op} {flags}{kind} {values}{ending}"))
            names.append(name)
        self.scalars[made.name] = names

    def _lanes_of(self, operand: Operand, lines: list[Instruction]) -> list[str]:
        lanes = lanes_of(operand.type)
        if operand.value in self.scalars:
            return self.scalars[operand.value]
        if operand.value[0] != "%":
            constants = _constants(operand)
            assert constants is not None
            return constants
        scalar = m.scalar_of_splat(operand.value, self.definitions)
        if scalar is not None:
            return [scalar.value] * lanes
        parts = self._parts(operand)
        if parts is not None:
            return [each.value for each in parts]
        taken: list[str] = []
        for lane in range(lanes):
            taken.append(self.fresh("taken"))
            lines.append(Instruction(f"  {taken[-1]} = extractelement {operand.type} {operand.value}, i64 {lane}"))
        return taken


def _lane_taken(user: Instruction) -> int | None:
    """The lane that an instruction takes out of a vector, where it is known."""
    if user.op != "extractelement":
        return None
    found = integers(user.operands[1].type, user.operands[1].value) if user.operands[1].value[0] != "%" else None
    return found[0] if found and 0 <= found[0] < lanes_of(user.operands[0].type) else None


def _constants(operand: Operand) -> list[str] | None:
    """A constant vector lane by lane, as it is written."""
    lanes = lanes_of(operand.type)
    if operand.value == "zeroinitializer":
        return ["0.0" if element_of(operand.type) in ("float", "double") else "0"] * lanes
    if (scalar := splatted(operand.value)) is not None:
        return [scalar.value] * lanes
    if operand.value[0] == "<":
        found = [parse_operand(each).value for each in split_list(operand.value[1:-1])]
        return found if all(each not in ("poison", "undef") for each in found) else None
    return None
