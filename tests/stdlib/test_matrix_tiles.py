"""``amx.isph``: what the interpreter computes is numpy's matrix product, and each function is its one instruction."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.messages.diagnostics import CompileError
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["avx512spr-x16", "avx512gnr-x16", "avx10.2dmr-x8"]
ROWS, INNER, COLUMNS = 11, 7, 13
"""Of the product; the inner size in steps of 4 bytes."""

PRODUCT = """
#include <amx.isph>
export void product(uniform int8 config[], uniform int8 a[], uniform int8 b[], uniform int8 c[], uniform int8 kept[]) {
    amx_tile_loadconfig(config);
    amx_tile_load(0, c, 64);
    amx_tile_load(1, a, 64);
    amx_tile_load_t1(2, b, 64);
    amx_%s(0, 1, 2);
    amx_tile_store(0, c, 64);
    amx_tile_storeconfig(kept);
    amx_tile_zero(0);
    amx_tile_release();
}
"""


def configuration() -> npt.NDArray[np.int8]:
    """Palette 1; tile 0 is the sum, 1 and 2 its factors."""
    made = np.zeros(64, np.uint8)
    made[0] = 1
    made[16:22].view(np.uint16)[:] = 4 * COLUMNS, 4 * INNER, 4 * COLUMNS
    made[48:51] = ROWS, ROWS, INNER
    return made.view(np.int8)


def interpreted(name: str, a: npt.NDArray[np.uint8], b: npt.NDArray[np.uint8], c: npt.NDArray[np.uint8]) -> None:
    """Adds to ``c``; all are 16 rows of 64 bytes."""
    options = Options(target=find_target("avx512gnr-x16"))
    program = compile_source(PRODUCT % name, "k.ispc", options, end="check").program
    kept = np.zeros(64, np.int8)
    arguments = [configuration(), *(tile.reshape(-1).view(np.int8) for tile in (a, b, c)), kept]
    Interpreter(program, options, lambda text: None).call("product", arguments)
    assert (kept == configuration()).all()


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [("dpbssd", "int8", "int8"), ("dpbsud", "int8", "uint8"), ("dpbusd", "uint8", "int8"), ("dpbuud", "uint8", "uint8")],
)
def test_products_of_bytes_are_those_of_numpy(name: str, left: str, right: str) -> None:
    random = np.random.default_rng(1)
    a, b, c = (random.integers(0, 256, (16, 64), np.uint8) for _ in range(3))
    factors = a[:ROWS, : 4 * INNER].view(left).astype(np.int64), b[:INNER, : 4 * COLUMNS].view(right).astype(np.int64)
    # Row k of b has, for each column, the four numbers that elements 4 k ... 4 k + 3 of a row of a meet.
    unpacked = factors[1].reshape(INNER, COLUMNS, 4).transpose(0, 2, 1).reshape(4 * INNER, COLUMNS)
    expected = c.copy()
    sums = expected.view(np.int32)
    sums[:ROWS, :COLUMNS] += (factors[0] @ unpacked).astype(np.int32)
    interpreted(name, a, b, c)
    assert (c == expected).all()


@pytest.mark.parametrize("name", ["dpbf16ps", "dpfp16ps"])
def test_products_of_halves_are_those_of_numpy(name: str) -> None:
    """Small integers, of which every sum is exact."""
    random = np.random.default_rng(2)
    factors = [random.integers(-8, 9, (16, 32)).astype(np.float32) for _ in range(2)]
    halves = [x.astype(np.float16) if name == "dpfp16ps" else (x.view(np.uint32) >> 16).astype(np.uint16) for x in factors]
    c = random.integers(-99, 99, (16, 16)).astype(np.float32)
    expected = c.copy()
    unpacked = factors[1][:INNER, : 2 * COLUMNS].reshape(INNER, COLUMNS, 2).transpose(0, 2, 1).reshape(2 * INNER, COLUMNS)
    expected[:ROWS, :COLUMNS] += factors[0][:ROWS, : 2 * INNER] @ unpacked
    interpreted(name, halves[0].view(np.uint8), halves[1].view(np.uint8), c.view(np.uint8))
    assert (c == expected).all()


@pytest.mark.parametrize("target", TARGETS)
def test_each_function_is_its_instruction(target: str) -> None:
    options = Options(target=find_target(target))
    for name in ("dpbssd", "dpbsud", "dpbusd", "dpbuud", "dpbf16ps", *(["dpfp16ps"] if "spr" not in target else [])):
        text = compile_source(PRODUCT % name, "k.ispc", options).optimized.assembly()
        found = [line.split()[0] for line in text.splitlines() if "tmm" in line or "tile" in line.split("#")[0]]
        expected = ["ldtilecfg", "tileloadd", "tileloadd", "tileloaddt1", f"t{name}", "tilestored", "sttilecfg", "tilezero"]
        assert found == [*expected, "tilerelease"]
        assert f"t{name}\t%tmm2, %tmm1, %tmm0" in text, "the destination is last, the first factor before it"


@pytest.mark.parametrize(
    ("target", "line", "message"),
    [
        ("avx512spr-x16", "amx_tile_zero(8);", "a tile is a constant from 0 to 7"),
        ("avx512spr-x16", "amx_tile_zero(n);", "a tile is a constant from 0 to 7"),
        ("avx512spr-x16", "amx_dpfp16ps(0, 1, 2);", "no AMX for fp16"),
        ("avx512spr-x16", "amx_tile_load(0, 1, 64);", "cannot convert"),
        ("avx2-i32x8", "amx_tile_release();", "amx.isph is for the targets avx512spr"),
    ],
)
def test_what_cannot_be_is_one_error_at_its_place(target: str, line: str, message: str) -> None:
    source = f"#include <amx.isph>\nexport void f(uniform int n) {{\n{line}\n}}\n"
    with pytest.raises(CompileError) as raised:
        compile_source(source, "k.ispc", Options(target=find_target(target)))
    assert message in str(raised.value)
    assert raised.value.diagnostics.error_count == 1


def test_targets_without_tiles_refuse_the_operations_themselves() -> None:
    with pytest.raises(CompileError, match="avx2-i32x8 has no AMX"):
        compile_source("void f() { __amx_tile_release(); }", "k.ispc", Options(target=find_target("avx2-i32x8")))
