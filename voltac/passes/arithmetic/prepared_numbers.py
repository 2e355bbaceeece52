"""What is computed of a number that all lanes share, there where the number is known: once, not in each iteration."""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.model import Function, Instruction
from voltac.ir.types import element_of, lanes_of

DECLARATIONS = [f"declare i32 @llvm.{name}.i32(i32, i32)" for name in ("smin", "smax", "umin")]
"""Of what :class:`PreparedNumbers` may call."""


class PreparedNumbers:
    """Scalars of one function, written by :meth:`write` when all are known. None may fail."""

    def __init__(self, function: Function, fresh: Callable[[str], str]) -> None:
        self._function, self._fresh = function, fresh
        self._behind: dict[str, list[Instruction]] = {}
        """Names of the numbers -> what is computed of them."""

    def made(self, number: str, text: str) -> str:
        """The name of what is computed of a number."""
        name = self._fresh("bound")
        self._behind.setdefault(number, []).append(Instruction(f"  {name} = {text}"))
        return name

    def nearest(self, number: str, value: str, least: int, most: int) -> str:
        """What is nearest to a value, itself computed of the number, in a range."""
        above = self.made(number, f"call i32 @llvm.smax.i32(i32 {value}, i32 {least})")
        return self.made(number, f"call i32 @llvm.smin.i32(i32 {above}, i32 {most})")

    def splat(self, scalar: str, vector: str, lines: list[Instruction]) -> str:
        """A scalar in all lanes, made behind ``lines``."""
        first, spread = self._fresh("bound"), self._fresh("bound")
        places = f"<{lanes_of(vector)} x i32> zeroinitializer"
        lines.append(Instruction(f"  {first} = insertelement {vector} poison, {element_of(vector)} {scalar}, i64 0"))
        lines.append(Instruction(f"  {spread} = shufflevector {vector} {first}, {vector} poison, {places}"))
        return spread

    def write(self) -> None:
        """Behind the definitions of the numbers, of parameters at the function's beginning."""
        entry = self._function.blocks[0]
        for block in self._function.blocks:
            lines: list[Instruction] = []
            waiting: list[Instruction] = []
            for made in block.instructions:
                if made.op != "phi":
                    lines += waiting
                    waiting = []
                lines.append(made)
                waiting += self._behind.pop(made.name, ())
            block.instructions = lines
        entry.instructions[:0] = [made for lines in self._behind.values() for made in lines]
