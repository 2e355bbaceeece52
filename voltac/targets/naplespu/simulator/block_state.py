"""What the source of a block holds so far: its lines, its registers as local variables, and the cycles known of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from voltac.codegen.simulator import Fault
from voltac.targets.naplespu.regs import FULL_MASK, PC, RA, RM
from voltac.targets.naplespu.simulator import timing
from voltac.targets.naplespu.simulator.blocks import NEVER, BlockTraits
from voltac.targets.naplespu.simulator.forms import MASKING_VECTOR, Forms
from voltac.targets.naplespu.simulator.instructions import WORD, DecodedInstruction, Listing
from voltac.targets.naplespu.simulator.meanings import BITS

if TYPE_CHECKING:
    from voltac.codegen.rows import Row

# Local names of a block -> where they come from.
_SOURCES = {
    "S": "t.scalars", "R": "t.scalar_ready", "U": "t.scalar_unit",
    "V": "t.vectors", "Q": "t.vector_ready", "X": "t.vector_unit",
    "W": "t.stalls", "K": "t.core", "G": "t.core.data.present.get", "H": "t.core.data.writable.get", "P": "t.core.data.recency",
    "A": "t.core.data.arriving", "D": "t.core.data.dirty", "q": "t.memory_free", "M": "t.mask", "m": "t.flags",
    "F": "t.core.float_exits", "I": "t.core.instructions.arrival.get", "E": "t.visits", "J": "t.block_cycles",
    "spad_words": "t.core.scratchpad.words", "spad_halves": "t.core.scratchpad.halves",
    "spad_octets": "t.core.scratchpad.bytes", "spad_bits": "t.core.scratchpad.lanes",
    "spad_signed": "t.core.scratchpad.signed", "spad_float": "t.core.scratchpad.floats",
}  # fmt: skip


class BlockState:
    """The registers and lines of one block."""

    def __init__(
        self,
        shape: BlockTraits,
        constant: Callable[[int, str], str],
        instructions: tuple[DecodedInstruction, ...],
        listing: Listing,
        number: int = 0,
        template: bool = False,
        through_stack: bool = False,
    ) -> None:
        """In a template registers are not known; with ``through_stack`` the base is the stack or frame pointer."""
        self.listing = listing
        self.shape = shape
        self.start = instructions[0].pc
        self.number = number
        self.constant = constant
        self.through_stack = through_stack
        self.instructions = instructions
        last = self.instructions[-1]
        self.loops = (
            "branch" in last.row.traits and "indirect" not in last.row.traits and last.pc + last["imm"] & WORD == self.start
        )
        self.units = {
            (last_kind, value): self._unit(instruction.row)
            for instruction in self.instructions
            for last_kind, value in self._defined(instruction)
        }
        """What the registers that the block writes wait for at its end."""
        self.lines: list[tuple[int, str]] = []
        self.indent = 2 if self.loops else 1
        self.at = 0
        self.needed: dict[str, None] = {}
        self.live_in: dict[int, None] = {}
        """Scalar registers."""
        self.ready_in: dict[tuple[str, int], None] = {}
        self.written: dict[tuple[str, int], None] = {}
        self.forms = Forms(shape, self.instructions, self.loops, template)
        self.proven: set[tuple[str, int]] = set()
        """Registers that have certainly been written before."""
        self.state: dict[tuple[str, int], tuple[int, int, int]] = {}
        """Registers set or waited for in the block: instruction, latency (0: there already), unit."""
        self.vectors_since_mask = 0
        self.vector_instructions = 0
        self.all_on = False
        """The mask is known to be full."""
        self.queued = 0
        self.scratch_queued = 0

    @staticmethod
    def _defined(instruction: DecodedInstruction) -> list[tuple[str, int]]:
        found = [
            (operand.kind, value)
            for operand, value in zip(instruction.row.operands, instruction.values)
            if operand.role != "use"
        ]
        return [*found, ("scalar", RA.number)] if "call" in instruction.row.traits else found

    @staticmethod
    def _unit(row: Row) -> int:
        return timing.UNITS[row.unit]

    def _head(self) -> list[str]:
        lines = ["def block(t, c, h):", *self._loads(), "    b = c"]
        lines.append(f"    if (x := t.core.instructions.arrival.get({self.start // 64}, NEVER)) > c:")
        lines.append(f"        x = t.core.instructions.fetch({self.start // 64}, c); W[{timing.FETCH}] += x - c; c = x")
        if self.loops:
            lines += ["    n = 1", "    while True:"]
        return lines

    def _loads(self) -> list[str]:
        """What a block needs of its thread as local variables."""
        lines = []
        for register in self.written:
            self.need("S" if register[0] == "scalar" else "V")
        if self.live_in:
            self.need("S")
        if self.forms.at_start:
            self.need("V")
        for kind, _ in self.ready_in:
            self.need("R" if kind == "scalar" else "Q")
        for name in self.needed:
            lines.append(f"    {name} = {_SOURCES[name]}")
        for number in self.live_in:
            lines.append(f"    s{number} = S[{number}]")
        lines += [f"    {line}" for line in self.forms.loads()]
        for kind, number in self.ready_in:
            lines.append(f"    {_ready(kind, number)} = {'R' if kind == 'scalar' else 'Q'}[{number}]")
        if self.queued:
            lines.append("    f0, f1, f2, f3, f4 = t.flight")
        if self.scratch_queued:
            lines.append("    g0, g1, g2, g3, g4 = t.scratch_flight")
        if self.vector_instructions:
            lines.append("    u = 0")
        return lines

    def emit(self, text: str, deeper: int = 0) -> None:
        """A line of the source."""
        self.lines.append((self.at, "    " * (self.indent + deeper) + text))

    def need(self, name: str) -> str:
        """A name of the runtime that the source uses, bound at its beginning."""
        self.needed.setdefault(name)
        return name

    def _fetch(self, pc: int) -> None:
        self.need("I")
        self.emit(f"if (x := I({pc // 64}, NEVER)) > c:")
        self.emit(f"x = t.core.instructions.fetch({pc // 64}, c); W[{timing.FETCH}] += x - c; c = x", 1)

    # --- leaving ---

    def _leave(self, target: str, deeper: int = 0) -> None:
        """Write everything back and return."""
        self._write_back(deeper)
        self.emit(f"E[{self.number}] += {'n' if self.loops else 1}; J[{self.number}] += c - b", deeper)
        self.emit(f"return {target}, c, h", deeper)

    def _write_back(self, deeper: int) -> None:
        self._count_lanes(deeper)
        for kind, number in self.written:
            names = ("S", "R", "U") if kind == "scalar" else ("V", "Q", "X")
            value = f"s{number}" if kind == "scalar" else self.forms.bits(number, (kind, number) in self.proven)
            self.emit(f"{names[0]}[{number}] = {value}", deeper)
            state = self.state.get((kind, number))
            if state is not None and state[1]:
                self.need(names[1])
                self.need(names[2])
                self.emit(f"{names[1]}[{number}] = {_ready(kind, number)}; {names[2]}[{number}] = {state[2]}", deeper)
        if self.vector_instructions:
            self.emit("t.active_lanes += u", deeper)
        if self.queued:
            self.emit(f"t.flight = ({self._ring('f', self.queued)}); t.memory_free = q", deeper)
        if self.scratch_queued:
            self.emit(f"t.scratch_flight = ({self._ring('g', self.scratch_queued)})", deeper)

    @staticmethod
    def _ring(letter: str, count: int) -> str:
        """The queue's cycles, oldest first."""
        return ", ".join(f"{letter}{(count + number) % timing.QUEUE}" for number in range(timing.QUEUE))

    def _count_lanes(self, deeper: int = 0) -> None:
        """The lanes of the vector instructions since the mask was set."""
        if self.vectors_since_mask:
            self.need("M")
            self.emit(f"u += {self.vectors_since_mask} * M.bit_count()", deeper)

    def _taken(self, target: str, deeper: int = 0) -> None:
        """A jump, to a number or an expression: slots of the wrong path, and a loop's next round or the way out."""
        self._wrong_path(deeper)
        self.emit(f"c += {timing.BRANCH - 1}; W[{timing.BRANCHED}] += {timing.BRANCH - 1}", deeper)
        if self.loops and target == str(self.start):
            self._count_lanes(deeper)
            for line in self.forms.as_at_start(lambda number: ("vector", number) in self.proven):
                self.emit(line, deeper)
            for letter, count in (("f", self.queued), ("g", self.scratch_queued)):
                if count % timing.QUEUE:
                    names = ", ".join(f"{letter}{number}" for number in range(timing.QUEUE))
                    self.emit(f"{names} = {self._ring(letter, count)}", deeper)
            self.emit("n += 1", deeper)
            self.emit("continue", deeper)
        else:
            self._leave(target, deeper)

    def _wrong_path(self, deeper: int) -> None:
        """Instructions behind the branch that take slots nobody else wants."""
        pc = self.instructions[-1].pc
        self.emit("x = c", deeper)
        made: set[tuple[str, int]] = set()
        for step in range(1, timing.WRONG_PATH + 1):
            try:
                instruction = self.listing.instruction(pc + 4 * step)
            except Fault:
                return
            if made.intersection(instruction.registers()):
                # It would have to wait for longer than the wrong path lasts.
                return
            made.update(self._defined(instruction))
            self.emit("x += 1", deeper)
            for kind, number in instruction.registers():
                register = (kind, number)
                known = self.state.get(register)
                if known is not None and not known[1]:
                    continue
                if known is not None or register in self.ready_in:
                    name = _ready(kind, number)
                else:
                    name = f"{self.need('R' if kind == 'scalar' else 'Q')}[{number}]"
                self.emit(f"if {name} > x: x = {name}", deeper)
            self.emit(f"if x < h and x <= c + {timing.WRONG_PATH}:", deeper)
            deeper += 1
            self.emit("t.wrong_path += 1", deeper)

    # --- waiting and results ---

    def issue(self, instruction: DecodedInstruction, queue: str = "") -> None:
        """The cycle in which the instruction issues."""
        self.emit("c += 1")
        for kind, number in instruction.registers():
            self._wait(kind, number)
        if queue:
            self.emit(f"if {queue} > c: W[{timing.FULL_QUEUE}] += {queue} - c; c = {queue}")
        self.emit("if c >= h: c, h = yield c")
        if instruction.row.traits & {"vector"}:
            self.vectors_since_mask += 1
            self.vector_instructions += 1

    def _wait(self, kind: str, number: int) -> None:
        register = (kind, number)
        known = self.state.get(register)
        name = _ready(kind, number)
        if known is None:
            self.ready_in.setdefault(register)
            reason = str(self.units[register]) if self.loops and register in self.units else ""
            if not reason:
                reason = f"{self.need('U' if kind == 'scalar' else 'X')}[{number}]"
            self.emit(f"if {name} > c: W[{reason}] += {name} - c; c = {name}")
        else:
            since, latency, unit = known
            if self.at - since < latency:
                self.emit(f"if {name} > c: W[{unit}] += {name} - c; c = {name}")
        self.state[register] = (self.at, 0, 0)

    def read(self, number: int, pc: int) -> str:
        """The source of a scalar register's value, which has to have been written."""
        if number == PC.number:
            return str(pc)
        name = self.old(number)
        self._prove("scalar", number, name)
        return name

    def _prove(self, kind: str, number: int, name: str) -> None:
        if (kind, number) not in self.proven:
            self.emit(f"if {name} is None: raise Unwritten('{kind}', {number})")
            self.proven.add((kind, number))

    def _prove_lanes(self, number: int, form: str) -> None:
        """With no lane on nothing of them is seen: so does code go on that computes for the lanes of a mask alone."""
        name, held = self.forms.current(number, form)
        self.emit(f"if {name} is None:")
        self.emit(f"if {self.need('M')}: raise Unwritten('vector', {number})", 1)
        self.emit(f"{name} = {self.constant(0, held)}", 1)
        self.proven.add(("vector", number))

    def old(self, number: int) -> str:
        """The source of a scalar register's value, written or not."""
        if ("scalar", number) not in self.written:
            self.live_in.setdefault(number)
        return f"s{number}"

    def lanes(self, number: int, form: str = BITS) -> str:
        """The source of a vector register's lanes, which have to have been written, in a form."""
        if ("vector", number) not in self.proven:
            self._prove_lanes(number, form)
        source, before = self.forms.get(number, form)
        if before:
            self.emit(before)
        return source

    def value(self, kind: str, number: int, pc: int) -> str:
        """An operand in the source: a register's contents, or the program counter."""
        return self.read(number, pc) if kind == "scalar" else self.lanes(number)

    def result(self, kind: str, number: int) -> str:
        """The source of what an instruction has written, for the trace; into pc nothing can be."""
        if kind == "vector":
            return f"v{number}"
        return f"s{number}" if number != PC.number else "None"

    def set_scalar(self, number: int, source: str, row: Row, ready: str = "") -> None:
        """``ready`` is the cycle of a result whose latency only running tells."""
        if number == PC.number:
            return
        self.emit(f"s{number} = {source}")
        self._set_ready("scalar", number, row, ready)
        self.proven.add(("scalar", number))
        if number == RM.number:
            # The hardware takes the mask from the value on its way, of which moveih's low half is zero.
            low = str(int(source) & FULL_MASK) if source.isdigit() else f"s{number} & {FULL_MASK}"
            self._set_mask("0" if row.mnemonic == "moveih" else low)

    def _set_mask(self, source: str) -> None:
        self._count_lanes()
        self.vectors_since_mask = 0
        self.all_on = source == str(FULL_MASK)
        self.need("M")
        self.need("m")
        self.emit(f"M = t.mask = {source}; m = t.flags = FLAGS[M]")

    def set_vector(self, number: int, source: str, row: Row, ready: str = "", form: str = BITS) -> None:
        """A vector register under the mask; ``form`` says whether the source gives bits or floats."""
        source, form = self.forms.kept(number, source, form)
        name = self.forms.name(number, form)
        if self.all_on and number != MASKING_VECTOR:
            self.emit(f"{name} = {source}")
            self.proven.add(("vector", number))
        else:
            self.need("M")
            self.need("m")
            self.emit(f"x = {source}")
            self.emit(f"{name} = x if M == {FULL_MASK} else {self.forms.blended(number, form)}")
        self.forms.set(number, form)
        self._set_ready("vector", number, row, ready)
        if number == MASKING_VECTOR:
            # Of the value on its way, too.
            self._set_mask(f"x.item(0) & {FULL_MASK}")

    def _set_ready(self, kind: str, number: int, row: Row, ready: str) -> None:
        latency = row.latency
        name = _ready(kind, number)
        if ready:
            self.emit(f"{name} = {ready}")
            latency = NEVER
        elif row.unit == "float":
            # Two results do not leave the pipe in one cycle.
            self.need("F")
            self.emit(f"k = c + {latency}")
            self.emit("while F[k & 63] == k: k += 1")
            self.emit(f"F[k & 63] = {name} = k")
            latency = NEVER
        else:
            self.emit(f"{name} = c + {latency}")
        self.written.setdefault((kind, number))
        self.state[kind, number] = (self.at, latency, self._unit(row))

    def trace(self, instruction: DecodedInstruction, value: str) -> None:
        """A line of the trace with what an instruction has written."""
        if self.shape.traced:
            self.emit(f"t.core.trace(t, {instruction.pc}, c, {value})")


def _ready(kind: str, number: int) -> str:
    return f"{'a' if kind == 'scalar' else 'b'}{number}"
