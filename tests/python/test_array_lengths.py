"""Arrays shorter than what a kernel uses of them are refused, by declared lengths and by what every call does."""

from __future__ import annotations

import ctypes
import itertools
import random
from typing import Any

import numpy as np
import pytest

import voltac

HOST: dict[str, Any] = {"target": "sse4-i32x4", "cache": False}
MARGIN = 300
"""Elements around arrays, so that an access that nobody refuses hurts nobody."""


def floats(count: int) -> Any:
    return np.zeros(count, np.float32)


def within(count: int) -> Any:
    """An array around which there is room for mistakes."""
    return floats(count + 2 * MARGIN)[MARGIN : MARGIN + count]


def kernel(parameters: str, body: str = "", **options: Any) -> Any:
    return voltac.compile(f"export void f({parameters}) {{ {body} }}", **(HOST | options)).f


@pytest.mark.parametrize(
    "length, given, count",
    [
        ("n", {"n": 5}, 5),
        ("n", {"n": 0}, 0),
        ("n", {"n": -3}, 0),
        ("2 * n + w", {"n": 5, "w": 3}, 13),
        ("n * w - 1", {"n": 5, "w": 3}, 14),
        ("n * w", {"n": 2**31 - 1, "w": -1}, 0),
        ("w - n", {"n": 5, "w": 8}, 3),
        ("16", {}, 16),
        ("SIZE", {}, 7),
        ("SIZE * n", {"n": 2}, 14),
    ],
)
@pytest.mark.parametrize("checked", [False, True])
def test_a_declared_length_is_needed(length: str, given: dict[str, int], count: int, checked: bool) -> None:
    source = f"const uniform int SIZE = 7;\nexport void f(uniform float a[{length}], uniform int n, uniform int w) {{ }}"
    f = voltac.compile(source, **HOST).f
    numbers: list[Any] = [given.get("n", 1), given.get("w", 1)]
    if checked:  # a number that only the long way takes
        numbers[0] = np.array(numbers[0])
    f(floats(count), *numbers)
    f(floats(count + 1), *numbers)
    if count:
        with pytest.raises(ValueError, match=rf"argument 1 'a' .* with at least {count} element"):
            f(floats(count - 1), *numbers)


@pytest.mark.parametrize(
    "kind, largest", [("int8", 127), ("unsigned int8", 255), ("unsigned int", 2**32 - 1), ("uint64", 2**64 - 1)]
)
def test_lengths_are_of_any_integer_type(kind: str, largest: int) -> None:
    f = kernel(f"uniform float a[n], uniform {kind} n")
    f(floats(100), 100)
    with pytest.raises(ValueError, match="at least 101 elements"):
        f(floats(100), 101)
    with pytest.raises(ValueError, match=f"at least {largest} elements"):
        f(floats(100), largest)


def test_products_of_large_numbers_are_exact() -> None:
    f = kernel("uniform float a[n * m], uniform int64 n, uniform int m")
    with pytest.raises(ValueError, match=f"at least {(2**63 - 1) * (2**31 - 1)} elements"):
        f(floats(3), 2**63 - 1, 2**31 - 1)
    # In 64 bits that would be 0.
    with pytest.raises(ValueError, match=f"at least {2**62 * 4} elements"):
        f(floats(3), 2**62, 4)
    f(floats(3), -(2**63), 2**31 - 1)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ("uniform float a[n], uniform float n", "must be a uniform integer, not 'uniform float'"),
        ("uniform float a[n / 2], uniform int n", r"must be made of numbers and signed integer parameters by \+, - and \*"),
        ("uniform float a[n + 1], uniform unsigned int n", "or be one unsigned parameter"),
        ("uniform float a[n * n * n * n * n], uniform int n", "at most 120 bits in all"),
        ("uniform float a[m], uniform int n", "'m' is not declared"),
        ("uniform float a[2][n], uniform int n", "'n' is not declared"),
        ("uniform float a[-1], uniform int n", "cannot be negative"),
    ],
)
def test_a_length_that_a_caller_cannot_tell_is_an_error(parameters: str, message: str) -> None:
    with pytest.raises(voltac.CompileError, match=message):
        kernel(parameters)


def test_the_length_of_a_varying_parameter_is_an_error() -> None:
    with pytest.raises(voltac.CompileError, match="must be a uniform integer, not 'varying int32'"):
        voltac.compile("void g(uniform float a[n], int n) { }", **HOST)


