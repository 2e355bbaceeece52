"""Divisors that must not be zero -> the least of them, kept in a register and looked at where the function is left.

    call void @volta.divisor.v8i32(<8 x i32> %d, ptr @text.0)
    ->
    %least = call <8 x i32> @llvm.umin.v8i32(<8 x i32> %before, <8 x i32> %d)        in the loop, %before all ones at first
    ...
    ret void    ->    br i1 <any lane of %least is zero>, label <which fails>, label <which returns>

A branch at each division would part the blocks that LLVM, and gangs that go together, need whole. Only where
a quotient decides which memory is touched, or a branch, or goes to a function, it is looked at
before it is divided: else the process might end, or never come so far. Divisors that are known not to be
zero need no look. Where there is no instruction for the least, the flags of comparisons with zero are joined.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import match as m
from voltac.ir import pseudo_operations
from voltac.ir.lane_values import lane_values
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.strings import escaped, unescaped
from voltac.ir.types import DataLayout, element_of, integer_bits, lanes_of
from voltac.lower.control_flow.failure_exits import DEVICE_FAIL, FAIL, ZERO_DIVISION
from voltac.messages.visible import bytes_of
from voltac.options import Options
from voltac.passes.accesses.access import is_divisor
from voltac.passes.facts.checked_divisors import CheckedDivisors
from voltac.records import mutable_record
from voltac.system.lazy_patterns import lazy_pattern
from voltac.target_info import TargetInfo

_MOST_ACCUMULATORS = 3
"""Of a function; with more places those of one type share one."""
_MOST_NAMED = 8
"""Places that one message tells of."""
_EXTENSION = m.op(("sext", "zext"), m.value("source"))
_EXTENDED = m.one_of(_EXTENSION, m.op("select", m.value("test"), _EXTENSION, m.all_ones()))
"""A divisor of fewer bits, where some lanes are on, in which the others have -1."""

_TEXT = lazy_pattern(r'constant \[\d+ x i8\] c"(.*)\\00"')


def check_divisors(module: Module, options: Options) -> None:
    """Rewrite the module."""
    if any(f"@{pseudo_operations.DIVISOR}." in line for line in module.lines()):
        layout = module.layout(options.target.pointer_bits // 8)
        texts = _Texts(module)
        declarations: set[str] = set()
        for function in module.functions:
            if any(map(is_divisor, function.instructions())):
                _Checking(function, layout, options, texts, declarations).run()
        texts.write()
        module.declare(sorted(declarations))


class _Texts:
    """Messages of a module, and new ones for several places."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._known = module.globals()
        self._new: list[str] = []
        self._made: dict[tuple[str, ...], str] = {}

    def of_all(self, names: tuple[str, ...]) -> str:
        """The name of a message that tells of all places that messages are about."""
        if len(names) == 1:
            return names[0]
        if names not in self._made:
            self._made[names] = self._joined(names)
        return self._made[names]

    def _joined(self, names: tuple[str, ...]) -> str:
        texts = [unescaped(found[1]) if (found := _TEXT.search(self._known.get(name, ""))) else "" for name in names]
        places = [text.rpartition(": ")[0] for text in texts[1:_MOST_NAMED]] + ["..."] * (len(texts) > _MOST_NAMED)
        content = bytes_of(f"{texts[0]} (or at {', '.join(places)})")
        made = f"@text.divisors.{len(self._new)}"
        line = f'{made} = private unnamed_addr constant [{len(content) + 1} x i8] c"{escaped(content)}\\00", align 1'
        self._new.append(line)
        return made

    def write(self) -> None:
        if self._new:
            self._module.items.append(self._new)


@mutable_record(eq=False)
class _Accumulator:
    """A variable on the stack, which LLVM makes a register, for divisors of one type."""

    name: str
    divisors: str
    """Their type; of a scalar, which all lanes have, ``i1``."""
    places: list[str]
    """The messages of the divisions."""
    counts_least: bool
    """It holds the least divisor; else whether one was zero."""
    packed: bool
    """Such flags take one bit a lane."""

    @property
    def type(self) -> str:
        """Of the variable."""
        lanes = lanes_of(self.divisors)
        return f"<{lanes} x i1>" if lanes and self.packed and not self.counts_least else self.divisors

    @property
    def start(self) -> str:
        if self.counts_least:
            return _all_ones(self.divisors)
        return "zeroinitializer" if lanes_of(self.divisors) else "false"


