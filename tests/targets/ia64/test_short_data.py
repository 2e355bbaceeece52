"""Data near the global pointer: ``addl r=@gprel(symbol),gp``, in sections that assembler, linkers and loader know."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from ia64_linked import executed, run
from ia64_rows import GNU_AS, refused_by_gnu_as

import voltac
from voltac.codegen.elf import write_elf
from voltac.codegen.elf_read import read_elf, read_image
from voltac.codegen.link import link
from voltac.driver import compile_source
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.options import Options
from voltac.target_info import DEVICES
from voltac.targets.ia64.assembly.program import assemble_program
from voltac.targets.ia64.isa import DEVICE_CODES
from voltac.targets.ia64.simulator.machine import Itanium
from voltac.targets.ia64.simulator.memory import Memory

CODE = DEVICE_CODES["ia64-x1"]
LARGE = 200_000
TEXT = f"""
static const uniform int table[6] = {{ 2, 3, 5, 7, 11, 13 }};
static uniform int zeros[64];
uniform double large[{LARGE}];
uniform int count = 0;
uniform int * uniform where = &count;
typedef uniform int Function(uniform int k);
noinline static uniform int second(uniform int k) {{ return k + zeros[k]; }}
uniform Function * uniform chosen = second;
export uniform int f(uniform int k) {{
    *where += table[k];
    zeros[k] += 10;
    large[{LARGE} - k] = count;
    return count + chosen(k) + (uniform int)large[{LARGE} - k];
}}
"""


def by_hand(calls: list[int]) -> list[int]:
    table, zeros, count, results = [2, 3, 5, 7, 11, 13], [0] * 64, 0, []
    for k in calls:
        count += table[k]
        zeros[k] += 10
        results.append(count + k + zeros[k] + count)
    return results


@pytest.mark.parametrize("target", ["ia64-x1", "ia64-f32x2", "ia64-i8x8", "ia64-i16x4"])
@pytest.mark.parametrize("level", [0, 2])
def test_variables_have_their_values(target: str, level: int, tmp_path: Path) -> None:
    (tmp_path / "k.ispc").write_text(TEXT)
    k = voltac.load(tmp_path / "k.ispc", target=target, opt=level)
    assert [k.f(number) for number in (1, 5, 5)] == by_hand([1, 5, 5])


def test_what_is_near_takes_an_addition_and_what_is_far_a_long_constant(tmp_path: Path) -> None:
    text = compile_source(TEXT, "k.ispc", Options(DEVICES["ia64-x1"], level=2)).results["select"]
    near = {*re.findall(r"addl r\d+=@gprel\((\w+)", text)}
    assert {"table", "zeros", "where"} <= near
    assert {*re.findall(r"movl r\d+=([a-z]\w*)", text)} == {"large"}
    if shutil.which(GNU_AS) is not None:
        assert refused_by_gnu_as(text, tmp_path) == ""


def test_both_assemblers_make_the_same_linked_program(tmp_path: Path) -> None:
    if shutil.which(GNU_AS) is None:
        pytest.skip(f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
    job = compile_source(TEXT, "k.ispc", Options(DEVICES["ia64-x1"], level=2))
    (tmp_path / "k.s").write_text(job.results["select"])
    run([GNU_AS, "-xexplicit", "--fatal-warnings", tmp_path / "k.s", "-o", tmp_path / "theirs.o"])
    (tmp_path / "ours.o").write_bytes(job.device_program.relocatable())
    code = []
    for name in ("theirs", "ours"):
        run(["ia64-linux-gnu-ld", "-static", "-e", "f", tmp_path / f"{name}.o", "-o", tmp_path / name])
        run(["ia64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", tmp_path / name, tmp_path / f"{name}.bin"])
        code.append((tmp_path / f"{name}.bin").read_bytes())
    assert code[0] == code[1]
    listed = subprocess.run(["ia64-linux-gnu-readelf", "-SrW", tmp_path / "ours.o"], capture_output=True, text=True, check=True)
    assert "R_IA64_GPREL22" in listed.stdout
    assert re.search(r"\.sdata +PROGBITS.* WAp ", listed.stdout)
    assert re.search(r"\.sbss +NOBITS.* WAp ", listed.stdout)


ASSEMBLY = """
	.explicit
	.text
	.global start
