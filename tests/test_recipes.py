"""The recipes of docs/contributing.md are followed in a scratch copy of the compiler, and what they add works there."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from recipes import RECIPES, Recipe, Scratch, copy_with_recipes, named_files, names, paragraph, recipe_names

pytestmark = pytest.mark.whole

INPUTS = [0, 1, 2, 3, -1, -2, 12345, -(1 << 31), (1 << 31) - 1, 0x0F0F0F0F, 7]

ORACLES = """
import json, sys
import numpy as np
import voltac
from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.options import Options
from voltac.target_info import find_target

assert voltac.__file__.startswith(sys.argv[2] + "/"), voltac.__file__
text, values, results = open(sys.argv[1]).read(), json.loads(sys.argv[3]), []
for level, target in ((0, "sse2"), (2, "sse2"), (2, "avx2"), (2, None)):
    a, out = np.array(values, np.int32), np.zeros(len(values), np.int32)
    if target is None:
        options = Options(find_target("avx2"))
        Interpreter(compile_source(text, "t.ispc", options, end="check").program, options).call("f", [a, out, len(values)])
    else:
        try:
            kernel = voltac.compile(text, target=target, opt=level)
        except voltac.CannotRun:
            continue
        kernel.f(a, out, len(values))
    results.append(out.tolist())
