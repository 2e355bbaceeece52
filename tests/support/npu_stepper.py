"""A second NaplesPU, as simple as it can be: one instruction after the other, cycle by cycle (NaplesPU 6.4).

It shares the rows and their meanings (which are checked against the IR
interpreter) with the simulator, and nothing else: no blocks, no translation, no
conclusions about what need not be waited for. Accesses have to be aligned, in
mapped lines; misses happen once a line, nothing is ever evicted.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import numpy as np

from voltac.codegen.encoding import Decoded, Decoder
from voltac.targets.naplespu.isa import DEVICE_CODE
from voltac.targets.naplespu.simulator.meanings import DTYPES, Term, compiled_lanes, compiled_scalar, namespace

WORD = 0xFFFFFFFF
RM, RA, PC = 59, 62, 63
_DECODER = Decoder(DEVICE_CODE)
_ZEROS = np.zeros(16, np.uint32)


def _constant(value: int, form: str) -> str:
    return f"np.full(16, {value & WORD}, np.uint32).view({DTYPES[form][0]})"


class Machine:
    """What the threads of a core share."""

    def __init__(
        self,
        code: bytes,
        start: int,
        data: bytes,
        data_start: int,
        *,
        threads: int,
        latency: int,
        write_latency: int,
        blocking_stores: bool,
        fpu: str,
    ) -> None:
        self.code, self.start = code, start
        self.memory, self.data_start = bytearray(data), data_start
        self.scratchpad = bytearray(0x10000)
        self.latency = latency
        self.write_latency = write_latency
        self.blocking_stores = blocking_stores
        self.fpu = fpu
        self.names = {**namespace(fpu), "np": np}
        self.exits: set[int] = set()
        self.fetched: dict[int, int] = {}
        self.lines: dict[int, int] = {}
        self.dirty: set[int] = set()
        self.port = 0
        self.threads = [Stepper(self, number) for number in range(threads)]

    def run(self) -> None:
        """Every cycle, the first thread behind the last one that may issue."""
        cycle, last = 0, len(self.threads) - 1
        while not all(thread.ended for thread in self.threads):
            cycle += 1
            for step in range(1, len(self.threads) + 1):
                thread = self.threads[(last + step) % len(self.threads)]
                if not thread.ended and thread.wish <= cycle:
                    last = thread.number
                    thread.take_slot(cycle)
                    break


class Stepper:
    """A thread."""

    def __init__(self, machine: Machine, number: int) -> None:
        self.machine = machine
        self.number = number
        self.registers: dict[tuple[str, int], Any] = {}
        self.mask = 0
        self.ready: Counter[tuple[str, int]] = Counter()
        self.queues = {"memory": deque([0] * 5, 5), "scratchpad": deque([0] * 5, 5)}
        self.memory_free = 0
        self.cycle = 0
        self.pc = machine.start
        self.instructions = 0
        self.started = self.ended = False
        self.wish = 1

    def take_slot(self, cycle: int) -> None:
        if not self.started:
            # Only now the first line is asked for.
            self.started = True
            self.cycle = cycle - 1
            self.look_ahead()
            if self.wish > cycle:
                return
        self.cycle = cycle
        decoded = self.next_instruction()
        self.execute(decoded, {operand.field: value for operand, value in zip(decoded.row.operands, decoded.values)})
        self.instructions += 1
        if not self.ended:
            self.look_ahead()

    def next_instruction(self) -> Decoded:
        decoded = _DECODER.decode(int.from_bytes(self.machine.code[self.pc - self.machine.start :][:4], "little"))
        assert decoded is not None
        return decoded

    def look_ahead(self) -> None:
        """When the next instruction can issue."""
        machine = self.machine
        line = self.pc // 64
        if line not in machine.fetched:
            machine.port = max(self.cycle, machine.port) + 4 + machine.latency
            machine.fetched[line] = machine.port + 6
        self.wish = max(self.cycle, machine.fetched[line]) + 1
        decoded = self.next_instruction()
        row = decoded.row
        operands = [(operand.kind, value) for operand, value in zip(row.operands, decoded.values)]
        used = [(kind, value) for kind, value in operands if kind in ("scalar", "vector")]
        if any(kind == "vector" for kind, _ in used):
            used.append(("scalar", RM))
        if "return" in row.traits:
            used.append(("scalar", RA))
        for register in used:
            if register != ("scalar", PC):
                self.wish = max(self.wish, self.ready[register])
        queue = self.queues.get("memory" if "flush" in row.traits else row.unit)
        if queue is not None:
            self.wish = max(self.wish, queue[0])

    def value(self, kind: str, number: int) -> Any:
        return self.pc if (kind, number) == ("scalar", PC) else self.registers[kind, number]

    def write(self, kind: str, number: int, value: Any, ready: int, mnemonic: str = "") -> None:
        if (kind, number) == ("scalar", PC):
            return
        if kind == "vector":
            old = self.registers.get((kind, number), np.zeros(16, np.uint32))
            lanes = np.array([self.mask >> lane & 1 for lane in range(16)], bool)
            self.registers[kind, number] = np.where(lanes, value, old)
            if number == 59:
                self.mask = int(value[0]) & 0xFFFF
        else:
            self.registers[kind, number] = value
            if number == RM:
                self.mask = 0 if mnemonic == "moveih" else value & 0xFFFF
        self.ready[kind, number] = ready

    def execute(self, decoded: Decoded, fields: dict[str, int]) -> None:
        row, following = decoded.row, self.pc + 4
        if row.meaning:
            terms, scope = {}, dict(self.machine.names)
            for operand in row.operands:
                number = fields[operand.field]
                if operand.kind in ("scalar", "vector"):
                    if operand.role == "update" and number != PC:
                        # Half of a register may be set before the other half.
                        self.registers.setdefault((operand.kind, number), 0 if operand.kind == "scalar" else _ZEROS)
                    scope[operand.field] = self.value(operand.kind, number) if operand.role != "def" else None
                    terms[operand.field] = Term(operand.field, operand.kind)
                else:
                    terms[operand.field] = Term(str(number & WORD), "scalar", literal=number & WORD)
            result = row.operands[0]
            mode = self.machine.fpu
            if result.kind == "vector":
                source = f"{compiled_lanes(row.meaning, terms, _constant, mode)[0]}.view(UINT32)"
            else:
                source = compiled_scalar(row.meaning, terms, _constant, mode)
            ready = self.cycle + row.latency
            if row.unit == "float":
                while ready in self.machine.exits:
                    ready += 1
                self.machine.exits.add(ready)
            self.write(result.kind, fields[result.field], eval(source, scope), ready, row.mnemonic)
        elif row.unit in ("memory", "scratchpad"):
            self.access(decoded, fields)
        elif row.traits & {"branch", "call", "return"}:
            taken = True
            if "conditional" in row.traits:
                taken = (self.value("scalar", fields["rs"]) == 0) == (row.mnemonic == "beqz")
            if taken:
                if "return" in row.traits:
                    following = self.value("scalar", RA)
                else:
                    following = self.value("scalar", fields["rs"]) if "indirect" in row.traits else self.pc + fields["imm"]
                if "call" in row.traits:
                    self.write("scalar", RA, (following if "indirect" in row.traits else self.pc) + 4, self.cycle + 9)
                self.cycle += 8
        elif "read_control" in row.traits:
            assert self.value("scalar", fields["rs1"]) == 2, "only the thread's number is known here"
            self.write("scalar", fields["rs0"], self.number, self.cycle + 7)
        elif "flush" in row.traits:
            cycle, line = max(self.cycle, self.memory_free), self.value("scalar", fields["rs0"]) // 64
            self.queues["memory"].append(cycle + 9)
            if line in self.machine.dirty:
                self.machine.dirty.discard(line)
                self.machine.port = max(cycle + 8, self.machine.port) + 1 + self.machine.write_latency
        elif "write_control" in row.traits:
            self.ended = True
        self.pc = following

    def access(self, decoded: Decoded, fields: dict[str, int]) -> None:
        row = decoded.row
        vector = "vector" in row.traits
        kind = "vector" if vector else "scalar"
        size = next(int(trait.split()[1]) for trait in row.traits if trait.startswith("bytes"))
        address = self.value("scalar", fields["rbase"]) + fields["off"] & WORD
        lanes = range(16) if vector else range(1)
        if row.unit == "scratchpad":
            memory, places, ready = self.machine.scratchpad, [(address + 4 * lane) % 0x10000 for lane in lanes], self.cycle + 11
            self.queues["scratchpad"].append(self.cycle + 9)
        else:
            memory, base = self.machine.memory, address - self.machine.data_start
            line = address // 64
            cycle = max(self.cycle, self.memory_free)
            if line in self.machine.lines:
                ready = cycle + 9
                if self.machine.lines[line] > ready:
                    ready = self.memory_free = self.machine.lines[line]
            else:
                self.machine.port = max(cycle + 8, self.machine.port) + 4 + self.machine.latency
                ready = self.machine.lines[line] = self.memory_free = self.machine.port + 4
            self.queues["memory"].append(ready)
            if "store" in row.traits:
                self.machine.dirty.add(line)
                if ready > cycle + 9 and self.machine.blocking_stores:
                    self.cycle = ready - 1
            if vector and "load" in row.traits and size < 4:
                places = [base // 64 * 64 + 4 * lane + address % 4 for lane in lanes]
            else:
                places = [base + size * lane for lane in lanes]
        if "load" in row.traits:
            found = [
                int.from_bytes(memory[place : place + size], "little", signed="signed" in row.traits) & WORD for place in places
            ]
            self.write(kind, fields["rds"], np.array(found, np.uint32) if vector else found[0], ready)
            return
        value = self.value(kind, fields["rds"])
        for lane, place in zip(lanes, places):
            if vector and row.unit == "scratchpad" and not self.mask >> lane & 1:
                continue
            number = int(value[lane]) if vector else value
            memory[place : place + size] = (number & (1 << 8 * size) - 1).to_bytes(size, "little")
