"""Each guess at what is wrong is tried with its own example: its message at its place, and no other."""

import re
import subprocess
import sys

import pytest

from voltac.driver import compile_source
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.options import Options
from voltac.syntax.recovery.characters import CHARACTERS, Character
from voltac.syntax.recovery.cursor import Cursor
from voltac.syntax.recovery.guess import Finding, Guess, Tried
from voltac.syntax.recovery.recover import Recovery
from voltac.syntax.recovery.table import GUESSES
from voltac.target_info import find_target

OPTIONS = Options(target=find_target("avx2-i32x8"))


def errors(example: str) -> list[tuple[tuple[int, int], str]]:
    """Place and text of each error in a file, mark left out."""
    diagnostics = Diagnostics()
    with pytest.raises(CompileError):
        compile_source(example.replace("¦", ""), "t.ispc", OPTIONS, diagnostics, end="check")
    return [((item.span.line, item.span.column), item.text) for item in diagnostics.items]


def place(example: str) -> tuple[int, int]:
    before = example[: example.index("¦")]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def pattern(message: str) -> str:
    """What a message may look like whose words are filled in: only ``$suggestion`` may be empty."""
    text = re.escape(message)
    text = text.replace(r"\$error", "syntax error: found .*")
    text = text.replace(r"\$suggestion", r"(?:; did you mean '.*'\?)?").replace(r"\$bytes", "0x[0-9a-f ]+")
    return re.sub(r"\\\$\w+", ".+", text)


@pytest.mark.parametrize("guess", GUESSES, ids=[guess.name for guess in GUESSES])
def test_the_example_of_a_guess_has_its_message_and_no_other(guess: Guess, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Guess] = []
    first_guess = Recovery.guess

    def noted(recovery: Recovery, cursor: Cursor, quiet: bool) -> tuple[Guess, Finding]:
        found = first_guess(recovery, cursor, quiet)
        made.append(found[0])
        return found

    monkeypatch.setattr(Recovery, "guess", noted)
    found = errors(guess.example)
    assert [where for where, _ in found] == [place(guess.example)], found
    assert guess in made, [other.name for other in made]
    if guess.message:
        assert made[0] is guess, made[0].name
        assert re.fullmatch(pattern(guess.message), found[0][1]), found


@pytest.mark.parametrize("guess", GUESSES, ids=[guess.name for guess in GUESSES])
def test_digraphs_are_brackets_to_a_guess(guess: Guess) -> None:
    """Only columns differ, for they are a character longer."""
    spelled = guess.example
    for plain, digraph in (("{", "<%"), ("}", "%>"), ("[", "<:"), ("]", ":>")):
        spelled = spelled.replace(plain, digraph)
    found, wanted = (
        [(line, re.sub(r"column \d+", "column", text)) for (line, _), text in errors(example)]
        for example in (spelled, guess.example)
    )
    assert found == wanted


@pytest.mark.parametrize("row", CHARACTERS, ids=[row.message for row in CHARACTERS])
def test_the_example_of_what_is_no_token_has_its_message_and_no_other(row: Character) -> None:
    ((where, text),) = errors(row.example)
    assert where == place(row.example)
    assert re.fullmatch(pattern(row.message), text), text


def test_names_tell_the_guesses_apart() -> None:
    names = [guess.name for guess in GUESSES]
    assert len(set(names)) == len(names)
    assert all(guess.example.count("¦") == 1 for guess in GUESSES)
    assert GUESSES[-1].tried is Tried.SILENTLY


def test_a_file_without_mistakes_imports_nothing_of_this() -> None:
    code = """import sys
from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target
compile_source("int f(int a) { return a; }", "t.ispc", Options(find_target("sse4")), end="check")
print(*(name for name in sys.modules if "recovery" in name or name == "difflib"))"""
    made = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert made.stdout.split() == []


def test_words_of_other_languages_are_not_taken_for_misspelt_keywords() -> None:
    """'with' is close to 'switch', 'let' to 'delete'."""
    for text, remedy in {
        "void f(int a) { with (a) ¦{ a = 1; } }": "there is no 'with'",
        "void f() { ¦let a = 3; }": "write the type of the variable",
        "¦namespace n { int a; }": "there are no namespaces",
        "enum ¦class E { A, B };\nint f() { return B; }": "write 'enum'",
        "void f() { enum ¦class E { A, B }; int a = B; }": "write 'enum'",
    }.items():
        ((where, message),) = errors(text)
        assert where == place(text), message
        assert remedy in message


@pytest.mark.parametrize(
    "text",
    [
        "using Real = float;",
        "using namespace std;",
        "namespace n { int f() { return 1; } }",
        "template <typename T> struct V { T x; };",
        "function f(int a) { return a; }",
        "void f() { auto a = 3; }",
    ],
)
def test_what_the_grammar_lacks_is_called_a_syntax_error(text: str) -> None:
    """The words that ispc has for all of it, for which scripts look."""
    assert [message.startswith("syntax error") for _, message in errors(text)] == [True]
