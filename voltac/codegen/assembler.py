"""Assembly text → sections of words and data, with symbols and the addresses that are still open.

A line is a label, an instruction or a directive, and a comment behind ``#``::

    loop:   load32  s3, 8(s1)       # rows of the device say how instructions are written
            bnez    s3, loop
            .data
    table:  .word   1, -2, loop+4

Directives stand in :data:`_DIRECTIVES`. Labels are known in the whole file.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from voltac.codegen.device import DeviceCode
from voltac.codegen.encoding import EncodingError, encode
from voltac.codegen.object_file import ObjectFile, Relocation, Section, Symbol
from voltac.codegen.patch import DoesNotFit, patched
from voltac.codegen.rows import Row, RowOperand
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import Note, Span
from voltac.messages.suggestions import suggestion
from voltac.records import field, record

_LABEL = re.compile(r"\s*([A-Za-z_.$@][\w.$@]*|\"[^\"]+\")\s*:")
_NUMBER = re.compile(r"[+-]?(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)", re.ASCII)
_ADDRESS = re.compile(r"([A-Za-z_.$@][\w.$@]*|\"[^\"]+\")\s*(?:([+-])\s*(0[xX][0-9a-fA-F]+|[0-9]+))?")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, '"': 34}
_FIRST_SECTION = ".text"


def assemble(text: str, device: DeviceCode, file: str = "<assembly>", diagnostics: Diagnostics | None = None) -> ObjectFile:
    """Raises :class:`voltac.CompileError` with every line that is wrong."""
    return _Assembler(device, file, Diagnostics(wrap=False) if diagnostics is None else diagnostics).run(text)


@record
class _Address:
    """A label's address as an operand."""

    symbol: str
    addend: int


class _Wrong(Exception):
    """What is wrong with a piece of the line, and the piece."""

    def __init__(self, text: str, piece: str = "") -> None:
        super().__init__(text)
        self.piece = piece


@record
class _Misfit:
    """The operand at which the rows of a mnemonic gave up that came farthest."""

    position: int
    piece: str = ""
    problem: str = ""
    tried: list[tuple[Row, RowOperand]] = field(default_factory=list)


