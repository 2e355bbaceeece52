"""Gathers of the lanes that are left where a foreach ends, by indices that memory holds -> a load for each lane that is on.

    %on = icmp ult <8 x i32> <i32 0, i32 1, ...>, splat of %rest
    %k = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr %indices, <8 x i1> %on, zeroinitializer)
    %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %base + %k, <8 x i1> %on, zeroinitializer)
    ->
    %v = call <8 x float> @rest.gather.v8float.sext.0(ptr %base, ptr %indices, i32 %rest)           a function that is inlined:

    test.2:  br (%rest > 2), lane.2, done
    lane.2:  the index, the element, its insertion; br test.3

A gather instruction takes as long for one lane as for all of them, and rows of sparse matrices end in such a rest each. Only
within loops: elsewhere a rest is done once, and the code is longer. Lanes that are off touch no memory. Where all gangs are
masked, to be compared with those of which all lanes are on, gathers stay. A switch that jumps to the last lane takes 2.5 times
as long where rows are of random lengths: processors foresee branches better than jumps.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.cfg import control_flow
from voltac.ir.constants import integers, splatted
from voltac.ir.match import Definitions, made_by, scalar_of_splat
from voltac.ir.model import Block, Instruction, Module
from voltac.ir.types import element_of, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import AccessReport, SourcePlaces, locations
from voltac.passes.accesses.cost_rows import cost_row
from voltac.passes.lanes.some_lanes import processor_attributes
from voltac.records import record

_ELEMENTS = {"float": 4, "i32": 4, "double": 8, "i64": 8}
"""Those that are gathered -> their bytes."""
_GROUP = 16
"""Bytes of the vectors that elements are inserted into: wider ones would be taken apart for each."""
_MOST_LANES = 16
"""Each has a test and a load in the code. Chosen: gangs of more are for bytes."""
_FIRST = m.op("icmp", m.constant("lanes"), m.value("count"), predicate="ult")
_MORE = m.add(m.constant("more"), m.value("loaded"), flag="nsw")
_LESS = m.op("sub", m.value("loaded"), m.constant("more"), flag="nsw")


def gather_rests(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of what was a gather under a mask until now."""
    if cost_row(options.target).native_loaded_gather:
        return []
    helpers: dict[str, list[str]] = {}
    reports: list[AccessReport] = []
    places: SourcePlaces | None = None
    for function in module.often_called:
        with_gathers = [block for block in function.blocks if any(map(_is_gather, block.instructions))]
        if not with_gathers:
            continue
        loops = control_flow(function).loop_of
        definitions = function.definitions()
        for block in with_gathers:
            if block.name not in loops:
                continue
            for instruction in filter(_is_gather, block.instructions):
                rest = _rest(instruction, block, definitions)
                if rest is not None:
                    places = places or SourcePlaces(locations(module))
                    reports.append(_report(rest, function.name, block.name, instruction, places))
                    attached = instruction.parts.metadata.get("dbg")
                    instruction.text = rest.call() + (f", !dbg {attached}" if attached else "")
                    if rest.helper not in helpers:
                        helpers[rest.helper] = rest.definition(processor_attributes(module))
    module.items += helpers.values()
    return reports


def _report(rest: _Rest, function: str, block: str, gather: Instruction, places: SourcePlaces) -> AccessReport:
    where = (*places.of(gather), _REASON, False, places.inlined(gather))
    return AccessReport("rest", "load", function, block, rest.element, rest.lanes, *where)


_REASON = "a gather takes as long for one lane as for all"


def _is_gather(instruction: Instruction) -> bool:
    return instruction.op == "call" and "@llvm.masked.gather." in instruction.text


def _rest(gather: Instruction, block: Block, definitions: Definitions) -> _Rest | None:
    """What is gathered, if it is of the first lanes by indices that are still in memory."""
    places, mask, others = gather.operands
    lanes, element = lanes_of(gather.type), element_of(gather.type)
    first = _FIRST.find(mask.value, definitions)
    count = None if first is None else scalar_of_splat(first["count"].value, definitions)
    place = made_by(("getelementptr",), places.value, definitions)
    if first is None or count is None or place is None or others.value != "zeroinitializer" or element not in _ELEMENTS:
        return None
    if lanes > _MOST_LANES or count.type != "i32" or integers(first["lanes"].type, first["lanes"].value) != tuple(range(lanes)):
        return None
    base, *indices = place.operands
    extended = made_by(("sext", "zext"), indices[0].value, definitions)
    if lanes_of(base.type) or len(indices) > 1 or place.parts.element_type != element or extended is None:
        return None
    loaded, more = _without_constant(extended, definitions)
    load = made_by(("call",), loaded, definitions)
    if load is None or not load.parts.callee.startswith("@llvm.masked.load.") or load.operands[1].value != mask.value:
        return None
    if element_of(load.type) != "i32" or not _still_there(load, gather, block):
        return None
    return _Rest(gather.name, lanes, element, count.value, base.value, load.operands[0].value, extended.op, more)


