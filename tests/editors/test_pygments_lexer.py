"""Pygments finds the lexer by name and file, and colours what the language means by its words."""

from __future__ import annotations

from pathlib import Path

import pytest
from pygments import highlight
from pygments.formatters import NullFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Keyword, Number, String

ROOT = Path(__file__).resolve().parents[2]
SOURCE = """#define TWO 2
/* a
   comment */ export void f(uniform float a[], varying int n) { // end
    foreach (i = 0 ... 10) { cif (a[i] < 1.5f) print("text %", TWO); }
}
"""


def test_it_is_found_by_name_and_by_file() -> None:
    for lexer in (get_lexer_by_name("ispc"), get_lexer_by_name("volta"), get_lexer_for_filename("a.isph")):
        assert lexer.name == "ISPC"


def test_words_have_the_colours_of_what_they_are() -> None:
    found = {text: kind for kind, text in get_lexer_by_name("ispc").get_tokens(SOURCE) if text.strip()}
    assert found["uniform"] in Keyword and found["varying"] in Keyword.Reserved
    assert found["float"] in Keyword.Type and found["void"] in Keyword
    assert all(found[word] in Keyword for word in ("export", "foreach", "cif"))
    assert found["10"] in Number and found["1.5f"] in Number and found['"text %"'] in String
    assert found["// end"] in Comment and found["   comment */"] in Comment and found["#define"] in Comment.Preproc
    assert found["i"] not in Keyword


@pytest.mark.parametrize("path", sorted((ROOT / "examples").rglob("*.ispc")), ids=lambda path: path.stem)
def test_no_character_is_lost(path: Path) -> None:
    text = path.read_text()
    assert highlight(text, get_lexer_by_name("ispc", stripnl=False), NullFormatter()) == text
