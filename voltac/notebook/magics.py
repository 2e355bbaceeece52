"""The cell magic ``%%voltac``: a cell is a program, its exported functions become names of the notebook.

    %%voltac [NAME,] [option=value, ...]

The options are those of :func:`voltac.compile`, values any expressions of the notebook; NAME is for the whole module.
"""

from __future__ import annotations

import ast
import sys
import warnings
from types import FrameType
from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import no_var_expand

from voltac.messages.cell_errors import without_frames
from voltac.notebook.completion import complete_options
from voltac.notebook.missing_kernels import show_missing_kernels, stop_showing
from voltac.python import compile as compile_program

_MAGIC = "voltac"
_USAGE = "%%voltac takes a name for the module, if any, and options as voltac.compile does: %%voltac k, target='avx2', opt=2"


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Called by ``%load_ext voltac``."""

    def voltac(line: str, cell: str) -> None:
        """Compile the cell; each function it exports is a name of the notebook afterwards.

        %%voltac [NAME,] [option=value, ...]

        Options are those of voltac.compile, with values as Python has them; NAME is a name for the whole module::

            %%voltac k, target="avx2", defines={"LIMIT": 100}
            export void twice(uniform float a[n], uniform int n) {
                foreach (i = 0 ... n)
                    a[i] *= 2;
            }
        """
        try:
            _define(shell, line, cell)
        except Exception as error:
            raise without_frames(error) from None

    shell.register_magic_function(no_var_expand(voltac), "cell", _MAGIC)  # type: ignore[arg-type]
    shell.Completer.custom_matchers.append(complete_options)
    show_missing_kernels(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Called by ``%unload_ext voltac``; kernels stay."""
    shell.magics_manager.magics["cell"].pop(_MAGIC, None)
    shell.Completer.custom_matchers.remove(complete_options)
    stop_showing(shell)


def _define(shell: InteractiveShell, line: str, cell: str) -> None:
    name, options = _arguments(line, shell.user_ns)
    options = {"file": _cell_name(shell), **options}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Lines are counted as the notebook does it: the magic stands in the first.
        module = compile_program("\n" + cell, **options)
    for warning in caught:
        warnings.warn_explicit(warning.message, warning.category, options["file"], 1)
    shell.push({kernel: module[kernel] for kernel in module} | ({name: module} if name else {}))


def _cell_name(shell: InteractiveShell) -> str:
    """``In[3]``, of the cell that runs; shells count it before or afterwards."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        named = shell.compile.format_code_name(frame.f_code.co_filename)
        if named:
            return str(named[1])
        frame = frame.f_back
    return f"In[{shell.execution_count}]"


def _arguments(line: str, names: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A name for the module, if one is given, and the options, from the line of the magic."""
    try:
        call = ast.parse(f"_({line}\n)", mode="eval").body
    except SyntaxError:
        raise UsageError(_USAGE) from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or len(call.args) > 1:
        raise UsageError(_USAGE)
    module = ""
    for given in call.args:
        if not isinstance(given, ast.Name):
            raise UsageError(_USAGE)
        module = given.id
    options: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg == "source":
            raise UsageError(_USAGE)
        try:
            options[keyword.arg] = eval(compile(ast.Expression(keyword.value), "%%voltac", "eval"), names)
        except NameError as error:
            word = ast.unparse(keyword.value)
            hint = f"; as a text it stands in quotes: {keyword.arg}={word!r}" if word.isidentifier() else ""
            raise UsageError(f"%%voltac {keyword.arg}={word}: {error}{hint}") from None
    return module, options
