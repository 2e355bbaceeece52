"""A function of the IR -> :class:`TranslatedFunction`, which ``interp.py`` runs: its blocks, phis and terminators.

A block is translated when control comes there for the first time; of programs under masks many are never reached.
What the other instructions become is in ``interp_steps.py``, ``interp_memory_steps.py`` and ``interp_call_steps.py``.
"""

from __future__ import annotations

from functools import lru_cache

from voltac.ir import interp_call_steps, interp_memory_steps, interp_steps
from voltac.ir.interp_frame import (
    RESULT,
    ExecutionError,
    Frame,
    Leave,
    RunningModule,
    Slots,
    Step,
    TranslatedBlock,
    TranslatedFunction,
)
from voltac.ir.interp_values import InstructionFault
from voltac.ir.model import Function, Instruction

_SHARED = 1 << 15
"""Instructions that are kept with their parts, 46 MB of them: those of a large program are fewer."""
_shared = lru_cache(_SHARED)(Instruction)
"""The instruction of a text, the same each time: modules between two passes are nearly the same."""
_RULES = {**interp_steps.RULES, **interp_memory_steps.RULES, **interp_call_steps.RULES}


def translate(machine: RunningModule, function: Function) -> TranslatedFunction:
    """The function with none of its blocks translated."""
    slots = Slots(machine)
    parameters = [slots.slot(parameter.name) for parameter in function.parameters]
    numbers = {block.name: number for number, block in enumerate(function.blocks)}
    return TranslatedFunction(function.name, parameters, slots, [TranslatedBlock(block) for block in function.blocks], numbers)


def translate_block(code: TranslatedFunction, block: TranslatedBlock) -> Leave:
    """Fill in a block; the step that leaves it. Raises :class:`ExecutionError` where an instruction has no meaning here."""
    slots = code.slots
    _phis(slots, block, list(block.source.phis()), code.numbers)
    for instruction in block.source.instructions:
        if instruction.op == "phi" or instruction.op.startswith("#"):
            continue
        shared = _shared(instruction.text)
        block.origins.append(shared)
        if shared.is_terminator:
            break
        block.steps.append(_step(slots, shared, code.name))
    block.leave = _terminator(slots, block.origins[-1], code.numbers, code.name)
    return block.leave


def _phis(slots: Slots, block: TranslatedBlock, phis: list[Instruction], numbers: dict[str, int]) -> None:
    for phi in phis:
        target = slots.slot(phi.name)
        seen: set[int] = set()
        for operand, label in zip(phi.operands, phi.parts.labels):
            number = numbers[label]
            if number not in seen:
                seen.add(number)
                targets, sources = block.moves.setdefault(number, ([], []))
                targets.append(target)
                sources.append(slots.source(operand))


def _step(slots: Slots, instruction: Instruction, function: str) -> Step:
    target = slots.slot(instruction.name) if instruction.name else RESULT
    rule = _RULES.get(instruction.op)
    if rule is None:
        raise ExecutionError(f"in @{function}: no meaning is known for: {instruction.text.strip()}")
    try:
        return rule(slots, instruction, target)
    except InstructionFault as fault:
        raise ExecutionError(f"in @{function}: {fault}\n  {instruction.text.strip()}") from fault


def _terminator(slots: Slots, instruction: Instruction, numbers: dict[str, int], function: str) -> Leave:
    parts = instruction.parts
    match instruction.op:
        case "ret":
            if not parts.operands:
                return lambda frame: -1
            source = slots.source(parts.operands[0])

            def leave(frame: Frame) -> int:
                frame[RESULT] = frame[source]
                return -1

            return leave
        case "br":
            targets = [numbers[label] for label in parts.labels]
            if len(targets) == 1:
                only = targets[0]
                return lambda frame: only
            return _conditional_branch(slots.source(parts.operands[0]), *targets)
        case "switch":
            value, *cases = (slots.source(operand) for operand in parts.operands)
            default, *others = (numbers[label] for label in parts.labels)
            return _switch(value, {slots.template[case]: number for case, number in zip(cases, others)}, default)
        case "unreachable":
            return _unreachable
    raise ExecutionError(f"in @{function}: no meaning is known for: {instruction.text.strip()}")


def _conditional_branch(test: int, then: int, otherwise: int) -> Leave:
    def leave(frame: Frame) -> int:
        condition = frame[test]
        if condition is None:
            raise InstructionFault("branches on poison")
        return then if condition else otherwise

    return leave


def _switch(value: int, targets: dict[int, int], default: int) -> Leave:
    def leave(frame: Frame) -> int:
        if frame[value] is None:
            raise InstructionFault("switches on poison")
        return targets.get(frame[value], default)

    return leave


def _unreachable(frame: Frame) -> int:
    raise InstructionFault("reaches what is unreachable")
