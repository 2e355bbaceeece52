"""Debug records (``#dbg_value``, ``#dbg_declare``) set aside while passes work, and put back where they belong.

No pass sees them, so that code is the same with debug information and without. A record
goes back in front of the first instruction that followed it and still exists. Where its
value is gone, has another type, or was moved into a block that is run in more cases, the
variable is said to have no known value from there on; LLVM never gets an invalid record.
"""

from __future__ import annotations

from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.scan import VALUE, VALUES
from voltac.records import mutable_record
from voltac.system.lazy_patterns import lazy_pattern

_MARK = "#dbg_"
_WHAT = lazy_pattern(r"#dbg_(?P<kind>\w+)\((?P<value>.*?), (?P<rest>!\d+, (?:!DIExpression\([^()]*\)|!\d+), !\d+\))$")
_ONE_NAME = lazy_pattern(rf"(?P<type>.*) (?P<name>{VALUE})$")


@mutable_record(eq=False)
class _Record:
    text: str
    block: str
    following: list[Instruction]
    """The instructions of its block; ``position`` is the first one behind the record."""
    position: int


class DebugRecords:
    """The records of a module, taken out of it."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._of: list[tuple[Function, list[_Record], set[str]]] = []
        for function in module.functions:
            records: list[_Record] = []
            for block in function.blocks:
                _take(block, records)
            if records:
                self._of.append((function, records, {block.name for block in function.blocks}))

    def put_back(self) -> None:
        """Put every record where it belongs now; the passes are through."""
        for function, records, names in self._of:
            _put_back(function, records, names)


def _take(block: Block, records: list[_Record]) -> None:
    if not any(_is_record(instruction) for instruction in block.instructions):
        return
    kept: list[Instruction] = []
    following: list[Instruction] = []
    for instruction in block.instructions:
        if _is_record(instruction):
            records.append(_Record(instruction.text, block.name, following, len(kept)))
        else:
            kept.append(instruction)
    following += kept
    block.instructions[:] = kept


def _is_record(instruction: Instruction) -> bool:
    return _MARK in instruction.text and instruction.text.lstrip().startswith(_MARK)


def _put_back(function: Function, records: list[_Record], names: set[str]) -> None:
    places = {id(instruction): block.name for block in function.blocks for instruction in block.instructions}
    values = _Values(function)
    next_alive: dict[int, list[int]] = {}
    before: dict[int, list[Instruction]] = {}
    for record in records:
        alive = next_alive.get(id(record.following))
        if alive is None:
            alive = next_alive[id(record.following)] = _next_alive(record.following, places)
        position = alive[record.position] if record.position < len(alive) else -1
        if position < 0:
            continue
        anchor = record.following[position]
        place = places[id(anchor)]
        moved = place != record.block and place in names
        before.setdefault(id(anchor), []).append(Instruction(values.valid(record.text, moved)))
    for block in function.blocks:
        block.instructions[:] = _with_records(block, before)


def _next_alive(instructions: list[Instruction], places: dict[int, str]) -> list[int]:
    """For each position the first one from there on whose instruction still exists, or -1."""
    out = [-1] * len(instructions)
    found = -1
    for position in range(len(instructions) - 1, -1, -1):
        if id(instructions[position]) in places:
            found = position
        out[position] = found
    return out


def _with_records(block: Block, before: dict[int, list[Instruction]]) -> list[Instruction]:
    out: list[Instruction] = []
    waiting: list[Instruction] = []
    for instruction in block.instructions:
        waiting += before.get(id(instruction), ())
        if waiting and instruction.op != "phi":
            out += waiting
            waiting = []
        out.append(instruction)
    return out


class _Values:
    """What the values of a function are called now, and their types."""

    def __init__(self, function: Function) -> None:
        self._definitions = function.definitions()
        self._replaced = function.replaced
        self._parameters = {parameter.name: parameter.type for parameter in function.parameters}

    def valid(self, text: str, moved: bool) -> str:
        """The record, or one that says that the value is not known."""
        match = _WHAT.search(text.rstrip())
        if match is None:
            raise ValueError(f"not a debug record: {text}")
        value = VALUES.sub(lambda found: self._now(found[0]), match["value"])
        text = text.replace(match["value"], value, 1)
        if not VALUES.search(value):
            known = not moved
        else:
            one = _ONE_NAME.fullmatch(value)
            known = one is not None and self._type(one["name"]) == one["type"] and (match["kind"] == "declare" or not moved)
        return text if known else f"    #dbg_{match['kind']}(ptr poison, {match['rest']}"

    def _now(self, name: str) -> str:
        while name in self._replaced and name not in self._definitions:
            name = self._replaced[name]
        return name

    def _type(self, name: str) -> str:
        definition = self._definitions.get(name)
        if definition is not None:
            return definition.type
        return self._parameters.get(name, "")
