"""Small members of structs of 2, 3, 4 and 8: taken apart and put together by shuffles of whole registers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from guard_pages import GuardedMemory
from kernels import compile_kernels
from passed_text import passed

COUNTS = (1, 8, 15, 16, 31, 32, 33, 100)
APART = 300
"""Elements from plane to plane: far enough for many gangs at once."""


def source(type: str, members: int) -> str:
    apart = " ".join(f"to[{member * APART} + i] = x[{members} * i + {member}];" for member in range(members))
    together = " ".join(f"to[{members} * i + {member}] = x[{member * APART} + i];" for member in range(members))
    head = f"(uniform {type} to[], const uniform {type} x[], uniform int n) {{ foreach (i = 0 ... n) {{ "
    return f"export void apart{head}{apart} }} }}\nexport void together{head}{together} }} }}\n"


@pytest.mark.parametrize(
    ("target", "type", "members"),
    [
        ("sse4-i32x8", "uint8", 3),
        ("sse4-i32x8", "int16", 4),
        *(("avx2-i32x8", "uint8", members) for members in (2, 3, 4, 8)),
        *(("avx2-i32x8", "int16", members) for members in (2, 4)),
    ],
)
def test_there_and_back(target: str, type: str, members: int) -> None:
    kernels = compile_kernels(source(type, members), target)
    random = np.random.default_rng(5)
    for n in COUNTS:
        values = random.integers(-99, 99, (n, members)).astype(type)
        size = (members - 1) * APART + n
        memory = [GuardedMemory(values.itemsize * count) for count in (n * members, size, n * members)]
        x, planes, back = (each.array(values.dtype, count) for each, count in zip(memory, (n * members, size, n * members)))
        given: Any = x
        given[:] = values.ravel()
        kernels.apart(planes, x, n)
        for member in range(members):
            assert (planes[member * APART : member * APART + n] == values[:, member]).all()
        kernels.together(back, planes, n)
        assert (back == x).all()


def test_sequences_of_the_code_generator_get_all_bytes_at_once() -> None:
    text = passed(source("uint8", 3), "avx2-i32x8")
    assert "load <96 x i8>" in text and "store <96 x i8>" in text


def test_a_group_whose_last_byte_is_not_read_is_not_loaded_whole() -> None:
    """It would be a byte too many."""
    text = "export void f(uniform uint8 to[], const uniform uint8 x[], uniform int n) {"
    text += "foreach (i = 0 ... n) to[i] = max(x[3 * i], x[3 * i + 1]); }"
    assert "load <96 x i8>" not in passed(text, "avx2-i32x8")
    f = compile_kernels(text, "avx2-i32x8").f
    for n in COUNTS:
        x = np.arange(3 * n).astype(np.uint8)
        memory, other = GuardedMemory(3 * n), GuardedMemory(n)
        given: Any = memory.array(np.uint8, 3 * n - 1)
        given[:] = x[:-1]
        to = other.array(np.uint8, n)
        f(to, given, n)
        assert (to == np.maximum(x[::3], x[1::3])).all()


def test_members_that_become_words_are_cut_out_of_whole_elements() -> None:
    """As before: with a shift and a mask each, where four of them in registers of their own take four shuffles a member."""
    text = "export void f(uniform float to[], const uniform uint8 x[], uniform int n) {"
    text += "foreach (i = 0 ... n) to[i] = x[4 * i] * 1.0f + x[4 * i + 1] * 2.0f + x[4 * i + 2] * 3.0f + x[4 * i + 3] * 4.0f; }"
    assert "shufflevector <32 x i8>" not in passed(text, "avx2-i32x8")


@pytest.mark.parametrize("type", ["uint8", "int16"])
@pytest.mark.parametrize(("members", "used"), [(2, (1,)), (4, (0, 1)), (4, (1, 3)), (8, (2, 3, 5)), (8, (0, 7)), (8, (6, 7))])
def test_nothing_is_read_before_the_first_and_behind_the_last_member(type: str, members: int, used: tuple[int, ...]) -> None:
    apart = " ".join(f"to[{at} * n + i] = x[{members} * i + {member - used[0]}];" for at, member in enumerate(used))
    text = (
        f"export void f(uniform {type} to[], const uniform {type} x[], uniform int n) {{ foreach (i = 0 ... n) {{ {apart} }} }}"
    )
    f = compile_kernels(text, "avx2-i32x8").f
    random = np.random.default_rng(5)
    for n in COUNTS:
        values = random.integers(-99, 99, (n, members)).astype(type)
        given = values.ravel()[used[0] : n * members - (members - 1 - used[-1])]
        memory, other = GuardedMemory(given.nbytes), GuardedMemory(n * len(used) * values.itemsize)
        x: Any = memory.array(values.dtype, given.size)
        x[:] = given
        planes = other.array(values.dtype, n * len(used))
        f(planes, x, n)
        assert (planes == values[:, list(used)].T.ravel()).all()


def test_rows_are_loaded_in_halves() -> None:
    """Nothing goes from one half of a register to the other but for what is loaded there."""
    for type, members in ("uint8", 8), ("uint8", 4), ("int16", 2), ("int16", 4), ("uint8", 2):
        text = passed(source(type, members), "avx2-i32x8")
        assert text.count("load <16 x i8>") >= 2 * members, (type, members)


@pytest.mark.parametrize("type", ["uint8", "int16"])
def test_what_lies_in_reverse_is_loaded_and_stored_whole(type: str) -> None:
    text = (
        f"export void load(uniform {type} to[], const uniform {type} x[], uniform int n) "
        "{ foreach (i = 0 ... n) to[i] = x[n - 1 - i] + 1; }\n"
        f"export void store(uniform {type} to[], const uniform {type} x[], uniform int n) "
        "{ foreach (i = 0 ... n) to[n - 1 - i] = x[i] + 1; }\n"
    )
    vector = {"uint8": "<32 x i8>", "int16": "<16 x i16>"}[type]
    made = passed(text, "avx2-i32x8")
    assert made.count(f"load {vector}") >= 2 and made.count(f"store {vector}") >= 2
    kernels = compile_kernels(text, "avx2-i32x8")
    for n in COUNTS:
        values = np.random.default_rng(n).integers(0, 99, n).astype(type)
        memory, other = GuardedMemory(values.nbytes), GuardedMemory(values.nbytes)
        x: Any = memory.array(values.dtype, n)
        x[:] = values
        for kernel in (kernels.load, kernels.store):
            to = other.array(values.dtype, n)
            kernel(to, x, n)
            assert (to == values[::-1] + 1).all()
