"""Accesses of a gang of which one lane is on -> that lane's, in scalars.

    %mask = icmp eq <8 x i64> <i64 0, ... i64 7>, %splat of %lane            foreach_active (lane) { counts[at]++; }
    %old = call <8 x i32> @volta.gather.v8i32(<8 x ptr> %p, <8 x i1> %mask)
    %new = add <8 x i32> %old, splat (i32 1)
    call void @volta.scatter.v8i32(<8 x i32> %new, <8 x ptr> %p, <8 x i1> %mask)
    ->
    %at = ...lane of what %p is computed from
    %place = getelementptr i32, ptr %counts, i64 %at
    %old.lane = load i32, ptr %place
    %new.lane = add i32 %old.lane, 1
    store i32 %new.lane, ptr %place

So with ``if (programIndex == 0)``. What is computed of what the lane loaded, and its places, are computed for that lane; other
values leave their vector. That one is on, not none, is so where the lane's number is constant, where it is the lowest bit of
lanes that wait, of which a loop does one after the other, and where a branch has asked for any lane.
"""

from __future__ import annotations

from collections.abc import Iterator

from voltac.ir import match as m
from voltac.ir.cfg import control_flow
from voltac.ir.constants import integers, is_all_true, splatted
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import Definitions, made_by, scalar_of_splat
from voltac.ir.model import Block, Instruction, Module
from voltac.ir.parts import BINARY, FLOAT_BINARY, Operand
from voltac.ir.types import element_of, integer_bits, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import Access, AccessReport, pseudo_operation, read_access
from voltac.passes.accesses.available_loads import conjuncts, mask_implies
from voltac.passes.accesses.rewriting import AccessRewriting, FunctionRewriting
from voltac.passes.loops.lane_loops import ANY_LANE
from voltac.passes.loops.lane_texts import ZEROS
from voltac.passes.loops.same_operation import same_operation
from voltac.records import record
from voltac.system.lazy_patterns import lazy_pattern

_ONE_LANE = lazy_pattern(r"i(?:32|64) 0, i(?:32|64) 1[,>]")
"""Lanes' numbers, which one is compared with."""
_WAYS = 2
"""Of a branch by a condition."""
_LOWEST = "@llvm.cttz."
_PLACES = frozenset(("getelementptr", "sext", "zext", "trunc"))
_DIVISIONS = frozenset(("udiv", "sdiv", "urem", "srem"))
_COMPUTED = frozenset((*BINARY, *FLOAT_BINARY)) - _DIVISIONS
_OF_MASKS = frozenset(("icmp", "fcmp", "select", "freeze"))
_MOST_DEEP = 8
"""Operations one upon the other that are done for the lane. Chosen."""
_REASON = "one lane is on"


