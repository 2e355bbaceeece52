"""Codes of messages: each has its explanation with examples, of which the wrong one is that mistake, the right one none."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from voltac.cli.command import main
from voltac.messages.error_codes import ERROR_CODES, MessageCode
from voltac.messages.explanations import EXPLAINED
from voltac.messages.warning_examples import WARNING_CODES
from voltac.messages.warning_switches import WARNINGS
from voltac.target_info import device_of_examples

VOLTAC = Path(__file__).resolve().parents[2] / "voltac"
ROWS = (*ERROR_CODES, *WARNING_CODES)
OUTSIDE = {"assembly", "budget", "file", "command-line", "run", "memory", "internal", "output"}
"""Those of no source."""
REPORTING = {"error", "reject", "fatal", "preprocessor_error"}
REPORTS = re.compile(rf"\.\s*({'|'.join(sorted(REPORTING))})\b")


def literal_codes() -> Iterator[tuple[str, str]]:
    """The places where errors are reported, each with its code."""
    for path in sorted(VOLTAC.rglob("*.py")):
        text = path.read_text()
        if path.parent.name == "messages" or not REPORTS.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            if isinstance(node.func, ast.Attribute) and node.func.attr in REPORTING:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    yield f"{path.name}:{node.lineno}", first.value
                else:
                    assert isinstance(first, ast.Name) and first.id == "code", f"{path}:{node.lineno} has no code"


def test_every_error_that_is_reported_has_a_row_and_every_row_is_reported() -> None:
    codes = {row.code for row in ERROR_CODES}
    found = list(literal_codes())
    assert len(found) > 300 and [place for place, code in found if code not in codes] == []
    # Those that no such call reports: misplaced() of the checker, and what commands end with.
    assert codes - {code for _, code in found} <= {"misplaced", "run", "command-line", "memory", "internal"}


def test_codes_are_unique_and_all_warnings_are_explained() -> None:
    codes = [row.code for row in ROWS]
    assert len(codes) == len(set(codes))
    assert {row.code for row in WARNING_CODES} == set(WARNINGS)
    assert {row.code for row in ROWS if not row.wrong} == OUTSIDE


def test_the_command_says_what_codes_mean_and_lists_them(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["explain-error", "undeclared", "shadow"]) == 0
    text = capfd.readouterr().out
    assert "undeclared (error)" in text and "return y;" in text and "'--wno-shadow' switches it off" in text
    assert main(["explain-error"]) == 0
    text = capfd.readouterr().out
    assert all(f"  {code} " in text for code in EXPLAINED) and max(map(len, text.split("\n"))) <= 80
    assert main(["explain-error", "undeclard"]) == 2
    assert "unknown code 'undeclard'; did you mean 'undeclared'" in capfd.readouterr().err


def told(folder: Path, source: str, row: MessageCode, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The codes of all messages about a file."""
    (folder / "t.ispc").write_text(source + "\n")
    options = [option.replace("{device}", device_of_examples()) for option in row.options]
    target = [] if any(option.startswith("--target") for option in options) else ["--target=sse4-i32x4"]
    output = ["-o", str(folder / ("t.o" if target else "t.elf"))]
    main([str(folder / "t.ispc"), *output, "--diagnostics=json", *target, *options])
    return {json.loads(line)["code"] for line in capsys.readouterr().err.splitlines()}


@pytest.mark.parametrize("row", [row for row in ROWS if row.wrong], ids=lambda row: row.code)
def test_the_wrong_example_has_this_mistake_only_and_the_right_one_none(
    row: MessageCode, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(tmp_path, row.wrong, row, capsys)
    # An error makes the rest of its program strange, and what is slow is no mistake.
    aside = {"perf"} if row.code in WARNINGS else set(WARNINGS)
    assert found - (aside - {row.code}) == {row.code}
    assert told(tmp_path, row.right, row, capsys) <= aside - {row.code}
