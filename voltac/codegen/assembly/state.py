"""What the statements of an assembly text change: sections, symbols, and the places that wait for values."""

from __future__ import annotations

from voltac.codegen.assembly.expressions import UNKNOWN, AssemblyValue, UnknownSymbol, evaluate_expression
from voltac.codegen.assembly.lines import BadStatement, LinePiece, SourceLine
from voltac.codegen.assembly.operands import MatchedInstruction
from voltac.codegen.device import DeviceCode
from voltac.codegen.object_file import ObjectFile, Section, Symbol
from voltac.messages.suggestions import suggestion
from voltac.records import field, mutable_record, record

LOCAL = ".L"
"""Labels that begin so are not kept in the object."""


@record(eq=False)
class Context:
    """Where an expression stands: what ``.`` is, and how often each number has been a label so far."""

    dot: AssemblyValue
    near: dict[str, int]


@record(eq=False)
class WaitingInstruction:
    """A word whose operands are known at the end."""

    section: Section
    offset: int
    matched: MatchedInstruction
    or_bits: int
    line: SourceLine
    context: Context
    known: tuple[AssemblyValue | None, ...]
    """Of operands that are numbers already where they stand: a name of ``.set`` may have another value below."""


@record(eq=False)
class WaitingData:
    """``size`` bytes whose value is known at the end."""

    section: Section
    offset: int
    size: int
    piece: LinePiece
    line: SourceLine
    context: Context


@mutable_record(eq=False)
class AssignedSymbol:
    """A name of ``.set``; its expression is worked out when the name is used first."""

    piece: LinePiece
    context: Context
    line: SourceLine
    value: AssemblyValue | None = None
    busy: bool = False


