"""The SPMD memory accesses of a function, and what the passes made of each."""

from __future__ import annotations

import os

from voltac.ir import lane_formulas, marks
from voltac.ir.constants import is_all_true
from voltac.ir.lane_formulas import LaneValue
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.pseudo_operations import ACCESSES, DIVISOR, PREFIX
from voltac.ir.strings import unescaped
from voltac.ir.types import element_of, lanes_of
from voltac.records import mutable_record, record
from voltac.system.lazy_patterns import lazy_pattern


@record
class Touched:
    """Memory an instruction reads or writes: bytes ``low`` to ``high`` (exclusive) from ``address``; None for anywhere in the
    object that ``root`` points to, or, if that is empty, anywhere."""

    address: LaneValue | None
    low: int = 0
    high: int = 0
    root: str = ""
    """The pointer everything is counted from."""

    @property
    def element(self) -> int:
        """Bytes of each lane; 0 where lanes are not all that is touched."""
        if self.address is None or min(self.address.offsets) != self.low:
            return 0
        return self.high - max(self.address.offsets)

    def passes_between(self, other: Touched) -> bool:
        """Whether no lane of one, counted from the same, meets a lane of the other: members of structs lie one in the other."""
        size, others = self.element, other.element
        if size <= 0 or others <= 0 or self.address is None or other.address is None:
            return False
        taken = {offset + byte for offset in self.address.offsets for byte in range(size)}
        return all(taken.isdisjoint(range(offset, offset + others)) for offset in other.address.offsets)


def touched_range(address: LaneValue | None, low: int, high: int) -> Touched:
    """The bytes ``low`` to ``high`` from an address, counted from the one pointer in it; anywhere where it is None."""
    if address is None:
        return Touched(None)
    return Touched(address, low, high, next(symbol.name for symbol in address.terms if symbol.kind == "pointer"))


@mutable_record(eq=False)
class Access:
    """One pseudo operation, read."""

    index: int
    """Position in its block."""
    instruction: Instruction
    is_store: bool
    element: str
    """IR type of one lane."""
    lanes: int
    size: int
    """Bytes of one lane."""
    mask: str
    pointers: Operand
    """``<W x ptr>``, or the scalar pointer of consecutive elements."""
    value: str
    """What a store writes."""
    address: LaneValue | None
    """Formula of the pointer of each lane; None for an irregular one."""
    memory: Touched
    """What it may touch, as one range."""
    readable: bool = False
    """All lanes may be read, whatever the mask says, because the program touches the memory of all of them."""

    alignment: int = 0
    """Bytes that divide the address of each lane; 0 for those of an element."""

    @property
    def align(self) -> int:
        """What loads and stores may claim of it."""
        return self.alignment or self.size

    @property
    def all_on(self) -> bool:
        """The mask is known to have every lane on."""
        return is_all_true(self.mask)

    @property
    def vector(self) -> str:
        """IR type of all lanes."""
        return f"<{self.lanes} x {self.element}>"

    @property
    def offsets(self) -> tuple[int, ...]:
        """Byte offsets of the lanes from the uniform part."""
        assert self.address is not None
        return self.address.offsets

    @property
    def is_uniform(self) -> bool:
        """All lanes have one address."""
        return self.address is not None and self.address.is_uniform

    @property
    def is_consecutive(self) -> bool:
        """Each lane's element follows that of the lane before."""
        if self.address is None:
            return False
        start = self.address.offsets[0]
        return all(offset == start + lane * self.size for lane, offset in enumerate(self.address.offsets))


_NOTABLE = frozenset(("gather", "scatter", "scalar", "shuffled"))


