"""Assembly language in explicit bundles -> an object: labels, directives of data, instructions in their slots.

What the compiler prints, and what GNU as reads in its explicit mode. All mistakes of a text are told, each at its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from voltac.codegen.assembly.lines import BadStatement, LinePiece, SourceLine, split_at_commas
from voltac.codegen.object_file import ObjectFile, Relocation, Section, Symbol
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.suggestions import suggestion
from voltac.targets.ia64.assembly.addresses import put_address
from voltac.targets.ia64.assembly.parse import ParsedInstruction, parse_instruction
from voltac.targets.ia64.instructions import INSTRUCTIONS, SLOT_CODE
from voltac.targets.ia64.slots import BUNDLE_BYTES, CODES, NOPS, TEMPLATES, UNITS_OF, Bundle, Slot, encode_bundle, join_slots

_SIZES = {"data1": 1, "data2": 2, "data4": 4, "data8": 8, ".byte": 1}
_IGNORED = frozenset((".explicit", ".proc", ".endp", ".type", ".size", ".pred.rel", ".file", ".prologue", ".body"))
"""What says something to other tools."""
_LABEL = re.compile(r"\s*([A-Za-z_.$][\w.$]*)#?\s*:(?!:)")
_SYMBOL = re.compile(r"([A-Za-z_.$][\w.$]*)#?\s*(?:([+-])\s*(\w+))?$")
_OPENED = re.compile(r"\{\s*\.?(\w*)")
_END = re.compile(r";;|\}|$")
"""Of a statement."""
_SECTIONS = frozenset(place.name for place in SLOT_CODE.places)
_MOST_ALIGNMENT = 1 << 16
"""Bytes. Chosen: what is aligned to more is a mistake."""
_TEMPLATES = {units for units, _ in TEMPLATES.values()}


def assemble_program(text: str, file: str, diagnostics: Diagnostics) -> ObjectFile:
    """The object of a text, not linked; CompileError with everything that is wrong."""
    assembler = _Assembler(diagnostics)
    for number, line in enumerate(text.splitlines(), 1):
        source = SourceLine.plain(line, file, number)
        try:
            assembler.line(source)
        except BadStatement as wrong:
            assembler.report(wrong, source)
    assembler.finish()
    diagnostics.raise_if_errors()
    return assembler.made


class _Assembler:
    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        self.made = ObjectFile()
        self.section = self._section(".text")
        self.units = ""
        """Of the bundle that is open; empty outside of one."""
        self.opened: SourceLine | None = None
        self.slots: list[ParsedInstruction] = []
        self.stops: list[int] = []
        self.parsed: dict[str, ParsedInstruction] = {}
        """Texts of instructions that were read: most stand in a program several times."""
        self.globals: set[str] = set()
        self.current = SourceLine.plain("", "", 0)
        self.skipping = False
        """Behind a mistake in a bundle, until it closes."""

    def report(self, wrong: BadStatement, source: SourceLine) -> None:
        span = source.whole() if wrong.begin < 0 else source.span(wrong.begin, wrong.end)
        self.diagnostics.error("assembly", span, str(wrong))
        self.skipping = bool(self.units)

    def _section(self, name: str) -> Section:
        place = SLOT_CODE.place(name)
        if place is None:
            known = ", ".join(each.name for each in SLOT_CODE.places)
            raise BadStatement(f"there is no section '{name}'; there are {known}")
        found = self.made.sections.get(name)
        if found is None:
            found = self.made.sections[name] = Section(name, place.kind)
        return found

    # --- lines

    def line(self, source: SourceLine) -> None:
        self.current = source
        text = source.text.partition("//")[0]
        at = 0
        while (label := _LABEL.match(text, at)) is not None:
            self._define(LinePiece(label[1], label.start(1)))
            at = label.end()
        rest = LinePiece(text[at:], at)
        while rest.text:
            rest = self._statement(rest)

    def _define(self, name: LinePiece) -> None:
        if self.units:
            raise name.wrong("a label within a bundle: it stands before one")
        if name.text in self.made.symbols:
            raise name.wrong(f"'{name.text}' is defined twice")
        self.made.symbols[name.text] = Symbol(name.text, self.section.name, self.section.size)

    def _statement(self, rest: LinePiece) -> LinePiece:
        """Does what a line begins with; the rest of it."""
        if rest.text.startswith("{"):
            found = _OPENED.match(rest.text)
            assert found is not None
            self._open(LinePiece(found[1], rest.begin + found.start(1)), rest)
            return LinePiece(rest.text[found.end() :], rest.begin + found.end())
        if rest.text.startswith("}"):
            self._close(rest)
            return LinePiece(rest.text[1:], rest.begin + 1)
        if rest.text.startswith(";;"):
            if self.slots:
                self.stops.append(self._slot_number() - 1)
            return LinePiece(rest.text[2:], rest.begin + 2)
        end = _END.search(rest.text)
        assert end is not None
        statement = LinePiece(rest.text[: end.start()], rest.begin)
        if not self.skipping:
            self._one(statement)
        return LinePiece(rest.text[end.start() :], rest.begin + end.start())

    def _one(self, statement: LinePiece) -> None:
        word, _, operands = statement.text.partition(" ")
        if not self.units and (word.startswith(".") or word in _SIZES):
            self._directive(LinePiece(word, statement.begin), LinePiece(operands, statement.begin + len(word) + 1))
        elif not self.units:
            raise statement.wrong("an instruction stands in a bundle: { .mii ... }")
        else:
            self._instruction(statement)

    # --- bundles

    def _slot_number(self) -> int:
        """Of the slot to come; ``movl`` takes two."""
        return len(self.slots) + (len(self.slots) > 1 and "L" in self.units)

    def _open(self, units: LinePiece, brace: LinePiece) -> None:
        if self.units:
            raise brace.wrong("a bundle within a bundle: '}' is missing")
        if units.text.upper() not in _TEMPLATES:
            known = " ".join(f".{name.lower()}" for name in sorted(_TEMPLATES))
            self.units = "?"
            raise units.wrong(f"there is no template '.{units.text}'; there are {known}")
        if self.section.kind != "text":
            raise brace.wrong(f"a bundle in section '{self.section.name}'; '.text' leads back to the code")
        self.section.content += bytes(-len(self.section.content) % BUNDLE_BYTES)
        self.section.alignment = max(self.section.alignment, BUNDLE_BYTES)
        self.units, self.opened = units.text.upper(), self.current
        self.slots, self.stops, self.skipping = [], [], False

    def _instruction(self, statement: LinePiece) -> None:
        units = self.units.replace("LX", "X")
        number = len(self.slots)
        if number == len(units):
            raise statement.wrong(f"the bundle .{self.units.lower()} has {len(units)} instructions, and this is one more")
        parsed = self.parsed.get(statement.text)
        if parsed is None:
            parsed = self.parsed[statement.text] = parse_instruction(statement)
        row = parsed.slot.row
        if units[number] not in UNITS_OF[row.unit]:
            takes = " or ".join(UNITS_OF[row.unit])
            raise statement.wrong(
                f"'{row.mnemonic}' goes to a slot {takes}; slot {number} of .{self.units.lower()} is {units[number]}"
            )
        self.slots.append(parsed)

    def _close(self, brace: LinePiece) -> None:
        if not self.units:
            raise brace.wrong("no bundle is open")
        units, self.units = self.units, ""
        if self.skipping:
            self.skipping = False
            return
        slots: list[ParsedInstruction | None] = list(self.slots)
        if "L" in units:
            slots.insert(1, None)
        if len(slots) != len(units):
            raise brace.wrong(f"the bundle .{units.lower()} has {len(self.slots)} instructions, and some are missing")
        stops = tuple(self.stops)
        if (units, stops) not in CODES:
            raise brace.wrong(f".{units.lower()} has no stop there; only .mii has one behind its second slot, .mmi its first")
        for number, one in enumerate(slots):
            if one is not None and one.needed is not None:
                # Of 'movl' the first of its two slots.
                place, needed = len(self.section.content) + number - (one.slot.row.unit == "X"), one.needed
                self.made.relocations.append(Relocation(self.section.name, place, needed.part, needed.symbol, needed.addend))
        self.section.content += join_slots(units, stops, [None if one is None else one.encoded for one in slots])

    # --- directives

    def _directive(self, name: LinePiece, rest: LinePiece) -> None:
        operands = split_at_commas(rest)
        if name.text in _IGNORED:
            return
        if name.text in _SECTIONS:
            self.section = self._section(name.text)
        elif name.text == ".section":
            if not operands:
                raise name.wrong("here stands the name of a section: .section .text.f")
            self.section = self._section(operands[0].text)
        elif name.text == ".align":
            self._align(name, operands)
        elif name.text in (".global", ".globl"):
            self.globals.update(operand.text.removesuffix("#") for operand in operands)
        elif name.text in (".space", ".skip"):
            self._space(_number(operands[0]) if operands else 0)
        elif name.text in _SIZES:
            for operand in operands:
                self._datum(operand, _SIZES[name.text])
        else:
            known = [*_IGNORED, *_SECTIONS, *_SIZES, ".section", ".align", ".global", ".space"]
            raise name.wrong(f"unknown directive '{name.text}'{suggestion(name.text, known)}")

    def _align(self, name: LinePiece, operands: Sequence[LinePiece]) -> None:
        alignment = _number(operands[0]) if operands else 0
        if not 0 < alignment <= _MOST_ALIGNMENT or alignment & alignment - 1:
            raise name.wrong(f"here stands a power of two up to {_MOST_ALIGNMENT}: .align 32")
        self.section.alignment = max(self.section.alignment, alignment)
        missing = -self.section.size % alignment
        if self.section.kind == "text":
            for _ in range(missing // BUNDLE_BYTES):
                self.section.content += _filler()
        else:
            self._space(missing)

    def _space(self, size: int) -> None:
        if self.section.kind == "zeros":
            self.section.zeros += size
        else:
            self.section.content += bytes(size)

    def _datum(self, operand: LinePiece, size: int) -> None:
        if self.section.kind == "zeros":
            raise operand.wrong("a section of zeros has no contents: .data is for these")
        found = _SYMBOL.match(operand.text)
        value = 0
        if found is None:
            value = _number(operand)
        elif size != 8:
            raise operand.wrong("an address has eight bytes: data8")
        else:
            addend = int(found[3] or "0", 0) * (-1 if found[2] == "-" else 1)
            place = len(self.section.content)
            self.made.relocations.append(Relocation(self.section.name, place, "absolute", found[1], addend))
        if not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
            raise operand.wrong(f"{value} does not fit {size} bytes")
        self.section.content += (value & (1 << 8 * size) - 1).to_bytes(size, "little")

    # --- the end

    def finish(self) -> None:
        if self.units and self.opened is not None:
            self.report(BadStatement("this bundle is never closed"), self.opened)
        made = self.made
        made.symbols = {
            name: Symbol(name, symbol.section, symbol.offset, name in self.globals) for name, symbol in made.symbols.items()
        }
        open_ones = []
        for one in made.relocations:
            symbol = made.symbols.get(one.symbol)
            if one.part != "target" or symbol is None or symbol.section != one.section or symbol.is_global:
                open_ones.append(one)
            else:
                put_address(made.sections[one.section], one, symbol.offset + one.addend + made.sections[one.section].address)
        made.relocations = open_ones
        made.sections = {name: section for name, section in made.sections.items() if section.size}


def _number(piece: LinePiece) -> int:
    try:
        return int(piece.text, 0)
    except ValueError:
        raise piece.wrong(f"'{piece.text}' is no number") from None


def _filler() -> bytes:
    return encode_bundle(Bundle("MII", tuple(Slot(INSTRUCTIONS[NOPS[unit]], (0,)) for unit in "MII"), ()))