@mutable_record(eq=False)
class AssemblyState:
    """One text being assembled."""

    device: DeviceCode
    made: ObjectFile
    section: Section
    line: SourceLine
    """The one at hand."""
    labels: dict[str, tuple[AssemblyValue, SourceLine]] = field(default_factory=dict)
    assigned: dict[str, AssignedSymbol] = field(default_factory=dict)
    near: dict[str, int] = field(default_factory=dict)
    exported: dict[str, SourceLine] = field(default_factory=dict)
    """Names that ``.globl`` makes global."""
    sizes: dict[str, tuple[LinePiece, SourceLine, Context]] = field(default_factory=dict)
    final_sizes: dict[str, int] = field(default_factory=dict)
    """Bytes of what has a ``.size``."""
    instructions: list[WaitingInstruction] = field(default_factory=list)
    data: list[WaitingData] = field(default_factory=list)
    not_loaded: set[str] = field(default_factory=set)
    """Sections that say something to other tools and lie nowhere in memory."""
    previous: Section | None = None
    pushed: list[Section] = field(default_factory=list)

    # --- places and values ------------------------------------------------------------------------------------------

    def context(self) -> Context:
        """Of the statement at hand."""
        return Context(AssemblyValue(self.section.size, self.section.name), dict(self.near))

    def value(self, piece: LinePiece, context: Context) -> AssemblyValue:
        """Of an expression; :class:`UnknownSymbol` where a name in it has none yet."""
        return evaluate_expression(piece, lambda name, token: self._lookup(name, token, context))

    def number_by_now(self, piece: LinePiece) -> AssemblyValue | None:
        """The value of an expression that is a number here; None for one that is an address, or known only below."""
        try:
            value = self.value(piece, self.context())
        except (BadStatement, UnknownSymbol):
            return None
        return None if value.section else value

    def known_number(self, piece: LinePiece, what: str) -> int:
        """An expression that has to be a number here and now."""
        try:
            value = self.value(piece, self.context())
        except UnknownSymbol as unknown:
            raise unknown.piece.wrong(
                f"{what} has to be known where it stands, and '{unknown.name}' is not defined above"
                f"{suggestion(unknown.name, [*self.labels, *self.assigned])}"
            ) from None
        if value.section:
            raise piece.wrong(f"{what} is a number, and '{piece.text}' is an address")
        return value.number

    def final_value(self, piece: LinePiece, context: Context) -> AssemblyValue:
        """An expression at the end of the text: what nobody defines is another file's."""
        return evaluate_expression(piece, lambda name, token: self._final(name, token, context))

    def _final(self, name: str, token: LinePiece, context: Context) -> AssemblyValue:
        try:
            return self._lookup(name, token, context)
        except UnknownSymbol as unknown:
            if unknown.name[:1].isdigit() or unknown.name.startswith(LOCAL):
                where = " below" if unknown.name.endswith("f") else " above" if unknown.name.endswith("b") else ""
                raise token.wrong(f"there is no label '{unknown.name}'{where}{suggestion(name, self.labels)}") from None
            return AssemblyValue(0, UNKNOWN, unknown.name, 0)

    def _lookup(self, name: str, token: LinePiece, context: Context) -> AssemblyValue:
        if name == ".":
            return context.dot
        if name[0].isdigit():
            count = context.near.get(name[:-1], 0) + (name[-1] == "f")
            found = self.labels.get(near_label(name[:-1], count)) if count else None
        else:
            found = self.labels.get(name)
        if found is not None:
            return found[0]
        assigned = self.assigned.get(name)
        if assigned is None:
            raise UnknownSymbol(name, token)
        if assigned.value is None:
            if assigned.busy:
                raise token.wrong(f"'{name}' is defined by itself")
            assigned.busy = True
            try:
                assigned.value = self.value(assigned.piece, assigned.context)
            except UnknownSymbol as unknown:
                raise UnknownSymbol(unknown.name, token) from None
            finally:
                assigned.busy = False
        return assigned.value

    # --- symbols ----------------------------------------------------------------------------------------------------

    def define_label(self, name: str, piece: LinePiece) -> None:
        """At the place that the section has come to."""
        if name.isdigit():
            self.near[name] = self.near.get(name, 0) + 1
            name = near_label(name, self.near[name])
        elif name in self.device.registers:
            raise piece.wrong(f"'{name}' is a register and cannot be a label")
        elif name in self.labels or name in self.assigned:
            raise piece.wrong(f"label '{name}' is defined twice")
        self.labels[name] = (AssemblyValue(self.section.size, self.section.name, name, 0), self.line)

    def assign(self, name: LinePiece, expression: LinePiece, once: bool) -> None:
        """``.set`` and its like."""
        if name.text in self.labels or (once and name.text in self.assigned):
            raise name.wrong(f"'{name.text}' has a value already")
        made = AssignedSymbol(expression, self.context(), self.line)
        # A name may be used in its own new value: .set n, n + 1
        try:
            made.value = self.value(expression, made.context)
        except UnknownSymbol as unknown:
            if unknown.name == name.text:
                raise unknown.piece.wrong(f"'{name.text}' is defined by itself") from None
        self.assigned[name.text] = made

    # --- sections ---------------------------------------------------------------------------------------------------

    def switch(self, name: str, piece: LinePiece) -> None:
        """Go on in a section, which begins where it is named first."""
        self.previous = self.section
        self.section = self.section_called(name, piece)

    def section_called(self, name: str, piece: LinePiece) -> Section:
        """The section of a name; the device knows where those of its kind lie."""
        found = self.made.sections.get(name)
        if found is None:
            place = self.device.place(name)
            if place is None:
                known = ", ".join(place.name for place in self.device.places)
                raise piece.wrong(f"there is no section '{name}' on {self.device.name}; their names begin with {known}")
            found = self.made.sections[name] = Section(name, place.kind)
        return found

    def add(self, content: bytes) -> None:
        """Bytes at the end of the section."""
        if self.section.kind == "zeros":
            raise BadStatement(f"section '{self.section.name}' has zeros only: '.space' makes room, '.data' takes numbers")
        self.section.content += content

    def number(self, piece: LinePiece, size: int) -> None:
        """An expression as data."""
        context = self.context()
        try:
            value = self.value(piece, context)
        except UnknownSymbol:
            value = None
        if value is None or value.section:
            self.data.append(WaitingData(self.section, self.section.size, size, piece, self.line, context))
            self.add(bytes(size))
        else:
            self.add(data_bytes(value.number, size, piece))

    def symbol_of(self, value: AssemblyValue) -> tuple[str, int]:
        """A symbol and the bytes from there that an address is."""
        name = value.symbol
        if value.section != UNKNOWN and (not name or name not in self.labels):
            # The section itself.
            self.made.symbols.setdefault(value.section, Symbol(value.section, value.section, offset=0))
            return value.section, value.number
        if value.section != UNKNOWN:
            self.made.symbols.setdefault(name, Symbol(name, value.section, self.labels[name][0].number))
        return name, value.addend


def near_label(number: str, count: int) -> str:
    """The name of the label ``number:`` that is the ``count``-th of it."""
    return f"{LOCAL}{number}:{count}"


def data_bytes(number: int, size: int, piece: LinePiece) -> bytes:
    """A number as data, little-endian."""
    if not -(1 << 8 * size - 1) <= number < 1 << 8 * size:
        raise piece.wrong(f"{number} does not fit {size} byte{'s' if size > 1 else ''}")
    return (number & (1 << 8 * size) - 1).to_bytes(size, "little")
