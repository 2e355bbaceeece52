"""``voltac disasm`` and ``voltac sim``, and the outputs of a compilation for a device."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voltac.cli.command import main
from voltac.codegen.assembler import assemble
from voltac.codegen.elf import write_elf
from voltac.codegen.elf_read import BadElf, read_image
from voltac.codegen.link import link
from voltac.python.device_program import signatures_of
from voltac.target_info import DEVICES
from voltac.targets import device_code

Run = Callable[..., subprocess.CompletedProcess[str]]

# Thread t writes 10 + t to the first word of line t of room.
PROGRAM = """
        .global _start
_start: movei   s9, 2
        read_cr s0, s9
        leah    s1, room
        leal    s1, room
        shli    s2, s0, 6
        add_i32 s1, s1, s2
        addi    s0, s0, 10
        store32 s0, (s1)
        flush   s1
        movei   s3, 11
        movei   s4, 2
        write_cr s4, s3
end:    jmp     end
        .data
room:   .space  512
"""


@pytest.fixture
def program(folder: Path) -> str:
    """Beside it stand its source p.s and p.o, which is not linked."""
    (folder / "p.s").write_text(PROGRAM)
    device = device_code(DEVICES["naplespu"])
    (folder / "p.o").write_bytes(write_elf(assemble(PROGRAM, device), device))
    (folder / "p.elf").write_bytes(write_elf(link(assemble(PROGRAM, device), device), device, "_start"))
    return "p.elf"


def test_the_command_line_makes_the_same_files(voltac: Run, program: str, folder: Path) -> None:
    make = ["--target=naplespu", "--begin-at=assemble", "p.s"]
    assert voltac(*make, "-o", "q.elf").returncode == 0
    assert voltac(*make, "--emit-obj", "-o", "q.o").returncode == 0
    assert (folder / "q.elf").read_bytes() == (folder / "p.elf").read_bytes()
    assert (folder / "q.o").read_bytes() == (folder / "p.o").read_bytes()


def test_disassembly_shows_addresses_words_text_and_labels(voltac: Run, program: str) -> None:
    lines = voltac("disasm", program).stdout.splitlines()
    assert lines[0] == "p.elf: naplespu, begins at 0x400 (_start)"
    assert lines[2:5] == ["section .text, 0x400 to 0x434", "_start:", "     400:  62240008  movei          s9, 2"]
    assert f"{'     430:  78000000  jmp            end':44}  # 0x430" in lines
    assert "section .data, 0x800000 to 0x800200" in lines and "room:" in lines


def test_disassembly_as_json(voltac: Run, program: str) -> None:
    found = json.loads(voltac("disasm", program, "--json").stdout)
    assert (found["device"], found["entry"], found["symbols"]["room"]) == ("naplespu", 0x400, 0x800000)
    first = found["sections"][0]["instructions"][0]
    assert first == {"address": 0x400, "word": 0x62240008, "text": "movei s9, 2", "labels": ["_start"], "waits_for": []}


def test_disassembly_of_a_file_that_is_not_linked_names_what_it_waits_for(voltac: Run, program: str) -> None:
    lines = voltac("disasm", "p.o").stdout.splitlines()
    assert lines[0] == "p.o: naplespu, not linked"
    assert any("moveih         s1, 0" in line and line.endswith("# high of room") for line in lines)


def test_a_run_tells_what_it_took(voltac: Run, program: str) -> None:
    done = voltac("sim", program, "--threads", "2", "--latency", "5")
    assert done.returncode == 0 and done.stdout.startswith("24 instructions in ")
    assert "core 0 thread 1: 12 instructions" in done.stdout
    report = json.loads(voltac("sim", program, "--threads", "2", "--cores", "3", "--json").stdout)
    assert report["instructions"] == 72 and len(report["threads"]) == 6


def test_a_trace_has_each_instruction(voltac: Run, program: str) -> None:
    lines = voltac("sim", program, "--threads", "1", "--trace").stderr.splitlines()
    assert len(lines) == 12
    assert "store32 s0" in lines[7] and "00000400" in lines[0]


def test_memory_as_text(voltac: Run, program: str, folder: Path) -> None:
    make = ["--target=naplespu", "--begin-at=assemble", "p.s"]
    assert voltac(*make, "--emit-image=toolchain", "-o", "p.txt").returncode == 0
    assert (folder / "p.txt").read_text().startswith("0x00000400,0x08002462")
    assert voltac(*make, "--emit-image=hardware", "-o", "p.hex").returncode == 0
    lines = (folder / "p.hex").read_text().splitlines()
    assert len(lines) == 17 and lines[16].endswith("62240008") and set(lines[0]) == {"0"}


def test_a_trap_tells_where_it_happened(voltac: Run, folder: Path) -> None:
    (folder / "bad.s").write_text(".global _start\n_start: movei s1, 2\n load32 s2, (s1)\n")
    assert voltac("--target=naplespu", "--begin-at=assemble", "bad.s", "-o", "bad.elf").returncode == 0
    done = voltac("sim", "bad.elf")
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    assert "pc 0x00000404" in said and "load32 s2, 0(s1)" in said and "4 bytes behind label '_start'" in said


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["disasm"], 2, "disasm takes one file"),
        (["disasm", "missing.elf"], 1, "file not found: missing.elf"),
        (["disasm", "good.ispc"], 1, "good.ispc is no program for a device: it does not begin like an ELF file"),
        (["sim"], 2, "no program given"),
        (["sim", "good.ispc"], 1, "it looks like a source: 'voltac run' runs those"),
        (["sim", "good.ispc", "--target=naplespu"], 1, "it looks like a source: 'voltac run' runs those"),
        (["sim", "p.elf", "--threads", "9"], 2, "Error: option '--threads' must be 1 to 8, not 9"),
        (["sim", "p.elf", "--write-latency", "0"], 2, "option '--write-latency' must be 1 to 100000, not 0"),
        (["sim", "p.elf", "--limit", "0"], 2, "option '--limit' must be at least 1, not 0"),
        (["sim", "p.elf", "--limit", "1" * 5000], 2, "option '--limit' needs a number of at most 18 digits, not one of 5000"),
        (["sim", "p.elf", "--cores", "many"], 2, "option '--cores' needs a number, not 'many'"),
        (["sim", "p.elf", "--fpu=fast"], 2, "option '--fpu' must be 'ideal' or 'rtl', not 'fast'"),
        (["sim", "p.elf", "3"], 2, "the program has no kernel that would take an argument ('3')"),
        (["sim", "p.o"], 1, "p.o is not linked"),
        (["--target=naplespu", "good.ispc", "--end-after=late", "-o", "x"], 2, "target 'naplespu' has no stage 'late'"),
        (["--target=sse4", "good.ispc", "--end-after=select", "-o", "x"], 2, "target 'sse4.2-i32x4' has no stage 'select'"),
        (["--target=sse4", "good.ispc", "--emit-image=toolchain", "-o", "x.txt"], 2, "is for devices"),
        (["--target=naplespu", "--begin-at=assemble", "p.s", "--emit-llvm-text", "-o", "x.ll"], 1, "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_told(voltac: Run, program: str, words: list[str], code: int, message: str) -> None:
    done = voltac(*words)
    assert done.returncode == code
    assert message in " ".join(done.stderr.split())


def test_assembly_errors_have_their_place(voltac: Run, folder: Path) -> None:
    (folder / "e.s").write_text("_start: nop\n addi s1, s2, 999\n")
    done = voltac("--target=naplespu", "--begin-at=assemble", "e.s", "-o", "e.elf")
    assert done.returncode == 2 and "e.s:2:15: Error: addi: 999 is out of range" in done.stderr
    assert not (folder / "e.elf").exists()


def test_a_damaged_program_is_refused(voltac: Run, program: str, folder: Path) -> None:
    content = bytearray((folder / "p.elf").read_bytes())
    content[0x150] ^= 1
    (folder / "p.elf").write_bytes(content)
    for command in ("disasm", "sim"):
        done = voltac(command, "p.elf")
        assert done.returncode == 1
        assert "p.elf is no program for a device: its checksum does not fit" in " ".join(done.stderr.split())


# --- compiled kernels -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A program of two kernels, compiled from the language."""
    source = """
        export void scale(uniform float s, uniform float x[], uniform int n) { foreach (i = 0 ... n) x[i] *= s; }
        export uniform int sum(const uniform int x[], uniform int n) {
            int s = 0;
            foreach (i = 0 ... n) s += x[i];
            return reduce_add(s);
        }
    """
    folder = tmp_path_factory.mktemp("compiled")
    (folder / "k.ispc").write_text(source)
    assert main(["--target=naplespu", str(folder / "k.ispc"), "-o", str(folder / "k.elf")]) == 0
    return (folder / "k.elf").read_bytes()


