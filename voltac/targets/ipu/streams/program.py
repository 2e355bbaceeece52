"""A loop over streams of 64-bit words as one line of text, by which the stage that finds it tells the one that writes its code.

    float 1 1; v1 = mul s0 v0; v2 = add s1 v1; store v2

Element, loads and scalars; then one operation after the other. ``v0`` is the word of the first load, ``s0`` the first scalar.
The call's argument is the address of a block of words: how many 64-bit words there are, the address of each load, that of the
store, the scalars.
"""

from __future__ import annotations

from voltac.records import record

PREFIX = "ipu.stream."
"""What the names of the functions begin with."""
KEY = "ipu-stream"
"""The attribute of their declarations that is the text."""
PACED, PLAIN = "paced", "plain"
"""Forms of the code: with several accesses in one instruction, which must be in different banks, or one in each."""

KINDS = {"float": "f32v2", "half": "f16v4"}
"""Element -> what the mnemonics of its operations begin with."""


@record
class StreamStep:
    """An operation on 64-bit words."""

    result: str
    operation: str
    """``add sub mul max min``, and ``clamp`` with two scalars: no less than the first, then no more than the second."""
    operands: tuple[str, ...]
    """``v3`` or ``s1``."""


@record
class StreamProgram:
    """The body of a loop: each iteration reads a word of each load and writes one."""

    element: str
    loads: int
    scalars: int
    steps: tuple[StreamStep, ...]
    stored: str
    """What is written."""

    def __str__(self) -> str:
        steps = [f"{step.result} = {step.operation} {' '.join(step.operands)}" for step in self.steps]
        return "; ".join([f"{self.element} {self.loads} {self.scalars}", *steps, f"store {self.stored}"])


def read_program(text: str) -> StreamProgram:
    """The inverse of ``str``."""
    head, *middle, last = text.split("; ")
    element, loads, scalars = head.split()
    steps = []
    for line in middle:
        result, _, operation, *operands = line.split()
        steps.append(StreamStep(result, operation, tuple(operands)))
    return StreamProgram(element, int(loads), int(scalars), tuple(steps), last.removeprefix("store "))
