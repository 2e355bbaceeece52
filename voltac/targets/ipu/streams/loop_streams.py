"""What is known of a loop while it is read: its loads, stores, steps, and where each value is."""

from __future__ import annotations

from voltac.ir.model import Function
from voltac.ir.parts import Operand
from voltac.ir.types import vector_parts
from voltac.records import replace
from voltac.targets.ipu.streams.loops import IndexSums, OtherLoop, StreamLoop, StreamPlace
from voltac.targets.ipu.streams.program import StreamAccess, StreamStep, StreamSum

GANG, WORD = 4, 8
"""Lanes, and the bytes of a pair of registers."""


class LoopStreams:
    """Of one loop."""

    def __init__(self, function: Function, loop: StreamLoop, parity: int | None, delays: bool) -> None:
        """``parity`` and ``delays``: of :class:`voltac.targets.ipu.streams.body.StreamBody`."""
        self.loop = loop
        self.parity = parity
        self.delays = delays
        self.definitions = function.definitions()
        self.integers = IndexSums(loop.block, self.definitions, loop.counter)
        self.noalias = {each.name for each in function.parameters if "noalias" in each.attributes.split()}
        self.has_halves = any(vector_parts(one.type) == (GANG, "half") for one in loop.block.instructions if one.name)
        self.places: dict[str, StreamPlace] = {}
        self.loads: list[tuple[StreamAccess, StreamPlace]] = []
        self.stores: list[tuple[StreamAccess, StreamPlace]] = []
        self.delayed: dict[str, StreamPlace] = {}
        """Carried pairs of which the first is loaded before the loop."""
        self.values: dict[str, tuple[str, ...]] = {}
        """Names -> the pairs of a gang, or the one of an iteration."""
        self.loaded: dict[str, StreamPlace] = {}
        """What was loaded from where, by name."""
        self.steps: list[StreamStep] = []
        self.contracted: set[str] = set()
        """Results that may be rounded together with what reads them."""
        self.scalars: list[Operand] = []
        self.numbers: dict[str, set[str]] = {}
        """Scalars that must be numbers, and what zeros they must not be: ``0`` or ``-0``."""
        self.sums: list[tuple[str, StreamSum]] = []
        """Of each phi."""
        self.distance = ""
        """What is between single floats, if it is no number."""
        self.overflows = False
        self.count = 16

    @property
    def iterations(self) -> int:
        """Of a gang, in one pass."""
        return 1 if self.loop.carried or self.has_halves else 2

    @property
    def has_quads(self) -> bool:
        """Whether 128 bits are loaded at a time."""
        return any(access.kind == "quad" for access, _ in self.loads)

    def new(self, letter: str = "v") -> str:
        """A fresh name."""
        self.count += 1
        return f"{letter}{self.count}"

    def add_single(self, name: str, at: StreamPlace, step: int) -> None:
        """A load of single floats; ``step``: elements from lane to lane, or 0."""
        if self.iterations == 1:
            raise OtherLoop
        found = next((access.value for access, one in self.loads if one == at), None)
        if found is None:
            found = self.new()
            self.loads.append((StreamAccess(found, "singles", step), at))
        self.values[name] = (found,)

    def add_single_store(self, name: str, at: StreamPlace, step: int) -> None:
        """A store of single floats."""
        if self.iterations == 1 or self.stores:
            raise OtherLoop
        self.append_store(self.values[name][0], at, "singles", step)

    def append_store(self, pair: str, at: StreamPlace, kind: str, step: int) -> None:
        """A store, of a pair."""
        over = next((access.value for access, one in self.loads if one == at), "")
        self.stores.append((StreamAccess(pair, kind, step, over), at))

    def word(self, at: StreamPlace, element: str) -> str:
        """The name of a word of an iteration."""
        for name, place_of_it in self.delayed.items():
            if place_of_it == at:
                return name
        for access, one in self.loads:
            if one == at:
                return access.value
            if self.delays and self.iterations == 2 and one == at.moved({(): WORD}):
                name = self.new("c")
                self.delayed[name] = at
                return name
            is_ahead = one.moved({(): -WORD}) in self.delayed.values()
            if self.delays and self.iterations == 2 and at == one.moved({(): WORD}) and not is_ahead:
                # The one that is ahead is loaded; what was there before it is what was ahead.
                number = self.loads.index((access, one))
                fresh = self.new()
                self.loads[number] = (replace(access, value=fresh), at)
                renamed = f"c{access.value[1:]}"
                self.delayed[renamed] = one
                self._rename(access.value, renamed)
                return fresh
        value = self.new()
        is_single = element == "float" and self.parity is not None and at.constant % WORD != self.parity
        if is_single and (self.iterations == 1):
            raise OtherLoop
        kind, step = ("singles", 1) if is_single else ("word", self.words_on(element))
        self.loads.append((StreamAccess(value, kind, step), at))
        return value

    def words_on(self, element: str) -> int:
        """From a word of an iteration to the next one's."""
        return 2 if self.iterations == 1 and element == "float" else 1

    def _rename(self, old: str, new: str) -> None:
        for name, pairs in self.values.items():
            self.values[name] = tuple(new if pair == old else pair for pair in pairs)
        self.steps = [replace(step, operands=tuple(new if one == old else one for one in step.operands)) for step in self.steps]

    def step_of(self, operation: str, operands: tuple[str, ...], into: str = "", letter: str = "v") -> str:
        """Adds a step; the name of its result."""
        result = self.new(letter)
        self.steps.append(StreamStep(result, operation, operands, into))
        return result
