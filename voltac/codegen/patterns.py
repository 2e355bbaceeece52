"""Selection rules as text: a pattern over IR operations -> the instructions that do its work.

::

    add.s(a, b)                -> add_i32.sss a b
    add.s(a, b:imm9)           -> addi.ssi a b
    mul.v(a, splat(b))         -> mull_i32.vvs a b
    call.less(a, b)            -> t = cmpflt_f32.sss a b; andi.ssi t 1

The first word of a pattern is a key of the target's making (operation and shapes).
A name stands for any operand, ``name:predicate`` for a constant that the target's
predicate of that name takes, an inner pattern for an operation that nobody
else uses. ``splat(x)`` is a vector with one scalar in every lane, however made.

On the right each instruction is a row's name with its operands behind the
result; the last one makes the pattern's result. ``=5`` is the constant 5 in a
register, a bare number an immediate.

Of the rules for a key the last that fits is taken: general ones come first,
special ones after.
"""

from __future__ import annotations

import re

from voltac.records import record


@record
class Any:
    """Any operand."""

    name: str


@record
class ConstantPattern:
    """A constant that a predicate takes."""

    name: str
    predicate: str


@record
class Operation:
    """An IR operation with patterns for its operands."""

    key: str
    operands: tuple[Any | ConstantPattern | Operation, ...]


Pattern = Any | ConstantPattern | Operation


@record
class Step:
    """One instruction of a rule's right side."""

    result: str
    """Name of what it makes; empty for the result of the pattern, and for instructions that make nothing."""
    row: str
    operands: tuple[str, ...]


@record
class SelectionRule:
    """What is matched, and the instructions that take its place."""

    pattern: Operation
    steps: tuple[Step, ...]


_TOKEN = re.compile(r"\s*([\w.$]+|[(),:])")


def parse_rule(text: str) -> SelectionRule:
    """A rule out of its text; ValueError for one that is none."""
    left, arrow, right = text.partition("->")
    if not arrow:
        raise ValueError(f"no arrow in the rule: {text}")
    tokens = _TOKEN.findall(left)
    pattern, rest = _pattern(tokens)
    if rest or not isinstance(pattern, Operation):
        raise ValueError(f"the pattern cannot be read: {text}")
    return SelectionRule(pattern, tuple(_step(part.split()) for part in right.split(";")))


def _pattern(tokens: list[str]) -> tuple[Pattern, list[str]]:
    name, *rest = tokens
    if rest[:1] == [":"]:
        return ConstantPattern(name, rest[1]), rest[2:]
    if rest[:1] != ["("]:
        return Any(name), rest
    operands: list[Pattern] = []
    rest = rest[1:]
    while rest[0] != ")":
        operand, rest = _pattern(rest)
        operands.append(operand)
        if rest[0] == ",":
            rest = rest[1:]
    return Operation(name, tuple(operands)), rest[1:]


def _step(words: list[str]) -> Step:
    if len(words) > 1 and words[1] == "=":
        return Step(words[0], words[2], tuple(words[3:]))
    return Step("", words[0], tuple(words[1:]))


def rules(text: str) -> dict[str, list[SelectionRule]]:
    """Rules by the key of their pattern, one a line; ``#`` begins a comment."""
    found: dict[str, list[SelectionRule]] = {}
    for line in text.splitlines():
        content = line.partition("#")[0].strip()
        if content:
            rule = parse_rule(content)
            found.setdefault(rule.pattern.key, []).append(rule)
    return found


SPLAT = "splat"
"""The inner pattern that is no operation."""
