"""Names that carry a meaning from one stage to another: made here, and read here, nowhere else.

**Blocks** of statements with several paths begin with the statement and the path,
``foreach_12_5.all_on``; blocks inside begin with that of the innermost statement
around them, ``foreach_12_5.all_on.loop.test``. LLVM joins the names of blocks that it makes one.

**Functions** that are seldom called, and left as they are, have a name of their own.

**Attributes** of functions, ``"voltac-threads"="one"``, tell stages behind ``lower`` what they have to know of a kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from voltac.records import record
from voltac.system.lazy_patterns import lazy_pattern

FOREACH, CIF, CFOR = "foreach", "cif", "cfor"
"""What has paths: ``foreach`` and ``foreach_tiled``, ``cif``, the coherent loops."""

ALL_ON, MASKED, MIXED, ALL_OFF, FINISHED = "all_on", "masked", "mixed", "all_off", "finished"
"""The paths: all lanes on; under a mask; of a cif, some lanes on and none; of a foreach, nothing left over."""

TEST = "test"
"""The block that decides among the paths of a loop."""

THREADS = "voltac-threads"
"""Who runs a kernel of a device: ``one`` thread, or ``all`` enter it."""
FLUSH = "voltac-flush"
"""Who makes visible what it stores: the ``compiler``, or the ``program``."""
LINES = "voltac-lines"
"""``own``: no line of memory is written by two threads."""

PROFILE_COUNTS, PROFILE_PLACES = "voltac.profile.counts", "voltac.profile.places"
"""Global variables of instrumented builds: of each probe, how often 0, 1, ... W lanes were on, 64 bits each; and as JSON, of
each probe a list of the statements it counts, ``[file, line, column, note]``."""

_STATEMENT = rf"\b(?P<kind>{FOREACH}|{CIF}|{CFOR})_(?P<line>\d+)_(?P<column>\d+)"
_BLOCK = lazy_pattern(rf"{_STATEMENT}\.(?P<path>\w+)")
_FIRST = lazy_pattern(rf"{_STATEMENT}\.(?:{ALL_ON}|{MASKED}|{MIXED}|{ALL_OFF})$")
_MENTIONED = lazy_pattern(rf"{_STATEMENT}\.(?P<path>{ALL_ON}|{MASKED}|{MIXED}|{ALL_OFF}|{FINISHED})")
_AT_LINE = lazy_pattern(rf"^{_BLOCK.pattern}", re.MULTILINE)


@record
class PathName:
    """The outermost statement that a block belongs to, by its place in the source, and the path of it."""

    line: int
    column: int
    path: str


def attribute(key: str, value: str) -> str:
    """As it stands in a function's header or a group of attributes."""
    return f'"{key}"="{value}"'


def statement(kind: str, line: int, column: int) -> str:
    """What the names of a statement's blocks begin with."""
    return f"{kind}_{line}_{column}"


def block(statement: str, part: str) -> str:
    """The name of a block: ``part`` is a path, or one step of it."""
    return f"{statement}.{part}"


def test_block(block: str) -> str:
    """The block that decides among the paths, of the statement that a block belongs to."""
    return f"{block.partition('.')[0]}.{TEST}"


def inside(path: str, name: str) -> str:
    """The name of a block inside of a path, which statements with paths of their own do not take on."""
    return name if not path or "_" in name.partition(".")[0] else f"{path}.{name}"


def path_of(name: str) -> PathName | None:
    """Of a block, by its name."""
    found = _BLOCK.match(name)
    return None if found is None else _path(found)


def is_first_of_path(name: str) -> bool:
    """Whether a block is the first of a path."""
    return _FIRST.search(name) is not None


def begins_gang(name: str, successors: list[str]) -> bool:
    """Whether a block may be the first of a gang's work with all lanes on, right before a loop in it."""
    return f".{ALL_ON}" in name and len(successors) == 1 and ".loop.test" in successors[0]


def paths_of_blocks(text: str) -> Iterator[PathName]:
    """Of the blocks that a module's text has."""
    return map(_path, _AT_LINE.finditer(text))


def paths_mentioned(text: str) -> Iterator[PathName]:
    """In all names of a text, those that LLVM made of others included: ``foreach_12_5.masked_crit_edge``."""
    return map(_path, _MENTIONED.finditer(text))


def _path(found: re.Match[str]) -> PathName:
    return PathName(int(found["line"]), int(found["column"]), found["path"])


WRAPPING = "wrapping"
"""What is added to the names of blocks, and of a function made of them, for indices that do wrap around: it seldom runs."""

SOME_ON = "some_on"
"""What is added to the names of functions that only run when another file calls an exported function with some lanes off."""


def is_seldom_called(name: str) -> bool:
    """Whether a function, or something in a text, has such a name."""
    return f".{WRAPPING}" in name or is_for_other_files(name)


def is_for_other_files(name: str) -> bool:
    """Whether a function has a name with :data:`SOME_ON`."""
    return f".{SOME_ON}" in name


TWO_GANGS = "two_gangs"
"""What is added to the name of a block that does what a gang does twice."""


def gangs_of(block: str) -> int:
    """How many gangs a block with such a name does; 1 for others."""
    return 2 if f".{TWO_GANGS}" in block else 1


UNEVEN = "uneven"
"""What is added to the name of a block for distances that are neither a power of two nor a multiple of the gang."""


def is_uneven(block: str) -> bool:
    """Whether a block has such a name."""
    return f".{UNEVEN}" in block


AT_EDGE = "at_edge"
"""What is added to the name of a block for the gangs whose indices meet the bounds that they are held within."""


def is_at_edge(block: str) -> bool:
    """Whether a block has such a name."""
    return f".{AT_EDGE}" in block


LEFT_OVER = "left_over"
"""What is added to the name of a block for the few iterations that fill no block of several: what is done for those is told."""


def is_left_over(block: str) -> bool:
    """Whether a block has such a name."""
    return f".{LEFT_OVER}" in block
