"""Random loops over rows of two arrays: rows of the lanes' own, columns, rows above and below, distances known and not.

A program has the interface of the run-tests (``run_programs.py``). All it computes is exact: unsigned integers that wrap, and
small numbers of the other types, of which products of three overflow nothing. What lanes write to one place, and what one
iteration leaves to the next, follows from the order of lanes and gangs, which all oracles keep; so the result depends on the
gang's width.
"""

from __future__ import annotations

import random

_SIZE, _BEGIN = 400, 50
"""Of an array, and where its rows begin; before and behind is room for neighbours."""
_MOST_COLUMNS, _MOST_ROWS = 13, 9
_MASKS = {"int": 63, "int16": 15, "int64": 63, "float": 63, "double": 63}
"""Signed type -> which bits of a value are stored; what signed integers overflow to is undefined."""
_TYPES = ("int", "unsigned int", "uint8", "int16", "int64", "float", "double")
_ROWS = ("{0} * n + {1}", "{0} * n + {1}", "({0} + 1) * n + {1}", "({0} - 1) * n + {1}", "k * n + {1}")
_OTHERS = ("{1} * n + {0}", "{0}", "n + {1}", "2 * {1} + {0} * n", "2 * {1} + 1 + {0} * n", "k + {1}", "{1}")
_STEPS = ("", "", "", " + 1", " - 1", " + n", " + 8", " - 8", " + 64", " + k", " + n - 1")


class _Rows:
    """The loops of one function: ``foreach`` inside of ``for`` (rows are ``y``), or around it (rows are the lanes')."""

    def __init__(self, rng: random.Random, type: str) -> None:
        self.rng, self.type = rng, type
        self.lanes_have_rows = rng.random() < 0.5

    def place(self, arrays: str, varies: bool = False) -> str:
        row, column = ("i", "j") if self.lanes_have_rows else ("y", "i")
        form = self.rng.choice(_ROWS if self.rng.random() < 0.5 else _OTHERS).format(row, column)
        if varies and "i" not in form:
            form = f"i * n + {column}" if self.lanes_have_rows else f"{row} * n + i"
        return f"{self.rng.choice(arrays)}[{_BEGIN} + {form}{self.rng.choice(_STEPS)}]"

    def value(self) -> str:
        terms = [self.place("aab")]
        for _ in range(self.rng.randrange(3)):
            other = self.rng.choice((self.place("aab"), self.place("aab"), "3", "x", f"({self.type})i"))
            terms.append(f"{self.rng.choice('+-*')} {other}")
        return " ".join(terms)

    def statement(self) -> str:
        to = self.place("aaaab", varies=True)
        if mask := _MASKS.get(self.type):
            text = f"{to} = ({self.type})((int)({self.value()}) & {mask});"
        else:
            text = f"{to} {self.rng.choice(('=', '=', '+=', '-='))} {self.value()};"
        return f"if ({self.place('ab')} > 3) {text}" if self.rng.random() < 0.15 else text

    def body(self) -> str:
        return " ".join(self.statement() for _ in range(self.rng.choice((1, 1, 1, 2, 3))))

    def loops(self) -> str:
        first = self.rng.choice(("0", "k", "1"))
        load = f"{self.type} x = b[{_BEGIN} + i];"
        if self.lanes_have_rows:
            last = self.rng.choice(("n", "n - 1", "9"))
            counted = f"for (uniform int j = {self.rng.choice(('0', '0', 'k'))}; j < {last}; j++) {{ {self.body()} }}"
            return f"foreach (i = {first} ... m) {{ {load} {counted} }}"
        start, end = self.rng.choice(("0", "0", "k", "1")), self.rng.choice(("n", "n", "n - 1", "11"))
        gangs = f"foreach (i = {start} ... {end}) {{ {load} {self.body()} }}"
        return f"for (uniform int y = {first}; y < m; y++) {gangs}"


def _call(rng: random.Random, name: str, arrays: str) -> str:
    """Lengths that the compiler sees, or not: the run-tests give 64."""
    columns, rows, k = rng.randint(0, _MOST_COLUMNS), rng.randint(0, _MOST_ROWS), rng.randrange(3)
    if rng.random() < 0.6:
        return f"    {name}({arrays}n - {64 - columns}, n - {64 - rows}, n - {64 - k});"
    return f"    {name}({arrays}{columns}, {rows}, {k});"


def random_rows(seed: int) -> str:
    """The program of a seed."""
    rng = random.Random(f"rows {seed}")
    type = rng.choice(_TYPES)
    functions, calls = list[str](), list[str]()
    for number in range(rng.randint(1, 3)):
        given = rng.random() < 0.5
        parameters = f"uniform {type} a[], uniform {type} b[], " if given else ""
        head = f"static void rows_{number}({parameters}uniform int n, uniform int m, uniform int k)"
        functions.append(f"{head} {{\n    {_Rows(rng, type).loops()}\n}}")
        calls += [_call(rng, f"rows_{number}", "a, b, " if given else "") for _ in range(2)]
    return "\n".join(
        (
            f"static uniform {type} a[{_SIZE}], b[{_SIZE}];",
            *functions,
            "export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {",
            f"    foreach (j = 0 ... {_SIZE}) a[j] = ({type})((j * 7 + 3) % 23);",
            f"    foreach (j = 0 ... {_SIZE}) b[j] = ({type})((j * 5 + i[j & 31]) & 15);",
            *calls,
            f"    foreach (j = 0 ... {_SIZE}) {{ out[j] = (double)a[j]; out[512 + j] = (double)b[j]; }}",
            "}",
            "",
        )
    )
