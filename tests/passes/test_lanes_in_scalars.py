"""What is put together and taken apart lane by lane is computed in scalars: the same numbers, by the interpreter and numpy."""

import random

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.write import write
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.passes.lanes.lanes_in_scalars import keep_lanes_in_scalars
from voltac.target_info import find_target

OPTIONS = Options(target=find_target("avx2-i32x8"), level=3)
LANES = 4
BINARY = ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr")


def random_function(rng: random.Random) -> str:
    """Lanes are loaded one by one, computed with, and stored one by one."""
    lines = []
    chain = "poison"
    for lane in range(LANES):
        lines.append(f"%p{lane} = getelementptr i16, ptr %from, i64 {lane}")
        lines.append(f"%s{lane} = load i16, ptr %p{lane}, align 2")
        lines.append(f"%c{lane} = insertelement <{LANES} x i16> {chain}, i16 %s{lane}, i64 {lane}")
        chain = f"%c{lane}"
    lines.append(f"%v0 = {rng.choice(('zext', 'sext'))} <{LANES} x i16> {chain} to <{LANES} x i32>")
    lines.append(f"%first = insertelement <{LANES} x i32> poison, i32 %k, i64 0")
    lines.append(f"%same = shufflevector <{LANES} x i32> %first, <{LANES} x i32> poison, <{LANES} x i32> zeroinitializer")
    values = ["%v0"]
    for number in range(1, rng.randrange(2, 7)):
        op = rng.choice(BINARY)
        constants = ", ".join(f"i32 {rng.randrange(1, 9)}" for _ in range(LANES))
        others = [f"<{constants}>", f"splat (i32 {rng.randrange(1, 9)})"]
        others += [] if op in ("shl", "lshr", "ashr") else ["%same", "%whole", rng.choice(values)]
        lines.append(f"%v{number} = {op} <{LANES} x i32> {values[-1]}, {rng.choice(others)}")
        values.append(f"%v{number}")
    for at, value in enumerate(dict.fromkeys((values[-1], rng.choice(values)))):
        for lane in range(LANES):
            lines.append(f"%x{at}{lane} = extractelement <{LANES} x i32> {value}, i64 {lane}")
            lines.append(f"%q{at}{lane} = getelementptr i32, ptr %to, i64 {at * LANES + lane}")
            lines.append(f"store i32 %x{at}{lane}, ptr %q{at}{lane}, align 4")
    body = "\n".join(f"  {line}" for line in lines)
    return f"define void @f(ptr %to, ptr %from, i32 %k, <{LANES} x i32> %whole) {{\nentry:\n{body}\n  ret void\n}}\n"


def stored(text: str) -> list[int]:
    to = np.zeros(2 * LANES, np.int32)
    given = np.array([3, -1, 32767, -32768], np.int16)
    IRInterpreter(read(text)).call("f", [to, given, 12345, [7, 1 << 30, 5, 9]])
    return [int(each) for each in to]


def test_random_arithmetic_of_lanes() -> None:
    changed = 0
    for seed in range(60):
        text = random_function(random.Random(seed))
        module = read(text)
        keep_lanes_in_scalars(module, OPTIONS)
        changed += "in.lane" in write(module)
        assert stored(write(module)) == stored(text), text
    assert changed > 30


SOURCE = """
export void counts(uniform int a[], const uniform uint8 b[], uniform int n, uniform int m) {
    foreach (i = 0 ... n)
        for (uniform int k = 0; k < m; k++)
            a[i * 16 + (b[i * m + k] & 15)] += 1;
}
export void states(uniform int a[], const uniform uint8 b[], uniform int n, uniform int m) {
    foreach (i = 0 ... n) {
        int s = 0;
        for (uniform int k = 0; k < m; k++)
            s = b[(s * 5 + b[i * m + k]) & 63] >> 1;
        a[i] = s;
    }
}
export void sums(uniform float a[], const uniform uint8 b[], uniform int n, uniform int m) {
    foreach (i = 0 ... n)
        a[b[i * m] + 300 * (i & 3)] += 0.5f * m;
}
"""


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"])
def test_tables_at_places_that_were_loaded(target: str) -> None:
    kernels, (n, m) = compile_kernels(SOURCE, target), (21, 7)
    given = np.random.default_rng(3).integers(0, 256, max(64, n * m)).astype(np.uint8)
    rows = given[: n * m].reshape(n, m).astype(int)
    counted = np.zeros(n * 16, np.int32)
    kernels.counts(counted, given, n, m)
    assert counted.reshape(n, 16).tolist() == [np.bincount(row & 15, minlength=16).tolist() for row in rows]
    states = np.zeros(n, np.int32)
    kernels.states(states, given, n, m)
    wanted = []
    for row in rows:
        state = 0
        for letter in row:
            state = int(given[(state * 5 + letter) & 63]) >> 1
        wanted.append(state)
    assert states.tolist() == wanted
    width = find_target(target).width
    summed, by_gang = np.zeros(1200, np.float32), np.zeros(1200, np.float32)
    kernels.sums(summed, given, n, m)
    places = rows[:, 0] + 300 * (np.arange(n) & 3)
    for start in range(0, n, width):  # of lanes of one gang with one place the last one's sum stays
        by_gang[places[start : start + width]] += np.float32(0.5 * m)
    assert summed.tolist() == by_gang.tolist()


def test_nothing_is_put_together_between_a_load_and_a_store() -> None:
    text: str = compile_source(SOURCE, "f.ispc", OPTIONS, Diagnostics(), end="passes").results["passes"]
    loop = text[text.index("@counts(") :].partition(".all_on.loop.body:")[2].partition("\n\n")[0]
    assert loop.count("load i8") == 8 and "insertelement <8 x i8>" not in loop and "extractelement" not in loop


def test_values_of_vectors_stay_in_vectors() -> None:
    body = "foreach (i = 0 ... n) { int k = (b[i] * 7 ^ i) & 255; a[k] = k; }"
    head = "export void f(uniform int a[], const uniform int b[], uniform int n)"
    text: str = compile_source(f"{head} {{ {body} }}", "f.ispc", OPTIONS, Diagnostics(), end="passes").results["passes"]
    assert "mul <8 x i32>" in text.replace(" nsw", "")


def test_blocks_in_any_order() -> None:
    """What takes lanes stands above what computes them, and the first of two sums above what it is computed with."""
    lanes = "".join(
        f"  %x{lane} = extractelement <4 x i32> %last, i64 {lane}\n"
        f"  %q{lane} = getelementptr i32, ptr %to, i64 {lane}\n"
        f"  store i32 %x{lane}, ptr %q{lane}, align 4\n"
        for lane in range(LANES)
    )
    parts = "".join(
        f"  %c{lane} = insertelement <4 x i16> {f'%c{lane - 1}' if lane else 'poison'}, i16 %s, i64 {lane}\n"
        for lane in range(LANES)
    )
    module = read(f"""define void @f(ptr %to, ptr %from, i32 %k) {{
entry:
  %s = load i16, ptr %from, align 2
{parts}  br label %computed

taken:
{lanes}  ret void

summed:
  %last = mul <4 x i32> %wide, <i32 2, i32 3, i32 4, i32 5>
  br label %taken

computed:
  %wide = sext <4 x i16> %c3 to <4 x i32>
  br label %summed
}}
""")
    keep_lanes_in_scalars(module, OPTIONS)
    text = write(module)
    assert "extractelement" not in text
    to = np.zeros(LANES, np.int32)
    IRInterpreter(read(text)).call("f", [to, np.array([-7], np.int16), 0])
    assert to.tolist() == [-14, -21, -28, -35]
