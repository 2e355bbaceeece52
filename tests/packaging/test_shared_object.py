"""Shared libraries that voltac links itself: read back by pyelftools, loaded by the system, used by C programs."""

from __future__ import annotations

import ctypes
import io
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.constants import P_FLAGS
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from voltac.driver import compile_source
from voltac.options import Options
from voltac.packaging.shared_object import shared_object, undefined_symbols
from voltac.python.elf_objects import NotSupported
from voltac.target_info import find_target

SOURCE = """\
uniform int calls = 5;
uniform float large[1000];
static uniform float table[4] = {1, 2, 3, 4};
uniform float * uniform pointer = &large[7];
static uniform int * uniform inner = &calls;
export void scale(uniform float a[], uniform int n) {
    calls++;
    large[7] = 0.5f;
    foreach (i = 0 ... n) a[i] = a[i] * table[i & 3] + sin(a[i]);
}
export uniform int count() { return *inner; }
export uniform float pointed() { return *pointer; }
"""


def compiled(text: str, **options: object) -> bytes:
    fields = {"target": find_target("sse2"), "position_independent": "small", "math_library": "system"} | options
    return compile_source(text, "test.ispc", Options(**fields)).optimized.object_code()  # type: ignore[arg-type]


@pytest.fixture
def loaded(tmp_path: Path) -> Callable[[bytes], ctypes.CDLL]:
    def load(content: bytes) -> ctypes.CDLL:
        path = tmp_path / "lib.so"
        path.write_bytes(content)
        return ctypes.CDLL(str(path))

    return load


def test_code_constants_and_data_are_found(loaded: Callable[[bytes], ctypes.CDLL]) -> None:
    content = compiled(SOURCE)
    assert "sinf" in undefined_symbols([content])
    library = loaded(shared_object([content], {"scale", "count", "pointed", "calls"}, "lib.so", ["libm.so.6"]))
    a = np.arange(20, dtype=np.float32)
    expected = a * (np.arange(20) % 4 + 1) + np.sin(a)
    library.scale(ctypes.c_void_p(a.ctypes.data), 20)
    np.testing.assert_allclose(a, expected, rtol=1e-6)
    assert library.count() == ctypes.c_int.in_dll(library, "calls").value == 6
    library.pointed.restype = ctypes.c_float
    assert library.pointed() == 0.5
    with pytest.raises(AttributeError):
        library.large  # noqa: B018


def test_the_file_is_what_readers_of_elf_expect() -> None:
    content = shared_object([compiled(SOURCE)], {"scale", "calls"}, "libname.so", ["libm.so.6"])
    file = ELFFile(io.BytesIO(content))
    assert file["e_type"] == "ET_DYN" and file["e_machine"] == "EM_X86_64"
    loads = [segment for segment in file.iter_segments() if segment["p_type"] == "PT_LOAD"]
    assert not any(one["p_flags"] & P_FLAGS.PF_W and one["p_flags"] & P_FLAGS.PF_X for one in loads)
    assert all(one["p_vaddr"] % 4096 == one["p_offset"] % 4096 for one in loads)
    ends = [one["p_vaddr"] + one["p_memsz"] for one in loads]
    assert all(one["p_vaddr"] >= end for one, end in zip(loads[1:], ends, strict=False))
    (stack,) = (segment for segment in file.iter_segments() if segment["p_type"] == "PT_GNU_STACK")
    assert not stack["p_flags"] & P_FLAGS.PF_X
    dynamic = file.get_section_by_name(".dynamic")
    assert isinstance(dynamic, DynamicSection)
    tags = {tag.entry.d_tag: tag for tag in dynamic.iter_tags()}
    names = [getattr(tags["DT_SONAME"], "soname", ""), getattr(tags["DT_NEEDED"], "needed", "")]
    assert names == ["libname.so", "libm.so.6"]
    symbols = file.get_section_by_name(".dynsym")
    assert isinstance(symbols, SymbolTableSection)
    kinds = {symbol.name: symbol["st_info"]["type"] for symbol in symbols.iter_symbols() if symbol["st_shndx"] != "SHN_UNDEF"}
    assert kinds == {"scale": "STT_FUNC", "calls": "STT_OBJECT"}


def test_a_program_and_the_library_share_a_variable(tmp_path: Path) -> None:
    """A program that is not position-independent has its own copy of the variable, which is the library's from then on."""
    (tmp_path / "libk.so").write_bytes(
        shared_object([compiled(SOURCE)], {"scale", "count", "pointed", "calls"}, "libk.so", ["libm.so.6"])
    )
    (tmp_path / "main.c").write_text("""
        #include <stdio.h>
        extern int calls; int count(void); void scale(float *, int);
        int main(void) { float a[3] = {0}; scale(a, 3); calls += 10; printf("%d %d\\n", count(), calls); }
    """)
    for mode in ("-fPIE", "-fno-pie"):
        words = [
            "cc",
            "main.c",
            mode,
            "-pie" if mode == "-fPIE" else "-no-pie",
            "-L.",
            "-lk",
            "-lm",
            "-Wl,-rpath,.",
            "-o",
            "main",
        ]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
        assert subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True).stdout == "16 16\n"


def test_objects_see_each_other_and_locals_stay_apart(loaded: Callable[[bytes], ctypes.CDLL]) -> None:
    first = 'static uniform int x = 1; extern "C" uniform int other(); export uniform int f() { return x + other(); }'
    second = "static uniform int x = 40; export uniform int other() { return ++x; }"
    library = loaded(shared_object([compiled(first), compiled(second)], {"f"}, "lib.so"))
    assert library.f() == 42


def test_what_cannot_be_linked_is_said() -> None:
    object_ = compiled(SOURCE)
    with pytest.raises(ValueError, match="is defined twice"):
        shared_object([object_, object_], {"scale"}, "lib.so")
    with pytest.raises(ValueError, match="nothing defines 'nobody'"):
        shared_object([object_], {"nobody"}, "lib.so")
    with pytest.raises(NotSupported, match="--pic"):
        shared_object([compiled(SOURCE, position_independent="", code_model="large")], {"scale"}, "lib.so")
    with pytest.raises(NotSupported, match="x86-64"):
        shared_object([compiled(SOURCE, target=find_target("neon"))], {"scale"}, "lib.so")
    for end in (0, 10, 63, 64, len(object_) // 2, len(object_) - 1):
        with pytest.raises((NotSupported, ValueError)):
            shared_object([object_[:end]], {"scale"}, "lib.so")
