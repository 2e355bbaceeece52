"""Finished outputs → files, all of them or none: an output that exists stays as it was when anything fails or ends us."""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from voltac.pipeline import InputError
from voltac.records import mutable_record, record

Input = str | int
"""A file that was read: its name or, for standard input, its descriptor."""


class OutputError(Exception):
    """An output cannot be written; ``str()`` is the message for the user."""


@record
class Output:
    """``path`` ``-`` is standard output."""

    path: str
    content: bytes


@mutable_record
class _Staged:
    """An output on its way: written under a name that nothing else has."""

    output: Output
    place: str
    temporary: str
    backup: str = ""
    """What was in its place, under another name."""
    placed: bool = False


def write_all(outputs: Sequence[Output], inputs: Iterable[Input]) -> None:
    """Write every output to a new file beside its place, then put all in place. None of them may be one of ``inputs``."""
    plain = [output for output in outputs if output.path != "-" and _is_plain(output.path)]
    _refuse_overwriting(plain, inputs)
    _refuse_repetitions(plain)
    staged = [_Staged(output, place := os.path.realpath(output.path), _beside(place)) for output in plain]
    with _Ending() as ending:
        try:
            for item in staged:
                _stage(item)
            with ending.at_once():
                for output in outputs:
                    if output.path == "-":
                        write_standard_output(output.content)
                    elif output not in plain:
                        _write_into(output)
            _put_in_place(staged)
        finally:
            for item in staged:
                for name in (item.temporary, item.backup):
                    if name:
                        with suppress(OSError):
                            os.unlink(name)


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


# --- what may be written ------------------------------------------------------------------------------------------


def _is_plain(path: str) -> bool:
    """Whether a file may be put there by renaming: not for devices and pipes."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def _identity(file: Input) -> tuple[int, int] | None:
    """What two names of one file have in common; None if there is no plain file."""
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _refuse_overwriting(outputs: Iterable[Output], inputs: Iterable[Input]) -> None:
    read: dict[tuple[int, int], Input] = {}
    for file in inputs:
        identity = _identity(file)
        if identity is not None:
            read.setdefault(identity, file)
    main = next(iter(read.values()), None)
    for output in outputs:
        identity = _identity(output.path)
        found = read.get(identity) if identity is not None else None
        if found is not None:
            what = "the input file" if found == main else f"'{found}', which was read for this compilation"
            raise InputError(f"output file {output.path} is {what}; it was left as it is")


def _refuse_repetitions(outputs: Iterable[Output]) -> None:
    seen: set[str] = set()
    for output in outputs:
        place = os.path.realpath(output.path)
        if place in seen:
            raise OutputError(f"two outputs are to be written to one file, {output.path}; give each a name of its own")
        seen.add(place)


# --- writing ------------------------------------------------------------------------------------------------------


def _beside(place: str) -> str:
    """A new name in the folder of a file: short, for the file's own may be as long as names can be."""
    return os.path.join(os.path.dirname(place), f".voltac-{os.urandom(8).hex()}.tmp")


def _stage(item: _Staged) -> None:
    if os.path.exists(item.place) and not os.access(item.place, os.W_OK):
        raise OutputError(f"output file {item.output.path} is not writable: it is write-protected")
    try:
        with open(os.open(item.temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "wb") as file:
            file.write(item.output.content)
        if os.path.exists(item.place):
            os.chmod(item.temporary, stat.S_IMODE(os.stat(item.place).st_mode))
    except OSError as error:
        raise _not_writable(item.output, error) from None


def _put_in_place(staged: Sequence[_Staged]) -> None:
    """Rename all; if one cannot be, those before it are taken back."""
    try:
        for item in staged:
            try:
                if item is not staged[-1] and os.path.lexists(item.place):
                    _keep(item)
                os.replace(item.temporary, item.place)
            except OSError as error:
                raise _not_writable(item.output, error) from None
            item.placed = True
    except OutputError:
        for item in staged:
            if item.backup:
                os.replace(item.backup, item.place)
            elif item.placed:
                os.unlink(item.place)
        raise


def _keep(item: _Staged) -> None:
    backup = _beside(item.place)
    try:
        os.link(item.place, backup)
    except OSError:
        # A file system without links.
        os.rename(item.place, backup)
    item.backup = backup


def _write_into(output: Output) -> None:
    try:
        with open(output.path, "wb") as file:
            file.write(output.content)
    except OSError as error:
        raise _not_writable(output, error) from None


def _not_writable(output: Output, error: OSError) -> OutputError:
    return OutputError(f"output file {output.path} is not writable: {error.strerror}")


# --- signals ------------------------------------------------------------------------------------------------------


class _Ended(BaseException):
    """A signal that ends the process arrived."""


class _Ending:
    """``with``: signals that end the process wait until the end of the block, or until it waits for somebody itself.

    Not by blocking them: a signal for the process goes to any of its threads.
    """

    _SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._arrived: list[int] = []
        self._at_once = False

    def __enter__(self) -> _Ending:
        if threading.current_thread() is threading.main_thread():
            for number in self._SIGNALS:
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._before[number] = signal.signal(number, self._arrives)
        return self

    def _arrives(self, number: int, _: FrameType | None) -> None:
        self._arrived.append(number)
        if self._at_once:
            self._at_once = False
            raise _Ended

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What may take for ever can be ended."""
        self._at_once = True
        if self._arrived:
            raise _Ended
        try:
            yield
        finally:
            self._at_once = False

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for number in self._arrived[:1]:
            # Ends the process, or raises KeyboardInterrupt.
            os.kill(os.getpid(), number)
