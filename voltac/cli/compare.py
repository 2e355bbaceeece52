"""``voltac compare FILE``: the all-on and the masked path of each foreach and coherent statement."""

from __future__ import annotations

import shutil
import sys

from voltac.cli.checked_file import checked_file
from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.settings import diagnostics_of, number
from voltac.messages.visible import visible_listing, visible_name
from voltac.python.build import build_module
from voltac.python.compare_paths import compare
from voltac.python.source import Source


def compare_command(arguments: Namespace) -> int:
    """The exit code: 0, or 1 and the number of errors."""
    if len(arguments.operands) != 1:
        raise UsageError("compare takes one file: voltac compare FILE [--function F] [--target T] [--html FILE] [--json]")
    (path,) = arguments.operands
    diagnostics = diagnostics_of(arguments)
    checked = checked_file(path, arguments, diagnostics)
    if checked is None:
        return 1 + diagnostics.error_count
    if sys.stderr.isatty():
        sys.stderr.write(
            f"compiling both paths of {visible_name(path)} for {checked.options.target.name} and measuring them ...\n"
        )
    elements = number(arguments.elements, "--elements") if arguments.elements else None
    try:
        found = compare(build_module, Source(checked.text, path, checked.options), arguments.function, elements=elements)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if arguments.html:
        checked.write_page(arguments, found.html(f"{visible_name(path)}: all-on and masked paths"))
    if arguments.json:
        sys.stdout.write(found.json() + "\n")
    elif not arguments.html:
        sys.stdout.write(visible_listing(found.text(max(80, shutil.get_terminal_size((120, 24)).columns))) + "\n")
    return 0
