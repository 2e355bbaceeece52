"""A misspelt kernel of a module: IPython shows the nearest names below Python's own message.

Python shows them itself where it prints an exception, IPython does not; and a module has no ``__getattr__`` that could say
more, for it would cost each call of a kernel.
"""

from __future__ import annotations

from types import TracebackType

from IPython.core.interactiveshell import InteractiveShell

from voltac.python.module import KernelModule


def show_missing_kernels(shell: InteractiveShell) -> None:
    """From now on; nothing if somebody else handles exceptions of the shell."""
    if not shell.custom_exceptions:
        shell.set_custom_exc((AttributeError,), _shown)


def stop_showing(shell: InteractiveShell) -> None:
    """No longer."""
    if shell.custom_exceptions == (AttributeError,):
        shell.set_custom_exc((), None)


def _shown(
    shell: InteractiveShell,
    kind: type[AttributeError],
    error: AttributeError,
    frames: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    if isinstance(error.obj, KernelModule):
        error.add_note(error.obj._unknown(error.name))
    shell.showtraceback((kind, error, frames), tb_offset=tb_offset)
