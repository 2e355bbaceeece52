"""A loop over streams of 64-bit words as one line of text, by which the stage that finds it tells the one that writes its code.

    load v0 word 1; v1 = f32v2mul s0 v0; v2 = f32v2add v1 s1; store v2 word 1

Statements in order; ``v`` are values, pairs of registers, ``s0`` is the first scalar:

    load v word N            64 bits; the next iteration's are N words on
    load v quad N            128 bits, which only ``sum`` reads
    load v singles N         two floats, N elements from each other and from the next iteration's; N = 0: a field says
    load p parts N           where words of 32 bits are; the next iteration's are N words of 64 bits on
    h = ld32 p K             the one that is K words of 32 bits on; ``h`` are single registers
    v = MNEMONIC operands    an operation; ``z`` is zero; ``v.0`` and ``v.1`` are the halves of a pair; ``into v`` behind it
                             writes the second half of a pair whose first half ``v`` has
    carry c v                ``c`` is what ``v`` was in the iteration before; a pair that the block has before and behind
    delay c v                the same, of which nobody wants to know what it was at last
    sum MNEMONIC N operands  adds to N pairs of accumulators, which the block has before and behind
    scale s                  the scale of ``f32v2axpy`` or ``f16v4mix``
    store v word N           like loads; ``over v`` behind it: where that was loaded from
    guard                    whether something overflowed is told

The call's argument is the address of a block of words: how many iterations there are, the scalars, the distance of singles, the
carried pairs, the accumulators, the address of each load and store. Behind the call the first word is 0 if nothing overflowed.
"""

from __future__ import annotations

from voltac.records import record

PREFIX = "ipu.stream."
"""What the names of the functions begin with."""
KEY = "ipu-stream"
"""The attribute of their declarations that is the text."""
EIGHTS = "f16v8"
"""What sums of eight lanes begin with: of two gangs, into eight accumulators."""
PART, PARTS = "ld32", "parts"
"""The operation that loads a word of 32 bits, and the kind of an access of which it does."""
PART_BYTES = 4
SCALED = {"f32v2": "f32v2axpy", "f16v4": "f16v4mix"}
"""By what the mnemonics of operations begin with: the one that multiplies by the scale and adds."""
FIRST_HALVES = frozenset(("f32v2tof16", "roll16"))
"""Operations that write one register, of a pair the first or, ``into`` it, the second."""
LOOP_KEY = "ipu-loop"
"""And the one that names the loop's block."""


@record
class StreamAccess:
    """A load, or a store of a value."""

    value: str
    kind: str
    """``word quad singles parts``."""
    step: int
    over: str = ""
    """The value that was loaded from where this is stored."""

    @property
    def bytes(self) -> int:
        """From one iteration to the next; 0 if only a field says so."""
        return self.step * (16 if self.kind == "quad" else 8)


@record
class StreamStep:
    """An operation on 64-bit words."""

    result: str
    operation: str
    """A mnemonic of the aux pipe."""
    operands: tuple[str, ...]
    into: str = ""
    """The value whose register it writes the second half of."""


@record
class StreamCarry:
    """What an iteration leaves the next."""

    old: str
    new: str
    is_result: bool


@record
class StreamSum:
    """What is added up in the accumulators."""

    operation: str
    pairs: int
    operands: tuple[str, ...]


@record
class StreamProgram:
    """The body of a loop."""

    loads: tuple[StreamAccess, ...]
    steps: tuple[StreamStep, ...]
    stores: tuple[StreamAccess, ...]
    carries: tuple[StreamCarry, ...] = ()
    sums: tuple[StreamSum, ...] = ()
    scalars: int = 0
    scale: str = ""
    guard: bool = False

    @property
    def accesses(self) -> tuple[StreamAccess, ...]:
        """Loads and stores."""
        return (*self.loads, *self.stores)

    @property
    def has_eights(self) -> bool:
        """Whether an iteration takes two gangs; the block has the number of gangs all the same."""
        return any(one.operation.startswith(EIGHTS) for one in self.sums)

    @property
    def has_parts(self) -> bool:
        """Whether words of 32 bits are loaded: there are scalars on demand only then."""
        return any(load.kind == PARTS for load in self.loads)

    @property
    def has_distance(self) -> bool:
        """Whether a field says how far singles are from each other."""
        return any(access.step == 0 for access in self.accesses)

    def __str__(self) -> str:
        lines = [f"scalars {self.scalars}"]
        lines += [f"load {one.value} {one.kind} {one.step}" for one in self.loads]
        for step in self.steps:
            into = f" into {step.into}" if step.into else ""
            lines.append(f"{step.result} = {step.operation} {' '.join(step.operands)}{into}")
        lines += [f"{'carry' if one.is_result else 'delay'} {one.old} {one.new}" for one in self.carries]
        lines += [f"sum {one.operation} {one.pairs} {' '.join(one.operands)}" for one in self.sums]
        lines += [f"scale {self.scale}"] if self.scale else []
        lines += [f"store {one.value} {one.kind} {one.step}" + (f" over {one.over}" if one.over else "") for one in self.stores]
        return "; ".join([*lines, "guard"] if self.guard else lines)


def read_program(text: str) -> StreamProgram:
    """The inverse of ``str``."""
    scalars, scale, guard = 0, "", False
    loads: list[StreamAccess] = []
    stores: list[StreamAccess] = []
    steps: list[StreamStep] = []
    carries: list[StreamCarry] = []
    sums: list[StreamSum] = []
    for line in text.split("; "):
        match line.split():
            case ["scalars", number]:
                scalars = int(number)
            case ["load", value, kind, step]:
                loads.append(StreamAccess(value, kind, int(step)))
            case ["store", value, kind, step, *over]:
                stores.append(StreamAccess(value, kind, int(step), *over[1:]))
            case ["carry" | "delay" as word, old, new]:
                carries.append(StreamCarry(old, new, word == "carry"))
            case ["sum", operation, pairs, *operands]:
                sums.append(StreamSum(operation, int(pairs), tuple(operands)))
            case ["scale", scale]:
                pass
            case ["guard"]:
                guard = True
            case [result, "=", operation, *operands, "into", into]:
                steps.append(StreamStep(result, operation, tuple(operands), into))
            case [result, "=", operation, *operands]:
                steps.append(StreamStep(result, operation, tuple(operands)))
    return StreamProgram(tuple(loads), tuple(steps), tuple(stores), tuple(carries), tuple(sums), scalars, scale, guard)
