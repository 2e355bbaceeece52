"""Additions to what a loop carries on that the accumulators do (IPU 3.7), each lane in its own.

%s = phi <4 x float> ...      %m = fmul contract <4 x float> %x, %y      %t = fadd contract <4 x float> %s, %m
->    sum f32v2mac 1 x y
"""

from __future__ import annotations

from voltac.ir.model import Instruction
from voltac.ir.types import vector_parts
from voltac.targets.ipu.streams.loop_streams import GANG, LoopStreams
from voltac.targets.ipu.streams.program import EIGHTS, StreamAccess, StreamSum


def is_sum(body: LoopStreams, instruction: Instruction) -> bool:
    """Whether an addition to something carried is one to accumulators."""
    phi = next((one.value for one in instruction.operands if one.value in body.loop.carried), None)
    if phi is None or body.loop.carried[phi][1] != instruction.name or body.sums:
        return False
    if vector_parts(instruction.type) != (GANG, "float"):
        return False
    if sum(phi in one.names_used() for one in body.loop.block.instructions) != 1:
        return False
    first, second = (one.value for one in instruction.operands)
    term = body.definitions.get(second if first == phi else first)
    if term is None or term.name not in body.integers.inside:
        return False
    found = _accumulated(body, instruction, term)
    if found is not None:
        body.sums.append((phi, found))
    return found is not None


def _accumulated(body: LoopStreams, instruction: Instruction, term: Instruction) -> StreamSum | None:
    may_join = all("contract" in one.text or " fast " in one.text for one in (instruction, term))
    may_reorder = "reassoc" in instruction.text or " fast " in instruction.text
    source, squared, absolute = term, False, False
    if term.op == "fmul" and may_join:
        first, second = (body.definitions.get(one.value, term) for one in term.operands)
        squared = first is second
        is_alone = squared and _reads_only(body, first.operands[0].value)
        if body.has_halves and may_reorder and first.op == second.op == "fpext" and not is_alone:
            pairs = [body.values.get(one.operands[0].value, ()) for one in (first, second)]
            _drop(body, (first, second, term))
            return StreamSum("f16v4cmac", 1, (pairs[0][0], pairs[1][0]))
        if not squared and not body.has_halves:
            operands = [body.values.get(one.value, ("",))[0] for one in term.operands]
            if all(one[:1] == "v" or one[:1] == "c" for one in operands):
                _drop(body, (term,))
                return StreamSum("f32v2mac", 1, tuple(operands))
        if not squared:
            return None
        source = first
    if source.op == "call" and source.parts.callee.startswith("@llvm.fabs."):
        source, absolute = body.definitions.get(source.parts.operands[0].value, source), True
    half = body.definitions.get(source.operands[0].value) if source.op == "fpext" else None
    joined: tuple[Instruction, ...] = (source, term)
    if half is not None and half.op == "call" and half.parts.callee.startswith("@llvm.fabs.") and not squared:
        joined = (half, source, term)
        half, absolute = body.definitions.get(half.parts.operands[0].value), True
    kind = "abs" * absolute or "sq" * squared
    if half is not None and may_reorder and _reads_only(body, half.name):
        # Two gangs at a time: each lane has two sums, which are added in the end.
        ((load, at),) = body.loads
        body.steps = []
        body.loads = [(StreamAccess(load.value, "quad", 1), at)]
        return StreamSum(f"{EIGHTS}{kind}acc", 2, (load.value,))
    if half is not None and not squared:
        (word,) = body.values.get(half.name, ("",))
        _drop(body, joined)
        return StreamSum(f"f16v4{kind}acc", 2, (word,))
    is_alone = len(body.loads) == 1 and body.loads[0][0].kind == "word" and not body.has_halves
    if source.name in body.loaded and is_alone and len(body.loop.carried) == 1 and not body.delayed:
        ((load, at),) = body.loads
        _drop(body, (term,))
        body.loads = [(StreamAccess(load.value, "quad", 1), at)]
        return StreamSum(f"f32v4{kind}acc", 2, (load.value,))
    return None


def _reads_only(body: LoopStreams, name: str) -> bool:
    """Whether all that a loop does is to read words and to sum them up, or what is made of them."""
    accesses = sum(one.op in ("load", "store") for one in body.loop.block.instructions)
    return name in body.loaded and accesses == len(body.loads) == len(body.loop.carried) == 1


def _drop(body: LoopStreams, instructions: tuple[Instruction, ...]) -> None:
    """Forget the steps of instructions that nothing else reads."""
    for one in reversed(instructions):
        if sum(one.name in each.names_used() for each in body.loop.block.instructions) == 1:
            gone = set(body.values.get(one.name, ())) - {access.value for access, _ in body.loads}
            chains = {step.into for step in body.steps if step.result in gone}
            body.steps = [step for step in body.steps if step.result not in gone | (chains - {""})]
