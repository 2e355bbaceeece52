"""Code from an address on → a Python function that does what it does, up to the next branch.

``block(w)`` takes a worker and returns the address where it goes on, or -1 at its end.
Registers are local variables ``m3``, ``a4`` in it, read from the worker's lists at the
beginning and written at the end. Both halves of a bundle are evaluated before either
is assigned. A repeat is a loop inside the function. ``k`` counts the slots that depend
on the values; the others are known. Each line of the function belongs to an address,
so nothing has to be remembered for the case that an instruction fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from voltac.codegen.encoding import Decoded
from voltac.codegen.rows import RowOperand
from voltac.records import field, mutable_record
from voltac.targets.ipu.registers import WIDTHS, written_registers
from voltac.targets.ipu.simulator.decoded import CodeReader, IssuedCode
from voltac.targets.ipu.simulator.faults import INVALID_INSTRUCTION, INVALID_OPERATION, TileFault
from voltac.targets.ipu.simulator.pace import pace_meaning

_LONGEST = 400
"""Issues of a block: what compiles in a moment."""
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_FASTER_AT_ZERO = {"f32exp": 1, "f32exp2": 1, "f16v2exp": 1, "f16v2sigm": 1}
"""Slots where the operand is zero (IPU 2.4)."""
_WRITABLE = {"m": 12, "a": 8}
"""Registers of each file that hold what is written."""
_READABLE = {"m": 14, "a": 8}
"""Those that are not always 0."""

_OF_THE_WORKER = {
    "get": "w.get", "put": "w.put", "uget": "w.float_state.read", "uput": "w.float_state.write", "runall": "w.runall",
    "run": "w.run", "sync": "w.sync",
}  # fmt: skip
"""What meanings ask the worker, or the supervisor, to do."""

Block = Callable[[Any], int]


@mutable_record(eq=False)
class IssueCounts:
    """Of a stretch of code that is executed as a whole."""

    bundles: int = 0
    solo: int = 0
    slots: int = 0
    main: int = 0
    """Instructions of the main pipe but ``nop``."""
    aux: int = 0
    both: int = 0
    """Bundles with both."""

    def add(self, issue: IssuedCode) -> None:
        """Count an issue."""
        self.bundles += issue.is_bundle
        self.solo += not issue.is_bundle
        self.slots += issue.slots
        main = issue.main is not None and issue.main.row.mnemonic != "nop"
        aux = issue.aux is not None and issue.aux.row.mnemonic != "fnop"
        self.main += main
        self.aux += aux
        self.both += main and aux


@mutable_record(eq=False)
class WorkerBlock:
    """``origin``: the address that each line of the function belongs to, and whether it is in a repeat."""

    start: int
    source: str
    origin: list[tuple[int, bool]]
    counts: IssueCounts
    """Of one visit, without what is repeated."""
    repeats: list[IssueCounts]
    """Of one pass through each repeat's body."""
    function: Block | None = None


@mutable_record(eq=False)
class _Effects:
    """What an instruction does: values for registers, and statements, all in terms of the old state."""

    values: list[tuple[list[str], str]] = field(default_factory=list)
    """Target variables, of which ``_`` is none, and the expression that has as many words."""
    statements: list[str] = field(default_factory=list)


