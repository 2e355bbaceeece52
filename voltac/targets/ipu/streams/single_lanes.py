"""Vectors that are loaded or stored lane by lane: single floats that are the same distance apart.

%a = load float, ptr %p0      %v1 = insertelement <4 x float> poison, float %a, i64 0      ...      %v4
"""

from __future__ import annotations

from itertools import pairwise

from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.ir.scan import split_list
from voltac.ir.types import vector_parts
from voltac.targets.ipu.streams.loop_streams import GANG, LoopStreams
from voltac.targets.ipu.streams.loops import OtherLoop, StreamPlace, Sum, plus

_SIZE = 4
"""Bytes of a float."""
_MOST_STEP = 31
"""Elements that an instruction of single floats goes on by: a signed byte's worth of words of eight bytes, at least."""


class SingleLanes:
    """The lanes of vectors of a body."""

    def __init__(self, body: LoopStreams) -> None:
        self.body = body
        self.lanes: dict[str, list[StreamPlace | None]] = {}
        """Vectors, and scalars as vectors of one, by name: where each lane was loaded from."""
        self.taken: dict[str, tuple[str, int]] = {}
        """Lanes that were taken out of vectors."""
        self.pending: dict[int, tuple[str, StreamPlace]] = {}
        """Lanes that were stored: of which vector, and where."""

    def loaded(self, name: str, type: str, at: StreamPlace) -> None:
        """A load of one float."""
        if type not in ("float", "<1 x float>"):
            raise OtherLoop
        self.lanes[name] = [at]

    def read(self, instruction: Instruction) -> None:
        """An instruction that moves lanes; those of integers are looked at where they are used."""
        operands, name = instruction.operands, instruction.name
        kind = (vector_parts(operands[0].type) or (0, ""))[1]
        if kind != "float":
            if kind == "half":
                raise OtherLoop
            return
        if instruction.op == "extractelement":
            self.taken[name] = operands[0].value, int(operands[1].value)
            return
        if instruction.op == "insertelement":
            lanes = list(self.lanes.get(operands[0].value, [None] * GANG))
            lanes[int(operands[2].value)] = self.lanes.get(operands[1].value, [None])[0]
        else:
            both: list[StreamPlace | None] = []
            for operand in operands[:2]:
                width = (vector_parts(operand.type) or (1, ""))[0]
                both += self.lanes.get(operand.value, [None] * width)
            lanes = [both[int(number)] if number.isdigit() else None for number in _mask(instruction.parts.mask, len(both))]
        self.lanes[name] = lanes
        if len(lanes) == GANG and all(lanes):
            first, step = self._regular([one for one in lanes if one is not None])
            self.body.add_single(name, first, step)

    def stored(self, value: Operand, at: StreamPlace) -> None:
        """A store of one lane; with the last of a vector it is a store of all."""
        vector, lane = self.taken.get(value.value, ("", 0))
        if vector not in self.body.values or lane in self.pending:
            raise OtherLoop
        self.pending[lane] = vector, at
        if len(self.pending) == GANG:
            if {name for name, _ in self.pending.values()} != {vector}:
                raise OtherLoop
            first, step = self._regular([self.pending[lane][1] for lane in range(GANG)])
            self.body.add_single_store(vector, first, step)

    @property
    def is_complete(self) -> bool:
        """Whether no lane waits for the others of its vector."""
        return len(self.pending) in (0, GANG)

    def _regular(self, places: list[StreamPlace]) -> tuple[StreamPlace, int]:
        """The first place, and the elements from each to the next as from iteration to iteration; 0 if they are no number."""
        distance = plus(places[1].sum, places[0].sum, -1)
        for one, other in pairwise(places):
            if one.base != other.base or plus(other.sum, one.sum, -1) != distance:
                raise OtherLoop
        if places[0].per(self.body.loop.counter) != distance:
            raise OtherLoop
        step = _elements(distance)
        if step == 0:
            ((name,),) = distance
            if self.body.distance not in ("", name):
                raise OtherLoop
            self.body.distance = name
        return places[0], step


def _elements(distance: Sum) -> int:
    if set(distance) == {()} and distance[()] % _SIZE == 0 and 0 < distance[()] <= _MOST_STEP * _SIZE:
        return distance[()] // _SIZE
    if len(distance) == 1 and list(distance.values()) == [_SIZE] and len(*distance) == 1:
        return 0
    raise OtherLoop


def _mask(text: str, count: int) -> list[str]:
    if text == "zeroinitializer":
        return ["0"] * count
    return [item.partition(" ")[2] for item in split_list(text[1:-1])]