def test_kernels_run_on_arguments_given_as_text(voltac: Run, compiled: bytes, folder: Path) -> None:
    (folder / "k.elf").write_bytes(compiled)
    done = voltac("sim", "k.elf", "--function", "scale", "--cores", "2", "2.0", "range:5", "4")
    assert done.returncode == 0 and done.stdout.startswith("x = [0. 2. 4. 6. 4.]\n")
    assert "core 1 thread 7:" in done.stdout
    done = voltac("sim", "k.elf", "--function", "sum", "range:64", "64")
    assert done.stdout.startswith("x = unchanged\nresult = 2016\n")
    assert voltac("sim", "k.elf", "--function", "sum").stdout.startswith("x = unchanged\nresult = ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "k.elf has several kernels; choose one with --function: scale, sum"),
        (["--function", "sacle"], "k.elf has no kernel 'sacle'; did you mean 'scale'?"),
        (["--function", "sum", "range:4", "4", "5"], "'sum' takes 2 arguments, 3 given"),
        (["--function", "sum", "four"], "argument 'four' for parameter 'x' is no array"),
        (["--function", "scale", "two"], "argument 'two' is no value for parameter 's' of type uniform float"),
    ],
)
def test_calls_that_do_not_fit_are_refused(voltac: Run, compiled: bytes, folder: Path, words: list[str], message: str) -> None:
    (folder / "k.elf").write_bytes(compiled)
    done = voltac("sim", "k.elf", *words)
    assert done.returncode == 2 and message in " ".join(done.stderr.split())


