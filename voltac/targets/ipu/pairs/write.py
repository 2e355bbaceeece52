"""Scalars that are lanes of pairs -> operations on pairs; who else wants a lane takes it out, who else makes one puts it in.

Both lanes of a pair are computed at once, so a block gets a new order: what has effects as before, each other operation where
it is first needed. So few values live at a time, of which there is room for four pairs.
"""

from __future__ import annotations

from voltac.ir.model import Block, Function, Instruction
from voltac.ir.parts import Operand
from voltac.targets.ipu.pairs.find import Couple, Pairs
from voltac.targets.ipu.pairs.mask_words import Vote
from voltac.targets.ipu.pairs.memory_order import MemoryOrder
from voltac.targets.ipu.pairs.types import BOTH, EITHER, MAKE_MASK, MAKE_PAIR, MASK, MASK_BITS, PAIR, STORE_HALVES

_TYPES = {"float": PAIR, "i1": MASK}
_ZEROS = {"float": "0.0", "i1": "false"}


class _Cycle(Exception):
    """A pair one of whose lanes needs what needs the other."""

    def __init__(self, key: int) -> None:
        self.key = key


def write_pairs(function: Function, pairs: Pairs) -> set[str]:
    """Returns what is called by now, as it is declared."""
    while True:
        writer = _Writer(function, pairs)
        try:
            ordered = {block.name: writer.ordered(block) for block in function.blocks}
        except _Cycle as cycle:
            writer.give_up(cycle.key)
            continue
        for block in function.blocks:
            block.instructions = writer.rewritten(block, ordered[block.name])
        for block in function.blocks:
            block.instructions[-1:-1] = writer.at_end.get(block.name, [])
        return writer.declarations


