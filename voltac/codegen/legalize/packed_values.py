"""Values in registers that hold several numbers side by side: their lanes, and registers made of lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from voltac.codegen.legalize.alignments import Alignments
from voltac.codegen.legalize.shapes import Shape, Shapes
from voltac.records import record


@record(eq=False)
class PackedVectors:
    """How a machine puts registers that hold several numbers together and takes them apart; all are given the legalizer."""

    join: Callable[..., str]
    """``(f, shape, lanes)``: a register of lanes, of which some may be poison."""
    split: Callable[..., list[str]]
    """``(f, shape, register)``: its lanes."""
    constant: Callable[[Shape, list[str]], str]
    """A register of constant lanes, as text."""
    load: Callable[..., str]
    """``(f, shape, pointer, alignment)``."""
    store: Callable[..., None]
    """``(f, shape, register, pointer, alignment)``."""


class PackedValues:
    """Those of one function."""

    def __init__(self, legalizer: Any, vectors: PackedVectors | None, shapes: Shapes) -> None:
        """``vectors`` is None on machines without such registers: then nothing asks for any."""
        self._legalizer = legalizer
        self._vectors = vectors
        self.shapes = shapes
        self.made_of: dict[tuple[str, str], list[str]] = {}
        """Element and register -> the lanes that were put into it."""
        self._alignments: Alignments | None = None

    def alignment(self, pointer: str, told: int) -> int:
        """What an address is a multiple of: as is told, or more where that follows from how it is computed."""
        if self._vectors is None:
            return told
        if self._alignments is None:
            self._alignments = Alignments(self._legalizer.function, self._legalizer.layout)
        return max(told, self._alignments.of(pointer))

    @property
    def vectors(self) -> PackedVectors:
        """The machine's way."""
        assert self._vectors is not None
        return self._vectors

    def split_parts(self, type: str, words: list[str]) -> list[str]:
        """The parts of a value of any type with a part for each lane."""
        made: list[str] = []
        at = 0
        for shape in self.shapes.leaves(type):
            for chunk in shape.chunks:
                count = 1 if chunk and shape.part else shape.words
                made += self.lanes(shape, words[at]) if chunk and shape.part else words[at : at + count]
                at += count
        return made

    def join_parts(self, type: str, words: list[str]) -> list[str]:
        """The opposite of :meth:`split_parts`."""
        made: list[str] = []
        at = 0
        for shape in self.shapes.leaves(type):
            for chunk in shape.chunks:
                count = shape.width if chunk and shape.part else shape.words
                given = words[at : at + count]
                made += [self.joined(shape, given)] if chunk and shape.part else given
                at += count
        return made

    def lanes(self, shape: Shape, register: str) -> list[str]:
        """The lanes of a register; those it was made of where they are known."""
        known = self.made_of.get((shape.element, register))
        if known is None and register == "poison":
            known = ["poison"] * shape.width
        return self.vectors.split(self._legalizer, shape, register) if known is None else known

    def joined(self, shape: Shape, lanes: list[str]) -> str:
        """A register of these lanes."""
        if all(lane == "poison" for lane in lanes):
            return "poison"
        is_constant = all(lane[0] not in "%@" for lane in lanes)
        vectors = self.vectors
        register = vectors.constant(shape, lanes) if is_constant else vectors.join(self._legalizer, shape, lanes)
        self.made_of[shape.element, register] = lanes
        return register
