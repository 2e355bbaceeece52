"""The LALR(1) tables of the language: ``tables.json``, generated from ``grammar.lark``, in the form the parser runs."""

from __future__ import annotations

import functools
import os
from typing import Any

from voltac.records import record
from voltac.system.kept_values import kept

TABLES_FILE = os.path.join(os.path.dirname(__file__), "tables.json")


@record
class Production:
    """A rule of the grammar: reduced, ``length`` values become that of ``left``, made by ``method`` of those it ``picks``."""

    left: int
    length: int
    method: str
    picks: tuple[int, ...]
    passes_on: bool


@record
class Tables:
    """What the parser runs; states, terminals and rules are numbers."""

    terminals: list[str]
    spellings: dict[str, list[str]]
    nonterminals: list[str]
    rules: list[Production]
    actions: list[dict[int, int]]
    """State -> terminal -> the next state, or -1 - rule for a reduction."""
    gotos: list[dict[int, int]]
    default: list[int]
    """State -> the rule it always reduces by, whatever comes, or -1. Such a reduction does not wait for the next token,
    which is what lets a declaration be known before the name behind it is classified."""
    end: int
    keywords: frozenset[str]
    """The spellings of terminals that are words."""


@functools.cache
def load() -> Tables:
    """Once a process."""
    terminals, spellings, nonterminals, rules, *others = kept("tables", [__file__, TABLES_FILE], _read)
    return Tables(terminals, spellings, nonterminals, [Production(*each) for each in rules], *others)


def _read() -> tuple[Any, ...]:
    """What the tables are made of, in order, the rules as tuples."""
    import json  # late: what was kept is read without

    with open(TABLES_FILE, encoding="utf-8") as file:
        data = json.load(file)
    rules = [(left, length, method, tuple(picks), on) for left, length, method, picks, on in data["rules"]]
    # Rows are flat in the file, symbol and value by turns: nested lists take twice as long to read.
    actions = [dict(zip(row[::2], row[1::2])) for row in data["actions"]]
    default = []
    for row in actions:
        values = set(row.values())
        single = values.pop() if len(values) == 1 else 0
        default.append(-1 - single if single < 0 else -1)
    gotos = [dict(zip(row[::2], row[1::2])) for row in data["gotos"]]
    keywords = frozenset(word for row in data["spellings"].values() for word in row if word.isidentifier())
    symbols = data["terminals"], data["spellings"], data["nonterminals"]
    return *symbols, rules, actions, gotos, default, data["end"], keywords
