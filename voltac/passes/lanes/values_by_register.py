"""Values of several registers that shuffles put together and take apart -> computed register by register.

    %x = shufflevector <8 x float> %x0, <8 x float> %x1, <0, 1, ... 15>
    %r = fmul <16 x float> %x, %y                                          two of eight lanes each
    %s = shufflevector <16 x float> %r, <16 x float> %i, <0, 16, 1, 17, 2, 18, 3, 19>
      ->
    %r0 = fmul <8 x float> %x0, %y0
    %s = shufflevector <8 x float> %r0, <8 x float> %i0, <0, 8, 1, 9, 2, 10, 3, 11>

The instructions are the same, since LLVM splits what fills several registers. But lanes between shuffles may stand in any
order then, which :mod:`voltac.passes.lanes.lane_orders` looks for within registers: structs of gangs of 16 lanes, pairs of
doubles.
"""

from __future__ import annotations

from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, lanes_of
from voltac.ir.uses import remove_unused, uses_of
from voltac.options import Options
from voltac.passes.facts.shuffles_behind import mask_of
from voltac.passes.lanes.lane_orders import BITS, REGISTER, is_lanewise, is_same_in_lanes, stays_within
from voltac.passes.loops.width_texts import of_width

_MOST_VALUES = 100
"""That are split for one shuffle. Chosen, not measured."""


def compute_by_register(module: Module, options: Options) -> None:
    """Rewrite the module."""
    declarations: set[str] = set()
    for function in module.often_called:
        parts: _Parts | None = None
        for block in function.blocks:
            together = [each for each in block.instructions if _puts_together(each)]
            if together:
                parts = parts or _Parts(function, declarations)
                parts.begin(block)
                for each in together:
                    if each.name in parts.of:
                        continue
                    if parts.collect(each):
                        parts.write()
                    else:
                        parts.whole |= parts.values
    module.declare(f"declare {each}" for each in sorted(declarations))


def _puts_together(made: Instruction) -> bool:
    """Whether it is a value of registers, one behind the other."""
    if made.op != "shufflevector" or not _is_of_registers(made.type) or made.text.endswith("zeroinitializer"):
        return False
    size = lanes_of(made.operands[0].type)
    return 2 * size == lanes_of(made.type) and mask_of(made) == tuple(range(2 * size))


def _is_of_registers(vector: str) -> bool:
    return BITS.get(element_of(vector), 0) * lanes_of(vector) in (2 * REGISTER, 4 * REGISTER)