def test_lengths_stand_wherever_parameters_do() -> None:
    source = """
    struct Point { float x, y; };
    void before(uniform float a[n], uniform int n);
    static inline float sum(uniform float a[n], uniform int n) { return a[n - 1]; }
    template <typename T> T last(const uniform T a[n], uniform int n) { return a[n - 1]; }
    export void f(uniform float rows[n][4], const uniform Point p[n], uniform float out[n], uniform int n) {
        foreach (i = 0 ... n) out[i] = rows[i][3] + p[i].y + sum(out, n) + last<float>(out, n);
        before(out, n);
    }
    void before(uniform float a[n], uniform int n) { n += 1; }
    """
    f = voltac.compile(source, **HOST).f
    point = np.zeros(3, f.dtype("p"))
    f(floats(12), point, floats(3), 3)
    with pytest.raises(ValueError, match=r"'rows' .* at least 3 objects of 4 elements each"):
        f(floats(8), point, floats(3), 3)
    with pytest.raises(ValueError, match=r"'p' .* at least 3 elements, .*it is declared p\[n\], and n is 3"):
        f(floats(12), point[:2], floats(3), 3)


def test_an_omitted_length_is_that_of_the_arrays() -> None:
    f = kernel("uniform float a[n], uniform float out[n], uniform int n", "foreach (i = 0 ... n) out[i] = a[i] + 1;")
    out = floats(6)
    f(floats(6), out)
    assert (out == 1).all()
    f(floats(6), out=out)
    f(floats(7), out, 6)
    with pytest.raises(ValueError, match="needs 'n', as arrays differ in length: 'a' has 7, 'out' has 6"):
        f(floats(7), out)
    with pytest.raises(TypeError, match="needs 'n', as it gets an address"):
        f(floats(6), ctypes.c_void_p(out.ctypes.data))
    with pytest.raises(TypeError, match="missing: 'out'"):
        f(floats(6))


def test_an_omitted_length_has_to_fit_its_type() -> None:
    f = kernel("uniform float a[n], uniform int8 n")
    f(floats(127))
    with pytest.raises(ValueError, match=r"'n' .* must be in the range -128 .. 127, not int 128"):
        f(floats(128))


def test_omitted_lengths_of_rows_count_rows() -> None:
    f = kernel("uniform float a[n][4], uniform float out[], uniform int n", "out[0] = n;")
    out = floats(1)
    f(np.zeros((5, 4), np.float32), out)
    assert out[0] == 5


def test_a_length_of_more_than_a_parameter_is_not_filled_in() -> None:
    f = kernel("uniform float a[2 * n], uniform int n")
    with pytest.raises(TypeError, match="missing: 'n'"):
        f(floats(6))


def test_the_message_says_which_line_uses_what() -> None:
    source = """export void f(uniform float x[], uniform float out[], uniform int n) {
        foreach (i = 1 ... n)
            out[i] = x[2 * i + 1]; }"""
    f = voltac.compile(source, **HOST).f
    f(floats(20), floats(10), 10)
    with pytest.raises(ValueError, match=r"'x' .* at least 20 elements, .* line 3 uses x\[19\] where n is 10"):
        f(floats(19), floats(10), 10)
    with pytest.raises(ValueError, match=r"at least 200000000 elements"):
        f(floats(20), floats(10), 100_000_000)


def test_elements_before_the_first_are_refused() -> None:
    f = kernel("uniform float x[], uniform int n", "foreach (i = 0 ... n) x[i - 1] = 1;")
    f(floats(4), 0)
    with pytest.raises(ValueError, match=r"elements before the first are not used, .* uses x\[-1\]"):
        f(floats(4), 3)


