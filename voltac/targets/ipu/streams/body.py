"""The body of a loop over gangs -> a stream program, if all of it are streams and operations of the aux pipe.

With halves an iteration of the program is a gang: a word of halves, two words of floats. Without, it is a word; where a loop of
floats carries something on, each word of a gang has a pass of its own, for its lanes are summed up by themselves.
"""

from __future__ import annotations

from voltac.ir.model import Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import vector_parts
from voltac.targets.ipu.streams.between import HalvesBetween
from voltac.targets.ipu.streams.joined_steps import with_clamp, with_scale
from voltac.targets.ipu.streams.loop_streams import GANG, WORD, LoopStreams
from voltac.targets.ipu.streams.loops import OtherLoop, StreamLoop, StreamPlace, place, scalar_of
from voltac.targets.ipu.streams.overflow import overflow_tests
from voltac.targets.ipu.streams.parts import depth_first
from voltac.targets.ipu.streams.program import StreamCarry, StreamProgram
from voltac.targets.ipu.streams.schedule import StreamPipeline, pipelines
from voltac.targets.ipu.streams.single_lanes import SingleLanes
from voltac.targets.ipu.streams.sums import is_sum

_OPERATIONS = {"fadd": "add", "fsub": "sub", "fmul": "mul"}
_INTRINSICS = {"@llvm.maxnum.": "max", "@llvm.minnum.": "min"}
_CHOICES = {"ogt": "max", "olt": "min"}
"""``a > b ? a : b`` is the greater one, if b is a number and no zero of which the hardware takes the other."""
BYTES = {"float": 4, "half": 2}
KINDS = {"float": "f32v2", "half": "f16v4"}
"""Element -> what the mnemonics of its operations begin with."""
_MOST_ACCESSES, _MOST_SCALARS = 4, 6
"""Chosen: what registers there are for addresses, and more scalars than registers have room for."""


