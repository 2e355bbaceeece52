"""Operations of a stream, with their registers, as instructions of both pipes."""

from __future__ import annotations

from voltac.codegen.pipelining.pipeline import Cycles, Issue
from voltac.targets.ipu.streams.placing import ordered, place_scalars
from voltac.targets.ipu.streams.program import FIRST_HALVES, SCALED, StreamProgram, StreamStep
from voltac.targets.ipu.streams.schedule import LOAD, STORE, SUM, TAKES, StreamPipeline

POINTERS = ("$m2", "$m3", "$m6", "$m7")
"""The addresses of loads and stores, in their order."""
PACKED, STEPS = "$m4:5", "$m8"
"""Packed addresses; what they step by, or what is between singles."""
BROADCAST = {"f32v2": "B", "f16v4": "BL"}
_ZERO = "$azeros"


def pair(number: int) -> str:
    """The name of a pair of registers."""
    return f"$a{2 * number}:{2 * number + 1}"


def quad(number: int) -> str:
    """The name of a quad."""
    return f"$a{4 * number}:{4 * number + 3}"


class StreamInstructions:
    """Writes the instructions of a program."""

    def __init__(self, program: StreamProgram) -> None:
        self.program = program
        self.scalars = [[f"$a{number}" for number in registers] for registers in place_scalars(program).registers]

    def step(self, step: StreamStep, to: str, values: dict[str, int]) -> str:
        """A step, or the taking of operands by one with a scale; ``values``: the pairs by name."""
        if step.operation.endswith("clamp"):
            value, low, high = step.operands
            (least,), (most,) = (self.scalars[int(name[1:])] for name in (low, high))
            limits = f"{least}:{most[2:]}" if step.operation.startswith("f32") else least
            return f"{step.operation} {to}, {pair(values[value])}, {limits}"
        operands = ordered(step) if step.operation[5:] in ("add", "sub", "mul") else step.operands
        texts = [self._operand(name, values, step.operation) for name in operands]
        return f"{step.operation} {to}, {', '.join(texts)}"

    def _operand(self, name: str, values: dict[str, int], operation: str) -> str:
        if name == "z":
            return _ZERO
        if name[0] == "s":
            registers = self.scalars[int(name[1:])]
            if len(registers) == 1:
                return f"{registers[0]}:{BROADCAST[operation[:5]]}"
            return f"{registers[0]}:{registers[1][2:]}"
        value, _, half = name.partition(".")
        return f"$a{2 * values[value] + int(half)}" if half else pair(values[value])

    def target(self, step: StreamStep, number: int) -> str:
        """What a step writes, of the pair with a number."""
        if step.into:
            return f"$a{2 * number + 1}"
        return f"$a{2 * number}" if step.operation in FIRST_HALVES else pair(number)

    def access(self, which: int, number: int, half: str) -> str:
        """A load or store by itself, by its number; ``number`` is that of a pair, or of a quad."""
        name, pointer = "ld" if which < len(self.program.loads) else "st", POINTERS[which]
        access = self.program.accesses[which]
        if access.kind == "word":
            return f"{name}64step {pair(number)}, $mzero, {pointer}+=, {access.step}"
        if access.kind == "singles":
            return f"{name}32step $a{2 * number + int(half)}, $mzero, {pointer}+=, {access.step or STEPS}"
        if not half:
            return f"ld128step {quad(number)}, $mzero, {pointer}+=, {access.step}"
        return f"ld64step {pair(2 * number + int(half))}, $mzero, {pointer}+=, {2 * access.step - 1 if half == '1' else 1}"


