"""Mutations of whole parts of a program: groups in brackets, statements and declarations are exchanged, moved, doubled, left
out or put into one another, so that most of what comes out can be parsed and reaches the later stages."""

from __future__ import annotations

import random
import re

Span = tuple[int, int]
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\w+|[^\w\s]', re.DOTALL)
CLOSES = {")": "(", "]": "[", "}": "{"}
DEEP = (2, 10, 100, 1000)


def parts(text: str) -> dict[str, list[Span]]:
    """The insides of groups by their bracket, and under ``;`` the statements and declarations."""
    found: dict[str, list[Span]] = {"(": [], "[": [], "{": [], ";": []}
    open_: list[tuple[str, int]] = []
    starts = [0]
    for match in TOKEN.finditer(text):
        token = match.group()
        if token in "([{":
            open_.append((token, match.end()))
            starts.append(match.end())
        elif token in CLOSES and open_ and open_[-1][0] == CLOSES[token]:
            found[open_[-1][0]].append((open_.pop()[1], match.start()))
            starts.pop()
            if token == "}":
                found[";"].append((starts[-1], match.end()))
                starts[-1] = match.end()
        elif token == ";" and (not open_ or open_[-1][0] == "{"):
            found[";"].append((starts[-1], match.end()))
            starts[-1] = match.end()
    return found


def mutated_tree(text: str, donor: str, chance: random.Random) -> str:
    """The text with one part changed; what replaces it may come from ``donor``, another program."""
    own, given = parts(text), parts(donor)
    kinds = [kind for kind, spans in own.items() if spans]
    if not kinds:
        return text
    kind = chance.choice(kinds)
    start, end = chance.choice(own[kind])
    part, before, behind = text[start:end], text[:start], text[end:]
    match chance.randrange(7):
        case 0:
            return before + behind
        case 1:
            return before + part + (", " if kind == "(" else "\n") + part + behind
        case 2 | 3:
            other = chance.choice(own[kind])
            return before + text[slice(*other)] + behind
        case 4 if given[kind]:
            return before + donor[slice(*chance.choice(given[kind]))] + behind
        case 5:
            opening, closing = {"(": ("(", ")"), "[": ("(", ")")}.get(kind, ("{", "}"))
            times = chance.choice(DEEP)
            return before + opening * times + part + closing * times + behind
        case _:
            # Into another place of its kind, which may lie within it.
            at = chance.choice(own[kind])[0]
            rest = before + behind
            return rest[: min(at, len(rest))] + part + rest[min(at, len(rest)) :]
