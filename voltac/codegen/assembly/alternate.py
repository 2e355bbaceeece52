"""``.altmacro``: parameters are names without a backslash, arguments are computed, a macro has labels of its own.

::

    .altmacro
    .macro count register, from        # count $m0, %(2 * words)
        LOCAL again                    # another label in each use
        setzi register, from
    again:
        brnzdec register, again
    .endm

``%`` before an argument gives its number, ``<a, b>`` is one argument, ``!`` before a character takes that as it is, and ``&``
joins a name to what stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from voltac.codegen.assembly.lines import LinePiece, SourceLine, split_at_commas

_LOCAL = re.compile(r"\s*LOCAL\s+(.*)", re.IGNORECASE)


def own_labels(body: tuple[SourceLine, ...], fresh: Callable[[], str]) -> tuple[dict[str, str], tuple[SourceLine, ...]]:
    """The names that ``LOCAL`` gives a use of a macro, and the lines behind it."""
    names: dict[str, str] = {}
    for number, line in enumerate(body):
        match = _LOCAL.match(line.text)
        if match is not None:
            names |= {piece.text: fresh() for piece in split_at_commas(LinePiece(match[1], match.start(1)))}
        elif line.text.strip():
            return names, body[number:]
    return names, ()


def computed_arguments(rest: LinePiece, number: Callable[[LinePiece], int]) -> LinePiece:
    """What stands behind a macro's name, with ``%``, ``<>`` and ``!`` done: texts stand in quotation marks then."""
    text = rest.text
    out: list[str] = []
    position = 0
    while position < len(text):
        character = text[position]
        begins = not "".join(out).rstrip() or "".join(out).rstrip()[-1] in ",="
        if character == "%" and begins:
            end = _end_of_argument(text, position)
            out.append(str(number(LinePiece(text[position + 1 : end], rest.begin + position + 1))))
            position = end
        elif character == "<" and begins:
            inside, position = _bracketed(text, position)
            out.append(f'"{inside}"')
        elif character == "!" and text[position + 1 : position + 2] != "=":
            out.append(text[position + 1 : position + 2])
            position += 2
        else:
            out.append(character)
            position += 1
    return LinePiece("".join(out), rest.begin)


def _end_of_argument(text: str, position: int) -> int:
    depth = 0
    while position < len(text) and (depth or text[position] != ","):
        depth += (text[position] == "(") - (text[position] == ")")
        position += 1
    return position


def _bracketed(text: str, position: int) -> tuple[str, int]:
    """The text of ``<...>``, in which such may stand, and where it ends."""
    out, depth = [], 0
    while position < len(text):
        character = text[position]
        depth += (character == "<") - (character == ">")
        if character == "!":
            position += 1
            out.append(text[position : position + 1])
        elif depth == 0:
            return "".join(out), position + 1
        elif out or depth > 1 or character != "<":
            out.append(character)
        position += 1
    return "".join(out), position


def bare_names(names: Iterable[str]) -> re.Pattern[str]:
    """Where names stand by themselves, with the ``&`` that join them."""
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or r"(?!)"
    return re.compile(rf"&?(?<![\w.$\\])({either})(?![\w$])&?", re.ASCII)