class WorkerCodeWriter:
    """Writes one block."""

    def __init__(self, reader: CodeReader, start: int, most_repeats: int, is_supervisor: bool, traced: bool) -> None:
        self.reader = reader
        self.start = start
        self.most_repeats = most_repeats
        self.is_supervisor = is_supervisor
        self.traced = traced
        self.lines: list[tuple[str, int, bool]] = []
        self.read: dict[str, None] = {}
        """Variables that the function needs from the beginning."""
        self.written: dict[str, None] = {}
        self.counts = IssueCounts()
        self.repeats: list[IssueCounts] = []
        self.indent = ""
        self.pc = self.end = start
        self.in_repeat = False

    def write(self) -> WorkerBlock:
        """The block from ``start`` on."""
        pc = self.start
        leave = ""
        for _ in range(_LONGEST):
            self.pc = pc
            try:
                issue = self.reader.issue_at(pc)
                self._check(issue)
            except TileFault as fault:
                self._fail(fault)
                break
            self.counts.add(issue)
            if issue.has("repeat"):
                after = self._repeat(issue)
                if after is None:
                    break
                pc = after
                continue
            leave = self._issue(issue)
            pc = issue.end
            if leave:
                break
        else:
            leave = str(pc)
        return self._finished(leave)

    def _finished(self, leave: str) -> WorkerBlock:
        head = ["def block(w):", " m_ = w.main; a_ = w.aux; fpu = w.fpu; k = 0"]
        for name in self.read:
            head.append(f" {name} = {name[0]}_[{name[1:]}]")
        tail = [f" {name[0]}_[{name[1:]}] = {name}" for name in self.written]
        tail.append(f" w.slots += {self.counts.slots} + k")
        tail.append(f" return {leave or -1}")
        body = [(" " + text, pc, inside) for text, pc, inside in self.lines]
        origin = [(self.start, False)] * len(head) + [(pc, inside) for _, pc, inside in body] + [(self.pc, False)] * len(tail)
        source = "\n".join([*head, *(text for text, _, _ in body), *tail]) + "\n"
        return WorkerBlock(self.start, source, origin, self.counts, self.repeats)

    def _emit(self, text: str) -> None:
        self.lines.append((self.indent + text, self.pc, self.in_repeat))

    def _fail(self, fault: TileFault) -> None:
        self._emit(f"raise TileFault({fault.code}, {str(fault)!r}, *{fault.addresses!r})")

    def _check(self, issue: IssuedCode) -> None:
        written: list[str] = []
        for half in issue.halves:
            _check_destinations(half)
            for operand, value in zip(half.row.operands, half.values):
                written += written_registers(operand.kind, value) if operand.role != "use" else ()
            if ("supervisor" in half.row.traits) != self.is_supervisor and "supervisor" in half.row.traits:
                raise TileFault(INVALID_INSTRUCTION, f"{half.row.mnemonic} is an instruction of the supervisor", issue.pc)
        if len(set(written)) != len(written):
            raise TileFault(INVALID_INSTRUCTION, "a register is written twice at once", issue.pc)
        if self.is_supervisor and (issue.aux is not None or issue.has("repeat") or issue.has("exit")):
            raise TileFault(INVALID_INSTRUCTION, "the supervisor has no aux pipe, no rpt and no exit", issue.pc)

    # --- one issue --------------------------------------------------------------------------------------------------

    def _issue(self, issue: IssuedCode) -> str:
        """Its lines; an expression for the address to go on at, empty: the next one."""
        self.end = issue.end
        if issue.main is not None and "csr" in issue.main.row.traits:
            self._emit(f"w.at({self.pc}, w.slots + k + {self.counts.slots})")
        effects = [self._effects(half) for half in issue.halves]
        leave = self._control(issue) if issue.has("control") else ""
        if leave and not leave.isdigit():
            self._emit(f"pc = {leave}")
            leave = "pc"
        self._apply(effects)
        if self.traced:
            self._trace(issue, effects)
        return leave

    def _apply(self, effects: Sequence[_Effects]) -> None:
        statements = [text for effect in effects for text in effect.statements]
        values = [value for effect in effects for value in effect.values]
        targets = ", ".join(_tuple(names) for names, _ in values)
        # Both lanes of a pair are written "x, y".
        expressions = ", ".join(f"({text})" if len(names) > 1 and len(values) > 1 else text for names, text in values)
        if statements and values and any("load" in text for _, text in values):
            checks = [text for text in statements if text.startswith("apart")]
            for text in checks:
                self._emit(text)
            self._emit(f"t = {expressions}")
            for text in statements:
                if text not in checks:
                    self._emit(text)
            self._emit(f"{targets} = t")
        else:
            for text in statements:
                self._emit(text)
            if values:
                self._emit(f"{targets} = {expressions}")
        for names, _ in values:
            self.written.update(dict.fromkeys(name for name in names if name != "_"))

    def _trace(self, issue: IssuedCode, effects: Sequence[_Effects]) -> None:
        names = [name for effect in effects for names, _ in effect.values for name in names if name != "_"]
        shown = ", ".join(f"('{name}', {name})" for name in names)
        self._emit(f"trace(w, {issue.pc}, {self.reader.text(issue)!r}, [{shown}])")

    def _effects(self, half: Decoded) -> _Effects:
        """Of the meaning of a row: a result, ``x = ...`` and statements, one after the other."""
        row = half.row
        made = _Effects()
        names = self._names(half)
        defined = next((operand for operand in row.operands if operand.role != "use"), None)
        meaning = row.meaning
        if "pace" in row.traits:
            meaning, lines = pace_meaning(half, names)
            for line in lines:
                self._emit(line)
        if "control" in row.traits:
            # The first part is the condition.
            meaning = "; " + meaning.partition(";")[2]
        for number, part in enumerate(meaning.split(";")):
            text = part.strip()
            if not text:
                continue
            target, equals, right = text.partition(" = ")
            if equals:
                operand = next(operand for operand in row.operands if operand.field == target)
                made.values.append((self._targets(half, operand), self._translated(right, names)))
            elif number == 0 and defined is not None:
                made.values.append((self._targets(half, defined), self._translated(text, names)))
            else:
                made.statements.append(self._translated(text, names))
        if "call" in row.traits:
            link = row.operands[0]
            made.values.append((self._targets(half, link), str(self.end)))
        if row.mnemonic in _FASTER_AT_ZERO:
            mask = "0x7FFFFFFF" if row.mnemonic.startswith("f32") else "0x7FFF7FFF"
            saved = row.latency - _FASTER_AT_ZERO[row.mnemonic]
            made.statements.append(f"k -= 0 if {names['s']} & {mask} else {saved}")
        return made

    @staticmethod
    def _translated(text: str, names: dict[str, str]) -> str:
        return _NAME.sub(lambda match: names.get(match[0], match[0]), text)

    def _names(self, half: Decoded) -> dict[str, str]:
        """What the operands of a meaning are called in the function."""
        names = dict(_OF_THE_WORKER)
        for operand, value in zip(half.row.operands, half.values):
            if operand.kind not in WIDTHS:
                names[operand.field] = f"({value})" if value < 0 else str(value)
                continue
            registers = self._registers(operand, value)
            if len(registers) == 1:
                names[operand.field] = self._used(*registers[0]) if self._reads(half, operand, operand.field) else "0"
                continue
            for number, (file, register) in enumerate(registers):
                word = f"{operand.field}{number}"
                if self._reads(half, operand, word):
                    names[word] = self._used(file, register)
        return names

    @staticmethod
    def _reads(half: Decoded, operand: RowOperand, word: str) -> bool:
        return operand.role != "def" and re.search(rf"(?<![\w.]){word}(?!\w)", half.row.meaning) is not None

    @staticmethod
    def _registers(operand: RowOperand, value: int) -> list[tuple[str, int]]:
        width = WIDTHS[operand.kind]
        return [(operand.kind[0], value * width + number) for number in range(width)]

    def _used(self, file: str, register: int) -> str:
        """The variable of a register that is read."""
        if register >= _READABLE[file]:
            return "0"
        name = f"{file}{register}"
        if name not in self.written or self.in_repeat:
            self.read[name] = None
        return name

    def _targets(self, half: Decoded, operand: RowOperand) -> list[str]:
        value = half.values[half.row.operands.index(operand)]
        names = []
        for file, register in self._registers(operand, value):
            writable = register < _WRITABLE[file]
            names.append(f"{file}{register}" if writable else "_")
            if writable and self.in_repeat:
                # The body may run no time at all.
                self.read[f"{file}{register}"] = None
        return names

    # --- control ----------------------------------------------------------------------------------------------------

    def _control(self, issue: IssuedCode) -> str:
        half = issue.main
        assert half is not None
        row = half.row
        names = self._names(half)
        condition = self._translated(row.meaning.partition(";")[0].strip(), names)
        if "exit" in row.traits:
            self._emit(f"w.status = bool({condition})")
            return "-1"
        if "indirect" in row.traits:
            value = half.values[0]
            return self._used("m", value)
        target = half.values[[operand.kind for operand in row.operands].index("function" if "call" in row.traits else "target")]
        return f"{target} if {condition} else {issue.end}" if "conditional" in row.traits else str(target)

    def _repeat(self, issue: IssuedCode) -> int | None:
        """The loop of a ``rpt``; the address behind its body, None where it fails."""
        half = issue.main
        assert half is not None
        names = self._names(half)
        count = self._translated(half.row.meaning, names)
        bundles = half.values[1] + 1
        self._emit(f"n = {count}")
        self._emit(f"if n > {self.most_repeats}: too_many(n)")
        if issue.aux is not None:
            self._apply([self._effects(issue.aux)])
        if self.traced:
            self._trace(issue, [])
        number = len(self.repeats)
        counts = IssueCounts()
        self.repeats.append(counts)
        body = issue.end
        outer, self.counts = self.counts, counts
        self._emit("for _ in range(n):")
        self.indent, self.in_repeat = " ", True
        self._emit("pass")
        try:
            if body % 8:
                self._fail(TileFault(INVALID_OPERATION, f"the body of the repeat at {body:#x} is not 8-byte aligned", body))
                return None
            for pc in range(body, body + 8 * bundles, 8):
                self.pc = pc
                inner = self._body_issue(pc)
                if inner is None:
                    return None
                counts.add(inner)
                self._issue(inner)
        finally:
            self.indent, self.in_repeat, self.counts = "", False, outer
        self.pc = issue.pc
        self._emit(f"k += n * {counts.slots}")
        self._emit(f"w.repeats[({self.start}, {number})] = w.repeats.get(({self.start}, {number}), 0) + n")
        return body + 8 * bundles

    def _body_issue(self, pc: int) -> IssuedCode | None:
        """A bundle of a repeat's body."""
        try:
            issue = self.reader.issue_at(pc)
            if not issue.is_bundle:
                raise TileFault(INVALID_OPERATION, "a single instruction in the body of a repeat", pc)
            if issue.has("control") or issue.has("not in repeat"):
                raise TileFault(INVALID_OPERATION, f"'{self.reader.text(issue)}' in the body of a repeat", pc)
            self._check(issue)
        except TileFault as fault:
            self._fail(fault)
            return None
        return issue


def _check_destinations(half: Decoded) -> None:
    """Two destinations of one instruction are different."""
    if "distinct" in half.row.traits and half.values[0] == half.values[1]:
        raise TileFault(INVALID_OPERATION, f"both destinations of {half.row.mnemonic} are the same")


def _tuple(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"
