"""``voltac explorer [FILE]``: a page on this machine that compiles what is typed into it, and explains it."""

from __future__ import annotations

import errno
import gc
import shlex
import sys
from functools import partial
from typing import Any

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.run_arguments import element_dtype, filled, number_of
from voltac.cli.settings import diagnostics_of, number, options_of_arguments, settings_of_words, time_limit
from voltac.driver import read_source
from voltac.explorer.answers import CommandLine, check
from voltac.explorer.page import SAMPLE, SAMPLE_FILE
from voltac.explorer.paths import paths
from voltac.explorer.server import ExplorerServer
from voltac.explorer.stepping import step
from voltac.explorer.workers import Workers
from voltac.messages.visible import visible_name
from voltac.pipeline import InputError
from voltac.sema import tree
from voltac.sema.type_layout import Layout
from voltac.sema.types import Pointer

_ARRAY_BYTES = 16 << 10
"""Of an array to step through: thousands of elements, which is more than anybody looks at."""
_HIGHEST_PORT = 65535
"""Of TCP."""
_OWN = ("--port", "--time-limit")


def explorer_command(arguments: Namespace) -> int:
    """The exit code once it is interrupted: 0."""
    if len(arguments.operands) > 1:
        raise UsageError("explorer takes one file at most: voltac explorer [FILE]")
    port = number(arguments.port or "0", "--port")
    if port > _HIGHEST_PORT:
        raise UsageError(f"option '--port' needs a number up to {_HIGHEST_PORT}, not '{port}'")
    seconds = time_limit(arguments)
    file, source = SAMPLE_FILE, SAMPLE
    if arguments.operands:
        (file,) = arguments.operands
        source = read_source(file)
    beginning = {"file": visible_name(file), "source": source, "options": _options(arguments)}
    command_line = CommandLine(file, partial(settings_of_words, "explorer"), argument, seconds)
    questions = {"check": check, "paths": paths, "step": step}
    answers = {name: partial(answer, command_line) for name, answer in questions.items()}
    workers = Workers(seconds)
    try:
        server = ExplorerServer(port, beginning, answers, workers)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise InputError(f"port {port} is taken: give another with --port, or none, and a free one is found") from None
        raise InputError(f"cannot serve on port {port}: {error.strerror}") from None
    # This process lives on; 'voltac.cli.command' has switched it off for those that compile once.
    gc.enable()
    with server:
        sys.stdout.write(f"{server.address}\nserving {visible_name(file)} to this machine only, until Ctrl-C\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.stdout.write("\n")
        finally:
            workers.close()
    return 0


def argument(symbol: tree.VariableSymbol, word: str, layout: Layout) -> Any:
    """What a word on the page means as an argument; ValueError."""
    kind = symbol.type.type
    try:
        if isinstance(kind, Pointer):
            return filled(word, element_dtype(kind.to, layout), symbol.name, (_ARRAY_BYTES, "an array on the page"))
        return number_of(symbol, word)
    except UsageError as error:
        raise ValueError(str(error)) from None


def _options(arguments: Namespace) -> str:
    """The words that the page begins with: those of the command line that are for the compiler, and a target."""
    words: list[str] = []
    given = iter(arguments.words)
    for word in given:
        if word in _OWN:
            next(given)
        elif word.partition("=")[0] not in _OWN and word not in arguments.operands:
            words.append(word)
    target = options_of_arguments(arguments, diagnostics_of(arguments)).target.name
    if not (arguments.target or arguments.cpu or arguments.arch):
        words.insert(0, f"--target={target}")
    return shlex.join(words)
