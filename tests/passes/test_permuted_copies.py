"""Members copied from elements to elements become a shuffle for each vector: what is copied where, and nothing else touched."""

import random
import re
import zlib

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from kernels import compile_kernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = [
    "sse4-i32x4", "sse4-i8x16", "avx1-i32x8", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16", "avx512icl-x16", "neon-i32x4"
]  # fmt: skip
TYPES = {"uint8": np.uint8, "int16": np.int16, "float": np.float32, "double": np.float64}
TOLD = "which are stored as"


def copies(source: str, target: str = "avx2-i32x8") -> bool:
    """Whether a store is told to be such a copy."""
    job = compile_source(source, "f.ispc", Options(target=find_target(target), level=3))
    return any(TOLD in item.text for item in job.diagnostics.items)


def kernel(name: str, members: list[int], stride: int, first: int, rng: random.Random) -> str:
    """Member k of what is written is member ``members[k]`` of what is read; loads and stores in any order."""
    steps = [f"v{k} = from[{stride} * i + {first + member}];" for k, member in enumerate(members)]
    stores = [f"to[{len(members)} * i + {k}] = v{k};" for k in range(len(members))]
    rng.shuffle(stores)
    declared = "TYPE " + ", ".join(f"v{k}" for k in range(len(members))) + ";"
    head = f"export void {name}(uniform TYPE to[], const uniform TYPE from[], uniform int n)"
    return f"{head} {{ foreach (i = 0 ... n) {{ {declared} {' '.join((*steps, *stores))} }} }}\n"


@pytest.mark.parametrize(("target", "type_name"), some_pairs(TARGETS, TYPES, 4))
def test_random_members(target: str, type_name: str) -> None:
    rng = random.Random(zlib.crc32(f"{target} {type_name}".encode()))
    shapes = {}
    source = ""
    for number in range(2):
        stride, first = rng.choice((1, 1, 2, 3, 4, 4, 5, 8)), rng.choice((0, 0, 1))
        members = [rng.randrange(stride) for _ in range(rng.choice((2, 3, 4, 4, 6)))]
        shapes[f"f{number}"] = (members, stride, first)
        source += kernel(f"f{number}", members, stride, first, rng)
    kernels = JudgedKernels(source.replace("TYPE", type_name), target)
    width = kernels.width
    for number, n in enumerate((0, 1, width - 1, width, 2 * width + 1, 4 * width, 8 * width + 3)):
        for name, (members, stride, first) in shapes.items():
            needed = stride * (n - 1) + first + max(members) + 1 if n else 0
            values = np.array([rng.randrange(100) for _ in range(needed)], TYPES[type_name])
            padded = np.concatenate([values, np.zeros(stride * n + first + stride, values.dtype)])
            wanted = np.array([padded[stride * i + first + member] for i in range(n) for member in members], values.dtype)
            arrays, often = [np.zeros_like(wanted), values], n in (width, 2 * width + 1)
            kernels.expect(name, arrays, (n,), wanted, interpreted=often, at_ends=(number % 2 == 0,))
    kernels.check()


HEAD = "export void f(uniform TYPE to[], uniform TYPE from[], uniform int n) { foreach (i = 0 ... n) {"
SWAP = "TYPE x = from[2 * i]; to[2 * i] = from[2 * i + 1]; to[2 * i + 1] = x;"


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512icl-x16", "neon-i32x4"])
@pytest.mark.parametrize("type_name", TYPES)
def test_a_swap_is_one_shuffle_for_each_vector(type_name: str, target: str) -> None:
    """Where a vector is filled: four bytes twice are none."""
    source = f"{HEAD} {SWAP} }} }}".replace("TYPE", type_name)
    size, width = np.dtype(TYPES[type_name]).itemsize, find_target(target).width
    assert copies(source, target) == (2 * size * width >= 16)


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16"])
@pytest.mark.parametrize("type_name", ["uint8", "int16"])
@pytest.mark.parametrize(
    ("members", "stride"), [([0, 0], 1), ([0, 0, 0], 1), ([0] * 4, 1), ([0, 1, 2, 0], 3), ([0, 0, 1, 1], 2)]
)
def test_vectors_are_whole_registers_where_halves_come_from_halves(
    members: list[int], stride: int, type_name: str, target: str
) -> None:
    """Bytes go no further than half a register there; all is right, and nothing else is read."""
    source = kernel("f", members, stride, 0, random.Random(1)).replace("TYPE", type_name)
    job = compile_source(source, "f.ispc", Options(target=find_target(target), level=3))
    stored = set(re.findall(r"store <(\d+) x (i\d+)>", job.results["passes"]))
    element = {"uint8": "i8", "int16": "i16"}[type_name]
    assert max(int(lanes) * np.dtype(TYPES[type_name]).itemsize for lanes, kind in stored if kind == element) >= 32
    kernels = JudgedKernels(source, target)
    for n in (kernels.width, 4 * kernels.width, 8 * kernels.width + 3):
        values = np.random.default_rng(n).integers(0, 100, stride * n).astype(TYPES[type_name])
        wanted = values.reshape(n, stride)[:, members].ravel()
        kernels.expect("f", [np.zeros_like(wanted), values], (n,), wanted, interpreted=n == kernels.width)
    kernels.check()


