"""Random programs of what shared headers are made of, with what they must give, computed here by the reference's rules.

Overload sets of values, references and references to const of both rates, called with every kind of argument: which one is
called follows from the table of section 6.3 of the language. Enumerators combined by operators stay
their enum and count in 32 bits.
Declarations lack their type and are int32. Functions are cast to pointers whose parameters differ in const, or lead to other
structs. The interface is that of the run-tests (``run_programs.py``).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

SCALARS = ("bool", "int8", "uint8", "int16", "uint16", "int", "uint", "int64", "uint64", "float16", "float", "double")
OTHERS = ("V", "W", "E")
"""Two structs and an enum."""


@dataclass(frozen=True)
class Form:
    """A parameter, or a variable that is an argument."""

    type: str
    uniform: bool
    const: bool
    reference: bool

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{'uniform' if self.uniform else 'varying'} {self.type}"

    def declared(self, name: str) -> str:
        return f"{self} {'&' if self.reference else ''}{name}"


def _bits(name: str) -> int:
    return {"bool": 1, "int": 32, "uint": 32, "float": 32, "double": 64}.get(name) or int(name.lstrip("uintfloa"))


def widens(source: str, target: str) -> bool:
    """The paragraph on widening behind the table; signs do not count."""
    if source == "bool":
        return True
    if target == "bool":
        return False
    floating = target in ("float16", "float", "double")
    if source in ("float16", "float", "double"):
        return floating and _bits(target) >= _bits(source)
    if floating:
        return _bits(source) <= 16
    return _bits(target) >= _bits(source)


def cost(given: Form, parameter: Form) -> int | None:
    """A row of the table."""
    same = given.type == parameter.type
    if parameter.reference:
        if not same or given.uniform != parameter.uniform or (given.const and not parameter.const):
            return None
        if given.reference and given.const == parameter.const:
            return 0
        return 4 if parameter.const and not given.const else 2
    if parameter.uniform and not given.uniform:
        return None
    base = 2 if given.reference else 0
    becomes_varying = given.uniform and not parameter.uniform
    if same:
        return base + (16 if becomes_varying else int(given.const != parameter.const))
    if parameter.type not in SCALARS or given.type in ("V", "W"):
        return None
    if given.type in SCALARS and widens(given.type, parameter.type):
        return base + (128 if becomes_varying else 8)
    return base + (192 if becomes_varying else 64)


def choose(overloads: Sequence[Sequence[Form]], given: Sequence[Form]) -> int | str:
    """The number of the overload that is called, or the word of the error."""
    sums = []
    for number, parameters in enumerate(overloads):
        found = [cost(one, parameter) for one, parameter in zip(given, parameters)]
        if len(given) == len(parameters) and None not in found:
            sums.append((sum(one for one in found if one is not None), number))
    if not sums:
        return "accept"
    least = min(sums)[0]
    best = [number for total, number in sums if total == least]
    return best[0] if len(best) == 1 else "equally"


@dataclass
class Program:
    """``expected`` are the leading elements of out; ``wrong`` are calls and the words of their errors, not in the text."""

    declarations: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    in_lanes: list[str] = field(default_factory=list)
    expected: list[float] = field(default_factory=list)
    by_lane: list[npt.NDArray[np.float64]] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text([])

    def text(self, more: Sequence[str]) -> str:
        lines = [*self.declarations, _HEAD, *(f"    {line}" for line in [*self.body, *more])]
        lines += ["    foreach (k = 0 ... n) {", *(f"        {line}" for line in self.in_lanes), "    }", "}"]
        return "\n".join(lines) + "\n"

    def result(self) -> npt.NDArray[np.float64]:
        out = np.zeros(1024)
        out[: len(self.expected)] = self.expected
        for number, values in enumerate(self.by_lane):
            out[512 + 64 * number :][:64] = values
        return out


_HEAD = "export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {"
_PRELUDE = """struct V { int x; };
struct W { int x; float y; };
enum E { NONE, ONE, TWO, FOUR = 4, HIGH = 0x80000000 };
enum F { OTHER = 3 };
struct Box { uint8 tag; int x; double d; };
struct Crate { uint8 tag; int x; double d; int more; };"""


class Generator:
    def __init__(self, seed: int, integers: npt.NDArray[np.int32]) -> None:
        self.rng = random.Random(seed)
        self.program = Program([_PRELUDE])
        self.integers = integers
        self.names = 0

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def out(self, value: str, expected: float) -> None:
        self.program.body.append(f"out[{len(self.program.expected)}] = {value};")
        self.program.expected.append(expected)

    # --- overloads ---

    def form(self, types: Sequence[str]) -> Form:
        chance = self.rng.random
        return Form(self.rng.choice(types), chance() < 0.5, chance() < 0.4, chance() < 0.5)

    def overload_set(self) -> None:
        """Declarations of one name, and calls of it."""
        types = self.rng.sample((*SCALARS, *OTHERS), self.rng.randint(1, 3))
        count = self.rng.choice((1, 1, 2))
        overloads = list(dict.fromkeys(tuple(self.form(types) for _ in range(count)) for _ in range(self.rng.randint(2, 9))))
        name = self.name("f")
        if count == 2 and self.rng.random() < 0.5 and all({"V", "W"} & {one.type for one in each} for each in overloads):
            name = f"operator{self.rng.choice(('+', '*', '==', '<', '&', '||', '%', '>>'))}"
            if any(line.startswith("static") and f"{name}(" in line for line in self.program.declarations):
                return
        for number, parameters in enumerate(overloads):
            shown = ", ".join(one.declared(f"p{place}") for place, one in enumerate(parameters))
            style = self.rng.choice(("static ", "static inline ", "static noinline "))
            self.program.declarations.append(f"{style}uniform int {name}({shown}) {{ return {number}; }}")
        for _ in range(6):
            given = [self.form((*types, self.rng.choice((*SCALARS, *OTHERS)))) for _ in range(count)]
            self.call(name, overloads, given)

    def call(self, name: str, overloads: Sequence[Sequence[Form]], given: Sequence[Form]) -> None:
        arguments = []
        for one in given:
            variable = self.name("v")
            value = "{ 1 }" if one.type in ("V", "W") else "(E)1" if one.type == "E" else f"({one.type})1"
            if one.reference:
                plain = Form(one.type, one.uniform, False, False)
                self.program.body.append(f"{plain.declared('of_' + variable)} = {value};")
                self.program.body.append(f"{one.declared(variable)} = of_{variable};")
            else:
                self.program.body.append(f"{one.declared(variable)} = {value};")
            arguments.append(variable)
        text = f"{name}({', '.join(arguments)})"
        if name.startswith("operator"):
            if not {"V", "W"} & {one.type for one in given}:
                return
            text = f"({f' {name[8:]} '.join(arguments)})"
        chosen = choose(overloads, given)
        if isinstance(chosen, str):
            self.program.wrong.append((text, chosen))
        else:
            self.out(text, chosen)

    # --- enums ---

    def flags(self, depth: int, variables: dict[str, npt.NDArray[np.uint32]]) -> tuple[str, npt.NDArray[np.uint32]]:
        """An expression of the enum E, and its value in each lane."""
        leaves = {"NONE": 0, "ONE": 1, "TWO": 2, "FOUR": 4, "HIGH": 0x80000000}
        if depth == 0:
            name = self.rng.choice((*leaves, *variables, *variables))
            return name, variables[name] if name in variables else np.full(64, leaves[name], np.uint32)
        left, a = self.flags(depth - 1, variables)
        right, b = self.flags(self.rng.randrange(depth), variables)
        with np.errstate(over="ignore"):
            match self.rng.randrange(9):
                case 0:
                    return f"({left} & {right})", a & b
                case 1:
                    return f"({left} ^ {right})", a ^ b
                case 2:
                    return f"({left} + {right})", a + b
                case 3:
                    return f"({left} - {right})", a - b
                case 4:
                    return f"({left} * {right})", a * b
                case 5:
                    return f"(~{left})", ~a
                case 6:
                    return f"(-{left})", np.uint32(0) - a
                case 7:
                    return f"(({left} & ONE) ? {left} : {right})", np.where(a & np.uint32(1), a, b)
        return f"({left} | {right})", a | b

    def enum_values(self) -> None:
        program = self.program
        start, value = self.flags(2, {})
        e = self.name("e")
        program.body.append(f"uniform E {e} = {start};")
        uniforms = {e: value}
        for _ in range(3):
            text, other = self.flags(2, uniforms)
            operator = self.rng.choice("|&^+-*")
            uniforms[e] = apply(operator, uniforms[e], other)
            program.body.append(self.rng.choice((f"{e} {operator}= {text};", f"{e} = {e} {operator} {text};")))
        self.out(e, float(uniforms[e][0]))
        v = self.name("e")
        lanes = self.integers.astype(np.uint32)
        program.in_lanes.append(f"E {v} = i[k] & 1 ? ONE : (E)i[k];")
        values = {**uniforms, v: np.where(self.integers & 1, np.uint32(1), lanes)}
        for _ in range(3):
            text, other = self.flags(2, values)
            operator = self.rng.choice("|&^+-*")
            test = self.rng.randint(-10, 20)
            step = self.rng.choice((f"{v} {operator}= {text};", f"{v} = {v} {operator} {text};", f"{v}++;"))
            changed = values[v] + np.uint32(1) if step.endswith("++;") else apply(operator, values[v], other)
            program.in_lanes.append(f"if (i[k] > {test}) {step}")
            values[v] = np.where(self.integers > test, changed, values[v])
        program.in_lanes.append(f"out[{512 + 64 * len(program.by_lane)} + k] = {v};")
        program.by_lane.append(values[v].astype(np.float64))

    # --- declarations without a type ---

    def words(self, *needed: str) -> str:
        more = [word for word in ("const", "static") if word not in needed and self.rng.random() < 0.4]
        found = [*needed, *more]
        self.rng.shuffle(found)
        return " ".join(found)

    def untyped(self) -> None:
        program = self.program
        a, b, g, h, p, q = (self.name(stem) for stem in ("a", "b", "g", "h", "p", "q"))
        first, second = self.rng.randint(-9, 9), self.rng.randint(-9, 9)
        program.declarations.append(f"{self.words('uniform')} {a} = {first};")
        program.declarations.append(f"{self.words('const', self.rng.choice(('varying', 'static')))} {b} = {second}.75;")
        program.declarations.append(f"static inline uniform {g}(const uniform {p}, uniform {q}) {{ return {p} * 3 - {q}; }}")
        program.declarations.append(f"static {h}(varying {p}, const &{q}) {{ const c = {p} + {q}; return c; }}")
        self.out(f"{g}({a}, {second})", first * 3 - second)
        self.out(f"reduce_max({h}({a}, {b}))", first + second)
        c, d = self.name("c"), self.name("d")
        program.body.append(f"{self.words('uniform')} {c} = {first}.5;")
        self.out(f"{c} + (uniform int)sizeof({c})", first + 4)
        program.body.append(f"uniform {d} = 0; for (uniform j = {first}; j < 10; ++j) {d} += j;")
        self.out(d, sum(range(first, 10)))

    # --- functions as pointers ---

    def pointers(self) -> None:
        program = self.program
        kind, f, g, t = (self.name(stem) for stem in ("Pointer", "g", "h", "t"))
        words = [self.rng.choice(("const ", "")) for _ in range(4)]
        program.declarations.append(f"typedef uniform int (*{kind})({words[0]}Box * uniform a, {words[1]}uniform int &b);")
        own = f"{words[2]}Box * uniform a, {words[3]}uniform int &b"
        program.declarations.append(f"static uniform int {f}({own}) {{ return a->x * 10 + b; }}")
        other = self.rng.choice(("Crate * uniform a", "uniform Crate &a", "const uniform Crate &a", "void * uniform a"))
        read = "((Crate * uniform)a)->x" if "void" in other else "a->x" if "*" in other else "a.x"
        program.declarations.append(f"static uniform int {g}({other}, {words[2]}uniform int &b) {{ return {read} * 100 + b; }}")
        x, y = self.rng.randint(1, 9), self.rng.randint(1, 9)
        box, number = self.name("box"), self.name("n")
        program.body.append(f"uniform Crate {box} = {{ 1, {x}, 2.5, 4 }}; uniform int {number} = {y};")
        cast = self.rng.choice(("", f"({kind})", f"({kind})&", f"(uniform {kind})", "&"))
        program.body.append(f"uniform {kind} {t} = {cast}{f};")
        self.out(f"{t}((Box * uniform)&{box}, {number})", x * 10 + y)
        self.out(f"{t}(&((uniform Box &){box}), {number})", x * 10 + y)
        program.body.append(f"{t} = ({kind})&{g};")
        self.out(f"{t}((Box * uniform)&{box}, {number})", x * 100 + y)


def apply(operator: str, a: npt.NDArray[np.uint32], b: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    functions: dict[str, Any] = {"|": np.bitwise_or, "&": np.bitwise_and, "^": np.bitwise_xor}
    functions |= {"+": np.add, "-": np.subtract, "*": np.multiply}
    return np.asarray(functions[operator](a, b))


def random_declarations(seed: int, integers: npt.NDArray[np.int32]) -> Program:
    generator = Generator(seed, integers)
    parts = [generator.overload_set] * 4 + [generator.enum_values] * 3 + [generator.untyped] * 2 + [generator.pointers] * 2
    generator.rng.shuffle(parts)
    for part in parts:
        part()
    return generator.program
