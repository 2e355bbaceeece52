"""Packages of kernels that ``voltac build`` makes: called without voltac, next to numpy, and next to voltac's own calls."""

from __future__ import annotations

import importlib
import json
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

import voltac
from voltac.cli.command import main
from voltac.packaging.extension import API

SOURCE = """\
// y = s x + y
export void saxpy(uniform float s, uniform float x[n], uniform float y[n], uniform int n) {
    foreach (i = 0 ... n) y[i] += s * x[i];
}
export void shifted(uniform const double x[], uniform double out[], uniform int n) {
    foreach (i = 0 ... n) out[i] = x[i + 1];
}
task void fill(uniform int a[]) { assert(taskIndex != 50); a[taskIndex] = taskIndex * taskCount; }
export void filled(uniform int a[n], uniform int n) { launch[n] fill(a); sync; }
export uniform int divide(uniform int a, uniform int b = 2) { return a / b; }
struct Pair { float x; int8 n; };
export uniform Pair pair(uniform float x, uniform bool b) { uniform Pair p; p.x = x; p.n = b ? 1 : 0; return p; }
export void swap(uniform Pair &p) { p.x = -p.x; p.n = 7; }
export uniform float norms(uniform float<3> p[], uniform int n) {
    float total = 0;
    foreach (i = 0 ... n) total += p[i].x * p[i].x + p[i].y + p[i].z;
    return reduce_add(total);
}
export uniform bool given(uniform float * uniform p) { return p != NULL; }
export uniform int8 small(uniform int8 a, uniform uint64 b, uniform int64 c) { return a + (int8)(b >> 60) + (int8)(c >> 60); }
export uniform double exact(uniform double x, uniform float16 h) { return x + h; }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    (folder / "source.ispc").write_text(SOURCE)
    words = [str(folder / "source.ispc"), "-o", str(folder / "kernels_of_test"), "--woff"]
    assert main(["build", *words, "--target=sse2,avx2"]) == 0
    return folder


@pytest.fixture(scope="module")
def package(folder: Path) -> Any:
    return imported(folder, "kernels_of_test")


@pytest.fixture(scope="module")
def extension(folder: Path) -> Any:
    words = [str(folder / "source.ispc"), "-o", str(folder / "extension_of_test.abi3.so"), "--woff"]
    assert main(["build", *words, "--target=sse2,avx2"]) == 0
    return imported(folder, "extension_of_test")


@pytest.fixture(params=["package", "extension"])
def kernels(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def imported(folder: Path, name: str) -> Any:
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def direct() -> Any:
    return voltac.compile(SOURCE, target="sse2", cache=False)


def test_calls(kernels: Any) -> None:
    x = np.arange(1000, dtype=np.float32)
    y = np.ones_like(x)
    kernels.saxpy(2.0, x, y, len(x))
    assert np.array_equal(y, 2 * x + 1)
    kernels.saxpy(s=1, x=x, y=y)
    assert np.array_equal(y, 3 * x + 1)
    a = np.zeros(40, np.int32)
    kernels.filled(a)
    assert np.array_equal(a, np.arange(40) * 40)
    assert kernels.divide(7) == 3 and kernels.divide(-7, b=7) == -1
    assert kernels.pair(2.5, True).tolist() == (2.5, 1)
    pair = np.zeros(1, kernels.pair(0, False).dtype)
    pair["x"] = 3
    kernels.swap(pair)
    assert pair.tolist() == [(-3, 7)]
    assert kernels.given(None) is False and kernels.given(x) is True
    assert kernels.small(-3, 1 << 60, -1) == -3
    assert kernels.exact(0.1, 0.5) == 0.6
    points = np.zeros((5, 4), np.float32)
    points[:, :3] = 1
    assert kernels.norms(points, 5) == 15


def test_kernels_tell_what_they_are(kernels: Any, folder: Path) -> None:
    assert kernels.saxpy.__name__ == "saxpy" and "uniform float s" in kernels.saxpy.__doc__
    assert pickle.loads(pickle.dumps(kernels.saxpy)) is kernels.saxpy
    assert kernels.saxpy.__module__ == kernels.__name__
    assert repr(kernels.divide) in ("<kernel divide for sse2-i32x4>", "<kernel divide for avx2-i32x8>")
    stub = {"kernels_of_test": "kernels_of_test/__init__.pyi", "extension_of_test": "extension_of_test.pyi"}[kernels.__name__]
    assert "def saxpy(s: float" in (folder / stub).read_text()


short, long = np.zeros(10, np.float32), np.zeros(11, np.float32)
doubles = np.zeros(10)
WRONG: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "a count beyond the array": ("saxpy", (1.0, short, long, 11), {}),
    "an element beyond the array": ("shifted", (doubles, np.zeros(10), 10), {}),
    "arrays of two lengths": ("saxpy", (1.0, short, long), {}),
    "shared memory": ("saxpy", (1.0, long[1:], long[:-1], 10), {}),
    "strides": ("saxpy", (1.0, long[::2], short, 5), {}),
    "another dtype": ("saxpy", (1.0, doubles, short, 5), {}),
    "another byte order": ("saxpy", (1.0, short.astype(">f4"), short, 5), {}),
    "read-only": ("saxpy", (1.0, short, np.frombuffer(b"\0" * 40, np.float32), 5), {}),
    "not aligned": ("saxpy", (1.0, np.zeros(41, np.uint8)[1:].view(np.float32), short, 5), {}),
    "a list": ("saxpy", (1.0, [1.0], short, 1), {}),
    "a masked array": ("saxpy", (1.0, np.ma.MaskedArray(short), long[:10], 1), {}),
    "None": ("saxpy", (1.0, None, short, 1), {}),
    "a text": ("saxpy", ("1", short, short.copy(), 1), {}),
    "a fraction": ("divide", (1.5,), {}),
    "a large number": ("divide", (1 << 31,), {}),
    "a negative number": ("small", (0, -1, 0), {}),
    "two for a bool": ("pair", (1.0, 2), {}),
    "too few": ("saxpy", (1.0, short), {}),
    "too many": ("divide", (1, 2, 3), {}),
    "a wrong name": ("divide", (1,), {"c": 1}),
    "twice": ("divide", (1,), {"a": 1}),
    "half a point": ("norms", (np.zeros(6, np.float32), 1), {}),
    "rows of three": ("norms", (np.zeros((4, 3), np.float32), 1), {}),
    "no object": ("swap", (np.zeros(0, [("x", "f4"), ("n", "i1")]),), {}),
    "zero": ("divide", (1, 0), {}),
    "overflow": ("divide", (-(1 << 31), -1), {}),
    "a task that fails": ("filled", (np.zeros(60, np.int32),), {}),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_refused_is_what_voltac_refuses(name: str, kernels: Any, direct: Any) -> None:
    function, given, by_name = WRONG[name]
    with pytest.raises((TypeError, ValueError, ArithmeticError, AssertionError)) as expected:
        direct[function](*given, **by_name)
    with pytest.raises(type(expected.value)) as found:
        getattr(kernels, function)(*given, **by_name)
    assert function in str(found.value) or isinstance(found.value, ArithmeticError | AssertionError)


def test_a_cpu_that_is_none_of_the_targets(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer of CPUID is that of this machine; what the loader makes of -1 is what other machines see."""
    code = "import ctypes, sys; real = ctypes.CDLL.__getitem__\n"
    code += "ctypes.CDLL.__getitem__ = lambda self, name: (lambda: -1) if name == 'voltac.target' else real(self, name)\n"
    code += "import kernels_of_test"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert "ImportError: kernels_of_test has kernels for CPUs with one of sse2-i32x4, avx2-i32x8" in done.stderr


