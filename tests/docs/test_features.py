"""docs/features.md: 95 rows, each with what it says of itself, and a link to a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXT = (DOCS / "features.md").read_text()
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if re.match(r"\| \d", line)]
WORDS = ("yes", "part", "no", "impossible here")
LINK = re.compile(r"\[([\w.]+)(?:::(\w+))?\]\((\.\./tests/[\w/.]+)\)")
LINKS = re.compile(rf"{LINK.pattern}(?: {LINK.pattern})*")


def word(row: list[str]) -> str:
    return re.split(r"[:,]", row[3])[0]


def test_the_rows_are_numbered_and_say_what_there_is() -> None:
    assert [row[0] for row in ROWS] == [str(number) for number in range(1, 96)]
    assert {word(row) for row in ROWS} <= set(WORDS)
    assert len({row[1] for row in ROWS}) == 95


def test_what_is_only_in_part_or_impossible_has_its_reason() -> None:
    assert [row[1] for row in ROWS if word(row) in ("part", "impossible here") and ": " not in row[3]] == []


def test_the_sums_are_right() -> None:
    counts = {each: sum(word(row) == each for row in ROWS) for each in WORDS}
    assert ", ".join(f"{each} {count}" for each, count in counts.items()).capitalize() + "." in TEXT


def test_every_link_names_a_test() -> None:
    missing = [row[1] for row in ROWS if word(row) in ("yes", "part") and not LINKS.fullmatch(row[4])]
    for row in ROWS:
        for file, name, path in LINK.findall(row[4]):
            test = DOCS / path
            if test.name != file or not test.is_file() or (name and f"def {name}(" not in test.read_text()):
                missing.append(f"{row[1]}: {path} {name}")
    assert missing == []