print(json.dumps(results))
"""
"""``f(a, out, n)`` of a file as machine code and by the interpreter: all results."""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    return copy_with_recipes(tmp_path_factory.mktemp("recipes"))


def by_oracles(scratch: Scratch, name: str, body: str) -> list[list[int]]:
    """What all oracles say of ``out`` after a body of a foreach over ``a``, and that they agree."""
    loop = f"foreach (i = 0 ... n) {{ {body} }}"
    text = f"export void f(uniform int a[], uniform int out[], uniform int n) {{ {loop} }}\n"
    path = scratch.write(name, text)
    done = scratch.run("-c", ORACLES, path, str(scratch.folder), json.dumps(INPUTS))
    results: list[list[int]] = json.loads(done.stdout)
    assert len(results) >= 3
    assert all(result == results[0] for result in results), results
    return results


@pytest.mark.parametrize("recipe", RECIPES, ids=[recipe.name for recipe in RECIPES])
def test_a_recipe_names_the_files_and_commands_it_needs_and_no_others(recipe: Recipe) -> None:
    text = paragraph(recipe.name)
    for path in {edit.path for edit in recipe.edits}:
        assert names(text, path), f"'{recipe.name}' does not name {path}"
    for command in recipe.commands:
        assert f"`python -m {command}`" in text
    touched = [edit.path for edit in recipe.edits] + list(recipe.elsewhere)
    for named in named_files(text):
        assert any(names(f"`{named}`", path) for path in touched), f"'{recipe.name}' names {named}, and has no use for it"


def test_each_recipe_is_followed_here_or_of_another_kind() -> None:
    others = {
        "What the compiler knows of a library function", "A run-test",
    }  # fmt: skip
    assert set(recipe_names()) == {recipe.name for recipe in RECIPES} | others


def test_a_builtin_and_a_library_function_that_calls_it(scratch: Scratch) -> None:
    expected = [int(f"{value & 0xFFFFFFFF:032b}"[::-1], 2) for value in INPUTS]
    results = by_oracles(scratch, "reversed.ispc", "out[i] = reverse_bits(a[i]);")
    assert results[0] == np.array(expected, np.uint32).view(np.int32).tolist()


def test_editors_know_the_new_words(scratch: Scratch) -> None:
    code = "from voltac.editors.words import words; print(*(words()[name].text for name in ('reverse_bits', 'halved', 'swap')))"
    printed = "The lowest bit becomes the highest. Half of it. Each variable gets the value of the other.\n"
    assert scratch.run("-c", code).stdout == printed


def test_an_elementary_function_for_one_library(scratch: Scratch) -> None:
    path = scratch.write(
        "halved.ispc", "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = halved(a[i]); }"
    )
    for library, printed in (("default", "0.  0.5 1.  1.5"), ("fast", "1.  1.5 2.  2.5")):
        done = scratch.run("-m", "voltac", "run", path, f"--math-lib={library}", "range:4", "4")
        assert printed in done.stdout, done.stdout


def test_a_construct(scratch: Scratch) -> None:
    results = by_oracles(
        scratch,
        "swapped.ispc",
        "int b = a[i] + 1, c = 100; if (a[i] > 2) swap b, c; if (n > 5) swap a[i], c; out[i] = b - 3 * c;",
    )
    before = np.array(INPUTS, np.int64)
    more = before + 1
    b, c = np.where(before > 2, 100, more), np.where(before > 2, more, 100)
    c = before
    assert results[0] == (b - 3 * c).astype(np.int32).tolist()


def test_a_construct_that_writes_is_seen_by_the_analyses(scratch: Scratch) -> None:
    path = scratch.write(
        "written.ispc",
        "export void f(uniform int a[], uniform int n) {\n"
        "    uniform int last = 0, one;\n"
        "    one = 1;\n"
        "    foreach (i = 0 ... n) { swap last, one; }\n"
        "    a[0] = last;\n"
        "}\n",
    )
    done = scratch.run("-m", "voltac", path, "-o", "written.o", "--target=naplespu")
    assert "one thread" in done.stderr, done.stderr


def test_the_construct_has_its_errors(scratch: Scratch) -> None:
    for name, statement, message in (("three", "swap a, 3;", "not assignable"), ("one", "swap a;", "expected ','")):
        path = scratch.write(f"{name}.ispc", f"void f(int a) {{ {statement} }}\n")
        done = scratch.run("-m", "voltac", path, "-o", "wrong.o", fails=True)
        assert message in done.stderr
        assert f"{path}:1:" in done.stderr


def test_an_option(scratch: Scratch) -> None:
    path = scratch.write("doubled.ispc", "#ifdef DOUBLED\nint two;\n#else\nint one;\n#endif\n")
    assert "int one" in scratch.run("-m", "voltac", path, "-E").stdout
    assert "int two" in scratch.run("-m", "voltac", path, "-E", "--opt=doubled").stdout
    assert "doubled" in scratch.run("-m", "voltac", "--help").stdout
    wrong = (
        "from voltac.options import Options; from voltac.target_info import find_target\n"
        "Options(find_target('avx2'), doubled=1)"
    )
    assert "TypeError: doubled must be True or False, not 1" in scratch.run("-c", wrong, fails=True).stderr


def test_a_warning(scratch: Scratch) -> None:
    path = scratch.write("shifted.ispc", "int f(int a) { return a << 0; }\n")
    done = scratch.run("-m", "voltac", path, "-o", "shifted.o", "--target=avx2")
    assert f"{path}:1:23: Warning: a shift by 0 bits does nothing; leave it out" in done.stderr
    assert scratch.run("-m", "voltac", path, "-o", "shifted.o", "--target=avx2", "--wno-shift-by-zero").stderr == ""
    assert "--wno-shift-by-zero" in scratch.run("-m", "voltac", "--help").stdout


def test_a_pass(scratch: Scratch) -> None:
    path = scratch.write(
        "four.ispc", "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = a[i] * 4 + 1; }\n"
    )
    common = ("-m", "voltac", path, "-o", "four.o", "--target=avx2", "--opt=disable-fma", "--print-changed")
    assert "; after four_by_adding\n" in scratch.run(*common).stderr
    assert "four_by_adding" not in scratch.run(*common, "--disable-pass=four_by_adding").stderr
    assert "products with 4 become sums" in scratch.run("-m", "voltac", "--list-passes").stdout
    assert "1.  5.  9. 13." in scratch.run("-m", "voltac", "run", path, "range:4", "4").stdout


def test_a_target(scratch: Scratch) -> None:
    path = scratch.write(
        "shuffled.ispc",
        "export void f(uniform int8 a[], uniform int n) { foreach (i = 0 ... n) a[i] = shuffle(a[i], 3 - programIndex); }\n",
    )
    assembly = {}
    for target in ("sse2-i32x8", "ssse3-i32x8"):
        scratch.run("-m", "voltac", path, "-o", "shuffled.s", "--emit-asm", f"--target={target}")
        assembly[target] = (scratch.folder / "shuffled.s").read_text()
    assert "pshufb" in assembly["ssse3-i32x8"]
    assert "pshufb" not in assembly["sse2-i32x8"]
    done = scratch.run("-m", "voltac", "run", path, "--target=ssse3-i32x4", "range:8", "8")
    assert "3 2 1 0 7 6 5 4" in done.stdout
    scratch.run("-m", "voltac", path, "-o", "shuffled.o", "--target=sse2,ssse3-i32x4,avx2", "-h", "shuffled.h")
    assert (scratch.folder / "shuffled_ssse3.o").exists()


def test_an_instruction_of_a_device(scratch: Scratch) -> None:
    path = scratch.write("left.ispc", "export void f(uniform uint32 a[], uniform uint32 by) { a[0] = by << 16 | a[1]; }\n")
    scratch.run("-m", "voltac", path, "-o", "left.s", "--target=naplespu", "--emit-asm")
    assert "left16_i32" in (scratch.folder / "left.s").read_text()
    scratch.run("-m", "voltac", path, "-o", "left.elf", "--target=naplespu")
    assert "left16_i32" in scratch.run("-m", "voltac", "disasm", "left.elf").stdout
    done = scratch.run("-m", "voltac", "run", path, "--target=naplespu", "range:4", "3")
    assert str((3 << 16) + 1) in done.stdout


COLLATZ = """
export void steps(uniform int a[], uniform int n) {
    for (uniform int i = 0; i < n; ++i) {
        uniform int count = 0, x = a[i];
        while (x > 1 && count < 1000) {
            x = (x & 1) != 0 ? 3 * x + 1 : x >> 1;
            ++count;
        }
        a[i] = count - i;
    }
}
"""


def collatz(x: int) -> int:
    return 0 if x <= 1 else 1 + collatz(3 * x + 1 if x % 2 else x // 2)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_device(scratch: Scratch, level: str) -> None:
    path = scratch.write("steps.ispc", COLLATZ)
    scratch.run("-m", "voltac", path, "-o", "steps.elf", "--target=tiny", level)
    listing = scratch.run("-m", "voltac", "disasm", "steps.elf").stdout
    assert "tiny, begins at 0x400 (_start.steps)" in listing
    assert set(re.findall(r"\br\d\b", listing)) == {"r0", "r1", "r2"}
    done = scratch.run("-m", "voltac", "run", path, "--target=tiny", level, "range:30", "28")
    found = [int(number) for number in re.findall(r"-?\d+", done.stdout)]
    assert found == [collatz(x) - x for x in range(28)] + [28, 29]


SHARED = """
struct Row { int8 bytes[5]; int words[40]; };

