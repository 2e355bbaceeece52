"""Programs whose comments say what the checker has to report.

``// error: word`` at the end of a line: exactly one error there, whose text has the word (in
any case of letters); ``// warning: word`` and ``// performance: word`` likewise. A line may
carry several, separated by ``//``. Nothing may be reported that is not announced, but for
performance warnings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.messages.warning_switches import OFF_BY_DEFAULT
from voltac.options import Options
from voltac.sema import check, tree
from voltac.syntax import parse, preprocess
from voltac.target_info import find_target

_KINDS = {"error": "Error", "warning": "Warning", "performance": "Performance Warning"}
_ANNOTATION = re.compile(r"//\s*(error|warning|performance):\s*([^/]*?)\s*(?=//|$)")


def options(target: str = "avx2-i32x8", **changes: object) -> Options:
    return replace(Options(target=find_target(target)), **changes)  # type: ignore[arg-type]


_SILENT = OFF_BY_DEFAULT | {"uniform", "unused-value"}
"""Short programs have many variables that could be uniform, and values that only have to be checked."""


def checked(
    source: str, of: Options | None = None, disabled: frozenset[str] = _SILENT
) -> tuple[tree.Program | None, Diagnostics]:
    """Run the front end; the program is None if the syntax is wrong."""
    of = of or options()
    diagnostics = Diagnostics(wrap=False, disabled=disabled)
    try:
        prepared = preprocess(source, "test.ispc", of, diagnostics)
        diagnostics.raise_if_errors()
        return check(parse(prepared, of, diagnostics), of, diagnostics, "test.ispc"), diagnostics
    except CompileError:
        return None, diagnostics


def program(source: str, of: Options | None = None) -> tree.Program:
    """The typed tree of a program without mistakes."""
    found, diagnostics = checked(source, of)
    assert found is not None and not diagnostics.error_count, diagnostics.render()
    return found


def function(source: str, name: str, of: Options | None = None) -> tree.FunctionSymbol:
    return next(one for one in program(source, of).functions if one.name == name)


def assert_reports(source: str, of: Options | None = None, disabled: frozenset[str] = _SILENT) -> None:
    """The diagnostics of a program are those its comments announce."""
    announced = [
        (number, _KINDS[match[1]], match[2].lower())
        for number, line in enumerate(source.split("\n"), 1)
        for match in _ANNOTATION.finditer(line)
    ]
    _, diagnostics = checked(source, of, disabled)
    left = [
        (item.span.line, item.kind, "\n".join([item.text, *(note.text for note in item.notes)])) for item in diagnostics.items
    ]
    for number, kind, word in announced:
        found = [one for one in left if one[0] == number and one[1] == kind and word in one[2].lower()]
        assert found, f"line {number}: no {kind} with '{word}'; reported: {left}"
        left.remove(found[0])
    surprising = [one for one in left if one[1] != "Performance Warning"]
    assert not surprising, f"not announced: {surprising}"


def rule_test(rows: dict[str, str], disabled: frozenset[str] = _SILENT) -> Callable[[str], None]:
    """A parametrised test over rows claim -> annotated program."""

    @pytest.mark.parametrize("claim", list(rows))
    def test(claim: str) -> None:
        assert_reports(rows[claim], disabled=disabled)

    return test
