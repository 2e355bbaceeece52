"""A function -> the formula of each of its values over the lanes (``ir/lane_formulas.py``), on demand.

A value without a formula, such as a loaded vector, is None. Scalars always have
one: at worst they are their own symbol.
"""

from __future__ import annotations

from functools import cached_property

from voltac.ir import lane_formulas
from voltac.ir.constants import integers, shuffle_mask, splatted
from voltac.ir.float_quotients import quotient
from voltac.ir.integer_facts import FactFinder
from voltac.ir.lane_formulas import LaneValue, UniformSymbol
from voltac.ir.lane_operations import binary
from voltac.ir.match import scalar_of_splat
from voltac.ir.memo import Memo
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, LANEWISE_INTRINSICS, Operand, parse
from voltac.ir.scan import split_list
from voltac.ir.types import DataLayout, array_parts, element_of, integer_bits, lanes_of

_LANEWISE = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "freeze", "icmp", "fcmp", "select"))
_MOST_GUESSES = 3
"""Loops that depend on each other deeper than this are not followed."""


def lane_values(function: Function, layout: DataLayout) -> LaneValues:
    """The analysis of a function as it is now, with what those that asked before found out, and changed nothing since."""
    return function.remembered((LaneValues, layout.pointer_bytes), lambda: LaneValues(function, layout))


