"""The command line: words → a command, its exit code, and one clear message for whatever goes wrong.

Exit codes: 0, 1 for files and internal errors, 2 for command lines that cannot be
understood, and 1 plus the number of errors for programs with errors (language 14).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module

from voltac.cli import end_interrupted
from voltac.cli.argument_files import ArgumentFiles
from voltac.cli.commands import COMMANDS
from voltac.cli.option_table import COMPILE, TEXTS, Namespace, UsageError
from voltac.cli.outputs import OutputError, write_standard_output
from voltac.cli.parsing import parse_arguments
from voltac.llvm import light_import
from voltac.llvm.host import CannotRun
from voltac.messages.diagnostics import CompileError, Diagnostics, InternalError
from voltac.messages.message import NOWHERE, Diagnostic
from voltac.messages.visible import visible_name
from voltac.pipeline import InputError

_HIGHEST_EXIT_CODE = 125
"""More would be cut off at 256 or read as 'killed by a signal'."""


def main(words: list[str] | None = None) -> int:
    """Run the command line; the exit code."""
    given = sys.argv[1:] if words is None else words
    form = _form_of_diagnostics([*given, *os.environ.get("ISPC_ARGS", "").split()])
    if form != "sarif":
        return _guarded(given, form == "json", None)
    gathered: list[Diagnostic] = []
    code = _guarded(given, False, gathered)
    from voltac.cli.help import package_version  # late: both are for this document only
    from voltac.messages.sarif import sarif_document

    sys.stderr.write(sarif_document(gathered, package_version("voltac")))
    return code


def _form_of_diagnostics(words: list[str]) -> str:
    """What ``--diagnostics`` says; it holds for a command line that is not understood as well."""
    text = " ".join(words).replace("--diagnostics ", "--diagnostics=")
    return next((form for form in ("sarif", "json") if f"--diagnostics={form}" in text.split()), "text")


def _guarded(given: list[str], json: bool, gathered: list[Diagnostic] | None) -> int:
    """The exit code; whatever goes wrong is told in one message, which goes to ``gathered`` unless that is None."""

    def complain(code: str, text: str, exit_code: int) -> int:
        diagnostics = Diagnostics(colored=sys.stderr.isatty(), json=json, gathered=gathered)
        diagnostics.error(code, NOWHERE, text)
        sys.stderr.write(diagnostics.render())
        return exit_code

    try:
        code = _command(given, gathered)
        write_standard_output(b"")
        return min(code, _HIGHEST_EXIT_CODE)
    except UsageError as error:
        return complain("command-line", visible_name(str(error)), 2)
    except (InputError, OutputError, CannotRun) as error:
        return complain("file", visible_name(str(error)), 1)
    except InternalError as error:
        _end_if_interrupted(error)
        return complain("internal", f"internal error of the compiler, {error}", 1)
    except CompileError as error:
        error.diagnostics.json = error.diagnostics.json or json
        error.diagnostics.gathered = gathered
        sys.stderr.write(error.diagnostics.render())
        return min(1 + error.diagnostics.error_count, _HIGHEST_EXIT_CODE)
    except MemoryError as error:
        return complain("memory", str(error) or "out of memory", 1)
    except BrokenPipeError:
        # Whoever read our output has gone.
        return 1
    except OSError as error:
        return complain("file", f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}", 1)
    except KeyboardInterrupt:
        with suppress(OSError):
            sys.stderr.flush()
        end_interrupted()
        raise
    except Exception as error:
        _end_if_interrupted(error)
        return complain("internal", f"internal error of the compiler, {_reported(error)}", 1)


def _end_if_interrupted(error: BaseException | None) -> None:
    """What was being done when Ctrl-C came may fail while it is taken back."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            end_interrupted()
        seen.add(id(error))
        error = error.__cause__ or error.__context__


def _reported(error: Exception) -> str:
    """Write down where it happened, and say what and where."""
    import tempfile  # late: both are slow to import, and this is for failures of the compiler
    import traceback

    handle, path = tempfile.mkstemp(prefix="voltac-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as report:
        report.write("".join(traceback.format_exception(error)))
    return f"{type(error).__name__}: {error}\nwhere it happened is in {path}"


def run(*at_end: Callable[[], None]) -> None:
    """For the words of this process, which it ends at once: that saves the time to take LLVM apart."""
    _replace_closed_streams()
    light_import.process_is_own()
    code = main()
    for stream in (sys.stdout, sys.stderr):
        # Whatever could not be written has been reported by now.
        with suppress(OSError):
            stream.flush()
    for last in at_end:
        last()
    os._exit(code)


def _replace_closed_streams() -> None:
    """A shell's ``>&-`` leaves None where the stream was. What needs the stream itself sees by its name that it is gone."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (stays open)


def _command(words: list[str], gathered: list[Diagnostic] | None) -> int:
    command = words[0] if words and words[0] in COMMANDS else COMPILE
    words = words[1:] if command != COMPILE else words
    files = ArgumentFiles()
    words = files.expanded(words) + (os.environ.get("ISPC_ARGS", "").split() if command == COMPILE else [])
    arguments = parse_arguments(command, words)
    arguments.argument_files = files.read
    arguments.words = words
    arguments.gathered = gathered
    if any(getattr(arguments, text, False) for text in TEXTS):
        from voltac.cli.help import text_asked_for  # late: a compilation prints none of these texts

        write_standard_output(text_asked_for(command, arguments).encode())
        return 0
    return _function_of(command)(arguments)


def _function_of(command: str) -> Callable[[Namespace], int]:
    """``NAME_command`` of the module ``voltac/cli/NAME``; a plain compilation imports nothing of the others."""
    name = command.replace("-", "_")
    function: Callable[[Namespace], int] = getattr(import_module(f"voltac.cli.{name}"), f"{name}_command")
    return function
