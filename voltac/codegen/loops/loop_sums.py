"""What the numbers and addresses of a loop are: sums of its counters and of what does not change in it.

::

    %i = phi i32 [ 0, %before ], [ %n, %loop ]       %q is  %a + 4 * %i,  where %i is a counter from 0 in steps of 1
    %o = shl i32 %i, 2
    %q = getelementptr i8, ptr %a, i32 %o

``strides.py``, ``low_bits.py`` and ``versions.py`` ask; all is of words, usually of 32 bits, which may wrap.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.cfg import ControlFlow, NaturalLoop
from voltac.ir.constants import integers
from voltac.ir.interp_values import to_signed
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.parts import Operand
from voltac.records import record

Sum = tuple[dict[tuple[str, str], int], int]
"""(Symbol, another one it is multiplied by or nothing) -> factor, and a constant."""


@record
class Counter:
    """A number that a loop moves on by the same each iteration: a constant, or a value from outside."""

    start: str
    step: str


class LoopSums:
    """A loop of one latch, entered from one block; ``self.known`` says whether it is."""

    def __init__(
        self,
        function: Function,
        flow: ControlFlow,
        loop: NaturalLoop,
        types: dict[str, str],
        fresh: Callable[[str], str],
        word: str = "i32",
    ) -> None:
        self.word = word
        self.function = function
        self.flow = flow
        self.loop = loop
        self.types = types
        self.fresh = fresh
        self.blocks = {block.name: block for block in function.blocks}
        self.inside: dict[str, Instruction] = {
            instruction.name: instruction
            for name, block in self.blocks.items()  # in the function's order, which a set has not
            if name in loop.blocks
            for instruction in block.instructions
            if instruction.name
        }
        self.counters: dict[str, Counter] = {}
        self.sums: dict[str, Sum | None] = {}
        """Of the values in the loop that were asked for."""
        entries = [name for name in flow.predecessors[loop.header] if name not in loop.blocks]
        self.known = len(entries) == 1 and len(loop.latches) == 1 and entries[0] in flow.immediate_dominator
        if self.known:
            self.header, self.before, self.latch = (self.blocks[name] for name in (loop.header, entries[0], loop.latches[0]))
            self.outside = Outside(self.before, types, fresh, word)
            self._find_counters(self.header, self.before, self.latch)

    def integer(self, value: str) -> int | None:
        """The number that a constant operand is."""
        return integer_of(value, self.word)

    def wrapped(self, value: int) -> int:
        """A number as a signed one of a word."""
        return wrapped(value, self.word)

    def _find_counters(self, header: Block, before: Block, latch: Block) -> None:
        for phi in header.phis():
            parts = phi.parts
            if phi.op != "phi" or parts.type != self.word or set(parts.labels) != {before.name, latch.name}:
                continue
            start = parts.operands[parts.labels.index(before.name)].value
            following = self.inside.get(parts.operands[parts.labels.index(latch.name)].value)
            if following is None or following.op != "add":
                continue
            first, second = following.operands
            if second.value == phi.name:
                first, second = second, first
            if first.value == phi.name and second.value not in self.inside:
                self.counters[phi.name] = Counter(start, second.value)

    def start_of(self, found: Sum) -> str:
        """The number that a sum is in the first iteration, made before the loop."""
        symbols, constant = found
        total = "0"
        for (symbol, by), factor in symbols.items():
            counter = self.counters.get(symbol)
            value = counter.start if counter is not None else symbol
            if counter is None and self.is_pointer(symbol):
                value = self.outside.number_of(value)
            total = self.outside.added(total, self.outside.scaled(self.outside.times(value, by), factor))
        return self.outside.added(total, str(constant))

    def is_pointer(self, symbol: str) -> bool:
        """Whether a symbol is an address; globals are."""
        return self.types.get(symbol, "ptr") == "ptr"

    def sum(self, operand: Operand) -> Sum | None:
        """A value as a sum of counters and of what does not change in the loop."""
        known = self.integer(operand.value)
        if known is not None:
            return {}, known
        made = self.inside.get(operand.value)
        if made is None or made.name in self.counters:
            return {(operand.value, ""): 1}, 0
        if made.name not in self.sums:
            self.sums[made.name] = self._sum_of(made)
        return self.sums[made.name]

    def _sum_of(self, made: Instruction) -> Sum | None:
        if made.op in ("add", "getelementptr") or (made.op == "or" and self._is_sum(made)):
            return self._combined(made.operands[0], made.operands[1], 1)
        if made.op == "sub":
            return self._combined(made.operands[0], made.operands[1], -1)
        if made.op in ("shl", "mul") and made.type == self.word:
            return self._product(made)
        if made.op in ("ptrtoint", "inttoptr"):
            return self.sum(made.operands[0])
        return None

    def _is_sum(self, made: Instruction) -> bool:
        """Whether an ``or`` adds: no bit is set on both sides."""
        left = self.inside.get(made.operands[0].value)
        number = self.integer(made.operands[1].value)
        if "disjoint" in made.parts.flags or left is None or number is None or left.op != "shl":
            return "disjoint" in made.parts.flags
        zeros = self.integer(left.operands[1].value)
        return zeros is not None and 0 <= number < 1 << zeros

    def _product(self, made: Instruction) -> Sum | None:
        left, right = made.operands
        if made.op == "mul" and left.value not in self.inside:
            left, right = right, left
        inner = self.sum(left)
        factor = self.integer(right.value)
        if inner is None:
            return None
        if factor is not None:
            factor = 1 << factor if made.op == "shl" else factor
            return {pair: self.wrapped(times * factor) for pair, times in inner[0].items()}, self.wrapped(inner[1] * factor)
        if made.op == "shl" or right.value in self.inside or any(by for _, by in inner[0]):
            return None
        # Times something from outside.
        products: dict[tuple[str, str], int] = {(symbol, right.value): times for (symbol, _), times in inner[0].items()}
        if inner[1]:
            products[right.value, ""] = inner[1]
        return products, 0

    def _combined(self, left: Operand, right: Operand, sign: int) -> Sum | None:
        first, second = self.sum(left), self.sum(right)
        if first is None or second is None:
            return None
        symbols = dict(first[0])
        for symbol, times in second[0].items():
            symbols[symbol] = self.wrapped(symbols.get(symbol, 0) + sign * times)
        return {symbol: times for symbol, times in symbols.items() if times}, self.wrapped(first[1] + sign * second[1])


class Outside:
    """Writes operations at the end of the block before a loop; constants are computed here."""

    def __init__(self, block: Block, types: dict[str, str], fresh: Callable[[str], str], word: str = "i32") -> None:
        self.word = word
        self.block = block
        self.types = types
        self.fresh = fresh
        self.made: dict[str, str] = {}

    def integer(self, value: str) -> int | None:
        """The number that a constant operand is."""
        return integer_of(value, self.word)

    def wrapped(self, value: int) -> int:
        """A number as a signed one of a word."""
        return wrapped(value, self.word)

    def _emit(self, stem: str, text: str) -> str:
        if text not in self.made:
            name = self.made[text] = self.fresh(stem)
            self.types[name] = "ptr" if text.startswith("getelementptr") else self.word
            self.block.instructions.insert(-1, Instruction(f"  {name} = {text}"))
        return self.made[text]

    def scaled(self, value: str, factor: int) -> str:
        """A value times a constant."""
        known = self.integer(value)
        if known is not None:
            return str(self.wrapped(known * factor))
        if factor == 1:
            return value
        if factor > 0 and not factor & factor - 1:
            return self._emit("scaled", f"shl {self.word} {value}, {factor.bit_length() - 1}")
        return self._emit("scaled", f"mul {self.word} {value}, {factor}")

    def times(self, value: str, by: str) -> str:
        """A value times another from outside, or by itself where that is empty."""
        if not by:
            return value
        for one, other in ((value, by), (by, value)):
            known = self.integer(one)
            if known is not None:
                return self.scaled(other, known) if known else "0"
        return self._emit("scaled", f"mul {self.word} {value}, {by}")

    def added(self, left: str, right: str) -> str:
        """The sum of two values."""
        first, second = self.integer(left), self.integer(right)
        if first is not None and second is not None:
            return str(self.wrapped(first + second))
        if first == 0:
            return right
        return left if second == 0 else self._emit("sum", f"add {self.word} {left}, {right}")

    def difference(self, value: str, less: str) -> str:
        """A value less another."""
        first, second = self.integer(value), self.integer(less)
        if first is not None and second is not None:
            return str(self.wrapped(first - second))
        return value if second == 0 else self._emit("turns", f"sub {self.word} {value}, {less}")

    def number_of(self, pointer: str) -> str:
        """An address as a number."""
        return self._emit("number", f"ptrtoint ptr {pointer} to {self.word}")

    def joined(self, left: str, right: str) -> str:
        """All bits of both."""
        first, second = self.integer(left), self.integer(right)
        if first is not None and second is not None:
            return str(self.wrapped(first | second))
        if first == 0:
            return right
        return left if second == 0 else self._emit("bits", f"or {self.word} {left}, {right}")

    def masked(self, value: str, mask: int) -> str:
        """A value and a constant, bit by bit."""
        known = self.integer(value)
        return str(known & mask) if known is not None else self._emit("bits", f"and {self.word} {value}, {mask}")

    def moved(self, pointer: str, by: str) -> str:
        """A pointer so many bytes on."""
        return pointer if by == "0" else self._emit("start", f"getelementptr i8, ptr {pointer}, {self.word} {by}")


def integer_of(value: str, word: str = "i32") -> int | None:
    """The number that a constant operand is."""
    if value[0] not in "-0123456789":
        return None
    known = integers(word, value)
    return known[0] if known else None


def wrapped(value: int, word: str = "i32") -> int:
    """A number as a signed one of a word."""
    bits = int(word[1:])
    return to_signed(value & (1 << bits) - 1, bits)
