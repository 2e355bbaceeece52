"""Legal IR -> less of it: equal values once, what nobody uses gone, and out of loops what does not change there.

    %a = and i32 %p, -64 ... %b = and i32 %p, -64      ->      %a alone

Blocks are visited in the order of dominance, with the values known from above. What has
no effect and cannot fail moves to the end of the block before its loop.
"""

from __future__ import annotations

from collections.abc import Callable, KeysView

from voltac.ir.cfg import ControlFlow, control_flow
from voltac.ir.model import Block, Function, Instruction, Module

_IsPure = Callable[[Instruction], bool]
_PURE = frozenset(
    (
        *("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "icmp", "fadd", "fsub", "fmul", "fdiv"),
        *("fneg", "fcmp", "uitofp", "fptoui"),
        *("sitofp", "fptosi", "zext", "sext", "trunc", "bitcast", "ptrtoint", "inttoptr", "select", "getelementptr", "freeze"),
        *("shufflevector", "insertelement", "extractelement", "extractvalue", "insertvalue"),
    )
)
_KEPT_WITHOUT_USE = frozenset(("store", "call", "br", "switch", "ret", "unreachable"))
_STAY = frozenset(("extractvalue", "insertvalue", "trunc"))
"""Belong next to another instruction."""


def clean_module(module: Module, pure_calls: tuple[str, ...]) -> None:
    """:func:`clean` every function."""
    for function in module.functions:
        clean(function, pure_calls)


def clean(function: Function, pure_calls: tuple[str, ...]) -> None:
    """``pure_calls``: what the names of functions without effects begin with."""

    def is_pure(instruction: Instruction) -> bool:
        if instruction.op == "call":
            return instruction.parts.callee.startswith(pure_calls)
        return instruction.op in _PURE

    flow = control_flow(function)
    _share(function, flow, is_pure)
    _remove_unused(function, is_pure)
    _hoist(function, control_flow(function), is_pure)


def _share(function: Function, flow: ControlFlow, is_pure: _IsPure) -> None:
    blocks = {block.name: block for block in function.blocks}
    known: dict[str, dict[str, str]] = {}
    renamed: dict[str, str] = {}
    for name in flow.order:
        above = flow.immediate_dominator[name]
        here = dict(known[above]) if above != name else {}
        block = blocks[name]
        kept: list[Instruction] = []
        for instruction in block.instructions:
            instruction.rename(renamed)
            if instruction.name and (instruction.op == "phi" or is_pure(instruction)):
                text = instruction.text.strip().partition(" = ")[2]
                if instruction.op == "phi":
                    # Equal only to those of its block.
                    text = f"{name}: {text}"
                same = here.get(text)
                if same is not None:
                    renamed[instruction.name] = same
                    continue
                here[text] = instruction.name
            kept.append(instruction)
        block.instructions = kept
        known[name] = here
    for block in function.blocks:
        for phi in block.phis():
            phi.rename(renamed)


def _remove_unused(function: Function, is_pure: _IsPure) -> None:
    definitions = function.definitions()
    needed: set[str] = set()
    work = [each for each in function.instructions() if each.op in _KEPT_WITHOUT_USE and not is_pure(each)]
    work += [each for each in function.instructions() if each.op == "load" and "volatile" in each.text]
    roots = {id(each) for each in work}
    while work:
        for used in work.pop().names_used():
            if used not in needed and used in definitions:
                needed.add(used)
                work.append(definitions[used])
    for block in function.blocks:
        block.instructions = [each for each in block.instructions if id(each) in roots or each.name in needed]


def _hoist(function: Function, flow: ControlFlow, is_pure: _IsPure) -> None:
    blocks = {block.name: block for block in function.blocks}
    home = {each.name: block.name for block in function.blocks for each in block.instructions if each.name}
    for loop in reversed(flow.loops):
        outside = [name for name in flow.predecessors[loop.header] if name not in loop.blocks]
        if len(outside) != 1 or len(blocks[outside[0]].successors) != 1:
            continue
        target = blocks[outside[0]]
        for name in flow.order:
            if name in loop.blocks:
                _hoist_from(blocks[name], target, loop.blocks, home, is_pure)


def _hoist_from(block: Block, target: Block, loop: KeysView[str], home: dict[str, str], is_pure: _IsPure) -> None:
    kept: list[Instruction] = []
    for instruction in block.instructions:
        movable = instruction.name and is_pure(instruction) and instruction.op not in _STAY
        if movable and instruction.op == "bitcast" and "i16" in instruction.text:
            movable = False
        if movable and instruction.op == "zext" and " i16 " in instruction.text:
            movable = False
        if movable and all(home.get(used) not in loop for used in instruction.names_used()):
            target.instructions.insert(len(target.instructions) - 1, instruction)
            home[instruction.name] = target.name
        else:
            kept.append(instruction)
    block.instructions = kept
