"""``voltac sim`` and ``voltac disasm`` on vertices written by hand, and what they say of files that are none."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from voltac.cli.command import main

VERTICES = Path(__file__).resolve().parents[1] / "targets" / "ipu" / "vertices"


def run(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(arguments)
    out = capfd.readouterr()
    return code, out.out, out.err


def test_a_vertex_runs_with_arguments(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    x = np.arange(12, dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    file = str(VERTICES / "add_scalar.S")
    code, out, _ = run(["sim", file, "--target=ipu-mk2", str(tmp_path / "x.npy"), "12", "2.5"], capfd)
    assert code == 0
    shown = re.search(r"x\.npy = \[([^\]]*)\]", out)
    assert shown is not None
    assert [float(word) for word in shown[1].split()] == (x + 2.5).tolist()
    assert "worker 5:" in out
    code, out, _ = run(["sim", file, "--target=ipu-mk2", "--json", "zeros:12", "12", "2.5"], capfd)
    report = json.loads(out[out.index("{") :])
    assert [worker["worker"] for worker in report["workers"]] == list(range(6))


def test_a_vertex_of_the_supervisor_starts_workers(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "x.npy", np.arange(8, dtype=np.float32))
    np.save(tmp_path / "scale.npy", np.array([2.5], np.float32))
    arrays = [str(tmp_path / f"{name}.npy") for name in ("x", "scale")]
    code, out, _ = run(["sim", str(VERTICES / "supervisor.S"), "--target=ipu-mk2", arrays[0], "4", arrays[1]], capfd)
    shown = re.search(r"x\.npy = \[([^\]]*)\]", out)
    assert code == 0 and shown is not None
    assert [float(word) for word in shown[1].split()] == (np.arange(8) * 2.5).tolist()


def test_small_arrays_lie_in_banks_of_their_own(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.S"
    file.write_text(
        ".globl f\nf:\nld32 $m0, $mvertex_base, 0\nld32 $m1, $mvertex_base, 1\ntapack $m2:3, $m0, $m1, $m0\n"
        "ld2x64pace $a0:1, $a2:3, $m2:3+=, $mzero, 0\nexitz $mzero\n"
    )
    code, out, err = run(["sim", str(file), "--target=ipu-mk2", "zeros:8", "zeros:8"], capfd)
    assert (code, err) == (0, "") and "0 bank conflicts" in out


SAXPY = "export void saxpy(uniform float s, uniform float x[], uniform float out[], uniform int n) {\n" \
        "    foreach (i = 0 ... n)\n        out[i] += s * x[i];\n}\n"  # fmt: skip


def test_a_kernel_becomes_assembly_that_runs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, file = tmp_path / "saxpy.ispc", tmp_path / "kernel.S"
    source.write_text(SAXPY)
    code, _, err = run([str(source), "--target=ipu-mk2", "-o", str(file)], capfd)
    assert (code, err) == (0, "") and "DEF_STACK_USAGE" in file.read_text()
    # The first word of the state is the number of workers.
    words = ["6", "2.0", "range:9", "zeros:9", "9"]
    code, out, _ = run(["sim", str(file), "--target=ipu-mk2", "--function", "__runCodelet_saxpy", *words], capfd)
    shown = re.search(r"zeros:9 = \[([^\]]*)\]", out)
    assert code == 0 and shown is not None
    assert [float(word) for word in shown[1].split()] == (np.arange(9) * 2.0).tolist()


def test_both_paths_of_a_kernel_are_compared_in_bundles(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "saxpy.ispc"
    source.write_text(SAXPY)
    code, out, _ = run(["compare", str(source), "--target=ipu-mk2"], capfd)
    assert code == 0 and "on 6 threads of the simulator" in out
    assert re.search(r"\{ ld64 .* ; f32", out) and re.search(r"load +\d+ +\d+", out)
    # The repeats that do the loop where banks allow it, the fastest first.
    told = re.findall(r"repeat ipu\S+: (\d) bundles? an iteration, 1 in a body of (\d)\n +(.*)", out)
    assert [(interval, body) for interval, body, _ in told] == [("1", "1"), ("2", "2"), ("3", "3")]
    assert told[0][2].startswith("{ ld2xst64pace ") and "; f32v2axpy " in told[0][2]
    code, out, _ = run(["compare", str(source), "--target=ipu-mk2", "--json"], capfd)
    (repeat, *_) = json.loads(out)[0]["constructs"][0]["repeats"]
    assert (code, repeat["interval"], repeat["iterations"], len(repeat["bundles"])) == (0, 1, 1, 1)


def test_what_a_repeat_takes_is_explained(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "saxpy.ispc"
    source.write_text(SAXPY)
    code, out, _ = run(["explain", str(source), "--target=ipu-mk2"], capfd)
    assert code == 0 and "where addresses and banks allow, a repeat: 1 bundle an iteration" in out
    code, out, _ = run(["explain", str(source), "--target=naplespu"], capfd)
    assert code == 0 and "bundle" not in out


# Arrays of more than 512 bytes lie in elements of their own, which the paired loads need.
def test_one_of_several_functions(capfd: pytest.CaptureFixture[str]) -> None:
    file = str(VERTICES / "dot.S")
    code, _, err = run(["sim", file, "--target=ipu-mk1"], capfd)
    assert code in (1, 2) and "choose one with --function: __runCodelet_Dot__float" in " ".join(err.split())
    words = ["zeros:200", "zeros:200", "100", "random:6"]
    code, out, _ = run(["sim", file, "--target=ipu-mk1", "--function", "Dot__float", *words], capfd)
    assert code == 0 and "random:6 = [0. 0. 0. 0. 0. 0.]" in out


def test_what_a_vertex_may_not_do(capfd: pytest.CaptureFixture[str]) -> None:
    file = str(VERTICES / "add_scalar.S")
    code, _, err = run(["sim", file, "--target=ipu-mk2", "0x1001", "4", "1.0"], capfd)
    assert code in (1, 2) and "invalid address: a load of 64 bits at 0x1001" in " ".join(err.split())


def test_a_listing_assembles_to_the_same_words(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def words_of(text: str) -> list[str]:
        return re.findall(r"^ *[0-9a-f]+:  ([0-9A-F]{8})  ", text, re.MULTILINE)

    _, listing, _ = run(["disasm", str(VERTICES / "add_scalar.S"), "--target=ipu-mk2"], capfd)
    assert "{ ldst64pace   $a2:3, $a2:3, $m6:7+=, $mzero, 0" in listing
    lines = [line.partition("  # ")[0] for line in listing.splitlines()[3:]]
    again = tmp_path / "again.S"
    again.write_text(
        ".globl __runCodelet_AddScalar\n" + "\n".join(re.sub(r"^ *[0-9a-f]+:  [0-9A-F]{8}  ", "", line) for line in lines)
    )
    _, other, _ = run(["disasm", str(again), "--target=ipu-mk2"], capfd)
    assert words_of(other) == words_of(listing)
    assert len(words_of(listing)) > 60


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sim", "{}/dot.S"], "it is; give --target: ia64-x1, ia64-f32x2, ia64-i8x8, ia64-i16x4, ipu-mk1"),
        (["sim", "{}/dot.S", "--target=sse4"], "'sse4' is no device"),
        (["sim", "{}/add_scalar.S", "--target=ipu-mk2", "zeros"], "is no number and no array"),
        (["sim", "{}/add_scalar.S", "--target=ipu-mk2", "missing.npy"], "cannot be read"),
        (["sim", "{}/add_scalar.S", "--target=ipu-mk2", "0x1ffffffff"], "does not fit 32 bits"),
        (["disasm", "{}/nothing.S", "--target=ipu-mk2"], "nothing.S"),
    ],
)
def test_what_is_wrong_with_arguments(arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = run([word.format(VERTICES) for word in arguments], capfd)
    assert code in (1, 2) and message in " ".join(err.split())


def test_mistakes_of_the_text(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.S"
    file.write_text(".globl f\nf: add $m0, $a0, 1\n    bri nowhere\n")
    code, _, err = run(["disasm", str(file), "--target=ipu-mk2"], capfd)
    assert code in (1, 2) and f"{file}:2:13: Error: '$a0' cannot be operand 2 of 'add'" in err


VERTEX = (
    '#include "counts.h"\n#ifndef FACTOR\n#warning no factor\n#define FACTOR 2\n#endif\n.warning "by hand"\n'
    ".globl helper_v\nhelper_v:\n.globl v\nv: br $lr\n.globl __runCodelet_v\n__runCodelet_v:\n"
    "ld32 $m0, $mvertex_base, 0\nldconst $m1, 0x3f800000 * FACTOR - 0x3f800000\nst32 $m1, $m0, COUNT - 1\nexitz $mzero\n"
)


def test_a_vertex_is_preprocessed_as_the_options_say(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "counts.h").write_text("#define COUNT 2\n")
    file = tmp_path / "v.S"
    file.write_text(VERTEX)
    words = ["sim", str(file), "--target=ipu-mk2"]
    code, _, err = run([*words, "zeros:2"], capfd)
    assert code != 0 and "'counts.h' file not found" in err and "-I" in err
    # Its vertex is the one of its functions that has the name of one; 0x3f800000 is 1.
    code, out, err = run([*words, "-I", str(tmp_path / "include"), "--function", "v", "zeros:2"], capfd)
    assert code == 0 and "zeros:2 = [0. 1.]" in out
    assert "v.S:3:1: warning: no factor" in err and "v.S:6:1: warning: by hand" in err
    code, out, err = run([*words, f"-I{tmp_path / 'include'}", "-DFACTOR=1", "random:2"], capfd)
    assert code == 0 and re.search(r"random:2 = \[[\d.]+ 0\.", out) and "no factor" not in err
    code, out, _ = run(["disasm", str(file), "--target=ipu-mk1", f"-I{tmp_path / 'include'}"], capfd)
    assert code == 0 and "begins at 0x40000 (helper_v)" in out
    code, _, err = run(["sim", str(file), "--target=ia64-x1", "-DFACTOR=1"], capfd)
    assert code == 2 and "assembly text of ia64-x1 has no preprocessor" in " ".join(err.split())
