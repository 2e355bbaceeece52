"""Which checks the functions of a program get."""

from __future__ import annotations

from voltac.options import Options
from voltac.records import record


@record
class Checks:
    """The words of ``Options.checked``, one field each."""

    accesses: bool = False
    races: bool = False
    unwritten: bool = False
    nonfinite: bool = False


NONE = Checks()


def chosen(options: Options, library: bool) -> Checks:
    """Functions of the library are trusted with all but the memory that they are given."""
    if not options.checked:
        return NONE
    return Checks(**{name: not library or name == "accesses" for name in options.checked})
