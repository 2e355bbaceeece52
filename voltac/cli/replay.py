"""``voltac replay FILE [options]``: the call that ``k.f.record(FILE)`` wrote, made again; what differs, line by line."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.parsing import parse_arguments
from voltac.cli.run_arguments import printed
from voltac.cli.settings import diagnostics_of, options_of_arguments
from voltac.messages.visible import visible_name
from voltac.options import Options
from voltac.pipeline import InputError
from voltac.python.call_outcomes import CallOutcome, differences
from voltac.python.portable import source_of
from voltac.python.recorded_calls import RecordedCall, read_call
from voltac.python.source import Source
from voltac.testing.runs import run_compiled, run_interpreted


def replay_command(arguments: Namespace) -> int:
    """The exit code: 0 if the call leaves what was recorded, 1 if it does not."""
    if len(arguments.operands) != 1:
        raise UsageError("replay takes the file of a recorded call: voltac replay FILE")
    (path,) = arguments.operands
    call = _read(path)
    source = _source(call, path, _changes(arguments))
    launch = call.launch if source.options.target.is_device else None
    try:
        if arguments.interpret:
            found = run_interpreted(source, call.kernel, call.arguments)
        else:
            found = run_compiled(source, call.kernel, call.arguments, launch)
    except (KeyError, StopIteration):
        raise InputError(f"{path} is damaged: its source exports no function '{visible_name(call.kernel)}'") from None
    now = "by the interpreter" if arguments.interpret else f"for {source.options.target.name}"
    sys.stdout.write(f"{call.kernel}() recorded for {call.target}, replayed {now}\n")
    if call.outcome is None:
        sys.stdout.write("the call did not come back when it was recorded: there is nothing to compare with\n")
        _write(call, found)
        return 0
    lines = differences(call.outcome, found, ("recorded", "now"))
    sys.stdout.writelines(f"{visible_name(line)}\n" for line in lines or ["as recorded"])
    return 1 if lines else 0


def _read(path: str) -> RecordedCall:
    try:
        return read_call(path)
    except FileNotFoundError:
        raise InputError(f"file not found: {path}") from None
    except ValueError as error:
        raise InputError(str(error)) from None


def _changes(arguments: Namespace) -> dict[str, Any]:
    """The options that the command line has other than when nothing is said, and the target if one is named."""
    given = options_of_arguments(arguments, diagnostics_of(arguments))
    nothing = parse_arguments("replay", [])
    usual = options_of_arguments(nothing, diagnostics_of(nothing))
    names = [name for name in Options.__match_args__ if name != "target"]
    changes: dict[str, Any] = {name: getattr(given, name) for name in names if getattr(given, name) != getattr(usual, name)}
    if arguments.target or arguments.cpu or arguments.arch:
        changes["target"] = given.target
    return changes


def _source(call: RecordedCall, path: str, changes: dict[str, Any]) -> Source:
    try:
        return source_of(call.source, changes)
    except Exception as error:  # the file is not trusted: whatever comes out of reading it
        raise InputError(f"{path} is no file of a recorded call: {type(error).__name__}: {error}") from None


def _write(call: RecordedCall, found: CallOutcome) -> None:
    for name, array in found.arrays.items():
        before = call.arguments[name]
        unchanged = isinstance(before, np.ndarray) and before.tobytes() == array.tobytes()
        sys.stdout.write(f"{name} = {'unchanged' if unchanged else printed(array)}\n")
    if found.error is not None:
        sys.stdout.write(visible_name(f"exception: {': '.join(found.error)}") + "\n")
    elif found.result is not None:
        sys.stdout.write(f"result = {printed(found.result)}\n")
