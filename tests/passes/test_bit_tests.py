"""Bits, nibbles and scales that neighbours share: several gangs at once, and bits tested where they are."""

import re
from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import compile_kernels
from passed_text import passed

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read

TARGETS = ["sse2-i32x4", "sse4-i32x8", "avx2-i32x8", "avx2-i32x16", "avx2-i8x32", "avx512skx-x16"]
TYPES: dict[str, type[np.unsignedinteger]] = {"uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32}
# For elements of so many bits: what becomes of the elements of b, and by which shift of i they are found.
KERNELS = {
    "bits": ("(b[i >> S] >> (i & M)) & 1", 1),
    "bits_as_tests": ("((b[i >> S] >> (i & M)) & 1) != 0 ? 7 : 3", 1),
    "nibbles": ("(b[i >> (S - 2)] >> ((i & (M >> 2)) * 4)) & 15", 4),
    "blocks": ("b[i >> 5] + 1", 0),
    "divided": ("b[i / 32] + 1", 0),
}
COUNTS = (0, 1, 31, 32, 33, 64, 107, 259)


def source(kind: str) -> str:
    bits = np.dtype(TYPES[kind]).itemsize * 8
    text = ""
    for name, (body, _) in KERNELS.items():
        body = re.sub(r"\bS\b", str(bits.bit_length() - 1), re.sub(r"\bM\b", str(bits - 1), body))
        text += f"export void {name}(uniform {kind} a[], const uniform {kind} b[], uniform int n) {{\n"
        text += f"    foreach (i = 0 ... n) a[i] = {body};\n}}\n"
    return text


def expected(name: str, given: np.ndarray, count: int) -> np.ndarray:
    i, bits = np.arange(count), given.itemsize * 8
    if name in ("blocks", "divided"):
        found = given[i >> 5] + 1
    elif name == "nibbles":
        found = given[i * 4 // bits] >> (i * 4 % bits).astype(given.dtype) & 15
    else:
        found = given[i // bits] >> (i % bits).astype(given.dtype) & 1
    return np.asarray(np.where(found != 0, 7, 3) if name == "bits_as_tests" else found, given.dtype)


@pytest.mark.parametrize("target", TARGETS)
def test_what_numpy_finds(target: str) -> None:
    calls = FencedCalls()
    kinds = list(TYPES) if target == "avx2-i32x8" else ["uint8"]
    for kind in kinds:
        text = source(kind)
        interpreter = IRInterpreter(read(passed(text, target)))
        compiled = None if target.startswith("avx512") else compile_kernels(text, target)
        for name, (_, taken) in KERNELS.items():
            for count in COUNTS:
                bits = np.dtype(TYPES[kind]).itemsize * 8
                size = -(-count // 32) if taken == 0 else -(-count * taken // bits)
                given = np.random.default_rng(count).integers(0, 1 << bits, size).astype(TYPES[kind])
                wanted = expected(name, given, count)
                found = np.zeros(count, given.dtype)
                interpreter.call(name, [found, given, count])
                assert found.tolist() == wanted.tolist(), (name, kind, count)
                for at_end in (False, True) if compiled is not None else ():
                    to, fenced = calls.copies(np.zeros(count, given.dtype), given, at_end=at_end)
                    calls.add((name, kind, count), partial(getattr(compiled, name), to, fenced, count), (to, wanted))
    if not target.startswith("avx512"):
        calls.check()


def test_gangs_go_together_and_bits_are_not_shifted() -> None:
    text = passed(source("uint8"), "avx2-i32x8")
    for name in KERNELS:
        body = text[text.index(f"define void @{name}(") :].partition("\n}")[0]
        assert ".wide_body:" in body, name
    bits = text[text.index("define void @bits(") :].partition("\n}")[0]
    assert "lshr <32 x i8>" not in bits and "icmp ne <32 x i8>" in bits


def test_a_first_index_that_is_not_known_leaves_single_gangs() -> None:
    text = source("uint8").replace("uniform int n)", "uniform int n, uniform int from)").replace("i = 0", "i = from")
    assert ".wide_body:" not in passed(text, "avx2-i32x8")


def test_counts_of_lanes_that_vary_are_shifted() -> None:
    text = "export void f(uniform uint8 a[], const uniform uint8 b[], uniform int n) { foreach (i = 0 ... n) a[i] = BODY; }"
    varying = passed(text.replace("BODY", "(b[i >> 3] >> (b[i] & 7)) & 1"), "avx2-i32x8")
    assert re.search(r"= lshr <\d+ x i(8|16|32)> ", varying)
    wider = passed(text.replace("BODY", "(b[i >> 3] >> (i & 7)) & 3"), "avx2-i32x8")
    assert re.search(r"= lshr <\d+ x i(8|16|32)> ", wider)