class _Parts:
    """The values of a function, in parts, one block after the other."""

    def __init__(self, function: Function, declarations: set[str]) -> None:
        self.function, self.block = function, function.blocks[0]
        self.declarations = declarations
        self.uses = uses_of(function)
        self.definitions = function.definitions()
        self.inside: dict[str, Instruction] = {}
        """What the block makes."""
        self.fresh = function.fresh_names()
        self.of: dict[str, list[str]] = {}
        """Value -> its parts, those that were put together and those that are computed so."""
        self.size = 0
        """Lanes of a part."""
        self.values: set[str] = set()
        self.takers: set[Instruction] = set()
        """Shuffles of parts that belong together."""
        self.whole: set[str] = set()
        """Values that cannot be split, and so none that is computed with them."""

    def begin(self, block: Block) -> None:
        """Go on with another block."""
        self.block, self.of, self.whole = block, {}, set()
        self.inside = {each.name: each for each in block.instructions if each.name}

    def collect(self, first: Instruction) -> bool:
        """All that is computed with a value; whether that is to be split."""
        self.size = REGISTER // BITS[element_of(first.type)]
        self.values, self.takers = set(), set()
        work, count, goes_across = [first.name], lanes_of(first.type), False
        while work:
            name = work.pop()
            if name in self.values:
                continue
            made = self.inside.get(name)
            if made is None or name in self.whole or len(self.values) >= _MOST_VALUES or lanes_of(made.type) != count:
                return False
            self.values.add(name)
            if _puts_together(made):
                registers = self._registers(made.name)
                if len(registers) * self.size != count:
                    return False
                goes_across |= any(each in self.inside and _goes_across(self.inside[each]) for each in registers)
            elif not is_lanewise(made) or not self._demand(made.operands, work):
                return False
            for user in self.uses.of(name):
                if user.name not in self.inside:
                    return False
                if user.op == "shufflevector":
                    if not self._takes_parts(user, work):
                        return False
                    self.takers.add(user)
                elif is_lanewise(user):
                    work.append(user.name)
                else:
                    return False
        return goes_across and bool(self.takers)

    def _demand(self, operands: tuple[Operand, ...] | list[Operand], work: list[str]) -> bool:
        """Whether operands are the same in all lanes, or can be among the values."""
        for each in operands:
            if lanes_of(each.type) and not is_same_in_lanes(each, self.definitions):
                if each.value not in self.inside:
                    return False
                work.append(each.value)
        return True

    def _registers(self, name: str) -> list[str]:
        """What was put together, in order."""
        made = self.inside.get(name)
        if made is None or not _puts_together(made):
            return [name]
        return [register for each in made.operands for register in self._registers(each.value)]

    def _takes_parts(self, shuffle: Instruction, work: list[str]) -> bool:
        """Whether a shuffle that makes a register takes one part of each operand."""
        count = lanes_of(shuffle.operands[0].type)
        if lanes_of(shuffle.type) > self.size or self._parts_taken(shuffle, count) is None:
            return False
        return self._demand(shuffle.operands, work)

    def _parts_taken(self, shuffle: Instruction, count: int) -> list[int] | None:
        """Of each operand the number of its part."""
        taken: list[set[int]] = [set(), set()]
        for lane in mask_of(shuffle):
            if lane >= 0:
                taken[lane // count].add(lane % count // self.size)
        return [next(iter(each), 0) for each in taken] if all(len(each) <= 1 for each in taken) else None

    def write(self) -> None:
        """Split the values, where they stand."""
        result: list[Instruction] = []
        for each in self.block.instructions:
            if each in self.takers:
                result += self._taken(each)
            elif each.name in self.values and _puts_together(each):
                self.of[each.name] = self._registers(each.name)
            elif each.name in self.values:
                result += self._split(each)
            else:
                result.append(each)
        self.block.instructions[:] = result
        # Halves of four registers: what shuffles made would have other users, and stay as it is.
        remove_unused(self.function, [each.name for each in result if _puts_together(each)])
        self.uses, self.definitions = uses_of(self.function), self.function.definitions()
        self.inside = {each.name: each for each in self.block.instructions if each.name}

    def _split(self, made: Instruction) -> list[Instruction]:
        names = self.of[made.name] = [self.fresh("of.register") for _ in range(lanes_of(made.type) // self.size)]
        result: list[Instruction] = []
        for part, name in enumerate(names):
            given = [self._part(each, part, result) for each in made.operands]
            text = of_width(made, given, self.size, self.declarations)
            result.append(Instruction(f"  {name} = {text}{_attached(made)}"))
        return result

    def _part(self, operand: Operand, part: int, result: list[Instruction]) -> str:
        if operand.value in self.of:
            return self.of[operand.value][part]
        if operand.value[0] != "%" or not lanes_of(operand.type):
            return operand.value
        name, lanes = self.fresh("of.register"), ", ".join(f"i32 {lane}" for lane in range(self.size))
        typed = f"{operand.type} {operand.value}"
        result.append(Instruction(f"  {name} = shufflevector {typed}, {operand.type} poison, <{self.size} x i32> <{lanes}>"))
        return name

    def _taken(self, shuffle: Instruction) -> list[Instruction]:
        count = lanes_of(shuffle.operands[0].type)
        taken = self._parts_taken(shuffle, count)
        assert taken is not None
        result: list[Instruction] = []
        kind = f"<{self.size} x {element_of(shuffle.type)}>"
        given = [f"{kind} {self._part(each, part, result)}" for each, part in zip(shuffle.operands, taken)]
        lanes = [lane if lane < 0 else lane // count * self.size + lane % self.size for lane in mask_of(shuffle)]
        mask = ", ".join("i32 poison" if lane < 0 else f"i32 {lane}" for lane in lanes)
        text = f"shufflevector {', '.join(given)}, <{len(lanes)} x i32> <{mask}>"
        return [*result, Instruction(f"  {shuffle.name} = {text}{_attached(shuffle)}")]


def _goes_across(made: Instruction) -> bool:
    return made.op == "shufflevector" and not made.text.endswith("zeroinitializer") and not stays_within(mask_of(made))


def _attached(made: Instruction) -> str:
    place = made.parts.metadata.get("dbg")
    return f", !dbg {place}" if place else ""