class _Checking:
    """One function."""

    def __init__(self, function: Function, layout: DataLayout, options: Options, texts: _Texts, declarations: set[str]) -> None:
        self._function = function
        self._layout = layout
        self._options = options
        self._target = options.target
        self._texts = texts
        self._declarations = declarations
        self._fresh: Callable[[str], str] = function.fresh_names()
        self._values = lane_values(function, layout)
        self._accumulators: dict[tuple[str, str], _Accumulator] = {}
        """By type of the divisors, and place where each has its own."""
        self._shared: dict[tuple[str, str], _Accumulator] = {}
        """By type and place."""
        self._shares = False

    def run(self) -> None:
        divisors = CheckedDivisors(self._function, self._values, optimizing=self._options.level > 0)
        kept = {id(made): divisors.is_due_at_once(made) for made in divisors.needed()}
        later = {made.operands[1].value for made in self._function.instructions() if kept.get(id(made)) is False}
        self._shares = len(later) > _MOST_ACCUMULATORS
        by_name = {block.name: block for block in self._function.blocks}
        blocks: list[Block] = []
        for block in self._function.blocks:
            parts = self._rewritten(block, kept)
            if len(parts) > 1:
                for name in parts[-1].successors:
                    for phi in by_name[name].phis():
                        phi.rename({f"%{block.name}": f"%{parts[-1].name}"})
            blocks += parts
        self._function.blocks = []
        for block in blocks:
            parts = [block]
            if block.terminator.op == "ret":
                self._look(parts)
            self._function.blocks += parts
        self._begin()

    # --- how

    def _accumulator(self, type: str, place: str) -> _Accumulator:
        """The one for divisors of a type in a place."""
        divisors = type if lanes_of(type) else "i1"
        found = self._shared.get((divisors, place))
        if found is None:
            key = divisors, "" if self._shares else place
            if key not in self._accumulators:
                least = bool(lanes_of(type)) and _has_least(self._target, element_of(type))
                packed = self._target.has_mask_registers
                self._accumulators[key] = _Accumulator(self._fresh("divisors"), divisors, [], least, packed)
            found = self._shared[divisors, place] = self._accumulators[key]
            found.places.append(place)
        return found

    def _rewritten(self, block: Block, kept: dict[int, bool]) -> list[Block]:
        """The block, and those that it has become. ``kept``: whether a divisor is looked at here."""
        instructions = block.instructions
        block.instructions = []
        parts = [block]
        for made in instructions:
            lines = parts[-1].instructions
            due = kept.get(id(made))
            if not is_divisor(made):
                lines.append(made)
            elif due is not None:
                place = made.operands[1].value
                divisor = self._short(made.operands[0], lines)
                divisor = self._folded(divisor, lines, 1 if due else self._target.vector_bits)
                if due:
                    self._fail_if_zero(parts, divisor, place)
                else:
                    self._accumulate(self._accumulator(divisor.type, place), divisor, lines)
        return parts

    def _short(self, divisor: Operand, lines: list[Instruction]) -> Operand:
        """Where it takes several registers, what it was extended from."""
        found = _EXTENDED.find(divisor.value, self._values.definitions)
        if found is None or _bits(divisor.type) <= self._target.vector_bits:
            return divisor
        source, test = found["source"], found.get("test")
        if test is None:
            return divisor if element_of(source.type) == "i1" else source
        name, off = self._fresh("divisors.short"), _all_ones(source.type)
        choice = f"select {test.type} {test.value}, {source.type} {source.value}, {source.type} {off}"
        lines.append(Instruction(f"  {name} = {choice}"))
        return Operand(source.type, name)

    def _accumulate(self, variable: _Accumulator, divisor: Operand, lines: list[Instruction]) -> None:
        old, new = self._fresh("divisors.before"), self._fresh("divisors.now")
        lines.append(Instruction(f"  {old} = load {variable.type}, ptr {variable.name}"))
        if variable.counts_least:
            made = self._least(variable.type, old, divisor.value)
        else:
            zero = self._fresh("divisor.zero")
            lines.append(Instruction(f"  {zero} = icmp eq {divisor.type} {divisor.value}, {_zero(divisor.type)}"))
            if lanes_of(variable.type) and not variable.packed:
                flags = self._fresh("divisor.flags")
                lines.append(Instruction(f"  {flags} = sext <{lanes_of(variable.type)} x i1> {zero} to {variable.type}"))
                zero = flags
            made = f"or {variable.type} {old}, {zero}"
        lines.append(Instruction(f"  {new} = {made}"))
        lines.append(Instruction(f"  store {variable.type} {new}, ptr {variable.name}"))

    def _least(self, type: str, first: str, second: str) -> str:
        name = f"@llvm.umin.v{lanes_of(type)}{element_of(type)}"
        self._declarations.add(f"declare {type} {name}({type}, {type})")
        return f"call {type} {name}({type} {first}, {type} {second})"

    def _folded(self, divisor: Operand, lines: list[Instruction], most_bits: int) -> Operand:
        """The divisors of several gangs made those of fewer, at least one, which have a zero in a lane where one has."""
        type, value = divisor
        element = element_of(type)
        while lanes_of(type) > self._target.width and _bits(type) > most_bits:
            half = lanes_of(type) // 2
            halves = self._fresh("divisors.half"), self._fresh("divisors.half")
            for name, first in zip(halves, (0, half)):
                places = ", ".join(f"i32 {lane}" for lane in range(first, first + half))
                lines.append(Instruction(f"  {name} = shufflevector {type} {value}, {type} poison, <{half} x i32> <{places}>"))
            type, value = f"<{half} x {element}>", self._fresh("divisors.least")
            lines.append(Instruction(f"  {value} = {self._least(type, *halves)}"))
        return Operand(type, value)

    def _fail_if_zero(self, parts: list[Block], value: Operand, place: str) -> None:
        """Leave the kernel if an element is zero; the last part goes on."""
        zero = self._fresh("divisor.zero")
        lines = parts[-1].instructions
        lines.append(Instruction(f"  {zero} = icmp eq {value.type} {value.value}, {_zero(value.type)}"))
        self._fail_if(parts, zero, lanes_of(value.type), place)

    def _fail_if(self, parts: list[Block], failed: str, width: int, place: str) -> None:
        lines = parts[-1].instructions
        lanes, condition = "", failed
        if width:
            lanes, condition = self._fresh("divisor.lanes"), self._fresh("divisor.any")
            lines.append(Instruction(f"  {lanes} = bitcast <{width} x i1> {failed} to i{width}"))
            lines.append(Instruction(f"  {condition} = icmp ne i{width} {lanes}, 0"))
        stem = parts[0].name.strip('"')
        failing, checked = self._fresh(f"{stem}.divided"), self._fresh(f"{stem}.checked")
        lines.append(Instruction(f"  br i1 {condition}, label {failing}, label {checked}"))
        parts.append(Block(failing[1:], self._failure(lanes, width, place), f"{failing[1:]}:"))
        parts.append(Block(checked[1:], [], f"{checked[1:]}:"))

    def _failure(self, lanes: str, width: int, place: str) -> list[Instruction]:
        """Of a block that is reached by a failure, of all lanes where no ``lanes`` are given."""
        bits = 32 if self._target.is_device else 64
        lines: list[Instruction] = []
        if not width:
            lanes = str((1 << min(self._target.width, bits)) - 1)
        elif width < bits:
            wide = self._fresh("divisor.lanes")
            lines.append(Instruction(f"  {wide} = zext i{width} {lanes} to i{bits}"))
            lanes = wide
        elif width > bits:
            lanes = "0"
        if self._target.is_device:
            self._declarations.add(f"declare void @{DEVICE_FAIL}(ptr, i32, i32) nounwind noreturn cold")
            call = f"call void @{DEVICE_FAIL}(ptr {place}, i32 {ZERO_DIVISION}, i32 {lanes})"
        else:
            self._declarations.add(f"declare void @{FAIL}(i32, ptr, i64) nounwind noreturn cold")
            call = f"call void @{FAIL}(i32 {ZERO_DIVISION}, ptr {place}, i64 {lanes})"
        return [*lines, Instruction(f"  {call}"), Instruction("  unreachable")]

    # --- the ends of the function

    def _look(self, parts: list[Block]) -> None:
        """Before the function is left."""
        end = parts[0].instructions.pop()
        for variable in self._accumulators.values():
            lines = parts[-1].instructions
            value, place = self._fresh("divisors.last"), self._texts.of_all(tuple(variable.places))
            lines.append(Instruction(f"  {value} = load {variable.type}, ptr {variable.name}"))
            if variable.counts_least:
                self._fail_if_zero(parts, self._folded(Operand(variable.type, value), lines, 1), place)
                continue
            if lanes_of(variable.type) and not variable.packed:
                flags = self._fresh("divisor.least")
                lines.append(Instruction(f"  {flags} = xor {variable.type} {value}, {_all_ones(variable.type)}"))
                # As with the least: zero where one was.
                self._fail_if_zero(parts, self._folded(Operand(variable.type, flags), lines, 1), place)
                continue
            self._fail_if(parts, value, lanes_of(variable.type), place)
        parts[-1].instructions.append(end)

    def _begin(self) -> None:
        """Declare the variables."""
        variables = self._accumulators.values()
        made = [Instruction(f"  {each.name} = alloca {each.type}") for each in variables]
        made += [Instruction(f"  store {each.type} {each.start}, ptr {each.name}") for each in variables]
        self._function.blocks[0].instructions[:0] = made


def _all_ones(type: str) -> str:
    return f"splat ({element_of(type)} -1)"


def _bits(type: str) -> int:
    return max(1, lanes_of(type)) * integer_bits(element_of(type))


def _zero(type: str) -> str:
    return "zeroinitializer" if lanes_of(type) else "0"


def _has_least(target: TargetInfo, element: str) -> bool:
    """Whether there is an instruction for the lesser of two unsigned numbers, lane by lane."""
    if element == "i64":
        return target.has_avx512
    return not target.is_device and (element == "i8" or target.isa != "sse2")
