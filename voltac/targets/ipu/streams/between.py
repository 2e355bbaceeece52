"""Vectors of halves that lie between words: made of words of 32 bits around them.

x[i - 1 ..] = (x[i-2], x[i-1]), (x[i], x[i+1]), (x[i+2], x[i+3])    roll16 takes the second of one and the first of the next

Where x[i + 1 ..] is read, too, its pair is kept: (x[i-1], x[i]), the first half of x[i - 1 ..], was its second in the iteration
before, and the second is its first now, so roll32 gives both.

Where halves are only converted to floats, all of them are read by 32 bits, a register each.
"""

from __future__ import annotations

from voltac.ir.model import Instruction
from voltac.ir.types import vector_parts
from voltac.records import replace
from voltac.targets.ipu.streams.loop_streams import GANG, WORD, LoopStreams
from voltac.targets.ipu.streams.loops import OtherLoop, StreamPlace
from voltac.targets.ipu.streams.program import PART, PART_BYTES, PARTS, StreamAccess, StreamCarry, StreamStep

_HALF = 2
"""Bytes."""


class HalvesBetween:
    """Those of one loop."""

    def __init__(self, body: LoopStreams, parity: int) -> None:
        """``parity``: what is so many bytes beyond a multiple of eight is a word."""
        self.body = body
        self.parity = parity
        loads = [one for one in body.loop.block.instructions if one.op == "load" and vector_parts(one.type) == (GANG, "half")]
        self.as_floats = all(_is_converted(one, body.loop.block.instructions) for one in loads)
        self.places: dict[str, StreamPlace] = {}
        """Of what was loaded, by name."""
        self.groups: dict[StreamPlace, tuple[str, list[StreamPlace]]] = {}
        """By place without the constant: the name of the access, and the parts that are read."""
        self.parts: dict[StreamPlace, str] = {}
        self.pairs: dict[StreamPlace, str] = {}
        self.known: dict[tuple[str, tuple[str, ...]], str] = {}
        """What a step has computed already."""
        self.kept: list[tuple[StreamCarry, StreamPlace]] = []
        """Pairs of which the next iteration reads the second half, and where that is before the first."""

    def loads(self, name: str, at: StreamPlace) -> bool:
        """A load; whether it is one of those."""
        if self._beyond(at) == 0 and not self.as_floats:
            return False
        self.places[name] = at
        return True

    def _beyond(self, at: StreamPlace) -> int:
        return (at.constant - self.parity) % WORD

    def pair(self, name: str) -> str:
        """A vector as halves."""
        if self.as_floats:
            raise OtherLoop
        at = self.places[name]
        if at not in self.pairs:
            self.pairs[at] = self._made(at)
        return self.pairs[at]

    def _made(self, at: StreamPlace) -> str:
        if self._beyond(at) == PART_BYTES:
            return self._load(_moved(at, PART_BYTES), "v", self._load(at, "v"))
        if self._beyond(at) == _HALF:
            word = self.body.word(_moved(at, -_HALF), "half")
            first, second, third = f"{word}.0", f"{word}.1", self._part(_moved(at, 3 * _HALF))
        else:
            word = self.body.word(_moved(at, _HALF), "half")
            first, second, third = self._part(_moved(at, -_HALF)), f"{word}.0", f"{word}.1"
        low = self.body.step_of("roll16", (first, second))
        return self.body.step_of("roll16", (second, third), low)

    def words(self, name: str) -> tuple[str, str]:
        """A vector as two registers of two halves."""
        at = self.places[name]
        if self._beyond(at) % PART_BYTES == 0:
            return self._part(at), self._part(_moved(at, PART_BYTES))
        first, second, third = (self._part(_moved(at, bytes)) for bytes in (-_HALF, _HALF, 3 * _HALF))
        return self.once("roll16", (first, second), "h"), self.once("roll16", (second, third), "h")

    def once(self, operation: str, operands: tuple[str, ...], letter: str = "v") -> str:
        """A step; one that was there already is not done again."""
        if (operation, operands) not in self.known:
            self.known[operation, operands] = self.body.step_of(operation, operands, letter=letter)
        return self.known[operation, operands]

    def _part(self, at: StreamPlace) -> str:
        if at not in self.parts:
            self.parts[at] = self._load(at, "h")
        return self.parts[at]

    def _load(self, at: StreamPlace, letter: str, into: str = "") -> str:
        access, places = self.groups.setdefault(_moved(at, -at.constant), (self.body.new("p"), []))
        places.append(at)
        return self.body.step_of(PART, (access, _part_number(at)), into, letter)

    def _keep_pairs(self) -> None:
        """Pairs that begin in the middle of those that another one continues are made of that one."""
        body = self.body
        for second in [step for step in body.steps if step.operation == "roll16" and step.into]:
            follows = (step for step in body.steps if step.operands == second.operands and not step.into and step is not second)
            behind = next((step for step in follows if any(other.into == step.result for other in body.steps)), None)
            if behind is None:
                continue
            first = next(step for step in body.steps if step.result == second.into)
            part = first.operands[0]
            at = next((place for place, name in self.parts.items() if name == part), None)
            if at is None:
                continue
            whole = next(step.result for step in body.steps if step.into == behind.result)
            carry = StreamCarry(body.new("c"), whole, False)
            self.kept.append((carry, _moved(at, _HALF)))
            gone = (first, second)
            body.steps = [step for step in body.steps if step not in gone]
            body.steps.append(StreamStep(second.result, "roll32", (carry.old, behind.result)))
            if not any(part in step.operands for step in body.steps):
                body.steps = [step for step in body.steps if step.result != part]

    def finish(self) -> None:
        """Accesses of the parts, each from the lowest one on; OtherLoop where something of it may be overwritten."""
        body = self.body
        if self.places and body.loop.carried:
            raise OtherLoop
        if body.delays:
            self._keep_pairs()
        for access, places in self.groups.values():
            read = {step.operands for step in body.steps if step.operation == PART}
            lowest = min((place for place in places if (access, _part_number(place)) in read), key=lambda place: place.constant)
            if any(to.base == lowest.base for _, to in body.stores):
                raise OtherLoop
            body.loads.append((StreamAccess(access, PARTS, 1), lowest))
            first = lowest.constant // PART_BYTES
            body.steps = [_counted_from(first, step) if step.operands[0] == access else step for step in body.steps]


def _counted_from(first: int, step: StreamStep) -> StreamStep:
    access, number = step.operands
    return replace(step, operands=(access, str(int(number) - first)))


def _part_number(at: StreamPlace) -> str:
    return str(at.constant // PART_BYTES)


def _moved(at: StreamPlace, bytes: int) -> StreamPlace:
    return at.moved({(): bytes})


def _is_converted(load: Instruction, instructions: list[Instruction]) -> bool:
    """Whether all uses are conversions to float."""
    return all(one.op == "fpext" for one in instructions if load.name in one.names_used())
