"""Structs that lead to themselves through pointers, arrays of pointers, functions and each other: no walk runs in circles."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import voltac as compiler

Run = Callable[..., subprocess.CompletedProcess[str]]

SOURCE = """\
struct Tree;
struct Forest;
struct Unknown;
typedef unmasked void (*Visitor)(Tree * uniform tree, uniform int depth);
struct Link { uniform int value; Link * uniform next; };
struct Tree { uniform int key; Tree * uniform children[4]; Forest * uniform home; Visitor visit; Unknown * uniform unknown; };
struct Forest { Tree * uniform trees[2][3]; Forest * uniform * uniform neighbours; uniform int count; Link links; };
struct Slot { float value; Slot * next; };
struct Own { Own * uniform (* uniform maker)(Own * uniform); Own * uniform (* uniform grid)[3]; uniform float x; };

static uniform Link list[3];
static uniform Forest woods;

template <typename T> noinline uniform int total(uniform T * uniform first) {
    uniform int sum = 0;
    for (; first != NULL; first = first->next)
        sum += first->value;
    return sum;
}

export void sums(uniform int a[], uniform int n) {
    for (uniform int i = 0; i < 3; ++i) {
        list[i].value = i + 1;
        list[i].next = i < 2 ? &list[i + 1] : NULL;
    }
    foreach (i = 0 ... n) {
        int sum = 0;
        for (Link * uniform at = &list[0]; at != NULL; at = at->next)
            sum += at->value;
        cif (a[i] > 0)
            sum += total<Link>(&list[1]);
        a[i] = sum;
    }
}

export void plant(uniform Forest * uniform f, uniform Tree trees[], uniform Own own[], uniform int n) {
    f->count = n;
    woods = *f;
    for (uniform int i = 0; i < n; ++i) {
        f->trees[i & 1][i % 3] = &trees[i];
        trees[i].home = f;
        trees[i].children[i & 3] = &trees[i];
        own[i].x = i + woods.count;
    }
}

export void slots(uniform Slot s[], uniform int n) {
    foreach (i = 0 ... n) {
        Slot * p = (Slot *)&s[i / programCount];
        if (i % programCount == programIndex)
            p->value = p->value + 1;
    }
}
"""

COMMANDS = [
    ["explain", "--json"],
    ["explain", "--html", "page.html"],
    ["compare"],
    ["-g", "-O0", "-o", "t.o", "-h", "t.h"],
    ["-g", "-O2", "-o", "t.o", "--print-stage=parse", "--print-stage=check"],
    ["--target=sse4,avx2", "-o", "t.o", "-h", "t.h"],
    ["--emit-llvm-text", "-o", "t.ll"],
    ["--emit-asm", "-o", "t.s"],
    ["--target=naplespu", "-g", "-o", "t.elf"],
    ["explain", "--target=naplespu"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_ends(voltac: Run, folder: Path, command: list[str]) -> None:
    (folder / "t.ispc").write_text(SOURCE)
    target = [] if any("target" in word for word in command) else ["--target=avx2-i32x8"]
    done = voltac(command[0], *target, *command[1:], "t.ispc")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("how", [[], ["--interpret"]], ids=["compiled", "interpreted"])
def test_they_run(voltac: Run, folder: Path, how: list[str]) -> None:
    (folder / "t.ispc").write_text(SOURCE)
    done = voltac("run", "t.ispc", "--target=sse4-i32x4", "--function", "sums", *how, "range:5", "5")
    assert done.stdout == "a = [ 6 11 11 11 11]\n", done.stderr


def test_their_arrays_have_dtypes() -> None:
    k = compiler.compile(SOURCE, cache=False, target="sse4-i32x4")
    forest, trees, own = (np.zeros(n, k.plant.dtype(name)) for n, name in ((1, "f"), (4, "trees"), (4, "own")))
    k.plant(forest, trees, own, 4)
    assert forest["count"] == 4 and list(own["x"]) == [4, 5, 6, 7]
    assert (trees["home"] == forest.ctypes.data).all()
    assert forest["trees"][0, 1, 1] == trees[1:].ctypes.data
    assert "def plant(" in k.stub() and "Forest" in k.plant.signature


@pytest.mark.parametrize("command", ["explain", "compare"])
def test_functions_of_other_files_have_nothing_to_look_at(voltac: Run, folder: Path, command: str) -> None:
    (folder / "t.ispc").write_text(
        "extern void elsewhere(uniform float a[], uniform int n);\n"
        "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] += 1; elsewhere(a, n); }\n"
    )
    done = voltac(command, "--target=sse4-i32x4", "t.ispc")
    assert done.returncode == 0 or "elsewhere" in done.stderr, done.stderr
    assert "internal error" not in done.stderr
