"""Bytes and 16-bit numbers compared with a number that all lanes share -> the same in their own type.

    %wide = zext <8 x i8> %b to <8 x i32>
    %m = icmp sgt <8 x i32> %wide, %splat                      ; of %limit, which may be any number
    ->
    %near = smin(smax(%limit, -1), 255)                        ; once, where %limit is known
    %least = add i32 %near, 1
    %bound = trunc i32 (smin(%least, 255)) to i8
    %keep = sext i1 (icmp sle %least, 255) to i8

    %kept = and <8 x i8> %b, splat of %keep
    %m = icmp uge <8 x i8> %kept, splat of %bound

LLVM narrows comparisons with constants, of which it sees that the type has them. A number that the type has not is replaced by
the nearest that it has. That gives the same for all elements, or for all on one side of the range, where elements are
cleared or filled with ones so that it does. ``<`` and ``<=`` become each other as x86 has instructions: the greater and the
less of two unsigned numbers, greater than of signed ones. What proves it is a test of every byte with every number around
the range.

It is done only where what the mask chooses and stores is as narrow: elsewhere the mask would have to be made wide again.
"""

from __future__ import annotations

from functools import partial

from voltac.ir import match as m
from voltac.ir.constants import integers
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, integer_bits
from voltac.ir.uses import remove_unused, uses_of
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.arithmetic.prepared_numbers import DECLARATIONS, PreparedNumbers
from voltac.passes.facts.integer_ranges import Range
from voltac.passes.loops.narrow_sums import only_total_counts
from voltac.system.lazy_patterns import lazy_pattern
from voltac.target_info import TargetInfo

_WIDE_COMPARE = lazy_pattern(r" = icmp (?:samesign )?\w+ <\d+ x i32> %[^\s,]+, %")
_EXTENSIONS = ("zext", "sext")
_NARROW = (8, 16)
"""Bits of an element."""
_MOST_USERS = 40
"""Of a mask, that are looked at. Chosen, not measured."""
_SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_FORMS = {
    ("zext", "ge"): ("uge", "and", 0),
    ("zext", "gt"): ("uge", "and", 1),
    ("zext", "le"): ("ule", "or", 0),
    ("zext", "lt"): ("ule", "or", -1),
    ("sext", "lt"): ("slt", "and", 0),
    ("sext", "le"): ("slt", "and", 1),
    ("sext", "gt"): ("sgt", "or", 0),
    ("sext", "ge"): ("sgt", "or", -1),
}
"""What extends the elements and how they are compared -> the predicate instead, what is done to elements where the number is
greater (``and``: cleared) or less (``or``: filled) than the type has, and what is added to the number."""


def narrow_uniform_bounds(module: Module, options: Options) -> None:
    """Rewrite the module."""
    changed = False
    for function in module.often_called:
        if any(made.op == "icmp" and _WIDE_COMPARE.search(made.text) for made in function.instructions()):
            changed = _Bounds(function, options.target).run() or changed
    if changed:
        module.declare(DECLARATIONS)


