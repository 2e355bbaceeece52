"""Numbers put together of bytes by shifts: shuffles give numpy's results, and take the place of shifts."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.passes.arithmetic.joined_bytes import join_bytes
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16", "avx512icl-x64"]


def random_parts(rng: random.Random, size: int, vectors: int) -> list[int | None]:
    """For each byte of a number the vector that it is of, or None, where a constant or nothing stands."""
    return [rng.randrange(vectors) if rng.random() < 0.8 else None for _ in range(size)]


@pytest.mark.parametrize("register", [16, 32, 64])
@pytest.mark.parametrize("size", [2, 4])
def test_random_numbers_of_text(size: int, register: int) -> None:
    rng = random.Random(size * register)
    target = find_target({16: "sse4-i32x4", 32: "avx2-i32x8", 64: "avx512skx-x16"}[register])
    changed = 0
    for _ in range(12):
        lanes = rng.choice((16, 32, 64))
        parts = random_parts(rng, size, 3)
        number = sum(rng.randrange(1, 256) << 8 * at for at, each in enumerate(parts) if each is None and rng.random() < 0.5)
        wide = f"<{lanes} x i{8 * size}>"
        lines, terms = [], []
        for at, each in enumerate(parts):
            if each is not None:
                lines.append(f"  %z{at} = zext <{lanes} x i8> %p{each} to {wide}")
                lines.append(f"  %t{at} = shl nuw {wide} %z{at}, splat (i{8 * size} {8 * at})")
                terms.append(f"%t{at}" if at else f"%z{at}")
        if number:
            signed = number - (1 << 8 * size) if number >> (8 * size - 1) else number
            terms.append(f"splat (i{8 * size} {signed})")
        rng.shuffle(terms)
        if len(terms) < 2:
            continue
        terms.sort(key=lambda term: term.startswith("splat"))
        whole = terms[0]
        for at, term in enumerate(terms[1:]):
            lines.append(f"  %o{at} = or disjoint {wide} {whole}, {term}")
            whole = f"%o{at}"
        parameters = ", ".join(f"<{lanes} x i8> %p{at}" for at in range(3))
        text = "\n".join([f"define {wide} @f({parameters}) {{", "entry:", *lines, f"  ret {wide} {whole}", "}", ""])
        made = join_bytes(text, Options(target, level=3))
        verify(read(made))
        changed += made != text
        given = [[rng.randrange(256) for _ in range(lanes)] for _ in range(3)]
        found = list(IRInterpreter(read(made)).call("f", given))
        for lane in range(lanes):
            expected = number + sum(given[each][lane] << 8 * at for at, each in enumerate(parts) if each is not None)
            assert found[lane] % (1 << 8 * size) == expected, text
    assert changed > size // 2


def random_kernel(rng: random.Random, name: str) -> tuple[str, int, list[tuple[int, int]], int]:
    """Text, bytes of a number, the array and the place of each byte, and the constant."""
    size = rng.choice((2, 4, 4))
    places = sorted(rng.sample(range(size), rng.randrange(2, size + 1)))
    parts = [(rng.randrange(3), at) for at in places]
    left = [at for at in range(size) if at not in places]
    number = sum(rng.randrange(256) << 8 * at for at in left)
    kind = f"uint{8 * size}"
    terms = [f"(({kind}){'bcd'[array]}[i] << {8 * at})" for array, at in parts] + ([f"({kind}){number}u"] if number else [])
    rng.shuffle(terms)
    header = (
        f"export void {name}(uniform {kind} a[], const uniform uint8 b[], const uniform uint8 c[], const uniform uint8 d[], "
    )
    return f"{header}uniform int n) {{ foreach (i = 0 ... n) a[i] = {' | '.join(terms)}; }}\n", size, parts, number


@pytest.mark.parametrize(("target", "seed"), some_pairs(TARGETS, range(4), 4))
def test_random_kernels(target: str, seed: int) -> None:
    rng = random.Random(seed)
    cases = [random_kernel(rng, f"f{number}") for number in range(5)]
    kernels = JudgedKernels("".join(text for text, *_ in cases), target)
    for number, (_, size, parts, constant) in enumerate(cases):
        for n in (0, 1, 31, 64, 203):
            given = [np.array([rng.randrange(256) for _ in range(n)], np.uint8) for _ in range(3)]
            expected = np.full(n, constant, np.uint64)
            for array, at in parts:
                expected |= given[array].astype(np.uint64) << np.uint64(8 * at)
            wanted = expected.astype(np.uint16 if size == 2 else np.uint32)
            arrays = [np.zeros_like(wanted), *given]
            kernels.expect(f"f{number}", arrays, (n,), wanted, interpreted=n == 31, at_ends=(n % 2 == 0,))
    kernels.check()


PLANES = """
export void f(uniform uint32 a[], const uniform uint8 b[], uniform int n, uniform int m) {
    foreach (i = 0 ... n)
        a[i] = b[i] | ((uint32)b[m + i] << 8) | ((uint32)b[2 * m + i] << 16) | ((uint32)b[3 * m + i] << 24);
}
"""


def test_planes_are_put_together_by_shuffles() -> None:
    made = compile_source(PLANES, "f.ispc", Options(find_target("avx2-i32x8"), level=3, whole_program=True))
    assert made.optimized is not None
    loops = re.findall(r"^(\.LBB\d+_\d+):((?:\n\t.*)*?)\n\tj\w+\t\1$", made.optimized.assembly(), re.M)
    text = max((text for _, text in loops), key=len)
    assert "vpunpcklwd" in text and "vpslld" not in text and "vpmovzx" not in text


SAME = """
define <32 x i32> @f(<32 x i8> %p, <32 x i32> %x) {{
entry:
  %z = zext <32 x i8> %p to <32 x i32>
  %t = shl <32 x i32> {shifted}, splat (i32 {count})
  %o = or <32 x i32> %z, %t
  ret <32 x i32> %o
}}
"""


@pytest.mark.parametrize(("shifted", "count"), [("%x", 8), ("%z", 4), ("%z", 0), ("%z", 16), ("%z", 32)])
def test_what_is_no_sum_of_bytes(shifted: str, count: int) -> None:
    """Other numbers, shifts by less than a byte, two at one place; one byte at two places costs no more as it is."""
    text = SAME.format(shifted=shifted, count=count)
    assert join_bytes(text, Options(find_target("avx2-i32x8"), level=3)) == text