NOT_EVERY_CALL = [
    "foreach (i = 0 ... n) if (a[0] > 0) a[i] = 1;",
    "foreach (i = 0 ... n) { if (a[0] == 0) continue; a[i] = 1; }",
    "foreach (i = 0 ... n) { float x = a[0] > 0 ? a[i] : 0; b[i] = x; }",
    "foreach (i = 0 ... n) { bool x = a[0] > 0 && a[i] > 0; b[i] = x; }",
    "if (n > 4) return; foreach (i = 0 ... n) a[i] = 1;",
    "if (a[0] == 0) return; foreach (i = 0 ... n) a[i] = 1;",
    "for (uniform int k = 0; k < 0; ++k) foreach (i = 0 ... n) a[i] = 1;",
    "while (true) { return; } foreach (i = 0 ... n) a[i] = 1;",
    "n = 2; foreach (i = 0 ... n) a[i] = 1;",
    "uniform int m = n; m /= 4; foreach (i = 0 ... m) a[i] = 1;",
    "a = &b[0]; foreach (i = 0 ... n) a[i] = 1;",
    "foreach (i = 0 ... n, j = 0 ... n - 8) a[i + j] = 1;",
    "foreach (i = 0 ... n) { int k = 0; k *= i; a[k] = 1; }",
    "foreach (i = 0 ... n / 4) a[i] = 1;",
    "uniform int * uniform p = &n; *p = 1; foreach (i = 0 ... n) a[i] = 1;",
    "uniform float * uniform p = &a[i0]; foreach (i = 0 ... n) p[i - 6 - i0 / 3] = 1;",
    "foreach (i = 0 ... n) { uniform float * p = &a[i]; if (p == NULL) b[0] = 1; }",
    "leave(); foreach (i = 0 ... n) a[i] = 1;",
    "goto end; foreach (i = 0 ... n) a[i] = 1; end: ;",
    "switch (n) { case 1: foreach (i = 0 ... n) a[i] = 1; }",
]


@pytest.mark.parametrize("body", NOT_EVERY_CALL)
def test_what_not_every_call_does_is_not_asked_for(body: str) -> None:
    if body.startswith("leave"):
        body = body.replace("leave();", "if (a[0] == 0) return;")
    source = (
        "export void f(uniform float a[], uniform float b[], uniform int n, uniform int i0) { cif (true) { } " + body + " }"
    )
    voltac.compile(source, **HOST).f(within(4), within(16), 6, 6)


def test_what_stands_behind_an_assertion_is_not_asked_for() -> None:
    source = """
    static void check(uniform int n) { assert(n < 5); }
    export void f(uniform float a[], uniform int n) { check(n); foreach (i = 0 ... n) a[i] = 1; }
    """
    with pytest.raises(AssertionError):
        voltac.compile(source, **HOST).f(floats(4), 6)


@pytest.mark.parametrize(
    "body",
    [
        "foreach (i = 0 ... n) a[i] = 1;",
        "foreach_tiled (y = 0 ... 1, i = 0 ... n) a[i + y] = 1;",
        "const uniform int m = n - 1; foreach (i = 0 ... m + 1) { int k = i; a[k] = 1; }",
        "uniform float * uniform p = a + 1; foreach (i = 0 ... n) p[i - 1] = 1;",
        "a[n - 1] = 1;",
        "uniform float x = a[n - 1]; b[0] = x;",
        "if (b[0] > 0) b[0] = 1; foreach (i = 0 ... n) { if (i > 2) b[0] = 1; a[i] += 1; }",
        "foreach (i = 0 ... n) if (a[i] > 0) b[0] = 1;",
        "foreach (i = -n ... 0) a[i + n]++;",
        "foreach (i = 0 ... n) a[n - 1 - i] = 1;",
        "foreach (y = 0 ... w, x = 0 ... n) b[x] = a[x];",
        "b[0] = abs(a[n - 1]);",
    ],
)
def test_what_every_call_does_is_asked_for(body: str) -> None:
    f = kernel("uniform float a[], uniform float b[], uniform int n, uniform int w", body)
    f(floats(6), floats(16), 6, 6)
    with pytest.raises(ValueError, match=r"'a' .* at least 6 elements"):
        f(floats(5), floats(16), 6, 6)


def test_addresses_and_null_pointers_have_no_length() -> None:
    f = kernel("uniform float a[n], uniform int n", "if (a != NULL) foreach (i = 0 ... n) a[i] = 1;")
    f(None, 6)
    array = floats(6)
    f(ctypes.c_void_p(array.ctypes.data), 6)
    assert (array == 1).all()


def test_arrays_of_a_device_have_lengths_too() -> None:
    f = kernel("uniform float a[n], uniform int n", "foreach (i = 0 ... n) a[i] = 1;", target="naplespu")
    array = floats(16)
    f(array)
    assert (array == 1).all()
    with pytest.raises(ValueError, match="at least 17 elements"):
        f(array, 17)


