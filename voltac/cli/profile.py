"""``voltac profile FILE [--function F] [arguments]``: one call, how often each line ran and with how many lanes on."""

from __future__ import annotations

import sys

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.outputs import Output, write_all, write_standard_output
from voltac.cli.run import RunFailed, checks_of_run, failure_of_run, function_of_run, run_options, values_of_run
from voltac.cli.settings import diagnostics_of, options_of_arguments
from voltac.driver import compile_source, read_source
from voltac.messages.diagnostics import CompileError
from voltac.messages.message import Diagnostic
from voltac.messages.visible import bytes_of, visible_name
from voltac.python.build import build_module
from voltac.python.profiled_call import profile
from voltac.python.source import Source
from voltac.sema.type_layout import Layout


def profile_command(arguments: Namespace) -> int:
    """The exit code: 0, 1 if the run failed, or 1 and the number of errors."""
    if not arguments.operands:
        raise UsageError("no input file given; 'voltac profile FILE --function F [arguments]'")
    path, *words = arguments.operands
    diagnostics = diagnostics_of(arguments)
    try:
        options = options_of_arguments(arguments, diagnostics)
        text = read_source(path)
        job = compile_source(text, path, options, diagnostics, end="check")
    except CompileError:
        return 1 + diagnostics.error_count
    finally:
        sys.stderr.write(diagnostics.render())
    function = function_of_run(job.program, arguments.function)
    values = values_of_run(function, words, Layout(options.target))
    if not options.target.is_device:
        options = run_options(checks_of_run(function, words, options, None), options)
    source = Source(text, path, options)
    try:
        with failure_of_run():
            found = profile(build_module, source, function.name, tuple(values), {})
    except RunFailed as failed:
        sys.stderr.write(diagnostics.render_one(Diagnostic("Error", failed.span, failed.text, "run")))
        return 1
    if arguments.html:
        page = bytes_of(found.html(f"{visible_name(path)}: lanes on"))
        write_all([Output(arguments.html, page)], [path, *job.dependencies, *arguments.argument_files])
    if arguments.json:
        write_standard_output((found.json() + "\n").encode())
    elif not arguments.html:
        write_standard_output(found.text(colours=arguments.colored or sys.stdout.isatty()).encode("utf-8", "replace"))
    return 0
