"""Finished outputs → files, all of them or none: an output that exists stays as it was when anything fails."""

from __future__ import annotations

import os
import stat
import sys

from voltac.records import record


class OutputError(Exception):
    """An output cannot be written; ``str()`` is the message for the user."""


@record
class Output:
    """``path`` ``-`` is standard output."""

    path: str
    content: bytes


def write_all(outputs: list[Output]) -> None:
    """Write every output to a new file beside its place, then put all in place."""
    staged: list[tuple[str, str]] = []
    try:
        for output in outputs:
            if output.path != "-" and _is_plain(output.path):
                place = os.path.realpath(output.path)
                staged.append((_stage(place, output), place))
        for output in outputs:
            if output.path == "-":
                write_standard_output(output.content)
            elif not _is_plain(output.path):
                _write_into(output)
        for temporary, place in staged:
            _put(temporary, place)
    finally:
        for temporary, _ in staged:
            if os.path.exists(temporary):
                os.unlink(temporary)


def write_standard_output(content: bytes) -> None:
    """Write and flush, so that a full disk shows here."""
    if content and sys.stdout.name == os.devnull:
        raise OutputError("cannot write standard output: it is closed")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write standard output: {error.strerror}") from None


def _is_plain(path: str) -> bool:
    """Whether a file may be put there by renaming: not for devices and pipes."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def _stage(place: str, output: Output) -> str:
    if os.path.exists(place) and not os.access(place, os.W_OK):
        raise OutputError(f"output file {output.path} is not writable: it is write-protected")
    folder, name = os.path.split(place)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise _not_writable(output, error) from None
    try:
        with open(handle, "wb") as file:
            file.write(output.content)
        if os.path.exists(place):
            os.chmod(temporary, stat.S_IMODE(os.stat(place).st_mode))
    except OSError as error:
        os.unlink(temporary)
        raise _not_writable(output, error) from None
    return temporary


def _put(temporary: str, place: str) -> None:
    try:
        os.replace(temporary, place)
    except OSError as error:
        raise OutputError(f"output file {place} is not writable: {error.strerror}") from None


def _write_into(output: Output) -> None:
    try:
        with open(output.path, "wb") as file:
            file.write(output.content)
    except OSError as error:
        raise _not_writable(output, error) from None


def _not_writable(output: Output, error: OSError) -> OutputError:
    return OutputError(f"output file {output.path} is not writable: {error.strerror}")