def test_every_form_of_a_program_is_written(folder: Path) -> None:
    def make(option: str, name: str) -> bytes:
        file = folder / name
        assert main(["--target=naplespu", str(folder / "good.ispc"), option, "-o", str(file)]) == 0
        return file.read_bytes()

    assert b"fmul_f32" in make("--emit-asm", "k.s")
    assert b"@llvm." not in make("--emit-ir", "k.ll") and b"define" in make("--emit-ir", "k.ll")
    assert make("--emit-llvm", "k.bc").startswith(b"BC\xc0\xde")
    assert make("--emit-obj", "k.o")[16] == 1 and make("-O2", "k.elf")[16] == 2


def test_assembly_of_a_compilation_assembles_to_the_same_program(folder: Path) -> None:
    name = [str(folder / file) for file in ("good.ispc", "k.s", "k.elf", "again.elf")]
    assert main(["--target=naplespu", name[0], "--emit-asm", "-o", name[1]]) == 0
    assert main(["--target=naplespu", name[0], "-o", name[2]]) == 0
    assert main(["--target=naplespu", "--begin-at=assemble", name[1], "-o", name[3]]) == 0
    whole, again = (
        read_image((folder / file).read_bytes(), device_code(DEVICES["naplespu"])) for file in ("k.elf", "again.elf")
    )
    assert (whole.entry, whole.segments) == (again.entry, again.segments)