class _Assembler:
    def __init__(self, device: DeviceCode, file: str, diagnostics: Diagnostics) -> None:
        self.device = device
        self.file = file
        self.diagnostics = diagnostics
        self.made = ObjectFile()
        self.line_number = 0
        self.line = ""
        self.globals: dict[str, int] = {}
        """Name → line that makes it global."""
        self.label_lines: dict[str, int] = {}
        self.encoded: dict[tuple[str, str], tuple[int, list[tuple[str, _Address]]]] = {}
        """Instructions that were read, by mnemonic and operands: most stand in a program several times."""
        self.patterns: dict[str, list[tuple[Row, re.Pattern[str]]]] = {}
        self.section = self._section(_FIRST_SECTION)

    def run(self, text: str) -> ObjectFile:
        lines = text.splitlines()
        self.diagnostics.sources[self.file] = lines
        for self.line_number, self.line in enumerate(lines, 1):
            try:
                self._statement(_without_comment(self.line))
            except _Wrong as wrong:
                self.diagnostics.error("assembly", self._span(wrong.piece), str(wrong))
        self._mark_globals()
        self._resolve_near_labels()
        self.diagnostics.raise_if_errors()
        self.made.sections = {name: section for name, section in self.made.sections.items() if section.size}
        return self.made

    # --- lines ----------------------------------------------------------------------------------------------------

    def _statement(self, line: str) -> None:
        while (found := _LABEL.match(line)) is not None:
            self._define(_unquoted(found[1]))
            line = line[found.end() :]
        word, _, rest = line.strip().partition(" ")
        if "\t" in word:
            word, _, tail = word.partition("\t")
            rest = f"{tail} {rest}"
        rest = rest.strip()
        if not word:
            return
        if word.startswith("."):
            handler = _DIRECTIVES.get(word)
            if handler is None:
                raise _Wrong(f"unknown directive '{word}'{suggestion(word, _DIRECTIVES)}", word)
            handler(self, rest)
        else:
            self._instruction(word, rest)

    def _span(self, piece: str, number: int = 0) -> Span:
        """The place of a piece of the current line, else of what stands on the line."""
        line = self.line
        column = line.find(piece) if piece else -1
        if column < 0:
            column = len(line) - len(line.lstrip())
            piece = _without_comment(line).strip()
        return Span(self.file, self.line_number, column + 1, self.line_number, column + 1 + max(1, len(piece)))

    def _whole_line(self, number: int) -> Span:
        line = self.diagnostics.sources[self.file][number - 1]
        start = len(line) - len(line.lstrip())
        return Span(self.file, number, start + 1, number, len(_without_comment(line).rstrip()) + 1)

    def _define(self, name: str) -> None:
        if name in self.device.registers:
            raise _Wrong(f"'{name}' is a register and cannot be a label", name)
        if name in self.made.symbols:
            first = Note(self._whole_line(self.label_lines[name]), f"'{name}' is defined here")
            self.diagnostics.error("assembly", self._span(name), f"label '{name}' is defined twice", first)
            return
        self.label_lines[name] = self.line_number
        self.made.symbols[name] = Symbol(name, self.section.name, self.section.size)

    def _section(self, name: str) -> Section:
        if name not in self.made.sections:
            place = self.device.place(name)
            if place is None:
                known = [place.name for place in self.device.places]
                which = suggestion(name, known) or f"; it has {', '.join(known)}"
                raise _Wrong(f"there is no section '{name}' on {self.device.name}{which}", name)
            self.made.sections[name] = Section(name, place.kind)
        return self.made.sections[name]

    # --- instructions -----------------------------------------------------------------------------------------------

    def _instruction(self, mnemonic: str, rest: str) -> None:
        if self.section.kind != "text":
            raise _Wrong(f"an instruction in section '{self.section.name}'; '.text' leads back to the code", mnemonic)
        encoded = self.encoded.get((mnemonic, rest))
        if encoded is None:
            encoded = self.encoded[mnemonic, rest] = self._read(mnemonic, rest)
        self._emit(*encoded)

    def _read(self, mnemonic: str, rest: str) -> tuple[int, list[tuple[str, _Address]]]:
        """An instruction's word, and the parts of addresses that are to come in."""
        rows = self._rows(mnemonic)
        best = _Misfit(-1)
        for row, pattern in rows:
            match = pattern.fullmatch(rest)
            if match is None:
                continue
            values: list[int | _Address] = []
            for number, operand in enumerate(row.operands):
                try:
                    values.append(self._operand(operand, match[operand.field]))
                except _Wrong as wrong:
                    if number > best.position:
                        best = _Misfit(number, match[operand.field], str(wrong), [(row, operand)])
                    elif number == best.position:
                        best.tried.append((row, operand))
                    break
            else:
                return self._encoded(row, values)
        if best.position < 0:
            raise _Wrong(self._written(mnemonic, rows), mnemonic)
        raise _Wrong(self._unfitting(mnemonic, best), best.piece)

    def _unfitting(self, mnemonic: str, misfit: _Misfit) -> str:
        kinds = list(dict.fromkeys(self._described(operand) for _, operand in misfit.tried))
        problem = misfit.problem
        if len(kinds) > 1:
            place = f"operand {misfit.position + 1} of '{mnemonic}'"
            problem = f"'{misfit.piece}' cannot be {place}: it must be {' or '.join(kinds)}"
        if _NUMBER.fullmatch(misfit.piece):
            other = next((found for row, operand in misfit.tried if (found := self._with_number(row, operand))), "")
            problem += f"; '{other}' takes numbers" if other else ""
        return problem

    def _with_number(self, row: Row, operand: RowOperand) -> str:
        """The mnemonic that does the same with a number for an operand; empty if there is none."""
        place = row.operands.index(operand)
        for other in self.device.instructions.rows.values():
            if len(other.operands) == len(row.operands) and row.meaning:
                instead = other.operands[place]
                kind = self.device.immediates.get(instead.kind)
                if kind and not kind.part and other.meaning == row.meaning.replace(operand.field, instead.field):
                    return other.mnemonic
        return ""

    def _rows(self, mnemonic: str) -> list[tuple[Row, re.Pattern[str]]]:
        found = self.patterns.get(mnemonic)
        if found is None:
            by_mnemonic = self.device.instructions.by_mnemonic
            if mnemonic not in by_mnemonic:
                raise _Wrong(f"{self.device.name} has no instruction '{mnemonic}'{suggestion(mnemonic, by_mnemonic)}", mnemonic)
            found = self.patterns[mnemonic] = [(row, _operand_pattern(row)) for row in by_mnemonic[mnemonic]]
        return found

    def _written(self, mnemonic: str, rows: list[tuple[Row, re.Pattern[str]]]) -> str:
        forms = dict.fromkeys(re.sub(r"[{}]", "", row.text) for row, _ in rows)
        return f"wrong operands of '{mnemonic}'; it is written '{chr(39).join(forms)}'"

    def _described(self, operand: RowOperand) -> str:
        kind = self.device.immediates.get(operand.kind)
        if kind is None:
            return f"a {operand.kind} register"
        if kind.part == "relative":
            return f"a label or a multiple of {kind.multiple} from {kind.lowest} to {kind.highest}"
        return "a label" if kind.part else f"a number from {kind.lowest} to {kind.highest}"

    def _operand(self, operand: RowOperand, text: str) -> int | _Address:
        kind = self.device.immediates.get(operand.kind)
        register = self.device.registers.get(text)
        if kind is None:
            if register is None:
                raise _Wrong(self._no_register(operand.kind, text))
            if register.kind != operand.kind:
                raise _Wrong(f"'{text}' is a {register.kind} register, but here stands a {operand.kind} register")
            return register.number
        if register is None:
            if not text:
                return 0
            if _NUMBER.fullmatch(text):
                value = _integer(text)
                return {"high": value >> 16 & 0xFFFF, "low": value & 0xFFFF}.get(kind.part, value)
            address = _ADDRESS.fullmatch(text)
            if address is not None and kind.part:
                return _address(address)
        raise _Wrong(f"'{text}' cannot stand here: it must be {self._described(operand)}")

    def _no_register(self, kind: str, text: str) -> str:
        names = [name for name, register in self.device.registers.items() if register.kind == kind]
        if _NUMBER.fullmatch(text):
            return f"here stands a {kind} register, not the number {text}"
        close = suggestion(text, names) or f"; {kind} registers are called {names[0]}, {names[1]} ..."
        return f"there is no {kind} register '{text}'{close}"

    def _encoded(self, row: Row, values: list[int | _Address]) -> tuple[int, list[tuple[str, _Address]]]:
        numbers = [0 if isinstance(value, _Address) else value for value in values]
        try:
            word = encode(row, numbers, self.device)
        except EncodingError as error:
            raise _Wrong(str(error), _pieces(self.line)[error.operand] if row.operands else "") from None
        kinds = self.device.immediates
        addresses = [
            (kinds[operand.kind].part, value) for operand, value in zip(row.operands, values) if isinstance(value, _Address)
        ]
        return word, addresses

    def _emit(self, word: int, addresses: list[tuple[str, _Address]]) -> None:
        offset = self.section.size
        if offset % self.device.word_bytes:
            raise _Wrong(f"an instruction at offset {offset}: '.align {self.device.word_bytes}' before it is missing")
        for part, address in addresses:
            self._refer(offset, part, address)
        self.section.content += word.to_bytes(self.device.word_bytes, "little")

    def _refer(self, offset: int, part: str, address: _Address) -> None:
        self.made.relocations.append(
            Relocation(self.section.name, offset, part, address.symbol, address.addend, self.line_number)
        )

    # --- directives -------------------------------------------------------------------------------------------------

    def switch_section(self, rest: str) -> None:
        name = _unquoted(rest.split(",")[0].strip())
        if not name:
            raise _Wrong("'.section' needs a name, as in '.section .rodata'")
        self.section = self._section(name)

    def make_global(self, rest: str) -> None:
        names = [_unquoted(name.strip()) for name in rest.split(",")]
        if not all(names):
            raise _Wrong("'.global' needs the name of a label")
        for name in names:
            self.globals.setdefault(name, self.line_number)

    def numbers(self, rest: str, size: int) -> None:
        for text in _listed(rest):
            address = _ADDRESS.fullmatch(text)
            if _NUMBER.fullmatch(text):
                value = _integer(text)
                if not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
                    raise _Wrong(f"{text} does not fit {size} byte{'s' if size > 1 else ''}", text)
            elif address is not None and size == 4:
                self._refer(self.section.size, "absolute", _address(address))
                value = 0
            else:
                of_label = "; only '.word' takes the address of a label" if address is not None else ""
                raise _Wrong(f"'{text}' is no number{of_label}", text)
            self.add((value & (1 << 8 * size) - 1).to_bytes(size, "little"))

    def floats(self, rest: str) -> None:
        for text in _listed(rest):
            try:
                self.add(struct.pack("<f", float(text)))
            except (ValueError, OverflowError):
                raise _Wrong(f"'{text}' is no number of type float", text) from None

    def string(self, rest: str, end: bytes) -> None:
        match = _STRING.fullmatch(rest)
        if match is None:
            raise _Wrong('here stands a text in quotation marks, as in .asciz "text"', rest)
        out = bytearray()
        position, text = 0, match[1]
        while position < len(text):
            if text[position] == "\\":
                position += 1
                if text[position] not in _ESCAPES:
                    known = ", ".join("\\" + key for key in _ESCAPES)
                    raise _Wrong(f"unknown escape '\\{text[position]}'; there are {known}")
                out.append(_ESCAPES[text[position]])
            else:
                out += text[position].encode("utf-8")
            position += 1
        self.add(bytes(out) + end)

    def space(self, rest: str) -> None:
        size, *fill = [_count(text, ".space") for text in _listed(rest)]
        if len(fill) > 1 or any(value > 255 for value in fill):
            raise _Wrong("'.space' takes a number of bytes and the byte to fill them with")
        if size > _LARGEST:
            raise _Wrong(f"{size} bytes are more than a program can have", rest)
        if self.section.kind == "zeros":
            if any(fill):
                raise _Wrong(f"section '{self.section.name}' has zeros only")
            self.section.zeros += size
        else:
            self.section.content += bytes([fill[0] if fill else 0]) * size

    def align(self, rest: str) -> None:
        alignment = _count(rest, ".align")
        if alignment == 0 or alignment & alignment - 1 or alignment > _LARGEST_ALIGNMENT:
            raise _Wrong(f"'.align' takes a power of two up to {_LARGEST_ALIGNMENT}, a number of bytes, not {rest}", rest)
        section = self.section
        section.alignment = max(section.alignment, alignment)
        missing = -section.size % alignment
        if section.kind == "zeros":
            section.zeros += missing
            return
        step = self.device.word_bytes
        nothing = self.device.instructions.by_mnemonic.get("nop")
        if section.kind == "text" and nothing and not missing % step and not section.size % step:
            section.content += encode(nothing[0], [], self.device).to_bytes(step, "little") * (missing // step)
        else:
            section.content += bytes(missing)

    def add(self, content: bytes) -> None:
        if self.section.kind == "zeros":
            name = self.section.name
            raise _Wrong(f"section '{name}' has zeros only: '.space' makes room, '.data' leads to a section for numbers")
        self.section.content += content

    # --- the end ----------------------------------------------------------------------------------------------------

    def _mark_globals(self) -> None:
        for name, line in self.globals.items():
            symbol = self.made.symbols.get(name)
            if symbol is None:
                self.diagnostics.error(
                    "assembly",
                    self._whole_line(line),
                    f"'.global {name}': there is no such label{suggestion(name, self.made.symbols)}",
                )
            else:
                self.made.symbols[name] = Symbol(name, symbol.section, symbol.offset, True)

    def _resolve_near_labels(self) -> None:
        """Distances inside a section are known now."""
        open_ones = []
        for place in self.made.relocations:
            symbol = self.made.symbols.get(place.symbol)
            if place.part != "relative" or symbol is None or symbol.section != place.section:
                open_ones.append(place)
                continue
            kind = self.device.relocation(place.part)
            content = self.made.sections[place.section].content
            try:
                patched(content, place.offset, kind, symbol.offset + place.addend - place.offset, self.device.word_bytes)
            except DoesNotFit as error:
                self.diagnostics.error("assembly", self._whole_line(place.line), f"'{place.symbol}' is too far away: {error}")
        self.made.relocations = open_ones


_LARGEST = 1 << 30
"""Bytes of one ``.space``: more than any device has, and a mistake in the number does not fill the host's memory."""
_MOST_DIGITS = 34
"""Those of 32 bits in the longest way of writing them."""
_LARGEST_ALIGNMENT = 1 << 16
"""Bytes, as much as a page of any system; what is missing is written to the file as zeros."""

_DIRECTIVES: dict[str, Callable[[_Assembler, str], None]] = {
    ".text": lambda to, rest: to.switch_section(".text"),
    ".data": lambda to, rest: to.switch_section(".data"),
    ".rodata": lambda to, rest: to.switch_section(".rodata"),
    ".bss": lambda to, rest: to.switch_section(".bss"),
    ".section": _Assembler.switch_section,
    ".global": _Assembler.make_global,
    ".globl": _Assembler.make_global,
    ".word": lambda to, rest: to.numbers(rest, 4),
    ".half": lambda to, rest: to.numbers(rest, 2),
    ".byte": lambda to, rest: to.numbers(rest, 1),
    ".float": _Assembler.floats,
    ".ascii": lambda to, rest: to.string(rest, b""),
    ".asciz": lambda to, rest: to.string(rest, b"\0"),
    ".space": _Assembler.space,
    ".align": _Assembler.align,
}


def _operand_pattern(row: Row) -> re.Pattern[str]:
    """What a row writes behind its mnemonic, with a group for each operand."""
    _, _, form = row.text.partition(" ")
    parts = re.split(r"\{(\w+)\}", form)
    out = []
    for position, part in enumerate(parts):
        if position % 2 == 0:
            out.append(re.sub(r"(\\ )+", r"\\s*", re.escape(part)))
        else:
            # An offset before a base in parentheses may be left out.
            optional = parts[position + 1].startswith("(")
            out.append(rf"\s*(?P<{part}>[^\s,()][^,()]*?{'|' if optional else ''})\s*")
    return re.compile("".join(out))


def _without_comment(line: str) -> str:
    if "#" not in line:
        return line
    if '"' not in line:
        return line.partition("#")[0]
    inside = False
    for position, character in enumerate(line):
        if character == '"' and line[position - 1 : position] != "\\":
            inside = not inside
        elif character == "#" and not inside:
            return line[:position]
    return line


def _unquoted(name: str) -> str:
    return name[1:-1] if name.startswith('"') else name


def _address(match: re.Match[str]) -> _Address:
    return _Address(_unquoted(match[1]), _integer(match[2] + match[3]) if match[2] else 0)


def _listed(rest: str) -> list[str]:
    texts = [text.strip() for text in rest.split(",")]
    if not all(texts):
        raise _Wrong("a number is missing")
    return texts


def _count(text: str, directive: str) -> int:
    if not _NUMBER.fullmatch(text) or (number := _integer(text)) < 0:
        raise _Wrong(f"'{directive}' needs a number of bytes, not '{text}'", text)
    return number


def _integer(text: str) -> int:
    """The value of what looks like a number."""
    digits = text.lstrip("+-")
    if len(digits) > _MOST_DIGITS:
        raise _Wrong(f"a number of {len(digits)} characters is too large for any operand", text)
    if digits.isdigit() and digits[0] == "0" and digits.strip("0"):
        raise _Wrong(f"'{text}' begins with 0, by which others mean octal: write {int(digits)} or {int(digits):#x}", text)
    return int(text, 0)


def _pieces(line: str) -> list[str]:
    """The operands of an instruction as they stand on its line, for pointing at one."""
    statement = _without_comment(line)
    while (found := _LABEL.match(statement)) is not None:
        statement = statement[found.end() :]
    _, _, rest = statement.strip().partition(" ")
    found_pieces = [piece.strip() for piece in re.split(r"[,()]", rest)]
    return found_pieces + [""] * 4
