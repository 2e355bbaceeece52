"""A loop around a foreach of which neighbouring rows load the same -> two of its iterations in one run of the foreach.

    for (y = 1; y < m - 1; y++)                    for (; y < m - 2; y += 2)
        foreach (x = 0 ... n)              ->          foreach (x = 0 ... n) {
            a[y * n + x] =                                 above = b[(y - 1) * n + x] ... below = b[(y + 2) * n + x]
                b[(y - 1) * n + x] +                       a[y * n + x] = above + here + next
                b[y * n + x] +                             a[(y + 1) * n + x] = here + next + below
                b[(y + 1) * n + x];                    }
                                                   for (; y < m - 1; y++) ...  as it was

(Unroll and jam: Allen and Cocke, A Catalogue of Optimizing Transformations, 1971.) A stencil of three rows by three loads 12
vectors for two rows in place of 18: 0.7 to 0.9 of the time.

A product of floats that two rows have in common is fused with what each adds to it as if it were two
(:mod:`voltac.passes.arithmetic.fused_products`), so that no result hangs on whether rows are joined.

Of a ``foreach`` over rows and columns, too, whose places of rows lanes compute (:mod:`voltac.passes.loops.alike_lanes`).

Two loads are of the same place where their addresses are the same sum of products (:mod:`voltac.passes.loops.place_sums`).
What is loaded is of other objects than what is stored, so no load minds the order. Of the stores each object has one, whose
rows do not meet: that is asked for before the loop. (A call with one array for two parameters is taken only where no loop is
around the foreach, ``sema/analyses/overlaps.py``.) The same is touched, as for :mod:`voltac.passes.rows.jammed_rows`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, count

from voltac.ir.model import Block, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, pseudo_operation, read_access
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.loop_hints import loops_of_single_gangs
from voltac.passes.loops.place_sums import PlaceSums, Sum, difference
from voltac.passes.loops.preheader import Number, Preheader
from voltac.passes.loops.rests import SlowRest, slow_rests
from voltac.passes.loops.row_nests import WITHOUT_MEMORY, RowNest, is_of_lanes
from voltac.passes.loops.shiftable import ShiftableLoop
from voltac.records import record

_ROWS = 2
"""At a time. Of more rows more is in registers at once."""
_MOST_INSTRUCTIONS = 400
"""Of a gang, places of lanes included."""
_MOST_TOGETHER, _MOST_OF_BYTES = 600, 190
"""Of a gang of all rows, and of one that is to be done several at a time as well (``widen_gangs``). Chosen, not measured."""
_FEWEST_SHARED, _MOST_SHARED = 2, 24
"""Loads that are saved: one is not worth the code; of the stencils measured one of five rows by five saves most, 20."""
_SUMS = frozenset(("add", "sub", "mul"))
"""Operations on places."""
_WORD = 4
"""Bytes of elements that fill registers without several gangs."""
_WORTH = 6
"""One in so many loads has to be saved: of the five of a Laplacian two in ten are, 0.85 of the time."""


def jam_stencils(module: Module, options: Options) -> None:
    """Rewrite the module."""
    jammed, own = False, loops_of_single_gangs(module)
    for rest in slow_rests(module, options, _MOST_INSTRUCTIONS):
        if rest.several is None and (nest := _Stencil.of(rest, own)) is not None:
            nest.write(_ROWS, nest.copies, nest.are_apart)
            jammed = True
    if jammed:
        module.declare(["declare i32 @llvm.ssub.sat.i32(i32, i32)"])


@record
class _Rows:
    """What a store goes along: bytes from row to row, elements of a row, and bytes from one to the next."""

    stride: Sum
    extent: Sum
    step: int


class _Stencil(RowNest):
    """One whose rows load what neighbours load, too."""

    def __init__(self, inner: ShiftableLoop, outer: GangLoop, finished: Block, masked: Block) -> None:
        super().__init__(inner, outer, finished, masked)
        self._find_sums()
        self.rows: list[_Rows] = []
        """Of each store."""

    def _find_sums(self) -> None:
        inner, outer = self.inner, self.outer
        self.by_row = {outer.counter}
        """What may be another value in another row."""
        for each in (*self.before.instructions, *inner.loop.body.instructions, *self.masked.instructions):
            if each.name and not self.by_row.isdisjoint(each.names_used()):
                self.by_row.add(each.name)
        self.sums = PlaceSums(inner.values, outer.counter, outer.width, self.by_row)

    @staticmethod
    def of(rest: SlowRest, own: set[str]) -> _Stencil | None:
        """None where the rows may not be joined, or would not gain; ``own``: as in :meth:`parts`, of a foreach over rows."""
        parts = RowNest.parts(rest, 4 * _MOST_INSTRUCTIONS, own)
        nest = _Stencil(*parts) if parts is not None else None
        return nest if nest is not None and nest._gains() and nest._is_apart() and nest.is_fixed() else None

    def _gains(self) -> bool:
        """Whether rows load enough of the same, but no more than registers hold."""
        body = self.inner.loop.body.instructions
        loads = [each for each in body if pseudo_operation(each) == "gather"]
        first, all_ = ({self._place(each, row) for each in loads for row in range(rows)} for rows in (1, _ROWS))
        shared = _ROWS * len(first) - len(all_)
        if not _FEWEST_SHARED <= shared <= _MOST_SHARED or shared * _WORTH < _ROWS * len(first):
            return False
        numbers = count()
        names = [{self.outer.counter: f"%{row}"} for row in range(_ROWS)]
        together = self.copies(body[:-1], names, lambda stem: f"%{stem} {next(numbers)}")
        widens = len(body) <= _MOST_OF_BYTES and any(each.size < _WORD for each in self.inner.accesses)
        return len(together) <= (_MOST_OF_BYTES if widens else _MOST_TOGETHER)

    def _place(self, load: Instruction, row: int) -> tuple[object, ...]:
        """Equal for loads of the same lanes from the same places."""
        pointers, mask = load.operands[0], load.operands[-1].value
        differs = row if mask in self.by_row else -1
        return load.type, mask, differs, frozenset(self.sums.of_pointer(pointers, row).items())

    def _number(self, operand: Operand, row: int) -> tuple[object, ...]:
        """Equal for equal numbers."""
        return operand.type, frozenset(self.sums.of(operand, row).items())

    def _is_apart(self) -> bool:
        """Whether nothing that is stored is loaded, and each object is stored to by one store, row after row."""
        inner = self.inner
        for at, each in enumerate(self.masked.instructions[:-1]):
            operation = pseudo_operation(each)
            if operation in ("gather", "scatter"):
                self.accesses.append(read_access(at, each, operation, inner.values))
            elif each.op != "load" and each.op not in WITHOUT_MEMORY and not is_of_lanes(each) and not self._is_position(each):
                return False
        loads = [each for block in (inner.loop.body, self.masked) for each in block.instructions if each.op == "load"]
        if any(self.may_be_stored(load) for load in loads):
            return False
        stores = [each for each in inner.accesses if each.is_store]
        rest = [each for each in self.accesses[len(inner.accesses) :] if each.is_store]
        if not self._are_continued(stores, rest):
            return False
        others = [each for each in self.accesses if not each.is_store]
        for store in (*stores, *rest):
            if not all(inner.apart(store, each) for each in others):
                return False
        for number, store in enumerate(stores):
            if not all(inner.apart(store, each) for each in stores[number + 1 :]) or not self._goes_in_rows(store):
                return False
        return True

    def _are_continued(self, stores: list[Access], rest: list[Access]) -> bool:
        """Whether the rest stores where the whole gangs would."""
        position = next((each.name for each in self.masked.instructions if self._is_position(each)), "")
        counter = self.inner.loop.counter
        places = [self.sums.of_pointer(each.pointers, 0) for each in stores]
        moved = [
            {tuple(sorted(position if n == counter else n for n in names)): k for names, k in each.items()} for each in places
        ]
        return moved == [self.sums.of_pointer(each.pointers, 0) for each in rest]

    def _goes_in_rows(self, store: Access) -> bool:
        """Whether the store goes on by the same number of bytes from row to row, made of numbers from outside."""
        if not self.inner.loop.is_even(store):
            return False
        pointers, loop = store.pointers, self.inner.loop
        stride = difference(self.sums.of_pointer(pointers, 1), self.sums.of_pointer(pointers, 0))
        ends = (Operand("i32", self.inner.end), Operand("i32", loop.start))
        extent = difference(*(self.sums.of(each, 0) for each in ends))
        if not stride or not all(self._is_outside(name) for each in (stride, extent) for name in chain(*each)):
            return False
        self.rows.append(_Rows(stride, extent, abs(store.offsets[1] - store.offsets[0])))
        return True

    def _is_outside(self, name: str) -> bool:
        """Whether it is an integer that is known before the loop."""
        inside = name in self.outer.names and not any(each.name == name for each in self.outer.limits)
        return not inside and self._type_of(name) in ("i8", "i16", "i32", "i64")

    def _type_of(self, name: str) -> str:
        made = self.inner.values.definitions.get(name)
        if made is not None:
            return made.type
        return next((each.type for each in self.outer.function.parameters if each.name == name), "")

    @staticmethod
    def _is_position(instruction: Instruction) -> bool:
        """Whether it is where the rest begins."""
        return instruction.op == "call" and instruction.parts.callee == "@llvm.smax.i32"

    def are_apart(self, code: Preheader) -> str:
        """Whether each store's rows lie at least as far from each other as a row is long."""

        def extended(name: str) -> str:
            type_ = self._type_of(name)
            return name if type_ == "i64" else code.value(f"sext {type_} {name} to i64")

        def number(sum_: Sum) -> Number:
            total: Number = 0
            for names, factor in sorted(sum_.items()):
                product: Number = factor
                for name in names:
                    product = code.binary("mul", extended(name), product)
                total = code.binary("add", total, product)
            return total

        far = ""
        for each in self.rows:
            most = code.binary("sub", code.binary("mul", number(each.extent), each.step), 1)
            # Neither from -most to most.
            moved = code.binary("add", number(each.stride), most)
            one = code.value(f"icmp ugt i64 {moved}, {code.binary('mul', most, 2)}", "far")
            far = code.value(f"and i1 {far}, {one}", "far") if far else one
        # What is known before may be poison where the loop does nothing with it.
        return code.value(f"freeze i1 {far}", "far")

    def copies(
        self, instructions: list[Instruction], names: list[dict[str, str]], fresh: Callable[[str], str]
    ) -> list[Instruction]:
        """The instructions for each row with its ``names``, to which those of the results are added.

        What was computed or loaded before is taken as it is. Rows go side by side, so that it is so soon, and little is in
        registers meanwhile (a stencil of nine floats with AVX2: 0.75 of the time, one row after the other 1.15).
        """
        found: list[Instruction] = []
        counter = Operand("i32", self.outer.counter)
        known: dict[object, str] = {self._number(counter, row): each[counter.value] for row, each in enumerate(names)}
        for instruction in instructions:
            for row, renamed in enumerate(names):
                copy = Instruction(instruction.text)
                copy.rename(renamed)
                if instruction.name:
                    formula: object = copy.text.partition(" = ")[2].partition(", !")[0]
                    if pseudo_operation(instruction) == "gather":
                        formula = self._place(instruction, row)
                    elif instruction.op in _SUMS and not lanes_of(instruction.type):
                        formula = self._number(Operand(instruction.type, instruction.name), row)
                    if formula in known:
                        renamed[instruction.name] = known[formula]
                        continue
                    known[formula] = renamed[instruction.name] = fresh("of.row")
                    copy.text = copy.text.replace(instruction.name, renamed[instruction.name], 1)
                found.append(copy)
        if any(each is instruction for each in self.before.instructions for instruction in instructions):
            return found
        return _without_unused(found)


def _without_unused(instructions: list[Instruction]) -> list[Instruction]:
    """Without the places of loads that are taken from another row."""
    used: set[str] = set()
    found: list[Instruction] = []
    for each in reversed(instructions):
        if not each.name or each.name in used or not lanes_of(each.type) or each.op == "call":
            used.update(each.names_used())
            found.append(each)
    return found[::-1]
