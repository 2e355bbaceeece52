"""Switches with so many labels that they are divided: what they compute, by a dictionary in Python."""

import random

import numpy as np
import pytest

import voltac

CASES = 300


def program(kind: str, type: str, labels: list[int], together: int, default: int) -> str:
    lines = []
    for number, label in enumerate(labels):
        if number == default:
            lines.append("default: y = y * 3 + 1; break;")
        end = "break;" if number % together == together - 1 else ""
        lines.append(f"case {label}: y = (y ^ {number % 97}) + 5; {end}")
    body = f"switch (x) {{ {' '.join(lines)} }}"
    if kind == "varying":
        loop = f"foreach (i = 0 ... n) {{ {type} x = a[i]; int y = i; {body} out[i] = y; }}"
    else:
        loop = f"for (uniform int i = 0; i < n; i++) {{ uniform {type} x = a[i]; uniform int y = i; {body} out[i] = y; }}"
    return f"export void f(uniform {type} a[], uniform int out[], uniform int n) {{ {loop} }}"


def expected(values: list[int], labels: list[int], together: int, default: int) -> list[int]:
    results = []
    for y, value in enumerate(values):
        place = labels.index(value) if value in labels else None
        if place is None:
            y = y * 3 + 1
        else:
            while True:
                y = (y ^ place % 97) + 5
                place += 1
                if place % together == 0 or place == len(labels):
                    break
                if place == default:
                    y = y * 3 + 1
                    break
        results.append(y)
    return results


@pytest.mark.parametrize("kind", ("uniform", "varying"))
@pytest.mark.parametrize("together", (1, 3))
@pytest.mark.parametrize("type", ("unsigned int", "int64"))
def test_a_large_switch_goes_where_its_labels_say(kind: str, together: int, type: str) -> None:
    draw = random.Random(f"{kind} {together} {type}")
    low, high = {"int": (-(2**31), 2**31), "unsigned int": (0, 2**32), "int64": (1 - 2**31, 2**31)}.get(type, (0, 2**16))
    some = draw.sample(range(-100, 1000) if low < 0 else range(1, 1000), CASES - 4)
    labels = [*some, low, low + 5000, high - 1, high - 5000]
    draw.shuffle(labels)
    default = draw.randrange(CASES)
    values = [*labels, *(draw.randrange(-200, 1200) if low < 0 else draw.randrange(1200) for _ in range(300))]
    draw.shuffle(values)
    f = voltac.compile(program(kind, type, labels, together, default)).f
    dtype = {"int": np.int32, "unsigned int": np.uint32, "int64": np.int64}.get(type, np.uint16)
    out = np.zeros(len(values), np.int32)
    f(np.array(values).astype(dtype), out, len(values))
    assert out.tolist() == expected(values, labels, together, default)


def test_many_returns_give_each_its_value() -> None:
    cases = "\n".join(f"case {k}: return (x ^ {k % 61}) * {k % 13};" for k in range(600))
    f = voltac.compile(
        f"static uniform int pick(uniform int which, uniform int x) {{ switch (which) {{ {cases} }} return -1; }}"
        "export void f(uniform int out[], uniform int n) { for (uniform int i = 0; i < n; i++) out[i] = pick(i, n - i); }"
    ).f
    out = np.zeros(700, np.int32)
    f(out, 700)
    assert out.tolist() == [((700 - k) ^ k % 61) * (k % 13) if k < 600 else -1 for k in range(700)]