class _Bounds:
    """Comparisons of one function."""

    def __init__(self, function: Function, target: TargetInfo) -> None:
        self._function, self._target = function, target
        self._definitions = function.definitions()
        self._uses = uses_of(function)
        self._fresh = function.fresh_names()
        self._numbers = PreparedNumbers(function, self._fresh)
        self._known: dict[tuple[str, ...], tuple[str, str]] = {}

    def run(self) -> bool:
        """Whether anything was rewritten."""
        unused: set[str] = set()
        for block in self._function.blocks:
            here = {made.name for made in block.instructions if made.name}
            lines: list[Instruction] = []
            for made in block.instructions:
                if made.op == "icmp" and _WIDE_COMPARE.search(made.text):
                    unused |= self._rewrite(made, here, lines)
                lines.append(made)
            block.instructions = lines
        if not unused:
            return False
        self._numbers.write()
        remove_unused(self._function, unused)
        return True

    def _rewrite(self, compare: Instruction, here: set[str], lines: list[Instruction]) -> set[str]:
        """Rewrite a comparison, behind ``lines``, if it is one; the values that it no longer uses."""
        sides, predicate = compare.operands, compare.parts.predicate
        extended = m.made_by(_EXTENSIONS, sides[0].value, self._definitions)
        if extended is None:
            sides = sides[::-1]
            extended = m.made_by(_EXTENSIONS, sides[0].value, self._definitions)
            predicate = predicate[:-2] + _SWAPPED[predicate[-2:]]
        scalar = m.scalar_of_splat(sides[1].value, self._definitions)
        if extended is None or scalar is None or scalar.value[0] != "%" or scalar.value in here:
            return set()
        element = element_of(extended.operands[0].type)
        if integer_bits(element) not in _NARROW or (predicate[0] == "u" and extended.op == "sext"):
            return set()
        if not self._chooses_narrow(compare.name):
            return set()
        numbers = self._bounds(scalar, predicate, extended)
        narrow = extended.operands[0]
        if predicate in ("eq", "ne"):
            logic, becomes = "or", predicate
        else:
            becomes, logic, _ = _FORMS[extended.op, predicate[-2:]]
        others, bound = (self._numbers.splat(number, narrow.type, lines) for number in numbers)
        kept = self._fresh("kept")
        lines.append(Instruction(f"  {kept} = {logic} {narrow.type} {narrow.value}, {others}"))
        compare.text = f"  {compare.name} = icmp {becomes} {narrow.type} {kept}, {bound}"
        return {extended.name, sides[1].value}

    def _chooses_narrow(self, mask: str) -> bool:
        """Whether all that wants a mask is of bytes or of 16-bit numbers."""
        found, work = {mask}, [mask]
        while work:
            for user in self._uses.of(work.pop()):
                if len(found) > _MOST_USERS:
                    return False
                if user.op in ("and", "or", "xor", "select", "freeze") and element_of(user.type) == "i1":
                    if user.name not in found:
                        found.add(user.name)
                        work.append(user.name)
                elif not self._is_narrow(user):
                    return False
        return True

    def _is_narrow(self, user: Instruction) -> bool:
        """Whether what takes a mask makes or stores narrow elements of it."""
        operation = pseudo_operation(user)
        if operation:
            stored = user.operands[0].type if operation == "scatter" else user.type
            return integer_bits(element_of(stored)) in _NARROW
        if user.op not in ("select", *_EXTENSIONS):
            return False
        if integer_bits(element_of(user.type)) in _NARROW:
            return True
        users = self._uses.of(user.name)
        if users and all(each.op == "trunc" and integer_bits(element_of(each.type)) in _NARROW for each in users):
            return True
        return self._target.is_x86 and self._is_summed(user)

    def _is_summed(self, user: Instruction) -> bool:
        """Whether elements are counted or added up in a loop, of which only the total counts: that is done in bytes."""
        if user.op == "zext":
            change = self._uses.single_use(user.name)
        elif user.op == "select":
            change, arms = self._uses.single_use(user.name), user.operands[1:]
            added = next(filter(None, (m.made_by(("add",), each.value, self._definitions) for each in arms)), None)
            if added is not None and any(each.value == other.value for each in added.operands for other in arms):
                change = added
            terms = [*arms, *(change.operands if change is added and change else ())]
            if not any(self._is_element(each) for each in terms):
                return False
        else:
            return False
        if change is None or change.op != "add":
            return False
        phis = [each.value for each in change.operands if m.made_by(("phi",), each.value, self._definitions)]
        return len(phis) == 1 and only_total_counts(self._function, phis[0])

    def _is_element(self, operand: Operand) -> bool:
        """Whether it is a narrow element, extended, or 1."""
        if operand.value[0] != "%":
            return set(integers(operand.type, operand.value) or ()) == {1}
        made = m.made_by(_EXTENSIONS, operand.value, self._definitions)
        return made is not None and integer_bits(element_of(made.operands[0].type)) in _NARROW

    def _bounds(self, scalar: Operand, predicate: str, extended: Instruction) -> tuple[str, str]:
        """What elements are cleared or filled by, and what they are compared with, in the elements' type."""
        element = element_of(extended.operands[0].type)
        key = (scalar.value, predicate, extended.op, element)
        if key not in self._known:
            bits = integer_bits(element)
            span = (0, (1 << bits) - 1) if extended.op == "zext" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
            self._known[key] = self._scalars(scalar.value, predicate, extended.op, span, element)
        return self._known[key]

    def _scalars(self, number: str, predicate: str, extension: str, span: Range, element: str) -> tuple[str, str]:
        low, high = span
        new, nearest = partial(self._numbers.made, number), partial(self._numbers.nearest, number)
        near = number
        if predicate[0] == "u":
            near = new(f"call i32 @llvm.umin.i32(i32 {number}, i32 {high + 1})")
        if predicate in ("eq", "ne"):
            inside = nearest(near, low, high)
            is_other = new(f"icmp ne i32 {inside}, {near}")
            bound, others = new(f"select i1 {is_other}, i32 0, i32 {near}"), new(f"zext i1 {is_other} to {element}")
        else:
            _, logic, more = _FORMS[extension, predicate[-2:]]
            # One of the two bounds may be passed by one, behind the addition.
            is_up = logic == "and"
            near = nearest(near, low - more if is_up else low - 1 - more, high + 1 - more if is_up else high - more)
            if more:
                near = new(f"add i32 {near}, {more}")
            bound = nearest(near, low, high)
            stays = new(f"icmp {'eq' if is_up else 'ne'} i32 {near}, {bound}")
            others = new(f"sext i1 {stays} to {element}")
        return others, new(f"trunc i32 {bound} to {element}")
