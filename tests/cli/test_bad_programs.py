"""Programs no compiler can do anything with: errors at their place, soon, and no traceback."""

import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
OUT = ("-o", "out.o", "--target=sse4")


@pytest.mark.parametrize(
    ("name", "source", "place"),
    [
        ("syntax", "export void f() {\n    uniform int x = ;\n}\n", "2:"),
        ("comment", "export void f() {}\n/* no end\n", "2:1"),
        ("string", 'export void f() {\n    print("no end);\n}\n', "2:"),
        ("brace", "export void f() {\n", "1:"),
        ("character", "export void f() { ` }\n", "1:19"),
        ("directive", "#frobnicate\nexport void f() {}\n", "1:"),
        ("condition", "#if 1\nexport void f() {}\n", "1:"),
        ("missing_include", '#include "nowhere.h"\n', "1:"),
        ("stop", "#error stop\n", "1:"),
    ],
)
def test_errors_point_at_their_place(voltac: Run, folder: Path, name: str, source: str, place: str) -> None:
    (folder / f"{name}.ispc").write_text(source)
    done = voltac(f"{name}.ispc", *OUT)
    assert done.stderr.startswith(f"{name}.ispc:{place}")
    assert len(re.findall(r":\d+: [Ee]rror: ", done.stderr)) == 1
    assert done.returncode == 2
    assert not (folder / "out.o").exists()


def test_an_include_loop_ends_with_an_error(voltac: Run, folder: Path) -> None:
    (folder / "a.isph").write_text('#include "b.isph"\n')
    (folder / "b.isph").write_text('#include "a.isph"\n')
    (folder / "loop.ispc").write_text('#include "a.isph"\n')
    done = voltac("loop.ispc", *OUT)
    assert done.returncode > 0
    assert "error" in done.stderr.lower()
    assert len(done.stderr) < 20_000


@pytest.mark.parametrize(
    "source",
    [
        "export uniform int f() { return " + "(" * 10_000 + "1" + ")" * 10_000 + "; }\n",
        "export uniform int f() { return " + "-(" * 10_000 + "1" + ")" * 10_000 + "; }\n",
        "export void f() " + "{" * 10_000 + "}" * 10_000 + "\n",
        "export uniform int f(uniform int a) { return " + "a+" * 10_000 + "a; }\n",
        "export void f() { " + "if (true) " * 10_000 + "; }\n",
        "export void f() { uniform int x = " + "!" * 10_000 + "1; }\n",
        "#if " + "(" * 10_000 + "1" + ")" * 10_000 + "\nexport void f() {}\n#endif\n",
    ],
    ids=["parentheses", "signs", "blocks", "sum", "ifs", "nots", "condition"],
)
def test_deep_nesting_compiles_or_is_refused_in_one_line(voltac: Run, folder: Path, source: str) -> None:
    (folder / "deep.ispc").write_text(source)
    start = time.monotonic()
    done = voltac("deep.ispc", *OUT)
    assert time.monotonic() - start < 60
    assert done.returncode == 0 or "nested" in " ".join(done.stderr.split())
    assert done.stderr.lower().count("error:") <= 1
    assert "internal error" not in done.stderr
    assert len(done.stderr) < 2000


def test_a_line_of_a_megabyte_compiles(voltac: Run, folder: Path) -> None:
    padding = " " * 1_000_000
    (folder / "long.ispc").write_text(f"export uniform int f() {{ {padding} return 7; }}\n")
    assert voltac("long.ispc", *OUT).returncode == 0


def test_an_error_in_a_line_of_a_megabyte_prints_a_short_excerpt(voltac: Run, folder: Path) -> None:
    padding = "1 + " * 250_000
    (folder / "long.ispc").write_text(f"export uniform int f() {{ return undeclared; /* {padding} */ }}\n")
    done = voltac("long.ispc", *OUT)
    assert done.returncode == 2
    assert len(done.stderr) < 2000
