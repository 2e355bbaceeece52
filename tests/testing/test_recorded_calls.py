"""``k.f.record(path)`` and ``voltac replay path``: a call in one file, made again elsewhere."""

from __future__ import annotations

import ctypes
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.cli.command import main
from voltac.python.recorded_calls import read_call

PROGRAM = """
#include "by.isph"
export uniform float scale(const uniform float a[n], uniform float out[n], uniform float by, uniform int n) {
    assert(by != 7);
    foreach (i = 0 ... n) out[i] = by * BY * a[i];
    return by;
}
export void width(uniform int out[]) { out[0] = programCount; }
struct Pair { int a; double b; };
export uniform Pair paired(uniform Pair some[], uniform Pair * uniform other) { uniform Pair p = some[0]; p.b = 2; return p; }
export uniform float both(uniform float a[], uniform float b[]) { return a[0] + b[1]; }
extern "C" void raise(uniform int number);
export void crash(uniform int out[]) { out[0] = 4; raise(9); }
"""


@pytest.fixture
def k(tmp_path: Path) -> voltac.KernelModule:
    (tmp_path / "by.isph").write_text("#define BY 2\n")
    made = voltac.compile(PROGRAM, file="calls.ispc", include=tmp_path, target="avx2-i32x8")
    return made


def replayed(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    code = main(["replay", *map(str, words)])
    printed = capsys.readouterr()
    # Errors are broken into lines.
    return code, printed.out + " ".join(printed.err.split())


def test_a_call_is_recorded_and_replayed(k: voltac.KernelModule, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "call.zip"
    a, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    assert k.scale.record(path)(a, out, 3) == 3 and out[99] == 594
    # The file is all that is needed.
    (tmp_path / "by.isph").unlink()
    assert replayed(capsys, path) == (0, "scale() recorded for avx2-i32x8, replayed for avx2-i32x8\nas recorded\n")
    code, text = replayed(capsys, path, "--target=sse4.1-i32x4", "-O0")
    assert (code, text) == (0, "scale() recorded for avx2-i32x8, replayed for sse4.1-i32x4\nas recorded\n")
    assert replayed(capsys, path, "--interpret") == (
        0,
        "scale() recorded for avx2-i32x8, replayed by the interpreter\nas recorded\n",
    )
    call = read_call(path)
    np.testing.assert_array_equal(call.arguments["a"], a)
    assert not call.arguments["out"].any() and call.arguments["by"] == 3 and "n" not in call.arguments


def test_an_exception_is_recorded_and_raised(
    k: voltac.KernelModule, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "call.zip"
    a = np.arange(4, dtype=np.float32)
    with k.scale.record(path) as scale, pytest.raises(AssertionError, match=r"calls\.ispc:4"):
        scale(a, a.copy(), by=7)
    assert replayed(capsys, path)[0] == 0
    code, text = replayed(capsys, path, "--opt=disable-assertions")
    assert code == 1 and "exception: recorded AssertionError: calls.ispc:4" in text and ", now none" in text
    assert "out: 3 of 4 elements differ, the first at [1]: recorded 1.0, now 14.0; the largest difference is 39" in text


def test_what_differs_is_shown(k: voltac.KernelModule, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "call.zip"
    k["width"].record(path)(np.zeros(1, np.int32))
    code, text = replayed(capsys, path, "--target=sse4.1-i32x4")
    assert code == 1 and "out: 1 of 1 elements differ, the first at [0]: recorded 8, now 4" in text


def test_structs_null_pointers_and_shared_arrays(
    k: voltac.KernelModule, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "call.zip"
    pairs = np.zeros(2, k.paired.dtype("some"))
    pairs["a"] = 5
    assert k.paired.record(path)(pairs, None)["b"] == 2
    assert replayed(capsys, path)[0] == 0 and replayed(capsys, path)[1].endswith("as recorded\n")
    a = np.zeros(5, np.float32)
    recorder: Any = k.both.record(path)
    recorder(a, a)
    call = read_call(path)
    assert call.arguments["a"] is call.arguments["b"] and replayed(capsys, path)[0] == 0


def test_a_call_that_ends_the_process_is_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "call.zip"
    (tmp_path / "by.isph").write_text("#define BY 2\n")
    code = (
        f"import numpy as np, voltac\nk = voltac.compile({PROGRAM!r}, include={str(tmp_path)!r})\n"
        f"k.crash.record({str(path)!r})(np.zeros(3, np.int32))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    call = read_call(path)
    assert call.outcome is None and call.kernel == "crash" and call.arguments["out"].tolist() == [0, 0, 0]
    with zipfile.ZipFile(path, "a") as archive:
        text = json.loads(archive.read("call.json"))
    text["kernel"] = "width"
    changed = tmp_path / "width.zip"
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(changed, "w") as other:
        for name in archive.namelist():
            other.writestr(name, json.dumps(text) if name == "call.json" else archive.read(name))
    code_, printed = replayed(capsys, changed, "--target=avx2-i32x8")
    assert code_ == 0 and "did not come back" in printed and "out = [8 0 0]" in printed


def test_what_cannot_be_recorded_is_told(k: voltac.KernelModule, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"a call with .*c_void_p.* for 'other' cannot be recorded"):
        k.paired.record(tmp_path / "call.zip")(np.zeros(1, k.paired.dtype("some")), ctypes.c_void_p(3))
    given = voltac.compile(
        'extern "C" uniform int g(); export uniform int f() { return g(); }',
        functions={"g": ctypes.CFUNCTYPE(ctypes.c_int)(int)},
    )
    with pytest.raises(TypeError, match=r"cannot be pickled or recorded: they were given functions= \(g\)"):
        given.f.record(tmp_path / "call.zip")


def zipped(**members: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return content.getvalue()


BAD = {
    "nothing": b"",
    "no archive": b"some text",
    "no call": zipped(other_txt=b"x"),
    "no json": zipped(call_json=b"{"),
    "another format": zipped(call_json=b'{"format": "voltac recorded call 99"}'),
    "no fields": zipped(call_json=b'{"format": "voltac recorded call 1"}'),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_none_is_one_error(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.zip"
    path.write_bytes(BAD[name])
    code, text = replayed(capsys, path)
    assert code == 1 and "bad.zip is no file of a recorded call: " in text
    assert replayed(capsys, tmp_path / "none.zip")[1].startswith("Error: file not found: ")
    assert replayed(capsys)[0] == 2


def test_a_pickle_in_a_file_is_not_opened(k: voltac.KernelModule, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, other = tmp_path / "call.zip", tmp_path / "other.zip"
    k["width"].record(path)(np.zeros(1, np.int32))
    pickled = io.BytesIO()
    np.lib.format.write_array(pickled, np.array([{}], object), allow_pickle=True)
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(other, "w") as changed:
        for name in archive.namelist():
            changed.writestr(name, pickled.getvalue() if name == "before/out.npy" else archive.read(name))
    code, text = replayed(capsys, other)
    assert code == 1 and "Object arrays cannot be loaded when allow_pickle=False" in text


def test_options_of_a_stranger_are_checked(k: voltac.KernelModule, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, other = tmp_path / "call.zip", tmp_path / "other.zip"
    k["width"].record(path)(np.zeros(1, np.int32))
    with zipfile.ZipFile(path) as archive:
        call = json.loads(archive.read("call.json"))
    for key, value in (
        ("options", {"level": 99}),
        ("options", {"what": 1}),
        ("target", "z80"),
        ("target", {"name": 3}),
        ("text", None),
    ):
        changed = call | {"source": call["source"] | {key: value}}
        with zipfile.ZipFile(path) as archive, zipfile.ZipFile(other, "w") as made:
            for name in archive.namelist():
                made.writestr(name, json.dumps(changed) if name == "call.json" else archive.read(name))
        code, text = replayed(capsys, other)
        assert code == 1 and "is no file of a recorded call" in text, (key, value, text)
