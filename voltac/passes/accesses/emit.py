"""Writing the instructions that replace accesses: scalar addresses from formulas, masks, shuffles.

Everything written for one block shares what was written before it in that block, so it is written by one class.
"""

from __future__ import annotations

from functools import cached_property

from voltac.ir.cfg import control_flow
from voltac.ir.constants import integers
from voltac.ir.lane_formulas import LaneValue, UniformSymbol
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import made_by, scalar_of_splat
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, Operand, Parts
from voltac.ir.pseudo_operations import suffix
from voltac.ir.types import element_of, lanes_of
from voltac.ir.uses import Uses, uses_of
from voltac.passes.accesses.lane_words import HALF, LaneWord, without_uniform, word_of_lane

NOWHERE = "@volta.nowhere"
NOWHERE_BYTES = 32
"""As much as loads of four neighbouring elements read there for lanes that are off."""
_NOWHERE_LINE = f"{NOWHERE} = internal unnamed_addr constant [{NOWHERE_BYTES} x i8] zeroinitializer, align 16"


class Emitter:
    """Collects new instructions for one function."""

    def __init__(self, module: Module, function: Function, values: LaneValues) -> None:
        self.module = module
        self.function = function
        self.values = values
        self.fresh = function.fresh_names()
        self.output: list[Instruction] = []
        self.attachment = ""
        """Appended to what is written, such as ``, !dbg !7``."""
        self.declarations: set[str] = set()
        self.at_end: dict[str, list[Instruction]] = {}
        """Block -> instructions to go before its terminator."""
        self.new_phis: dict[str, list[Instruction]] = {}
        self.renamed: dict[str, str] = {}
        self._written: dict[object, str] = {}
        self._twins: dict[str, str] = {}
        """Vector phi -> the scalar phi of its lane 0."""
        self._depths: dict[str, int] | None = None
        self._block_of: dict[str, str] = {}
        self.lane_loads: dict[str, list[str]] = {}
        """Loaded vector -> its lanes, where they were loaded one by one as well; of this block."""
        self.same: dict[str, str] = {}
        """A value -> the earlier one it is equal to."""
        self.takes_words = False
        """Whether lanes of indices leave vectors two at a time (:mod:`voltac.passes.accesses.lane_words`)."""
        self.uses_nowhere = False
        self._discard, self._discarded = "", 16
        self._for_lanes: dict[tuple[int, ...], Emitter] = {}

    @cached_property
    def uses(self) -> Uses:
        """Of the values of the function as it was when first asked for."""
        return uses_of(self.function)

    def begin_block(self) -> None:
        """What was written for blocks before is not taken again: they need not dominate this one."""
        self.output = []
        self._written = {}
        self.lane_loads = {}
        for other in self._for_lanes.values():
            other._written = {}

    def for_lanes(self, values: LaneValues) -> Emitter:
        """Writes to the same places what is computed from formulas of some of the lanes."""
        other = self._for_lanes.get(values.subset)
        if other is None:
            other = Emitter(self.module, self.function, values)
            other.fresh, other.declarations = self.fresh, self.declarations
            other.at_end, other.new_phis, other.renamed = self.at_end, self.new_phis, self.renamed
            other.takes_words = self.takes_words
            self._for_lanes[values.subset] = other
        other.output, other.attachment = self.output, self.attachment
        return other

    # ---- plain instructions -------------------------------------------------

    def line(self, text: str) -> None:
        """An instruction as it stands, with the debug place of what it replaces."""
        self.output.append(Instruction(f"  {text}{self.attachment}"))

    def value(self, stem: str, text: str) -> str:
        """A new value; what was written before in this block is taken again."""
        known = self._written.get(text)
        if known is not None:
            return known
        name = self.fresh(stem)
        self.line(f"{name} = {text}")
        self._written[text] = name
        return name

    def load(self, stem: str, text: str) -> str:
        """A new value that must not be shared by its text, because memory may have changed."""
        name = self.fresh(stem)
        self.line(f"{name} = {text}")
        return name

    def forget_loads(self) -> None:
        """Memory may have changed."""
        for text in [each for each in self._written if isinstance(each, str) and each.startswith("load ")]:
            del self._written[text]

    def define(self, name: str, text: str) -> None:
        """An instruction under the name of the one that it replaces."""
        self.line(f"{name} = {text}")

    def call(self, declaration: str, arguments: str, name: str = "") -> None:
        """A call of an intrinsic, given its ``declare`` line without the word."""
        self.declarations.add(declaration)
        result, _, rest = declaration.partition(" @")
        target = f"{name} = " if name else ""
        self.line(f"{target}call {result} @{rest[: rest.index('(')]}({arguments})")

    def masked_load(self, stem: str, element: str, lanes: int, size: int, pointer: str, mask: str, name: str = "") -> str:
        """Off lanes read as zero rather than poison: a program may compare them and test the mask of the result."""
        name = name or self.fresh(stem)
        vector, bits = f"<{lanes} x {element}>", f"<{lanes} x i1>"
        intrinsic = f"{vector} @llvm.masked.load.{_intrinsic_suffix(element, lanes)}.p0(ptr, {bits}, {vector})"
        self.call(intrinsic, f"ptr align {size} {pointer}, {bits} {mask}, {vector} zeroinitializer", name)
        return name

    def masked_store(self, value: str, element: str, lanes: int, size: int, pointer: str, mask: str) -> None:
        """A vector store that leaves the memory of lanes that are off alone."""
        vector, bits = f"<{lanes} x {element}>", f"<{lanes} x i1>"
        intrinsic = f"void @llvm.masked.store.{_intrinsic_suffix(element, lanes)}.p0({vector}, ptr, {bits})"
        self.call(intrinsic, f"{vector} {value}, ptr align {size} {pointer}, {bits} {mask}")

    # ---- addresses ----------------------------------------------------------

    def address(self, address: LaneValue, offset: int, element: str, size: int) -> str:
        """Pointer to ``offset`` bytes from the uniform part of a formula."""
        key = ("address", address.key, size)
        base = self._written.get(key)
        if base is None:
            base = self._base(address, element, size)
            self._written[key] = base
        if not offset:
            return base
        if offset % size == 0:
            return self.value("near", f"getelementptr {element}, ptr {base}, i64 {offset // size}")
        return self.value("near", f"getelementptr i8, ptr {base}, i64 {offset}")

    def _base(self, address: LaneValue, element: str, size: int) -> str:
        """The pointer, then the terms that vary least first, so that outer loops can keep what they know."""
        pointer = next(symbol for symbol in address.terms if symbol.kind == "pointer")
        base = pointer.name
        rest = [(symbol, factor) for symbol, factor in address.terms.items() if symbol is not pointer]
        if len(rest) > 1:
            rest.sort(key=lambda item: self._depth(item[0]))
        for symbol, factor in rest:
            index = self.scalar(symbol)
            type_text = f"i{symbol.bits}"
            if factor % size == 0:
                unit, factor = element, factor // size
            else:
                unit = "i8"
            if factor != 1:
                index = self.value("scaled", f"mul {type_text} {index}, {factor}")
            base = self.value("address", f"getelementptr {unit}, ptr {base}, {type_text} {index}")
        return base

    def _depth(self, symbol: UniformSymbol) -> int:
        """Loops around the definition of a symbol."""
        while symbol.inner is not None:
            symbol = symbol.inner
        if self._depths is None:
            flow = control_flow(self.function)
            self._depths = {name: loop.depth for name, loop in flow.loop_of.items()}
            for block in self.function.blocks:
                for instruction in block.instructions:
                    self._block_of[instruction.name] = block.name
        return self._depths.get(self._block_of.get(symbol.name, ""), 0)

    def scalar(self, symbol: UniformSymbol) -> str:
        """The value of a symbol."""
        if symbol.kind in ("value", "pointer"):
            return symbol.name
        if symbol.kind == "lane":
            return self._lane_zero(symbol.name)
        inner = symbol.inner
        assert inner is not None
        source = self.scalar(inner)
        if symbol.kind in ("sext", "zext", "trunc"):
            return self.value("wide", f"{symbol.kind} i{inner.bits} {source} to i{symbol.bits}")
        divisor = symbol.divisor
        unsigned = symbol.kind == "unsigned_quotient"
        if divisor & (divisor - 1) == 0:
            shift = "lshr" if unsigned else "ashr"
            return self.value("part", f"{shift} exact i{symbol.bits} {source}, {divisor.bit_length() - 1}")
        return self.value("part", f"{'udiv' if unsigned else 'sdiv'} exact i{symbol.bits} {source}, {divisor}")

    def sum(self, formula: LaneValue) -> str:
        """Lane 0 of a formula as a scalar, or a constant."""
        total = ""
        type_text = f"i{formula.bits}"
        for symbol, factor in formula.terms.items():
            part = self.scalar(symbol)
            if factor != 1:
                part = self.value("scaled", f"mul {type_text} {part}, {factor}")
            total = self.value("sum", f"add {type_text} {total}, {part}") if total else part
        offset = formula.offsets[0]
        if not total:
            return str(offset)
        return self.value("sum", f"add {type_text} {total}, {offset}") if offset else total

    def _lane_zero(self, name: str) -> str:
        """Lane 0 of a vector, computed on scalars where its instruction allows that."""
        known = self._written.get(("lane", name)) or self._twins.get(name)
        if known is not None:
            return known
        instruction = self.values.definitions.get(name)
        result = ""
        if instruction is not None:
            if instruction.op == "phi":
                return self._twin(instruction)
            result = self._on_scalars(instruction.parts)
        if not result:
            result = self.lane(self._type_of(name), name, self.values.first_lane)
        self._written["lane", name] = result
        return result

    def _type_of(self, name: str) -> str:
        instruction = self.values.definitions.get(name)
        return self.values.parameter_types[name] if instruction is None else instruction.type

    def _on_scalars(self, parts: Parts) -> str:
        flags = "".join(f"{flag} " for flag in parts.flags)
        element = element_of(parts.type)
        if parts.op in BINARY:
            first, second = (self._operand(operand) for operand in parts.operands)
            return self.value("lane", f"{parts.op} {flags}{element} {first}, {second}")
        if parts.op in CASTS and lanes_of(parts.operands[0].type) == lanes_of(parts.type):
            operand = parts.operands[0]
            return self.value("lane", f"{parts.op} {flags}{element_of(operand.type)} {self._operand(operand)} to {element}")
        if parts.op == "select":
            condition, first, second = (self._operand(operand) for operand in parts.operands)
            return self.value("lane", f"select i1 {condition}, {element} {first}, {element} {second}")
        return ""

    def _operand(self, operand: Operand) -> str:
        """Lane 0 of any operand."""
        if not lanes_of(operand.type):
            return operand.value
        if operand.value[0] == "%":
            formula = self.values.of(operand)
            if formula is not None and not any(self._is_pointer(symbol) for symbol in formula.terms):
                return self.sum(formula.first())
            return self._lane_zero(operand.value)
        return self.lane(operand.type, operand.value, self.values.first_lane)

    def _is_pointer(self, symbol: UniformSymbol) -> bool:
        """A formula counts a pointer and its number as one symbol; instructions do not."""
        while symbol.inner is not None:
            symbol = symbol.inner
        return symbol.kind == "pointer" or (symbol.kind == "lane" and element_of(self._type_of(symbol.name)) == "ptr")

    def _twin(self, phi: Instruction) -> str:
        """A scalar phi that follows lane 0 of a vector phi."""
        name = self.fresh(phi.name[1:].strip('"') + ".first")
        self._twins[phi.name] = name
        home = next(block for block in self.function.blocks if any(each is phi for each in block.instructions))
        lanes: dict[str, str] = {}
        for operand, label in zip(phi.operands, phi.parts.labels):
            if label in lanes:
                continue  # both ways of a branch, or several of a switch, lead here: one value for all
            saved = self.output, self._written, self.attachment
            self.output, self._written, self.attachment = self.at_end.setdefault(label, []), {}, ""
            lanes[label] = self._operand(operand)
            self.output, self._written, self.attachment = saved
        incoming = ", ".join(f"[ {lanes[label]}, %{label} ]" for label in phi.parts.labels)
        line = Instruction(f"  {name} = phi {element_of(phi.type)} {incoming}")
        self.new_phis.setdefault(home.name, []).append(line)
        return name

    # ---- vectors ------------------------------------------------------------

    def splat(self, name: str, element: str, lanes: int, scalar: str) -> None:
        """Define a vector whose lanes are all one scalar."""
        one = self.load("one", f"insertelement <{lanes} x {element}> poison, {element} {scalar}, i64 0")
        self.define(
            name, f"shufflevector <{lanes} x {element}> {one}, <{lanes} x {element}> poison, <{lanes} x i32> zeroinitializer"
        )

    def shuffle(self, type_text: str, first: str, second: str, mask: list[int], name: str = "") -> str:
        """A constant shuffle; -1 is a lane that may be anything."""
        text = shuffle_text(type_text, first, second, mask)
        if name:
            self.define(name, text)
            return name
        return self.value("mixed", text)

    def mask_of(self, mask: str, lanes: int, wanted: list[list[int]]) -> str:
        """A mask of other lanes: each is on if any of the lanes wanted for it is on."""
        type_text = f"<{lanes} x i1>"
        depth = max(len(each) for each in wanted)
        result = ""
        for number in range(depth):
            chosen = [each[number] if number < len(each) else lanes for each in wanted]
            if chosen == list(range(lanes)):
                picked = mask
            else:
                picked = self.value("picked", shuffle_text(type_text, mask, "zeroinitializer", chosen))
            result = self.value("picked", f"or <{len(wanted)} x i1> {result}, {picked}") if result else picked
        return result

    def lane(self, type_text: str, vector: str, lane: int) -> str:
        """One lane of a vector; computed on scalars where it comes from lanes that were loaded one by one."""
        if self.lane_loads and lane_source(vector, self.values, self.same) in self.lane_loads:
            return self._lane_on_scalars(type_text, vector, lane)
        return self.value("lane", f"extractelement {type_text} {vector}, i64 {lane}")

    def _lane_on_scalars(self, type_text: str, vector: str, lane: int) -> str:
        loaded = self.lane_loads.get(self.same.get(vector, vector))
        if loaded is not None:
            return loaded[lane]
        constant = integers(type_text, vector)
        if constant is not None:
            return str(constant[lane])
        scalar = scalar_of_splat(vector, self.values.definitions)
        if scalar is not None:
            return scalar.value
        parts = self.values.definitions[vector].parts
        operands = [self._lane_on_scalars(operand.type, operand.value, lane) for operand in parts.operands]
        flags = "".join(f"{flag} " for flag in parts.flags)
        if parts.op in CASTS:
            source = element_of(parts.operands[0].type)
            return self.value("lane", f"{parts.op} {flags}{source} {operands[0]} to {element_of(type_text)}")
        return self.value("lane", f"{parts.op} {flags}{element_of(type_text)} {', '.join(operands)}")

    def load_lanes(self, name: str, address: LaneValue, element: str, size: int) -> None:
        """Load every lane of consecutive elements by itself too, for addresses that need them as scalars."""
        pointers = [self.address(address, offset, element, size) for offset in address.offsets]
        self.lane_loads[name] = [self.load("lane", f"load {element}, ptr {each}, align {size}") for each in pointers]

    def lane_pointer(self, type_text: str, vector: str, lane: int) -> str:
        """One lane of a vector of pointers, its address computed from the same lane of the indices.

        A 32-bit lane of an index and an addressing mode are cheaper than a lane of 64-bit sums.
        """
        instruction = made_by(("getelementptr",), vector, self.values.definitions)
        if instruction is None:
            return self.lane(type_text, vector, lane)
        written = self._written.get(("pointer", vector, lane))
        if written is None:
            parts = instruction.parts
            base, *indices = parts.operands
            pointer = self.lane_pointer(base.type, base.value, lane) if lanes_of(base.type) else base.value
            flags = "".join(f"{flag} " for flag in parts.flags)
            extended = made_by(("sext", "zext"), indices[0].value, self.values.definitions) if indices else None
            if extended is not None and lanes_of(extended.type):
                extended, scalars = without_uniform(extended, self.values)
                for each in scalars:
                    # A place for all lanes, from which each has its own distance: LLVM takes it out of loops.
                    wide = self.value("row", f"{extended.op} {each.type} {each.value} to i64")
                    pointer, flags = self.value("row", f"getelementptr {parts.element_type}, ptr {pointer}, i64 {wide}"), ""
            made = [self._index_lane(each, lane, extended if each is indices[0] else None) for each in indices]
            texts = [f"{element_of(each.type)} {text}" for each, text in zip(indices, made)]
            written = self.value("place", f"getelementptr {flags}{parts.element_type}, ptr {pointer}, {', '.join(texts)}")
            self._written["pointer", vector, lane] = written
        return written

    def _index_lane(self, index: Operand, lane: int, extended: Instruction | None) -> str:
        if not lanes_of(index.type):
            return index.value
        instruction = extended or made_by(("sext", "zext"), index.value, self.values.definitions)
        if instruction is not None:
            source = instruction.operands[0]
            is_loaded = self.lane_loads and lane_source(source.value, self.values, self.same) in self.lane_loads
            may_share = self.takes_words and element_of(index.type) == "i64" and not is_loaded
            word = word_of_lane(instruction, lane, self.values) if may_share else None
            if word is not None:
                made = self._cut_out(word)
                return self.value("index", f"add i64 {made}, {word.added}") if word.added else made
            narrow = self.lane(source.type, source.value, lane)
            return self.value("index", f"{instruction.op} {element_of(source.type)} {narrow} to {element_of(index.type)}")
        return self.lane(index.type, index.value, lane)

    def _cut_out(self, word: LaneWord) -> str:
        """A lane, extended to 64 bits, out of a word that it shares. LLVM must not see that: it would take each lane out of the
        vector again, and LLVM 22 leaves out the ``and`` where it knows minima to be small."""
        doubles = f"<{word.words} x double>"
        vector = self.value("words", f"bitcast {word.source.type} {word.source.value} to {doubles}")
        made = self.value("word", f"extractelement {doubles} {vector}, i64 {word.lane // 2}")
        fenced = self._written.get(("fenced", made))
        if fenced is None:
            fenced = self._written["fenced", made] = self.fresh("fenced")
            self.call("double @llvm.arithmetic.fence.f64(double)", f"double {made}", fenced)
        made = self.value("word", f"bitcast double {fenced} to i64")
        if word.lane % 2:
            return self.value("index", f"{'ashr' if word.extension == 'sext' else 'lshr'} i64 {made}, {HALF}")
        low = self.value("low", f"trunc i64 {made} to i{HALF}")
        return self.value("index", f"{word.extension} i{HALF} {low} to i64")

    def as_element(self, type_text: str, vector: str, element: str) -> str:
        """The same bits as a vector of other elements of the same size."""
        before = element_of(type_text)
        if before == element:
            return vector
        count = lanes_of(type_text)
        if "ptr" in (before, element):
            integer = f"i{8 * self.values.layout.pointer_bytes}"
            if before == "ptr":
                vector = self.value("bits", f"ptrtoint {type_text} {vector} to <{count} x {integer}>")
                return self.as_element(f"<{count} x {integer}>", vector, element)
            vector = self.as_element(type_text, vector, integer)
            return self.value("bits", f"inttoptr <{count} x {integer}> {vector} to <{count} x ptr>")
        return self.value("bits", f"bitcast {type_text} {vector} to <{count} x {element}>")

    def alias(self, name: str, value: str) -> None:
        """From now on ``value`` stands for the result of a removed instruction."""
        self.renamed[name] = value

    def any_on(self, mask: str, lanes: int) -> str:
        """Whether any lane of a mask is on."""
        bits = self.value("bits", f"bitcast <{lanes} x i1> {mask} to i{lanes}")
        return self.value("any", f"icmp ne i{lanes} {bits}, 0")

    def safe_pointers(self, type_text: str, pointers: str, mask: str, elsewhere: str) -> str:
        """Pointers that are ``elsewhere`` in the lanes that are off."""
        count = lanes_of(type_text)
        one = self.value("one", f"insertelement {type_text} poison, ptr {elsewhere}, i64 0")
        spare = self.value("spare", f"shufflevector {type_text} {one}, {type_text} poison, <{count} x i32> zeroinitializer")
        return self.value("safe", f"select <{count} x i1> {mask}, {type_text} {pointers}, {type_text} {spare}")

    def nowhere(self) -> str:
        """Address of readable zeros, for lanes that must not touch their own memory."""
        self.uses_nowhere = True
        return NOWHERE

    def discard(self, size: int = 0) -> str:
        """Address of a place on the stack, of so many bytes, for stores that must not happen."""
        if not self._discard:
            self._discard = self.fresh("discard")
        self._discarded = max(self._discarded, size)
        return self._discard

    # ---- at the end ---------------------------------------------------------

    def finish(self) -> None:
        """Put phis and block ends in their places, and new names for old ones."""
        for block in self.function.blocks:
            phis = self.new_phis.get(block.name)
            if phis:
                block.instructions[0:0] = phis
            ends = self.at_end.get(block.name)
            if ends:
                block.instructions[-1:-1] = ends
        self.function.replace_uses(self.renamed)
        if self._discard:
            place = Instruction(f"  {self._discard} = alloca [{self._discarded} x i8], align 16")
            self.function.blocks[0].instructions.insert(0, place)


