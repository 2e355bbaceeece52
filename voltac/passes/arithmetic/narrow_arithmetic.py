"""Arithmetic on bytes and 16-bit numbers in 32 bits -> the same in 16 bits, where nothing is lost.

    %a = zext <8 x i8> %p to <8 x i32>            %b = zext <8 x i8> %q to <8 x i32>
    %sum = add <8 x i32> %a, %b
    %byte = trunc <8 x i32> (lshr %sum, 1) to <8 x i8>
    ->
    %a = zext <8 x i8> %p to <8 x i16> ...        %byte = trunc <8 x i16> (lshr %sum, 1) to <8 x i8>

A program that wants more than eight bits of a sum converts its bytes to ``int``. The lower half of a sum, a difference
or a product depends on the lower halves of the operands only; a quotient, a comparison or the
greater of two depends on all bits, so that there every operand has to lie in a range that 16
bits hold. Of products of such numbers the upper half is at hand too, where they are shifted down that far (``x * 257 >> 16``).
Ranges are those of the elements loaded, carried on by interval arithmetic, through loops that run a known number of times, too
(:mod:`voltac.passes.loops.counted_sums`).
It is done where it takes less work, what has to be extended again being counted; gangs go together
better afterwards (:mod:`voltac.passes.gangs.wide_gangs`). Ranges, choice and rewriting are one file: each asks the others
what a value of the function is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from voltac.ir import match as m
from voltac.ir.constants import integers, written
from voltac.ir.lane_values import lane_values
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import DataLayout, element_of, integer_bits, lanes_of
from voltac.ir.uses import remove_unused, uses_of
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.facts.effects import FunctionEffects, module_effects
from voltac.passes.facts.integer_ranges import Range
from voltac.passes.facts.lane_ranges import LaneRanges
from voltac.passes.loops.counted_sums import counted_sums
from voltac.passes.members.member_groups import joined_loads
from voltac.system.lazy_patterns import lazy_pattern
from voltac.target_info import TargetInfo

_HALF = 16
"""Bits of half a lane of 32."""
_SIGNED: Range = (-(1 << 15), (1 << 15) - 1)
_UNSIGNED: Range = (0, (1 << 16) - 1)
"""The two ways of reading 16 bits."""
_NARROW_LOAD = lazy_pattern(r" = [sz]ext (?:nneg )?<\d+ x i(?:8|16)> .* to <\d+ x i32>")
_NARROW_RESULT = lazy_pattern(r" = [su]rem <\d+ x i32> %[^\s,]+, splat \(i32 \d{1,5}\)")
_INTRINSIC = lazy_pattern(r"@llvm\.(smin|smax|umin|umax|abs)\.v\d+i32$")
_EXTENSIONS = frozenset(("zext", "sext"))
_LOW_BITS = frozenset(("add", "sub", "mul", "and", "or", "xor"))
_BITWISE = frozenset(("and", "or", "xor"))
_REMAINDERS = frozenset(("urem", "srem"))
_DIVISIONS = frozenset(("udiv", "sdiv", *_REMAINDERS))
_EXTREMES = frozenset(("smin", "smax", "umin", "umax"))
_MOST_PARTS = 40
"""Values that are looked at to see which bits of one are wanted. Chosen, not measured."""
_WORK = {"mul": 4, "udiv": 12, "sdiv": 14, "urem": 16, "srem": 18}
"""Half units that an operation on 32 bits takes; others take two. On 16 bits it is half of that or less."""


def narrow_arithmetic(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        if any(
            _NARROW_LOAD.search(instruction.text) or (instruction.op in _REMAINDERS and _NARROW_RESULT.search(instruction.text))
            for instruction in function.instructions()
        ):
            _Narrowing(module, function, layout, options.target).run()


class _Narrowing:
    """Values of one function that 16 bits are enough for."""

    def __init__(self, module: Module, function: Function, layout: DataLayout, target: TargetInfo) -> None:
        self._module = module
        self._function = function
        self._values = lane_values(function, layout)
        self._target = target
        self._definitions = self._values.definitions
        self._uses = uses_of(function)
        self._sums = counted_sums(function, self._definitions)
        """Names of phis of loops -> their ranges, where these are known."""
        self._ranges = LaneRanges(self._definitions, self._sums)
        self._halves: dict[str, str] = {}
        """Names of 32-bit values -> what holds their lower halves."""
        self._factors: dict[str, list[Operand]] = {}
        """Names of products that are shifted down by 16 bits or more -> the two numbers multiplied."""
        self._in_part: set[str] = set()
        """Values of whose lower halves only the lower bits are right, which are those that anything wants."""
        self._fresh = function.fresh_names()

    def run(self) -> None:
        chosen = self._computable()
        self._drop_what_must_stay(chosen)
        accepted: set[str] = set()
        for component in self._components(chosen):
            if self._gain(component) > 0:
                accepted |= component
        if accepted:
            self._rewrite(accepted)
        self._compare_elements()

    # ---- what is known of values --------------------------------------------

    def _fits(self, operand: Operand, within: Range) -> bool:
        low, high = self._ranges.range(operand)
        return within[0] <= low and high <= within[1]

    def _sign(self, *operands: Operand) -> str:
        """``s`` or ``u``: the reading of 16 bits by which all of them are what they are in 32; empty if there is none."""
        if all(self._fits(each, _SIGNED) for each in operands):
            return "s"
        return "u" if all(self._fits(each, _UNSIGNED) for each in operands) else ""

    # ---- what may be narrow -------------------------------------------------

    def _is_leaf(self, operand: Operand) -> bool:
        """Whether its lower half is at hand without arithmetic."""
        if operand.value[0] != "%":
            return integers(operand.type, operand.value) is not None
        extended = m.made_by(_EXTENSIONS, operand.value, self._definitions)
        if extended is not None:
            return integer_bits(element_of(extended.operands[0].type)) in (1, 8, 16)
        if self._is_remainder(operand):
            return True
        return m.scalar_of_splat(operand.value, self._definitions) is not None

    def _is_remainder(self, operand: Operand) -> bool:
        """Whether it is computed in 32 bits, and 16 are enough for it."""
        made = m.made_by(_REMAINDERS, operand.value, self._definitions)
        return made is not None and bool(self._sign(operand)) and not self._is_computable(made)

    def _is_computable(self, made: Instruction) -> bool:
        """Whether the lower half of the result is an operation on the lower halves of the operands."""
        op, operands = made.op, made.operands
        if op in _LOW_BITS:
            return True
        if op == "select":
            return lanes_of(operands[0].type) > 0
        if op == "phi":
            # What an iteration makes of it is chosen later, or it is dropped again.
            return made.name in self._sums and bool(self._sign(Operand(made.type, made.name)))
        if op == "call":
            called = _INTRINSIC.search(made.parts.callee)
            if called is None:
                return False
            if called[1] == "abs":
                return self._fits(operands[0], (_SIGNED[0] + 1, _SIGNED[1]))
            return bool(self._sign(*operands)) if called[1][0] == "s" else all(self._fits(each, _UNSIGNED) for each in operands)
        if op not in ("shl", "lshr", "ashr") and op not in _DIVISIONS:
            return False
        numbers = integers(operands[1].type, operands[1].value) if operands[1].value[0] != "%" else None
        if not numbers:
            return False
        if op in _DIVISIONS:
            divisors = min(numbers) > 0 and max(numbers) <= _SIGNED[1]
            return divisors and bool(self._sign(operands[0]) if op[0] == "s" else self._fits(operands[0], _UNSIGNED))
        if min(numbers) >= _HALF and op != "shl":
            return self._is_high_product(made)
        if not 0 <= min(numbers) <= max(numbers) < _HALF:
            return False
        if op == "shl" or (self._fits(operands[0], _UNSIGNED) if op == "lshr" else bool(self._sign(operands[0]))):
            return True
        part = self._needs_lower_half(made, _HALF - max(numbers))
        self._in_part |= part
        return bool(part)

    def _is_high_product(self, shifted: Instruction) -> bool:
        """Whether the upper half of a product of two 16-bit numbers is shifted down; notes these."""
        product = m.made_by(("mul",), shifted.operands[0].value, self._definitions)
        if product is None:
            return False
        unsigned = all(self._fits(each, _UNSIGNED) for each in product.operands)
        if shifted.op == "ashr":
            tops = [self._ranges.range(each)[1] for each in product.operands]
            unsigned = unsigned and tops[0] * tops[1] < 1 << 31
            if not unsigned and not all(self._fits(each, _SIGNED) for each in product.operands):
                return False
        elif not unsigned:
            return False
        self._factors[shifted.name] = product.operands
        return True

    def _data(self, made: Instruction) -> list[Operand]:
        """The operands that have the type of the result, of a product's upper half its factors."""
        if made.name in self._factors:
            return self._factors[made.name]
        if made.op == "select":
            return made.operands[1:]
        return [each for each in made.operands if each.type == made.type]

    def _needs_lower_half(self, shifted: Instruction, bits: int) -> set[str]:
        """What is shifted down so far and made of that, if only so many bits are wanted, which come from the lower half."""
        found, work = {shifted.name}, [shifted]
        while work:
            for user in self._uses.of(work.pop().name):
                if (user.op == "trunc" and integer_bits(element_of(user.type)) <= bits) or (
                    user.op == "and" and any(_is_below(each, 1 << bits) for each in user.operands)
                ):
                    continue
                if user.op not in (*_LOW_BITS, "select") or len(found) > _MOST_PARTS:
                    return set()
                if user.name not in found:
                    found.add(user.name)
                    work.append(user)
        return found

    def _computable(self) -> set[str]:
        """Values whose lower halves are made of leaves by such operations alone."""
        chosen: set[str] = set()
        for block in self._function.blocks:
            for made in block.instructions:
                # In the order of the text, so that the ranges of operands are known and nothing is deep.
                if " x i32>" not in made.text or not lanes_of(made.type) or element_of(made.type) != "i32":
                    continue
                self._ranges.range(Operand(made.type, made.name))
                if self._is_computable(made) and (
                    made.op == "phi" or all(each.value in chosen or self._is_leaf(each) for each in self._data(made))
                ):
                    chosen.add(made.name)
        return chosen

    def _drop_what_must_stay(self, chosen: set[str]) -> None:
        """Take out what is used with all its bits and does not fit, and what was to be computed from that."""
        work = list(chosen)
        while work:
            name = work.pop()
            if name not in chosen or not self._must_stay(name, chosen):
                continue
            chosen.discard(name)
            made = self._definitions[name]
            work += [each.value for each in self._data(made) if each.value in chosen]
            work += [user.name for user in self._uses.of(name) if user.name in chosen]

    def _must_stay(self, name: str, chosen: set[str]) -> bool:
        made = self._definitions[name]
        if not all(each.value in chosen or self._is_leaf(each) for each in self._data(made)):
            return True
        whole = Operand(made.type, name)
        for user in self._uses.of(name):
            if user.name in chosen or _is_cut(user):
                continue
            if name in self._in_part:
                return True
            if user.op in _EXTENSIONS and self._values.value(made.type, name) is not None:
                # Regular places, of which no lane is computed.
                return True
            if user.op == "add" and self._is_summed(made, user):
                # What the processor multiplies and sums up at once (narrow_sums).
                return True
            if not self._sign(whole):
                return True
        return False

    def _is_summed(self, term: Instruction, user: Instruction) -> bool:
        """Whether a sum in a loop takes a product or a distance, or counts."""
        is_choice = term.op == "select" and all(each.value[0] != "%" for each in term.operands[1:])
        if term.op != "mul" and not is_choice and not (term.op == "call" and "@llvm.abs." in term.text):
            return False
        return any(m.made_by(("phi",), each.value, self._definitions) for each in user.operands)

    # ---- whether it is worth it ---------------------------------------------

    def _components(self, chosen: set[str]) -> Iterator[set[str]]:
        """Values that depend on each other, by masks too."""
        left = set(chosen)
        for first in [name for name in self._definitions if name in chosen]:
            if first not in left:
                continue
            found, work = set(), [first]
            while work:
                name = work.pop()
                if name not in left:
                    continue
                left.discard(name)
                found.add(name)
                work += [each for each in self._neighbours(name) if each in left]
            yield found

    def _neighbours(self, name: str) -> Iterator[str]:
        made = self._definitions[name]
        yield from made.names_used()
        compare = m.made_by(("icmp",), made.operands[0].value, self._definitions) if made.op == "select" else None
        if compare is not None:
            yield from compare.names_used()
        for user in self._uses.of(name):
            yield user.name
            if user.op == "icmp":
                yield from user.names_used()
                yield from (each.name for each in self._uses.of(user.name))

    def _gain(self, component: set[str]) -> int:
        """Work saved, in half units of a vector operation on 32 bits."""
        gain, masks = 0, set[str]()
        leaves: set[str] = set()
        for name in component:
            made = self._definitions[name]
            gain += _WORK.get(made.op, 2) // 2
            leaves.update(each.value for each in self._data(made) if each.value[0] == "%" and each.value not in component)
            gain += 2 * any(map(_is_cut, self._uses.of(name)))
            gain -= self._cost_of_whole(name, component)
            masks.update(self._masks(made, component))
        gain -= 4 * len(masks)
        bytes_or_words = 0
        for name in leaves:
            made = self._definitions[name]
            if made.op in _REMAINDERS:
                # Packed, which takes as long as an operation on 32 bits.
                bytes_or_words += 1
                gain -= 2
                continue
            bits = integer_bits(element_of(made.operands[0].type)) if made.op in _EXTENSIONS else 0
            if bits < 8:
                continue
            bytes_or_words += 1
            if self._is_part_of_pixel(made.operands[0]):
                return 0
            stays = any(self._costs_extension(user, name, component) for user in self._uses.of(name))
            gain += (0 if stays else 2) - (1 if bits == 8 else 0)
        return gain if bytes_or_words else 0

    def _is_part_of_pixel(self, source: Operand) -> bool:
        """Whether it will be cut out of loaded elements of 32 bits, by which 32 bits are as good (wide_elements)."""
        made = m.made_by(("call",), source.value, self._definitions)
        if made is None or pseudo_operation(made) != "gather":
            return False
        address = self._values.of(made.operands[0])
        is_part = address is not None and len(address.offsets) > 1 and address.offsets[1] - address.offsets[0] == 4
        return is_part and made.name not in self._joined

    @cached_property
    def _joined(self) -> set[str]:
        """Loads of members that are computed side by side (join_members): more fit into a register where they are narrow."""
        effects = FunctionEffects(module_effects(self._module), self._function, self._values)
        return joined_loads(self._function, self._values, effects)

    def _masks(self, made: Instruction, component: set[str]) -> Iterator[str]:
        """Masks that have to be made of another size, where they have the size of what was compared."""
        if self._target.has_mask_registers:
            return
        if made.op == "select":
            test = made.operands[0].value
            compare = m.made_by(("icmp",), test, self._definitions)
            if compare is None or not self._is_narrow_comparison(compare, component):
                yield test
        for user in self._uses.of(made.name):
            if user.op == "icmp" and self._is_of_words(user, component):
                yield user.name

    def _is_of_words(self, compare: Instruction, component: set[str]) -> bool:
        """Whether a mask is used for values of 32 bits and more, maybe combined with others."""
        seen, work = set(), [compare.name]
        while work:
            name = work.pop()
            if name in seen:
                continue
            seen.add(name)
            for user in self._uses.of(name):
                if user.op in ("and", "or", "xor") and element_of(user.type) == "i1":
                    work.append(user.name)
                elif user.op in ("select", "zext", "sext") and user.name not in component:
                    if element_of(user.type) not in ("i8", "i16") and not all(map(_is_cut, self._uses.of(user.name))):
                        return True
        return False

    def _cost_of_whole(self, name: str, component: set[str]) -> int:
        """Of the extension of a value: none where products are summed up, which takes their factors as they are."""
        users = [user for user in self._uses.of(name) if self._costs_extension(user, name, component)]
        if not users or name in self._sums:
            # Of a sum once, behind the loop that takes the terms.
            return 0
        if all(user.op == "mul" and any(self._is_summed(user, each) for each in self._uses.of(user.name)) for user in users):
            return -_WORK["mul"] // 2
        return 4

    def _is_needed_whole(self, name: str, component: set[str]) -> bool:
        return any(self._is_foreign(user, name, component) for user in self._uses.of(name))

    def _is_foreign(self, user: Instruction, name: str, component: set[str]) -> bool:
        """Whether it needs all bits of a value."""
        if user.name in component or _is_cut(user):
            return False
        return user.op != "icmp" or not self._is_narrow_comparison(user, component)

    def _costs_extension(self, user: Instruction, name: str, component: set[str]) -> bool:
        """The same, but for comparisons that are made narrow afterwards (uniform_bounds)."""
        if not self._is_foreign(user, name, component):
            return False
        if user.op != "icmp" or not any(m.scalar_of_splat(each.value, self._definitions) for each in user.operands):
            return True
        return self._is_of_words(user, component)

    def _is_narrow_comparison(self, compare: Instruction, component: set[str]) -> bool:
        narrow = all(each.value in component or self._is_leaf(each) for each in compare.operands)
        return narrow and bool(self._comparison_sign(compare))

    def _comparison_sign(self, compare: Instruction) -> str:
        """The reading of 16 bits in which the comparison gives the same."""
        if compare.parts.predicate[0] == "u":
            return "u" if all(self._fits(each, _UNSIGNED) for each in compare.operands) else ""
        return self._sign(*compare.operands)

    # ---- writing ------------------------------------------------------------

    def _rewrite(self, accepted: set[str]) -> None:
        compares = {
            made.name: made
            for made in self._definitions.values()
            if made.op == "icmp"
            and any(each.value in accepted for each in made.operands)
            and self._is_narrow_comparison(made, accepted)
        }
        operands = [each for name in accepted for each in self._data(self._definitions[name])]
        operands += [each for made in compares.values() for each in made.operands]
        leaves = {each.value for each in operands if each.value[0] == "%"} - accepted
        whole = {name for name in accepted if self._is_needed_whole(name, accepted)}
        for name, made in self._definitions.items():
            if name not in accepted and name not in leaves:
                continue
            is_half = made.op in _EXTENSIONS and element_of(made.operands[0].type) == "i16"
            self._halves[name] = made.operands[0].value if is_half else self._fresh("half")
        same: dict[str, str] = {}
        for block in self._function.blocks:
            lines: list[Instruction] = []
            behind: list[Instruction] = []
            for made in block.instructions:
                if made.op != "phi":
                    lines += behind
                    behind = []
                if made.name in accepted:
                    lines += self._upper_half(made) if made.name in self._factors else [self._narrowed(made)]
                    if made.name in whole:
                        (behind if made.op == "phi" else lines).append(self._extended(made))
                elif _is_cut(made) and made.operands[0].value in accepted:
                    half = self._halves[made.operands[0].value]
                    if element_of(made.type) == "i16":
                        same[made.name] = half
                    else:
                        lines.append(Instruction(f"  {made.name} = trunc {_half_type(made.type)} {half} to {made.type}"))
                elif made.name in compares:
                    lines.append(self._compared(made))
                else:
                    lines.append(made)
                    if made.name in leaves:
                        lines += self._leaf(made)
            block.instructions = lines
        self._function.replace_uses(same)
        remove_unused(self._function, leaves)

    def _compare_elements(self) -> None:
        """Compare elements as they were loaded, or bits of them, with each other or with numbers of their type."""
        unused: set[str] = set()
        for block in self._function.blocks:
            lines: list[Instruction] = []
            for made in block.instructions:
                if made.op == "icmp" and element_of(made.operands[0].type) == "i32" and lanes_of(made.type):
                    unused |= self._compared_elements(made, lines)
                lines.append(made)
            block.instructions = lines
        remove_unused(self._function, unused)

    def _compared_elements(self, made: Instruction, lines: list[Instruction]) -> set[str]:
        """Rewrite a comparison, behind ``lines``; what it may have been the last to use."""
        extended = next(filter(None, map(self._extension_of, made.operands)), None)
        if extended is None or integer_bits(element_of(extended.operands[0].type)) not in (8, 16):
            return set()
        if not all(self._is_element(each, extended) for each in made.operands):
            return set()
        values = [self._element(each, extended, lines) for each in made.operands]
        used = {each.value for each in made.operands if each.value[0] == "%"}
        predicate = made.parts.predicate
        if extended.op == "zext" and predicate[0] == "s":
            predicate = "u" + predicate[1:]
        made.text = f"  {made.name} = icmp {predicate} {extended.operands[0].type} {values[0]}, {values[1]}"
        return used

    def _extension_of(self, operand: Operand) -> Instruction | None:
        """What extends the elements that bits are taken from."""
        made = m.made_by((*_EXTENSIONS, *_BITWISE), operand.value, self._definitions)
        while made is not None and made.op in _BITWISE:
            made = m.made_by((*_EXTENSIONS, *_BITWISE), made.operands[0].value, self._definitions)
        return made

    def _is_element(self, operand: Operand, extended: Instruction) -> bool:
        """Whether it is an element, a number or bits of both, whose upper bits are the extension's of its lower ones."""
        if operand.value[0] != "%":
            return bool(integers(operand.type, operand.value)) and self._fits(operand, self._range_of(extended))
        made = m.made_by((*_EXTENSIONS, *_BITWISE), operand.value, self._definitions)
        if made is None:
            return False
        if made.op in _EXTENSIONS:
            return made.op == extended.op and made.operands[0].type == extended.operands[0].type
        alone = len(self._uses.of(made.name)) == 1
        return alone and all(self._is_element(each, extended) for each in made.operands)

    def _range_of(self, extended: Instruction) -> Range:
        return self._ranges.range(Operand(extended.type, extended.name))

    def _element(self, operand: Operand, extended: Instruction, lines: list[Instruction]) -> str:
        """The same in the elements' type."""
        vector = extended.operands[0].type
        if operand.value[0] != "%":
            numbers = integers(operand.type, operand.value)
            assert numbers is not None
            return written(vector, numbers)
        made = self._definitions[operand.value]
        if made.op in _EXTENSIONS:
            return made.operands[0].value
        first, second = (self._element(each, extended, lines) for each in made.operands)
        name = self._fresh("bits")
        lines.append(Instruction(f"  {name} = {made.op} {vector} {first}, {second}"))
        return name

    def _half(self, operand: Operand) -> str:
        if operand.value[0] == "%":
            return self._halves[operand.value]
        numbers = integers(operand.type, operand.value)
        assert numbers is not None
        return written(_half_type(operand.type), numbers)

    def _leaf(self, made: Instruction) -> list[Instruction]:
        """The lower half of an extended or broadcast value."""
        vector, half, source = _half_type(made.type), self._halves[made.name], made.operands[0]
        if made.op in _REMAINDERS:
            return [Instruction(f"  {half} = trunc {made.type} {made.name} to {vector}")]
        if made.op != "shufflevector":
            text = f"  {half} = {made.op} {source.type} {source.value} to {vector}"
            return [] if half == source.value else [Instruction(text)]
        scalar = m.scalar_of_splat(made.name, self._definitions)
        assert scalar is not None
        cut, first = self._fresh("half"), self._fresh("half")
        places = f"<{lanes_of(vector)} x i32> zeroinitializer"
        return [
            Instruction(f"  {cut} = trunc i32 {scalar.value} to i16"),
            Instruction(f"  {first} = insertelement {vector} poison, i16 {cut}, i64 0"),
            Instruction(f"  {half} = shufflevector {vector} {first}, {vector} poison, {places}"),
        ]

    def _extended(self, made: Instruction) -> Instruction:
        extension = "sext" if self._sign(Operand(made.type, made.name)) == "s" else "zext"
        return Instruction(f"  {made.name} = {extension} {_half_type(made.type)} {self._halves[made.name]} to {made.type}")

    def _compared(self, made: Instruction) -> Instruction:
        predicate = made.parts.predicate
        if predicate not in ("eq", "ne"):
            predicate = self._comparison_sign(made) + predicate[1:]
        first, second = map(self._half, made.operands)
        return Instruction(f"  {made.name} = icmp {predicate} {_half_type(made.operands[0].type)} {first}, {second}")

    def _upper_half(self, made: Instruction) -> list[Instruction]:
        """Of a product, as one instruction multiplies, and what it is shifted down beyond that."""
        vector, half, counts = _half_type(made.type), self._halves[made.name], integers(made.type, made.operands[1].value)
        assert counts is not None
        factors = self._factors[made.name]
        unsigned = all(self._fits(each, _UNSIGNED) for each in factors)
        extension = "zext" if unsigned else "sext"
        names = [self._fresh("half") if each.value[0] == "%" else each.value for each in factors]
        lines = [
            Instruction(f"  {name} = {extension} {vector} {self._half(each)} to {made.type}")
            for name, each in zip(names, factors)
            if each.value[0] == "%"
        ]
        product, upper, top = self._fresh("half"), self._fresh("half"), self._fresh("half")
        down = written(made.type, (_HALF,) * lanes_of(made.type))
        is_all = set(counts) == {_HALF}
        lines += [
            Instruction(f"  {product} = mul {made.type} {names[0]}, {names[1]}"),
            Instruction(f"  {upper} = lshr {made.type} {product}, {down}"),
            Instruction(f"  {half if is_all else top} = trunc {made.type} {upper} to {vector}"),
        ]
        if not is_all:
            rest = written(vector, [count - _HALF for count in counts])
            lines.append(Instruction(f"  {half} = {'lshr' if unsigned else 'ashr'} {vector} {top}, {rest}"))
        return lines

    def _narrowed(self, made: Instruction) -> Instruction:
        op, operands = made.op, made.operands
        vector = _half_type(made.type)
        values = [self._half(each) for each in self._data(made)]
        if op == "select":
            text = f"select {operands[0].type} {operands[0].value}, {vector} {values[0]}, {vector} {values[1]}"
        elif op == "phi":
            text = f"phi {vector} " + ", ".join(f"[ {value}, %{label} ]" for value, label in zip(values, made.parts.labels))
        elif op == "call":
            called = _INTRINSIC.search(made.parts.callee)
            assert called is not None
            name = called[1]
            if name in _EXTREMES:
                name = (self._sign(*operands) if name[0] == "s" else "u") + name[1:]
            last = "i1 false" if name == "abs" else f"{vector} {values[1]}"
            text = f"call {vector} @llvm.{name}.v{lanes_of(vector)}i16({vector} {values[0]}, {last})"
        else:
            if op == "ashr":
                op = "ashr" if self._sign(operands[0]) == "s" else "lshr"
            elif op in ("sdiv", "srem"):
                op = self._sign(operands[0]) + op[1:]
            text = f"{op} {vector} {values[0]}, {values[1]}"
        return Instruction(f"  {self._halves[made.name]} = {text}")


def _is_below(operand: Operand, limit: int) -> bool:
    """Whether it is a constant from 0 up to there."""
    numbers = integers(operand.type, operand.value) if operand.value[0] != "%" else None
    return numbers is not None and all(0 <= number < limit for number in numbers)


def _is_cut(user: Instruction) -> bool:
    """Whether it wants lower bits only."""
    return user.op == "trunc" and integer_bits(element_of(user.type)) <= 16


def _half_type(vector: str) -> str:
    return f"<{lanes_of(vector)} x i16>"