def test_an_extension_module_is_for_every_python(extension: Any, folder: Path) -> None:
    """No other file, and nothing of Python but its stable ABI, as ``Include`` of 3.11 marks it."""
    assert extension.__file__.endswith(".abi3.so") and "np" not in vars(extension)
    with open(extension.__file__, "rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym")
        assert isinstance(symbols, SymbolTableSection)
        names = {symbol.name: symbol["st_shndx"] for symbol in symbols.iter_symbols()}
    assert names["PyInit_extension_of_test"] != "SHN_UNDEF"
    assert {name for name, place in names.items() if place == "SHN_UNDEF" and name.startswith(("Py", "_Py"))} == API
    code = "import extension_of_test as k; print(k.divide(84), 'voltac' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}"], capture_output=True, text=True
    )
    assert done.stdout == "42 False\n", done.stderr


def test_kernels_may_be_called_as_they_like(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["_loader", "np", "lambda", "KERNELS", "self"]
    text = "".join(f"export uniform int {name}(uniform int self) {{ return self + {at}; }}\n" for at, name in enumerate(names))
    (tmp_path / "f.ispc").write_text(text)
    for output in ("odd_package", "odd_module.abi3.so"):
        assert main(["build", str(tmp_path / "f.ispc"), "-o", str(tmp_path / output), "--target=sse2"]) == 0
        module = imported(tmp_path, output.partition(".")[0])
        known = [(at, getattr(module, name)) for at, name in enumerate(names) if hasattr(module, name)]
        assert len(known) >= 4 and all(kernel(self=10) == 10 + at for at, kernel in known)


def test_one_target_is_asked_for_too(tmp_path: Path) -> None:
    (tmp_path / "f.ispc").write_text("export uniform int f() { return programCount; }")
    assert main(["build", str(tmp_path / "f.ispc"), "-o", str(tmp_path / "one"), "--target=sse4-i32x8"]) == 0
    done = subprocess.run([sys.executable, "-c", "import one; print(one.f())"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "8\n"
    assert json.loads((tmp_path / "one" / "_kernels.json").read_text())["targets"] == ["sse4.2-i32x8"]


BAD: dict[str, tuple[list[str], str]] = {
    "files of others": (["f.ispc", "-o", "full"], "has files that voltac did not make"),
    "a file": (["f.ispc", "-o", "plain"], "is in the way"),
    "a header": (["f.ispc", "-o", "new", "-h", "f.h"], "a header (-h) goes with a shared library"),
    "one name twice": (["f.ispc", "g.ispc", "-o", "new"], "two of the sources export a function 'f'"),
    "gangs in the signature": (["w.ispc", "-o", "new"], "'w' takes other arguments for sse2-i32x4 and avx2-i32x8"),
    "a module without a name": (["f.ispc", "-o", "new-1.abi3.so"], "is no name of a module"),
    "a module called class": (["f.ispc", "-o", "class.abi3.so"], "is no name of a module"),
    "a module with a header": (["f.ispc", "-o", "new.abi3.so", "-h", "f.h"], "a header (-h) goes with a shared library"),
    "no project": ([], "there is no file ./pyproject.toml"),
}


@pytest.mark.parametrize("name", BAD)
def test_packages_that_are_not_built(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for one in "fg":
        Path(f"{one}.ispc").write_text("export uniform int f() { return 0; }")
    Path("w.ispc").write_text("export void w(varying float * uniform p) { *p = 0; }")
    Path("plain").write_text("")
    Path("full").mkdir()
    Path("full/mine.py").write_text("")
    words, expected = BAD[name]
    assert main(["build", *words]) in (1, 2)
    assert expected in " ".join(capsys.readouterr().err.split())
    assert not Path("new").exists() and [path.name for path in Path("full").iterdir()] == ["mine.py"]


PROJECTS = {
    "": "has no table [tool.voltac]",
    "[tool.voltac]\nbuild = []": "has no table [tool.voltac]",
    "[tool.voltac]\nbuilds = 1\nbuild = [{}]": "has no 'builds'; did you mean 'build'?",
    "[tool.voltac]\nbuild = [1]": "build 1 must be a table",
    "[tool.voltac]\nbuild = [{}]": "build 1 needs sources and an output",
    '[tool.voltac]\nbuild = [{sources = "f", output = "k"}]': "sources must be a list of texts",
    '[tool.voltac]\nbuild = [{sources = ["f.ispc"], output = "k", target = "sse4"}]': "has no 'target'",
    "[tool": "pyproject.toml: Expected",
}


@pytest.mark.parametrize("text", PROJECTS)
def test_a_wrong_table_is_one_error(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(text)
    assert main(["build"]) == 1
    assert PROJECTS[text] in " ".join(capsys.readouterr().err.split())


ASKING = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **names) {
    for (int i = 1; i < count; ++i) {
        void *library = dlopen(names[i], RTLD_NOW);
        if (!library) { puts(dlerror()); return 1; }
        int (*target)(void) = (int (*)(void))dlsym(library, "voltac.target");
        int (*lanes)(void *, void *) = (int (*)(void *, void *))dlsym(library, "voltac.raw.lanes");
        long long slots[4] = {0}, failure[3];
        int best = target();
        if (best >= 0) lanes(slots, failure);
        printf("%d %lld ", best, slots[0]);
    }
}
"""


@pytest.mark.parametrize("cpu, expected", [("Nehalem", "0 4 -1 0 "), ("Haswell", "1 8 0 8 "), ("max", "1 8 0 8 ")])
def test_other_cpus_take_what_they_run(cpu: str, expected: str, tmp_path: Path) -> None:
    """A CPU of an emulator runs the worse code, or is told that there is none."""
    emulator = shutil.which("qemu-x86_64")
    if emulator is None:
        pytest.skip("qemu-x86_64 is not installed (apt: qemu-user)")
    (tmp_path / "lanes.ispc").write_text("export uniform int lanes() { return programCount; }")
    for output, targets in (("both", "sse2,avx2"), ("one", "avx2")):
        assert main(["build", str(tmp_path / "lanes.ispc"), "-o", str(tmp_path / output), f"--target={targets}"]) == 0
    (tmp_path / "ask.c").write_text(ASKING)
    subprocess.run(["cc", "ask.c", "-o", "ask", "-ldl"], cwd=tmp_path, check=True)
    words = [emulator, "-cpu", cpu, "./ask", "both/_kernels.so", "one/_kernels.so"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == expected, done.stderr
