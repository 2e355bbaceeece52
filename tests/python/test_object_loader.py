"""The object loader against the system's own linker: the same object as a shared library gives the same results."""

from __future__ import annotations

import ctypes
import gc
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import voltac
from voltac.messages.diagnostics import InternalError
from voltac.python import object_loader
from voltac.python.elf_objects import NotSupported
from voltac.python.object_loader import LoadedCode, Unresolved, load

needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

EVERYTHING = r"""
#include <math.h>
#include <string.h>
int counter = 40;                                   /* .data */
static int zeros[1000];                             /* .bss */
int common_like[3];
static const char *const names[] = {"zero", "one", "two"};   /* relocated constants */
const double table[4] = {0.5, 1.5, 2.5, 3.5};
__attribute__((aligned(128))) static float lanes[32] = {1, 2, 3};
static double twice(double x) { return 2 * x; }
double (*const chosen)(double) = twice;
double (*library)(double) = cos;
extern int imported;
extern int add_imported(int);
__attribute__((weak)) int weak_value(void) { return 5; }

int count(void) { zeros[7] += 2; return ++counter + zeros[7]; }
const char *name(int i) { return names[i]; }
double sums(int i, double x) { return table[i] + chosen(x) + library(x) + sin(x) + pow(x, 3); }
unsigned long place(void) { return (unsigned long)lanes % 128; }
float lane(int i) { return lanes[i]; }
int outside(int x) { return imported + add_imported(x); }
int choose(int i) {                                  /* a jump table */
    switch (i) { case 0: return count(); case 1: return 17; case 2: return weak_value(); case 3: return (int)table[2];
                 case 4: return -4; case 5: return i * counter; case 6: return 99; default: return 0; }
}
void copy(char *to, const char *from, long n) { memcpy(to, from, n); }
"""


@pytest.fixture(scope="module", params=["-O0", "-O2"])
def everything(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")
    folder = tmp_path_factory.mktemp("object")
    (folder / "a.c").write_text(EVERYTHING)
    subprocess.run(["gcc", request.param, "-fPIC", "-c", "a.c", "-o", "a.o"], cwd=folder, check=True)
    return (folder / "a.o").read_bytes()


def function(code: LoadedCode, name: str, result: Any = ctypes.c_int, *arguments: Any) -> Any:
    return ctypes.CFUNCTYPE(result, *arguments)(code.addresses[name])


EXPORTS = ("count", "name", "sums", "place", "lane", "outside", "choose", "copy")


@pytest.mark.parametrize("by_llvm", [False, True])
def test_everything_in_an_object_works(everything: bytes, by_llvm: bool) -> None:
    imported = ctypes.c_int(30)
    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 5)
    imports = {"imported": ctypes.addressof(imported), "add_imported": ctypes.cast(callback, ctypes.c_void_p).value or 0}
    if by_llvm:
        code = object_loader._load_with_llvm([everything], imports, EXPORTS)
    else:
        code = object_loader._load_elf([everything], imports)
    count = function(code, "count")
    assert [count(), count()] == [43, 46]
    name = function(code, "name", ctypes.c_char_p, ctypes.c_int)
    assert [name(i) for i in range(3)] == [b"zero", b"one", b"two"]
    sums = function(code, "sums", ctypes.c_double, ctypes.c_int, ctypes.c_double)
    x = 0.75
    assert sums(2, x) == pytest.approx(2.5 + 2 * x + math.cos(x) + math.sin(x) + x**3, rel=1e-14)
    assert function(code, "place", ctypes.c_ulong)() == 0
    assert function(code, "lane", ctypes.c_float, ctypes.c_int)(1) == 2
    assert function(code, "outside", ctypes.c_int, ctypes.c_int)(1) == 36
    choose = function(code, "choose", ctypes.c_int, ctypes.c_int)
    assert [choose(i) for i in (1, 2, 3, 4, 6, 7)] == [17, 5, 2, -4, 99, 0]
    target = ctypes.create_string_buffer(5)
    function(code, "copy", None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_long)(target, b"abcd", 4)
    assert target.value == b"abcd"