@record
class AccessReport:
    """What became of one access."""

    kind: str
    """``broadcast``, ``vector``, ``masked``, ``shuffled``, ``gather``, ``scatter``, ``scalar``, ``shared``, ``merged``, ``run``
    (loaded by one lane after the other), ``copied`` (with all others at once), ``rest`` (what was a gather of the lanes that
    are left, by a load for each)."""
    operation: str
    """``load`` or ``store``."""
    function: str
    block: str
    element: str
    lanes: int
    file: str
    """Path of the source file, empty where it is not known."""
    line: int
    """Source line, 0 where it is not known; likewise the column."""
    column: int
    reason: str
    all_on: bool
    """All lanes are known to be on."""
    inlined: tuple[tuple[int, int], ...]
    """Line and column of the calls through which it came into the function, innermost first."""

    @property
    def is_notable(self) -> bool:
        """Something may have to be told of it."""
        return self.kind in _NOTABLE or (self.kind == "broadcast" and self.operation == "store")

    @property
    def is_masked(self) -> bool:
        """It belongs to a path for some of the lanes, beside which there may be one for whole gangs."""
        return ".masked" in self.block or ".mixed" in self.block

    @property
    def is_wrapping(self) -> bool:
        """It is for the case that its index wraps around; beside it there is one for all others."""
        return marks.is_seldom_called(self.block)

    @property
    def is_uneven(self) -> bool:
        """It is for distances that are no power of two; beside it there are those for such distances."""
        return marks.is_uneven(self.block)

    @property
    def is_at_edge(self) -> bool:
        """It is for gangs whose indices meet their bounds; beside it there is one for those between."""
        return marks.is_at_edge(self.block)

    @property
    def is_rare(self) -> bool:
        """A program mostly does the same access in another way."""
        return self.is_wrapping or self.is_uneven or self.is_at_edge


_MARK = "@" + PREFIX
_MARK_OF_DIVISORS = f"@{DIVISOR}."


def pseudo_operation(instruction: Instruction) -> str:
    """``gather``, ``scatter``, ``load``, ``store``, or an empty string for any other instruction."""
    if instruction.op != "call" or _MARK not in instruction.text:
        return ""
    callee = instruction.parts.callee
    operation = callee[1 + len(PREFIX) :].partition(".")[0] if callee.startswith("@" + PREFIX) else ""
    return operation if PREFIX + operation in ACCESSES else ""


def lane_steps(access: Access) -> list[int]:
    """Bytes from each lane's element to that of the next."""
    return [after - before for before, after in zip(access.offsets, access.offsets[1:])]


def is_divisor(instruction: Instruction) -> bool:
    """Whether it only asks for a failure where a divisor is zero, which changes nothing in the function."""
    return _MARK_OF_DIVISORS in instruction.text and instruction.op == "call"


def read_access(index: int, instruction: Instruction, operation: str, values: LaneValues) -> Access:
    """The access a pseudo operation stands for."""
    operands = instruction.operands
    is_store = operation in ("scatter", "store")
    pointers, mask = operands[-2], operands[-1].value
    vector = operands[0].type if is_store else instruction.type
    count, element = lanes_of(vector), element_of(vector)
    size = values.layout.size(element)
    if operation in ("load", "store"):
        steps = tuple(size * lane for lane in range(count))
        address = _with_steps(values.scalar(pointers.type, pointers.value), steps, values)
        if address is None:
            # A pointer made of integers, of other pointers or of a lane of some is a base of its own.
            address = _with_steps(values.symbol_of(pointers.type, pointers.value), steps, values)
    else:
        address = with_base(values.of(pointers))
    low, high = (min(address.offsets), max(address.offsets) + size) if address is not None else (0, 0)
    memory = touched_range(address, low, high) if address is not None else Touched(None, root=_root(pointers, values))
    return Access(index, instruction, is_store, element, count, size, mask, pointers, operands[0].value, address, memory)


def _root(pointers: Operand, values: LaneValues) -> str:
    """The one pointer that the pointers of all lanes are counted from; empty where it is not seen."""
    while pointers.value[0] == "%":
        made = values.definitions.get(pointers.value)
        if made is None or made.op != "getelementptr":
            return pointers.value if pointers.type == "ptr" else ""
        pointers = made.operands[0]
    return pointers.value if pointers.value[0] == "@" else ""


