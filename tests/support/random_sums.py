"""Random loops over floats that read their neighbours: sums of products within branches and loops, each lane for itself.

Nothing in them depends on the size of a gang, so that results have the same bits in all of them (language 8.5), fused
multiply-adds included. Other generators are judged by the interpreter, which fuses nothing, and keep to numbers of which all
products are exact; these numbers are not.
"""

from __future__ import annotations

import random

_COUNT = 200
"""Elements: several gangs at once, and a rest in gangs of any size."""
_DISTANCES = (0, 0, 1, 2, 3, 4, 8, 16, 32)
"""To the neighbours that are read: those of a gang are shared with the next one."""
_DEEPEST = 3
_HEAD = f"""static inline float add_product(float x, float y) {{ float p = x * y; return p + x; }}
struct Point {{ float x, y; }};
static inline Point operator*(Point p, float s) {{ Point q = {{ p.x * s, p.y * s }}; return q; }}
static inline Point operator+(Point p, Point q) {{ Point r = {{ p.x + q.x, p.y + q.y }}; return r; }}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {{
    uniform float a[{_COUNT}], b[{_COUNT + max(_DISTANCES)}];
    for (uniform int j = 0; j < {_COUNT + max(_DISTANCES)}; j++)
        b[j] = abs(f[j & 63] * (0.001f * (j + 700))) - 0.5f;
    foreach (k = 0 ... {_COUNT}) {{
        float x = b[k], y = 1.3f;
"""
_TAIL = f"""    }}
    foreach (k = 0 ... {_COUNT})
        out[k] = a[k];
}}
"""


def random_sums(seed: int) -> str:
    """A program for ``run_programs``."""
    sums = _Sums(random.Random(seed))
    lines = sums.statements(["x", "y"], 0)
    indented = "".join(f"        {line}\n" for line in lines)
    return f"{_HEAD}{indented}        a[k] = {sums.value(['x', 'y'])};\n{_TAIL}"


class _Sums:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.number = 0

    def name(self, stem: str) -> str:
        self.number += 1
        return f"{stem}{self.number}"

    def leaf(self, known: list[str]) -> str:
        chance = self.rng.random()
        if chance < 0.55:
            return self.rng.choice(known)
        if chance < 0.8:
            return f"b[k + {self.rng.choice(_DISTANCES)}]"
        return self.rng.choice(("f[3]", "f[5]", "0.3f", "1.7f", "-0.6f"))

    def value(self, known: list[str], depth: int = 0) -> str:
        chance = self.rng.random()
        if depth > _DEEPEST or chance < 0.12:
            return self.leaf(known)
        first, second = self.value(known, depth + 1), self.value(known, depth + 1)
        if chance < 0.9:
            return f"({first} {self.rng.choice('***++-')} {second})"
        if chance < 0.93:
            return f"add_product({first}, {second})"
        if chance < 0.96:
            return f"(sqrt(abs({first})) - floor({second}))"
        return f"({first} < {self.leaf(known)} ? {second} : {self.leaf(known)})"

    def statements(self, known: list[str], depth: int) -> list[str]:
        known = list(known)
        lines: list[str] = []
        for _ in range(self.rng.randint(2, 4)):
            lines += self.statement(known, depth)
        return lines

    def statement(self, known: list[str], depth: int) -> list[str]:
        chance = self.rng.random()
        if chance < 0.45:
            made = f"float {self.name('t')} = {self.value(known)};"
            known.append(made.split()[1])
            return [made]
        if chance < 0.55:
            point, ray = self.name("p"), self.name("p")
            lines = [f"Point {point} = {{ {self.leaf(known)}, {self.leaf(known)} }};"]
            lines.append(f"Point {ray} = {point} + {point} * {self.value(known, 2)};")
            known += [f"{ray}.x", f"{ray}.y"]
            return lines
        if chance < 0.7 or depth > 1:
            return [f"{self.rng.choice(('x', 'y'))} {self.rng.choice(('=', '+=', '-='))} {self.value(known)};"]
        inner = [f"    {line}" for line in self.statements(known, depth + 1)]
        if chance < 0.85:
            lines = [f"{self.rng.choice(('if', 'cif'))} ({self.value(known, 2)} < {self.leaf(known)}) {{", *inner]
            if self.rng.random() < 0.5:
                lines += ["} else {", *(f"    {line}" for line in self.statements(known, depth + 1))]
            return [*lines, "}"]
        counter = self.name("c")
        uniform = (("uniform int", "3"), ("uniform int", "n / 16"))
        rate, times = self.rng.choice((*uniform, ("int", "4"), ("int", "(i[k & 63] & 3)")))
        return [f"for ({rate} {counter} = 0; {counter} < {times}; {counter}++) {{", *inner, "}"]
