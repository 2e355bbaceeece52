"""All-on loops over bytes and short integers -> loops that do several gangs at once, before the loop of single gangs.

    loop over i by 8:   %v = gather <8 x i8> at i + <0 .. 7> ...
    ->
    loop over i by 32:  %v = gather <32 x i8> at i + <0 .. 31> ...
    then the loop over i by 8 for what is left

Eight lanes of bytes fill a quarter of a register. Where every statement works on
each lane by itself, and no element that one gang stores is touched by another
gang, the statements of neighbouring gangs may be done together.
"""

from __future__ import annotations

import re

from voltac.ir.cfg import control_flow
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import BINARY, CASTS, FLOAT_BINARY, Operand
from voltac.ir.types import Layout, element_of, lanes_of
from voltac.options import Options
from voltac.passes.access import Access, AccessReport, pseudo_operation, read_access
from voltac.passes.costs import has_masked
from voltac.passes.effects import Effects, ModuleEffects
from voltac.passes.gang_loops import GangLoop
from voltac.passes.known_loads import access_key
from voltac.passes.merged_stores import covers_all, mark_readable

_LANEWISE = frozenset((*BINARY, *FLOAT_BINARY, *CASTS, "fneg", "icmp", "fcmp", "select", "freeze"))
_INTRINSICS = frozenset(
    (
        *("fabs", "copysign", "minnum", "maxnum", "minimum", "maximum", "smin", "smax", "umin", "umax", "abs", "ctpop"),
        *("fma", "fmuladd", "floor", "ceil", "rint", "trunc", "sqrt", "sadd", "uadd", "ssub", "usub", "fshl", "fshr"),
    )
)
_MOST_INSTRUCTIONS = 80
_MOST_REGISTERS = 4
"""Registers that one value of the widest type may take."""


