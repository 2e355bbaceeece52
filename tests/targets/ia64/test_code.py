"""Compiled code: quotients and roots to the last bit, what GNU as says of it, files and their readers, what the faces show."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ia64_rows import GNU_AS, refused_by_gnu_as
from run_programs import RunTest, compile_for, run_tests

import voltac
from voltac.cli.command import main
from voltac.codegen.elf_read import BadElf, read_elf, read_image
from voltac.driver import compile_source
from voltac.messages.diagnostics import CompileError
from voltac.options import Options
from voltac.target_info import DEVICES, TargetInfo
from voltac.targets.ia64.isa import DEVICE_CODES

TARGET = DEVICES["ia64-x1"]
DEVICE_CODE = DEVICE_CODES[TARGET.name]
FOLDER = Path(__file__).parents[2] / "run"


load_finished = voltac.load
"""Of a file that says what it is for."""


def kernel(text: str, tmp_path: Path, **options: Any) -> Any:
    path = tmp_path / "k.ispc"
    path.write_text(text)
    return voltac.load(path, target="ia64-x1", **options)


FLOATS = """
export void quotients(uniform {t} a[], uniform {t} b[], uniform {t} q[], uniform {t} r[], uniform int n) {{
    foreach (i = 0 ... n) {{
        q[i] = a[i] / b[i];
        r[i] = sqrt(a[i]);
    }}
}}
"""


def random_floats(rng: np.random.Generator, dtype: Any, count: int) -> Any:
    """All bit patterns, numbers of usual size, and integers."""
    bits = rng.integers(0, 256, count * np.dtype(dtype).itemsize, dtype=np.uint8).view(dtype)
    usual = rng.normal(size=count).astype(dtype)
    whole = rng.integers(-1000, 1000, count).astype(dtype)
    return np.where(rng.random(count) < 0.5, bits, np.where(rng.random(count) < 0.5, usual, whole))


def floats_differ(dtype: Any, count: int, seed: int, tmp_path: Path) -> int:
    rng = np.random.default_rng(seed)
    a, b = random_floats(rng, dtype, count), random_floats(rng, dtype, count)
    q, r = np.zeros((2, count), dtype)
    compiled = kernel(FLOATS.format(t="float" if dtype is np.float32 else "double"), tmp_path)
    compiled.quotients(a, b, q, r, count)
    with np.errstate(all="ignore"):
        wanted_q, wanted_r = a / b, np.sqrt(a)
    unsigned = np.uint32 if dtype is np.float32 else np.uint64
    wrong = 0
    for found, wanted in ((q, wanted_q), (r, wanted_r)):
        same = (found.view(unsigned) == wanted.view(unsigned)) | (np.isnan(found) & np.isnan(wanted))
        wrong += int((~same).sum())
    return wrong


@pytest.mark.parametrize("target", ["ia64-x1", "ia64-f32x2"])
@pytest.mark.parametrize("type", ["float", "double"])
def test_sums_with_zero_have_the_sign_of_a_sum(type: str, target: str, tmp_path: Path) -> None:
    """The machine takes a summand that is ``f0`` for none: -0 * 1 + f0 is -0, but -0 + 0 is 0."""
    dtype = np.dtype(np.float32 if type == "float" else np.float64).type
    arrays = f"uniform {type} x[], uniform {type} y[], uniform {type} out[], uniform int n"
    cases: dict[str, tuple[str, Any]] = {
        "sum": ("x[i] + 0", lambda x, y: x + dtype(0)),
        "other": ("0 + x[i]", lambda x, y: dtype(0) + x),
        "difference": ("x[i] - 0", lambda x, y: x - dtype(0)),
        "opposite": ("0 - x[i]", lambda x, y: dtype(0) - x),
        "fused": ("x[i] * y[i] + 0", lambda x, y: x * y + dtype(0)),
        "less": ("0 - x[i] * y[i]", lambda x, y: dtype(0) - x * y),
        "product": ("x[i] * y[i]", lambda x, y: x * y),
    }
    text = "".join(
        f"export void {name}({arrays}) {{ foreach (i = 0 ... n) out[i] = {form}; }}\n" for name, (form, _) in cases.items()
    )
    (tmp_path / "zeros.ispc").write_text(text)
    module = voltac.load(tmp_path / "zeros.ispc", target=target)
    numbers = np.array([0.0, -0.0, 1.5, -2.0], dtype)
    x, y = (np.ascontiguousarray(each.ravel()) for each in np.meshgrid(numbers, numbers))
    for name, (_, wanted) in cases.items():
        out = np.ones(len(x), dtype)
        getattr(module, name)(x, y, out, len(x))
        assert out.tobytes() == wanted(x, y).astype(dtype).tobytes(), name


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_quotients_and_roots_are_right_to_the_last_bit(dtype: Any, tmp_path: Path) -> None:
    assert floats_differ(dtype, 1500, 1, tmp_path) == 0


@pytest.mark.long
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(4))
def test_many_quotients_and_roots_are_right_to_the_last_bit(dtype: Any, seed: int, tmp_path: Path) -> None:
    assert floats_differ(dtype, 25_000, seed + 10, tmp_path) == 0


INTEGERS = """
export void quotients(uniform {t} a[], uniform {t} b[], uniform {t} q[], uniform {t} r[], uniform int n) {{
    foreach (i = 0 ... n) {{
        q[i] = a[i] / b[i];
        r[i] = a[i] % b[i];
    }}
}}
"""


def integers_differ(name: str, dtype: Any, count: int, seed: int, tmp_path: Path) -> int:
    rng = np.random.default_rng(seed)
    information = np.iinfo(dtype)
    numbers = [rng.integers(information.min, information.max, count, dtype=dtype, endpoint=True) for _ in range(2)]
    a, b = (one >> rng.integers(0, information.bits, count).astype(dtype) for one in numbers)
    b[b == 0] = 7
    near = rng.random(count) < 0.3
    with np.errstate(over="ignore"):
        # Multiples of the divisor, and their neighbours.
        a = np.where(near, b * (a // b) + rng.integers(-1, 2, count).astype(dtype), a)
    if information.min < 0:
        b[(b == -1) & (a == information.min)] = 3
    q, r = np.zeros((2, count), dtype)
    kernel(INTEGERS.format(t=name), tmp_path).quotients(a, b, q, r, count)
    # Numbers of Python: those of numpy that are large and small become floats.
    wanted = [int(abs(int(x)) // abs(int(y))) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(a, b)]
    rest = [int(x) - z * int(y) for x, y, z in zip(a, b, wanted)]
    return sum(int(x) != int(y) for x, y in zip(q, wanted)) + sum(int(x) != int(y) for x, y in zip(r, rest))


NUMBERS = [("int8", np.int8), ("uint8", np.uint8), ("int16", np.int16), ("int32", np.int32), ("uint32", np.uint32),
           ("int64", np.int64), ("uint64", np.uint64)]  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), NUMBERS)
def test_integers_are_divided_exactly(name: str, dtype: Any, tmp_path: Path) -> None:
    assert integers_differ(name, dtype, 400, 1, tmp_path) == 0


@pytest.mark.long
@pytest.mark.parametrize(("name", "dtype"), NUMBERS)
def test_many_integers_are_divided_exactly(name: str, dtype: Any, tmp_path: Path) -> None:
    assert integers_differ(name, dtype, 15_000, 2, tmp_path) == 0


TARGETS = tuple(DEVICES[name] for name in DEVICE_CODES)
PROGRAMS = [
    (target, program)
    for target in TARGETS
    for program in run_tests(FOLDER)
    if (target.width if target.width > 2 else 1) in program.widths
]
"""What is for any gang is for one of two, too."""


def check_by_gnu_as(programs: list[tuple[TargetInfo, RunTest]], folder: Path) -> None:
    if shutil.which(GNU_AS) is None:
        pytest.skip(f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
    for target, program in programs:
        try:
            job = compile_for(program.path, program.text, target)
        except CompileError:
            continue
        assert refused_by_gnu_as(job.results["select"], folder) == "", (target.name, program.path)


def test_gnu_as_takes_programs_and_makes_the_same_bytes(tmp_path: Path) -> None:
    names = [(pair, f"{pair[0].name} {pair[1].path.relative_to(FOLDER)}") for pair in PROGRAMS]
    check_by_gnu_as([pair for pair, name in names if zlib.crc32(name.encode()) % 64 == 0], tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("part", range(8))
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_gnu_as_takes_every_program(target: TargetInfo, part: int, tmp_path: Path) -> None:
    check_by_gnu_as([pair for pair in PROGRAMS if pair[0] is target][part::8], tmp_path)


SAXPY = """
export void saxpy(uniform float s, uniform float x[], uniform float y[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = s * x[i] + y[i];
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ia64")
    (folder / "saxpy.ispc").write_text(SAXPY)
    assert main([str(folder / "saxpy.ispc"), "--target=ia64-x1", "-o", str(folder / "saxpy.elf")]) == 0
    return folder / "saxpy.elf"


def test_the_name_of_the_output_says_what_is_written(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    types = {}
    for suffix in (".s", ".o", ".elf"):
        made = program.with_name(f"named{suffix}")
        assert main([str(program.with_suffix(".ispc")), "--target=ia64-x1", "-o", str(made)]) == 0
        assert capsys.readouterr().err == ""
        content = made.read_bytes()
        # Of ELF: 1 is relocatable, 2 executable.
        types[suffix] = int.from_bytes(content[16:18], "little") if content.startswith(b"\x7fELF") else content[:10]
    assert types == {".s": b"\t.explicit", ".o": 1, ".elf": 2}
    assert main(["sim", str(program.with_name("named.o"))]) == 1
    assert "is not linked; compile to a program that runs" in " ".join(capsys.readouterr().err.split())


def test_a_finished_program_is_loaded_and_called(program: Path) -> None:
    k: Any = load_finished(program)
    x, y = np.random.default_rng(1).normal(size=(2, 33)).astype(np.float32)
    out = np.zeros(33, np.float32)
    k.saxpy(2.5, x, y, out, 33)
    # Fused: rounded once.
    assert np.array_equal(out, (x.astype(np.float64) * 2.5 + y).astype(np.float32))
    assert k.saxpy.last_run.groups > 0
    counts = k.saxpy.last_run.counts
    assert 2 * counts["ldfps"] + counts.get("ldfs", 0) >= 66


def test_the_file_is_one_of_64_bits_for_the_machine(program: Path) -> None:
    content = program.read_bytes()
    assert content[:5] == b"\x7fELF\x02"
    assert int.from_bytes(content[18:20], "little") == 50
    assert int.from_bytes(content[48:52], "little") == 0x10
    image = read_image(content, DEVICE_CODE)
    assert image.symbols["_start.saxpy"] % 16 == 0


def test_a_damaged_file_is_refused_with_the_reason(program: Path) -> None:
    content = bytearray(program.read_bytes())
    rng = np.random.default_rng(2)
    for place in rng.integers(0, len(content), 150):
        changed = bytearray(content)
        changed[place] ^= 1 << int(rng.integers(8))
        with pytest.raises(BadElf):
            read_image(bytes(changed), DEVICE_CODE)
    for at in range(content.index(b".note.voltac"), content.index(b".note.voltac") + len(b".note.voltac")):
        # Where the note with the checksum is no longer found, it is missed.
        changed = bytearray(content)
        changed[at] ^= 1
        with pytest.raises(BadElf):
            read_image(bytes(changed), DEVICE_CODE)
    for size in (0, 10, 63, 64, len(content) // 2):
        with pytest.raises(BadElf):
            read_elf(bytes(content[:size]), DEVICE_CODE)


def test_what_disasm_prints_is_assembled_to_the_same_program(program: Path) -> None:
    from voltac.codegen.disassembler import Disassembler
    from voltac.messages.diagnostics import Diagnostics
    from voltac.targets.ia64.assembly.program import assemble_program

    code = read_elf(program.read_bytes(), DEVICE_CODE).code
    for section in code.sections.values():
        own = {name: code.address(name) for name, symbol in code.symbols.items() if symbol.section == section.name}
        lines = []
        for line in Disassembler(DEVICE_CODE).lines(bytes(section.content), section.address, own):
            lines += [f"{label}:" for label in line.labels] + [line.text]
        made = assemble_program("\n".join(lines), "again.s", Diagnostics())
        calls = [one.offset // 16 for one in made.relocations]
        for at in range(0, section.size, 16):
            if at // 16 not in calls:
                assert made.sections[".text"].content[at : at + 16] == section.content[at : at + 16]


def test_the_command_line_simulates_disassembles_explains_and_compares(program: Path) -> None:
    source = str(program.with_suffix(".ispc"))
    for words, wanted in (
        (["sim", str(program), "2.0", "range:4", "range:4", "zeros:4", "4"], r"out = \[\s*0\.\s+3\.\s+6\.\s+9\.\s*\]"),
        (["disasm", str(program)], r"fma\.s\.s0 f"),
        (["explain", source, "--target=ia64-x1"], "1 lanes a gang"),
        (["compare", source, "--target=ia64-x1"], r"ldfps f(.|\n)*load\s+4"),
    ):
        done = subprocess.run([sys.executable, "-m", "voltac", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert re.search(wanted, done.stdout), done.stdout
        # A gang of one lane leaves nothing over.
        assert "a tail of" not in done.stdout


def test_what_is_passed_and_returned_keeps_its_size(tmp_path: Path) -> None:
    text = """
    struct Both { uniform int64 a; uniform double b; };
    export uniform int64 sum(uniform int8 a, uniform uint16 b, uniform int64 c, uniform bool d) {
        return a + b + c + (d ? 1 : 0);
    }
    export uniform double product(uniform double a, uniform float b, uniform int c) { return a * b * c; }
    export uniform uint8 low(uniform int a) { return a; }
    export uniform Both both(uniform int64 a) { uniform Both b = { a + 1, a }; return b; }
    """
    k = kernel(text, tmp_path)
    assert k.sum(-3, 65535, -(1 << 62), True) == -3 + 65535 - (1 << 62) + 1
    assert k.product(1.5, 0.25, -3) == 1.5 * 0.25 * -3
    assert k.low(0x1FF) == 0xFF
    assert k.both(1 << 40).item() == ((1 << 40) + 1, float(1 << 40))


def test_calls_keep_what_the_caller_has(tmp_path: Path) -> None:
    """More values than registers that a callee keeps, integers and floats, across recursive calls."""
    names = [f"v{number}" for number in range(40)]
    text = """
    noinline uniform int64 depth(uniform int n) { return n <= 0 ? 1 : depth(n - 1) + n; }
    export uniform double many(uniform double x[], uniform int64 y[], uniform int n) {
    """
    for at, one in enumerate(names):
        text += f"uniform double d{one} = x[{at}] * x[{at}]; uniform int64 i{one} = y[{at}] * 3;\n"
    text += "uniform int64 made = depth(n);\nuniform double total = made;\n"
    text += "".join(f"total = total * 0.5 + d{one} - i{one};\n" for one in names) + "return total; }\n"
    k = kernel(text, tmp_path)
    x = np.arange(40) * 0.25
    y = np.arange(40, dtype=np.int64) * 1000
    total = 1.0 + sum(range(1, 21))
    for at in range(40):
        total = total * 0.5 + x[at] * x[at] - float(y[at] * 3)
    assert k.many(x, y, 20) == total


def test_a_failed_assertion_is_an_exception(tmp_path: Path) -> None:
    k = kernel("export void f(uniform int n) { assert(n < 10); }", tmp_path)
    k.f(9)
    with pytest.raises(AssertionError, match="n < 10"):
        k.f(10)


REFUSED = {
    "export void f(uniform int * uniform p) { uniform int * uniform q = uniform new uniform int[4]; *p = *q; }": "has no heap",
    'export void f(uniform int n) { print("%\\n", n); }': "has no output",
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_what_the_machine_has_not_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(CompileError) as raised:
        kernel(text, tmp_path)
    assert REFUSED[text] in " ".join(str(raised.value).split())


CONDITIONS = """
export uniform int any(uniform int a, uniform int b, uniform int c, uniform int64 d) {
    return (a == 1 || b != 2 || c == 3 || d < 0) ? 10 : 20;
}
export uniform int all(uniform int a, uniform int b, uniform int c, uniform int64 d) {
    return (a == 1 && b != 2 && c == 3 && d < 0) ? 10 : 20;
}
"""


def test_several_conditions_are_compared_in_one_group(tmp_path: Path) -> None:
    """IA-64 5: of four the first makes the predicates, the others change them together."""
    k = kernel(CONDITIONS, tmp_path)
    for number in range(16):
        values = [number & 1, 2 - (number >> 1 & 1), 2 + (number >> 2 & 1), -(number >> 3) << 40]
        holds = [values[0] == 1, values[1] != 2, values[2] == 3, values[3] < 0]
        assert k.any(*values) == (10 if any(holds) else 20)
        assert k.all(*values) == (10 if all(holds) else 20)
    text = compile_source(CONDITIONS, "c.ispc", Options(TARGET, level=2)).results["select"]
    groups = re.split(r";;", text)
    assert max(group.count(".or.andcm") for group in groups) == 3


LENGTHENED = """
export void stored(uniform float a[], uniform double o[], uniform int n) { foreach (i = 0 ... n) o[i] = a[i]; }
export void halved(uniform float a[], uniform double o[], uniform int n) { foreach (i = 0 ... n) o[i] = a[i] * 0.5f; }
export void chosen(uniform float a[], uniform double o[], uniform int n) {
    foreach (i = 0 ... n) o[i] = a[i] > 1 ? 3.0d : (double)a[i];
}
export void bits(uniform float a[], uniform int64 o[], uniform int n) {
    foreach (i = 0 ... n) o[i] = intbits((double)a[i]);
}
export uniform double returned(uniform float a) { return a; }
export void added(uniform float a[], uniform double o[], uniform int n) { foreach (i = 0 ... n) o[i] = (double)a[i] + 1; }
"""


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_subnormal_floats_are_the_same_numbers_as_doubles(target: TargetInfo, tmp_path: Path) -> None:
    path = tmp_path / "k.ispc"
    path.write_text(LENGTHENED)
    k = voltac.load(path, target=target.name)
    a = np.array([1e-45, -4e-41, 1.1e-38, 0, -0.0, 2.5, np.inf, 3e38, 1e-40], np.float32)
    wide = a.astype(float)
    for kernel, wanted in (
        (k.stored, wide), (k.halved, (a * np.float32(0.5)).astype(float)), (k.chosen, np.where(a > 1, 3, wide)),
        (k.added, wide + 1),
    ):  # fmt: skip
        out = np.zeros(len(a))
        kernel(a, out, len(a))
        assert np.array_equal(out.view(np.int64), wanted.view(np.int64))
    out = np.zeros(len(a), np.int64)
    k.bits(a, out, len(a))
    assert np.array_equal(out, wide.view(np.int64))
    assert [k.returned(one) for one in a] == wide.tolist()


def test_functions_and_variables_may_be_called_like_registers(tmp_path: Path) -> None:
    text = """
    uniform int p6 = 5;
    uniform int * uniform r9 = &p6;
    noinline uniform int b0(uniform int ar) { return ar + p6; }
    export uniform int f13(uniform int sp) { *r9 = 7; return b0(sp); }
    """
    assert kernel(text, tmp_path).f13(4) == 11
    if shutil.which(GNU_AS) is not None:
        job = compile_source(text, "f.ispc", Options(TARGET, level=2))
        assert refused_by_gnu_as(job.results["select"], tmp_path) == ""
