"""What a function computes twice -> what it computed first.

    %a = mul nsw i32 %y, %w    ...    %b = mul nsw i32 %y, %w
    ->
    %a = mul nsw i32 %y, %w    ...    (%a wherever %b was used)

``image[y * w + x]`` and ``image[y * w + x + 1]`` are neighbours only if both
``y * w`` are one value, and ``p->data[i]`` is a neighbour of ``p->data[i + 1]`` only
if both loads of ``p->data`` are. So this pass goes before the others look at
addresses. It is common subexpression elimination over the tree of dominators; a
load is equal to an earlier one if nothing between them may write. Accesses of
lanes are left to ``available_loads``, which knows their masks.
"""

from __future__ import annotations

from voltac.ir.cfg import control_flow
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY
from voltac.ir.scan import VALUES
from voltac.options import Options
from voltac.passes.facts.effects import ModuleEffects, module_effects
from voltac.system.lazy_patterns import lazy_pattern

_PURE = frozenset(
    (
        *(*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "freeze", "icmp", "fcmp", "select", "getelementptr"),
        *("extractelement", "insertelement", "shufflevector", "extractvalue", "insertvalue"),
    )
)
_CALLEE = lazy_pattern(r'@("[^"]*"|[-\w$.]+)\(')
_MARKS = lazy_pattern(r", !(?:dbg|alias\.scope|noalias) !\d+")
"""They belong to one place; another computation of the value has its own."""


def merge_equal_values(module: Module, options: Options) -> None:
    """Every function with accesses of lanes; the others LLVM simplifies."""
    effects: ModuleEffects | None = None
    for function in module.often_called:
        if any("@volta." in instruction.text for instruction in function.instructions()):
            effects = effects or module_effects(module)
            _merge(function, effects)


def _merge(function: Function, effects: ModuleEffects) -> None:
    seen = _Seen(effects)
    if len(function.blocks) == 1:
        seen.visit(function.blocks[0])
    else:
        flow = control_flow(function)
        blocks = {block.name: block for block in function.blocks}
        at_end: dict[str, int] = {}
        open_blocks: list[tuple[str, int]] = []
        for name in sorted(flow.order, key=lambda each: flow.dominated[each][0]):
            while open_blocks and not flow.dominates(open_blocks[-1][0], name):
                seen.forget(open_blocks.pop()[1])
            open_blocks.append((name, len(seen.added)))
            before = flow.predecessors[name]
            seen.begin(at_end.get(before[0]) if len(before) == 1 else None)
            seen.visit(blocks[name])
            at_end[name] = seen.memory
    function.replace_uses(seen.replaced)


class _Seen:
    """What is computed already where the walk over the tree of dominators is."""

    def __init__(self, effects: ModuleEffects) -> None:
        self._effects = effects
        self.replaced: dict[str, str] = {}
        self.added: list[str] = []
        """Keys of ``values``, in order."""
        self.values: dict[str, str] = {}
        self.memory = 0
        """Number of the contents of memory: equal as long as nothing may have written."""
        self._newest = 0

    def begin(self, memory: int | None) -> None:
        """A block; ``memory`` is what its only predecessor left."""
        if memory is None:
            self._written()
        else:
            self.memory = memory

    def forget(self, count: int) -> None:
        while len(self.added) > count:
            del self.values[self.added.pop()]

    def _written(self) -> None:
        self._newest += 1
        self.memory = self._newest

    def visit(self, block: Block) -> None:
        kept = []
        for instruction in block.instructions:
            op = instruction.op
            key = ""
            if op in _PURE:
                key = self._key(instruction)
            elif op == "load":
                text = instruction.text
                if " atomic " in text or " volatile " in text:
                    self._written()
                else:
                    key = f"{self._key(instruction)}#{self.memory}"
            elif op == "call":
                effect = self._effect(instruction.text)
                if effect == "any":
                    self._written()
                elif effect == "none" and instruction.name:
                    key = self._key(instruction)
            elif op in ("store", "atomicrmw", "cmpxchg", "fence"):
                self._written()
            if key:
                first = self.values.get(key)
                if first is not None:
                    self.replaced[instruction.name] = first
                    continue
                self.values[key] = instruction.name
                self.added.append(key)
            kept.append(instruction)
        block.instructions = kept

    def _effect(self, call: str) -> str:
        callee = _CALLEE.search(call)
        if callee is None or "@volta.scatter" in call:
            return "any"
        return "read" if callee[0].startswith("@volta.gather") else self._effects.effect(callee[0][:-1])

    def _key(self, instruction: Instruction) -> str:
        """The operation and its operands, each by the name of what it is equal to."""
        text = instruction.text
        body = text[text.index("=") + 1 :]
        if "!" in body:
            body = _MARKS.sub("", body)
        if self.replaced and not self.replaced.keys().isdisjoint(instruction.names_used()):
            body = VALUES.sub(lambda found: self.replaced.get(found[0], found[0]), body)
        return body