@pytest.mark.parametrize(
    "body",
    [
        "TYPE x = from[2 * i]; from[i + 9] = 0; to[2 * i] = from[2 * i + 1]; to[2 * i + 1] = x;",  # what is read changes
        "TYPE x = from[2 * i]; to[2 * i] = from[2 * i + 1] + 1; to[2 * i + 1] = x;",  # it is computed with
        "TYPE x = from[2 * i]; to[2 * i] = to[2 * i + 1]; to[2 * i + 1] = x;",  # of two arrays
        "TYPE x = from[2 * i]; to[3 * i] = from[2 * i + 1]; to[3 * i + 1] = x;",  # gaps
        "if (from[n] > i) { TYPE x = from[2 * i]; to[2 * i] = from[2 * i + 1]; to[2 * i + 1] = x; }",  # lanes are off
    ],
)
def test_where_it_is_no_copy(body: str) -> None:
    assert not copies(f"{HEAD} {body} }} }}".replace("TYPE", "float"))


def test_a_store_to_what_is_read_comes_in_its_turn() -> None:
    """In place, and with a store to the same array in between."""
    source = """export void swap(uniform int to[], uniform int n) {
    foreach (i = 0 ... n) { int x = to[2 * i]; to[2 * i] = to[2 * i + 1]; to[2 * i + 1] = x; }
}
export void between(uniform int to[], uniform int from[], uniform int n) {
    foreach (i = 0 ... n) { int x = from[2 * i]; from[2 * i + 1] = 7; to[2 * i] = from[2 * i + 1]; to[2 * i + 1] = x; }
}"""
    for target in TARGETS:
        kernels = compile_kernels(source, target)
        for n in (3, 16, 37):
            values = np.arange(2 * n, dtype=np.int32)
            kernels.swap(values, n)
            assert values.tolist() == [number ^ 1 for number in range(2 * n)]
            values, to = np.arange(2 * n, dtype=np.int32), np.zeros(2 * n, np.int32)
            kernels.between(to, values, n)
            assert to.tolist() == [number - 1 if number % 2 else 7 for number in range(2 * n)]
            assert values.tolist() == [7 if number % 2 else number for number in range(2 * n)]


@pytest.mark.parametrize("type_name", ["uint8", "int16"])
def test_halves_are_loaded_for_themselves(type_name: str) -> None:
    """Elements that are doubled fill whole registers of AVX2, whose halves are of the same load, or of two."""
    rng, size = random.Random(5), np.dtype(TYPES[type_name]).itemsize
    shapes = {"doubled": ([0, 0], 1), "fourfold": ([0, 0, 0, 0], 1), "pairs": ([1, 0, 0, 1], 2), "turned": ([2, 0, 1, 1], 3)}
    source = "".join(kernel(name, members, stride, 0, rng) for name, (members, stride) in shapes.items())
    source = source.replace("TYPE", type_name)
    made = compile_source(source, "f.ispc", Options(target=find_target("avx2-i32x8"), level=3), end="passes").results["passes"]
    begin = made.index("@doubled(")
    assert f"store <{32 // size} x i{8 * size}>" in made[begin : made.index("\n}", begin)]
    kernels = JudgedKernels(source, "avx2-i32x8")
    for n in (0, 7, 8, 33, 100):
        for name, (members, stride) in shapes.items():
            values = np.array([rng.randrange(100) for _ in range(stride * n)], TYPES[type_name])
            wanted = np.array([values[stride * i + member] for i in range(n) for member in members], values.dtype)
            kernels.expect(name, [np.zeros_like(wanted), values], (n,), wanted, interpreted=n == 33, at_ends=(n != 7,))
    kernels.check()
