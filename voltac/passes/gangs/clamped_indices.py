"""Loops over gangs whose indices are held within bounds -> the gangs at the edges as they were, those between without bounds.

    test:  %i = phi [ start, %before ], [ %next, %body ]      edge:   as it was, for %i < min(limit, 1)
           br (%i < limit), body, after                       inner:  the same with %x - 1 and %x + 1 in place of %l and %r,
    body:  %x = %i + <0, ..., 7>                         ->            for %i < min(limit, n - 8)
           %l = smax(%x - 1, 0)                               test:   as it was, for %i < limit
           %r = smin(%x + 1, n - 1)
           ... gather at %l, gather at %r

Images and grids are read so at their borders: by ``clamp``, ``min`` and ``max``, ``x > 0 ? x - 1 : n - 1``, ``x == n - 1 ? 0 :
x + 1``. Lanes whose index stays as it is are neighbours in memory, and of a range all gangs but the first and the last are so.

An index is ``%i + k + lane``, computed without wrapping around, and what it is compared with is the same in each iteration, so
that the bounds are scalars before the loop, computed in 64 bits, which their sums do not exceed. Each gang is done by one of
the loops, in order, and touches what it touched.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.cfg import ControlFlow, control_flow
from voltac.ir.lane_formulas import LaneValue, UniformSymbol
from voltac.ir.lane_values import lane_values
from voltac.ir.marks import AT_EDGE
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.gang_loops import GangLoop, root

_MOST_INSTRUCTIONS = 160
"""Of a body, which there are up to three of. Chosen, not measured."""
_BLOCKS = 2
"""A test and a body."""
_LINEAR = ("getelementptr", "add", "sub", "mul", "shl", "sext", "zext", "freeze")
"""What addresses are made of."""
_SWAPPED = {"slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle", "eq": "eq", "ne": "ne"}
_OPPOSITE = {"sge": "slt", "sle": "sgt", "ne": "eq"}
_INT_MIN, _INT_MAX = -(2**31), 2**31 - 1
_SUMMED_BITS = 32
_MOST_TERMS, _MOST_FACTOR = 8, 1 << 20
"""What bounds are computed from, so that they fit into 64 bits: numbers of 32, of which 8 times 2 ** 20 take less than 64."""
_DECLARATIONS = tuple(
    f"declare {kind} @llvm.{name}.{kind}({kind}, {kind})" for kind in ("i32", "i64") for name in ("smin", "smax")
)


def peel_clamped(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    changed = False
    for function in module.often_called:
        if not _reads_clamped(function):
            continue
        flow, values = control_flow(function), lane_values(function, layout)
        loops = [loop for loop in flow.loops if len(loop.blocks) == _BLOCKS]
        found = [GangLoop.of(function, loop, flow, values, _MOST_INSTRUCTIONS) for loop in loops]
        # All before the first is rewritten.
        inner = [_Inner(gangs, flow) for gangs in found if gangs is not None]
        fresh = function.fresh_names()
        for each in inner:
            if each.read():
                each.write(fresh)
                changed = True
    if changed:
        module.declare(_DECLARATIONS)


def _reads_clamped(function: Function) -> bool:
    """Whether addresses are made of what may be held within bounds, by a look at the instructions only."""
    if not any(
        (" select <" in each.text or "@llvm.sm" in each.text) and " x i" in each.text for each in function.instructions()
    ):
        return False
    definitions = function.definitions()
    pending = [each.operands[-2].value for each in function.instructions() if pseudo_operation(each) in ("gather", "scatter")]
    seen = set(pending)
    while pending:
        made = definitions.get(pending.pop())
        if made is None or (made.op not in _LINEAR and made.op not in ("select", "call")):
            continue
        if _may_clamp(made):
            return True
        if made.op in _LINEAR:
            new = [each for each in made.names_used() if each not in seen]
            seen.update(new)
            pending += new
    return False


def _may_clamp(instruction: Instruction) -> bool:
    return lanes_of(instruction.type) > 1 and (instruction.op == "select" or _is_limit(instruction))


def _is_limit(made: Instruction) -> bool:
    return made.op == "call" and made.parts.callee.startswith(("@llvm.smin.v", "@llvm.smax.v"))


class _Inner:
    """The gangs of a loop whose indices stay within their bounds."""

    def __init__(self, loop: GangLoop, flow: ControlFlow) -> None:
        self.loop = loop
        self.flow = flow
        self.values = loop.values
        self.inside = {each.name for block in (loop.header, loop.body) for each in block.instructions if each.name}
        self.plain: dict[str, str] = {}
        """What is held within bounds -> what it is where that changes nothing."""
        self.least: list[tuple[dict[UniformSymbol, int], int]] = []
        self.end: list[tuple[dict[UniformSymbol, int], int]] = []
        """Bounds of the counter, the second not included: sums of scalars and a number."""

    def read(self) -> bool:
        """Whether there are such gangs, and what they are."""
        for each in self.loop.body.instructions:
            if pseudo_operation(each) in ("gather", "scatter"):
                pointers = each.operands[-2]
                if self.values.of(pointers) is None:
                    self._search(pointers.value)
        return bool(self.plain)

    def _search(self, pointers: str) -> None:
        pending, seen = [pointers], {pointers}
        while pending:
            made = self.values.definitions.get(pending.pop())
            if made is None or made.name not in self.inside or not lanes_of(made.type):
                continue
            if _may_clamp(made):
                self._resolve(Operand(made.type, made.name))
            elif made.op in _LINEAR:
                new = [each.value for each in made.operands if each.value not in seen]
                seen.update(new)
                pending += new

    def _resolve(self, operand: Operand) -> tuple[str, LaneValue] | None:
        """What an index is in these gangs, and its formula; the bounds for that are noted."""
        known = self.plain.get(operand.value, operand.value)
        formula = self.values.value(operand.type, known)
        if formula is not None:
            return (known, formula) if self._is_index(formula) else None
        made = self.values.definitions.get(known)
        if made is None or made.name not in self.inside or not _may_clamp(made):
            return None
        before = len(self.least), len(self.end), dict(self.plain)
        found = self._chosen(made) if made.op == "select" else self._limited(made)
        if found is None:
            del self.least[before[0] :], self.end[before[1] :]
            self.plain = before[2]
            return None
        self.plain[made.name] = found[0]
        return found

    def _limited(self, made: Instruction) -> tuple[str, LaneValue] | None:
        one, other = made.operands
        index, bound = (one, other) if self.values.is_uniform(other) else (other, one)
        found = self._resolve(index)
        changes = "slt" if ".smax." in made.parts.callee else "sgt"
        return found if found is not None and self._note(found[1], bound, changes, holds=False) else None

    def _chosen(self, made: Instruction) -> tuple[str, LaneValue] | None:
        condition, *arms = made.operands
        test = self.values.definitions.get(condition.value)
        if test is None or test.op != "icmp" or test.parts.predicate not in _SWAPPED:
            return None
        indices = [self._resolve(arm) for arm in arms]
        if None not in indices and test.parts.predicate not in ("eq", "ne"):
            return None
        holds = test.parts.predicate == "ne" if None not in indices else indices[0] is not None
        found = indices[0] if holds else indices[1]
        if found is None:
            return None
        compared, bound = test.operands
        predicate = test.parts.predicate
        if self.values.is_uniform(compared):
            compared, bound, predicate = bound, compared, _SWAPPED[predicate]
        index = self._resolve(compared)
        return found if index is not None and self._note(index[1], bound, predicate, holds) else None

    def _is_index(self, formula: LaneValue) -> bool:
        """Whether neighbouring lanes differ by one, and so many from one gang to the next."""
        counting = [(symbol, factor) for symbol, factor in formula.terms.items() if root(symbol) == self.loop.counter]
        steps = {after - before for before, after in zip(formula.offsets, formula.offsets[1:])}
        is_counter = len(counting) == 1 and counting[0][0].kind in ("value", "sext") and counting[0][1] == 1
        return is_counter and steps == {1} and len(formula.offsets) == self.loop.width and self._is_exact(formula)

    def _is_exact(self, formula: LaneValue) -> bool:
        return formula.signed or formula.bits > _SUMMED_BITS

    def _note(self, index: LaneValue, bound: Operand, predicate: str, holds: bool) -> bool:
        """Demand of the gang that a comparison holds in all lanes, or in none; whether that can be said before the loop."""
        limit = self.values.of(bound)
        if limit is None or not limit.is_uniform or not self._is_exact(limit):
            return False
        if predicate in _OPPOSITE:
            predicate, holds = _OPPOSITE[predicate], not holds
        if predicate == "eq" and holds:
            return False
        terms = dict(limit.terms)
        for symbol, factor in index.terms.items():
            if root(symbol) != self.loop.counter:
                terms[symbol] = terms.get(symbol, 0) - factor
        terms = {symbol: factor for symbol, factor in terms.items() if factor}
        if len(terms) > _MOST_TERMS or not all(map(self._is_summed, terms.items())):
            return False
        # The first lane is the counter and ``more``, the last one is so many behind it.
        distance, last = limit.offsets[0] - index.offsets[0], self.loop.width - 1
        if predicate == "slt":
            self._demand(terms, distance - last if holds else distance, below=holds)
        elif predicate == "sgt":
            self._demand(terms, distance + 1 if holds else distance - last + 1, below=not holds)
        else:
            # It is at one end: a number at the first one.
            self._demand(terms, distance - last if terms else distance + 1, below=bool(terms))
        return abs(distance) < _MOST_FACTOR

    def _demand(self, terms: dict[UniformSymbol, int], number: int, below: bool) -> None:
        demands = self.end if below else self.least
        if (terms, number) not in demands:
            demands.append((terms, number))

    def _is_summed(self, term: tuple[UniformSymbol, int]) -> bool:
        """Whether a symbol is a scalar from outside the loop."""
        symbol, factor = term
        scalar = symbol if symbol.kind == "value" else symbol.inner if symbol.kind == "sext" else None
        return (
            scalar is not None
            and scalar.kind == "value"
            and scalar.bits == _SUMMED_BITS
            and scalar.name not in self.inside
            and abs(factor) < _MOST_FACTOR
        )

    def write(self, fresh: Callable[[str], str]) -> None:
        """Put the loops in place of the one, which becomes the last of them."""
        loop, function = self.loop, self.loop.function
        stem = unquoted(loop.header.name)
        begin = Block(fresh(f"{stem}.bounds")[1:])
        begin.label_line = f"{begin.name}:"
        parts: list[tuple[str, str]] = []
        if self.least:
            parts.append((AT_EDGE, self._bound(self.least, "smax", begin, fresh)))
        if self.end:
            parts.append(("inner", self._bound(self.end, "smin", begin, fresh)))
        blocks, previous = [begin], begin.name
        entering = {phi.name: dict(zip(phi.parts.labels, phi.operands))[loop.outside].value for phi in loop.header.phis()}
        for part, limit in parts:
            copies, entering = self._copy(part, limit, previous, entering, fresh)
            blocks[-1].instructions.append(Instruction(f"  br label %{copies[0].name}"))
            if len(blocks) > 1:
                self._leave(blocks[-2], copies[0].name)
                blocks[-1].instructions.pop()
            blocks += copies
            previous = copies[0].name
        self._leave(blocks[-2], loop.header.name)
        function.block(loop.outside).terminator.rename({f"%{loop.header.name}": f"%{begin.name}"})
        for phi in loop.header.phis():
            arms = dict(zip(phi.parts.labels, (each.value for each in phi.operands), strict=True))
            phi.text = (
                f"  {phi.name} = phi {phi.type} [ {entering[phi.name]}, %{previous} ], "
                f"[ {arms[loop.body.name]}, %{loop.body.name} ]"
            )
        if not self.end:
            self._simplify(loop.body.instructions)
        place = function.blocks.index(loop.header)
        function.blocks[place:place] = blocks
        if self.end:
            self._mark_last(fresh)

    def _mark_last(self, fresh: Callable[[str], str]) -> None:
        """Name the body of the last loop as one for gangs at an edge."""
        body, header = self.loop.body, self.loop.header
        names = {f"%{body.name}": fresh(f"{unquoted(body.name)}.{AT_EDGE}")}
        body.name = names[f"%{body.name}"][1:]
        body.label_line = f"{body.name}:"
        for each in (*header.phis(), header.terminator):
            each.rename(names)

    def _leave(self, header: Block, to: str) -> None:
        """A copy of the header goes on to another block."""
        condition, (body, _) = header.terminator.operands[0].value, header.terminator.parts.labels
        header.instructions[-1] = Instruction(f"  br i1 {condition}, label %{body}, label %{to}")

    def _simplify(self, instructions: list[Instruction]) -> None:
        for each in instructions:
            each.rename(self.plain)

    def _copy(
        self, part: str, limit: str, previous: str, entering: dict[str, str], fresh: Callable[[str], str]
    ) -> tuple[list[Block], dict[str, str]]:
        """Header and body of a loop for the gangs below a limit, entered from a block; and the values of the header's phis."""
        loop = self.loop
        names = {f"%{block.name}": fresh(f"{unquoted(block.name)}.{part}") for block in (loop.header, loop.body)}
        names.update((name, fresh(f"{unquoted(name[1:])}.{part}")) for name in self.inside)
        names[f"%{loop.outside}"] = f"%{previous}"
        copies = []
        for block in (loop.header, loop.body):
            made = Block(names[f"%{block.name}"][1:])
            made.label_line = f"{made.name}:"
            for each in block.instructions:
                copy = Instruction(each.text)
                if part == "inner" and block is loop.body:
                    self._simplify([copy])
                copy.rename(names)
                if copy.name:
                    copy.text = copy.text.replace(copy.name, names[copy.name], 1)
                made.instructions.append(copy)
            copies.append(made)
        header = copies[0]
        for phi, original in zip(header.phis(), loop.header.phis(), strict=True):
            arms = dict(zip(phi.parts.labels, (each.value for each in phi.operands), strict=True))
            phi.text = (
                f"  {phi.name} = phi {phi.type} [ {entering[original.name]}, %{previous} ], "
                f"[ {arms[copies[1].name]}, %{copies[1].name} ]"
            )
        test = header.instructions[-2]
        test.text = f"  {test.name} = icmp slt i32 {names[loop.counter]}, {limit}"
        return copies, {phi.name: names[phi.name] for phi in loop.header.phis()}

    def _bound(
        self, demands: list[tuple[dict[UniformSymbol, int], int]], which: str, block: Block, fresh: Callable[[str], str]
    ) -> str:
        """Write the limit of a loop: the greatest of the least counters, or the least of their ends, and that of the loop."""

        def write(text: str) -> str:
            name = fresh("bound")
            block.instructions.append(Instruction(f"  {name} = {text}"))
            return name

        found = ""
        for terms, number in demands:
            total = str(number)
            for symbol, factor in terms.items():
                scalar = symbol if symbol.kind == "value" else symbol.inner
                assert scalar is not None
                # The loop may never be entered, and what only it uses may be poison.
                wide = write(f"sext i32 {write(f'freeze i32 {scalar.name}')} to i64")
                total = write(f"add nsw i64 {write(f'mul nsw i64 {wide}, {factor}')}, {total}")
            found = write(f"call i64 @llvm.{which}.i64(i64 {found}, i64 {total})") if found else total
        for name, number in (("smax", _INT_MIN), ("smin", _INT_MAX)):
            found = write(f"call i64 @llvm.{name}.i64(i64 {found}, i64 {number})")
        narrow = write(f"trunc i64 {found} to i32")
        return write(f"call i32 @llvm.smin.i32(i32 {self.loop.limit}, i32 {narrow})")
