"""Decoded instructions -> Python generators, a basic block at a time, that compute what the block does and when.

A block runs as ``next_pc, cycle, horizon = yield from block(thread, cycle, horizon)``.
``cycle`` (``c``) is that of the thread's last issue; until ``horizon`` (``h``) nobody
else wants the issue slot. An instruction that could issue later yields the cycle
it would like and is sent the one it gets, with a new horizon; so one thread alone
never yields. A negative ``next_pc`` says that something besides going on is to be
done first (``core.py``).

In a block registers are local variables: ``s3``, ``v3`` the values, ``a3``, ``b3`` the
cycle from which an instruction may read or overwrite them. Lanes are seen as floats
or signed integers in ``v3_float`` and ``v3_signed`` (``forms.py``). What the block itself
tells about these cycles is not tested again: a result that an earlier
instruction waited for is there, and so is one whose latency lies that many
instructions back. A block that branches to its own start is a loop in Python.
"""

from __future__ import annotations

from functools import partial

from voltac.targets.naplespu.regs import PC, RA
from voltac.targets.naplespu.simulator import timing
from voltac.targets.naplespu.simulator.block_state import BlockState
from voltac.targets.naplespu.simulator.blocks import ENDS, BlockFacts, facts_of
from voltac.targets.naplespu.simulator.instructions import WORD, DecodedInstruction
from voltac.targets.naplespu.simulator.meanings import BITS, Term, compiled_lanes, compiled_scalar
from voltac.targets.naplespu.simulator.translate_memory import write_main_memory, write_scratchpad


