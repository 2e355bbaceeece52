"""Short branches that only skip work when no lane is on -> straight code.

    %any = icmp ne i8 (bitcast <8 x i1> %mask to i8), 0
    br i1 %any, label %then, label %done
  then:
    %x = call <8 x float> @volta.gather.v8f32(%pointers, %mask)      consecutive in memory
    ...
    br label %done
    ->
    the instructions of ``then``, at the end of the block before

With an empty mask they do nothing, so the branch is only there to save time; for a
few cheap instructions it saves none. What remains is one block, in which loads and
stores of both sides of an ``if`` find each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cached_property, partial

from voltac.ir import marks
from voltac.ir import match as m
from voltac.ir.constants import is_all_true
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import DataLayout, element_of, lanes_of
from voltac.ir.uses import remove_unused
from voltac.options import Options
from voltac.passes.accesses.access import is_divisor, pseudo_operation, read_access
from voltac.passes.accesses.available_loads import access_key, mask_implies
from voltac.passes.facts.effects import module_effects
from voltac.target_info import TargetInfo
from voltac.target_info.processors import find_processor

LIMIT = 32
"""Weight of what is worth to be run always: it takes about as long as a branch that goes where nobody expected it, 13 to 20
cycles on Zen 3. Chains of four conditions with cheap bodies weigh 20 to 30, and take a third of the time where numbers vary."""
_LONG = 14
"""Of a division or a square root: two of them are worth a branch past them (few rays meet a sphere: 0.7 of the time)."""
_WEIGHTS: dict[str, int] = {
    **dict.fromkeys((*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "icmp", "fcmp", "select"), 1),
    **dict.fromkeys(("freeze", "getelementptr", "insertelement", "shufflevector"), 0),
    "fdiv": _LONG,
    "frem": 100,
}
_INTRINSICS: dict[str, int] = {
    **dict.fromkeys(("fabs", "copysign", "minnum", "maxnum", "minimum", "maximum", "smin", "smax", "umin", "umax"), 1),
    **dict.fromkeys(("fma", "fmuladd", "floor", "ceil", "rint", "trunc", "abs"), 1),
    "sqrt": _LONG,
}
_DIVISIONS = frozenset(("sdiv", "udiv", "srem", "urem"))
_MOST_SELECTIONS = 16
"""Between a value and what it is where no lane is on. Chosen, not measured."""
_LOAD, _STORE = 2, 3
"""In the unit of the others, a cheap instruction: with the address; a store is a blend besides. Chosen, not measured."""
_MASKED_STORE = 12
"""Of a store that stays under its mask, where that takes longer (``target_info/processors.py``): a triangle drawn with a test
of depth takes 1.6 times as long without the branch past the two stores."""
_ANY_LANE = m.op("icmp", m.op("bitcast", m.mask("mask"), named="bits"), m.number(0), predicate="ne")
"""Whether any lane of a mask is on."""
_SIGN = m.negative(m.value())
"""A mask of whole lanes as bits, or of bits as a mask: the same where masks are whole lanes."""
_SELECTED = m.op("select", m.value("mask"), m.value(), m.value("otherwise"))
_JOINED = m.one_of(m.op("select", m.value("left"), m.all_ones()), m.op("select", m.value("left"), m.value(), m.number(0)))
"""``left || right`` or ``left && right``."""
_PART = m.op("select", m.value("whole"), m.value(), m.number(0))
"""``whole && more``."""


def flatten_branches(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        if len(function.blocks) > 2:
            _Flattener(function, layout, options.target, partial(_may_write, module)).run()


def _may_write(module: Module, instruction: Instruction) -> bool:
    if instruction.op == "call":
        return not is_divisor(instruction) and module_effects(module).effect(instruction.parts.callee) not in ("none", "read")
    return instruction.op in ("store", "atomicrmw", "cmpxchg", "fence")


class _Flattener:
    def __init__(
        self, function: Function, layout: DataLayout, target: TargetInfo, may_write: Callable[[Instruction], bool]
    ) -> None:
        self.function = function
        self.may_write = may_write
        processor = find_processor(target.processor)
        self.masks_cost = target.is_x86 and not target.has_avx512 and not (processor is not None and processor.masked_stores)
        self.layout = layout
        self.blocks = {block.name: block for block in function.blocks}
        self.predecessors: dict[str, list[str]] = {block.name: [] for block in function.blocks}
        for block in function.blocks:
            for successor in block.successors:
                self.predecessors[successor].append(block.name)
        self.renamed: dict[str, str] = {}
        self.tests: set[str] = set()
        """Conditions that decided nothing but a removed branch, and the bits they test."""

    @cached_property
    def values(self) -> LaneValues:
        return lane_values(self.function, self.layout)

    @cached_property
    def fresh(self) -> Callable[[str], str]:
        return self.function.fresh_names()

    def run(self) -> None:
        self._select_by_lanes()
        removed: set[str] = set()
        for block in reversed(self.function.blocks):
            # A branch may appear when the block after a flattened one is joined.
            while block.name not in removed and (gone := self._flatten(block)):
                removed.update(gone)
        if removed or self.renamed or self.tests:
            self.function.blocks = [block for block in self.function.blocks if block.name not in removed]
            self.function.replace_uses(self.renamed)
            remove_unused(self.function, self.tests)

    def _select_by_lanes(self) -> None:
        """Branches that LLVM made selections of a whole gang, where lanes select anyway; and what had no value before."""
        for instruction in self.function.instructions():
            if instruction.text.endswith(" undef") and instruction.op == "select":
                condition, chosen, _ = instruction.operands
                if lanes_of(chosen.type):
                    tested = _ANY_LANE.find(condition.value, self.values.definitions)
                    self.tests |= {condition.value, tested["bits"].value} if tested is not None else set()
                    # Whatever it is in lanes that are off: a value that was there is none to wait for.
                    instruction.text = f"  {instruction.name} = freeze {chosen.type} {chosen.value}"
                continue
            if " = select i1 %" not in instruction.text or ", <" not in instruction.text:
                continue
            condition, chosen, otherwise = instruction.operands
            tested = _ANY_LANE.find(condition.value, self.values.definitions)
            if tested is None:
                continue
            mask = tested["mask"].value
            if self._is_selected(chosen.value, otherwise.value, mask) or self._is_part_of(chosen, otherwise, mask):
                self.renamed[instruction.name] = chosen.value
                self.tests |= {condition.value, tested["bits"].value, instruction.name}

    def _flatten(self, block: Block) -> list[str]:
        """Join what the last branch of a block skips; names of the blocks that are no more."""
        branch = block.terminator
        if branch.op != "br" or len(branch.parts.labels) != 2:
            return []
        then_name, done_name = branch.parts.labels
        then = self.blocks[then_name]
        if self.predecessors[then_name] != [block.name] or then.successors != [done_name]:
            return []
        if done_name == block.name or marks.is_first_of_path(then_name):
            return []
        condition = branch.operands[0].value
        tested = _ANY_LANE.find(condition, self.values.definitions)
        mask = tested["mask"].value if tested else ""
        if tested is None:
            return []
        self._take_loaded(block, then)
        if not self._is_cheap(then, mask):
            return []
        done = self.blocks[done_name]
        self.tests |= {condition, tested["bits"].value}
        selects = self._merge_phis(block, then, done, condition, mask)
        block.instructions[-1:] = [*then.instructions[:-1], *selects, Instruction(f"  br label %{done_name}")]
        self.predecessors[done_name].remove(then_name)
        gone = [then_name]
        if self.predecessors[done_name] == [block.name] and not marks.is_first_of_path(done_name):
            self._join(block, done)
            gone.append(done_name)
        return gone

    def _take_loaded(self, block: Block, then: Block) -> None:
        """What the test has loaded already: ``if (a[i] < least) least = a[i];``."""
        if not any(pseudo_operation(each) == "gather" for each in then.instructions):
            return
        loaded: dict[tuple[str, str], tuple[str, str]] = {}
        kept: list[Instruction] = []
        for instructions in (block.instructions, then.instructions):
            kept = []
            for instruction in instructions:
                if pseudo_operation(instruction) == "gather":
                    pointers, mask = (self._now(each.value) for each in instruction.operands)
                    known, wide = loaded.setdefault((pointers, instruction.type), (instruction.name, mask))
                    if (
                        instructions is then.instructions
                        and known != instruction.name
                        and mask_implies(mask, wide, self.values)
                    ):
                        self.renamed[instruction.name] = known
                        continue
                elif self.may_write(instruction):
                    loaded.clear()
                kept.append(instruction)
        then.instructions[:] = kept

    def _is_cheap(self, then: Block, mask: str) -> bool:
        weight = 0
        for instruction in then.instructions[:-1]:
            weight += self._weight(instruction, mask)
            if weight > LIMIT:
                return False
        return True

    def _weight(self, instruction: Instruction, mask: str) -> int:
        op = instruction.op
        if self._is_mask_written_otherwise(instruction):
            return 0
        if op in _DIVISIONS:
            return 100 if instruction.operands[1].value[0] == "%" else 4
        if op in _WEIGHTS:
            return _WEIGHTS[op]
        if op.startswith("#"):
            return 0
        if op != "call":
            return 100
        operation = pseudo_operation(instruction)
        if is_divisor(instruction):
            divisor = instruction.operands[0]
            return 1 if self._is_selected(divisor.value, f"splat ({element_of(divisor.type)} -1)", mask) else 100
        if not operation:
            found = re.match(r"@llvm\.(\w+)\.v", instruction.parts.callee)
            return _INTRINSICS.get(found.group(1), 100) if found else 100
        access = read_access(0, instruction, operation, self.values)
        if not access.is_consecutive or not mask_implies(access.mask, mask, self.values):
            return 100
        if not access.is_store:
            return _LOAD
        return _STORE if not self.masks_cost or self._stored[access_key(access)] > 1 else _MASKED_STORE

    @cached_property
    def _stored(self) -> Counter[object]:
        """How often the same elements are stored to: under masks that together are all lanes, such stores become one."""
        stores = [each for each in self.function.instructions() if pseudo_operation(each) == "scatter"]
        return Counter(access_key(read_access(0, each, "scatter", self.values)) for each in stores)

    def _is_mask_written_otherwise(self, instruction: Instruction) -> bool:
        """Whether it only is another form of a mask: widened, tested for its signs, or the lanes that are not on."""
        op = instruction.op
        if op == "icmp":
            return _SIGN.matches(instruction.name, self.values.definitions)
        if op == "xor":
            return element_of(instruction.type) == "i1" and is_all_true(instruction.operands[1].value)
        return op == "sext" and element_of(instruction.operands[0].type) == "i1"

    def _merge_phis(self, block: Block, then: Block, done: Block, condition: str, mask: str) -> list[Instruction]:
        """Take the values that came from ``then`` out of the phis after it; what has to choose between them."""
        selects: list[Instruction] = []
        for phi in list(done.phis()):
            parts = phi.parts
            # A switch may lead here by several of its cases, with an arm for each.
            arms = [(operand.value, label) for operand, label in zip(parts.operands, parts.labels)]
            values = {label: value for value, label in arms}
            from_then, otherwise = values[then.name], values[block.name]
            if self._now(from_then) != self._now(otherwise):
                same = self._is_selected(self._now(from_then), otherwise, mask) or self._is_joined(then, from_then, otherwise)
                if otherwise not in ("poison", "undef") and not same:
                    name = self.fresh("flat")
                    selects.append(
                        Instruction(f"  {name} = select i1 {condition}, {parts.type} {from_then}, {parts.type} {otherwise}")
                    )
                    from_then = name
            values[block.name] = from_then
            entries = ", ".join(f"[ {values[label]}, %{label} ]" for _, label in arms if label != then.name)
            flags = "".join(f"{flag} " for flag in parts.flags)
            phi.text = f"  {phi.name} = phi {flags}{parts.type} {entries}"
        return selects

    def _is_selected(self, value: str, otherwise: str, mask: str) -> bool:
        """Whether a value is ``otherwise`` already when no lane of the mask is on, through selections one upon the other."""
        otherwise = self._now(otherwise)
        for _ in range(_MOST_SELECTIONS):
            found = _SELECTED.find(value, self.values.definitions)
            if found is None or not mask_implies(found["mask"].value, mask, self.values):
                return False
            value = self._now(found["otherwise"].value)
            if value == otherwise:
                return True
        return False

    def _is_part_of(self, chosen: Operand, otherwise: Operand, mask: str) -> bool:
        """Whether ``chosen`` is ``otherwise && more``, and neither has a lane on where the mask has none."""
        found = _PART.find(chosen.value, self.values.definitions, whole=otherwise)
        return found is not None and mask_implies(otherwise.value, mask, self.values)

    def _now(self, name: str) -> str:
        """What stands for a value that is gone."""
        while name in self.renamed:
            name = self.renamed[name]
        return name

    def _is_joined(self, then: Block, value: str, otherwise: str) -> bool:
        """Whether a block of ``lower`` for the right of ``&&`` or ``||`` gives the left where lanes do not ask for it.

        Lanes that are off have no value, and lanes that are on ask where the left leaves it open.
        """
        is_right = "logical.right" in then.name
        return is_right and _JOINED.matches(value, self.values.definitions, left=Operand("", otherwise))

    def _join(self, block: Block, following: Block) -> None:
        """Append a block that has no other predecessor."""
        for phi in following.phis():
            self.renamed[phi.name] = phi.operands[0].value
        block.instructions[-1:] = following.instructions[following.first_after_phis() :]
        for successor in following.successors:
            self.predecessors[successor] = [
                block.name if name == following.name else name for name in self.predecessors[successor]
            ]
            for phi in self.blocks[successor].phis():
                phi.rename({f"%{following.name}": f"%{block.name}"})