def widen_gangs(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; there is nothing to report."""
    if options.level >= 2 and options.resolve_accesses:
        layout = module.layout(options.target.pointer_bits // 8)
        effects: ModuleEffects | None = None
        for function in module.functions:
            if any(_is_small(instruction) for instruction in function.instructions()):
                effects = effects or ModuleEffects(module)
                _widen_function(function, layout, effects, options)
    return []


def _is_small(instruction: Instruction) -> bool:
    return bool(pseudo_operation(instruction)) and instruction.parts.callee.endswith(("i8", "i16"))


def _widen_function(function: Function, layout: Layout, effects: ModuleEffects, options: Options) -> None:
    flow = control_flow(function)
    candidates = [loop for loop in flow.loops if len(loop.blocks) == 2]
    if not candidates:
        return
    values = LaneValues(function, layout)
    known = Effects(effects, function, values)
    for loop in candidates:
        found = GangLoop.of(function, loop, flow, values, _MOST_INSTRUCTIONS)
        if found is not None:
            wide = _Widening(found, values)
            factor = wide.factor(known, options)
            if factor > 1:
                wide.widen(factor)


class _Widening:
    def __init__(self, loop: GangLoop, values: LaneValues) -> None:
        self.loop = loop
        self.values = values
        self.function = loop.function
        self.header, self.body, self.outside = loop.header, loop.body, loop.outside
        self.counter, self.following, self.width = loop.counter, loop.following, loop.width

    def factor(self, effects: Effects, options: Options) -> int:
        """How many gangs to do at once; 1 where that is not possible or gains nothing."""
        accesses: list[Access] = []
        counting: set[str] = set()
        widest = 1
        for index, instruction in enumerate(self.body.instructions[:-1]):
            operation = pseudo_operation(instruction)
            if operation:
                accesses.append(read_access(index, instruction, operation, self.values))
            elif not self._is_lanewise(instruction, counting):
                return 1
            elif lanes_of(instruction.type) and element_of(instruction.type) not in ("ptr", "i64", "i1"):
                widest = max(widest, self.values.layout.size(element_of(instruction.type)))
        if not accesses or any(access.lanes != self.width for access in accesses):
            return 1
        mark_readable(accesses, [], self.values)
        for access in accesses:
            masked = not access.all_on and not access.readable and not self._is_merged(access, accesses)
            if not self.loop.is_even(access) or (masked and not has_masked(options.target, access.size)):
                return 1
            widest = max(widest, access.size)
        stores = [access for access in accesses if access.is_store]
        if any(not self._is_apart(store, access, effects) for store in stores for access in accesses if access is not store):
            return 1
        register = options.target.vector_bits // 8
        smallest = min(access.size for access in accesses)
        return max(1, min(register // (smallest * self.width), _MOST_REGISTERS * register // (widest * self.width)))

    def _is_lanewise(self, instruction: Instruction, counting: set[str]) -> bool:
        """Whether each lane of the result is made of the same lanes of the operands, in a wide gang too.

        ``counting`` collects the vectors that hold the counter in every lane: a wide gang has
        other numbers there, so that only lane numbers may be made of them.
        """
        op, parts = instruction.op, instruction.parts
        if instruction.name == self.following:
            return True
        if op.startswith("#") or lanes_of(parts.type) != self.width:
            return False
        names = [operand.value for operand in parts.operands]
        if op in ("insertelement", "shufflevector"):
            if self.counter in names or counting.intersection(names):
                counting.add(instruction.name)
            splat = parts.mask == "zeroinitializer" and lanes_of(parts.operands[0].type) == self.width
            return splat if op == "shufflevector" else names[0] == "poison" and names[2] == "0"
        if counting.intersection(names) or self.counter in names:
            return op == "add" and names[0] in counting and names[1] == _lane_numbers(self.width)
        if any(lanes_of(operand.type) not in (0, self.width) or operand.value[0] == "<" for operand in parts.operands):
            return False
        if op == "call":
            found = re.match(r"@llvm\.(\w+)\.", parts.callee)
            return found is not None and found.group(1) in _INTRINSICS and f".v{self.width}" in parts.callee
        return op in _LANEWISE or op == "getelementptr"

    def _is_merged(self, access: Access, accesses: list[Access]) -> bool:
        """Whether a masked store will be one with others that together store every lane."""
        key = access_key(access)
        return access.is_store and covers_all(
            [each for each in accesses if each.is_store and access_key(each) == key], self.values
        )

    def _is_apart(self, store: Access, access: Access, effects: Effects) -> bool:
        """Whether no lane of another gang touches an element that a lane stores."""
        assert store.address is not None and access.address is not None
        if store.address.terms == access.address.terms:
            step = store.offsets[1] - store.offsets[0]
            if access.offsets[1] - access.offsets[0] != step:
                return False
            distance = access.offsets[0] - store.offsets[0]
            if distance == 0 and access.size == store.size:
                return True
            # Members of one struct: in the same turn, side by side.
            turn = distance % step
            return abs(distance) < step and store.size <= turn <= step - access.size
        first, second = store.memory, access.memory
        return first.root != second.root and not effects.may_overlap(first, second)

    # ---- writing ------------------------------------------------------------

    def widen(self, factor: int) -> None:
        """Put the wide loop before the loop."""
        fresh = self.function.fresh_names()
        width, wide = self.width, self.width * factor
        begin, test, body = (fresh(f"{self.header.name.strip(chr(34))}.{part}") for part in ("wide_begin", "wide", "wide_body"))
        counter = fresh("wide_counter")
        inside = {instruction.name for instruction in self.body.instructions if instruction.name}
        names = {name: fresh(name[1:].strip('"') + ".wide") for name in inside}
        names[self.counter] = counter
        outer: list[Instruction] = []
        lines: list[Instruction] = []
        for instruction in self.body.instructions[:-1]:
            if instruction.name == self.following:
                lines.append(Instruction(f"  {names[self.following]} = add nsw i32 {counter}, {wide}"))
                continue
            for operand in instruction.operands:
                if lanes_of(operand.type) and operand.value[0] == "%" and operand.value not in names:
                    names[operand.value] = self._outer_splat(operand, wide, outer, fresh("outer"), fresh("outer"))
            lines.append(self._widened(instruction, width, wide, names))
        limit, more = fresh("wide_limit"), fresh("wide_more")
        reach = f"  {limit} = call i32 @llvm.ssub.sat.i32(i32 {self.loop.limit}, i32 {wide - width})"
        enter = [*outer, Instruction(reach), Instruction(f"  br label {test}")]
        ask = [
            Instruction(f"  {counter} = phi i32 [ {self.loop.start}, {begin} ], [ {names[self.following]}, {body} ]"),
            Instruction(f"  {more} = icmp slt i32 {counter}, {limit}"),
            Instruction(f"  br i1 {more}, label {body}, label %{self.header.name}"),
        ]
        # Wishes for the loop hold for the wide one from now on; few turns are left for the other.
        back = self.body.terminator
        work = [*lines, Instruction(back.text.replace(f"%{self.header.name}", test, 1))]
        back.text = f"  br label %{self.header.name}"
        at = next(number for number, block in enumerate(self.function.blocks) if block is self.header)
        self.function.blocks[at:at] = [Block(begin[1:], enter), Block(test[1:], ask), Block(body[1:], work)]
        # The way into the loop goes through the wide one, and the loop begins where that ends.
        before = self.function.block(self.outside)
        before.terminator.rename({f"%{self.header.name}": begin})
        phi = self.header.instructions[0]
        phi.text = f"  {phi.name} = phi i32 [ {counter}, {test} ], [ {self.following}, %{self.body.name} ]"

    def _widened(self, instruction: Instruction, width: int, wide: int, names: dict[str, str]) -> Instruction:
        text = instruction.text
        text = text.replace(_lane_numbers(width), _lane_numbers(wide))
        text = text.replace(f"<{width} x ", f"<{wide} x ")
        text = re.sub(rf"\.v{width}(?=[a-z])", f".v{wide}", text)
        made = Instruction(text)
        made.rename(names)
        if instruction.name:
            made.text = made.text.replace(f"{instruction.name} = ", f"{names[instruction.name]} = ", 1)
        return made

    def _outer_splat(self, operand: Operand, wide: int, outer: list[Instruction], one: str, name: str) -> str:
        """A vector of equal lanes from outside, made anew."""
        element = element_of(operand.type)
        outer.append(Instruction(f"  {one} = extractelement {operand.type} {operand.value}, i64 0"))
        vector = f"<{wide} x {element}>"
        inserted = f"{one}.one"
        outer.append(Instruction(f"  {inserted} = insertelement {vector} poison, {element} {one}, i64 0"))
        mask = f"<{wide} x i32> zeroinitializer"
        outer.append(Instruction(f"  {name} = shufflevector {vector} {inserted}, {vector} poison, {mask}"))
        return name


def _lane_numbers(width: int) -> str:
    return "<" + ", ".join(f"i32 {lane}" for lane in range(width)) + ">"
