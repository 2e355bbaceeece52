"""What is known of a loop while it is read: its loads, stores, steps, and where each value is."""

from __future__ import annotations

from voltac.ir.model import Function
from voltac.ir.parts import Operand
from voltac.ir.types import vector_parts
from voltac.targets.ipu.streams.loops import IndexSums, OtherLoop, StreamLoop, StreamPlace
from voltac.targets.ipu.streams.program import StreamAccess, StreamStep, StreamSum

GANG, WORD = 4, 8
"""Lanes, and the bytes of a pair of registers."""


class LoopStreams:
    """Of one loop."""

    def __init__(self, function: Function, loop: StreamLoop) -> None:
        self.loop = loop
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
