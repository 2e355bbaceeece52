"""``.macro``, ``.rept``, ``.irp``, ``.irpc``: bodies of lines → the lines that stand for a use.

In a body ``\\name`` is an argument, ``\\@`` the number of macro uses so far, ``\\+`` that
of uses of this one, or of this repetition's rounds, ``\\()`` nothing: it ends a name.
Arguments are separated by commas or blanks; one in quotes loses them; blanks beside an
operator and in parentheses separate nothing.
"""

from __future__ import annotations

import re

from voltac.codegen.assembly.lines import BadStatement, LinePiece, SourceLine
from voltac.messages.message import Note, Span
from voltac.messages.suggestions import suggestion
from voltac.records import mutable_record, record

_NAME = re.compile(r"[A-Za-z_.$][\w.$]*", re.ASCII)
_PARAMETER = re.compile(r"\s*,?\s*([A-Za-z_.$][\w.$]*)(?:\s*:\s*(req|vararg))?(?:\s*=\s*)?", re.ASCII)
_NAMED = re.compile(r"\s*([A-Za-z_.$][\w.$]*)\s*=(?!=)\s*", re.ASCII)
_BRACKETED = re.compile(r"\s*\((.*)\)", re.ASCII)
_HOLE = re.compile(r"\\(\(\)|@|\+|[A-Za-z_$][\w$.]*)", re.ASCII)
_OPERATORS = "+-*/%&|^<>=!~"


@record(eq=False)
class MacroParameter:
    """``default`` is empty where none is given."""

    name: str
    default: str = ""
    required: bool = False
    rest: bool = False
    """It takes all that is left."""


@mutable_record(eq=False)
class AssemblyMacro:
    """A ``.macro`` with its lines."""

    name: str
    parameters: tuple[MacroParameter, ...]
    body: tuple[SourceLine, ...]
    span: Span
    uses: int = 0
    """So far."""


def macro_head(rest: LinePiece) -> tuple[str, tuple[MacroParameter, ...]]:
    """The name and the parameters of ``.macro``'s text."""
    match = _NAME.match(rest.text)
    if match is not None and (bracketed := _BRACKETED.fullmatch(rest.text, match.end())) is not None:
        rest = LinePiece(f"{match[0]} {bracketed[1]}", rest.begin + bracketed.start(1) - match.end() - 1)
        match = _NAME.match(rest.text)
    if match is None:
        raise rest.wrong("'.macro' needs a name, as in '.macro add_scalar from to count=4'")
    position = match.end()
    parameters: list[MacroParameter] = []
    text = rest.text
    while text[position:].strip(" \t,"):
        found = _PARAMETER.match(text, position)
        if found is None:
            raise LinePiece(text[position:], rest.begin + position).wrong("here stands the name of a parameter of the macro")
        position = found.end()
        default = ""
        if found[0].rstrip().endswith("="):
            default, position = _argument(text, position)
        if any(parameter.name == found[1] for parameter in parameters):
            raise LinePiece(found[1], rest.begin + found.start(1)).wrong(f"the macro has two parameters '{found[1]}'")
        parameters.append(MacroParameter(found[1], default, found[2] == "req", found[2] == "vararg"))
    return match[0], tuple(parameters)


def bound_arguments(macro: AssemblyMacro, rest: LinePiece) -> dict[str, str]:
    """Parameter → text, of a use with ``rest`` behind the macro's name."""
    given: dict[str, str] = {}
    known = {parameter.name: parameter for parameter in macro.parameters}
    text = rest.text
    position = place = 0
    while position < len(text):
        named = _NAMED.match(text, position)
        if named is not None and named[1] in known:
            given[named[1]], position = _argument(text, named.end())
        elif place < len(macro.parameters):
            parameter = macro.parameters[place]
            place += 1
            if parameter.rest:
                given[parameter.name], position = text[position:].strip(), len(text)
                break
            begin = position
            given[parameter.name], position = _argument(text, position)
            if position == begin and text[position : position + 1] != ",":
                raise rest.wrong(f"an argument of macro '{macro.name}' cannot be read")
        else:
            extra = LinePiece(text[position:], rest.begin + position)
            raise extra.wrong(f"macro '{macro.name}' takes {_counted(len(macro.parameters))}, and here stands one more")
        position = _separated(text, position)
    missing = [parameter.name for parameter in macro.parameters if parameter.required and not given.get(parameter.name)]
    if missing:
        raise BadStatement(f"macro '{macro.name}' is used without its argument '{missing[0]}'")
    return {parameter.name: given.get(parameter.name) or parameter.default for parameter in macro.parameters}


