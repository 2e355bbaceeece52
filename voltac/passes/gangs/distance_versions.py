"""Gang loops whose indices are put together of the bits of a uniform number -> a version for each power of two below the gang,
and one for multiples of the gang.

    low = ((k & ~(j - 1)) << 1) | (k & (j - 1));  ... a[low], a[low + j]          the pairs of a butterfly, j apart
    ->
    j == 1:      lanes touch elements 2 * k, 2 * k + 1                            regular: vectors and shuffles
    j == 2, 4:   likewise
    j % 8 == 0:  a whole gang lies on one side of each pair                       consecutive elements
    any other j: the loop as it was

Networks that sort, scan or transform go through all powers of two; with lanes that begin at a multiple of the gang, the lowest
bits are what lanes differ in, so these alone decide what a gang touches. Which versions there are is tried
before: those in which every access of the loop has a formula.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import lane_blocks, marks
from voltac.ir.cfg import control_flow
from voltac.ir.lane_formulas import IntegerFacts, UniformSymbol, constant
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.match import Definitions, scalar_of_splat
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation, with_base
from voltac.passes.loops.copied_blocks import CopiedBlocks
from voltac.passes.loops.gang_loops import GangLoop
from voltac.records import record

_MOST_INSTRUCTIONS = 100
"""Of a loop, of which there are some more then. Chosen, not measured."""
_MOST_TRIED = 3
"""Uniform numbers in the indices of one loop."""
_FEWEST_PLACES = 2
"""Of a network: pairs. One place, such as ``ring[i % n]``, says nothing of powers of two."""
_INDEX_OPERATIONS = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, "getelementptr", "freeze"))
"""Quotients are computed in floating point."""


def version_distances(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        if not _may_have_networks(function):
            continue
        flow = control_flow(function)
        values = lane_values(function, layout)
        for loop in flow.loops:
            found = GangLoop.of(function, loop, flow, values, _MOST_INSTRUCTIONS)
            versions = _versions(found, values) if found is not None else None
            if found is not None and versions is not None:
                versions.write(found)
                values = lane_values(function, layout)


def _may_have_networks(function: Function) -> bool:
    is_accessed = is_computed = False
    for instruction in function.instructions():
        if instruction.op in lane_blocks.OPERATIONS or instruction.op == "fptosi":
            is_computed = is_computed or lanes_of(instruction.type) > 1
        elif instruction.op == "call":
            is_accessed = is_accessed or bool(pseudo_operation(instruction))
    return is_accessed and is_computed


def _versions(loop: GangLoop, values: LaneValues) -> _Versions | None:
    """The number that decides, and for which of its values the loop gains."""
    accesses = [each for block in loop.blocks for each in block.instructions if pseudo_operation(each)]
    irregular = [each.operands[-2] for each in accesses if with_base(values.of(each.operands[-2])) is None]
    if len({pointers.value for pointers in irregular}) < _FEWEST_PLACES:
        return None
    lanes = lanes_of(irregular[0].type)
    inside = {each.name for block in (loop.header, *loop.blocks) for each in block.instructions}
    candidates: dict[UniformSymbol, None] = {}
    for pointers in irregular:
        if lanes_of(pointers.type) != lanes or not _collect(pointers, values, inside, candidates):
            return None
    if lanes & (lanes - 1):
        return None

    def regular(key: object, answer: object) -> bool:
        trial = LaneValues(values.function, values.layout)
        trial.memo.assume(key, answer)
        return all(with_base(trial.of(pointers)) is not None for pointers in irregular)

    for symbol in list(candidates)[:_MOST_TRIED]:
        if symbol.name not in inside and regular(symbol, IntegerFacts(lanes)):
            powers = [1 << bit for bit in range(lanes.bit_length() - 1)]
            powers = [power for power in powers if regular(symbol.name, constant(symbol.bits, (power,)))]
            return _Versions(symbol, lanes, tuple(powers))
    return None


def _collect(operand: Operand, values: LaneValues, inside: set[str], found: dict[UniformSymbol, None]) -> bool:
    """The scalars that indices are computed from; whether they are computed from scalars and lane numbers alone."""
    formula = values.of(operand)
    if formula is not None:
        found.update(dict.fromkeys(map(_root, formula.terms)) if formula.is_uniform else ())
        return True
    if (scalar := scalar_of_splat(operand.value, values.definitions)) is not None:
        return _collect(scalar, values, inside, found)
    made = values.definitions.get(operand.value)
    if made is None or made.op not in _INDEX_OPERATIONS or made.name not in inside:
        return False
    return all(_collect(each, values, inside, found) for each in made.operands if each.value[0] == "%")


def _root(symbol: UniformSymbol) -> UniformSymbol:
    while symbol.inner is not None:
        symbol = symbol.inner
    return symbol


@record
class _Versions:
    """What to make of a loop."""

    symbol: UniformSymbol
    """The number that decides."""
    lanes: int
    powers: tuple[int, ...]
    """Below the gang, those for which there is a version."""

    def write(self, loop: GangLoop) -> None:
        """The loop itself becomes that of the multiples; copies are made for the powers, and for all else."""
        function, name, kind = loop.function, self.symbol.name, f"i{self.symbol.bits}"
        fresh = function.fresh_names()
        tests = [(fresh("low"), f"and {kind} {name}, {self.lanes - 1}")]
        handled = fresh("even")
        tests.append((handled, f"icmp eq {kind} {tests[0][0]}, 0"))
        for power in self.powers:
            equal, either = fresh("is_power"), fresh("even")
            tests += [(equal, f"icmp eq {kind} {name}, {power}"), (either, f"or i1 {handled}, {equal}")]
            handled = either
        before = self._copy(loop, loop.outside, marks.UNEVEN, tests, handled, fresh)[0]
        for power in self.powers:
            other = fresh("other")
            before, copies = self._copy(loop, before, f"at_{power}", [(other, f"icmp ne {kind} {name}, {power}")], other, fresh)
            self._put(function, copies, before, str(power), fresh)
        whole = fresh("whole")
        function.block(before).instructions[-1:-1] = [Instruction(f"  {whole} = and {kind} {name}, {-self.lanes}")]
        self._put(function, {block.name for block in (loop.header, *loop.blocks)}, before, whole, fresh)

    def _copy(
        self, loop: GangLoop, before: str, mark: str, tests: list[tuple[str, str]], simple: str, fresh: Callable[[str], str]
    ) -> tuple[str, set[str]]:
        """The block that chooses between loop and copy, and the blocks of the copy."""
        function = loop.function
        names = [loop.header.name, *(block.name for block in loop.blocks)]
        copy = CopiedBlocks(function, names, before, control_flow(function).predecessors)
        copies = copy.write(mark, [Instruction(f"  {name} = {text}") for name, text in tests], simple, fresh)
        choice = next(name for name in control_flow(function).predecessors[loop.header.name] if name not in names)
        return choice, copies

    def _put(self, function: Function, names: set[str], choice: str, number: str, fresh: Callable[[str], str]) -> None:
        """In some blocks, in place of the number that decides; what is computed of it before them is computed anew."""
        definitions = function.definitions()
        blocks = [block for block in function.blocks if block.name in names]
        inside = {each.name for block in blocks for each in block.instructions}
        renamed = {self.symbol.name: number}
        made: list[Instruction] = []
        for block in blocks:
            for instruction in block.instructions:
                for used in instruction.names_used():
                    if used not in inside:
                        self._again(used, definitions, renamed, made, fresh)
        for block in blocks:
            for instruction in block.instructions:
                instruction.rename(renamed)
        function.block(choice).instructions[-1:-1] = made

    def _again(
        self, name: str, definitions: Definitions, renamed: dict[str, str], made: list[Instruction], fresh: Callable[[str], str]
    ) -> bool:
        """Whether a value outside depends on the number; then it is computed with what stands for that."""
        if name in renamed:
            return True
        instruction = definitions.get(name)
        if instruction is None or instruction.op not in _INDEX_OPERATIONS or instruction.op in ("sdiv", "udiv", "srem", "urem"):
            return False
        depends = [self._again(each, definitions, renamed, made, fresh) for each in instruction.names_used()]
        if True not in depends:
            return False
        again = Instruction(instruction.text)
        again.rename(renamed)
        renamed[name] = fresh("at_distance")
        again.text = again.text.replace(name, renamed[name], 1)
        made.append(again)
        return True