def access_single_lanes(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the accesses that became scalar."""
    rewriting = AccessRewriting(module, options)
    looked_at: set[int] = set()
    for function in module.often_called:
        if any("icmp eq <" in each.text and _ONE_LANE.search(each.text) for each in function.instructions()):
            looked_at |= {id(each) for each in function.blocks if _asks(each) or any(map(_is_masked, each.instructions))}
    for part in rewriting.with_blocks(lambda block: id(block) in looked_at) if looked_at else ():
        before = control_flow(part.function).predecessors
        # Before branches ask for one lane.
        asked = [_asked(block, before.get(block.name, []), part) for block in part.blocks]
        again: dict[str, _Writer] = {}
        for block, mask in zip(part.blocks, asked, strict=True):
            lanes = _lanes_of_masks(block, mask, part.values)
            if lanes or _asks(block):
                _Writer(part, again, mask).run(rewriting, block, lanes)
        for block in part.function.blocks if again else ():
            pairs = [(each, again.get(each.name)) for each in block.instructions]
            block.instructions = [
                new for each, lanes_of_it in pairs for new in (each, *(lanes_of_it.made if lanes_of_it else ()))
            ]
    return rewriting.finish()


def _asks(block: Block) -> bool:
    return block.terminator.op == "br" and len(block.terminator.parts.labels) == _WAYS


def _is_masked(each: Instruction) -> bool:
    return bool(pseudo_operation(each)) and each.operands[-1].value[0] == "%"


@record
class _Lane:
    """Which lane is on: a constant, or a number of the type."""

    name: str
    type: str
    number: int | None
    is_one: bool
    """Of the gang: so it is on where nothing else is asked."""


def _asked(block: Block, before: list[str], part: FunctionRewriting) -> str:
    """The mask of which some lane is on where the block is begun; empty if none is known."""
    if len(before) != 1:
        return ""
    branch = part.function.block(before[0]).terminator
    labels = branch.parts.labels
    if branch.op != "br" or len(labels) != _WAYS or labels[0] != block.name or labels[1] == block.name:
        return ""
    asked = ANY_LANE.find(branch.operands[0].value, part.values.definitions)
    return asked["mask"].value if asked is not None else ""


def _lanes_of_masks(block: Block, asked: str, values: LaneValues) -> dict[str, _Lane]:
    """Masks of accesses -> the one lane that is on."""
    masks = {each.operands[-1].value for each in block.instructions if _is_masked(each)}
    return {mask: lane for mask in masks if (lane := _lane_on(mask, asked, values)) is not None}


def _compares(values: LaneValues, mask: str) -> Iterator[tuple[str, _Lane]]:
    """What a mask asks of the lanes' numbers, each with the lane that it holds for."""
    for name in (name for name, holds in conjuncts(mask, values).items() if holds):
        compared = made_by(("icmp",), name, values.definitions)
        if compared is None or compared.parts.predicate != "eq":
            continue
        for ids, same in (compared.operands, reversed(compared.operands)):
            lanes = lanes_of(ids.type)
            if lanes and integers(ids.type, ids.value) == tuple(range(lanes)):
                lane = _number(same, lanes, values.definitions)
                if lane is not None:
                    yield name, lane


def _lane_on(mask: str, asked: str, values: LaneValues) -> _Lane | None:
    """The lane that is on, and no other is."""
    needed = conjuncts(mask, values)
    for name, lane in _compares(values, mask):
        alone = all(holds and mask_implies(name, each, values) for each, holds in needed.items())
        if (alone and lane.is_one) or (asked and mask_implies(asked, mask, values)):
            return lane
    return None


def _number(same: Operand, lanes: int, definitions: Definitions) -> _Lane | None:
    element = element_of(same.type)
    constants = integers(same.type, same.value)
    if constants is not None:
        is_one = len(set(constants)) == 1 and 0 <= constants[0] < lanes
        return _Lane(str(constants[0]), element, constants[0], True) if is_one else None
    scalar = scalar_of_splat(same.value, definitions)
    if scalar is None:
        return None
    return _Lane(scalar.value, element, None, _is_waiting(scalar.value, lanes, definitions))


def _is_waiting(lane: str, lanes: int, definitions: Definitions) -> bool:
    """Whether it is the lowest of bits that are no more than the lanes, one of which is set."""
    made = definitions.get(m.source(lane, ("zext", "sext", "trunc"), definitions))
    if made is None or made.op != "call" or not made.parts.callee.startswith(_LOWEST) or made.operands[1].value != "true":
        return False
    pending, seen = [made.operands[0]], set[str]()
    while pending:
        bits = pending.pop()
        if bits.value in seen:
            continue
        seen.add(bits.value)
        if integer_bits(bits.type) <= lanes:
            continue
        made = definitions.get(bits.value)
        if made is None:
            return False
        if made.op == "phi":
            pending += made.operands
        elif made.op == "zext":
            pending.append(made.operands[0])
        elif made.op == "and":
            # Either side has no other bits: that which the loop carries on.
            pending.append(next((each for each in made.operands if each.value in seen), made.operands[0]))
        else:
            return False
    return True


class _Writer:
    """Of one block, or of what stands behind an instruction: those are in ``again``, by its name."""

    def __init__(self, part: FunctionRewriting, again: dict[str, _Writer], asked: str = "") -> None:
        self.part, self.again, self.asked = part, again, asked
        self.values: LaneValues = part.values
        self.definitions: Definitions = part.values.definitions
        self.fresh = part.emitter.fresh
        self.made: list[Instruction] = []
        self.attached = ""
        self.lane_asked = {lane.name for _, lane in _compares(self.values, asked)} if asked else set[str]()
        """The lane of which ``asked`` is, if it is of one."""
        self.known: dict[tuple[str, str], str] = {}
        """Value and lane -> that lane of it."""
        self.loaded: set[tuple[str, str]] = set()
        """Those that are made of what the lane alone loaded."""

    def run(self, module: AccessRewriting, block: Block, lanes: dict[str, _Lane]) -> None:
        """Rewrite the block; ``lanes``: the masks of its accesses of one lane."""
        for index, each in enumerate(block.instructions):
            operation = pseudo_operation(each)
            lane = lanes.get(each.operands[-1].value) if operation else None
            if lane is None:
                self.made.append(each)
                continue
            access = read_access(index, each, operation, self.values)
            module.report("scalar", access, self.part.function, block.name, _REASON)
            debug = each.parts.metadata.get("dbg")
            self.attached = f", !dbg {debug}" if debug else ""
            self._write(each, access, operation, lane)
        if _asks(block):
            self._ask(block.terminator)
        block.instructions = self.made

    def _ask(self, branch: Instruction) -> None:
        """Ask the lane that is the only one asked, where that hangs on what it loaded."""
        asked = ANY_LANE.find(branch.operands[0].value, self.definitions)
        if asked is None:
            return
        mask = asked["mask"]
        for name, lane in _compares(self.values, mask.value):
            if lane.is_one and self._hangs_on_loaded(mask, lane, _MOST_DEEP):
                self.known[name, lane.name] = "true"
                self.made.pop()
                condition = self._lane(mask, lane)
                self.made.append(Instruction(branch.text.replace(branch.operands[0].value, condition, 1)))
                return

    def _write(self, each: Instruction, access: Access, operation: str, lane: _Lane) -> None:
        element, place = access.element, each.operands[1 if access.is_store else 0]
        if operation in ("gather", "scatter"):
            pointer = self._lane(place, lane)
        else:
            pointer = self._value("place", f"getelementptr {element}, ptr {place.value}, {lane.type} {lane.name}")
        if access.is_store:
            value = self._lane(each.operands[0], lane)
            self.made.append(Instruction(f"  store {element} {value}, ptr {pointer}, align {access.size}{self.attached}"))
            return
        loaded = self._value("of.lane", f"load {element}, ptr {pointer}, align {access.size}")
        # Lanes that are off are some number: a program may look at them.
        whole = f"insertelement {each.type} zeroinitializer, {element} {loaded}, {lane.type} {lane.name}"
        self.made.append(Instruction(f"  {each.name} = {whole}"))
        self.known[each.name, lane.name] = loaded
        self.loaded.add((each.name, lane.name))

    def _value(self, stem: str, text: str) -> str:
        name = self.fresh(stem)
        self.made.append(Instruction(f"  {name} = {text}{self.attached}"))
        return name

    def _lane(self, operand: Operand, lane: _Lane, depth: int = _MOST_DEEP) -> str:
        """A lane of a value."""
        kind, value = operand.type, operand.value
        if not lanes_of(kind):
            return value
        element, key = element_of(kind), (value, lane.name)
        if key in self.known:
            return self.known[key]
        if (same := self._same(kind, value, lane)) is not None:
            return same
        if lane.name in self.lane_asked and self._is_mask(value) and mask_implies(self.asked, value, self.values):
            # Some lane of it is on here: this one.
            return "true" if element == "i1" else "-1"
        made = self.definitions.get(value)
        if made is not None and depth and self._is_computed(made, lane, depth):
            given = [self._lane(each, lane, depth - 1) for each in made.operands]
            text = same_operation(made, element, [element_of(each.type) for each in made.operands], given)
            self.known[key] = self._value("of.lane", text)
            if any((each.value, lane.name) in self.loaded for each in made.operands):
                self.loaded.add(key)
        else:
            loaded = self._loaded_again(made, lane) if made is not None else ""
            self.known[key] = loaded or self._value("of.lane", f"extractelement {kind} {value}, {lane.type} {lane.name}")
        return self.known[key]

    def _is_mask(self, value: str) -> bool:
        """Whether each lane is all ones or zeros."""
        made = self.definitions.get(value)
        if made is None or element_of(made.type) == "i1":
            return made is not None
        if made.op == "sext":
            return element_of(made.operands[0].type) == "i1"
        return made.op == "and" and all(self._is_mask(each.value) for each in made.operands)

    def _loaded_again(self, made: Instruction, lane: _Lane) -> str:
        """A lane of what all loaded at regular places, loaded by itself behind that; empty for another value."""
        if lane.number is None or pseudo_operation(made) != "gather" or not is_all_true(made.operands[1].value):
            return ""
        access = read_access(0, made, "gather", self.values)
        if access.address is None:
            return ""
        if made.name not in self.again:
            self.again[made.name] = _Writer(self.part, self.again)
        behind, key = self.again[made.name], (made.name, lane.name)
        if key not in behind.known:
            pointer = behind._lane(made.operands[0], lane)
            behind.known[key] = behind._value("of.lane", f"load {access.element}, ptr {pointer}, align {access.size}")
        return behind.known[key]

    def _same(self, kind: str, value: str, lane: _Lane) -> str | None:
        """Of constants and of values that are the same in all lanes."""
        element = element_of(kind)
        if value == "zeroinitializer":
            return ZEROS.get(element, "0")
        if (one := splatted(value) or scalar_of_splat(value, self.definitions)) is not None:
            return one.value
        constants = integers(kind, value) if value[0] != "%" and integer_bits(element) > 1 else None
        if constants is None:
            return None
        if lane.number is not None:
            return str(constants[lane.number])
        return lane.name if element == lane.type and constants == tuple(range(len(constants))) else None

    def _is_computed(self, made: Instruction, lane: _Lane, depth: int) -> bool:
        """Whether the lane is computed by itself: of what it alone loaded, and a place of one number that leaves its vector."""
        if made.op in _PLACES:
            return True
        return made.op in (*_COMPUTED, *_OF_MASKS) and (
            any(self._hangs_on_loaded(each, lane, depth) for each in made.operands)
            or any(self._same(each.type, each.value, lane) is not None for each in made.operands)
        )

    def _hangs_on_loaded(self, operand: Operand, lane: _Lane, depth: int) -> bool:
        if (operand.value, lane.name) in self.loaded:
            return True
        made = made_by(_COMPUTED | _PLACES | _OF_MASKS, operand.value, self.definitions)
        return made is not None and depth > 0 and any(self._hangs_on_loaded(each, lane, depth - 1) for each in made.operands)
