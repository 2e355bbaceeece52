"""``--budget FILE``: counts of each function are written, and a later build that has more of them fails at the place."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voltac.report.budget import spills_of

Run = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM = """\
static float pick(uniform float table[], int at) {
    return table[at];
}
export void f(uniform float a[], uniform int index[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        float x = pick(a, index[i]);
        while (x > 1)
            x *= 0.5f;
        if (x > 0.3f)
            out[index[i]] = x;
    }
}
export void g(uniform float a[], uniform int n) {
    foreach (i = 0 ... n)
        a[i] *= 2;
}
"""
NOTHING = {"gathers": 0, "scatters": 0, "masked": 0, "divergent_loops": 0, "spills": 0}
# What the program says: of f one scatter, one loop until no lane is left, and index[i] under the if's mask.
EXPECTED = {"f": NOTHING | {"scatters": 1, "masked": 1, "divergent_loops": 1}, "g": NOTHING, "pick": NOTHING | {"gathers": 1}}


def build(voltac: Run, folder: Path, source: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "f.ispc").write_text(source)
    (folder / "f.o").unlink(missing_ok=True)
    return voltac("f.ispc", "-o", "f.o", "--wno-perf", "--budget=b.json", *(words or ("--target=avx2-i32x8",)))


def budget(folder: Path) -> Any:
    return json.loads((folder / "b.json").read_text())["targets"]


def without_cycles(folder: Path) -> Any:
    functions = budget(folder)["avx2-i32x8"]
    return {name: {kind: count for kind, count in counts.items() if kind != "cycles"} for name, counts in functions.items()}


def test_counts_are_written_where_there_are_none(voltac: Run, folder: Path) -> None:
    done = build(voltac, folder, PROGRAM)
    assert (done.returncode, done.stderr) == (0, "")
    assert without_cycles(folder) == EXPECTED
    # Of g's loop five operations enter a core, four in a cycle; f has two loops, pick none but in f.
    cycles = {name: counts["cycles"] for name, counts in budget(folder)["avx2-i32x8"].items()}
    assert (cycles["g"], cycles["pick"]) == (2, 0) and cycles["f"] > 4
    before = (folder / "b.json").read_bytes()
    assert build(voltac, folder, PROGRAM).returncode == 0
    assert (folder / "b.json").read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("a[i] *= 2;", "a[i] *= a[(int)a[i]];", "f.ispc:15:17", "'g' is over its budget for avx2-i32x8: 1 gathers"),
        ("a[i] *= 2;", "a[i * i] = 2;", "f.ispc:15:9", "1 scatters (stores lane by lane), 0 in b.json"),
        ("a[i] *= 2;", "if (i % 3 == 1) a[i] = 2;", "f.ispc:15:25", "1 masked"),
        # Two gangs a turn, whose divisions take 5 cycles each.
        ("a[i] *= 2;", "a[i] = 2 / a[i];", "f.ispc:13:13", "10 cycles (estimated"),
        ("a[i] *= 2;", "for (int k = 0; k < i; k++) a[i] += 1;", "f.ispc:15:9", "1 divergent loops"),
    ],
    ids=["gathers", "scatters", "masked", "cycles", "divergent loops"],
)
def test_what_gets_worse_fails_at_its_place(voltac: Run, folder: Path, old: str, new: str, place: str, message: str) -> None:
    assert build(voltac, folder, PROGRAM).returncode == 0
    before = (folder / "b.json").read_bytes()
    done = build(voltac, folder, PROGRAM.replace(old, new))
    assert done.returncode > 1
    text = " ".join(done.stderr.split())
    assert message in text and f"{place}: Error: " in text
    assert not (folder / "f.o").exists()
    assert (folder / "b.json").read_bytes() == before


def test_spills_are_counted(voltac: Run, folder: Path) -> None:
    names = [f"x{number}" for number in range(40)]
    loads = "".join(f"    float {name} = a[programIndex + {8 * number}];\n" for number, name in enumerate(names))
    uses = "".join(f"        {name} = {name} * {names[number - 1]} + {name};\n" for number, name in enumerate(names))
    body = f"{loads}    for (uniform int k = 0; k < n; k++) {{\n{uses}    }}\n    a[programIndex] = {' + '.join(names)};\n"
    source = f"export void f(uniform float a[], uniform int n) {{\n{body}}}\n"
    assert build(voltac, folder, source).returncode == 0
    # Forty vectors that live through the loop do not fit sixteen registers.
    spilled = budget(folder)["avx2-i32x8"]["f"]["spills"]
    assert spilled >= 40 - 16
    (folder / "b.json").write_text((folder / "b.json").read_text().replace(f'"spills": {spilled}', '"spills": 3'))
    assert f"{spilled} spills" in " ".join(build(voltac, folder, source).stderr.split())


def test_spills_of_assembly_language() -> None:
    text = (
        "\t.type\tf,@function\nf:\n\tvmovups\t%ymm0, (%rsp) # 32-byte Spill\n\tvmovups\t(%rsp), %ymm0 # 32-byte Reload\n"
        "\t.type\tg,@function\ng:\n\tret\n"
    )
    assert spills_of(text) == {"f": 1}


def test_what_gets_better_and_what_is_new_passes(voltac: Run, folder: Path) -> None:
    assert build(voltac, folder, PROGRAM).returncode == 0
    better = PROGRAM.replace("out[index[i]] = x;", "out[i] = x;") + PROGRAM[PROGRAM.index("export void g") :].replace(
        "g(", "h("
    )
    assert build(voltac, folder, better).returncode == 0
    # What was allowed stays allowed; the new function has its own counts.
    assert without_cycles(folder) == EXPECTED | {"h": NOTHING}


def test_each_target_has_its_counts(voltac: Run, folder: Path) -> None:
    assert build(voltac, folder, PROGRAM, "--target=sse4,avx2").returncode == 0
    assert build(voltac, folder, PROGRAM, "--target=avx512skx-x16").returncode == 0
    assert budget(folder).keys() == {"sse4.2-i32x4", "avx2-i32x8", "avx512skx-x16"}
    done = build(voltac, folder, PROGRAM.replace("a[i] *= 2;", "a[i * i] = 2;"), "--target=sse4,avx2")
    assert done.stderr.count("is over its budget") == 2


@pytest.mark.parametrize(
    ("words", "content", "message"),
    [
        ((), "{", "b.json is no budget: it is no JSON"),
        ((), "{}", 'b.json is no budget: it does not say "format"'),
        ((), '{"format": "voltac budget 1", "targets": {"a": {"f": {"gathers": "x"}}}}', "counts are numbers by name"),
        (("-E", "--target=avx2"), "", "is for whole compilations"),
        (("--end-after=passes", "--target=avx2"), "", "is for whole compilations"),
        (("--target=naplespu",), "", "'naplespu' is a device"),
    ],
)
def test_what_is_no_budget_is_said(voltac: Run, folder: Path, words: tuple[str, ...], content: str, message: str) -> None:
    if content:
        (folder / "b.json").write_text(content)
    done = build(voltac, folder, PROGRAM, *words)
    assert done.returncode in (1, 2)
    assert message in " ".join(done.stderr.split())
