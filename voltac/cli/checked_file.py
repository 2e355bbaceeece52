"""The one file that ``bench``, ``compare`` and ``profile`` take: read, checked, and written about."""

from __future__ import annotations

import sys

from voltac.cli.option_table import Namespace
from voltac.cli.outputs import Output, write_all
from voltac.cli.settings import options_of_arguments
from voltac.driver import compile_source, read_source
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.messages.visible import bytes_of
from voltac.options import Options
from voltac.pipeline import Compilation
from voltac.records import record


@record
class CheckedFile:
    """A file without mistakes."""

    path: str
    text: str
    options: Options
    job: Compilation
    """As far as the check."""

    def write_page(self, arguments: Namespace, page: str) -> None:
        """What was found out of it, to the file that ``--html`` names."""
        write_all([Output(arguments.html, bytes_of(page))], [self.path, *self.job.dependencies, *arguments.argument_files])


def checked_file(path: str, arguments: Namespace, diagnostics: Diagnostics) -> CheckedFile | None:
    """None for a file with mistakes; what there is to say of it is on standard error then."""
    try:
        options = options_of_arguments(arguments, diagnostics)
        text = read_source(path)
        return CheckedFile(path, text, options, compile_source(text, path, options, diagnostics, end="check"))
    except CompileError:
        return None
    finally:
        sys.stderr.write(diagnostics.render())
