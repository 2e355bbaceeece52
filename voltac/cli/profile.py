"""``voltac profile FILE [--function F] [arguments]``: one call, how often each line ran and with how many lanes on."""

from __future__ import annotations

import sys

from voltac.cli.checked_file import checked_file
from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.outputs import write_standard_output
from voltac.cli.run import RunFailed, checks_of_run, failure_of_run, function_of_run, run_options, values_of_run
from voltac.cli.settings import diagnostics_of
from voltac.messages.message import Diagnostic
from voltac.messages.visible import visible_name
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
    checked = checked_file(path, arguments, diagnostics)
    if checked is None:
        return 1 + diagnostics.error_count
    options = checked.options
    function = function_of_run(checked.job.program, arguments.function)
    values = values_of_run(function, words, Layout(options.target))
    if not options.target.is_device:
        options = run_options(checks_of_run(function, words, options, None), options)
    source = Source(checked.text, path, options)
    try:
        with failure_of_run():
            found = profile(build_module, source, function.name, tuple(values), {})
    except RunFailed as failed:
        sys.stderr.write(diagnostics.render_one(Diagnostic("Error", failed.span, failed.text, "run")))
        return 1
    if arguments.html:
        checked.write_page(arguments, found.html(f"{visible_name(path)}: lanes on"))
    if arguments.json:
        write_standard_output((found.json() + "\n").encode())
    elif not arguments.html:
        write_standard_output(found.text(colours=arguments.colored or sys.stdout.isatty()).encode("utf-8", "replace"))
    return 0
