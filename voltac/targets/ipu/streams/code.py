"""The function of a pipelined stream as assembly: fill, repeat, drain, and the words that are left one by one (IPU 5.3).

``$m0`` leads to the block. Later it counts the passes of the kernel, ``$m1`` the words that are left, ``$m2`` and ``$m3`` are
the addresses of the loads and ``$m6`` that of the store; ``$m4:5`` are the packed ones.
"""

from __future__ import annotations

import re

from voltac.codegen.pipelining.pipeline import Cycles, Issue, PipelinedLoop
from voltac.ir.model import Module
from voltac.targets.ipu.legalize.divisions import inverse_of
from voltac.targets.ipu.streams.program import KEY, KINDS, PACED, PREFIX, StreamProgram, StreamStep, read_program
from voltac.targets.ipu.streams.schedule import LOAD, STORE, schedule

_PAIRS = 4
_LOADS = ("$m2", "$m3")
_STORE = "$m6"
_PACKED = "$m4:5"
_SAVED = "$a6:7"
"""A pair that callers keep values in."""
_LARGEST_REPEAT = 32767
"""What the number of an instruction reaches."""
_COMMUTATIVE = frozenset(("add", "mul", "max", "min"))
_BROADCAST = {"float": "B", "half": "BL"}


_DECLARED = re.compile(rf'declare void @(?P<name>{re.escape(PREFIX)}[\w.]+)\(ptr\) "{KEY}"="(?P<text>[^"]*)"')