class BlockWriter(BlockState):
    """Writes the source of one block."""

    # --- putting it together ---

    def write(self) -> tuple[str, BlockFacts]:
        """The source, and what is known of the block."""
        self.needed = dict.fromkeys(("W", "E", "J"))
        for number, instruction in enumerate(self.instructions):
            self.at = number
            if number and instruction.pc % 64 == 0:
                self._fetch(instruction.pc)
            self._instruction(instruction)
        if not self.instructions[-1].row.traits & ENDS:
            self._leave(str(self.instructions[-1].pc + 4))
        head = self._head()
        source = "\n".join([*head, *(line for _, line in self.lines)]) + "\n"
        origin = (0,) * len(head) + tuple(number for number, _ in self.lines)
        return source, facts_of(self.instructions, self.start, origin)

    def write_step(self) -> str:
        """The source of a single instruction, ``cycle, horizon = yield from step(thread, cycle, horizon, pc, ...)``.

        It is a template: where the instruction has names, they are parameters.
        """
        self.needed = {"W": None}
        (instruction,) = self.instructions
        self._instruction(instruction)
        self._write_back(0)
        self.emit("return c, h")
        names = "".join(f", {value}" for value in instruction.values if isinstance(value, str))
        return "\n".join([f"def step(t, c, h, pc{names}):", *self._loads(), *(line for _, line in self.lines)]) + "\n"

    # --- instructions ---

    def _instruction(self, instruction: DecodedInstruction) -> None:
        row = instruction.row
        if row.meaning:
            self._computation(instruction)
        elif row.unit == "memory":
            write_main_memory(self, instruction)
        elif row.unit == "scratchpad":
            write_scratchpad(self, instruction)
        elif row.traits & {"branch", "call", "return"}:
            self._jump(instruction)
        else:
            self._control(instruction)

    def _computation(self, instruction: DecodedInstruction) -> None:
        row = instruction.row
        self.issue(instruction)
        result, target = row.operands[0].kind, instruction.values[0]
        preferred = self.forms.next_use(self.at, target) if result == "vector" else BITS
        terms = {}
        for number, (operand, value) in enumerate(zip(row.operands, instruction.values)):
            if operand.kind not in ("scalar", "vector"):
                literal = value & WORD if isinstance(value, int) else None
                terms[operand.field] = Term(str(value if literal is None else literal), "scalar", literal=literal)
            elif number and operand.kind == "vector":
                form = self.forms.held(value, preferred)
                terms[operand.field] = Term("", "vector", form=form, seen=partial(self.lanes, value))
            elif number:
                source = self.read(value, instruction.pc)
                literal = int(source) if source.isdigit() else None
                terms[operand.field] = Term(source, "scalar", literal=literal)
            elif row.format.name == "MOVEI" and operand.role == "update":
                # Half of a register may be set while the other half is unknown.
                terms[operand.field] = self._half_known(operand.kind, value)
        if result == "scalar":
            self.set_scalar(target, compiled_scalar(row.meaning, terms, self.constant, self.shape.mode), row)
        else:
            source, form = compiled_lanes(row.meaning, terms, self.constant, self.shape.mode, preferred)
            self.set_vector(target, source, row, form=form)
        self.trace(instruction, self.result(result, target))

    def _half_known(self, kind: str, number: int) -> Term:
        if kind == "vector":
            name, form = self.forms.current(number, BITS)
            if ("vector", number) not in self.proven:
                self.emit(f"if {name} is None: {name} = {self.constant(0, form)}")
            self.proven.add(("vector", number))
            return Term("", "vector", seen=partial(self.lanes, number))
        name = self.old(number) if number != PC.number else "0"
        if ("scalar", number) not in self.proven and number != PC.number:
            self.emit(f"if {name} is None: {name} = 0")
        return Term(name, "scalar")

    def _jump(self, instruction: DecodedInstruction) -> None:
        row, pc = instruction.row, instruction.pc
        self.issue(instruction)
        indirect = "indirect" in row.traits
        target = str(pc + instruction["imm"] & WORD) if "imm" in {operand.field for operand in row.operands} else ""
        if "conditional" in row.traits:
            condition = self.read(instruction["rs"], pc)
            self.trace(instruction, condition)
            self.emit(f"if not {condition}:" if row.mnemonic == "beqz" else f"if {condition}:")
            self._taken(target, 1)
            self._leave(str(pc + 4))
            return
        if indirect:
            target = self.read(instruction["rs"], pc)
        elif "return" in row.traits:
            self._wait("scalar", RA.number)
            target = self.read(RA.number, pc)
        if target == str(pc):
            self.emit("raise Fault('the thread jumps to the same place for ever')")
        self.trace(instruction, target)
        if "call" in row.traits:
            if indirect:
                # The hardware stores the target + 4, not where to come back to.
                self.emit(f"y = {target}")
                target = "y"
            self.set_scalar(RA.number, "y + 4 & 0xFFFFFFFF" if indirect else str(pc + 4), row, f"c + {timing.BRANCH}")
        self._taken(target)

    def _control(self, instruction: DecodedInstruction) -> None:
        row, pc = instruction.row, instruction.pc
        if row.traits & {"flush"}:
            self.need("q")
            self.need("K")
            queue = f"f{self.queued % timing.QUEUE}"
            self.queued += 1
            self.issue(instruction, queue)
            address = self.read(instruction["rs0"], pc)
            self.emit(f"{queue} = K.flush(t, {address}, c if c > q else q, {'invalidate' in row.traits})")
            self.trace(instruction, address)
            return
        self.issue(instruction)
        if "read_control" in row.traits:
            register = self.read(instruction["rs1"], pc)
            self.set_scalar(instruction["rs0"], f"read_control(t.core, t, {register}, c, {pc})", row)
            self.trace(instruction, self.result("scalar", instruction["rs0"]))
        elif "write_control" in row.traits:
            value, register = (self.read(instruction[name], pc) for name in ("rs0", "rs1"))
            self.trace(instruction, value)
            self.emit(f"write_control(t.core, t, {register}, {value}); t.at_barrier = None")
            self._leave(f"-{pc + 4}")
        elif "barrier" in row.traits:
            number, others = (self.read(instruction[name], pc) for name in ("rs0", "rs1"))
            self.trace(instruction, number)
            self.emit(f"t.at_barrier = ({number}, {others}, {pc})")
            self._leave(f"-{pc + 4}")
        else:
            self.trace(instruction, "None")
