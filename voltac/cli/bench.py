"""``voltac bench FILE [--function F] [--targets T,..] [--sizes L1,..] [--data FILE]``: times against the machine's limits."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from voltac.cli.checked_file import checked_file
from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.outputs import write_standard_output
from voltac.cli.run import function_of_run
from voltac.cli.settings import diagnostics_of, number
from voltac.messages.visible import visible_name
from voltac.python.bench_kernels import bench
from voltac.python.build import build_module
from voltac.python.source import Source
from voltac.records import replace


def bench_command(arguments: Namespace) -> int:
    """The exit code: 0, or 1 and the number of errors."""
    if len(arguments.operands) != 1:
        raise UsageError(
            "bench takes one file: voltac bench FILE [--function F] [--targets T,..] [--sizes L1,..] [--data FILE]"
        )
    (path,) = arguments.operands
    diagnostics = diagnostics_of(arguments)
    checked = checked_file(path, arguments, diagnostics)
    if checked is None:
        return 1 + diagnostics.error_count
    function = function_of_run(checked.job.program, arguments.function)
    if sys.stderr.isatty():
        sys.stderr.write(f"compiling and measuring '{function.name}' of {visible_name(path)} ...\n")
    options = replace(checked.options, catch_failures=not checked.options.target.is_device)
    source = Source(checked.text, path, options)
    try:
        found = bench(
            build_module,
            source,
            function.name,
            targets=_words(arguments.targets or arguments.target),
            sizes=_words(arguments.sizes),
            data=None if arguments.data is None else _data(arguments.data),
            rounds=max(1, number(arguments.rounds, "--rounds")) if arguments.rounds else 11,
        )
    except (ValueError, TypeError) as error:
        raise UsageError(str(error)) from None
    if arguments.html:
        checked.write_page(arguments, found.html(f"{visible_name(path)}: {function.name} measured"))
    if arguments.json:
        write_standard_output((found.json() + "\n").encode())
    elif not arguments.html:
        write_standard_output(found.text().encode("utf-8", "replace"))
    return 0


def _words(text: str | None) -> list[str] | None:
    return None if text is None else [word for word in text.split(",") if word]


def _data(path: str) -> dict[str, Any]:
    """The arrays of a file of several, by name."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except OSError as error:
        raise UsageError(f"cannot read the arrays in {path}: {error.strerror or error}") from None
    except Exception as error:  # numpy evaluates the headers: whatever is wrong with one comes out
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise UsageError(f"cannot read the arrays in {path}, as numpy.savez writes them: {reason}") from None