def _with_steps(start: LaneValue, steps: tuple[int, ...], values: LaneValues) -> LaneValue | None:
    """Addresses of elements in a row; None if the first is not counted from one pointer, or they go around the end of all."""
    address = lane_formulas.add(start.splat(len(steps)), lane_formulas.constant(start.bits, steps), (), values.facts)
    first = address.offsets[0]
    return with_base(address) if all(offset == first + step for offset, step in zip(address.offsets, steps)) else None


def with_base(address: LaneValue | None) -> LaneValue | None:
    """Only a sum with exactly one pointer in it can be addressed."""
    if address is None:
        return None
    pointers = [factor for symbol, factor in address.terms.items() if symbol.kind == "pointer"]
    return address if pointers == [1] else None


_LOCATION = lazy_pattern(r"line: (\d+)(?:, column: (\d+))?")
_INLINED = lazy_pattern(r"\binlinedAt: (!\d+)")
_MOST_CALLS = 50
"""Places of calls around an inlined instruction. What is inlined is not recursive: only metadata that is broken goes
round."""
_SCOPE = lazy_pattern(r"\bscope: (!\d+)")
_FILE = lazy_pattern(r"\bfile: (!\d+)")
_PATH = lazy_pattern(r'filename: "([^"]*)", directory: "([^"]*)"')


def locations(module: Module) -> dict[str, str]:
    """The metadata that :class:`SourcePlaces` reads: name -> node."""
    found: dict[str, str] = {}
    for line in module.lines():
        if "!DI" in line and line.startswith("!"):
            name, _, body = line.partition(" = ")
            found[name] = body
    return found


class SourcePlaces:
    """``!dbg !12`` -> file, line and column, from the metadata of the module."""

    def __init__(self, lines: dict[str, str]) -> None:
        self._lines = lines

    def of(self, instruction: Instruction) -> tuple[str, int, int]:
        """File, line and column of the source; empty and 0 where they are not known."""
        attached = instruction.parts.metadata.get("dbg", "")
        location = self._lines.get(attached, attached)
        found = _LOCATION.search(location)
        if found is None:
            return "", 0, 0
        return self._file(location), int(found.group(1)), int(found.group(2) or 0)

    def inlined(self, instruction: Instruction) -> tuple[tuple[int, int], ...]:
        """Line and column of the calls that were inlined, innermost first."""
        found: list[tuple[int, int]] = []
        for location in self._chain(instruction)[1:]:
            place = _LOCATION.search(location)
            found.append((int(place.group(1)), int(place.group(2) or 0)) if place else (0, 0))
        return tuple(found)

    def outermost(self, instruction: Instruction) -> tuple[str, int, int]:
        """File, line and column of the call through which an instruction was inlined first, or its own."""
        location = self._chain(instruction)[-1]
        place = _LOCATION.search(location)
        return (self._file(location), int(place.group(1)), int(place.group(2) or 0)) if place else ("", 0, 0)

    def _chain(self, instruction: Instruction) -> list[str]:
        """The location of an instruction, and those of the calls that were inlined."""
        attached = instruction.parts.metadata.get("dbg", "")
        chain = [self._lines.get(attached, attached)]
        while len(chain) <= _MOST_CALLS and (call := _INLINED.search(chain[-1])) is not None:
            chain.append(self._lines.get(call.group(1), ""))
        return chain

    def _file(self, node: str) -> str:
        # A scope is a function or a block in one; both name their file.
        scope = _SCOPE.search(node)
        file = _FILE.search(self._lines.get(scope.group(1), "")) if scope else None
        path = _PATH.search(self._lines.get(file.group(1), "")) if file else None
        if path is None:
            return ""
        name, folder = map(unescaped, path.groups())
        return os.path.join(folder, name)
