"""``voltac.load`` and ``voltac.compile``: their options, and what they say of sources that cannot be compiled."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac

SOURCE = "export uniform int value() { return VALUE + programCount; }"


def test_a_file_is_loaded_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "a.ispc"
    path.write_text("export uniform int f() { return 3; }")
    assert voltac.load(path).f() == 3
    assert voltac.load(str(path), target="sse4").f() == 3


def test_macros_folders_and_level_reach_the_compiler(tmp_path: Path) -> None:
    assert voltac.compile(SOURCE, defines={"VALUE": 5}, target="sse4-i32x4").value() == 9
    assert voltac.compile(SOURCE, defines=["VALUE=7"], target="sse4-i32x8", opt=0).value() == 15
    (tmp_path / "value.h").write_text("#define VALUE 1\n")
    for folders in (tmp_path, [str(tmp_path)]):
        assert voltac.compile('#include "value.h"\n' + SOURCE, include=folders, target="avx2").value() == 9


def test_wrong_options_are_refused() -> None:
    with pytest.raises(TypeError, match="no option 'targt'; did you mean 'target'"):
        voltac.compile(SOURCE, targt="host")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="opt must be 0, 1, 2 or 3, not 4"):
        voltac.compile(SOURCE, opt=4)
    with pytest.raises(ValueError, match=r"unknown target 'avx3'; did you mean 'avx' .*families of targets are: sse2"):
        voltac.compile(SOURCE, target="avx3")
    with pytest.raises(TypeError, match=r"must be a str, not PosixPath; voltac\.load takes the path"):
        voltac.compile(Path("a.ispc"))  # type: ignore[arg-type]


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.ispc"):
        voltac.load(tmp_path / "nowhere.ispc")
    with pytest.raises(IsADirectoryError):
        voltac.load(tmp_path)
    path = tmp_path / "bad.ispc"
    path.write_bytes(b"int x;\n\xff\xfe")
    with pytest.raises(voltac.CompileError, match=r"bad.ispc is not UTF-8 text: byte 0xff in line 2"):
        voltac.load(path)
    path.write_bytes(b" \n")
    with pytest.raises(voltac.CompileError, match=r"bad.ispc is empty"):
        voltac.load(path)
    with pytest.raises(voltac.CompileError, match="empty"):
        voltac.compile("")


def test_errors_of_the_program_point_into_it() -> None:
    with pytest.raises(voltac.CompileError) as caught:
        voltac.compile("export void f(uniform int n) {\n    n = unknown;\n}\n", file="wrong.ispc")
    assert str(caught.value).startswith("wrong.ispc:2:9: Error: ") and "unknown" in str(caught.value)
    assert "^^^^^^^" in str(caught.value)
    assert caught.value.diagnostics.error_count == 1


def test_a_program_without_exports_is_a_module_without_kernels() -> None:
    k = voltac.compile("void f() { }")
    assert len(k) == 0 and "no exports" in repr(k)


def test_warnings_are_kept_with_the_module() -> None:
    source = "export void f(varying int * uniform p) { p[0] = 1; }"
    first, again = voltac.compile(source, file="w.ispc"), voltac.compile(source, file="w.ispc")
    assert "w.ispc:1:" in first.warnings and "arning" in first.warnings
    assert again.warnings == first.warnings


def test_warnings_are_python_warnings_of_the_line_that_compiles(tmp_path: Path) -> None:
    path = tmp_path / "w.ispc"
    path.write_text("export void f(varying int * uniform p) { p[0] = 1; }\n")
    script = tmp_path / "script.py"
    script.write_text(f"import voltac\nfor _ in range(3):\n    k = voltac.load({str(path)!r})\nprint(len(k))\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
    assert done.stderr.startswith(f"{script}:3: VoltacWarning: {path}:1:")
    assert done.stderr.count("VoltacWarning") == 1
    with pytest.warns(voltac.VoltacWarning, match=r"w\.ispc:1:"):
        voltac.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", voltac.VoltacWarning)
        with pytest.raises(voltac.VoltacWarning):
            voltac.compile(path.read_text())
        voltac.compile("export void f() { }")


def test_an_error_has_none_of_the_compilers_frames(tmp_path: Path) -> None:
    path = tmp_path / "bad.ispc"
    path.write_text("export void f() { a = 1; }\n")
    for call, given in ((voltac.load, str(path)), (voltac.compile, path.read_text())):
        with pytest.raises(voltac.CompileError) as caught:
            call(given)
        frames = traceback.extract_tb(caught.tb)
        assert [frame.name for frame in frames[1:]] in (["load"], ["compile"])
        assert caught.value.__cause__ is None and caught.value.__suppress_context__


def test_an_error_has_thirty_lines_at_most() -> None:
    with pytest.raises(voltac.CompileError) as caught:
        voltac.compile("export void f() {\n" + "".join(f"    a{number} = 1;\n" for number in range(100)) + "}")
    shown, everything = str(caught.value).splitlines(), caught.value.diagnostics.render().strip().splitlines()
    assert len(shown) <= 30 and shown[:20] == everything[:20]
    left = len(everything) - len(shown) + 2
    assert shown[-1] == f"... and {left} lines more: error.diagnostics.render() has them"
    assert caught.value.diagnostics.error_count == 100


def test_functions_of_c_are_found_or_given() -> None:
    assert (
        voltac.compile('extern "C" uniform int abs(uniform int x); export uniform int f(uniform int x) { return abs(x); }').f(
            -3
        )
        == 3
    )
    source = 'extern "C" uniform int given(uniform int x); export uniform int f(uniform int x) { return given(x) * 2; }'
    with pytest.raises(voltac.CompileError, match=r"uses 'given', which neither it nor a library .* functions=\{'given': "):
        voltac.compile(source, file="c.ispc")
    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 1)
    k = voltac.compile(source, functions={"given": callback})
    address = ctypes.cast(callback, ctypes.c_void_p).value
    assert k.f(4) == 10 and voltac.compile(source, functions={"given": address}).f(5) == 12
    with pytest.raises(
        TypeError, match=r"functions\['given'\] must be a function of Python or ctypes, or an address, not str 'x'"
    ):
        voltac.compile(source, functions={"given": "x"})


@pytest.mark.parametrize(
    "option", [{"debug_info": True}, {"code_model": "large"}, {"function_sections": True}, {"opt": 0}, {"addressing": 64}]
)
def test_code_of_every_form_is_loaded(option: dict[str, Any]) -> None:
    source = (
        "static uniform float scale[4] = {1, 2, 3, 4}; uniform int calls = 0;"
        "export uniform float f(uniform float x[], uniform int n) {"
        "  float s = 0; foreach (i = 0 ... n) s += exp(x[i]) * scale[i & 3]; ++calls; return reduce_add(s) + calls; }"
    )
    x = np.linspace(0, 1, 37, dtype=np.float32)
    expected = np.sum(np.exp(x.astype(float)) * np.resize([1, 2, 3, 4], 37))
    k = voltac.compile(source, **option)
    assert [k.f(x, 37), k.f(x, 37)] == pytest.approx([expected + 1, expected + 2], rel=1e-5)


def test_what_a_kernel_prints_appears() -> None:
    code = "import voltac; voltac.compile('export void f(uniform int x) { print(\"x is %\\\\n\", x); }').f(12)"
    assert run_python(code) == "x is 12\n"


def run_python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_voltac_imports_nothing_big() -> None:
    names = "'llvmlite', 'lark', 'numpy', 'voltac.driver', 'voltac.syntax', 'voltac.sema'"
    assert run_python(f"import sys, voltac; dir(voltac); print([n for n in ({names}) if n in sys.modules])").strip() == "[]"


def test_a_cached_program_needs_neither_parser_nor_llvm(tmp_path: Path) -> None:
    code = (
        "import sys, voltac; k = voltac.compile('export uniform int f() { return 6; }'); print(k.f());"
        "print([n for n in ('llvmlite', 'lark', 'voltac.driver', 'voltac.syntax', 'voltac.sema', 'voltac.lower') "
        "if n in sys.modules])"
    )
    folder = str(tmp_path / "cache")
    assert "llvmlite" in run_python(code, VOLTAC_CACHE_DIR=folder)
    # While somebody edits voltac itself, the next process may have another compiler.
    assert ["6", "[]"] in [run_python(code, VOLTAC_CACHE_DIR=folder).split("\n")[:2] for _ in range(3)]


def test_results_are_those_of_numpy_on_every_target() -> None:
    source = (
        "export void f(uniform float x[], uniform float y[], uniform int n) { foreach (i = 0 ... n) y[i] = x[i] * x[i] + 1; }"
    )
    x = np.linspace(-3, 3, 101, dtype=np.float32)
    for target in ("sse4-i32x4", "sse4-i32x8", "avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x4", "avx512skx-x16"):
        k = voltac.compile(source, target=target)
        y = np.zeros_like(x)
        try:
            k.f(x, y, 101)
        except voltac.CannotRun:
            continue
        np.testing.assert_allclose(y, x * x + 1, rtol=1e-6)
