"""Whatever characters are in sources, names and options: no message acts on a terminal or hides part of itself."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from command_server import run_command

from voltac.driver import compile_source
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.messages.visible import visible, visible_listing, visible_name
from voltac.options import Options
from voltac.target_info import find_target

HOSTILE = [
    "\0",
    "\a",
    "\b",
    "\f",
    "\v",
    "\x1b[31m",
    "\x1b]0;title\a",
    "\x7f",
    "\x85",
    "\x9b2J",
    "\u202e",
    "\u2066",
    "\u200b",
    "\ufeff",
]
HOSTILE += ["\u2028", "\u200f", "\U000e0041", "\xad"]


def hidden(text: str) -> list[str]:
    """The characters that nobody sees, by Unicode's own table: but for the end of a line."""
    return [char for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")]


def test_every_character_that_acts_or_hides_is_shown() -> None:
    prepended = {0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    shaping = {*range(0x13430, 0x13460), *range(0x1BCA0, 0x1BCA4)}
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if hidden(char) and code not in prepended | shaping:
            assert visible(char).isascii() and visible(char).startswith("\\"), hex(code)
        elif code < 127:
            assert visible(char) == char
    assert visible("a\nb") == "a\nb" and visible_name("a\nb") == "a\\nb" and visible_listing("a\tb\r") == "a\tb\\r"
    assert visible(os.fsdecode(b"\xff\x1b")) == "\\xff\\x1b"
    assert visible("größe 数 🎉") == "größe 数 🎉"


def messages(source: str, file: str = "a.ispc", json_lines: bool = False, colored: bool = False) -> str:
    diagnostics = Diagnostics(json=json_lines, colored=colored)
    with contextlib.suppress(CompileError):
        compile_source(source, file, Options(target=find_target("sse4-i32x4"), level=0), diagnostics, end="check")
    text = diagnostics.render()
    assert text
    return text


PLACES = {
    "#error": "#error x{}y",
    "#warning": "#warning x{}y",
    "#include": '#include "x{}y"',
    "#line": '#line 5 "x{}y"\nint f() {{ return z; }}',
    "marker": '# 5 "x{}y"\nint f() {{ return z; }}',
    "pragma": "#pragma x{}y",
    "ignore": "#pragma ignore warning(x{}y)",
    "directive": "#x{}y",
    "between": "int f() {{ return {} z; }}",
    "before": 'int f() {{ print("{}"); return z; }}',
    "comment": "int f() {{ /* {} */ return z; /* {} */ }}",
    "in a name": "int f() {{ return x{}y; }}",
    "in a string": 'int f() {{ return "x{}y" + 1; }}',
    "macro": "#define M(x) x {} z\nint f() {{ return M(1); }}",
    "parameter": "#define M(x{}y) x",
    "paste": "#define M(x) x##{}\nint f() {{ return M(1); }}",
    "condition": "#if 1 {}\n#endif",
    "unclosed": 'int f() {{ return "{}',
}


@pytest.mark.parametrize("place", PLACES)
def test_no_message_has_control_characters(place: str) -> None:
    for char in HOSTILE:
        source = PLACES[place].replace("{}", char).replace("{{", "{").replace("}}", "}") + "\nint g() { return w; }\n"
        assert not hidden(messages(source)), (place, char)
        for line in messages(source, json_lines=True).splitlines():
            row = json.loads(line)
            texts = [row["message"], row["file"] or "", *(note["message"] for note in (*row["notes"], *row["chain"]))]
            assert not any(hidden(text) for text in texts), (place, char)


@pytest.mark.parametrize("char", [*HOSTILE, "\n", "\udcff", "\ud800"])
def test_names_of_files(char: str) -> None:
    for source in ("int f() { return z; }", "#error no"):
        text = messages(source, f"x{char}y.ispc")
        assert not hidden(text) and visible_name(f"x{char}y.ispc:1:") in text


@pytest.mark.parametrize("colored", [False, True])
@pytest.mark.parametrize("char", HOSTILE)
def test_carets_stand_below_their_words(char: str, colored: bool) -> None:
    source = f"int f() {{ /* {char}\t{char} */ return zzz; /* {char} */ }}"
    lines = messages(source, colored=colored).split("\n")
    at = next(number for number, line in enumerate(lines) if "return zzz" in line)
    assert lines[at + 1].index("^") == lines[at].index("zzz") and lines[at + 1].strip() == "^^^"
    lines = messages(f"# 1 /* {char} */ x{char}\n").split("\n")
    assert lines[1].index("#") == lines[2].index("^")


def test_a_mistake_that_is_a_control_character_is_marked_as_it_is_shown() -> None:
    lines = messages("int f() { return \x1b; }").split("\n")
    assert lines[1][lines[2].index("^") :].startswith("\\x1b") and lines[2].strip() == "^^^^"


def test_random_sources_with_control_characters() -> None:
    from mutations import VOCABULARY, mutated

    chance = random.Random(1)
    for _ in range(60):
        text = "#define M(x) x + 1\nint f(int a, uniform float b[]) { if (a > 1) return M(a); return b[a]; }\n" * 2
        for _ in range(4):
            text = mutated(text, chance)
        for _ in range(chance.randrange(1, 5)):
            at = chance.randrange(len(text) + 1)
            text = text[:at] + chance.choice(HOSTILE) + chance.choice(VOCABULARY) + text[at:]
        diagnostics = Diagnostics()
        with contextlib.suppress(CompileError):
            compile_source(text, "a.ispc", Options(target=find_target("sse4-i32x4"), level=0), diagnostics, end="lower")
        assert not hidden(diagnostics.render())


@pytest.mark.parametrize(
    "words",
    [["x{}y.ispc"], ["--x{}y"], ["--target=x{}y"], ["--opt=x{}y"], ["a.ispc", "x{}y.ispc"], ["-D{}x=1", "a.ispc"],
     ["@x{}y"], ["a.ispc", "--cpu=x{}y"], ["a.ispc", "-o", "x{}y/o.o"], ["explain", "x{}y"], ["disasm", "x{}y"],
     ["run", "a.ispc", "--function", "x{}y"], ["a.ispc", "-o", "o.x{}y"], ["a.ispc", "--print-after=x{}y"]],
    ids=" ".join,
)  # fmt: skip
def test_messages_about_command_lines(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.ispc").write_text("export void f() {}\n")
    for char in (b"\x1b[31m", b"\n", b"\xff", "\u202e".encode(), b"\x9b"):
        given = [word.encode().replace(b"{}", char) for word in words]
        text = run_command([*map(os.fsdecode, given)], tmp_path, None, dict(os.environ)).err.decode()
        assert text and not hidden(text) and "Traceback" not in text and "internal" not in text, (words, char, text)


def test_listings_of_sources(tmp_path: Path) -> None:
    source = tmp_path / "a\x1b.ispc"
    source.write_text(
        "// \x1b[31m\u202e\nexport void f(uniform float a[]) {\n\t/*\x9b*/ a[programIndex] = a[2 * programIndex]; }\n"
    )
    base = [sys.executable, "-c", "from voltac.cli.main import entry; entry()"]
    for words in (["explain"], ["run", "--interpret", "--trace", "--function", "f"]):
        arguments = ["zeros:64"] if words[0] == "run" else []
        done = subprocess.run(
            [*base, *words, str(source), "--target=sse4", *arguments], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        assert not hidden(done.stdout.replace("\t", "")) and not hidden(done.stderr)


def test_stages_that_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    from voltac.pipeline import STAGE_NAMES, Watch

    source = '// \x1b\nexport void f(uniform float a[]) { /* \u202e */ print("\x1b[31m"); a[0] = 1; }\n'
    options = Options(target=find_target("sse4-i32x4"))
    compile_source(source, "x\x9by.ispc", options, Diagnostics(), watch=Watch(frozenset(STAGE_NAMES)))
    text = capsys.readouterr().err
    assert "x\\302\\233y.ispc" in text and not hidden(text.replace("\t", ""))


@pytest.mark.parametrize("file", ["a\nimport os\n.ispc", "a\x1b.ispc", os.fsdecode(b"caf\xe9.ispc")])
def test_stubs_for_type_checkers(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ast

    import voltac

    monkeypatch.setenv("VOLTAC_CACHE_DIR", str(tmp_path))
    source = '/* \x1b[31m \0 \u202e """ \\ */\nexport uniform int f(uniform int n) { print(__FILE__); return n; }\n'
    for _ in range(2):
        k = voltac.compile(source, file=file, target="sse4", debug_info=True)
        text = k.stub()
        assert not hidden(text) and len(ast.parse(text).body) == 4
    assert k.f(3) == 3


def test_errors_of_the_interface_to_python() -> None:
    import numpy as np

    import voltac

    strange, source = "a\x1b[31m\u202eb", "export void f(uniform float a[]) { a[0] = 1; }"
    k = voltac.compile(source, target="sse4", cache=False)
    for call in (
        lambda: voltac.compile(source, target=strange),
        lambda: voltac.compile(source, cpu=strange),
        lambda: voltac.compile(source, math_library=strange),  # type: ignore[arg-type]
        lambda: voltac.compile(source, **{strange: 1}),  # type: ignore[arg-type]
        lambda: voltac.compile(source, defines={strange: 1}),
        lambda: voltac.compile(source, sample_profile=strange),
        lambda: voltac.compile(source, functions={strange: 1.5}),
        lambda: voltac.compile(source + "int i = z;", file=strange),
        lambda: voltac.load(strange),
        lambda: k[strange],
        lambda: k.assembly(strange),
        lambda: k.f.dtype(strange),
        lambda: k.f(np.zeros(3, np.float32), **{strange: 1}),
        lambda: k.f(np.zeros(3, np.dtype([(strange, "f4")]))),
    ):
        with pytest.raises((ValueError, TypeError, KeyError, OSError, CompileError)) as caught:
            call()
        assert not hidden(str(caught.value)) and "x1b" in str(caught.value)