class PipelineInstructions(StreamInstructions):
    """Writes the bundles of a pipeline."""

    def __init__(self, program: StreamProgram, pipeline: StreamPipeline) -> None:
        super().__init__(program)
        self.pipeline = pipeline
        self.steps = {step.result: step for step in program.steps}
        joined = pipeline.joined
        self.loads = [number for number in joined if number < len(program.loads)]
        self.stores = [number for number in joined if number >= len(program.loads)]
        self.is_of_both = len(joined) == 3
        """Whether the quads are pairs that were loaded together."""
        self.step_words = max([program.accesses[number].step for number in joined], default=1)

    def bundles(self, cycles: Cycles, alone: bool) -> list[str]:
        """A line for each; ``alone`` allows an instruction by itself and leaves empty cycles out."""
        lines = []
        for cycle in cycles:
            accesses = [issue for issue in cycle if issue.operation.name.startswith((LOAD, STORE))]
            others = [issue for issue in cycle if issue not in accesses]
            main, aux = self._main(accesses), self._aux(others)
            if alone and not (main and aux):
                lines += [text for text in (main, aux) if text]
            else:
                lines.append(f"{{ {main or 'nop'} ; {aux or 'fnop'} }}")
        return lines

    def _number(self, register: int) -> int:
        """Of the pairs behind the quads."""
        return register + 2 * self.pipeline.quads

    def _values(self, issue: Issue, names: tuple[str, ...]) -> dict[str, int]:
        """The pairs of what an issue reads."""
        read = [name.partition(".")[0] for name in names if name[0] not in "sz"]
        values = {}
        for name, register, each in zip(read, issue.reads, issue.operation.reads):
            if each.value.kind == "a2":
                values[name] = self._number(register)
            elif self.is_of_both:
                values[name] = 2 * register + (name != self.program.accesses[self.loads[0]].value)
            else:
                values[name] = register
        return values

    def _aux(self, issues: list[Issue]) -> str:
        scaled = [(issue, step) for issue in issues if (step := self._step_of(issue)) and step.operation in SCALED.values()]
        if scaled:
            to, operands = _ZERO, [_ZERO, _ZERO]
            for issue, step in scaled:
                if issue.operation.name.endswith(TAKES):
                    values = self._values(issue, step.operands)
                    operands = [self._operand(name, values, step.operation) for name in step.operands]
                else:
                    to = pair(self._number(issue.writes[0]))
            return f"{scaled[0][1].operation} {to}, {', '.join(operands)}"
        if not issues:
            return ""
        (issue,) = issues
        if issue.operation.name.startswith(SUM):
            one = self.program.sums[int(issue.operation.name.split()[1])]
            values = self._values(issue, one.operands)
            kinds = [read.value.kind for read in issue.operation.reads]
            registers = [
                quad(values[name]) if kind == "a4" and not self.is_of_both else pair(values[name])
                for name, kind in zip(one.operands, kinds)
            ]
            return f"{one.operation} {', '.join(registers)}"
        step = self.steps[issue.operation.name]
        values = self._values(issue, (step.into, *step.operands) if step.into else step.operands)
        number = values[step.into] if step.into else self._number(issue.writes[0])
        return self.step(step, self.target(step, number), values)

    def _step_of(self, issue: Issue) -> StreamStep | None:
        return self.steps.get(issue.operation.name.removesuffix(TAKES))

    def _main(self, issues: list[Issue]) -> str:
        """The one instruction of the main pipe."""
        if not issues:
            return ""
        by_number: dict[int, tuple[Issue, str]] = {}
        for issue in issues:
            word, _, place = issue.operation.name.partition(" ")
            index, _, half = place.partition(".")
            by_number[int(index) + (len(self.program.loads) if word == STORE else 0)] = issue, half
        shared = [number for number in by_number if number in self.pipeline.joined]
        if shared and (len(self.loads) > 1 or self.stores[0] in by_number):
            return self._joined(by_number)
        ((number, (issue, half)),) = by_number.items()
        return self.access(number, self._of_access(issue), half)

    def _of_access(self, issue: Issue) -> int:
        if issue.writes:
            register, value = issue.writes[0], issue.operation.defines[0]
        else:
            register, value = issue.reads[0], issue.operation.reads[0].value
        return self._number(register) if value.kind == "a2" else register

    def _joined(self, by_number: dict[int, tuple[Issue, str]]) -> str:
        accesses = self.program.accesses
        select = [int(accesses[number].step != 1) for number in self.pipeline.joined]
        steps = STEPS if any(select) else "$mzero"
        stored = [pair(self._of_access(by_number[number][0])) for number in self.stores if number in by_number]
        if self.loads[0] not in by_number:
            return f"st64pace {stored[0]}, {PACKED}+=, {steps}, {select[-1]}"
        first = by_number[self.loads[0]][0]
        if self.is_of_both:
            both = first.writes[0]
            if stored:
                selected = select[0] | select[1] << 2 | select[2] << 4
                return f"ld2xst64pace {quad(both)}, {stored[0]}, {PACKED}+=, {steps}, {selected}"
            return f"ld2x64pace {pair(2 * both)}, {pair(2 * both + 1)}, {PACKED}+=, {steps}, {select[0] | select[1] << 2}"
        if len(self.loads) == 2:
            to = [pair(self._of_access(by_number[number][0])) for number in self.loads]
            return f"ld2x64pace {to[0]}, {to[1]}, {PACKED}+=, {steps}, {select[0] | select[1] << 2}"
        return f"ldst64pace {pair(self._of_access(first))}, {stored[0]}, {PACKED}+=, {steps}, {select[0] | select[1] << 2}"
