"""Indices that may wrap around between two lanes -> a test that they do not, and code for both cases.

    %sum = add <8 x i32> %n, %t                      before the loop:  is the greatest %n + the greatest %t < 2 ** 32 ?
    %index = zext <8 x i32> %sum to <8 x i64>   ->   if so, the loop with   %sum = add nuw <8 x i32> %n, %t
    gather at %index                                 if not, the loop as it was

Unsigned numbers wrap around, so neighbouring lanes of a sum are neighbours in memory only where the sum does not.
The test is made before the outermost loop for which the bounds of all that is summed up are known there;
else just before the accesses, with the numbers of the gang. The loop as it was is a function of its own, which is not
optimised (``loops/outlined_blocks.py``): it seldom runs.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow, NaturalLoop, control_flow
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.marks import WRAPPING
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.types import DataLayout, element_of, integer_bits, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.accesses.wrapping_gangs import split_blocks
from voltac.passes.facts.index_bounds import Claims, LoopBounds, Unbounded
from voltac.passes.loops.copied_blocks import CopiedBlocks
from voltac.passes.loops.outlined_blocks import outline
from voltac.passes.loops.preheader import DECLARATIONS, Preheader
from voltac.system.lazy_patterns import lazy_pattern

_MOST_INSTRUCTIONS = 1500
"""Of a loop that is copied."""
_MOST_COPIES = 8
"""Loops of one function."""
_LINEAR = frozenset(("getelementptr", "add", "sub", "mul", "shl", "or", "zext", "sext", "trunc", "freeze", "phi", "select"))
_EXACT_BY_FLAG = frozenset(("add", "sub", "mul", "shl"))
_WITHOUT_SUMS = frozenset(("zext", "sext", "shufflevector", "insertelement", "call", "load", "fptosi", "fptoui", "ptrtoint"))
"""What cannot wrap around: its lanes are all equal, or without a pattern."""
_WRAPPING = lazy_pattern(r"= (add|sub|mul|shl|trunc) (?:nuw )?")


def test_wrapping_indices(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    changed = False
    for function in module.often_called:
        suspects = _that_may_wrap(function)
        if not suspects:
            continue
        values = lane_values(function, layout)
        if any(_is_wrapping(made, values) for made in suspects):
            changed |= _Versions(module, function, layout, options).run(values)
    if changed:
        module.declare(DECLARATIONS)


def _that_may_wrap(function: Function) -> list[Instruction]:
    """Extensions in addresses whose operands are not computed exactly, by a look at the instructions only."""
    if not any((" zext " in made.text or " sext " in made.text) and " x i" in made.text for made in function.instructions()):
        return []
    definitions = function.definitions()
    exact: set[tuple[str, str]] = set()
    """Values, and the flag by which all they are computed from is known not to wrap around."""
    found = []
    pending = [each.operands[-2].value for each in function.instructions() if pseudo_operation(each)]
    seen = set(pending)
    while pending:
        made = m.made_by(_LINEAR, pending.pop(), definitions)
        if made is None or not lanes_of(made.type):
            continue
        inner = _integers_of(made)
        if made.op in ("zext", "sext") and inner:
            flag = "any" if "nneg" in made.parts.flags else "nsw" if made.op == "sext" else "nuw"
            if not _is_exact(inner[0], flag, definitions, exact):
                found.append(made)
        new = [name for name in inner if name not in seen]
        seen.update(new)
        pending += new
    return found


def _is_exact(value: str, flag: str, definitions: dict[str, Instruction], exact: set[tuple[str, str]]) -> bool:
    pending, seen = [value], {(value, flag)}
    while pending:
        name = pending.pop()
        made = definitions.get(name)
        if made is None or not lanes_of(made.type) or made.op in _WITHOUT_SUMS or (name, flag) in exact:
            continue
        if made.op in _EXACT_BY_FLAG:
            if flag not in made.parts.flags and not (flag == "any" and made.parts.flags):
                return False
        elif made.op not in ("phi", "select", "freeze"):
            return False
        new = [name for name in _integers_of(made) if (name, flag) not in seen]
        seen.update((name, flag) for name in new)
        pending += new
    exact |= seen
    return True


def _integers_of(made: Instruction) -> list[str]:
    """The operands that addresses are made of, rather than conditions."""
    return [operand.value for operand in made.operands if element_of(operand.type) != "i1"]


def wrapping_extensions(function: Function, values: LaneValues) -> dict[str, Instruction]:
    """Extensions that keep an access from being regular: their operands have a pattern that may wrap around."""
    found: dict[str, Instruction] = {}
    seen: set[str] = set()
    for instruction in function.instructions():
        if not pseudo_operation(instruction):
            continue
        pending = [instruction.operands[-2].value]
        while pending:
            name = pending.pop()
            made = m.made_by(_LINEAR, name, values.definitions)
            if name in seen or made is None or not lanes_of(made.type):
                continue
            seen.add(name)
            if values.value(made.type, name) is not None:
                continue
            if made.op in ("zext", "sext") and element_of(made.operands[0].type) != "i1" and _is_wrapping(made, values):
                found[name] = made
                continue
            pending += [operand.value for operand in made.operands]
    return found


def _is_wrapping(extension: Instruction, values: LaneValues) -> bool:
    """Whether only the operand has a pattern."""
    inner = values.of(extension.operands[0])
    return inner is not None and not inner.is_uniform and values.value(extension.type, extension.name) is None


class _Versions:
    def __init__(self, module: Module, function: Function, layout: DataLayout, options: Options) -> None:
        self.module = module
        self.function = function
        self.layout = layout
        self.outlines = not options.debug_info
        """With debug information the second versions stay in the function whose variables they use."""
        self.copied: set[str] = set()
        """Blocks for the case that an index wraps around."""
        self.copies = 0
        self.proved: set[str] = set()
        """Extensions that are known not to wrap around; some stay irregular."""

    def run(self, values: LaneValues) -> bool:
        changed = False
        while True:
            extensions = wrapping_extensions(self.function, values)
            if not extensions or self.copies >= _MOST_COPIES or not self._one_loop(values, extensions):
                break
            changed = True
            values = lane_values(self.function, self.layout)
        return (bool(extensions) and split_blocks(self.function, values, extensions, self.copied)) or changed

    def _one_loop(self, values: LaneValues, extensions: dict[str, Instruction]) -> bool:
        """Treat the outermost loop that can be; whether there was one."""
        flow = control_flow(self.function)
        block_of = {made.name: block.name for block in self.function.blocks for made in block.instructions if made.name}
        return any(
            self._version(loop, flow, values, extensions, block_of) for loop in flow.loops if not self.copied & loop.blocks
        )

    def _version(
        self,
        loop: NaturalLoop,
        flow: ControlFlow,
        values: LaneValues,
        extensions: dict[str, Instruction],
        block_of: dict[str, str],
    ) -> bool:
        wanted = [made for name, made in extensions.items() if block_of[name] in loop.blocks and name not in self.proved]
        before = [name for name in flow.predecessors[loop.header] if name not in loop.blocks]
        size = sum(len(block.instructions) for block in self.function.blocks if block.name in loop.blocks)
        if not wanted or len(before) != 1 or size > _MOST_INSTRUCTIONS:
            return False
        names = [loop.header, *flow.in_order(name for name in loop.blocks if name != loop.header)]
        copy = CopiedBlocks(self.function, names, before[0], flow.predecessors)
        fresh = self.function.fresh_names()
        code = Preheader(fresh)
        bounds = LoopBounds(self.function, flow, loop.blocks, values, block_of, code)
        claims, proved = Claims(), []
        for made in wanted:
            bounds.claims = Claims()
            operand = made.operands[0]
            bits = integer_bits(element_of(operand.type)) - (made.op == "sext")
            try:
                bounds.fits(bounds.of(operand.type, operand.value, block_of[made.name]), bits)
            except Unbounded:
                continue
            proved.append(made)
            claims.join(bounds.claims)
        if not proved or (claims.tests and not copy.can_be_copied):
            return False
        if claims.tests:
            self.copies += 1
            holds = _all_hold(claims, code)
            if not self.outlines or outline(self.module, copy, WRAPPING, code.instructions, holds, fresh) is None:
                self.copied |= copy.write(WRAPPING, code.instructions, holds, fresh)
        self.proved.update(made.name for made in proved)
        for name in claims.without_wrap:
            instruction = values.definitions[name]
            instruction.text = _WRAPPING.sub(r"= \1 nuw ", instruction.text, count=1)
        for made in proved:
            # Without its highest bit a number has no sign.
            made.text = made.text.replace("= sext ", "= zext nneg ", 1)
        return True


def _all_hold(claims: Claims, code: Preheader) -> str:
    found = ""
    for predicate, left, right in claims.tests:
        test = code.value(f"icmp {predicate} i64 {left}, {right}", "no_wrap")
        found = code.value(f"and i1 {found}, {test}", "no_wrap") if found else test
    # What is not known to be reached may be poison.
    return code.value(f"freeze i1 {found}", "no_wrap")