class LaneValues:
    """The analysis of one function. Rewriting the function by values that are equal keeps it valid."""

    def __init__(
        self,
        function: Function,
        layout: DataLayout,
        subset: tuple[int, ...] = (),
        definitions: dict[str, Instruction] | None = None,
    ) -> None:
        """``subset``: look at these lanes only; what holds for them need not hold for all."""
        self.subset = subset
        self.function = function
        self.definitions = function.definitions() if definitions is None else definitions
        self.layout = layout
        self.pointer_bits = layout.pointer_bytes * 8
        self.parameter_types = {parameter.name: parameter.type for parameter in function.parameters}
        self.memo = Memo()
        self._symbols: dict[tuple[str, str], LaneValue] = {}
        """Values as symbols of their own; one object for each, which look-ups know again without a comparison."""
        self._guesses = 0
        """Guesses being tried, one inside the other."""

    @property
    def facts(self) -> FactFinder:
        """What is known of symbols. Not kept: two objects that hold each other would live on until Python looks for such."""
        return FactFinder(self)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.definitions)}

    def for_lanes(self, subset: tuple[int, ...]) -> LaneValues:
        """The same analysis of some lanes only, of the function as it was when this one began."""
        return LaneValues(self.function, self.layout, subset, self.definitions)

    def of(self, operand: Operand) -> LaneValue | None:
        """The formula of an operand of integer or pointer type; None for other types and for irregular vectors."""
        return self.value(operand.type, operand.value)

    def value(self, type_text: str, value: str) -> LaneValue | None:
        """The formula of a vector of integers or pointers, by its type and name or constant; None if it has none."""
        memo = self.memo
        if value in memo.answers and value not in memo.rests_on:
            known_formula: LaneValue | None = memo.answers[value]
            return known_formula
        bits = self.bits_of(type_text)
        if not bits:
            return None
        if value[0] == "%":
            found: LaneValue | None = memo.answer(value, None, lambda: self._compute(value, type_text, bits))
            return found
        known = integers(type_text, value)
        if known is not None:
            if self.subset and len(known) > 1:
                known = tuple(known[lane] for lane in self.subset if lane < len(known))
            return lane_formulas.constant(bits, known)
        if element_of(type_text) == "ptr":
            return self._constant_pointer(type_text, value)
        return None

    def bits_of(self, type_text: str) -> int:
        """Of an integer or pointer, or of a vector's lanes; 0 for any other type."""
        element = element_of(type_text)
        return self.pointer_bits if element == "ptr" else integer_bits(element)

    def scalar(self, type_text: str, value: str) -> LaneValue:
        """The formula of a scalar integer or pointer; it always has one."""
        found = self.value(type_text, value)
        return found if found is not None else self.symbol_of(type_text, value)

    def count_of(self, type_text: str) -> int:
        """Lanes of a vector type that are looked at, 0 for a scalar."""
        count = lanes_of(type_text)
        return len(self.subset) if self.subset and count else count

    @property
    def first_lane(self) -> int:
        """The lane that the symbols of kind ``lane`` stand for."""
        return self.subset[0] if self.subset else 0

    def symbol_of(self, type_text: str, name: str) -> LaneValue:
        """The value as a symbol of its own: for a scalar, or for a vector whose lanes are all equal."""
        if (type_text, name) not in self._symbols:
            count = self.count_of(type_text)
            bits = self.bits_of(type_text)
            kind = "lane" if count else "pointer" if type_text == "ptr" else "value"
            self._symbols[type_text, name] = LaneValue(bits, {UniformSymbol(kind, name, bits): 1}, (0,) * max(1, count))
        return self._symbols[type_text, name]

    def is_uniform(self, operand: Operand) -> bool:
        """Whether all lanes are equal; of any type. Scalars are."""
        count = lanes_of(operand.type)
        if not count:
            return True
        if operand.value[0] != "%":
            return operand.value.startswith(("splat (", "zeroinitializer", "poison", "undef")) or self._equal_constants(operand)
        found = self.of(operand)
        if found is not None:
            return found.is_uniform
        name = operand.value
        return bool(self.memo.answer(("uniform", name), False, lambda: self._computes_uniform(name)))

    # ---- instructions -------------------------------------------------------

    def _compute(self, name: str, type_text: str, bits: int) -> LaneValue | None:
        instruction = self.definitions.get(name)
        count = self.count_of(type_text)
        found = None if instruction is None else self._formula(instruction, bits, max(1, count))
        if found is None:
            if not count or self._computes_uniform(name):
                return self.symbol_of(type_text, name)
        elif bits < self.pointer_bits and not found.signed and not found.unsigned:
            # The sum may wrap and then cannot be extended; the value as a whole can.
            if found.is_uniform:
                return self.symbol_of(type_text, name)
            return lane_formulas.wrapped_together(found, self.symbol_of(type_text, name), self.facts) or found
        return found

    def _formula(self, instruction: Instruction, bits: int, count: int) -> LaneValue | None:
        op, parts = instruction.op, instruction.parts
        if parts.unknown:
            return None
        if op in BINARY:
            return self._binary(instruction)
        if op in ("sext", "zext", "trunc"):
            return self._resized(instruction, bits)
        if op in ("freeze", "bitcast", "ptrtoint", "inttoptr"):
            same_lanes = lanes_of(parts.operands[0].type) == lanes_of(instruction.type)
            same_size = self.bits_of(parts.operands[0].type) == bits
            return self.of(parts.operands[0]) if same_lanes and same_size else None
        if op == "getelementptr":
            return self._address(parts.element_type, parts.operands, count)
        if op == "insertelement":
            return self._inserted(instruction, count)
        if op == "shufflevector":
            return self._shuffled(instruction, count)
        if op == "extractelement":
            return self._extracted(instruction)
        if op == "fptosi":
            return self._quotient(instruction)
        if op == "phi" and count > 1:
            return self._common_shape(instruction, parts.operands)
        if op == "select" and count > 1 and self.is_uniform(parts.operands[0]):
            return self._common_shape(instruction, parts.operands[1:])
        return None

    def _binary(self, instruction: Instruction) -> LaneValue | None:
        op, parts = instruction.op, instruction.parts
        is_vector = lanes_of(instruction.type) > 0
        if not is_vector and op not in ("add", "sub", "or") and all(operand.value[0] == "%" for operand in parts.operands):
            return None
        first, second = (self.of(operand) for operand in parts.operands)
        if first is None or second is None:
            return None
        whole = self.symbol_of(instruction.type, instruction.name) if is_vector else None
        return binary(op, parts.flags, first, second, whole, self.facts)

    def _quotient(self, instruction: Instruction) -> LaneValue | None:
        """Of integers divided in floating point."""
        found = quotient(instruction.name, self.definitions)
        dividend = self.of(found[0]) if found is not None else None
        if found is None or dividend is None or found[0].type != instruction.type:
            return None
        divisor = self.scalar(found[1].type, found[1].value)
        whole = self.symbol_of(instruction.type, instruction.name)
        return binary("sdiv", (), dividend, divisor, whole, self.facts)

    def _resized(self, instruction: Instruction, bits: int) -> LaneValue | None:
        op, parts = instruction.op, instruction.parts
        operand = parts.operands[0]
        inner = self.of(operand)
        if inner is None:
            return None
        if op == "trunc":
            return lane_formulas.truncate(inner, bits, self.facts, parts.flags)
        if not inner.terms:
            return lane_formulas.constant(
                bits, tuple(lane_formulas.extended_number(number, op, inner.bits) for number in inner.offsets)
            )
        found = self._extended(inner, op, bits, "nneg" in parts.flags)
        if found is None and inner.is_uniform:
            # The sum may wrap, but then the value as a whole is a symbol.
            found = self._extended(self.symbol_of(operand.type, operand.value), op, bits, "nneg" in parts.flags)
        return found

    def _extended(self, inner: LaneValue, op: str, bits: int, nonnegative: bool) -> LaneValue | None:
        if op == "sext":
            return lane_formulas.sign_extend(inner, bits, self.facts)
        return lane_formulas.zero_extend(inner, bits, self.facts, nonnegative)

    def _inserted(self, instruction: Instruction, count: int) -> LaneValue | None:
        """``insertelement poison, x, 0``: lane 0 of a splat to come; the other lanes may be anything."""
        vector, element, _ = instruction.operands
        if vector.value not in ("poison", "undef"):
            return None
        return self.scalar(element.type, element.value).splat(count)

    def _shuffled(self, instruction: Instruction, count: int) -> LaneValue | None:
        parts = instruction.parts
        mask = shuffle_mask(parts.mask, lanes_of(parts.type))
        source = lanes_of(parts.operands[0].type)
        if mask is None:
            return None
        if self.subset:
            # Which lanes another vector has there is known of splats only.
            scalar = scalar_of_splat(instruction.name, self.definitions)
            return None if scalar is None else self.scalar(scalar.type, scalar.value).splat(count)
        if max(mask) >= source:
            if any(0 <= lane < source for lane in mask):
                return None
            mask = tuple(lane - source if lane >= 0 else lane for lane in mask)
            operand = parts.operands[1]
        else:
            operand = parts.operands[0]
        found = self.of(operand)
        return None if found is None else found.select_lanes([max(0, lane) for lane in mask])

    def _extracted(self, instruction: Instruction) -> LaneValue | None:
        vector, index = instruction.operands
        found = None if self.subset else self.of(vector)
        if found is None:
            return None
        if found.is_uniform:
            return found.first()
        lane = integers(index.type, index.value)
        if lane is None or not 0 <= lane[0] < len(found.offsets):
            return None
        return found.select_lanes([lane[0]])

    def _common_shape(self, instruction: Instruction, operands: list[Operand]) -> LaneValue | None:
        """A phi or select whose incoming values differ from lane 0 by the same constants.

        For a phi of a loop the shape that enters is assumed and then proved for what comes back.
        """
        name = instruction.name
        if self._guesses >= _MOST_GUESSES:
            self.memo.limit()
            return None
        self._guesses += 1
        found = self._proved_shape(name, self.bits_of(instruction.type), operands)
        self._guesses -= 1
        return found

    def _proved_shape(self, name: str, bits: int, operands: list[Operand]) -> LaneValue | None:
        place = self._positions[name]
        # Constants and what is defined before come first: they do not rest on this value.
        operands = sorted(operands, key=lambda operand: self._positions.get(operand.value, -1) >= place)
        shape: tuple[int, ...] | None = None
        for operand in operands:
            incoming = self.of(operand)
            if incoming is not None:
                shape = tuple(offset - incoming.offsets[0] for offset in incoming.offsets)
                break
        if shape is None:
            return None
        own = UniformSymbol("lane", name, bits)
        signed = unsigned = True
        while True:
            guess = LaneValue(bits, {own: 1}, shape, signed, unsigned)
            self.memo.guess(name, guess)
            proved_signed = proved_unsigned = True
            for operand in operands:
                incoming = self.of(operand)
                if incoming is None:
                    return None
                steps = tuple(offset - incoming.offsets[0] for offset in incoming.offsets)
                if any(lane_formulas.wrap(step - expected, bits) for step, expected in zip(steps, shape)):
                    return None
                proved_signed &= incoming.signed and steps == shape
                proved_unsigned &= incoming.unsigned and steps == shape
            if (proved_signed or not signed) and (proved_unsigned or not unsigned):
                # Formulas stay; facts of the phi may be known better now that its steps have formulas.
                self.memo.prove(name, lambda key: isinstance(key, str))
                return guess
            signed, unsigned = signed and proved_signed, unsigned and proved_unsigned

    def _computes_uniform(self, name: str) -> bool:
        """All lanes equal because all operands are; a gather from one address too."""
        instruction = self.definitions.get(name)
        if instruction is None:
            return False
        op, parts = instruction.op, instruction.parts
        if op in _LANEWISE:
            return all(self.is_uniform(operand) for operand in parts.operands)
        if op == "call":
            if parts.callee.startswith("@llvm."):
                family = parts.callee.split(".", 2)[1]
                return family in LANEWISE_INTRINSICS and all(self.is_uniform(operand) for operand in parts.operands)
            return parts.callee.startswith("@volta.gather.") and self.is_uniform(parts.operands[0])
        if op == "shufflevector":
            mask = shuffle_mask(parts.mask, lanes_of(parts.type))
            return mask is not None and len({lane for lane in mask if lane >= 0}) == 1
        return False

    def _equal_constants(self, operand: Operand) -> bool:
        if not operand.value.startswith("<"):
            return False
        return len(set(split_list(operand.value[1:-1]))) == 1

    # ---- addresses ----------------------------------------------------------

    def _address(self, element_type: str, operands: list[Operand], count: int) -> LaneValue | None:
        address = self.of(operands[0])
        if address is None:
            return None
        if len(address.offsets) < count:
            address = address.splat(count)
        current = ""
        for position, operand in enumerate(operands[1:]):
            if position == 0:
                current = element_type
                step = self.layout.size(current)
            else:
                body = self.layout.resolve(current)
                array = array_parts(body)
                if array is not None:
                    current = array[1]
                    step = self.layout.size(current)
                elif lanes_of(body):
                    current = element_of(body)
                    step = self.layout.size(current)
                else:
                    number = integers(operand.type, operand.value)
                    if number is None:
                        return None
                    offset = lane_formulas.constant(self.pointer_bits, (self.layout.member_offset(body, number[0]),) * count)
                    address = lane_formulas.add(address, offset, (), self.facts)
                    current = self.layout.members(body)[0][number[0]]
                    continue
            index = self._index(operand)
            if index is None:
                return None
            if len(index.offsets) < count:
                index = index.splat(count)
            address = lane_formulas.add(address, lane_formulas.scale(index, step, (), self.facts), (), self.facts)
        return address

    def _index(self, operand: Operand) -> LaneValue | None:
        """An index as a number of pointer size: getelementptr extends with the sign, or truncates."""
        index = self.of(operand)
        if index is None:
            return None
        if index.bits < self.pointer_bits:
            extended = lane_formulas.sign_extend(index, self.pointer_bits, self.facts)
            if extended is None and index.is_uniform and operand.value[0] == "%":
                symbol = self.symbol_of(operand.type, operand.value)
                extended = lane_formulas.sign_extend(symbol, self.pointer_bits, self.facts)
            return extended
        if index.bits > self.pointer_bits:
            return lane_formulas.truncate(index, self.pointer_bits, self.facts, ())
        return index

    def _constant_pointer(self, type_text: str, value: str) -> LaneValue | None:
        count = max(1, lanes_of(type_text))
        if (scalar := splatted(value)) is not None:
            value = scalar.value
        elif count > 1:
            return None
        if value[0] == "@":
            return LaneValue(self.pointer_bits, {UniformSymbol("pointer", value, self.pointer_bits): 1}, (0,) * count)
        if value.startswith("getelementptr"):
            flags, _, inside = value.partition("(")
            inner = parse(f"{flags}{inside[:-1]}")
            found = None if inner.unknown else self._address(inner.element_type, inner.operands, 1)
            return None if found is None else found.splat(count)
        return None