def _without_constant(extended: Instruction, definitions: Definitions) -> tuple[str, int]:
    """What is extended without the number that is added to it in all lanes, and that; where the sum does not wrap around."""
    name = extended.operands[0].value
    if extended.op == "sext":
        for pattern, sign in ((_MORE, 1), (_LESS, -1)):
            found = pattern.find(name, definitions)
            number = None if found is None else splatted(found["more"].value)
            if found is not None and number is not None:
                return found["loaded"].value, sign * int(number.value)
    return name, 0


def _still_there(load: Instruction, gather: Instruction, block: Block) -> bool:
    """Whether nothing between the two may change memory."""
    between = False
    for instruction in block.instructions:
        if instruction is gather:
            return between
        if instruction is load:
            between = True
        elif between and (instruction.op in ("store", "atomicrmw", "cmpxchg", "fence") or _may_write(instruction)):
            return False
    return False


def _may_write(instruction: Instruction) -> bool:
    return instruction.op == "call" and not instruction.parts.callee.startswith(_READERS)


_READERS = ("@llvm.masked.load.", "@llvm.masked.gather.", "@rest.gather.", "@llvm.smax.", "@llvm.smin.", "@llvm.fma.")
"""Calls that stand between such accesses and change no memory; with others the gather stays."""


@record
class _Rest:
    """A gather of the first lanes."""

    name: str
    lanes: int
    element: str
    count: str
    """Of lanes that are on, an i32; the gang may have fewer."""
    base: str
    indices: str
    """Where the index of the first lane is."""
    extension: str
    more: int
    """What is added to each index."""

    @property
    def helper(self) -> str:
        """The function's name."""
        return f"@rest.gather.v{self.lanes}{self.element}.{self.extension}.{self.more}".replace("-", "minus.")

    def call(self) -> str:
        """The instruction in place of the gather."""
        vector = f"<{self.lanes} x {self.element}>"
        return f"  {self.name} = call {vector} {self.helper}(ptr {self.base}, ptr {self.indices}, i32 {self.count})"

    def definition(self, processor: str) -> list[str]:
        """The function: a test and a block for each lane."""
        lanes, element, size = self.lanes, self.element, _ELEMENTS[self.element]
        vector, each = f"<{lanes} x {element}>", min(lanes, _GROUP // size)
        group = f"<{each} x {element}>"
        lines = [
            f"define internal {vector} {self.helper}(ptr %base, ptr %indices, i32 %count) alwaysinline nounwind {processor} {{",
            "entry:",
            f"  %moved = getelementptr {element}, ptr %base, i64 {self.more}",
            "  br label %test.0",
        ]
        for lane in range(lanes):
            before = "zeroinitializer" if lane % each == 0 else f"%with.{lane - 1}"
            lines += [
                f"test.{lane}:",
                f"  %on.{lane} = icmp ugt i32 %count, {lane}",
                f"  br i1 %on.{lane}, label %lane.{lane}, label %done",
                f"lane.{lane}:",
                f"  %index_at.{lane} = getelementptr i32, ptr %indices, i64 {lane}",
                f"  %index.{lane} = load i32, ptr %index_at.{lane}, align 4",
                f"  %wide.{lane} = {self.extension} i32 %index.{lane} to i64",
                f"  %place.{lane} = getelementptr {element}, ptr %moved, i64 %wide.{lane}",
                f"  %element.{lane} = load {element}, ptr %place.{lane}, align {size}",
                f"  %with.{lane} = insertelement {group} {before}, {element} %element.{lane}, i64 {lane % each}",
                f"  br label %{f'test.{lane + 1}' if lane + 1 < lanes else 'done'}",
            ]
        lines.append("done:")
        parts, width = [f"%group.{first}" for first in range(0, lanes, each)], each
        for first, name in zip(range(0, lanes, each), parts, strict=True):
            arms = []
            for left in range(lanes + 1):
                filled = min(left, first + each) - 1
                value = f"%with.{filled}" if filled >= first else "zeroinitializer"
                arms.append(f"[ {value}, %{f'test.{left}' if left < lanes else f'lane.{lanes - 1}'} ]")
            lines.append(f"  {name} = phi {group} {', '.join(arms)}")
        while len(parts) > 1:
            places = ", ".join(f"i32 {place}" for place in range(2 * width))
            joined = [f"%joined.{width}.{at}" for at in range(0, len(parts), 2)]
            for name, low, high in zip(joined, parts[::2], parts[1::2], strict=True):
                operands = f"<{width} x {element}> {low}, <{width} x {element}> {high}"
                lines.append(f"  {name} = shufflevector {operands}, <{2 * width} x i32> <{places}>")
            parts, width = joined, 2 * width
        return [*lines, f"  ret {vector} {parts[0]}", "}"]