class RandomKernel:
    """A loop nest over sums of its variables, as source and as what it uses of each array."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dimensions = self.random.choice([1, 1, 2])
        names = ["n", "w"]
        self.ranges = [self.bounds(names) for _ in range(self.dimensions)]
        loops = ", ".join(f"{'ij'[number]} = {first} ... {last}" for number, (first, last) in enumerate(self.ranges))
        self.indices = {"a": self.index(), "out": self.index()}
        word = self.random.choice(["foreach", "foreach_tiled"])
        self.source = (
            "export void f(uniform float a[], uniform float out[], uniform int n, uniform int w) {\n"
            f"  {word} ({loops})\n    out[{self.indices['out']}] = a[{self.indices['a']}];\n}}"
        )

    def bounds(self, names: list[str]) -> tuple[str, str]:
        first = self.random.choice(["0", "0", "1", "-1", "w", "-n"])
        last = self.random.choice([*names, *names, "n - 1", "n + w", "2 * n", "3"])
        return first, last

    def index(self) -> str:
        terms = [f"{self.random.choice([1, 1, 1, 2, -1])} * i"]
        if self.dimensions == 2:
            terms.append(self.random.choice(["j", "n * j", "w * j", "(n - w) * j", "-2 * j", "i * j"]))
        terms.append(self.random.choice(["0", "0", "1", "-1", "n", "w", "n * w"]))
        return " + ".join(terms)

    def is_inside(self, lengths: dict[str, int], n: int, w: int) -> bool:
        spans = [range(eval(first, {"n": n, "w": w}), eval(last, {"n": n, "w": w})) for first, last in self.ranges]
        for values in itertools.product(*spans):
            names = dict(zip("ij", values)) | {"n": n, "w": w}
            if any(not 0 <= eval(index, {}, names) < lengths[array] for array, index in self.indices.items()):
                return False
        return True


@pytest.mark.parametrize("seed", range(40))
def test_random_loops_are_refused_exactly_if_they_leave_their_arrays(seed: int) -> None:
    one = RandomKernel(seed)
    f = voltac.compile(one.source, **HOST).f
    backing = {name: floats(2 * MARGIN + 64) for name in ("a", "out")}
    for _ in range(60):
        n, w = one.random.randint(-1, 5), one.random.randint(-1, 5)
        lengths = {name: one.random.choice([0, 1, 3, 5, 8, 12, 25, 40]) for name in backing}
        arrays = [backing[name][MARGIN : MARGIN + length] for name, length in lengths.items()]
        if one.is_inside(lengths, n, w):
            f(*arrays, n, w)
        else:
            with pytest.raises(ValueError, match="must be an array"):
                f(*arrays, n, w)


@pytest.mark.parametrize("type_", ["int64", "unsigned int", "uint64", "size_t", "int", "unsigned int8"])
@pytest.mark.parametrize("target", ["sse4-i32x4", "naplespu"])
def test_counts_of_every_type_are_held_against_the_length(type_: str, target: str) -> None:
    f = kernel(f"uniform float a[], uniform {type_} n", "foreach (i = 0 ... n) a[i] = 7;", target=target)
    for call in [f, f._arguments] if target != "naplespu" else [f]:
        a = within(20)
        call(a, 20)
        assert (a == 7).all()
        for count in (21, 200):
            with pytest.raises(ValueError, match=f"argument 1 'a' .* with at least {count} elements"):
                call(within(20), count)
        if type_ in ("int64", "uint64", "unsigned int"):
            # As an int32 each of these is 5 or less.
            for count in (2**32 + 5, 2**31) if type_ != "unsigned int" else (2**31, 2**32 - 1):
                with pytest.raises(ValueError, match=r"'n' .* in the range .* 2147483647, .*; line 1 converts it to int32"):
                    call(within(20), count)
        if type_ == "int64":
            with pytest.raises(ValueError, match="in the range -2147483648"):
                call(within(20), -(2**32) + 5)


def test_a_count_that_no_call_converts_may_be_any_number() -> None:
    f = kernel("uniform float a[], uniform int64 n", "if (n < 10) { foreach (i = 0 ... n) a[i] = 7; }")
    f(floats(3), 2**40)
    g = kernel("uniform float a[n], uniform int64 n")
    g(floats(3), -(2**40))
    with pytest.raises(ValueError, match="at least 1099511627776 elements"):
        g(floats(3), 2**40)
