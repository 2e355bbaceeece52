"""``voltac lsp``: the language server that editors start."""

from __future__ import annotations

import gc
from functools import partial

from voltac.cli.help import package_version
from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.settings import diagnostics_of, options_of_arguments, settings_of_words, time_limit
from voltac.explorer.workers import Workers
from voltac.pipeline import InputError


def lsp_command(arguments: Namespace) -> int:
    """The exit code once the client ends: 0, or 1 if it did not say so before."""
    if arguments.operands:
        raise UsageError(f"lsp takes no file, '{arguments.operands[0]}' is one: editors send the text of what they have open")
    try:
        from voltac.editors.server import serve  # late: pygls may not be installed
    except ModuleNotFoundError as error:
        raise InputError(f"the language server needs {error.name}: pip install 'voltac[editor]'") from None
    options_of_arguments(arguments, diagnostics_of(arguments))
    workers = Workers(time_limit(arguments))
    # This process lives on; 'voltac.cli.command' has switched it off for those that compile once.
    gc.enable()
    return serve(package_version("voltac"), workers, partial(settings_of_words, "lsp"), arguments.words)