export void wide(uniform int64 a[], uniform int64 b[], uniform int c[], uniform int64 q[], uniform int64 r[], uniform int n) {
    for (uniform int i = 0; i < n; ++i) {
        q[i] = a[i] / b[i];
        r[i] = a[i] % b[i] + c[i] % c[n - 1 - i] + (a[i] * b[i] >> (c[i] & 63));
    }
}

export void gangs(uniform int a[], uniform int out[], uniform int n) {
    int total = 0, most = 0;
    foreach (i = 0 ... n) {
        int x = a[i];
        total += x * i;
        most = max(most, x % 7);
        if (x > 3)
            out[i] = x / 3;
    }
    out[n] = reduce_add(total);
    out[n + 1] = reduce_max(most);
}

export void copied(uniform Row from[], uniform Row to[], uniform int n) {
    for (uniform int i = 0; i < n; ++i) {
        to[i] = from[n - 1 - i];
        memset(&from[i], i, 7);
    }
}

export void counted(uniform unsigned int a[], uniform int out[], uniform int n) {
    for (uniform int i = 0; i < n; ++i)
        out[i] = count_leading_zeros(a[i]) * 100 + count_trailing_zeros(a[i]);
}
"""

SHARED_CHECK = """
import sys
import numpy as np
import voltac

