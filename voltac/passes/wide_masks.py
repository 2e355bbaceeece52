"""Masks that cross basic blocks: carried as whole lanes instead of single bits.

LLVM's code generator treats one block at a time. A ``<8 x i1>`` that lives across
blocks becomes a vector of 16-bit lanes on machines without mask registers, and is
packed and unpacked around every branch. So, when LLVM has finished simplifying::

    a:  %m = fcmp ogt <8 x float> %x, %y
    b:  %s = select <8 x i1> %m, ...

becomes

    a:  %m = fcmp ogt <8 x float> %x, %y
        %m.wide = sext <8 x i1> %m to <8 x i32>
    b:  %m.here = icmp slt <8 x i32> %m.wide, zeroinitializer
        %s = select <8 x i1> %m.here, ...

A phi of masks becomes a phi of wide ones. Nothing simplifies the text afterwards.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import match as m
from voltac.ir.constants import integers, written
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.read import read
from voltac.ir.write import write
from voltac.options import Options

_SIGNS = m.negative(m.value("lanes"))
_CONSTANTS = {"zeroinitializer": "zeroinitializer", "poison": "poison", "undef": "undef"}


def keep_masks_wide(text: str, options: Options) -> str:
    """The module's text, unchanged if no mask crosses a block or the target has mask registers."""
    target = options.target
    mask = f"<{target.width} x i1>"
    if target.has_mask_registers or (f"{mask} %" not in text and f"phi {mask}" not in text):
        return text
    module = read(text)
    records = None
    if "#dbg_" in text:
        from voltac.ir.debug_records import DebugRecords  # for -g only

        records = DebugRecords(module)
    changed = False
    for function in module.functions:
        if len(function.blocks) > 1:
            changed = _Widening(function, mask, f"<{target.width} x i{target.mask_bits}>").run() or changed
    if not changed:
        return text
    if records is not None:
        records.put_back()
    return write(module)


class _Widening:
    """One function."""

    def __init__(self, function: Function, mask: str, wide: str) -> None:
        self._function = function
        self._mask = mask
        self._wide_type = wide
        self._fresh: Callable[[str], str] = function.fresh_names()
        self._defined_in: dict[str, Block] = {}
        self._definitions: dict[str, Instruction] = {}
        self._wide: dict[str, str] = {}
        """Mask -> the value that carries its lanes, a negative number in those that are on."""

    def run(self) -> bool:
        needle = self._mask
        for block in self._function.blocks:
            for instruction in block.instructions:
                if needle in instruction.text or "fcmp" in instruction.text or "icmp" in instruction.text:
                    if instruction.name and instruction.type == needle:
                        self._defined_in[instruction.name] = block
                        self._definitions[instruction.name] = instruction
        if not self._defined_in:
            return False
        changed = False
        for block in list(self._function.blocks):
            changed = self._widen_phis(block) or changed
        for block in list(self._function.blocks):
            changed = self._use_here(block) or changed
        return changed

    def _wide_of(self, name: str) -> str:
        known = self._wide.get(name)
        if known is not None:
            return known
        definition = self._definitions[name]
        block = self._defined_in[name]
        signs = _SIGNS.find(name, self._definitions)
        if signs is not None and signs["lanes"].type == self._wide_type:
            self._wide[name] = signs["lanes"].value
            return self._wide[name]
        wide = self._wide[name] = self._fresh(f"{name[1:].strip(chr(34))}.wide" if name[1].isalpha() else "mask.wide")
        place = block.instructions.index(definition) + 1
        if definition.op == "phi":
            place = block.first_after_phis()
        block.instructions.insert(place, Instruction(f"  {wide} = sext {self._mask} {name} to {self._wide_type}"))
        return wide

    def _widen_phis(self, block: Block) -> bool:
        phis = [phi for phi in block.phis() if phi.name and phi.type == self._mask and self._is_known(phi)]
        for phi in phis:
            self._wide[phi.name] = self._fresh("mask.phi")
        for phi in phis:
            arms = []
            for operand, label in zip(phi.operands, phi.parts.labels):
                arms.append(f"[ {self._widened(operand.value)}, %{label} ]")
            wide = self._wide[phi.name]
            place = block.instructions.index(phi)
            block.instructions[place] = Instruction(f"  {wide} = phi {self._wide_type} {', '.join(arms)}")
            again = Instruction(f"  {phi.name} = icmp slt {self._wide_type} {wide}, zeroinitializer")
            block.instructions.insert(block.first_after_phis(), again)
            self._definitions[phi.name] = again
        return bool(phis)

    def _is_known(self, phi: Instruction) -> bool:
        return all(not arm.value.startswith("%") or arm.value in self._definitions for arm in phi.operands)

    def _widened(self, value: str) -> str:
        if value.startswith("%"):
            return self._wide_of(value)
        if value in _CONSTANTS:
            return _CONSTANTS[value]
        lanes = integers(self._mask, value)
        assert lanes is not None, value
        return written(self._wide_type, [-lane for lane in lanes])

    def _use_here(self, block: Block) -> bool:
        """Masks from other blocks are read from their lanes again."""
        here: dict[str, str] = {}
        for instruction in list(block.instructions):
            if instruction.op == "phi" or "%" not in instruction.text:
                continue
            foreign = [
                name
                for name in instruction.names_used()
                if name in self._defined_in and self._defined_in[name] is not block and name not in here
            ]
            for name in foreign:
                here[name] = self._fresh("mask.here")
                wide = self._wide_of(name)
                compare = Instruction(f"  {here[name]} = icmp slt {self._wide_type} {wide}, zeroinitializer")
                block.instructions.insert(block.instructions.index(instruction), compare)
            if here:
                instruction.rename({name: new for name, new in here.items() if self._defined_in[name] is not block})
        return bool(here)
