"""Words of a command line → fields, as the rows of ``option_table.py`` say."""

from __future__ import annotations

from typing import Any

from voltac.cli.commands import COMMANDS
from voltac.cli.option_table import COMPILE, Namespace, Option, UsageError, options_of
from voltac.messages.suggestions import suggestion
from voltac.options.checks import listed
from voltac.system.lazy_patterns import lazy_pattern

_NUMBER = lazy_pattern(r"-\.?\d")


def parse_arguments(command: str, words: list[str]) -> Namespace:
    """The words after the command → fields by the rows' names, and ``command`` and ``operands``."""
    options = options_of(command)
    fields: dict[str, Any] = {"command": command, "warning_words": [], "argument_files": [], "gathered": None}
    for option in options:
        fields.setdefault(option.field, _default(option))
    fields["operands"] = _take(words, options, fields)
    for option in options:
        if option.field == "unsupported" and any(word.partition("=")[0] == option.names for word in words):
            raise UsageError(f"option '{option.names}' is not supported; {option.value}")
    return Namespace(**fields)


def _default(option: Option) -> object:
    """Of a field, unless one of its rows is given: the first of these says."""
    if option.repeated:
        return []
    return not option.value if option.form == "flag" and isinstance(option.value, bool) else None


def _take(words: list[str], options: list[Option], fields: dict[str, Any]) -> list[str]:
    """Put the values of options into their fields; the words that belong to none."""
    rows = {name: option for option in options for name in option.names.split()}
    operands = []
    rest = iter(words)
    for word in rest:
        if _is_value(word):
            operands.append(word)
            continue
        name, equals, value = word.partition("=")
        option = rows.get(name)
        if option is None:
            name, equals, value = word[:2], "=", word[2:]
            option = rows.get(name)
            if option is None or option.form not in ("attached", "joined"):
                raise UsageError(_unknown(word.partition("=")[0], list(rows), fields["command"]))
        form = option.form
        if form == "flag" and equals:
            raise UsageError(f"option '{name}' takes no value")
        if form == "attached" and not equals:
            raise UsageError(f"option '{name}' needs its value attached, as in {name}NAME")
        if form == "equals" and not equals:
            value = next(rest, "")
            if not value or value.startswith("-"):
                raise UsageError(f"option '{name}' needs a value, given as {name}=VALUE or {name} VALUE")
            equals = "="
        if form in ("next", "joined") and not equals:
            value = next(rest, "--")
            if not _is_value(value) and " " not in value:
                raise UsageError(f"option '{option.names.split()[0]}' needs a value")
        choices = option.choices.split() if equals else []
        if choices and value not in choices:
            raise UsageError(f"option '{name}' must be {listed(choices)}, not '{value}'{suggestion(value, choices)}")
        made = option.value if form in ("flag", "settled") or (form == "optional" and not equals) else value
        fields[option.field] = [*fields[option.field], made] if option.repeated else made
    return operands


def _is_value(word: str) -> bool:
    return not word.startswith("-") or word == "-" or _NUMBER.match(word) is not None


def _unknown(name: str, names: list[str], command: str) -> str:
    for other in (COMPILE, *COMMANDS):
        if any(name in option.names.split() for option in options_of(other)):
            return f"option '{name}' belongs to 'voltac{'' if other == COMPILE else ' ' + other}'"
    of = "" if command == COMPILE else f" of 'voltac {command}'"
    help = f"'voltac{'' if command == COMPILE else ' ' + command} --help' lists them all"
    return f"unknown option '{name}'{of}{suggestion(name, names) or '; ' + help}"
