"""Random kernels over images: many accesses of one pixel's neighbours, read and written, by masks, strides and channels.

A program has the interface of the run-tests (``run_programs.py``). All it computes is exact: integers that wrap, and floats
that are small integers. What lanes write to one place follows from the order of lanes, which all oracles keep; so the result
depends on the gang's width.
"""

from __future__ import annotations

import random

WIDTH, HEIGHT = 13, 6
TYPES = ("float", "uint8", "uint16", "uint32", "double", "uint64")
DIRECTIONS = ("0", "0", "1", "-1", "2")


class Images:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.images: list[tuple[str, str, int, bool]] = []
        """Name, type of a channel, channels, and whether pixels are structs."""
        self.names = 0

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def declare(self) -> str:
        name, type, channels = self.name("image"), self.rng.choice(TYPES), self.rng.choice((1, 1, 2, 3, 3, 4, 5))
        structs = channels > 1 and self.rng.random() < 0.4
        self.images.append((name, type, channels, structs))
        if structs:
            members = " ".join(f"{type} c{number};" for number in range(channels))
            return f"struct {name}_pixel {{ {members} }};\nstatic uniform {name}_pixel {name}[{WIDTH * HEIGHT}];"
        return f"static uniform {type} {name}[{WIDTH * HEIGHT * channels}];"

    def place(self, x: str, y: str) -> tuple[str, str]:
        """A channel of a pixel or of a neighbour of it, and its type."""
        name, type, channels, structs = self.rng.choice(self.images)
        column = f"clamp({x} + {self.rng.choice(DIRECTIONS)}, 0, {WIDTH - 1})" if self.rng.random() < 0.5 else x
        row = f"clamp({y} + {self.rng.choice(DIRECTIONS)}, 0, {HEIGHT - 1})" if self.rng.random() < 0.5 else y
        if self.rng.random() < 0.15:
            column = f"{WIDTH - 1} - {x}"
        if self.rng.random() < 0.1:
            column, row = f"({x} * 5) % {WIDTH}", f"({y} + {x}) % {HEIGHT}"
        pixel, channel = f"(({row}) * {WIDTH} + ({column}))", self.rng.randrange(channels)
        if structs:
            return f"{name}[{pixel}].c{channel}", type
        shift = {2: 1, 4: 2}.get(channels)
        start = f"({pixel} << {shift})" if shift and self.rng.random() < 0.3 else f"{pixel} * {channels}"
        return f"{name}[{start} + {channel}]", type

    def value(self, x: str, y: str, type: str, locals_: list[str]) -> str:
        terms = []
        for _ in range(self.rng.randint(1, 3)):
            if locals_ and self.rng.random() < 0.4:
                terms.append(f"({type})(({self.rng.choice(locals_)}) & 31)")
            elif self.rng.random() < 0.7:
                place, given = self.place(x, y)
                number = f"(int){place}" if given in ("float", "double") else place
                terms.append(f"({type})({number} & 63)")
            else:
                terms.append(f"({type}){self.rng.choice((x, y, '3', '(programIndex & 7)'))}")
        return " + ".join(terms)

    def statement(self, x: str, y: str, locals_: list[str], depth: int) -> list[str]:
        match self.rng.randrange(8):
            case 0 if depth:
                tests = (f"({x} + {y}) % 3 == 0", f"{x} > 4", f"{y} < 3", f"{self.value(x, y, 'int', locals_)} > 40")
                test = self.rng.choice(tests)
                lines = [f"{self.rng.choice(('if', 'if', 'cif'))} ({test}) {{", *self.block(x, y, locals_, depth - 1)]
                if self.rng.random() < 0.5:
                    lines += ["} else {", *self.block(x, y, locals_, depth - 1)]
                return [*lines, "}"]
            case 1 if depth:
                step = self.name("d")
                rate = self.rng.choice(("uniform ", "uniform ", ""))
                head = f"for ({rate}int {step} = 0; {step} < {self.rng.choice((2, 3))}; ++{step}) {{"
                return [head, *self.block(f"(({x} + {step}) % {WIDTH})", y, locals_, depth - 1), "}"]
            case 2:
                local = self.name("v")
                line = f"int {local} = {self.value(x, y, 'int', locals_)};"
                locals_.append(local)
                return [line]
            case 3:
                # A pixel as a pointer, and its channels through it.
                name, type, channels, structs = self.rng.choice(self.images)
                pointer, pixel = self.name("p"), f"(({y}) * {WIDTH} + ({x}))"
                if structs:
                    places = [f"{pointer}->c{number}" for number in range(channels)]
                    head = f"uniform {name}_pixel * {pointer} = &{name}[{pixel}];"
                else:
                    places = [f"{pointer}[{number}]" for number in range(channels)]
                    head = f"uniform {type} * {pointer} = &{name}[{pixel} * {channels}];"
                value = self.name("w")
                return ["{", head, f"{type} {value} = {self.value(x, y, type, locals_)};",
                        *(f"{place} = {value} + {number};" for number, place in enumerate(places)), "}"]  # fmt: skip
        place, type = self.place(x, y)
        value = self.value(x, y, type, locals_)
        if type in ("float", "double"):
            return [f"{place} = {value};"]
        return [f"{place} {self.rng.choice(('=', '=', '+=', '^='))} {value};"]

    def block(self, x: str, y: str, locals_: list[str], depth: int) -> list[str]:
        inner = list(locals_)
        return [line for _ in range(self.rng.randint(1, 4)) for line in self.statement(x, y, inner, depth)]

    def loop(self) -> list[str]:
        first = self.rng.choice(("0", "0", "1", "2"))
        match self.rng.randrange(4):
            case 0:
                head = f"foreach (y = 0 ... {HEIGHT}, x = {first} ... {WIDTH}) {{"
            case 1:
                head = f"foreach_tiled (y = 0 ... {HEIGHT}, x = {first} ... {WIDTH}) {{"
            case 2:
                head = f"for (uniform int y = 0; y < {HEIGHT}; ++y) {{ foreach (x = {first} ... {WIDTH}) {{"
            case _:
                head = f"foreach (at = 0 ... {WIDTH * HEIGHT}) {{ int x = at % {WIDTH}, y = at / {WIDTH};"
        return [head, *self.block("x", "y", [], 2), "}" * head.count("{")]

    def program(self) -> str:
        lines = [self.declare() for _ in range(self.rng.randint(1, 3))]
        lines.append("export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {")
        for name, type, channels, structs in self.images:
            for number in range(channels):
                place = f"{name}[k].c{number}" if structs else f"{name}[k * {channels} + {number}]"
                lines.append(f"foreach (k = 0 ... {WIDTH * HEIGHT}) {place} = ({type})((k * 7 + {number} * 3) & 63);")
        for _ in range(self.rng.randint(1, 3)):
            lines += self.loop()
        for name, _, channels, structs in self.images:
            for number in range(channels):
                place = f"{name}[k].c{number}" if structs else f"{name}[k * {channels} + {number}]"
                bits = f"(double)((int64){place} & 0xffffff)"
                lines.append(f"foreach (k = 0 ... {WIDTH * HEIGHT}) out[{number * 80} + k] += {bits};")
        return "\n".join([*lines, "}"]) + "\n"


def random_images(seed: int) -> str:
    return Images(seed).program()
