"""Which scalars are lanes of pairs: what legalization made of neighbouring lanes, and what these are made of.

Of all that could be pairs those stay that save instructions (Larsen and Amarasinghe, "Exploiting Superword Level Parallelism",
2000): lanes of floats come into a pair and out of it for nothing where they are in one pair only, conditions do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from voltac.codegen.addresses import place_of
from voltac.codegen.loops.low_bits import Residues
from voltac.ir.cfg import control_flow
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.parts import Operand
from voltac.targets.ipu.pairs.mask_words import Vote, vote_of

_ARITHMETIC = frozenset(("fadd", "fsub", "fmul", "fneg"))
_CALLS = frozenset(("@ipu.rounded.f32", *(f"@llvm.{name}.f32" for name in ("fabs", "copysign", "minnum", "maxnum"))))
_LOGIC = frozenset(("and", "or", "xor"))
_SIZES = {"float": 4, "half": 2}
Couple = tuple[str, str]
"""The names of the low lane and of the high one."""


class Pairs:
    """Of one function."""

    def __init__(self, function: Function, vectors: Iterable[list[str]]) -> None:
        """``vectors``: the lanes of each vector there was."""
        self.function = function
        self.definitions = function.definitions()
        self.block_of = {one.name: block.name for block in function.blocks for one in block.instructions if one.name}
        self.flow = control_flow(function)
        self.couple_of: dict[str, Couple] = {}
        """Lane -> the pair it is in."""
        self.stores: dict[int, tuple[Instruction, Instruction]] = {}
        """``id`` of a store -> both of a pair."""
        self.votes: dict[str, Vote] = {}
        self._residues = Residues.of_function(function)
        self._collect(vectors)
        self._collect_memory()
        self._collect_votes()
        self._users: dict[str, list[Instruction]] = {}
        for instruction in function.instructions():
            for operand in instruction.operands:
                self._users.setdefault(operand.value, []).append(instruction)
        self.drop_what_costs()

    # --- what could be pairs ---

    def _collect(self, vectors: Iterable[list[str]]) -> None:
        pending = [(low, high) for words in vectors for low, high in zip(words[::2], words[1::2])][::-1]
        while pending:
            couple = pending.pop()
            low, high = (self.definitions.get(name) for name in couple)
            if low is None or high is None or low is high or not self.couple_of.keys().isdisjoint(couple):
                continue
            kind = _kind(low)
            if kind is None or kind != _kind(high) or self.block_of[couple[0]] != self.block_of[couple[1]]:
                continue
            self.couple_of.update(dict.fromkeys(couple, couple))
            pending += [(one.value, other.value) for one, other in zip(low.operands, high.operands)]

    def _collect_memory(self) -> None:
        """Neighbours in an aligned double word, or word of halves."""
        for block in self.function.blocks:
            for operation in ("load", "store"):
                for low, high in self._neighbours(block, operation):
                    if operation == "load":
                        self.couple_of.update(dict.fromkeys((low.name, high.name), (low.name, high.name)))
                    else:
                        self.stores[id(low)] = self.stores[id(high)] = low, high

    def _neighbours(self, block: Block, operation: str) -> Iterator[tuple[Instruction, Instruction]]:
        places: dict[tuple[str, str, int], Instruction] = {}
        for instruction in block.instructions:
            if instruction.op == operation and "volatile" not in instruction.text and "atomic" not in instruction.text:
                type = instruction.operands[0].type if operation == "store" else instruction.type
                if type == "float" or (type == "half" and operation == "store"):
                    base, offset = place_of(instruction.operands[-1].value, self.definitions)
                    places.setdefault((type, base, offset), instruction)
        for (type, base, offset), low in places.items():
            size = _SIZES[type]
            high = places.get((type, base, offset + size))
            if high is not None and self._residues.of(low.operands[-1].value, size.bit_length()) == 0:
                yield low, high

    def stored(self, store: Instruction) -> Operand:
        """The float that a store writes, perhaps as a half."""
        value = store.operands[0]
        return value if value.type == "float" else self.definitions[value.value].operands[0]

    def _collect_votes(self) -> None:
        for instruction in self.function.instructions():
            vote = vote_of(instruction, self.definitions)
            if vote is not None:
                self.votes[instruction.name] = vote

    # --- what they are worth ---

    def drop_what_costs(self) -> None:
        """Take out pairs until each of the rest saves something."""
        while True:
            self.votes = {name: vote for name, vote in self.votes.items() if self._is_paired(vote)}
            wrong = [couple for couple in dict.fromkeys(self.couple_of.values()) if not self._is_worth(couple)]
            stores = [key for key, (low, high) in self.stores.items() if self._cost(self.stored(low), self.stored(high))]
            for key in stores:
                del self.stores[key]
            for couple in wrong:
                self.drop(couple)
            if not wrong and not stores:
                return

    def drop(self, couple: Couple) -> None:
        """Leave two lanes scalars."""
        for lane in couple:
            del self.couple_of[lane]

    def _is_paired(self, vote: Vote) -> bool:
        return len(vote.lanes) % 2 == 0 and all(
            self.couple_of.get(low) == (low, high) for low, high in zip(vote.lanes[::2], vote.lanes[1::2])
        )

    def is_couple(self, low: str, high: str) -> bool:
        """Whether two values are a pair."""
        return self.couple_of.get(low) == (low, high)

    def _cost(self, low: Operand, high: Operand) -> int:
        """Copies that make a pair of two floats."""
        if low.value == high.value or self.is_couple(low.value, high.value):
            return 0
        if low.value[0] != "%" and high.value[0] != "%":
            return 0  # mostly outside of loops
        return sum(one.value in self.couple_of or one.value[0] != "%" for one in (low, high))

    def _has_paired_user(self, couple: Couple) -> bool:
        return any(
            user.name in self.couple_of or user.name in self.votes or id(user) in self.stores or user.op == "fptrunc"
            for user in self._users.get(couple[0], ())
        ) or any(couple[0] in vote.lanes for vote in self.votes.values())

    def _is_worth(self, couple: Couple) -> bool:
        low, high = (self.definitions[name] for name in couple)
        operands = list(zip(low.operands, high.operands))
        if low.op == "load":
            return True
        if low.op == "phi":
            return self._is_phi_worth(low, operands) and self._has_paired_user(couple)
        if low.type == "i1" and low.op != "fcmp":
            known = all(self.is_couple(one.value, other.value) or not _named(one, other) for one, other in operands)
            return known and self._has_paired_user(couple)
        if low.op == "select":
            (condition, other), *operands = operands
            is_mask = condition.value == other.value or self.is_couple(condition.value, other.value)
            if not is_mask and any(self._is_comparison(one) for one in (condition, other)):
                return False
        cost = sum(self._cost(one, other) for one, other in operands)
        if low.op == "freeze":
            return cost == 0 and self._has_paired_user(couple)
        return cost == 0 or (cost == 1 and self._has_paired_user(couple))

    def _is_comparison(self, condition: Operand) -> bool:
        made = self.definitions.get(condition.value)
        return made is not None and made.op == "fcmp"

    def _is_phi_worth(self, phi: Instruction, operands: list[tuple[Operand, Operand]]) -> bool:
        here = self._depth(self.block_of[phi.name])
        for (low, high), label in zip(operands, phi.parts.labels):
            if self.is_couple(low.value, high.value) or not _named(low, high):
                continue
            if phi.type == "i1" and self._depth(label) >= here:
                return False
        return True

    def _depth(self, block: str) -> int:
        loop = self.flow.loop_of.get(block)
        return loop.depth if loop else 0


def _named(low: Operand, high: Operand) -> bool:
    return "%" in (low.value[0], high.value[0])


def _kind(instruction: Instruction) -> tuple[str, ...] | None:
    """What both lanes of a pair have in common; None for what is no operation of pairs."""
    op, type = instruction.op, instruction.type
    if (op in _ARITHMETIC and type == "float") or (op in _LOGIC and type == "i1"):
        return (op,)
    if op == "freeze" and type in ("float", "i1"):
        return op, type
    if op == "fcmp" and instruction.operands[0].type == "float":
        predicate = instruction.parts.predicate
        return None if predicate in ("true", "false") else (op, predicate)
    if op == "select" and instruction.operands[0].type == "i1" and type in ("float", "i1"):
        return op, type
    if op == "phi" and type in ("float", "i1"):
        return op, type, *instruction.parts.labels
    if op == "call" and instruction.parts.callee in _CALLS:
        return op, instruction.parts.callee
    return None