def test_comparison_shows_both_paths_with_cycles(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--target=naplespu", "--elements", "64", str(folder / "good.ispc")]) == 0
    text = capsys.readouterr().out
    assert "[naplespu]" in text and "cycles an element, masked" in text and "load_v16i32" in text


def test_explanation_is_for_devices_too(folder: Path) -> None:
    assert main(["explain", "--target=naplespu", str(folder / "good.ispc"), "--html", str(folder / "page.html")]) == 0
    assert "a vector load" in (folder / "page.html").read_text()


KERNEL = "export void f(uniform float values[], uniform int n) { foreach (i = 0 ... n) values[i] *= 2; }"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["range:1000000000000"], 2, "'values' takes 4000000000000 bytes; the device has 268435456 bytes"),
        (["zeros:" + "9" * 5000], 2, "; the device has 268435456 bytes of memory: give fewer elements"),
        (["zeros:67000000"], 1, "f(): array 'values' of 268000000 bytes does not fit the device's memory"),
        (["missing.npy"], 2, "cannot read the array file missing.npy for parameter 'values': No such file or directory"),
        (["empty.npy"], 2, "cannot read the array file empty.npy for parameter 'values': No data left in file"),
        (["several.npy"], 2, "several.npy holds several arrays; parameter 'values' needs a file of one"),
        (["damaged.npy"], 2, "cannot read the array file damaged.npy for parameter 'values'"),
        (["--function"], 2, "option '--function' needs a value"),
        (["zeros:20", "4000"], 2, "with at least 4000 elements, not an array of float32 with shape"),
        (["--limit", "100", "zeros:16", "16"], 1, "the run takes more than 100 cycles (core 0, thread"),
    ],
)
def test_arguments_that_cannot_be_are_named(voltac: Run, folder: Path, words: list[str], code: int, message: str) -> None:
    (folder / "k.ispc").write_text(KERNEL)
    assert voltac("k.ispc", "--target=naplespu", "-o", "k.elf").returncode == 0
    (folder / "empty.npy").write_bytes(b"")
    np.savez(folder / "several.npz", a=np.zeros(3), b=np.zeros(3))
    (folder / "several.npz").rename(folder / "several.npy")
    np.save(folder / "damaged.npy", np.zeros(4, np.float32))
    damaged = (folder / "damaged.npy").read_bytes().replace(b"(4,)", b"(4*(")
    (folder / "damaged.npy").write_bytes(damaged)
    done = voltac("sim", "k.elf", *words)
    assert done.returncode == code
    assert message in " ".join(done.stderr.split())


def test_every_kind_of_signature_is_read_back(voltac: Run, folder: Path) -> None:
    (folder / "k.ispc").write_text(
        """
        struct Inner { int8 few[3]; bool on; };
        struct Whole { float<3> v; Inner inner[2]; varying int lanes; uniform float * uniform p; int16 none[0]; };
        struct Empty {};
        enum Colour { RED, GREEN };
        struct Pair { int a; float b; };
        export void many(uniform Whole w[], uniform float<4> v[], uniform int m[][4], void * uniform any, uniform bool b,
                         uniform Colour c, uniform float16 h, uniform int64 l, uniform uint8 u, uniform Empty e[],
                         uniform Pair &r, varying int g[], uniform Whole * uniform * uniform deep, uniform bool flags[]) {}
        export uniform Pair pair() { uniform Pair p = { 1, 2 }; return p; }
        export uniform bool yes() { return true; }
        export uniform Colour colour() { return GREEN; }
        export uniform int64 wide() { return 1; }
        export uniform float half() { return 0.5f; }
        export uniform int * uniform place(uniform int a[]) { return a; }
        """
    )
    assert voltac("k.ispc", "--target=naplespu", "-o", "k.elf").returncode == 0
    done = voltac("sim", "k.elf", "--function", "pair")
    assert done.returncode == 0, done.stderr
    assert "result = (1, 2." in done.stdout