k = voltac.load("shared.ispc", target="tiny", opt=int(sys.argv[1]))

a, b = np.array([-2**62 - 12345, 98765432109876, -17]), np.array([2**33 + 7, -5, -3 * 2**40])
c = np.array([-2**31 + 1, 77, 1000003], np.int32)
q, r = np.zeros(3, np.int64), np.zeros(3, np.int64)
k.wide(a, b, c, q, r, 3)
quotients = np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))
assert (q == quotients).all(), q
assert (r == a - quotients * b + np.fmod(c, c[::-1]) + (a * b >> (c.astype(np.int64) & 63))).all(), r

a, out = np.array([9, -20, 4, 1000, 33, 3, 8], np.int32), np.zeros(9, np.int32)
k.gangs(a, out, 7)
assert (out == [*np.where(a > 3, a // 3, 0), (a * np.arange(7)).sum(), np.fmod(a, 7).max()]).all(), out

row = np.dtype([("bytes", "i1", 5), ("words", "i4", 40)], align=True)
rows = np.frombuffer(np.random.default_rng(1).bytes(3 * row.itemsize), row).copy()
before, to = rows.copy(), np.zeros(3, row)
k.copied(rows, to, 3)
# The first and the second have been filled before they are copied.
assert (to[0] == before[2]) and (to[1] == before[1]), to
filled = before.view("u1").reshape(3, -1).copy()
for number in range(3):
    filled[number, :7] = number
assert (rows.view("u1").reshape(3, -1) == filled).all() and (to.view("u1").reshape(3, -1)[2] == filled[0]).all()

a, out = np.array([1, 0, 0x80000000, 0x00F0F000], np.uint32), np.zeros(4, np.int32)
k.counted(a, out, 4)
assert out.tolist() == [3100, 3232, 31, 812], out
"""


@pytest.mark.parametrize("level", ["0", "2"])
def test_a_device_gets_what_it_lacks_from_the_shared_legalization(scratch: Scratch, level: str) -> None:
    """64-bit integers, division, lanes, reductions, copies, counts of zeros, on a machine that has none of these."""
    scratch.write("shared.ispc", SHARED)
    scratch.run(scratch.write("check_shared.py", SHARED_CHECK), level)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_what_a_device_lacks_is_one_message_at_the_statement_that_needs_it(scratch: Scratch, level: str) -> None:
    text = "export void f(uniform float a[]) {\n    foreach (i = 0 ... 9)\n        a[i] += 1;\n}\n"
    path = scratch.write("floats.ispc", text)
    done = scratch.run("-m", "voltac", path, "-o", "floats.elf", "--target=tiny", level, fails=True)
    assert "floats.ispc:3:9: Error: this needs what tiny has not: the operation fadd" in done.stderr
    assert done.stderr.count("Error") == 1
    assert "internal error" not in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_what_a_library_function_needs_is_told_at_its_call(scratch: Scratch, level: str) -> None:
    path = scratch.write("root.ispc", "export void f(uniform float a[]) {\n    a[1] =\n        sqrt(a[0]);\n}\n")
    done = scratch.run("-m", "voltac", path, "-o", "root.elf", "--target=tiny", level, fails=True)
    assert "root.ispc:3:9: Error: this needs what tiny has not: the operation" in done.stderr
    assert done.stderr.count("Error") == 1
