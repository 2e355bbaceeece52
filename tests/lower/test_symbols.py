"""Which functions and variables an object has (language 10.1, 12.5): what others may use, what is used here, nothing else."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lowering import object_code

pytestmark = pytest.mark.skipif(shutil.which("nm") is None, reason="nm (binutils) is not installed")

SOURCE = """
uniform int shared_counter;
int lanes_counter;
static int hidden_counter;
static int used_counter;
extern uniform int outside_used;
extern uniform int outside_unused;

float plain(float x) { return x + 1; }
unmasked float no_mask(uniform float x) { return x * 2; }
static float unused_static(float x) { return x * 3; }
static float unused_caller(float x) { return unused_static(x); }
static noinline float used_static(float x) { return x * 4; }
inline float inline_used(float x) { return x * 6; }
inline float inline_unused(float x) { return x * 7; }
noinline float kept(float x) { return x * 8; }
float prototype_only(float x);
float prototype_used(float x);
extern float extern_declared(float x);
extern float extern_defined(float x) { return x * 9; }
extern "C" uniform int c_used(uniform int a);
extern "C" uniform int c_unused(uniform int a);
extern "C" uniform int c_defined(uniform int a) { return a + 1; }
typedef float (*Function)(float);
static float taken(float x) { return x * 10; }
uniform Function table[2];
task void job(uniform float a[]) { a[taskIndex] = 1; }
static task void hidden_job(uniform float a[]) { a[taskIndex] = 2; }
static task void unused_job(uniform float a[]) { a[taskIndex] = 3; }
template <typename T> noinline T twice(T x) { return x + x; }
template <typename T> noinline T unused_template(T x) { return x - x; }
template <typename T> noinline T asked_for(T x) { return x * x; }
template float asked_for<float>(float);
template <> noinline int twice<int>(int x) { return x * 2; }
template <typename T> static noinline T static_template(T x) { return x + 3; }
__attribute__((unmangled)) float plain_name(float x) { return x * 11; }
__attribute__((external_only)) export void only_c(uniform float a[]) { a[0] = 1; }
export static void export_static(uniform float a[]) { a[1] = 1; }
export void kernel(uniform float a[], uniform int n) {
    used_counter++;
    foreach (i = 0 ... n) {
        float x = a[i];
        x += used_static(x) + inline_used(x) + kept(x) + prototype_used(x);
        x += c_used(outside_used) + used_counter;
        x += twice<float>(x) + twice<int>((int)x) + static_template<float>(x);
        table[0] = taken;
        a[i] = x + exp(x);
    }
    launch hidden_job(a);
}
"""

FOR_OTHERS = {
    "B": {"shared_counter", "lanes_counter", "table"},
    "T": {
        *("plain___vyf", "no_mask___UM_unf", "kept___vyf", "extern_defined___vyf", "plain_name", "c_defined"),
        *("job___un_3C_unf_3E_", "only_c", "export_static", "kernel", "kernel___un_3C_unf_3E_uni"),
    },
    "W": {"twice___vyf___vyf", "twice___vyi___vyi", "asked_for___vyf___vyf"},
}
FROM_OTHERS = {"outside_used", "prototype_used___vyf", "c_used", "ISPCAlloc", "ISPCLaunch", "ISPCSync"}
LIBRARY = ".library"
"""Ends the names of the library's functions that are called."""
OWN = {"used_static___vyf", "taken___vyf", "hidden_job___un_3C_unf_3E_", "static_template___vyf___vyf"}


def symbols(tmp_path: Path, source: str = SOURCE, **options: Any) -> dict[str, set[str]]:
    """Letter of nm -> names."""
    path = tmp_path / "code.o"
    path.write_bytes(object_code(source, whole_program=False, **options))
    listing = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    found: dict[str, set[str]] = {}
    for line in listing.splitlines():
        *_, letter, name = line.split()
        if not name.startswith("."):
            found.setdefault(letter, set()).add(name)
    return found


@pytest.mark.parametrize("level", [0, 2])
def test_others_find_what_the_language_promises_and_nothing_else(tmp_path: Path, level: int) -> None:
    found = symbols(tmp_path, level=level)
    assert {letter: found[letter] for letter in FOR_OTHERS} == FOR_OTHERS
    assert found["U"] == FROM_OTHERS


@pytest.mark.parametrize("level", [0, 2])
def test_only_what_is_used_here_is_compiled(tmp_path: Path, level: int) -> None:
    found = symbols(tmp_path, level=level)
    local = {name.removesuffix(".all_on") for letter in "tbd" for name in found.get(letter, ())} - {
        "kernel___un_3C_unf_3E_uni.some_on"
    }
    unused = {"unused", "hidden_counter", "prototype_only", "extern_declared", "inline_unused", "outside_unused"}
    assert not {name for name in local if any(name.startswith(stem) for stem in unused)}
    assert local >= OWN | {"used_counter"}
    if level:
        of_program = {name for name in local if not name.endswith(LIBRARY)}
        assert of_program == OWN | {"used_counter"} | {"twice___vyf___vyf", "twice___vyi___vyi", "kept___vyf"}


def test_exported_functions_have_only_their_version_for_c_where_that_is_wanted(tmp_path: Path) -> None:
    found = symbols(tmp_path, internal_export_functions=False)
    assert FOR_OTHERS["T"] - found["T"] == {"kernel___un_3C_unf_3E_uni"}


def test_each_target_of_a_build_for_several_has_names_of_its_own(tmp_path: Path) -> None:
    found = symbols(tmp_path, symbol_suffix="_avx2")
    assert found["T"] == {f"{name}_avx2" for name in FOR_OTHERS["T"]}
    assert found["U"] == {f"{name}_avx2" if name.startswith("prototype") else name for name in FROM_OTHERS}
    assert found["W"] >= {f"{name}_avx2" for name in FOR_OTHERS["W"]}


def test_instances_for_types_that_have_no_name_elsewhere_are_of_the_file_alone(tmp_path: Path) -> None:
    source = """
template <typename T> noinline uniform int size(T a) { return sizeof(T); }
uniform int one() { struct S { int a; }; uniform S s; return size(s) + size(&s); }
uniform int two() { struct S { double a; }; uniform S s; return size(s) + size(1); }
"""
    assert symbols(tmp_path, source, level=0)["W"] == {"size___uni___uni"}