def declare(module: Module, emitters: list[Emitter]) -> None:
    """Add to the module what the emitters of its functions have used."""
    used = dict.fromkeys(declaration for emitter in emitters for declaration in sorted(emitter.declarations))
    module.declare(f"declare {declaration}" for declaration in used)
    if any(emitter.uses_nowhere for emitter in emitters) and not any(line.startswith(NOWHERE + " ") for line in module.lines()):
        module.items.append([_NOWHERE_LINE])


_MOST_SCALAR_STEPS = 3
"""Steps that are done for each lane rather than taken out of a vector. Chosen, not measured: an extension, a sum, a
product."""


def lane_source(vector: str, values: LaneValues, same: dict[str, str]) -> str:
    """The vector of which each lane is made by few cheap steps and numbers that are the same in all lanes, or known."""
    for _ in range(_MOST_SCALAR_STEPS):
        instruction = made_by(_CHEAP_STEPS, vector, values.definitions)
        if instruction is None:
            break
        variable = [
            operand.value
            for operand in instruction.operands
            if integers(operand.type, operand.value) is None and scalar_of_splat(operand.value, values.definitions) is None
        ]
        if len(variable) != 1:
            break
        vector = variable[0]
    return same.get(vector, vector)


_CHEAP_STEPS = frozenset(("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "sext", "zext", "trunc"))


def _intrinsic_suffix(element: str, lanes: int) -> str:
    return suffix(element, lanes).replace("p", "p0")


def shuffle_text(type_text: str, first: str, second: str, mask: list[int]) -> str:
    """A ``shufflevector``; lanes of ``mask`` below 0 may be anything."""
    indices = ", ".join("i32 poison" if lane < 0 else f"i32 {lane}" for lane in mask)
    return f"shufflevector {type_text} {first}, {type_text} {second}, <{len(mask)} x i32> <{indices}>"
