"""Turns ``grammar.lark`` into ``tables.json``: the LALR(1) tables the parser runs.

``python -m voltac.syntax.generate`` writes the file; a test says when it is out of date. Lark constructs the tables in
0.3 s, too long for every compilation, so they are made once, here, and lark is imported nowhere else.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from voltac.syntax.tables import TABLES_FILE

GRAMMAR_FILE = Path(TABLES_FILE).with_name("grammar.lark")
_START = "translation_unit"


def _spellings(pattern: Any) -> list[str]:
    """The strings a terminal stands for: its text, or the alternatives of ``(?:a|b)``."""
    if pattern.type == "str":
        return [pattern.value]
    inner = pattern.value.removeprefix("(?:").removesuffix(")")
    return [re.sub(r"\\(.)", r"\1", part) for part in re.split(r"(?<!\\)\|", inner)]


def _row(rule: Any) -> list[Any]:
    """A rule as [left side, length, method, picks, passes on]; -1 among the picks is an absent option."""
    name = str(rule.origin.name)
    if name.startswith("__"):
        picks = [number for number, symbol in enumerate(rule.expansion) if not (symbol.is_term and symbol.filter_out)]
        return [name, len(rule.expansion), "more" if rule.expansion[0].name == name else "first", picks, False]
    picks = []
    symbols = iter(enumerate(rule.expansion))
    for empty in rule.options.empty_indices or [False] * len(rule.expansion):
        if empty:
            picks.append(-1)
            continue
        number, symbol = next(symbols)
        if not (symbol.is_term and symbol.filter_out):
            picks.append(number)
    passes_on = bool(rule.options.expand1 and rule.alias is None and len(picks) == 1)
    return [name, len(rule.expansion), str(rule.alias or name), picks, passes_on]


def generate() -> str:
    """The text of ``tables.json`` for the grammar as it stands."""
    import lark  # only here: a compilation never needs it

    source = GRAMMAR_FILE.read_text(encoding="utf-8")
    grammar = lark.Lark(source, parser="lalr", start=_START, maybe_placeholders=True)
    table: Any = grammar.parser.parser._parse_table
    spelled = {str(term.name): _spellings(term.pattern) for term in grammar.terminals}

    rules: list[Any] = []
    numbers: dict[Any, int] = {}
    order: list[Any] = [table.start_states[_START]]
    renumbered = {order[0]: 0}
    actions: list[dict[str, int]] = []
    gotos: list[dict[str, int]] = []
    terminals = {"$END"}
    for state in order:
        action_row: dict[str, int] = {}
        goto_row: dict[str, int] = {}
        for symbol in sorted(table.states[state]):
            action, target = table.states[state][symbol]
            if action.name == "Reduce":
                if target not in numbers:
                    numbers[target] = len(rules)
                    rules.append(target)
                action_row[symbol] = -1 - numbers[target]
                terminals.add(symbol)
                continue
            if target not in renumbered:
                renumbered[target] = len(order)
                order.append(target)
            terminal = symbol == "$END" or symbol in spelled or symbol.isupper()
            if terminal:
                terminals.add(symbol)
            (action_row if terminal else goto_row)[str(symbol)] = renumbered[target]
        actions.append(action_row)
        gotos.append(goto_row)

    rows = [_row(rule) for rule in rules]
    terminal_names = sorted(terminals)
    nonterminal_names = sorted({row[0] for row in rows} | {symbol for goto_row in gotos for symbol in goto_row})
    terminal_number = {name: number for number, name in enumerate(terminal_names)}
    nonterminal_number = {name: number for number, name in enumerate(nonterminal_names)}
    data = {
        "end": renumbered[table.end_states[_START]],
        "terminals": terminal_names,
        "spellings": {name: spelled[name] for name in terminal_names if name in spelled},
        "nonterminals": nonterminal_names,
        "rules": [[nonterminal_number[row[0]], *row[1:]] for row in rows],
        "actions": [[item for key, value in row.items() for item in (terminal_number[key], value)] for row in actions],
        "gotos": [[item for key, value in row.items() for item in (nonterminal_number[key], value)] for row in gotos],
    }
    return _compact(data)


def _compact(data: dict[str, Any]) -> str:
    """One line a state, so that a change of the grammar shows as a readable difference."""
    parts = []
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], list):
            text = "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in value) + "\n]"
        else:
            text = json.dumps(value, separators=(",", ":"))
        parts.append(f'"{key}":{text}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> int:
    """Write the file; 0 for the shell."""
    text = generate()
    Path(TABLES_FILE).write_text(text, encoding="utf-8")
    print(f"{TABLES_FILE}: {len(text)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
