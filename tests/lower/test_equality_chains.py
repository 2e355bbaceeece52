"""Long chains of ``else if`` that compare one variable: each lane takes the arm that it would take alone."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from kernels import compile_kernels
from lowering import text_after

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]
NUMBERS = [k * 37 % 101 - 20 for k in range(40)]


def chain(arms: list[tuple[str, str]], otherwise: str) -> str:
    return " else ".join(f"if ({test}) {{ {body} }}" for test, body in arms) + f" else {{ {otherwise} }}"


def source(statements: str, type: str = "int32") -> str:
    return (
        f"export void f(uniform {type} from[], uniform int32 to[], uniform int n) {{ foreach (i = 0 ... n) {{\n"
        f"{type} k = from[i]; int r = i; if ((i & 7) != 3) {{ {statements} }} to[i] = r; }} }}"
    )


def one_arm(k: int, i: int) -> int:
    return NUMBERS.index(k) * 1000 + i if k in NUMBERS else -1


def until_found(k: int, i: int) -> int:
    return 100 + NUMBERS.index(k) if k in NUMBERS else 7


def two_steps(k: int, i: int) -> int:
    # Each arm hands k on to the one after the next, which must not see it; what is left in k is added.
    at = NUMBERS.index(k) if k in NUMBERS else -1
    return at + (NUMBERS[(at + 2) % 40] if at >= 0 else k)


ROWS: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "plain": (source(chain([(f"k == {v}", f"r += {1000 * n};") for n, v in enumerate(NUMBERS)], "r = -1;")), one_arm),
    "numbers met before": (
        source(chain([(f"k == {v}", f"r += {1000 * n};") for n, v in enumerate([*NUMBERS, *NUMBERS[::-1]])], "r = -1;")),
        one_arm,
    ),
    "changed in an arm": (
        source(
            chain([(f"k == {v}", f"k = {NUMBERS[(n + 2) % 40]}; r = {n};") for n, v in enumerate(NUMBERS)], "r = -1;")
            + "r += k;"
        ),
        two_steps,
    ),
    "changed through a reference": (
        source(
            "int &p = k;"
            + chain([(f"k == {v}", f"p = {NUMBERS[(n + 2) % 40]}; r = {n};") for n, v in enumerate(NUMBERS)], "r = -1;")
            + "r += k;"
        ),
        two_steps,
    ),
    "returns": (
        "static int g(int k) {"
        + chain([(f"k == {v}", f"return {100 + n};") for n, v in enumerate(NUMBERS)], "k = 5;")
        + "return k + 2; }"
        + source("r = g(k);"),
        until_found,
    ),
    "breaks": (
        source(
            "for (uniform int t = 0; t < 3; ++t) {"
            + chain([(f"k == {v}", f"r = {100 + n}; break;") for n, v in enumerate(NUMBERS)], "r = 7;")
            + "}"
        ),
        until_found,
    ),
}


@pytest.mark.parametrize(("row", "target"), [(row, TARGETS[k % len(TARGETS)]) for k, row in enumerate(ROWS)])
def test_each_lane_takes_its_arm(row: str, target: str) -> None:
    text, expected = ROWS[row]
    from_ = np.random.default_rng(3).permutation(np.arange(-30, 100)).astype(np.int32)
    to = np.zeros(len(from_), np.int32)
    compile_kernels(text, target=target, opt=1).f(from_, to, len(from_))
    wanted = [i if i & 7 == 3 else expected(int(k), i) for i, k in enumerate(from_)]
    np.testing.assert_array_equal(to, np.array(wanted, np.int32))


def test_a_number_written_in_two_ways_is_one_number() -> None:
    tests = [f"k == {n}" for n in range(20)] + ["k == 4294967295u", "k == -1"]
    text = source(chain([(test, f"r = {n};") for n, test in enumerate(tests)], "r = -1;"), "uint32")
    from_ = np.array([0, 4294967295, 19, 5, 20, 4294967294, 4294967295], np.uint32)
    to = np.zeros(len(from_), np.int32)
    compile_kernels(text, target="avx2-i32x8", opt=1).f(from_, to, len(from_))
    np.testing.assert_array_equal(to, [0, 20, 19, 3, -1, -1, 20])


def test_masks_of_late_arms_are_made_of_the_mask_before_the_chain() -> None:
    text = text_after("lower", ROWS["plain"][0]).partition("\n}")[0]
    joined = Counter(line.split("and <8 x i32> ")[1].split(",")[0] for line in text.splitlines() if "= and <8 x i32> " in line)
    assert joined.most_common(1)[0][1] >= len(NUMBERS) - 17
    changed = text_after("lower", ROWS["changed in an arm"][0]).partition("\n}")[0]
    joined = Counter(
        line.split("and <8 x i32> ")[1].split(",")[0] for line in changed.splitlines() if "= and <8 x i32> " in line
    )
    assert joined.most_common(1)[0][1] <= 4


FLOATS = [*("1.5f", "0.0f", "0.1f", "-0.0f", "0.100000001f"), *(f"{k}.25f" for k in range(20)), *("1e-40f", "7.25f")]


def test_a_lane_takes_the_first_arm_of_a_float_that_it_equals() -> None:
    """The zeros are equal, 0.1 and 0.100000001 as floats, nan and nan never."""
    tests = [f"k == {number}" for number in FLOATS]
    tests[12:12] = ["k == (0.0f / 0.0f)"]
    text = source(chain([(test, f"r += {1000 * n};") for n, test in enumerate(tests)], "r = -1;"), "float")
    numbers = [np.float32(number.rstrip("f")) for number in FLOATS]
    numbers[12:12] = [np.float32(np.nan)]
    from_ = np.array([*numbers, -1e-40, 0, 5.5, np.inf], np.float32)
    to = np.zeros(len(from_), np.int32)
    compile_kernels(text, target="avx2-i32x8", opt=1).f(from_, to, len(from_))
    for i, k in enumerate(from_):
        arm = next((n for n, number in enumerate(numbers) if number == k), None)
        assert to[i] == (i if i & 7 == 3 else -1 if arm is None else 1000 * arm + i), (i, k)


@pytest.mark.parametrize(("last", "arms"), [("7.5f", 24), ("1e-38f", 23), ("-0.0f", 23), ("3.25f", 23)])
def test_what_may_equal_a_number_before_is_no_part_of_the_chain(last: str, arms: int) -> None:
    """Where denormals are taken for zeros, each is equal to zero."""
    numbers = [*(f"{k}.25f" for k in range(22)), "0.0f", last]
    text = text_after("lower", source(chain([(f"k == {v}", f"r += {n};") for n, v in enumerate(numbers)], "r = -1;"), "float"))
    joined = Counter(
        line.split("and <8 x i32> ")[1].split(",")[0]
        for line in text.partition("\n}")[0].splitlines()
        if "= and <8 x i32> " in line
    )
    assert joined.most_common(1)[0][1] == arms - 14