def test_a_signature_out_of_a_file_is_not_trusted() -> None:
    right: dict[str, Any] = {
        "name": "f", "documentation": "", "result": {"text": "void", "kind": "void", "bits": 0, "format": None, "bytes": 0},
        "parameters": [{
            "name": "a", "text": "", "kind": "pointer", "bits": 64, "nullable": True,
            "memory": {
                "format": "f4", "count": 1, "alignment": 4, "writable": True, "at_least_one": False, "shape": [], "unused": 0,
            },
        }],
        "needed": [], "apart": [],
    }  # fmt: skip
    assert list(signatures_of({"kernels": json.dumps([right]).encode()})) == ["f"]
    (parameter,) = right["parameters"]
    memory = parameter["memory"]
    changes: tuple[dict[str, Any], ...] = (
        {"memory": memory | {"format": "f1"}}, {"memory": memory | {"format": "ft"}}, {"memory": memory | {"count": 0}},
        {"memory": memory | {"format": {"names": ["a"], "formats": [["f4", []]], "offsets": [-4], "itemsize": 4}}},
        {"memory": memory | {"alignment": "4"}}, {"memory": None}, {"kind": "uint"}, {"kind": []}, {"name": 5},
        {"memory": memory | {"shape": [0]}}, {"memory": memory | {"extra": 1}},
        {"default": "0"}, {"default": 1.5}, {"default": [1]},
    )  # fmt: skip
    for change in changes:
        wrong = right | {"parameters": [parameter | change]}
        with pytest.raises(BadElf, match="makes no sense"):
            signatures_of({"kernels": json.dumps([wrong]).encode()})
    needed = {"parameter": 0, "index": [[1, []]], "below_end": True, "extents": [], "place": ""}
    assert list(signatures_of({"kernels": json.dumps([right | {"needed": [needed]}]).encode()})) == ["f"]
    for change in (
        {"parameter": 1}, {"parameter": "0"}, {"index": [[1, [0]]]}, {"index": [["1", []]]}, {"index": [[1, [7]]]},
        {"index": 1}, {"extents": [[[1.5, []]]]}, {"below_end": 1}, {"place": 5}, {"extra": 1},
    ):  # fmt: skip
        with pytest.raises(BadElf, match="makes no sense"):
            signatures_of({"kernels": json.dumps([right | {"needed": [needed | change]}]).encode()})
    apart = {"written": 0, "other": 0, "may_be_same": True}
    assert list(signatures_of({"kernels": json.dumps([right | {"apart": [apart]}]).encode()})) == ["f"]
    for change in ({"written": 1}, {"other": "0"}, {"may_be_same": 1}, {"extra": 1}):
        with pytest.raises(BadElf, match="makes no sense"):
            signatures_of({"kernels": json.dumps([right | {"apart": [apart | change]}]).encode()})
    for content in (b"", b"{}", b"[1]", b"\xff", b"[" * 100_000, b"null"):
        with pytest.raises(BadElf, match="makes no sense"):
            signatures_of({"kernels": content})


@pytest.mark.parametrize("target", ["naplespu", "ia64-x1", "ia64-f32x2"])
def test_the_text_of_a_compiled_program_is_not_run(target: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, text = tmp_path / "k.ispc", tmp_path / "k.s"
    source.write_text("export void k(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] *= 2; }\n")
    assert main([str(source), f"--target={target}", "-o", str(text)]) == 0
    for function in ([], ["--function=k"]):
        assert main(["sim", str(text), f"--target={target}", *function, "range:8", "8"]) == 2
        assert "does not say what its kernels take; compile to a program, '-o NAME.elf'" in " ".join(
            capfd.readouterr().err.split()
        )
