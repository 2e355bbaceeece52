"""In which forms a block's local variables hold the lanes of vector registers.

``v3`` are bits, ``v3_float`` and ``v3_signed`` the same lanes as floats and signed
integers. A view of an array takes half as long as adding two, so a block makes one
only where a register is wanted in a form that it is not held in, and loads,
constants and moves make the form that comes next. Between blocks and wherever
somebody else looks at the registers they are bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from voltac.targets.naplespu.simulator.meanings import BITS, DTYPES, first_form

if TYPE_CHECKING:
    from voltac.targets.naplespu.simulator.blocks import BlockTraits
    from voltac.targets.naplespu.simulator.instructions import DecodedInstruction

MASKING_VECTOR = 59
"""Number of the vector register in whose place the hardware has the mask: it is no register like the others."""


class Forms:
    """In which forms, bits or floats, the generated source holds each vector register."""

    def __init__(self, shape: BlockTraits, instructions: tuple[DecodedInstruction, ...], loops: bool, template: bool) -> None:
        self.mode = shape.mode
        self.instructions = instructions
        self.loops = loops
        self.only_bits = template or shape.traced or shape.trap_vector
        self.now: dict[int, list[str]] = {}
        """Register -> the forms that it is held in at this place, the one it was written in first."""
        self.at_start: dict[int, list[str]] = {}
        """Registers that come from before the block, or from the loop's last round -> their forms at the start."""
        self.written: set[int] = set()

    @staticmethod
    def name(number: int, form: str) -> str:
        """The variable of the generated source for a vector register."""
        return f"v{number}" if form == BITS else f"v{number}_{form}"

    def _start(self, number: int, form: str) -> None:
        if self.only_bits:
            form = BITS
        self.at_start.setdefault(number, []).append(form)
        self.now.setdefault(number, []).append(form)

    def held(self, number: int, preferred: str) -> str:
        """A form in which a register can be had without a view."""
        known = self.now.get(number, [BITS if self.only_bits else preferred])
        return preferred if preferred in known else known[0]

    def current(self, number: int, preferred: str) -> tuple[str, str]:
        """The local variable that holds a register, whether it has been written or not, and its form."""
        if number not in self.now:
            self._start(number, preferred)
        form = self.now[number][0]
        return self.name(number, form), form

    def get(self, number: int, form: str) -> tuple[str, str]:
        """The source of a register's lanes in a form, and a statement to be executed before it, if any."""
        known = self.now.get(number, [])
        name = self.name(number, form)
        if form not in known:
            if self.only_bits:
                return f"{self.name(number, BITS)}.view({DTYPES[form][0]})", ""
            if number in self.written:
                before = f"{name} = {self.name(number, known[0])}.view({DTYPES[form][0]})"
                known.append(form)
                return name, before
            self._start(number, form)
        return name, ""

    def kept(self, number: int, source: str, form: str) -> tuple[str, str]:
        """A result as it is written into a register: its source and form."""
        if form != BITS and (self.only_bits or number == MASKING_VECTOR):
            return f"{source}.view({DTYPES[BITS][0]})", BITS
        return source, form

    def blended(self, number: int, form: str) -> str:
        """The source of a register with the new lanes ``x`` where the mask ``m`` is on."""
        if number not in self.now:
            if not self.loops:
                return f"blend{'' if form == BITS else '_forms'}(V[{number}], x, m)"
            self._start(number, form)
        known = self.now[number]
        if form in known:
            return f"blend({self.name(number, form)}, x, m)"
        return f"blend_forms({self.name(number, known[0])}, x, m)"

    def set(self, number: int, form: str) -> None:
        """A register has been written."""
        self.now[number] = [form]
        self.written.add(number)

    def next_use(self, at: int, number: int) -> str:
        """The form in which an instruction's result is wanted first."""
        if self.only_bits:
            return BITS
        behind = self.instructions[at + 1 :]
        for instruction in (*behind, *self.instructions[: at + 1]) if self.loops else behind:
            row = instruction.row
            places = [
                operand
                for operand, value in zip(row.operands, instruction.values)
                if operand.kind == "vector" and value == number
            ]
            for operand in places:
                if operand.role == "use":
                    return first_form(row.meaning, self.mode, operand.field) if row.meaning else BITS
            if places:
                break
        return BITS

    def bits(self, number: int, there: bool) -> str:
        """A register's bits where the block is left; ``there``: it certainly has been written."""
        known = self.now[number]
        return self.name(number, BITS) if BITS in known else self._viewed(self.name(number, known[0]), BITS, there)

    @staticmethod
    def _viewed(name: str, form: str, there: bool) -> str:
        view = f"{name}.view({DTYPES[form][0]})"
        return view if there else f"None if {name} is None else {view}"

    def loads(self) -> list[str]:
        """Statements that get the registers of the start from the thread."""
        lines = []
        for number, forms in self.at_start.items():
            for form in forms:
                source = f"V[{number}]"
                if form != BITS:
                    source = f"None if (x := V[{number}]) is None else x.view({DTYPES[form][0]})"
                lines.append(f"{self.name(number, form)} = {source}")
        return lines

    def as_at_start(self, there: Callable[[int], bool]) -> list[str]:
        """Statements before a loop's next round."""
        lines = []
        for number, forms in self.at_start.items():
            known = self.now[number]
            for form in forms:
                if number in self.written and form not in known:
                    lines.append(
                        f"{self.name(number, form)} = {self._viewed(self.name(number, known[0]), form, there(number))}"
                    )
        return lines
