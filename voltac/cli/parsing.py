"""Words of a command line → fields, as the rows of ``option_table.py`` say."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

from voltac.cli.commands import COMMANDS
from voltac.cli.option_table import COMPILE, Option, UsageError, options_of
from voltac.messages.suggestions import suggestion
from voltac.options.checks import listed


def parse_arguments(command: str, words: list[str]) -> argparse.Namespace:
    """The words after the command → fields by the rows' names, and ``command`` and ``operands``."""
    options = options_of(command)
    words = _known(words, options, command)
    for option in options:
        if option.field == "unsupported" and any(word.partition("=")[0] == option.names for word in words):
            raise UsageError(f"option '{option.names}' is not supported; {option.value}")
    # There are many switches of warnings, and few on a command line.
    given = set(words)
    needed = [option for option in options if option.field != "warning_words" or not given.isdisjoint(option.names.split())]
    empty = argparse.Namespace(command=command, warning_words=[], argument_files=[], gathered=None)
    return _parser(needed).parse_intermixed_args(words, empty)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        valueless = re.fullmatch(r"argument (\S+): expected one argument", message)
        if valueless:
            message = f"option '{valueless[1].partition('/')[0]}' needs a value"
        raise UsageError(message.replace("argument ", "option ", 1))


def _parser(options: list[Option]) -> argparse.ArgumentParser:
    # Without a usage of its own, argparse formats one on every run.
    parser = _Parser(prog="voltac", usage="voltac --help", add_help=False, allow_abbrev=False)
    for option in options:
        names = option.names.split()
        if option.form == "flag":
            default: object = not option.value if isinstance(option.value, bool) else None
            action = "append_const" if option.repeated else "store_const"
            default = [] if option.repeated else default
            parser.add_argument(*names, dest=option.field, action=action, const=option.value, default=default)
        else:
            parser.add_argument(
                *names,
                dest=option.field,
                action="append" if option.repeated else "store",
                default=[] if option.repeated else None,
            )
    parser.add_argument("operands", nargs="*")
    return parser


_NUMBER = re.compile(r"-\.?\d")


def _known(words: list[str], options: list[Option], command: str) -> list[str]:
    """The words with every value that may be left out filled in, which argparse would take from the next word.

    It would also guess at words it does not know; here each is either an option as written in a row or an error.
    """
    rows = {name: option for option in options for name in option.names.split()}
    forms = {name: option.form for name, option in rows.items()}
    value_follows = False
    known = []
    rest = iter(words)
    for word in rest:
        known.append(word)
        if value_follows or not word.startswith("-") or word == "-" or _NUMBER.match(word):
            value_follows = False
            continue
        name, equals, value = word.partition("=")
        form = forms.get(name)
        if form == "equals" and not equals:
            value = next(rest, "")
            if not value or value.startswith("-"):
                raise UsageError(f"option '{name}' needs a value, given as {name}=VALUE or {name} VALUE")
            known[-1], equals = f"{name}={value}", "="
        if form == "flag" and equals:
            raise UsageError(f"option '{name}' takes no value")
        if form == "attached" and name == word:
            raise UsageError(f"option '{name}' needs its value attached, as in {name}NAME")
        if form is None and forms.get(word[:2]) not in ("attached", "joined"):
            raise UsageError(_unknown(name, forms, command))
        choices = rows[name].choices.split() if form and equals else []
        if choices and value not in choices:
            raise UsageError(f"option '{name}' must be {listed(choices)}, not '{value}'{suggestion(value, choices)}")
        if form == "optional" and not equals:
            known[-1] = f"{name}={rows[name].value}"
        value_follows = form in ("next", "joined") and not equals
    return known


def _unknown(name: str, forms: dict[str, str], command: str) -> str:
    for other in (COMPILE, *COMMANDS):
        if any(name in option.names.split() for option in options_of(other)):
            return f"option '{name}' belongs to 'voltac{'' if other == COMPILE else ' ' + other}'"
    of = "" if command == COMPILE else f" of 'voltac {command}'"
    help = f"'voltac{'' if command == COMPILE else ' ' + command} --help' lists them all"
    return f"unknown option '{name}'{of}{suggestion(name, forms) or '; ' + help}"
