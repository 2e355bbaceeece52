"""Module -> nothing, or an InternalError that says what a pass left wrong.

A pseudo operation that survived its pass is the first thing looked for; then a
few structural rules that are cheap: names are unique, used names exist, a value
is defined before it is used in its block and in a block that dominates the use,
each block ends with its only terminator, labels name blocks.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import pseudo_operations
from voltac.ir.cfg import ControlFlow, control_flow
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.messages.diagnostics import InternalError

_Complaint = Callable[[str, Instruction], InternalError]


def verify(module: Module, *, stage: str = "passes", pseudo_operations: bool = False) -> None:
    """Raise :class:`InternalError` for the first rule broken; ``pseudo_operations`` allows them to be there."""
    if not pseudo_operations:
        verify_accesses(module)
    types = set(module.named_types())
    for function in module.functions:
        _structure(function, types, stage)


def verify_accesses(module: Module) -> None:
    """Raise :class:`InternalError` for a pseudo operation that is left."""
    for function in module.functions:
        for instruction in function.instructions():
            if "@" + pseudo_operations.PREFIX in instruction.text and instruction.op == "call":
                operation = instruction.parts.callee[1:].rpartition(".")[0]
                remover = pseudo_operations.REMOVED_BY.get(operation, "no pass")
                raise InternalError(
                    f"{remover} should have removed a pseudo operation from {function.name}: {instruction.text.strip()}"
                )


def _structure(function: Function, types: set[str], stage: str) -> None:
    def wrong(what: str, instruction: Instruction | None = None) -> InternalError:
        place = f": {instruction.text.strip()}" if instruction is not None else ""
        return InternalError(f"{stage} left a malformed function {function.name}: {what}{place}")

    places: dict[str, tuple[str, int]] = {}
    entry = function.blocks[0].name
    for parameter in function.parameters:
        places[parameter.name] = (entry, -1)
    labels: set[str] = set()
    for block in function.blocks:
        if block.name in labels:
            raise wrong(f"two blocks are named {block.name}")
        labels.add(block.name)
        if not block.instructions or not block.terminator.is_terminator:
            raise wrong(f"the block {block.name} does not end with a terminator")
        for position, instruction in enumerate(block.instructions):
            if instruction.is_terminator and instruction is not block.terminator:
                raise wrong(f"a terminator in the middle of the block {block.name}", instruction)
            if instruction.name:
                if instruction.name in places:
                    raise wrong(f"{instruction.name} is defined twice", instruction)
                places[instruction.name] = (block.name, position)
    for block in function.blocks:
        for successor in block.successors:
            if successor not in labels:
                raise wrong(f"there is no block {successor}", block.terminator)
    flow = control_flow(function)
    for block in function.blocks:
        if block.name in flow.immediate_dominator:
            _uses(block, flow, places, types, wrong)


def _uses(
    block: Block,
    flow: ControlFlow,
    places: dict[str, tuple[str, int]],
    types: set[str],
    wrong: _Complaint,
) -> None:
    for position, instruction in enumerate(block.instructions):
        if "%" not in instruction.text or instruction.op.startswith("#"):
            continue
        if instruction.op == "phi":
            parts = instruction.parts
            if sorted(set(parts.labels)) != sorted(flow.predecessors[block.name]):
                raise wrong("the phi does not name the predecessors of its block", instruction)
            if len(set(parts.labels)) < len(set(zip(parts.labels, (operand.value for operand in parts.operands)))):
                raise wrong("the phi has several values for one block", instruction)
            for operand, label in zip(parts.operands, parts.labels):
                if operand.value.startswith("%") and label in flow.immediate_dominator:
                    place = places.get(operand.value)
                    if place is None or not flow.dominates(place[0], label):
                        raise wrong(f"{operand.value} does not reach the phi", instruction)
            continue
        for name in instruction.names_used():
            place = places.get(name)
            if place is None:
                if name in types or name[1:] in flow.successors:
                    continue
                raise wrong(f"{name} is not defined", instruction)
            if place[0] == block.name:
                if place[1] >= position:
                    raise wrong(f"{name} is used before its definition", instruction)
            elif not flow.dominates(place[0], block.name):
                raise wrong(f"the definition of {name} does not dominate its use", instruction)