start:
{{ .mlx
	addl r14=@gprel(number+4),gp
	movl r15=@gprel({far}) ;; }}
{{ .mmi
	ld4 r14=[r14]
	add r15=r15,gp
	nop.i 0 ;; }}
{{ .mii
	ld4 r15=[r15]
	nop.i 0
	nop.i 0 ;; }}
{{ .mib
	add r8=r14,r15
	nop.i 0
	br.ret.sptk.many b0 ;; }}
	.sdata
	.align 8
number:	data4 1, 20
	.space {space}
last:	data4 300
	.sbss
	.space 64
	.data
other:	data4 5000
"""


def result(text: str) -> int:
    """Of a program in assembly language, linked and read by us."""
    code = link(assemble_program(text, "k.s", Diagnostics()), CODE)
    image = read_image(write_elf(code, CODE, "start"), CODE)
    machine = Itanium(Memory(1 << 23))
    machine.load(image)
    machine.R[1] = image.symbols["__gp"]
    machine.run(image.entry)
    return machine.R[8]


@pytest.mark.parametrize(("far", "wanted"), [("other", 5020), ("last", 320)])
def test_distances_of_22_and_64_bits_from_the_pointer(far: str, wanted: int) -> None:
    assert result(ASSEMBLY.format(far=far, space=4000)) == wanted


def test_programs_of_both_assemblers_and_linkers_compute_the_same(tmp_path: Path) -> None:
    if shutil.which(GNU_AS) is None:
        pytest.skip(f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
    exits = """
	.section .text.exit,"ax"
	.global _start
_start:
{ .mlx
	alloc r2=ar.pfs,0,0,1,0
	movl gp=__gp ;; }
{ .mib
	nop.m 0
	nop.i 0
	br.call.sptk.many b0=start ;; }
{ .mii
	adds r32=0,r8
	addl r15=1025,r0
	nop.i 0 ;; }
{ .mii
	break.m 0x100000
	nop.i 0
	nop.i 0 ;; }
"""
    text = ASSEMBLY.format(far="last", space=4000).replace("300", "100") + exits
    source, ours, theirs = tmp_path / "k.s", tmp_path / "ours.o", tmp_path / "theirs.o"
    source.write_text(text)
    run([GNU_AS, "-xexplicit", "--fatal-warnings", source, "-o", theirs])
    ours.write_bytes(write_elf(assemble_program(text, "k.s", Diagnostics()), CODE))
    for made in (ours, theirs):
        linked = tmp_path / "program"
        run(["ia64-linux-gnu-ld", "-static", "-Ttext=0x20000", "-Tdata=0x80000", made, "-o", linked])
        assert executed(linked.read_bytes())[1].status == 120


def test_an_object_comes_back_with_its_relocations() -> None:
    made = assemble_program(ASSEMBLY.format(far="other", space=8), "k.s", Diagnostics())
    again = read_elf(write_elf(made, CODE), CODE).code
    assert [(one.offset, one.part, one.symbol, one.addend) for one in again.relocations] == [
        (0, "gprel22", "number", 4),
        (1, "gprel64", "other", 0),
    ]


def test_data_beyond_the_reach_are_refused_with_figures() -> None:
    text = ASSEMBLY.format(far="other", space=5_000_000)
    with pytest.raises(CompileError, match=r"'number' does not reach it: -25000\d\d bytes from __gp, and 'addl' reaches -"):
        result(text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("adds r14=@gprel(x),gp", "'adds' takes no symbol here"),
        ("addl r14=x,gp", "'addl' takes no address: the distance from gp is written @gprel(x)"),
        ("addl r14=@gprel(4),gp", "'@gprel(4)' is no number"),
        ("addl r14=@gprl(x),gp", "'@gprl(x)' is no number"),
        ("addl r14=@gprel(x,gp", "'@gprel(x' is no number"),
        ("addl r14=@gprel(x),r5", "'addl' adds to r0, r1, r2 or r3 only"),
    ],
)
def test_mistakes_are_told_at_their_place(line: str, message: str) -> None:
    text = f"\t.text\nf:\n{{ .mii\n\t{line}\n\tnop.i 0\n\tnop.i 0 ;; }}\n\t.sdata\nx: data4 1\n"
    with pytest.raises(CompileError) as raised:
        assemble_program(text, "k.s", Diagnostics())
    assert "k.s:4:" in str(raised.value)
    assert message in " ".join(str(raised.value).split())