class StreamCode:
    """Writes one function."""

    def __init__(self, name: str, program: StreamProgram, repeats: int) -> None:
        """``repeats``: the most that ``rpt`` counts to."""
        self.name = name
        self.program = program
        self.repeats = min(repeats, _LARGEST_REPEAT)
        self.paced = name.endswith(PACED)
        self.lines: list[str] = []
        self._place_scalars()

    def text(self) -> str:
        """The function in its section."""
        program, loop = self.program, schedule(self.program, self.pairs, self.paced)
        fields = [*_LOADS[: program.loads], _STORE]
        self._emit(f"st64 {_SAVED}, $mworker_base, $mzero, 0")
        self._emit("ld32 $m1, $m0, $mzero, 0")
        for number, register in enumerate(fields, 1):
            self._emit(f"ld32 {register}, $m0, $mzero, {number}")
        for scalar, registers in enumerate(self.scalars):
            for register in registers:
                self._emit(f"ld32 {register}, $m0, $mzero, {1 + len(fields) + scalar}")
        for low, high in self.limits if program.element == "half" else ():
            (least,), (most,) = (self.scalars[int(name[1:])] for name in (low, high))
            self._emit(f"sort4x16lo {least}, {least}, {most}")
        if loop is not None:
            self._pipeline(loop)
        self._one_by_one()
        self._emit(f"ld64 {_SAVED}, $mworker_base, $mzero, 0")
        self._emit("br $lr")
        head = f'\t.section .text.{self.name},"ax"\n\t.align 8\n\t.type {self.name}, @function\n{self.name}:\n'
        return head + "\n".join(self.lines) + f"\n\t.size {self.name}, . - {self.name}\n"

    # --- registers

    def _place_scalars(self) -> None:
        """From the top: those that every use can broadcast in one register, the others in a pair."""
        free = [f"$a{number}" for number in range(2 * _PAIRS)]
        pairs = {name for step in self.program.steps for name in self._as_pairs(step)}
        self.scalars: list[list[str]] = [[] for _ in range(self.program.scalars)]
        self.limits = [step.operands[1:] for step in self.program.steps if step.operation == "clamp"]
        for limits in self.limits:
            for name, register in zip(limits, free[-2:]):
                self.scalars[int(name[1:])] = [register]
            del free[-2:]
        # Pairs first, so that they stay aligned.
        for number in sorted(range(self.program.scalars), key=lambda one: f"s{one}" not in pairs):
            if self.scalars[number]:
                continue
            count = 2 if f"s{number}" in pairs else 1
            self.scalars[number] = free[-count:]
            del free[-count:]
        self.pairs = len(free) // 2

    def _as_pairs(self, step: StreamStep) -> list[str]:
        """The scalars of a step that cannot be broadcast: only the first operand is, and not of ``max`` and ``min``."""
        if step.operation == "clamp":
            return []
        first, second = self._ordered(step)
        if step.operation in ("max", "min"):
            return [name for name in (first, second) if name[0] == "s"]
        return [second] if second[0] == "s" else []

    def _ordered(self, step: StreamStep) -> tuple[str, str]:
        first, second, *_ = step.operands
        return (second, first) if second[0] == "s" and step.operation in _COMMUTATIVE else (first, second)

    def _pair(self, number: int) -> str:
        return f"$a{2 * number}:{2 * number + 1}"

    def _operation(self, step: StreamStep, to: str, values: dict[str, str]) -> str:
        kind = KINDS[self.program.element]
        if step.operation == "clamp":
            value, low, high = step.operands
            (least,), (most,) = (self.scalars[int(name[1:])] for name in (low, high))
            limits = f"{least}:{most[2:]}" if self.program.element == "float" else least
            return f"{kind}clamp {to}, {values[value]}, {limits}"
        texts = []
        for name in self._ordered(step):
            if name[0] == "v":
                texts.append(values[name])
            elif len(registers := self.scalars[int(name[1:])]) == 1:
                texts.append(f"{registers[0]}:{_BROADCAST[self.program.element]}")
            else:
                texts.append(f"{registers[0]}:{registers[1][2:]}")
        return f"{kind}{step.operation} {to}, {', '.join(texts)}"

    # --- the pipeline

    def _pipeline(self, loop: PipelinedLoop) -> None:
        before, unroll, rest = loop.before, loop.unroll, f"{self.name}.rest"
        self._emit(f"cmpult $m0, $m1, {before + unroll}", f"brnz $m0, {rest}", f"add $m0, $m1, {-before}")
        joined = self.paced and self.program.loads == 1
        if unroll == 1:
            self._emit("mov $m3, $m1" if joined else "", "mov $m1, $mzero")
        else:
            factor, shift, _ = inverse_of(unroll) if unroll & (unroll - 1) else (1, unroll.bit_length() - 1, 0)
            if factor > 1:
                self._emit(f"setzi $m4, {factor}", "mul $m4, $m0, $m4", f"shr $m4, $m4, {shift}")
            else:
                self._emit(f"shr $m4, $m0, {shift}")
            self._emit(f"mul $m5, $m4, {unroll}", "sub $m5, $m0, $m5", "mov $m0, $m4")
            self._emit("sub $m3, $m1, $m5" if joined else "", "mov $m1, $m5")
        if joined:
            # Behind everything: where the store goes on.
            self._emit("shl $m3, $m3, 3", f"add $m3, $m3, {_STORE}")
        elif self.paced:
            self._emit(f"tapack {_PACKED}, $m2, $m3, $mzero")
        self._issue(loop.prologue)
        if joined:
            self._emit(f"tapack {_PACKED}, $m2, $mzero, {_STORE}")
        again = f"{self.name}.again"
        count = "$lr"
        self._emit("st32 $lr, $mworker_base, $mzero, 2")
        self.lines.append(f"{again}:")
        self._emit(f"min {count}, $m0, {self.repeats}", f"sub $m0, $m0, {count}", ".align 8")
        size = len(loop.kernel)
        self._emit(f"{{ rpt {count}, {size - 1} ; fnop }}")
        self._issue(loop.kernel, alone=False)
        self._emit(f"brnz $m0, {again}", "ld32 $lr, $mworker_base, $mzero, 2")
        self._issue(loop.epilogue)
        if self.paced:
            # The addresses of the next words.
            for packed, register in zip(("$m4", "$m5"), _LOADS[: self.program.loads]):
                if not (joined and register == "$m3"):
                    self._emit(f"shl {register}, {packed}, 11", f"shr {register}, {register}, 11")
        if joined:
            self._emit(f"mov {_STORE}, $m3")

    def _issue(self, cycles: Cycles, alone: bool = True) -> None:
        """Bundles; ``alone`` allows an instruction by itself."""
        for cycle in cycles:
            main = self._accesses([issue for issue in cycle if issue.operation.name.startswith((LOAD, STORE))])
            others = [issue for issue in cycle if not issue.operation.name.startswith((LOAD, STORE))]
            aux = [self._aux(issue) for issue in others]
            if alone and len(main) + len(aux) == 1:
                self._emit(*main, *aux)
            elif main or aux or not alone:
                self._emit(f"{{ {''.join(main) or 'nop'} ; {''.join(aux) or 'fnop'} }}")

    def _aux(self, issue: Issue) -> str:
        step = next(one for one in self.program.steps if one.result == issue.operation.name)
        names = [name for name in step.operands if name[0] == "v"]
        values = {name: self._pair(register) for name, register in zip(names, issue.reads)}
        return self._operation(step, self._pair(issue.writes[0]), values)

    def _accesses(self, issues: list[Issue]) -> list[str]:
        """The one instruction of the main pipe."""
        if not issues:
            return []
        loads = [issue for issue in issues if issue.operation.name != STORE]
        stores = [issue for issue in issues if issue.operation.name == STORE]
        to = [self._pair(register) for issue in loads for register in issue.writes]
        stored = [self._pair(issue.reads[0]) for issue in stores]
        if self.paced and self.program.loads == 1:
            if to and stored:
                return [f"ldst64pace {to[0]}, {stored[0]}, {_PACKED}+=, $mzero, 0"]
            return [f"ld64step {to[0]}, $mzero, $m2+=, 1" if to else f"st64pace {stored[0]}, {_PACKED}+=, $mzero, 0"]
        if stored:
            return [f"st64step {stored[0]}, $mzero, {_STORE}+=, 1"]
        if self.paced:
            return [f"ld2x64pace {to[0]}, {to[1]}, {_PACKED}+=, $mzero, 0"]
        number = int(loads[0].operation.name.split()[1])
        return [f"ld64step {to[0]}, $mzero, {_LOADS[number]}+=, 1"]

    # --- what is left

    def _one_by_one(self) -> None:
        """A word after the other, each operation by itself."""
        rest, end = f"{self.name}.rest", f"{self.name}.end"
        self.lines.append(f"{rest}:")
        self._emit(f"brz $m1, {end}", "add $m1, $m1, -1")
        self.lines.append(f"{self.name}.next:")
        values = {f"v{number}": self._pair(number) for number in range(self.program.loads)}
        for number in range(self.program.loads):
            self._emit(f"ld64step {values[f'v{number}']}, $mzero, {_LOADS[number]}+=, 1")
        for at, step in enumerate(self.program.steps):
            needed = {name for later in self.program.steps[at + 1 :] for name in later.operands} | {self.program.stored}
            taken = {values[name] for name in needed if name in values}
            to = next(pair for pair in map(self._pair, range(self.pairs)) if pair not in taken)
            self._emit(self._operation(step, to, values))
            values = {name: pair for name, pair in values.items() if pair != to} | {step.result: to}
        self._emit(f"st64step {values[self.program.stored]}, $mzero, {_STORE}+=, 1", f"brnzdec $m1, {self.name}.next")
        self.lines.append(f"{end}:")

    def _emit(self, *lines: str) -> None:
        self.lines += [f"\t{line}" for line in lines if line]


def stream_functions(module: Module, repeats: int) -> str:
    """The functions of a module that :mod:`voltac.targets.ipu.streams.find` has declared and that are called."""
    called = {one.parts.callee for function in module.functions for one in function.instructions() if one.op == "call"}
    parts = []
    for line in module.lines():
        found = _DECLARED.match(line)
        if found is not None and f"@{found['name']}" in called:
            parts.append(StreamCode(found["name"], read_program(found["text"]), repeats).text())
    return "".join(parts)
