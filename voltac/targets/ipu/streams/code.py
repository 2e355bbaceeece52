"""The function of a pipelined stream as assembly: fill, repeat, drain, and the words that are left one by one (IPU 5.3).

``$m0`` leads to the block. Later it counts the passes of the kernel, ``$m1`` the iterations that are left. Scratch memory has,
by words: 0 and 1 ``$a6:7``, 2 ``$lr``, 3 and 4 what callers keep in ``$m7`` and ``$m8``, 5 the block, 6 and on addresses, 10
whether a gang is left over.
"""

from __future__ import annotations

import re

from voltac.codegen.pipelining.pipeline import PipelinedLoop
from voltac.ir.model import Module
from voltac.targets.ipu.legalize.divisions import inverse_of
from voltac.targets.ipu.streams.instructions import (
    PACKED,
    POINTERS,
    STEPS,
    PipelineInstructions,
    StreamInstructions,
    pair,
    quad,
)
from voltac.targets.ipu.streams.part_instructions import BLOCK, PartInstructions
from voltac.targets.ipu.streams.placing import rest_pairs
from voltac.targets.ipu.streams.program import KEY, LOOP_KEY, PREFIX, SCALED, StreamProgram, read_program
from voltac.targets.ipu.streams.schedule import StreamPipeline, pipelines

_SAVED = "$a6:7"
"""A pair that callers keep values in."""
_KEPT = (("$lr", 2), ("$m7", 3), ("$m8", 4))
_BLOCK, _FIRST_POINTER, _ODD = 5, 6, 10
_LARGEST_REPEAT = 32767
"""What the number of an instruction reaches."""
_OVERFLOW, _ACCUMULATORS = 4, 8
"""Bits of ``$FP_STS`` and ``$FP_CLR`` (IPU 1.3)."""
_HALF_ONE = 0x3C00
_PUSHES = 4
"""How often ``f32v2gina`` moves down what it took in, until it is in A0 and A2 (IPU 3.7)."""

_DECLARED = re.compile(
    rf'declare void @(?P<name>{re.escape(PREFIX)}[\w.]+)\(ptr\) "{KEY}"="(?P<text>[^"]*)" "{LOOP_KEY}"="(?P<loop>[^"]*)"'
)


