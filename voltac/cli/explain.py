"""``voltac explain FILE``: what each line of a source became."""

from __future__ import annotations

import sys

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.outputs import Output, write_all, write_standard_output
from voltac.cli.settings import diagnostics_of, options_of_arguments, watch_of
from voltac.driver import compile_source, explanation_of, read_source
from voltac.messages.diagnostics import CompileError
from voltac.messages.visible import bytes_of
from voltac.records import replace
from voltac.report.explanation_page import explanation_page


def explain_command(arguments: Namespace) -> int:
    """The exit code: 0, or 1 and the number of errors."""
    if len(arguments.operands) != 1:
        raise UsageError("explain takes one file: voltac explain FILE [--target T] [--html FILE] [--json]")
    (path,) = arguments.operands
    diagnostics = diagnostics_of(arguments)
    # What the performance warnings say stands in the explanation.
    diagnostics.disabled = diagnostics.disabled | {"perf"}
    try:
        options = options_of_arguments(arguments, diagnostics)
        watch = watch_of(arguments, options)
        job = compile_source(read_source(path), path, replace(options, whole_program=True), diagnostics, watch=watch)
    except CompileError:
        return 1 + diagnostics.error_count
    finally:
        sys.stderr.write(diagnostics.render())
    found = explanation_of(job, cycles=True)
    if arguments.html:
        write_all(
            [Output(arguments.html, bytes_of(explanation_page(found)))], [path, *job.dependencies, *arguments.argument_files]
        )
    if arguments.json:
        write_standard_output((found.json() + "\n").encode())
    elif not arguments.html:
        write_standard_output(found.text().encode())
    return 0
