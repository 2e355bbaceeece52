"""Assembly language with debug information -> functions, each line with the line of the source that it comes from.

    .loc  1 38 8    # <stdlib>/arithmetic.ispc:38:8 @[ saxpy.ispc:5:13 ]

The comment has where a call was inlined, innermost first: the instruction belongs to line 5 of the program.
"""

from __future__ import annotations

import re

from voltac.records import record

_BEGIN = re.compile(r'\s*\.type\s+"?(.*?)"?,@function')
_PLACE = re.compile(r"(?:^|@\[ |# )([^@]*?):(\d+):\d+")
_LABEL = re.compile(r"^(\.LBB\d+_\d+):")
_USED = re.compile(r"\.LBB\d+_\d+")


@record
class AssemblyLine:
    """An instruction, or a label that something jumps to."""

    text: str
    line: int
    """Of the source; 0 where it is of no line of the file."""


def lines_of_functions(assembly: str, file: str) -> dict[str, list[AssemblyLine]]:
    """Function -> its lines without directives and comments; ``file`` is the source whose lines are wanted."""
    found: dict[str, list[AssemblyLine]] = {}
    current: list[AssemblyLine] | None = None
    line = 0
    jumped_to = {name for row in assembly.splitlines() if row.startswith("\t") for name in _USED.findall(row.partition("#")[0])}
    for row in assembly.splitlines():
        if begin := _BEGIN.match(row):
            current, line = found.setdefault(begin[1], []), 0
        elif row.startswith(".Lfunc_end"):
            current = None
        elif current is None:
            continue
        elif row.startswith("\t.loc\t"):
            line = source_line(row, file)
        elif (label := _LABEL.match(row)) and label[1] in jumped_to:
            current.append(AssemblyLine(f"{label[1]}:", 0))
        elif row.startswith("\t") and not row.startswith(("\t.", "\t#")):
            current.append(AssemblyLine(row.partition("#")[0].strip().replace("\t", " "), line))
    return found


def source_line(directive: str, file: str) -> int:
    """The line that a ``.loc`` means; 0 where it is of no line of the file."""
    places = _PLACE.findall(directive.partition("#")[2].strip())
    if not places:
        return 0
    name, line = places[-1]
    return int(line) if name.strip().removeprefix("./") == file.removeprefix("./") else 0
