"""Parts of programs for ``random_features.py``, the values they use, and those about memory."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
TYPES = (*INTEGERS, "float16", "float", "double")


@dataclass
class Part:
    declarations: str = ""
    statements: str = ""
    """Under any mask."""
    first: str = ""
    """At the beginning, where all lanes are on."""


@dataclass
class FeatureValues:
    seed: int
    missing: frozenset[str] = frozenset()
    """What the machine has not: "tasks", "heap", "output", "double"."""
    names: int = 0
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(f"features {self.seed}")

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def has(self, what: str) -> bool:
        return what not in self.missing

    # --- values ---

    def small(self) -> str:
        """An integer of 0 to 15."""
        return self.rng.choice(("(a & 15)", "(int)(b >> 28)", "((a + programIndex) & 7)", str(self.rng.randrange(16))))

    def value(self, type: str) -> str:
        """Any value of an integer type, a small number that has few bits of another."""
        if type in INTEGERS:
            mixed = self.rng.choice(("b", "b * 2654435761u", "(b ^ (uint32)a)", "(uint32)a", "(b << 27)"))
            wide = f"(((uint64){mixed} << {self.rng.choice((0, 13, 32))}) ^ {self.rng.choice(('b', '0', '1'))})"
            return f"(({type}){wide})" if "64" in type else f"(({type})({mixed}))"
        return f"(({type})({self.rng.choice(('x', '(x + 1)', '(x * 2)', '(float)(a & 7)', '-x'))}))"

    def note(self, text: str, type: str) -> str:
        if type in INTEGERS or type == "bool":
            return f"NOTE((uint32)({text}));" + (f" NOTE((uint32)((uint64)({text}) >> 32));" if "64" in type else "")
        return f"NOTE((uint32)(int)(clamp((float)({text}), -1000.0f, 1000.0f) * 16));"

    def condition(self) -> str:
        return self.rng.choice(("a > 0", "(b & 4) != 0", "x < 1.5f", f"(a & 3) == {self.rng.randrange(4)}", "b > 1u << 31"))

    # --- memory ---

    def shape(self, k: str) -> str:
        """An index of 0 to 255 for ``k`` from 0 to 50."""
        forms = (
            k, f"{k} + 5", f"2 * {k}", f"2 * {k} + 1", f"3 * {k}", f"4 * {k}", f"{k} / 2", f"{k} >> 2", f"63 - {k}", f"{k} & 3",
            f"{k} % 5", f"({k} * {k}) & 63", f"{k} ^ 1", f"{k} & ~3", f"({k} & 1) * 32 + {k}", f"{k} + programCount",
            f"7 + ({k} & 0)", f"(int)((uint8)({k} * 3))", f"(int)(uint16){k} * 2 + ({k} & 1)",
            f"{k} * {self.rng.randint(1, 3)} + u",
        )  # fmt: skip
        return self.rng.choice(forms)

    def accesses(self) -> Part:
        """Elements of every size through every shape of index, loaded and stored, of arrays, globals, the heap and pointers."""
        type, name, count = self.rng.choice(TYPES), self.name("m"), 256
        where = self.rng.choice(("local", "global", "heap" if self.has("heap") else "local", "struct"))
        fill = f"for (uniform int j = 0; j < {count}; j++) {name}[j] = (uniform {type})(j & 127);"
        declarations, end, first = "", "", ""
        if where == "global":
            declarations, first = f"static uniform {type} {name}[{count}];\n", fill
        elif where == "heap":
            first, end = f"uniform {type} * uniform {name} = uniform new uniform {type}[{count}]; {fill}", ""
        elif where == "struct":
            s, k = self.name("S"), self.rng.choice(("uint8 h;", "uint16 h[3];", "double h;", "", "float<3> h;"))
            declarations = f"struct {s} {{ {k} {type} m; }};\n"
            first = f"uniform {s} {name}_[{count}]; {fill.replace(f'{name}[j]', f'{name}_[j].m')}"
        else:
            first = f"uniform {type} {name}[{count}]; {fill}"

        def at(index: str) -> str:
            return f"{name}_[{index}].m" if where == "struct" else f"{name}[{index}]"

        lines = []
        for _ in range(self.rng.randint(2, 4)):
            k = self.name("k")
            shape = self.shape(k)
            head = f"foreach ({k} = {self.rng.choice((0, 0, 1, 3))} ... {self.rng.choice((7, 16, 33, 50))})"
            if self.rng.random() < 0.3:
                other = self.name("k")
                head = f"foreach ({other} = 0 ... 3, {k} = 0 ... {self.rng.choice((5, 16))})"
                shape = shape.replace(k, f"({other} * 8 + {k})")
            test = self.rng.choice(("", "", f"if (({k} & 1) == 0) ", f"if ({k} > 9) ", f"if (i[{k}] > 0) "))
            sum_, rhs = self.name("s"), self.rng.choice(("{v}", "(T)({v} + (T)1)", f"(T)({k} & 31)"))
            uniform = f"uniform int u = {self.rng.randrange(9)};"
            if self.rng.random() < 0.5:
                lines.append(f"{{ {uniform} uint32 {sum_} = 0; {head} {{ {test}{sum_} += (uint32)(int){at(shape)}; }}")
                lines.append(f"r += reduce_add({sum_}); }}")
            else:
                one = (
                    rhs.replace("{v}", at(shape)).replace("T", type)
                    if type in INTEGERS or "{v}" not in rhs
                    else f"({type})({k} & 31)"
                )
                # What lanes read no other lane writes in the statement.
                local = self.name("y")
                lines.append(f"{{ {uniform} {head} {{ {test}{{ {type} {local} = {one}; {at(shape)} = {local}; }} }} }}")
        total = self.name("s")
        lines.append(
            f"{{ uint32 {total} = 0; foreach (k = 0 ... {count}) {total} = {total} * 3 + (uint32)(int){at('k')} * (k + 1);"
        )
        lines.append(f"r += reduce_add({total}); }}{end}")
        return Part(declarations, "\n".join(lines), first)

    def soa(self) -> Part:
        """Structures of arrays behind pointers, on the heap and local, stepped through."""
        s, name, width = self.name("S"), self.name("q"), self.rng.choice((1, 2, 4, 8, 16))
        types = [self.rng.choice(INTEGERS[1::2]) for _ in range(self.rng.randint(1, 3))]
        declarations = f"struct {s} {{ {''.join(f'{type} m{k}; ' for k, type in enumerate(types))}}};\n"
        fill = "".join(f"{name}[j].m{k} = j * {k + 3}; " for k in range(len(types)))
        if self.rng.random() < 0.5 or not self.has("heap"):
            first = f"soa<{width}> {s} {name}[32];"
        else:
            first = f"soa<{width}> {s} * uniform {name} = uniform new soa<{width}> {s}[{32 // width}];"
        first += f" for (uniform int j = 0; j < 32; j++) {{ {fill}}}"
        k, p = self.rng.randrange(len(types)), self.name("p")
        lines = [f"{{ soa<{width}> {s} * {p} = &{name}[{self.small()}];"]
        lines.append(f"{types[k]} y{p} = {self.value(types[k])}; {p}->m{k} = y{p}; {p} += {self.small()};")
        lines.append(f"{self.note(f'{p}->m{k}', types[k])} {s} z{p} = *{p}; {self.note(f'z{p}.m0', types[0])}")
        lines.append(f"foreach (k = 0 ... {self.rng.choice((7, 16, 32))}) {{ {types[k]} w = {name}[k].m{k};")
        lines.append(f"{name}[k].m{k} = w * 3 + 1; }} }}")
        return Part(declarations, "\n".join(lines), first)