class _Writer:
    def __init__(self, function: Function, pairs: Pairs) -> None:
        self.function = function
        self.pairs = pairs
        self.at_end: dict[str, list[Instruction]] = {}
        """Pairs that phis take: to be put at the ends of blocks."""
        self.declarations: set[str] = set()
        self._fresh = 0
        self._made: dict[tuple[str, str, str], str] = {}
        """Block and both lanes -> the pair put together there."""
        self._out: list[Instruction] = []
        self._block = ""
        self.memory_order = MemoryOrder(function, pairs.definitions)

    # --- the order ---

    def _unit(self, instruction: Instruction) -> list[Instruction]:
        """Both lanes, or the one instruction."""
        couple = self.pairs.couple_of.get(instruction.name)
        if couple is not None:
            return [self.pairs.definitions[name] for name in couple]
        return list(self.pairs.stores.get(id(instruction), (instruction,)))

    def ordered(self, block: Block) -> list[Instruction]:
        """Behind the phis: the low lanes of pairs, and the other instructions; :class:`_Cycle` if there is no such order."""
        here = {one.name: one for one in block.instructions if one.name and one.op != "phi"}
        before = self.memory_order.of(block)
        done: dict[int, bool] = {}
        made: list[Instruction] = []

        def emit(instruction: Instruction) -> None:
            unit = self._unit(instruction)
            key = id(unit[0])
            state = done.get(key)
            if state is None:
                done[key] = False
                inside = {id(one) for one in unit}
                for one in unit:
                    vote = self.pairs.votes.get(one.name)
                    names = vote.lanes if vote is not None else one.names_used()
                    needed = [here[name] for name in names if name in here]
                    for other in (*needed, *before.get(id(one), ())):
                        if id(other) not in inside:
                            emit(other)
                made.append(unit[0])
                done[key] = True
            elif not state:
                raise _Cycle(key)

        for instruction in block.instructions:
            if id(instruction) in before and instruction.op != "load" and not instruction.is_terminator:
                emit(instruction)
        for instruction in block.instructions:
            if instruction.op != "phi":
                emit(instruction)
        return made

    def give_up(self, key: int) -> None:
        """Leave the pair, or else any pair, scalars that cannot be computed at once."""
        for couple in set(self.pairs.couple_of.values()):
            if id(self.pairs.definitions[couple[0]]) == key:
                self.pairs.drop(couple)
                break
        else:
            for one in self.pairs.stores.pop(key):
                self.pairs.stores.pop(id(one), None)
        self.pairs.drop_what_costs()

    # --- the text ---

    def rewritten(self, block: Block, ordered: list[Instruction]) -> list[Instruction]:
        """The block's instructions."""
        self._out, self._block = [], block.name
        lanes: list[Couple] = []
        for phi in block.phis():
            couple = self.pairs.couple_of.get(phi.name)
            if couple is None:
                self._out.append(phi)
            elif couple[0] == phi.name:
                self._write_phi(couple)
                lanes.append(couple)
        for couple in lanes:
            self._take_out(couple)
        for instruction in ordered:
            couple = self.pairs.couple_of.get(instruction.name)
            if couple is not None:
                self._write_operation(couple)
                self._take_out(couple)
            elif id(instruction) in self.pairs.stores:
                self._write_store(*self.pairs.stores[id(instruction)])
            elif instruction.name in self.pairs.votes:
                self._write_vote(instruction.name, self.pairs.votes[instruction.name])
            else:
                self._out.append(instruction)
        return self._out

    def _emit(self, text: str) -> None:
        self._out.append(Instruction(f"  {text}"))

    def _value(self, text: str) -> str:
        self._fresh += 1
        name = f"%pair.{self._fresh}"
        self._emit(f"{name} = {text}")
        return name

    def _call(self, declaration: str, *arguments: str) -> str:
        self.declarations.add(declaration)
        result, _, rest = declaration.partition(" @")
        return f"call {result} @{rest.partition('(')[0]}({', '.join(arguments)})"

    def _operand(self, low: Operand, high: Operand) -> str:
        """Both as one."""
        if self.pairs.is_couple(low.value, high.value):
            return _pair(low.value)
        if low.value[0] != "%" and high.value[0] != "%":
            texts = [_ZEROS[low.type] if one.value == "zeroinitializer" else one.value for one in (low, high)]
            same = texts[0] if texts[0] == texts[1] else ""
            return f"splat ({low.type} {same})" if same else f"<{low.type} {texts[0]}, {high.type} {texts[1]}>"
        key = self._block, low.value, high.value
        if key not in self._made:
            declaration = MAKE_MASK if low.type == "i1" else MAKE_PAIR
            self._made[key] = self._value(self._call(declaration, f"{low.type} {low.value}", f"{high.type} {high.value}"))
        return self._made[key]

    def _write_phi(self, couple: Couple) -> None:
        low, high = (self.pairs.definitions[name] for name in couple)
        here, block = self._out, self._block
        arms = []
        for one, other, label in zip(low.operands, high.operands, low.parts.labels):
            self._out, self._block = self.at_end.setdefault(label, []), f"end of {label}"
            arms.append(f"[ {self._operand(one, other)}, %{label} ]")
        self._out, self._block = here, block
        self._emit(f"{_pair(low.name)} = phi {_TYPES[low.type]} {', '.join(arms)}")

    def _write_operation(self, couple: Couple) -> None:
        low, high = (self.pairs.definitions[name] for name in couple)
        name, op, type = _pair(low.name), low.op, _TYPES[low.type]
        if op == "load":
            self._emit(f"{name} = load {type}, ptr {low.operands[0].value}, align 8")
            return
        operands = list(zip(low.operands, high.operands))
        if op == "select" and operands[0][0].value == operands[0][1].value:
            condition = f"i1 {operands[0][0].value}"
        elif op == "select":
            condition = f"{MASK} {self._operand(*operands[0])}"
        values = [self._operand(*one) for one in (operands[1:] if op == "select" else operands)]
        if op == "select":
            self._emit(f"{name} = select {condition}, {type} {values[0]}, {type} {values[1]}")
        elif op == "fcmp":
            self._emit(f"{name} = fcmp {low.parts.predicate} {PAIR} {values[0]}, {values[1]}")
        elif op == "call":
            declaration = f"{PAIR} {low.parts.callee.replace('.f32', '.v2f32')}({', '.join([PAIR] * len(values))})"
            self._emit(f"{name} = {self._call(declaration, *(f'{PAIR} {value}' for value in values))}")
        else:
            self._emit(f"{name} = {op} {type} {', '.join(values)}")

    def _take_out(self, couple: Couple) -> None:
        """Each lane under its name; what nobody uses goes later."""
        pair, type = _pair(couple[0]), self.pairs.definitions[couple[0]].type
        for number, lane in enumerate(couple):
            if type == "float":
                self._emit(f"{lane} = extractelement {PAIR} {pair}, i32 {number}")
            else:
                bits = self._value(self._call(MASK_BITS, f"{MASK} {pair}", f"i32 {number}"))
                word = self._value(f"bitcast float {bits} to i32")
                self._emit(f"{lane} = icmp slt i32 {word}, 0")

    def _write_store(self, low: Instruction, high: Instruction) -> None:
        value, pointer = self._operand(self.pairs.stored(low), self.pairs.stored(high)), low.operands[1].value
        if low.operands[0].type == "half":
            self._emit(self._call(STORE_HALVES, f"{PAIR} {value}", f"ptr {pointer}"))
        else:
            self._emit(f"store {PAIR} {value}, ptr {pointer}, align 8")

    def _write_vote(self, name: str, vote: Vote) -> None:
        mask, *rest = (_pair(low) for low in vote.lanes[::2])
        for other in rest:
            mask = self._value(f"{'and' if vote.of_all else 'or'} {MASK} {mask}, {other}")
        lanes = [self._value(self._call(MASK_BITS, f"{MASK} {mask}", f"i32 {number}")) for number in range(2)]
        bits = self._value(self._call(BOTH if vote.of_all else EITHER, *(f"float {lane}" for lane in lanes)))
        word = self._value(f"bitcast float {bits} to i32")
        self._emit(f"{name} = icmp {'sge' if vote.is_opposite else 'slt'} i32 {word}, 0")


def _pair(low: str) -> str:
    """The name of a pair."""
    return f"{low}.pair"