def test_no_memory_is_both_writable_and_executable(everything: bytes) -> None:
    code = load([everything], {"imported": 0, "add_imported": 0}, EXPORTS)
    counter, name = code.addresses["counter"], code.addresses["count"]
    kinds = {}
    for line in Path("/proc/self/maps").read_text().splitlines():
        ends, kind = line.split()[:2]
        start, end = (int(part, 16) for part in ends.split("-"))
        for what, address in (("data", counter), ("code", name), ("constants", code.addresses["table"])):
            if start <= address < end:
                kinds[what] = kind[:3]
    assert kinds == {"data": "rw-", "code": "r-x", "constants": "r--"}


@needs_compiler
def test_objects_see_each_other(tmp_path: Path) -> None:
    texts = (
        "int two(int x) { return x + 2; } int shared = 3;",
        "int two(int); extern int shared; int f(int x) { return two(x) * shared; }",
    )
    objects = []
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.c").write_text(text)
        subprocess.run(["gcc", "-O1", "-fPIC", "-c", f"{number}.c"], cwd=tmp_path, check=True)
        objects.append((tmp_path / f"{number}.o").read_bytes())
    for order in (objects, objects[::-1]):
        assert function(load(order, {}, ["f"]), "f", ctypes.c_int, ctypes.c_int)(4) == 18
    with pytest.raises(InternalError, match="'two' is defined twice"):
        load([objects[0], objects[0]], {}, [])
    with pytest.raises(Unresolved, match=r"^(two|shared)$"):
        load([objects[1]], {}, [])


@needs_compiler
@pytest.mark.parametrize(
    "text", ["__thread int x = 1; int f(void) { return x; }", "int x; __attribute__((constructor)) void f(void) { x = 1; }"]
)
def test_what_is_unknown_is_left_to_llvm(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.c").write_text(text)
    subprocess.run(["gcc", "-O1", "-fPIC", "-c", "a.c"], cwd=tmp_path, check=True)
    with pytest.raises(NotSupported):
        object_loader._load_elf([(tmp_path / "a.o").read_bytes()], {})


@needs_compiler
def test_a_weak_symbol_nobody_defines_is_null(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("__attribute__((weak)) extern int nowhere; int f(void) { return &nowhere == 0; }")
    subprocess.run(["gcc", "-O1", "-fPIC", "-c", "a.c"], cwd=tmp_path, check=True)
    assert function(load([(tmp_path / "a.o").read_bytes()], {}, ["f"]), "f")() == 1


def test_damaged_objects_are_errors_not_crashes(everything: bytes) -> None:
    for end in (0, 3, 40, 64, 100, len(everything) // 2, len(everything) - 1):
        with pytest.raises((InternalError, NotSupported)):
            object_loader._load_elf([everything[:end]], {"imported": 0, "add_imported": 0})


def test_kernels_work_when_llvm_loads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> LoadedCode:
        raise NotSupported("for this test")

    monkeypatch.setattr(object_loader, "_load_elf", refuse)
    k = voltac.compile("export uniform float f(uniform float x[]) { return x[0] + exp(x[1]); }", cache=False)
    import numpy as np

    x = np.array([1, 2], np.float32)
    assert k.f(x) == pytest.approx(1 + math.exp(2), rel=1e-6)
    assert k.f(x.data) == pytest.approx(1 + math.exp(2), rel=1e-6)


def test_memory_is_given_back(everything: bytes) -> None:
    def mapped() -> int:
        return len(Path("/proc/self/maps").read_text().splitlines())

    codes = [load([everything], {"imported": 0, "add_imported": 0}, EXPORTS) for _ in range(20)]
    many = mapped()
    del codes
    gc.collect()
    assert mapped() <= many - 20