class StreamBody(LoopStreams):
    """Reads a loop. OtherLoop where it is none over streams."""

    def __init__(
        self, function: Function, loop: StreamLoop, parity: int | None = None, delays: bool = True, naive: bool = False
    ) -> None:
        """``parity``: bytes beyond a multiple of eight of the floats that are taken as words, others are taken singly;
        None: all are words. ``delays``: whether what was loaded is kept for the next iteration, where that reads it, too.
        ``naive``: one operation is to come after the other."""
        super().__init__(function, loop, parity, delays)
        self.naive = naive
        self.lanes = SingleLanes(self)
        self.between = HalvesBetween(self, parity) if self.has_halves and parity is not None else None
        self._read()

    @property
    def passes(self) -> int:
        """How often the words of a gang are gone through, each time others of them."""
        return 2 if self.loop.carried and not self.has_halves and not self.has_quads else 1

    @property
    def kept(self) -> list[tuple[StreamCarry, StreamPlace]]:
        """Pairs of which the next iteration reads the second half, and where that is before the first."""
        return self.between.kept if self.between is not None else []

    @property
    def tests_first(self) -> bool:
        """Whether something is overwritten that was read, so that it must be known before whether anything overflows."""
        return self.overflows and any(access.over for access, _ in self.stores)

    @property
    def is_possible(self) -> bool:
        """Whether registers suffice."""
        if len(self.loads) + len(self.stores) > _MOST_ACCESSES:
            return False
        made = self.program()
        tests = overflow_tests(made) if self.tests_first else []
        return all(self.pipelines(one) for one in (made, *(test.program for test in tests)) if one is not None)

    def pipelines(self, program: StreamProgram) -> tuple[StreamPipeline, ...]:
        """The ways to run a program."""
        return pipelines(program, self.naive)

    def program(self) -> StreamProgram:
        """What was read, in the way whose pipeline is the shortest."""
        made = with_clamp(self._as_read())
        if made.has_parts:
            return depth_first(made)
        ways = [made] if self.naive else [*with_scale(made, self.contracted), made]
        possible = [(each[0].interval, number) for number, way in enumerate(ways) if (each := self.pipelines(way))]
        return ways[min(possible, default=(0, 0))[1]]

    def _as_read(self) -> StreamProgram:
        carries = [
            StreamCarry(old, new, True)
            for phi, (_, following) in self.loop.carried.items()
            if phi not in {name for name, _ in self.sums}
            for old, new in zip(self.values[phi], self.values[following])
        ]
        values = {load.value: one for load, one in self.loads}
        for name, at in self.delayed.items():
            ahead = next(value for value, one in values.items() if one == at.moved({(): WORD}))
            carries.append(StreamCarry(name, ahead, False))
        carries += [carry for carry, _ in self.kept]
        return StreamProgram(
            tuple(access for access, _ in self.loads), tuple(self.steps), tuple(access for access, _ in self.stores),
            tuple(carries), tuple(one for _, one in self.sums), len(self.scalars), "", self.overflows,
        )  # fmt: skip

    # --- instructions

    def _read(self) -> None:
        loop = self.loop
        for phi, (first, _) in loop.carried.items():
            if vector_parts(first.type) not in ((GANG, "float"), (GANG, "half")):
                raise OtherLoop
            self.values[phi] = tuple(f"{self.new('c')}" for _ in range(self._pairs(first.type)))
        if loop.step != GANG:
            raise OtherLoop
        for instruction in loop.block.instructions[:-1]:
            if instruction.op != "phi" and not instruction.op.startswith("#"):
                self._read_instruction(instruction)
        if self.between is not None:
            self.between.finish()
        if not (self.stores or loop.carried):
            raise OtherLoop
        if (
            len(self.scalars) > _MOST_SCALARS
            or not self.loads
            or any(
                next_one not in self.values and phi not in {name for name, _ in self.sums}
                for phi, (_, next_one) in loop.carried.items()
            )
        ):
            raise OtherLoop
        if (self.has_quads and (len(self.loads) > 1 or self.steps)) or not self.lanes.is_complete:
            raise OtherLoop
        self._check_memory()

    def _check_memory(self) -> None:
        """Words are read before those behind are written, and all are written: that must make no difference."""
        for _, to in self.stores:
            for one in [*(at for _, at in self.loads), *self.delayed.values()]:
                same = one.base == to.base
                # A gang's second word is no other place than its first.
                if (same and abs(one.constant - to.constant) % (WORD * self._pairs_of_floats) != 0) or (
                    same and one.moved({(): to.constant - one.constant}) != to
                ):
                    raise OtherLoop
                if same and abs(one.constant - to.constant) > WORD * (self._pairs_of_floats - 1):
                    raise OtherLoop
                if same and to.per(self.loop.counter).keys() != {()}:
                    raise OtherLoop
                if not (same or {one.base.value, to.base.value} & self.noalias):
                    raise OtherLoop

    @property
    def _pairs_of_floats(self) -> int:
        return 2 if self.has_halves else 1

    def _pairs(self, type: str) -> int:
        return 2 if self.has_halves and vector_parts(type) == (GANG, "float") else 1

    def _read_instruction(self, instruction: Instruction) -> None:
        operands, name = instruction.operands, instruction.name
        match instruction.op:
            case "getelementptr":
                self.places[name] = self._place(instruction)
            case "load" if operands[0].value in self.places:
                self._load(name, instruction.type, self.places[operands[0].value])
            case "store" if operands[1].value in self.places:
                self._store(operands[0], self.places[operands[1].value])
            case "fcmp" | "add" | "icmp" | "mul" | "shl" | "sub" | "or":
                pass
            case "insertelement" | "shufflevector" | "extractelement":
                self.lanes.read(instruction)
            case "select":
                self._choice(instruction)
            case "fpext":
                self.values[name] = self._from_half(instruction)
            case "fptrunc":
                self.values[name] = self._to_half(instruction)
            case "call":
                self._call(instruction)
            case op if op in _OPERATIONS:
                self._arithmetic(instruction, _OPERATIONS[op])
            case _:
                raise OtherLoop

    def _place(self, instruction: Instruction) -> StreamPlace:
        base, *indices = instruction.operands
        element = instruction.parts.element_type
        size = {"i8": 1, **BYTES}.get(element)
        if len(indices) != 1 or instruction.type != "ptr" or size is None:
            raise OtherLoop
        known = self.places.get(base.value) or place(base, {})
        if base.value in self.integers.inside and base.value not in self.places:
            raise OtherLoop
        index = self.integers.of(indices[0])
        return known.moved({product: count * size for product, count in index.items()})

    # --- accesses

    def _load(self, name: str, type: str, at: StreamPlace) -> None:
        vector = vector_parts(type)
        if self.stores:
            raise OtherLoop
        if vector is None or vector[0] == 1:
            self.lanes.loaded(name, type, at)
            return
        if vector[0] != GANG or vector[1] not in BYTES or at.per(self.loop.counter) != {(): BYTES[vector[1]]}:
            raise OtherLoop
        self.loaded[name] = at
        if self.between is not None and vector[1] == "half" and self.between.loads(name, at):
            return
        self.values[name] = tuple(self.word(at.moved({(): WORD * number}), vector[1]) for number in range(self._pairs(type)))

    def _store(self, value: Operand, at: StreamPlace) -> None:
        vector = vector_parts(value.type)
        if vector is None:
            self.lanes.stored(value, at)
            return
        if self.stores or value.value not in self.values or vector[1] not in BYTES:
            raise OtherLoop
        if at.per(self.loop.counter) != {(): BYTES[vector[1]]}:
            raise OtherLoop
        is_single = vector[1] == "float" and self.parity is not None and at.constant % WORD != self.parity
        if is_single and self.iterations == 1:
            raise OtherLoop
        for number, pair in enumerate(self.values[value.value]):
            kind, step = ("singles", 1) if is_single else ("word", self.words_on(vector[1]))
            self.append_store(pair, at.moved({(): WORD * number}), kind, step)

    # --- operations

    def _operand(self, operand: Operand, element: str) -> tuple[str, ...]:
        if operand.value in self.values:
            return self.values[operand.value]
        if self.between is not None and operand.value in self.between.places:
            return (self.between.pair(operand.value),)
        if operand.value in self.integers.inside:
            raise OtherLoop
        scalar = scalar_of(operand, element, self.definitions)
        if scalar not in self.scalars:
            self.scalars.append(scalar)
        return (f"s{self.scalars.index(scalar)}",)

    def _each(self, name: str, type: str, operation: str, operands: list[Operand]) -> None:
        vector = vector_parts(type)
        if vector is None or vector[0] != GANG or vector[1] not in KINDS:
            raise OtherLoop
        lists = [self._operand(operand, vector[1]) for operand in operands]
        if all(one[0][0] == "s" for one in lists):
            raise OtherLoop
        width = max(len(one) for one in lists)
        rows = zip(*(one * width if len(one) < width else one for one in lists))
        once = self.step_of if self.between is None else self.between.once
        self.values[name] = tuple(once(KINDS[vector[1]] + operation, row) for row in rows)

    def _arithmetic(self, instruction: Instruction, operation: str) -> None:
        if operation == "add" and is_sum(self, instruction):
            return
        self._each(instruction.name, instruction.type, operation, instruction.operands)
        if "contract" in instruction.text or " fast " in instruction.text:
            self.contracted.update(self.values[instruction.name])
        is_half = vector_parts(instruction.type) == (GANG, "half")
        self.overflows |= is_half and " fast " not in instruction.text

    def _choice(self, instruction: Instruction) -> None:
        condition, first, second = instruction.operands
        test = self.definitions.get(condition.value)
        if test is None or test.op != "fcmp" or test.parts.predicate not in _CHOICES or [first, second] != test.operands:
            raise OtherLoop
        operation = _CHOICES[test.parts.predicate]
        self._each(instruction.name, instruction.type, operation, [first, second])
        scalar = self.steps[-1].operands[1]
        if not scalar.startswith("s"):
            # Both may be no numbers, and then it matters which.
            raise OtherLoop
        # Of equal zeros the language takes the second, the hardware +0 as the greater one.
        self.numbers.setdefault(scalar, set()).add("-0" if operation == "max" else "0")

    def _call(self, instruction: Instruction) -> None:
        callee = instruction.parts.callee
        if callee.startswith("@llvm.fabs."):
            kind = vector_parts(instruction.type)
            if kind is None or kind[0] != GANG or kind[1] not in KINDS:
                raise OtherLoop
            pairs = self._operand(instruction.parts.operands[0], kind[1])
            self.values[instruction.name] = tuple(self.step_of(f"{KINDS[kind[1]]}absadd", (one, "z")) for one in pairs)
            return
        operation = next((to for each, to in _INTRINSICS.items() if callee.startswith(each)), None)
        if operation is None:
            raise OtherLoop
        self._each(instruction.name, instruction.type, operation, instruction.parts.operands[:2])

    def _from_half(self, instruction: Instruction) -> tuple[str, ...]:
        if vector_parts(instruction.type) != (GANG, "float"):
            raise OtherLoop
        source = instruction.operands[0]
        if self.between is not None and source.value in self.between.places:
            return tuple(self.between.once("f16v2tof32", (word,)) for word in self.between.words(source.value))
        (word,) = self._operand(source, "half")
        return tuple(self.step_of("f16v2tof32", (f"{word}.{half}",)) for half in (0, 1))

    def _to_half(self, instruction: Instruction) -> tuple[str, ...]:
        if vector_parts(instruction.operands[0].type) != (GANG, "float"):
            raise OtherLoop
        low, high = self._operand(instruction.operands[0], "float")
        self.overflows = True
        first = self.step_of("f32v2tof16", (low,))
        return (self.step_of("f32v2tof16", (high,), first),)
