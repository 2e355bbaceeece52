"""Writes docs/options.md from the tables of the command line: ``python docs/write_options.py``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from voltac.cli.commands import COMMANDS
from voltac.cli.help import option_spelling
from voltac.cli.opt_words import OPT_WORDS
from voltac.cli.option_table import COMPILE, GROUPS, Group, with_machines

PAGE = Path(__file__).with_name("options.md")

INTRODUCTION = """\
All options of all commands, as `voltac --help` and `voltac COMMAND --help` print them. `python docs/write_options.py` writes
this page from the table that the command line is read by. How options are used is on the page of the [command
line](command_line.md), what they mean in every case in the [language reference](language.md), 14."""


def code(text: str) -> str:
    """In a cell of a table, where a bar would end it."""
    return "`" + text.replace("|", "\\|") + "`"


def known_to(group: Group) -> str:
    """The commands that know the options of a group, in a sentence."""
    names = [COMPILE, *COMMANDS]
    if set(group.commands) == set(names):
        return "Every command knows them."
    words = ["compiling" if name == COMPILE else f"`voltac {name}`" for name in names if name in group.commands]
    return "For " + (words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]) + "."


def rows(group: Group) -> Iterator[tuple[str, str]]:
    """A row for each option that has an explanation, one for all others."""
    others = [code(option_spelling(option)) for option in group.options if not option.help]
    for option in group.options:
        if option.help:
            yield code(option_spelling(option)), option.help
    if others:
        yield " ".join(others), ""


def table(head: tuple[str, str], lines: Iterable[tuple[str, str]]) -> list[str]:
    out = [f"| {head[0]} | {head[1]} |", "|---|---|"]
    return out + [f"| {left} | {right.replace('|', chr(92) + '|')} |" for left, right in lines]


def page() -> str:
    """The text of the page."""
    out = ["# Options", "", *INTRODUCTION.splitlines(), ""]
    out += [*table(("command", ""), [(f"`voltac {name}`", text) for name, text in COMMANDS.items()]), ""]
    titles = [group.title for group in GROUPS]
    for group in map(with_machines, GROUPS):
        again = titles.count(group.title) > 1
        title = f"{group.title}: {', '.join(group.commands)}" if again else group.title
        out += [f"## {title}", "", known_to(group), "", *table(("option", ""), rows(group)), ""]
    effective = [word for word, meaning in OPT_WORDS.items() if not isinstance(meaning, str)]
    idle = [(f"`{word}`", meaning) for word, meaning in OPT_WORDS.items() if isinstance(meaning, str)]
    out += ["## Words of --opt", "", ", ".join(f"`{word}`" for word in effective) + ".", ""]
    out += ["Accepted with a warning, there is no effect:", "", *table(("word", "why"), idle), ""]
    return "\n".join(out)


if __name__ == "__main__":
    PAGE.write_text(page())