class StreamCode:
    """Writes one function."""

    def __init__(self, name: str, program: StreamProgram, pipeline: StreamPipeline, repeats: int, loop: str) -> None:
        """``repeats``: the most that ``rpt`` counts to; ``loop``: the name of the loop that it does."""
        self.name = name
        self.loop = loop
        self.program = program
        self.pipeline = pipeline
        self.repeats = min(repeats, _LARGEST_REPEAT)
        self.write = self._instructions()
        self.lines: list[str] = []
        self.distance_field = 1 + program.scalars
        self.carry_field = self.distance_field + program.has_distance
        self.sum_field = self.carry_field + 2 * len(program.carries)
        self.access_field = self.sum_field + 2 * sum(one.pairs for one in program.sums)

    def _instructions(self) -> PipelineInstructions:
        return PipelineInstructions(self.program, self.pipeline)

    def text(self) -> str:
        """The function in its section."""
        self._begin()
        if self.program.has_eights:
            self._first_gang()
        self._pipeline(self.pipeline.loop)
        self._one_by_one()
        if self.program.has_eights:
            self._last_gang()
        self._end()
        head = f'\t.section .text.{self.name},"ax"\n\t.align 8\n\t.type {self.name}, @function\n{self.name}:\n'
        return head + "\n".join(self.lines) + f"\n\t.size {self.name}, . - {self.name}\n"

    def _begin(self) -> None:
        program = self.program
        self._emit(f"st64 {_SAVED}, $mworker_base, $mzero, 0")
        self._emit(*(f"st32 {register}, $mworker_base, $mzero, {word}" for register, word in _KEPT))
        self._emit(f"st32 $m0, $mworker_base, $mzero, {_BLOCK}")
        clear = (program.guard and _OVERFLOW) | (bool(program.sums or program.scale) and _ACCUMULATORS)
        if clear:
            self._emit(f"setzi $a0, {clear}", "uput $FP_CLR, $a0")
        if program.sums:
            for push in range(_PUSHES):
                if push < program.sums[0].pairs:
                    self._emit(*(f"ld32 $a{half}, $m0, $mzero, {self.sum_field + 2 * push + half}" for half in (0, 1)))
                self._emit(f"f32v2gina $azeros, {pair(0) if push < program.sums[0].pairs else '$azeros'}, 0")
        if program.scale:
            self._emit(f"ld32 $a0, $m0, $mzero, {1 + int(program.scale[1:])}")
            if any(step.operation == SCALED["f16v4"] for step in program.steps):
                # What is added has the scale 1, in the upper half.
                self._emit(f"setzi $a1, {_HALF_ONE}", "sort4x16lo $a0, $a0, $a1")
            self._emit("uput $TAS, $a0")
        self._emit("ld32 $m1, $m0, $mzero, 0")
        for number, register in enumerate(POINTERS[: len(program.accesses)], self.access_field):
            self._emit(f"ld32 {register}, $m0, $mzero, {number}")
        self._load_scalars()
        if program.has_distance:
            self._emit(f"ld32 {STEPS}, $m0, $mzero, {self.distance_field}")
        elif self.write.step_words != 1:
            self._emit(f"setzi {STEPS}, {self.write.step_words}")

    def _load_scalars(self) -> None:
        scalars = self.write.scalars
        for number, registers in enumerate(scalars):
            self._emit(*(f"ld32 {register}, $m0, $mzero, {1 + number}" for register in registers))
        for step in self.program.steps:
            if step.operation == "f16v4clamp":
                (least,), (most,) = (scalars[int(name[1:])] for name in step.operands[1:])
                self._emit(f"sort4x16lo {least}, {least}, {most}")

    def _end(self) -> None:
        program = self.program
        if program.guard or program.sums:
            self._emit(f"ld32 $m0, $mworker_base, $mzero, {_BLOCK}")
        if program.guard:
            self._emit("uget $a0, $FP_STS", f"and $a0, $a0, {_OVERFLOW}", "st32 $a0, $m0, $mzero, 0")
        pairs = program.sums[0].pairs if program.sums else 0
        self._emit(*(f"f32v2gina {pair(number)}, $azeros, 0" for number in range(pairs << program.has_eights)))
        for number in range(pairs):
            if program.has_eights:
                self._emit(f"f32v2add {pair(number)}, {pair(number)}, {pair(pairs + number)}")
            registers = (2 * number, 2 * number + 1)
            self._emit(*(f"st32 $a{register}, $m0, $mzero, {self.sum_field + register}" for register in registers))
        self._emit(f"ld64 {_SAVED}, $mworker_base, $mzero, 0")
        self._emit(*(f"ld32 {register}, $mworker_base, $mzero, {word}" for register, word in _KEPT))
        self._emit("br $lr")

    # --- two gangs an iteration

    def _gang(self) -> None:
        """One alone, with zeros for the other."""
        (one,) = self.program.sums
        self._emit(f"ld64step {pair(0)}, $mzero, {POINTERS[0]}+=, 1", f"zero {pair(1)}", f"{one.operation} {quad(0)}")

    def _first_gang(self) -> None:
        """Where 128 bits begin behind it; then ``$m1`` counts iterations."""
        both = f"{self.name}.both"
        self._emit(f"and $m4, {POINTERS[0]}, 8", "shr $m4, $m4, 3", "min $m4, $m4, $m1", f"brz $m4, {both}")
        self._gang()
        self._emit("add $m1, $m1, -1")
        self.lines.append(f"{both}:")
        self._emit("and $m4, $m1, 1", f"st32 $m4, $mworker_base, $mzero, {_ODD}", "shr $m1, $m1, 1")

    def _last_gang(self) -> None:
        """If their number is odd."""
        even = f"{self.name}.even"
        self._emit(f"ld32 $m4, $mworker_base, $mzero, {_ODD}", f"brz $m4, {even}")
        self._gang()
        self.lines.append(f"{even}:")

    def _carried(self, name: str, pairs: list[int]) -> None:
        """Load the carried pairs from the block, or store them there."""
        if pairs:
            self._emit(f"ld32 $lr, $mworker_base, $mzero, {_BLOCK}")
        for number, at in enumerate(pairs):
            field = self.carry_field + 2 * number
            self._emit(*(f"{name}32 $a{2 * at + half}, $lr, $mzero, {field + half}" for half in (0, 1)))

    # --- the pipeline

    def _pipeline(self, loop: PipelinedLoop) -> None:
        program, write, pipeline = self.program, self.write, self.pipeline
        before, unroll, rest = loop.before, loop.unroll, f"{self.name}.rest"
        self._emit(f"cmpult $m0, $m1, {before + unroll}", f"brnz $m0, {rest}", f"add $m0, $m1, {-before}")
        if pipeline.joined:
            self._emit("mov $m5, $m1")
        if unroll == 1:
            self._emit("mov $m1, $mzero")
        else:
            factor, shift, _ = inverse_of(unroll) if unroll & (unroll - 1) else (1, unroll.bit_length() - 1, 0)
            if factor > 1:
                self._emit(f"setzi $m4, {factor}", "mul $m4, $m0, $m4", f"shr $m4, $m4, {shift}")
            else:
                self._emit(f"shr $m4, $m0, {shift}")
            self._emit(f"mul $m1, $m4, {unroll}", "sub $m1, $m0, $m1", "mov $m0, $m4")
        if pipeline.joined:
            # Where the accesses of one instruction go on behind it.
            self._emit("sub $m5, $m5, $m1")
            for number in pipeline.joined:
                self._emit(f"mul $m4, $m5, {program.accesses[number].bytes}", f"add $m4, $m4, {POINTERS[number]}")
                self._emit(f"st32 $m4, $mworker_base, $mzero, {_FIRST_POINTER + number}")
        pointers = [POINTERS[number] for number in pipeline.joined]
        if len(write.loads) > 1:
            self._emit(f"tapack {PACKED}, {', '.join((*pointers, '$mzero')[:3])}")
        self._before_filling()
        # Values are loops' values: where the first iteration has what one before it would have made.
        self._carried("ld", self._carried_at(loop, -1))
        self._emit(*write.bundles(loop.prologue, alone=True))
        if len(write.loads) == 1:
            self._emit(f"tapack {PACKED}, {pointers[0]}, $mzero, {pointers[1]}")
        again, count = f"{self.name}.again", "$lr"
        self.lines.append(f"{again}:")
        self._emit(f"min {count}, $m0, {self.repeats}", f"sub $m0, $m0, {count}", ".align 8")
        # What reports look for (report/repeats.py).
        self._emit(f"# repeat {self.loop}: {len(loop.kernel)} bundles, {unroll} iterations")
        self._emit(f"{{ rpt {count}, {len(loop.kernel) - 1} ; fnop }}")
        self._emit(*write.bundles(loop.kernel, alone=False))
        self._emit(f"brnz $m0, {again}")
        self._emit(*write.bundles(loop.epilogue, alone=True))
        self._carried("st", self._carried_at(loop, before - 1))
        for number in pipeline.joined:
            self._emit(f"ld32 {POINTERS[number]}, $mworker_base, $mzero, {_FIRST_POINTER + number}")

    def _before_filling(self) -> None:
        """What the bundles of the loop need besides."""

    def _carried_at(self, loop: PipelinedLoop, iteration: int) -> list[int]:
        """The pairs of what an iteration carried on."""
        found = []
        for carry in self.program.carries:
            value = next(one for one in loop.schedule.loop.live_out if one.name == carry.new)
            found.append(loop.registers.of(value, iteration) + 2 * self.pipeline.quads)
        return found

    # --- what is left

    def _one_by_one(self) -> None:
        """An iteration after the other, each operation by itself."""
        program, write, end = self.program, StreamInstructions(self.program), f"{self.name}.end"
        self.lines.append(f"{self.name}.rest:")
        self._emit(f"brz $m1, {end}", "add $m1, $m1, -1")
        values = rest_pairs(program)
        assert values is not None
        homes = [values[carry.old] for carry in program.carries]
        self._carried("ld", homes)
        self.lines.append(f"{self.name}.next:")
        for number, access in enumerate(program.loads):
            halves = ("",) if access.kind == "word" else ("0", "1")
            at = values[access.value] // (2 if access.kind == "quad" else 1)
            self._emit(*(write.access(number, at, half) for half in halves))
        for step in program.steps:
            to = write.target(step, values[step.result])
            if step.operation in SCALED.values():
                self._emit(write.step(step, "$azeros", values), f"{step.operation} {to}, $azeros, $azeros")
            else:
                self._emit(write.step(step, to, values))
        for one in program.sums:
            kinds = {load.value: load.kind for load in program.loads}
            texts = [quad(values[name] // 2) if kinds.get(name) == "quad" else pair(values[name]) for name in one.operands]
            self._emit(f"{one.operation} {', '.join(texts)}")
        for number, access in enumerate(program.stores, len(program.loads)):
            halves = ("",) if access.kind == "word" else ("0", "1")
            self._emit(*(write.access(number, values[access.value], half) for half in halves))
        for carry in program.carries:
            self._emit(f"or64 {pair(values[carry.old])}, {pair(values[carry.new])}, $azeros")
        self._emit(f"brnzdec $m1, {self.name}.next")
        self._carried("st", homes)
        self.lines.append(f"{end}:")

    def _emit(self, *lines: str) -> None:
        self.lines += [f"\t{line}" for line in lines if line]


class CodeOfParts(StreamCode):
    """The function of a program with words of 32 bits: ``$m4`` leads to the block, for the scalars."""

    def _instructions(self) -> PipelineInstructions:
        return PartInstructions(self.program, self.pipeline)

    def _load_scalars(self) -> None:
        """Each comes where it is used."""

    def _before_filling(self) -> None:
        self._emit(f"ld32 {BLOCK}, $mworker_base, $mzero, {_BLOCK}")

    def _one_by_one(self) -> None:
        (naive,) = pipelines(self.program, naive=True)
        self.lines.append(f"{self.name}.rest:")
        self._emit(f"brz $m1, {self.name}.end", "add $m1, $m1, -1")
        self._before_filling()
        kept = self._carried_at(naive.loop, -1)
        self._carried("ld", kept)
        self.lines.append(f"{self.name}.next:")
        self._emit(*PartInstructions(self.program, naive).bundles(naive.loop.kernel, alone=True))
        self._emit(f"brnzdec $m1, {self.name}.next")
        self._carried("st", kept)
        self.lines.append(f"{self.name}.end:")


def stream_functions(module: Module, repeats: int) -> str:
    """The functions of a module that :mod:`voltac.targets.ipu.streams.find` has declared and that are called."""
    called = {one.parts.callee for function in module.functions for one in function.instructions() if one.op == "call"}
    parts = []
    for line in module.lines():
        found = _DECLARED.match(line)
        if found is not None and f"@{found['name']}" in called:
            program = read_program(found["text"])
            ways = (*pipelines(program), *pipelines(program, naive=True))
            pipeline = next(one for one in ways if found["name"].endswith(f".{one.form}"))
            code = CodeOfParts if program.has_parts else StreamCode
            parts.append(code(found["name"], program, pipeline, repeats, found["loop"]).text())
    return "".join(parts)
