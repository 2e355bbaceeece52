"""A C and a C++ program, compiled against the generated header, link with the object and get what C itself computes."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

KERNELS = """\
enum Shape { ROUND, SQUARE = 5 };
struct Pair { int8 tag; double weight; };
struct Item { float x; Pair pair; Shape shape; uniform float<3> direction; int grid[2][3]; };
struct Small { float a; float b; };

export void saxpy(uniform float s, uniform float x[], uniform float y[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = s * x[i] + y[i];
}
export uniform double total(const uniform double values[], uniform int64 n) {
    varying double sum = 0;
    foreach (i = 0 ... (uniform int)n)
        sum += values[i];
    return reduce_add(sum);
}
export uniform bool flip(uniform bool b) { return !b; }
export uniform int8 narrow(uniform int8 a, uniform uint16 b) { return a + (uniform int8)b; }
export void bump(uniform int & counter) { counter += 5; }
export void fill(uniform Item items[], uniform int n) {
    for (uniform int k = 0; k < n; ++k) {
        items[k].x = k;
        items[k].pair.tag = -k;
        items[k].pair.weight = k * 0.5d;
        items[k].shape = SQUARE;
        items[k].direction.y = k + 1;
        items[k].grid[1][2] = 7 * k;
    }
}
export void lanes(varying float * uniform v, varying Pair * uniform p) {
    *v = 2 * *v + programIndex;
    p->tag = programIndex;
    p->weight = programIndex * 0.25d;
}
export void matrix(uniform float a[][4], uniform int rows) {
    for (uniform int k = 0; k < rows; ++k)
        a[k][k] = 1;
}
export uniform Small small(uniform float a) { uniform Small s = { a, 2 * a }; return s; }
export uniform int width() { return programCount; }
"""

CHECKS = """\
#include <assert.h>
#include <stdio.h>
#include "kernels.h"
USING

int main(void) {
    float x[37], y[37], out[38];
    double values[23], expected = 0;
    for (int k = 0; k < 37; k++) { x[k] = k; y[k] = 100 - k; }
    for (int k = 0; k < 23; k++) { values[k] = k * k; expected += k * k; }
    out[37] = -1;
    saxpy(2.0f, x, y, out, 37);
    for (int k = 0; k < 37; k++) assert(out[k] == 2.0f * k + 100 - k);
    assert(out[37] == -1);
    assert(total(values, 23) == expected);
    assert(flip(false) && !flip(true));
    assert(narrow(-100, 40) == -60);
    int32_t counter = 1;
    bump(REFERENCE counter);
    assert(counter == 6);
    struct Item items[3];
    fill(items, 3);
    for (int k = 0; k < 3; k++) {
        assert(items[k].x == k && items[k].pair.tag == -k && items[k].pair.weight == k * 0.5);
        assert(items[k].shape == SQUARE && items[k].direction.v[1] == k + 1 && items[k].grid[1][2] == 7 * k);
    }
    __ISPC_ALIGN__(64) float v[1][WIDTH];
    struct VARYING_PAIR p;
    for (int k = 0; k < WIDTH; k++) v[0][k] = 10;
    lanes(v, &p);
    for (int k = 0; k < WIDTH; k++) assert(v[0][k] == 20 + k && p.tag[k] == k && p.weight[k] == k * 0.25);
    float a[3][4] = {{0}};
    matrix(a, 3);
    for (int k = 0; k < 12; k++) assert(a[k / 4][k % 4] == (k / 4 == k % 4));
    struct Small s = small(1.5f);
    assert(s.a == 1.5f && s.b == 3.0f);
    assert(width() == WIDTH);
    puts("all as expected");
    return 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize(("target", "width"), [("sse4-i32x4", 4), ("avx2-i32x8", 8), ("avx512skx-x16", 16)])
@pytest.mark.parametrize(("compiler", "suffix"), [("gcc -std=c11", "c"), ("g++ -std=c++17", "cpp")])
def test_programs_link_and_run(
    voltac: Run, folder: Path, compiler: str, suffix: str, target: str, width: int, level: str
) -> None:
    from voltac.llvm import can_run
    from voltac.target_info import find_target

    (folder / "kernels.ispc").write_text(KERNELS)
    made = voltac("kernels.ispc", "-o", "kernels.o", "-h", "kernels.h", f"--target={target}", level, "--woff")
    assert made.returncode == 0, made.stderr
    using, reference = ("using namespace ispc;", "") if suffix == "cpp" else ("", "&")
    (folder / f"main.{suffix}").write_text(CHECKS.replace("USING", using).replace("REFERENCE", reference))
    macros = [f"-DWIDTH={width}", f"-DVARYING_PAIR=v{width}_varying_Pair"]
    command = [*compiler.split(), "-Wall", "-Werror", *macros, f"main.{suffix}", "kernels.o", "-o", "main", "-lm"]
    linked = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert linked.returncode == 0, linked.stderr
    if not can_run(find_target(target)):
        pytest.skip(f"compiled and linked; this CPU cannot run {target}")
    done = subprocess.run(["./main"], cwd=folder, capture_output=True, text=True)
    assert done.stdout == "all as expected\n", done.stderr


def best_of(*names: str) -> str:
    """The one that a program finds by CPUID, whatever ``VOLTAC_HOST_CPU`` says."""
    from kernels import processor_runs

    from voltac.target_info import find_target

    return [name for name in names if processor_runs(find_target(name))][-1]


@pytest.mark.parametrize(("compiler", "suffix"), [("gcc -std=c11", "c"), ("g++ -std=c++17", "cpp")])
def test_a_build_for_several_targets_runs_the_best_one(voltac: Run, folder: Path, compiler: str, suffix: str) -> None:
    (folder / "kernels.ispc").write_text("uniform int calls = 3;\n" + KERNELS)
    names = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]
    width = int(best_of(*names).rpartition("x")[2])
    made = voltac("kernels.ispc", "-o", "kernels.o", "-h", "kernels.h", f"--target={','.join(names)}", "--woff")
    assert made.returncode == 0, made.stderr
    objects = ["kernels.o", "kernels_sse4.o", "kernels_avx2.o", "kernels_avx512skx.o"]
    for name in [*objects, "kernels.h", "kernels_sse4.h", "kernels_avx2.h", "kernels_avx512skx.h"]:
        assert (folder / name).exists()
    using, reference = ("using namespace ispc;", "") if suffix == "cpp" else ("", "&")
    (folder / f"main.{suffix}").write_text(CHECKS.replace("USING", using).replace("REFERENCE", reference))
    macros = [f"-DWIDTH={width}", f"-DVARYING_PAIR=v{width}_varying_Pair"]
    command = [*compiler.split(), "-Wall", "-Werror", *macros, f"main.{suffix}", *objects, "-o", "main", "-lm"]
    linked = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert linked.returncode == 0, linked.stderr
    done = subprocess.run(["./main"], cwd=folder, capture_output=True, text=True)
    assert done.stdout == "all as expected\n", done.stderr


def test_the_versions_of_a_build_for_several_targets_have_the_isa_in_their_names(voltac: Run, folder: Path) -> None:
    (folder / "two.ispc").write_text("float helper(float x) { return x; }\nexport void f() { }\n")
    assert voltac("two.ispc", "-o", "two.o", "-h", "two.h", "--target=sse4,avx2", "--woff").returncode == 0
    symbols = subprocess.run(["nm", "two_avx2.o"], cwd=folder, check=True, capture_output=True, text=True).stdout
    assert " T f_avx2" in symbols
    assert " T helper___vyf_avx2" in symbols
    assert "extern void f_avx2(void);" in (folder / "two_avx2.h").read_text()
    assert "extern void f(void);" in (folder / "two.h").read_text()


def test_functions_with_c_linkage_are_chosen_too_in_a_build_for_several_targets(voltac: Run, folder: Path) -> None:
    source = """extern "C" uniform int from_c(uniform int a);
extern "C" uniform int defined(uniform int a) { return from_c(a) + programCount; }
export uniform int exported(uniform int a) { return defined(a); }
"""
    main = """#include <stdio.h>
int from_c(int a) { return 1000 * a; }
int defined(int a);
int exported(int a);
int main(void) { printf("%d %d\\n", defined(1), exported(2)); return 0; }
"""
    (folder / "two.ispc").write_text(source)
    (folder / "main.c").write_text(main)
    assert voltac("two.ispc", "-o", "two.o", "--target=sse4,avx2", "--woff").returncode == 0
    objects = ["two.o", "two_sse4.o", "two_avx2.o"]
    subprocess.run(["gcc", "main.c", *objects, "-o", "main"], cwd=folder, check=True)
    width = int(best_of("sse4-i32x4", "avx2-i32x8").rpartition("x")[2])
    done = subprocess.run(["./main"], cwd=folder, capture_output=True, text=True)
    assert done.stdout == f"{1000 + width} {2000 + width}\n"


def test_globals_that_depend_on_the_gang_size_are_warned_of(voltac: Run, folder: Path) -> None:
    (folder / "wide.ispc").write_text("float wide;\nuniform float narrow;\nexport void f() { wide = narrow; }\n")
    done = voltac("wide.ispc", "-o", "wide.o", "--target=sse4,avx2")
    message = "global 'wide' has another layout for 'avx2-i32x8' than for 'sse4.2-i32x4'"
    assert message in " ".join(done.stderr.split())
    assert "narrow" not in done.stderr.replace("uniform float narrow", "")
    assert done.returncode == 0


def test_assembly_and_text_outputs_are_accepted_by_the_system(voltac: Run, folder: Path) -> None:
    assert voltac("good.ispc", "-o", "good.s", "--emit-asm", "--target=avx2").returncode == 0
    assert voltac("good.ispc", "-o", "good.ll", "--emit-llvm-text", "--target=avx2").returncode == 0
    assert voltac("good.ispc", "-o", "good.bc", "--emit-llvm", "--target=avx2").returncode == 0
    subprocess.run(["gcc", "-c", "good.s", "-o", "good.o"], cwd=folder, check=True)
    symbols = subprocess.run(["nm", "good.o"], cwd=folder, check=True, capture_output=True, text=True).stdout
    assert " T saxpy" in symbols
    assert "define void @saxpy(" in (folder / "good.ll").read_text()
    assert (folder / "good.bc").read_bytes()[:2] == b"BC"


PLACES = """
uniform int number = 1;
static uniform int count = 0;
uniform float table[4] = { 1, 2, 3, 4 };
export uniform int get() { return number; }
export uniform int called() { return ++count; }
export uniform float entry(uniform int i) { return table[i]; }
"""
PLACES_MAIN = """
extern int get(void), called(void); extern float entry(int); extern float table[4];
#ifdef OWN
int number = 42;
#else
#define OWN 1
extern int number;
#endif
int main(void) { called(); table[2] = 7; return get() == number && number == OWN && called() == 2 && entry(2) == 7 ? 0 : 1; }
"""


@pytest.mark.parametrize("model", ["", "--mcmodel=small", "--mcmodel=large"])
@pytest.mark.parametrize("words", ["", "--pic", "--PIC"])
def test_code_runs_wherever_it_is_linked_into(voltac: Run, folder: Path, words: str, model: str) -> None:
    (folder / "places.ispc").write_text(PLACES)
    (folder / "main.c").write_text(PLACES_MAIN)
    given = ["places.ispc", "-o", "places.o", "--target=sse4", "-O2", *words.split(), *model.split()]
    assert voltac(*given).returncode == 0
    relocations = subprocess.run(["readelf", "-rW", "places.o"], cwd=folder, check=True, capture_output=True, text=True).stdout
    through_table = {line.split()[4] for line in relocations.splitlines() if "GOTPCREL" in line or "R_X86_64_GOT64" in line}
    assert ({"number", "table"} <= through_table) == bool(words)
    assert "count" not in through_table
    assert not re.search(r"R_X86_64_(32|32S|64) ", relocations)
    library = "gcc -shared places.o -o libplaces.so"
    own = "gcc -DOWN=42 main.c -L. -lplaces -Wl,-rpath,. -o program"
    for commands in (
        ["gcc -no-pie main.c places.o -o program"],
        ["gcc -pie -fPIE main.c places.o -o program"],
        # What an executable defines takes the place of what libraries define, if their code looks it up.
        *([[library, own], [library, own.replace("gcc", "gcc -no-pie")]] if words else []),
    ):
        for command in (*commands, "./program"):
            subprocess.run(command.split(), cwd=folder, check=True)


def test_an_object_links_into_a_shared_library_and_an_executable_of_either_kind(voltac: Run, folder: Path) -> None:
    assert voltac("good.ispc", "-o", "good.o", "--target=sse4").returncode == 0
    (folder / "main.c").write_text("void saxpy(); int main(void) { saxpy(0.0f, 0, 0, 0, 0); return 0; }")
    for command in ("gcc -shared good.o -o good.so", "gcc -pie -fPIE main.c good.o", "gcc -no-pie main.c good.o"):
        subprocess.run(command.split(), cwd=folder, check=True)
