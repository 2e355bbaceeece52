"""A pass as a row of data, and how the rows of a stage are run: left out, counted, timed, printed, verified, stopped after.

A stage goes over its rows and calls each; all that a developer may want to see or
change happens in :meth:`PassRuns.of`, between two of them::

    for row in runs.of(PASSES, options, lambda: write(module)):
        row.run(module, options)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO, TypeVar

from voltac.messages.visible import visible_listing
from voltac.options import Options
from voltac.records import field, mutable_record, record


def _at_every_level(options: Options) -> bool:
    return True


def optimizing(options: Options) -> bool:
    """From ``-O1`` on."""
    return options.level > 0


@record(eq=False)
class Pass:
    """One step of a stage."""

    name: str
    purpose: str
    """One sentence."""
    run: Callable[..., Any]
    applies: Callable[[Options], bool] = _at_every_level
    """To a compilation with these options, at all."""
    required: bool = False
    """Without it there is no code, or it is wrong: it cannot be left out."""


AnyPass = TypeVar("AnyPass", bound=Pass)


class Stopped(Exception):
    """The pass to stop after has run; ``str()`` is what it made."""


@mutable_record(eq=False)
class PassRuns:
    """What is wanted of the passes of one compilation, and what has become of them."""

    print_after: frozenset[str] = frozenset()
    print_changed: bool = False
    """Print what each pass made that changed anything, and the names of the others."""
    time: bool = False
    """Print how long each took, and whether it changed anything."""
    disabled: frozenset[str] = frozenset()
    limit: int | None = None
    """So many of the passes that are not required run, those that come first."""
    stop_after: str = ""
    verifies: bool = False
    """Look after each pass whether what it left is well-formed."""
    output: TextIO = field(default_factory=lambda: sys.stderr)
    ran: list[str] = field(default_factory=list)
    """Those that ran and are not required."""

    @property
    def watches(self) -> bool:
        """Whether somebody looks at single passes."""
        return bool(self.print_after or self.print_changed or self.time or self.stop_after or self.verifies)

    def of(
        self,
        rows: tuple[AnyPass, ...],
        options: Options,
        show: Callable[[], str],
        verify: Callable[[], object] | None = None,
    ) -> Iterator[AnyPass]:
        """The rows to run, in order; ``show`` gives what they have made so far as text.

        Raises :class:`Stopped` after the pass to stop after.
        """
        compares = self.print_changed or self.time
        for row in rows:
            if not row.applies(options) or not (row.required or self._counts(row)):
                continue
            before = show() if compares else ""
            start = time.perf_counter()
            yield row
            took = time.perf_counter() - start
            if self.verifies and verify is not None:
                verify()
            if compares or row.name in self.print_after:
                self._tell(row, took, before, show())
            if row.name == self.stop_after:
                raise Stopped(show())

    def rewrite(self, rows: tuple[AnyPass, ...], text: str, options: Options) -> str:
        """Run the rows of passes that take a text and give another."""
        made = [text]
        for row in self.of(rows, options, lambda: made[0]):
            made[0] = row.run(made[0], options)
        return made[0]

    def _counts(self, row: Pass) -> bool:
        if row.name in self.disabled or (self.limit is not None and len(self.ran) >= self.limit):
            return False
        self.ran.append(row.name)
        return True

    def _tell(self, row: Pass, took: float, before: str, after: str) -> None:
        changed = before != after
        if self.time:
            self.output.write(f"  {row.name:24} {took * 1000:9.2f} ms  {'changed' if changed else '-'}\n")
        if row.name in self.print_after or (self.print_changed and changed):
            self.output.write(f"; after {row.name}\n{visible_listing(after)}".rstrip("\n") + "\n")
        elif self.print_changed:
            self.output.write(f"; {row.name} changed nothing\n")
