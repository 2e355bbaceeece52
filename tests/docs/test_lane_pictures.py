"""The pictures of docs/by_example.md show what the interpreter computes today."""

from __future__ import annotations

import importlib.util
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def script() -> ModuleType:
    """docs/lane_pictures.py, which is in no package."""
    spec = importlib.util.spec_from_file_location("lane_pictures", DOCS / "lane_pictures.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["lane_pictures"] = module
    spec.loader.exec_module(module)
    return module


pictures = script()
EXAMPLES: list[tuple[str, str, list[str]]] = list(pictures.examples())


def drawn(file: Path) -> tuple[Counter[str], set[str]]:
    """The texts of a picture, and the names of its cells: row, lane, on or off."""
    elements = list(ElementTree.parse(file).iter())
    texts = Counter(" ".join("".join(each.itertext()).split()) for each in elements if each.tag.endswith("}text"))
    names = {each.get("id", "") for each in elements}
    return texts, {name for name in names if re.fullmatch(r"\d+-\d+-(on|off)", name)}


def expected(rows: list[Any]) -> tuple[Counter[str], set[str]]:
    texts = Counter(f"lane {lane}" for lane in range(len(rows[0].on)))
    for row in rows:
        texts.update([" ".join(row.text.split()), *(value for value in row.values or () if value)])
    cells = {f"{n}-{lane}-{'on' if on else 'off'}" for n, row in enumerate(rows) for lane, on in enumerate(row.on)}
    return texts, cells


def test_the_page_shows_each_example_and_no_other_picture() -> None:
    names = [name.removesuffix(".ispc") for name, _, _ in EXAMPLES]
    assert len(names) >= 20
    assert re.findall(r"\]\(lanes/(\w+)\.svg\)", (DOCS / "by_example.md").read_text()) == names
    assert sorted(path.stem for path in (DOCS / "lanes").iterdir()) == sorted(names)


@pytest.mark.parametrize(("name", "text", "words"), EXAMPLES, ids=[name for name, _, _ in EXAMPLES])
def test_a_picture_is_up_to_date(name: str, text: str, words: list[str]) -> None:
    file = DOCS / "lanes" / f"{Path(name).stem}.svg"
    assert drawn(file) == expected(pictures.rows_of(name, text, words)), "python docs/lane_pictures.py draws it again"


def test_the_script_draws_what_it_records(tmp_path: Path) -> None:
    name, text, words = EXAMPLES[2]
    rows = pictures.rows_of(name, text, words)
    pictures.draw(rows, tmp_path / "picture.svg")
    assert drawn(tmp_path / "picture.svg") == expected(rows)
