"""Wrong programs in which « and » mark the range that the only message has to point at."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.messages.message import Diagnostic
from voltac.options import Options
from voltac.sema import check
from voltac.syntax import parse, preprocess
from voltac.target_info import find_target

Row = tuple[str, str, str]
"""What the reference says is wrong; ``error``, ``warning`` or ``performance`` and words of the message; the program."""

_KINDS = {"error": ("Error", "error"), "warning": ("Warning", "warning"), "performance": ("Performance Warning",)}
OPTIONS = Options(target=find_target("avx2-i32x8"))


def reported(source: str, options: Options = OPTIONS) -> list[Diagnostic]:
    diagnostics = Diagnostics()
    try:
        source = preprocess(source, "t.ispc", options, diagnostics)  # type: ignore[assignment]
        check(parse(source, options, diagnostics), options, diagnostics, "t.ispc")  # type: ignore[arg-type]
    except CompileError:
        pass
    return diagnostics.items


def marked(text: str) -> tuple[str, tuple[int, int, int, int]]:
    """The program without its marks, and line and column of where they stood."""
    assert text.count("«") == text.count("»") == 1, text
    start, end = text.index("«"), text.index("»") - 1
    source = text.replace("«", "").replace("»", "")

    def place(offset: int) -> tuple[int, int]:
        before = source[:offset]
        return before.count("\n") + 1, offset - before.rfind("\n")

    return source, (*place(start), *place(end))


def assert_row(row: Row, options: Options = OPTIONS) -> None:
    _, expected, text = row
    kind, _, words = expected.partition(": ")
    source, place = marked(text)
    items = reported(source, options)
    if kind != "performance":
        items = [item for item in items if item.kind != "Performance Warning"]
    told = [(item.kind, item.span[1:], item.text) for item in items]
    assert len(items) == 1, told
    (item,) = items
    assert item.kind in _KINDS[kind], told
    text = "\n".join([item.text, *(note.text for note in item.notes)])
    for word in words.split(" ... "):
        assert word in text, f"'{word}' is not in: {text}"
    assert item.span[1:] == place, f"expected at {place}: {told}"


def row_test(rows: list[Row], **changes: object) -> Callable[[Row], None]:
    """A parametrised test over the rows; ``changes`` are options."""
    options = replace(OPTIONS, **changes)  # type: ignore[arg-type]

    @pytest.mark.parametrize("row", rows, ids=[row[0].replace(" ", "_") for row in rows])
    def test(row: Row) -> None:
        assert_row(row, options)

    return test
