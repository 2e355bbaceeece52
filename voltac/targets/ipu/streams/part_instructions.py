"""The bundles of a stream of halves between words, of :mod:`voltac.targets.ipu.streams.parts`."""

from __future__ import annotations

from voltac.codegen.pipelining.pipeline import Cycles, Issue
from voltac.targets.ipu.shapes import AUX
from voltac.targets.ipu.streams.instructions import BROADCAST, POINTERS, PipelineInstructions, pair
from voltac.targets.ipu.streams.parts import (
    LOAD,
    NEXT,
    SCALAR,
    STORE,
    WORD_PARTS,
    is_behind,
    is_single,
    names_read,
    single_register,
)
from voltac.targets.ipu.streams.placing import COMMUTATIVE, ordered
from voltac.targets.ipu.streams.program import PART, StreamProgram, StreamStep
from voltac.targets.ipu.streams.schedule import StreamPipeline

BLOCK = "$m4"
"""Leads to the block, which has the scalars."""


class PartInstructions(PipelineInstructions):
    """Writes them."""

    def __init__(self, program: StreamProgram, pipeline: StreamPipeline) -> None:
        super().__init__(program, pipeline)
        self.begun = {step.into for step in program.steps}

    def bundles(self, cycles: Cycles, alone: bool) -> list[str]:
        """A line for each; ``alone`` allows an instruction by itself and leaves empty cycles out."""
        lines: list[str] = []
        for cycle in cycles:
            texts = {issue.operation.ways[0][0][0] == AUX: self._text(issue) for issue in cycle}
            if alone and len(texts) < 2:
                lines += texts.values()
            else:
                lines.append(f"{{ {texts.get(False, 'nop')} ; {texts.get(True, 'fnop')} }}")
        return lines

    def _text(self, issue: Issue) -> str:
        kind, _, rest = issue.operation.name.partition(" ")
        if kind == SCALAR:
            return f"ld32 {single_register(issue.writes[0])}, {BLOCK}, $mzero, {1 + int(rest.split()[0][1:])}"
        if kind == NEXT:
            pointer = POINTERS[int(rest)]
            return f"add {pointer}, {pointer}, {self.program.loads[int(rest)].bytes}"
        if kind == LOAD:
            return self.access(int(rest), issue.writes[0], "")
        if kind == STORE:
            return self.access(len(self.program.loads) + int(rest), issue.reads[0], "")
        step = self.steps[kind]
        registers = dict(zip(names_read(step), issue.reads))
        if step.into:
            to = f"$a{2 * registers[step.into] + 1}"
        elif step.result in self.begun:
            to = f"$a{2 * issue.writes[0]}"
        else:
            to = single_register(issue.writes[0]) if is_single(step.result) else pair(issue.writes[0])
        return self._part(step, to) if step.operation == PART else self._operation(step, to, registers)

    def _part(self, step: StreamStep, to: str) -> str:
        access, number = step.operands
        pointer = POINTERS[[load.value for load in self.program.loads].index(access)]
        if [other.operands[0] for other in self.program.steps if other.operation == PART].count(access) == 1:
            return f"ld32step {to}, $mzero, {pointer}+=, {WORD_PARTS}"
        return f"ld32 {to}, $mzero, {pointer}, {int(number) - WORD_PARTS * is_behind(int(number))}"

    def _operation(self, step: StreamStep, to: str, registers: dict[str, int]) -> str:
        operands = [self._register(name, registers, step.operation) for name in step.operands]
        if step.operation[5:] in COMMUTATIVE:
            by_name = dict(zip(step.operands, operands))
            operands = [by_name[name] for name in ordered(step)]
        return f"{step.operation} {to}, {', '.join(operands)}"

    def _register(self, name: str, registers: dict[str, int], operation: str) -> str:
        if name == "z":
            return "$azeros"
        _, _, half = name.partition(".")
        if half:
            return f"$a{2 * registers[name] + int(half)}"
        if name[0] == "s":
            return f"{single_register(registers[name])}:{BROADCAST[operation[:5]]}"
        return single_register(registers[name]) if is_single(name) else pair(registers[name])
