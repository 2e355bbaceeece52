"""What is asked before rows are done one after the other, and in which order that is.

Rows of lanes are as far apart as they are long if the number of elements between them is no less than that of iterations;
where that number is not seen, the addresses of the first elements say so. What is loaded for all lanes from the memory that
they store to lies in none of their rows, or is one of them: the lane of this is done last, since the others take it as it was.
"""

from __future__ import annotations

from voltac.ir.constants import is_all_true
from voltac.ir.parts import Operand
from voltac.ir.types import lanes_of
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter
from voltac.passes.loops.iteration_blocks import IterationBlocks
from voltac.passes.loops.row_loops import Along, RowLoop


def splat(scalar: str, element: str, lanes: int, emit: Emitter) -> str:
    """A vector whose lanes are all one scalar."""
    one = emit.value("one", f"insertelement <{lanes} x {element}> poison, {element} {scalar}, i64 0")
    return emit.shuffle(f"<{lanes} x {element}>", one, "poison", [0] * lanes)


class RowTests:
    """Writes them, into the block that chooses."""

    def __init__(self, rows: RowLoop, blocks: IterationBlocks, bits: int) -> None:
        """``bits``: of a pointer."""
        self.rows = rows
        self.blocks = blocks
        self.emit = blocks.emit
        self.bits = bits
        self.pointers = [*(each.pointers for each in rows.stores), *(each.pointers for each in rows.loads.values())]
        self.same = ""
        """Bits of the lanes whose rows are loaded for all lanes, if there may be one."""
        self._firsts: dict[str, str] = {}

    def conditions(self, count: str) -> list[str]:
        """Of ``count`` iterations; all have to hold."""
        emit, rows = self.emit, self.rows
        lanes, mask = rows.lanes, rows.stores[0].mask
        for pointers in self.pointers:
            self.first(pointers)
        asked = [] if is_all_true(mask) else [emit.any_on(mask, lanes)]
        for access in {each.pointers.value: each for each in rows.stores}.values():
            asked.append(self._are_in_order(access, count))
            asked += [self._is_elsewhere(load, access, count) for load in rows.asked]
        if self.same:
            less = emit.value("less", f"add i{lanes} {self.same}, -1")
            both = emit.value("both", f"and i{lanes} {self.same}, {less}")
            asked.append(emit.value("one", f"icmp eq i{lanes} {both}, 0"))
        return asked

    def first(self, pointers: Operand) -> str:
        """Of the first iteration; frozen, since lanes that are off may have any."""
        if pointers.value not in self._firsts:
            early = self.blocks.before(pointers)
            self._firsts[pointers.value] = self.emit.value("frozen", f"freeze {pointers.type} {early}")
        return self._firsts[pointers.value]

    def _span(self, count: str, size: int) -> str:
        """Bytes of a row, as a number of the size of a pointer."""
        if self.bits < 64:
            count = self.emit.value("narrow", f"trunc i64 {count} to i{self.bits}")
        return self.emit.value("span", f"mul i{self.bits} {count}, {size}")

    def _number(self, pointers: Operand) -> str:
        lanes = lanes_of(pointers.type)
        kind = f"<{lanes} x i{self.bits}>" if lanes else f"i{self.bits}"
        return self.emit.value("number", f"ptrtoint {pointers.type} {self.first(pointers)} to {kind}")

    def _are_in_order(self, access: Access, count: str) -> str:
        """Whether each row begins behind the end of the one before."""
        emit, lanes = self.emit, self.rows.lanes
        stride = self.rows.stride(access.pointers)
        if stride is not None:
            wide = self.blocks.before(stride)
            if stride.type != "i64" and stride.value[0] == "%":
                wide = emit.value("wide", f"sext {stride.type} {wide} to i64")
            if stride.value[0] == "%":
                wide = emit.value("frozen", f"freeze i64 {wide}")
            return emit.value("far", f"icmp sge i64 {wide}, {count}")
        kind = f"<{lanes} x i{self.bits}>"
        numbers, span = self._number(access.pointers), self._span(count, access.size)
        behind = emit.shuffle(kind, numbers, "poison", [*range(1, lanes), lanes - 1])
        apart = emit.value("apart", f"sub {kind} {behind}, {numbers}")
        far = emit.value("far", f"icmp uge {kind} {apart}, {splat(span, f'i{self.bits}', lanes, emit)}")
        ascends = emit.value("ascends", f"icmp ugt {kind} {behind}, {numbers}")
        both = emit.value("both", f"and <{lanes} x i1> {far}, {ascends}")
        last = ", ".join(["i1 false"] * (lanes - 1) + ["i1 true"])
        return self._all(emit.value("fit", f"or <{lanes} x i1> {both}, <{last}>"))

    def _is_elsewhere(self, load: Along, access: Access, count: str) -> str:
        """Whether what is loaded for all lanes meets no row of a lane that is on, or is one: this lane is done last then."""
        emit, lanes, mask = self.emit, self.rows.lanes, self.rows.stores[0].mask
        size = self.rows.values.layout.size(load.element)
        number, numbers, span = self._number(load.pointers), self._number(access.pointers), self._span(count, access.size)
        element = f"i{self.bits}"
        kind = f"<{lanes} x {element}>"
        ends = emit.value("ends", f"add {kind} {numbers}, {splat(span, element, lanes, emit)}")
        end = emit.value("end", f"add {element} {number}, {self._span(count, size)}")
        start = splat(number, element, lanes, emit)
        behind = emit.value("behind", f"icmp uge {kind} {start}, {ends}")
        before = emit.value("before", f"icmp uge {kind} {numbers}, {splat(end, element, lanes, emit)}")
        fit = emit.value("fit", f"or <{lanes} x i1> {behind}, {before}")
        if size == access.size:
            same = emit.value("same", f"icmp eq {kind} {start}, {numbers}")
            fit = emit.value("fit", f"or <{lanes} x i1> {fit}, {same}")
            if not is_all_true(mask):
                same = emit.value("same", f"and <{lanes} x i1> {same}, {mask}")
            bits = emit.value("bits", f"bitcast <{lanes} x i1> {same} to i{lanes}")
            self.same = emit.value("same", f"or i{lanes} {self.same}, {bits}") if self.same else bits
        if not is_all_true(mask):
            off = emit.value("off", f"xor <{lanes} x i1> {mask}, splat (i1 true)")
            fit = emit.value("fit", f"or <{lanes} x i1> {fit}, {off}")
        return self._all(fit)

    def _all(self, mask: str) -> str:
        lanes = self.rows.lanes
        bits = self.emit.value("bits", f"bitcast <{lanes} x i1> {mask} to i{lanes}")
        return self.emit.value("all", f"icmp eq i{lanes} {bits}, -1")

    def turns(self) -> str:
        """A bit for each lane that is on, in the order in which they are done; 64 of them."""
        emit, lanes, mask = self.emit, self.rows.lanes, self.rows.stores[0].mask
        if is_all_true(mask):
            bits = str((1 << lanes) - 1)
        else:
            bits = emit.value("bits", f"bitcast <{lanes} x i1> {mask} to i{lanes}")
            bits = emit.value("bits", f"zext i{lanes} {bits} to i64")
        if not self.same:
            return bits
        same = emit.value("same", f"zext i{lanes} {self.same} to i64")
        last = emit.value("last", f"shl nuw i64 {same}, {lanes}")
        others = emit.value("others", f"xor i64 {bits}, {same}")
        return emit.value("turns", f"or disjoint i64 {others}, {last}")