def _counted(count: int) -> str:
    return f"{count} argument" + "s" * (count != 1) if count else "no argument"


def _separated(text: str, position: int) -> int:
    """Behind the blanks and the comma that end an argument."""
    while position < len(text) and text[position].isspace():
        position += 1
    if text[position : position + 1] == ",":
        position += 1
        while position < len(text) and text[position].isspace():
            position += 1
    return position


def _argument(text: str, position: int) -> tuple[str, int]:
    """The argument that begins at a position, and where it ends."""
    start = position
    depth = 0
    out = []
    while position < len(text):
        character = text[position]
        if character == '"':
            end = position + 1
            while end < len(text) and text[end] != '"':
                end += 1 + (text[end] == "\\")
            out.append(text[position + 1 : end])
            position = end + 1
            continue
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        if depth <= 0 and character == ",":
            break
        if depth <= 0 and character.isspace():
            after = position
            while after < len(text) and text[after].isspace():
                after += 1
            following = text[after : after + 1]
            before = text[start:position].rstrip()[-1:]
            if not following or not ((following in _OPERATORS) or (before and before in _OPERATORS)):
                break
            position = after
            continue
        out.append(character)
        position += 1
    return "".join(out), position


def numbered(line: SourceLine, number: int) -> SourceLine:
    """A line of ``.rept``'s body in one of the rounds, counted from 0."""
    escaped = {f"{mark}": f"\\{mark}" for mark in ("()", "@")}
    return substituted(line, {"+": str(number), **escaped}, line.chain)


def substituted(
    line: SourceLine, values: dict[str, str], chain: tuple[Note, ...], bare: re.Pattern[str] | None = None
) -> SourceLine:
    """A line of a body with the arguments in it, ``@`` and ``+`` among them; ``bare`` finds names without backslash."""
    text = line.text
    holes = [*_HOLE.finditer(text)] if "\\" in text else []
    if bare is not None:
        # In a text only what is joined to it is an argument.
        holes += [found for found in bare.finditer(text) if "&" in found[0] or text.count('"', 0, found.start()) % 2 == 0]
        holes.sort(key=lambda found: found.start())
    if not holes:
        return SourceLine(text, line.marks, chain)
    out: list[str] = []
    marks: list[tuple[int, Span, bool]] = []
    length = position = 0

    def copy(begin: int, end: int) -> None:
        nonlocal length
        if begin == end:
            return
        out.append(text[begin:end])
        marks.append((length, line.span(begin, begin + 1), False))
        marks.extend((length + offset - begin, place, fixed) for offset, place, fixed in line.marks if begin < offset < end)
        length += end - begin

    for match in holes:
        found = _value(match[1], values) if match[0][0] == "\\" else (values[match[1]], len(match[0]) - 1)
        if found is None or match.start() < position:
            continue
        value, used = found
        copy(position, match.start())
        position = match.start() + 1 + used
        if value:
            out.append(value)
            marks.append((length, line.span(match.start(), position), True))
            length += len(value)
    copy(position, len(text))
    return SourceLine("".join(out), marks or [(0, line.span(0, 1), False)], chain)


def _value(name: str, values: dict[str, str]) -> tuple[str, int] | None:
    """What stands for ``\\name``, and how many characters of the name that takes."""
    if name == "()" and name not in values:
        return "", 2
    # In ``\\name.suffix`` the parameter may end before the point.
    while name not in values:
        shorter = max(name.rfind("."), name.rfind("$"))
        if shorter <= 0:
            return None
        name = name[:shorter]
    return values[name], len(name)


def each_of(rest: LinePiece, letters: bool) -> tuple[str, list[str]]:
    """The name of ``.irp`` or ``.irpc``, and the texts that it stands for."""
    match = _NAME.match(rest.text)
    if match is None:
        raise rest.wrong("a name is missing, as in '.irp register, $a0, $a1'")
    position = _separated(rest.text, match.end())
    if letters:
        return match[0], list(rest.text[position:].strip().strip('"'))
    values = []
    while position < len(rest.text):
        value, position = _argument(rest.text, position)
        values.append(value)
        position = _separated(rest.text, position)
    return match[0], values or [""]


def not_a_macro(name: str, known: dict[str, AssemblyMacro]) -> str:
    """The message for ``.purgem`` of what is none."""
    return f"there is no macro '{name}'{suggestion(name, known)}"
