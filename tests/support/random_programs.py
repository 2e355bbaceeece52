"""Random programs without undefined behaviour, for comparing oracles and machine code with each other.

A program has the interface of the run-tests (``run_programs.py``). It is free of
undefined behaviour by construction: signed sums and products are taken of masked
operands, shift counts and indices are masked, divisors are positive, loops count,
and no lane reads in one statement what another lane writes in it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

RANK = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
"""The order of promotion without the floating-point types."""
BITS = {name: int(name.lstrip("uint")) for name in RANK}
TABLE = 16
"""Elements of the arrays that lanes share."""


@dataclass
class Statement:
    """A line, or a line with blocks: ``heads[k] { blocks[k] }`` and then ``tail``."""

    line: str = ""
    heads: list[str] = field(default_factory=list)
    blocks: list[list[Statement]] = field(default_factory=list)
    tail: str = ""

    def lines(self, indent: int) -> Iterator[str]:
        space = "    " * indent
        if self.line:
            yield space + self.line
        for head, block in zip(self.heads, self.blocks):
            yield f"{space}{head} {{"
            for statement in block:
                yield from statement.lines(indent + 1)
            yield space + "}" + (self.tail if head is self.heads[-1] else "")


@dataclass
class Scope:
    """What may be used at a place."""

    varying: dict[str, str]
    uniform: dict[str, str]
    fixed: frozenset[str] = frozenset()
    """Loop counters: they may be read only."""
    loop: str = ""
    """``varying`` or ``uniform`` in a loop that may be left by break, empty elsewhere."""
    result: str = ""
    """Type of the function's result where it may return."""
    depth: int = 0
    straight: bool = False
    """All control flow around is uniform, so that a goto is possible."""

    def inner(self, **changes: object) -> Scope:
        values: dict[str, Any] = {"varying": dict(self.varying), "uniform": dict(self.uniform), "fixed": self.fixed}
        values |= {"loop": self.loop, "result": self.result, "depth": self.depth + 1, "straight": False}
        return Scope(**(values | changes))


@dataclass
class Program:
    """``functions`` are (head, body); the last is ``test``. What precedes them is ``text``."""

    text: str
    functions: list[tuple[str, list[Statement]]]

    def __str__(self) -> str:
        parts = [self.text]
        for head, body in self.functions:
            lines = [line for statement in body for line in statement.lines(1)]
            parts.append("\n".join([head + " {", *lines, "}"]))
        return "\n".join(parts) + "\n"


PRELUDE = f"""struct Item {{ int32 a; uint8 b; uint64 c; }};
struct Inner {{ int16 x; uint32 y[2]; }};
struct Outer {{ uint8 p; Inner q; }};
static uniform uint32 table[{TABLE}];
static uniform uint8 bytes[{TABLE}];
static uniform int64 words[{TABLE}];
static uniform Item items[{TABLE}];
typedef uint32 (*Function)(uint32, uint32);
static uint32 mix(uint32 a, uint32 b) {{ return a * 31 + b; }}
static uint32 pick(uint32 a, uint32 b) {{ if (a & 1) return b >> 3; return a ^ b; }}
static noinline unmasked uniform uint32 total(uniform int32 m, uniform int32 i[]) {{
    uint32 s = 0;
    foreach (k = 0 ... m) {{ if (i[k] > 0) s += i[k]; else s += 3 * k; }}
    return reduce_add(s);
}}"""

SETUP = f"""foreach (k = 0 ... {TABLE}) {{
        table[k] = k * 2654435761; bytes[k] = k * 37; words[k] = k * 1000;
        items[k].a = k; items[k].b = k * 3; items[k].c = k;
    }}"""

FINISH = f"""foreach (k = 0 ... {TABLE}) {{
        out[192 + k] = table[k]; out[208 + k] = bytes[k];
        out[224 + k] = words[k]; out[240 + k] = items[k].a + (int)items[k].b;
    }}"""

SHARED = {"table": "uint32", "bytes": "uint8", "words": "int64"}
MEMBERS = {"a": "int32", "b": "uint8", "c": "uint64"}


class Generator:
    def __init__(self, seed: int, *, lanes_alone: bool) -> None:
        self.rng = random.Random(seed)
        self.lanes_alone = lanes_alone
        """No lane sees another one: the result is the same for every gang width."""
        self.may_write = False
        """Not in functions with a result: a call in an expression has no effect on what the expression reads."""
        self.functions: list[tuple[str, str, list[tuple[str, str]]]] = []
        self.names = 0

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    # --- expressions ---

    def literal(self, type_name: str) -> str:
        bits = BITS[type_name] - (type_name[0] == "i")
        value = self.rng.choice((0, 1, 2, 3, 5, 7, 100, (1 << bits) - 1, 1 << (bits - 1), self.rng.getrandbits(bits)))
        return f"(({type_name}){value & ((1 << bits) - 1)}ull)" if BITS[type_name] == 64 else f"(({type_name}){value})"

    def leaf(self, type_name: str, scope: Scope, *, uniform: bool) -> str:
        pool = scope.uniform if uniform else scope.varying | scope.uniform
        fitting = [name for name, kind in pool.items() if RANK.index(kind) <= RANK.index(type_name)]
        if fitting and self.rng.random() < 0.75:
            return self.rng.choice(fitting)
        return self.literal(type_name)

    def value(self, type_name: str, scope: Scope, depth: int = 2, *, uniform: bool = False) -> str:
        """An expression that has, or converts without loss of meaning to, a type."""
        if depth == 0 or self.rng.random() < 0.15:
            return self.leaf(type_name, scope, uniform=uniform)
        lower = self.rng.choice(RANK[: RANK.index(type_name) + 1])

        def sub(kind: str = type_name) -> str:
            return self.value(kind, scope, depth - 1, uniform=uniform)

        def same(kind: str = type_name) -> str:
            return f"(({kind})({sub(kind)}))"

        signed, bits = type_name[0] == "i", BITS[type_name]
        choice = self.rng.randrange(14)
        if choice < 3:
            operator = self.rng.choice("+-*")
            if signed:
                mask = (1 << (bits // 2 - 2)) - 1
                return f"({type_name})(({same()} & ({type_name}){mask}) {operator} ({same()} & ({type_name}){mask}))"
            return f"({same()} {operator} {sub(lower)})"
        if choice < 5:
            return f"({same()} {self.rng.choice('&|^')} {sub(lower)})"
        if choice == 5:
            return f"(({type_name})(~{same()}))"
        if choice == 6:
            if self.rng.random() < 0.3:  # into the sign and out of it
                by = self.rng.choice((bits - 1, bits - 2, bits // 2))
                return f"(({same()} << {by}) >> {self.rng.choice((by, by - 1))})"
            return f"({same()} {self.rng.choice(('<<', '<<', '>>'))} ({same('int32')} & {bits - 1}))"
        if choice == 7:
            return f"({same()} {self.rng.choice('/%')} (({same()} & ({type_name})7) + ({type_name})1))"
        if choice < 10:
            return f"({self.condition(scope, depth - 1, uniform=uniform)} ? {same()} : {same()})"
        if choice == 10:
            return f"({type_name})({sub(self.rng.choice(RANK))})"
        if uniform:
            return f"(({type_name})table[{same('int32')} & {TABLE - 1}])" if not self.lanes_alone else same()
        if choice == 11:
            return f"(({type_name})i[{same('int32')} & 63])"
        if choice == 12 and self.functions and scope.depth < 4:
            return f"(({type_name}){self.call(scope, depth - 1)})"
        if self.lanes_alone or self.rng.random() < 0.3:
            return f"(({type_name})(int32)({self.real(scope, depth - 1)} * 16))"
        if self.rng.random() < 0.4:
            return f"(({type_name})items[{same('int32')} & {TABLE - 1}].{self.rng.choice(list(MEMBERS))})"
        return f"(({type_name}){self.rng.choice(list(SHARED))}[{same('int32')} & {TABLE - 1}])"

    def call(self, scope: Scope, depth: int) -> str:
        name, _, parameters = self.rng.choice(self.functions)
        arguments = [f"({kind})({self.value(kind, scope, min(depth, 1))})" for kind, _ in parameters]
        return f"{name}({', '.join([*arguments, 'f', 'i'])})"

    def condition(self, scope: Scope, depth: int = 1, *, uniform: bool = False) -> str:
        kind = self.rng.choice(RANK)
        left, right = (self.value(kind, scope, max(0, depth), uniform=uniform) for _ in range(2))
        test = f"({left} {self.rng.choice(('<', '>', '<=', '>=', '==', '!='))} {right})"
        match self.rng.randrange(8):
            case 0 if depth > 0:
                return f"({test} && {self.condition(scope, depth - 1, uniform=uniform)})"
            case 1 if depth > 0:
                return f"({test} || {self.condition(scope, depth - 1, uniform=uniform)})"
            case 2:
                return f"!{test}"
            case 3:
                return f"(({left} & 1) != 0)"
        return test

    def real(self, scope: Scope, depth: int) -> str:
        """A float that is a small multiple of 1/64: sums and products are exact, contracted or not."""
        factor = self.rng.choice((0.5, 2.0, 3.0, 0.25, -1.0))
        leaves = (
            lambda: f"f[((int32){self.value('int32', scope, 0)}) & 63]",
            lambda: f"((float)(((int32){self.value('int32', scope, 1)}) & 255) * 0.25)",
            lambda: str(self.rng.randrange(-64, 64) / 4),
        )
        if depth <= 0:
            return self.rng.choice(leaves)()
        first, second = (self.real(scope, depth - 1) for _ in range(2))
        forms = (
            f"({first} + {second})",
            f"({first} - {second})",
            f"({self.rng.choice(leaves)()} * {self.rng.choice(leaves)()})",
            f"({first} * {factor})",
            f"min({first}, {second})",
            f"max({first}, (float){second})",
            f"abs({first})",
            f"floor({first})",
            f"(float)(double)(- {first})",
            f"({first} < {second} ? {first} : {second})",
            f"({self.condition(scope, 0)} ? {first} : {second})",
        )
        return self.rng.choice(forms)

    # --- statements ---

    def block(self, scope: Scope, count: int) -> list[Statement]:
        return [self.statement(scope) for _ in range(count)]

    def size(self) -> int:
        return self.rng.randint(1, 2)

    def statement(self, scope: Scope) -> Statement:
        choice = self.rng.random()
        if choice < 0.12:
            return self.declaration(scope)
        if choice < 0.45 or scope.depth > 4:
            return self.assignment(scope)
        rules = [self.branch, self.branch, self.loop, self.loop, self.switch, self.leave, self.objects, self.objects]
        if scope.straight:
            rules += [self.jump, self.jump]
        if self.may_write and not self.lanes_alone:
            rules += [self.shared_store, self.shared_store, self.uniform_assignment, self.by_lane]
        return self.rng.choice(rules)(scope)

    def declaration(self, scope: Scope) -> Statement:
        kind, name = self.rng.choice(RANK), self.name("v")
        line = f"{kind} {name} = {self.value(kind, scope)};"
        scope.varying[name] = kind
        return Statement(line)

    def assignment(self, scope: Scope) -> Statement:
        targets = [name for name in scope.varying if name not in scope.fixed]
        if not targets:
            return self.declaration(scope)
        name = self.rng.choice(targets)
        kind = scope.varying[name]
        if kind[0] == "u" and self.rng.random() < 0.3:
            return Statement(f"{name} {self.rng.choice('+-*&|^')}= {self.value(kind, scope)};")
        if kind[0] == "u" and self.rng.random() < 0.2:
            return Statement(f"{name}{self.rng.choice(('++', '--'))};")
        if self.rng.random() < 0.1:
            count = f"({self.value('int32', scope, 1)}) & {BITS[kind] - 1}"
            return Statement(f"{name} {self.rng.choice(('<<', '<<', '>>'))}= {count};")
        return Statement(f"{name} = {self.value(kind, scope)};")

    def uniform_assignment(self, scope: Scope) -> Statement:
        targets = [name for name in scope.uniform if name not in scope.fixed]
        if not targets:
            return self.assignment(scope)
        name = self.rng.choice(targets)
        return Statement(f"{name} = {self.value(scope.uniform[name], scope, 2, uniform=True)};")

    def shared_store(self, scope: Scope) -> Statement:
        """Index and value first, so that the store reads nothing that another lane writes in it."""
        index, value = self.name("x"), self.name("y")
        place, kind = self.rng.choice((*SHARED.items(), *((f"items@{member}", kind) for member, kind in MEMBERS.items())))
        array, _, member = place.partition("@")
        target = f"{array}[{index}]" + (f".{member}" if member else "")
        store = f"{target} = {value};"
        if self.rng.random() < 0.3:
            store = f"{{ uniform {kind} * varying p = &{target}; *p = {value}; }}"
        head = f"int32 {index} = {self.value('int32', scope)} & {TABLE - 1}; {kind} {value} = {self.value(kind, scope)};"
        return Statement(f"{{ {head} {store} }}")

    def branch(self, scope: Scope) -> Statement:
        uniform = self.rng.random() < 0.2
        word = "if" if uniform else self.rng.choice(("if", "if", "cif"))
        heads = [f"{word} ({self.condition(scope, uniform=uniform)})"]
        straight = scope.straight and uniform
        blocks = [self.block(scope.inner(straight=straight), self.size())]
        if self.rng.random() < 0.5:
            heads.append("else")
            blocks.append(self.block(scope.inner(straight=straight), self.size()))
        return Statement(heads=heads, blocks=blocks)

    def jump(self, scope: Scope) -> Statement:
        """A goto past some statements, or back to them a few times."""
        label, counter = self.name("label"), self.name("j")
        test = f"i[{self.rng.randrange(64)}] > {self.rng.randint(-8, 24)}"
        inner = scope.inner(straight=True)
        body = Statement(heads=[""], blocks=[self.block(inner, self.size())])
        if self.rng.random() < 0.5:
            lines = [Statement(f"if ({test}) goto {label};"), body, Statement(f"{label}: ;")]
        else:
            again = Statement(f"if (++{counter} < 3 && {test}) goto {label};")
            lines = [Statement(f"uniform int32 {counter} = 0;"), Statement(f"{label}: ;"), body, again]
        return Statement(heads=[""], blocks=[lines])

    def loop(self, scope: Scope) -> Statement:
        if scope.depth > 2:
            return self.branch(scope)
        counter = self.name("j")
        uniform = self.rng.random() < 0.3
        inner = scope.inner(loop="uniform" if uniform else "varying", straight=scope.straight and uniform)
        (inner.uniform if uniform else inner.varying)[counter] = "int32"
        inner.fixed = inner.fixed | {counter}
        bound = self.value("int32", scope, 1, uniform=uniform)
        rate = "uniform " if uniform else ""
        match self.rng.randrange(4):
            case 0 if not uniform:
                outer = Statement(f"int32 {counter} = 0;")
                test = f"{counter} < {self.rng.randint(1, 6)} && {self.condition(scope, 1)}"
                body = [Statement(f"{counter}++;"), *self.block(inner, self.size())]
                loop = Statement(heads=[f"{self.rng.choice(('while', 'cwhile'))} ({test})"], blocks=[body])
                return Statement(heads=[""], blocks=[[outer, loop]])
            case 1 if not uniform:
                outer = Statement(f"int32 {counter} = 0;")
                body = [Statement(f"{counter}++;"), *self.block(inner, self.size())]
                test = f"{counter} < (({bound}) & 3)"
                loop = Statement(heads=[self.rng.choice(("do", "cdo"))], blocks=[body], tail=f" while ({test});")
                return Statement(heads=[""], blocks=[[outer, loop]])
        word = "for" if uniform else self.rng.choice(("for", "for", "cfor"))
        head = f"{word} ({rate}int32 {counter} = 0; {counter} < (({bound}) & 7); {counter}++)"
        return Statement(heads=[head], blocks=[self.block(inner, self.size())])

    def leave(self, scope: Scope) -> Statement:
        """break, continue or return under a condition."""
        words = (["break;", "continue;"] if scope.loop else []) + (["return"] if scope.result else [])
        if not words:
            return self.assignment(scope)
        word = self.rng.choice(words)
        if word == "return":
            word = f"return ({scope.result})({self.value(scope.result, scope, 2)});"
        return Statement(heads=[f"if ({self.condition(scope)})"], blocks=[[Statement(word)]])

    def switch(self, scope: Scope) -> Statement:
        inner = scope.inner(loop="")
        values = self.rng.sample(range(8), self.rng.randint(2, 4))
        body: list[Statement] = []
        before: list[Statement] = []
        for value in values:
            label = "default" if value == values[-1] and self.rng.random() < 0.6 else f"case {value}"
            labelled = [Statement(f"{label}:"), Statement(heads=[""], blocks=[self.block(inner.inner(), self.size())])]
            if body and self.rng.random() < 0.25:
                labelled = self.behind_a_condition(labelled, inner, before)
            body += labelled
            if self.rng.random() < 0.3:
                body.append(Statement(f"if ({self.condition(inner, 1)}) break;"))
            elif self.rng.random() < 0.6:
                body.append(Statement("break;"))
        body.append(Statement(";"))
        uniform = self.rng.random() < 0.25
        switch = Statement(heads=[f"switch ({self.value('int32', scope, 2, uniform=uniform)} & 7)"], blocks=[body])
        return Statement(heads=[""], blocks=[[*before, switch]]) if before else switch

    def behind_a_condition(self, labelled: list[Statement], scope: Scope, before: list[Statement]) -> list[Statement]:
        """A case label in a branch or a loop, where other lanes are already."""
        first = Statement(heads=[""], blocks=[self.block(scope.inner(), self.size())])
        uniform = self.rng.random() < 0.3
        test = self.condition(scope, 1, uniform=uniform)
        match self.rng.randrange(4):
            case 0:
                return [Statement(heads=[f"if ({test})", "else"], blocks=[[first], labelled])]
            case 1:
                counter = self.name("j")
                before.append(Statement(f"{'uniform ' if uniform else ''}int32 {counter} = 0;"))
                bound = self.value("int32", scope, 1, uniform=uniform)
                return [Statement(heads=[f"for (; {counter} < (({bound}) & 3); {counter}++)"], blocks=[[first, *labelled]])]
        return [Statement(heads=[f"if ({test})"], blocks=[[first, *labelled]])]

    def objects(self, scope: Scope) -> Statement:
        """Local arrays, structs, short vectors, pointers, references and function pointers in use."""
        targets = [name for name, kind in scope.varying.items() if name not in scope.fixed and kind[0] == "u"]
        if not targets:
            return self.assignment(scope)
        target = self.rng.choice(targets)
        kind = scope.varying[target]
        a, b, c = self.name("a"), self.name("b"), self.name("c")
        values = [self.value("uint32", scope, 2) for _ in range(4)]
        index = self.value("int32", scope, 1)
        match self.rng.randrange(9):
            case 7:
                lines = [f"float {a} = {self.real(scope, 2)};", f"if ({self.condition(scope, 1)}) {a} = {self.real(scope, 1)};"]
                lines += [f"{a} += {self.real(scope, 1)};", f"{target} = ({kind})(int32){a};"]
            case 8:
                lines = [f"double {a} = {self.real(scope, 1)};", f"int64 {b} = (int64)({a} * 1024);"]
                lines += [f"if ({a} > {self.real(scope, 1)}) {target} = {b};"]
                lines += [f"else {target} = total({self.rng.randrange(30)}, i);"]
            case 0:
                lines = [f"uint32 {a}[4] = {{ {', '.join(values)} }};", f"{a}[({index}) & 3] = {target};"]
                lines += [f"{target} = {a}[({values[0]}) & 3] + {a}[1];"]
            case 1:
                lines = [f"Outer {a};", f"{a}.p = {values[0]}; {a}.q.x = {values[1]};", f"{a}.q.y[0] = {values[2]};"]
                lines += [f"{a}.q.y[1] = {values[3]};", f"Outer {b} = {a};"]
                lines += [f"if ({self.condition(scope, 1)}) {b}.q.y[({index}) & 1] = {target};"]
                lines += [f"if ({self.condition(scope, 1)}) {a} = {b};"]
                lines += [f"{target} = {a}.p + {a}.q.x + {a}.q.y[({index}) & 1];"]
            case 2:
                lines = [f"uint32<3> {a} = {{ {', '.join(values[:3])} }};", f"uint32<3> {b} = {a}.zxy * 3 + {values[3]};"]
                lines += [f"if ({self.condition(scope, 1)}) {a} = {b};", f"{target} = {a}.x ^ {b}.y ^ {a}[({index}) & 1];"]
            case 3:
                lines = [f"{kind} {a} = {values[0]};", f"varying {kind} * uniform {b} = &{a};"]
                lines += [f"if ({self.condition(scope, 1)}) *{b} = {target};", f"{target} = {a} + *{b};"]
            case 4:
                lines = [f"{kind} &{a} = {target};", f"if ({self.condition(scope, 1)}) {a} = {values[0]};", f"{a} += 3;"]
            case 5:
                lines = [
                    f"Function {a} = {self.condition(scope, 1)} ? mix : pick;",
                    f"{target} = {a}({values[0]}, {values[1]});",
                ]
            case _:
                lines = [f"uniform int32 * varying {a} = &i[({index}) & 31];", f"{a} += ({values[0]}) & 31;"]
                lines += [f"int32 {b} = *{a};", f"{target} = {b} + ({kind})({a} - &i[0]);"]
        return Statement(heads=[""], blocks=[[Statement(line.replace("$", c)) for line in lines]])

    def by_lane(self, scope: Scope) -> Statement:
        if scope.depth > 2:
            return self.assignment(scope)
        inner = scope.inner(loop="", result="")
        name = self.name("l")
        if self.rng.random() < 0.5:
            inner.uniform[name], inner.fixed = "int64", inner.fixed | {name}
            return Statement(heads=[f"foreach_active ({name})"], blocks=[self.block(inner, self.size())])
        inner.uniform[name], inner.fixed = "int32", inner.fixed | {name}
        head = f"foreach_unique ({name} in (varying int32)({self.value('int32', scope, 2)}) & 3)"
        return Statement(heads=[head], blocks=[self.block(inner, self.size())])

    # --- the program ---

    def helper(self) -> tuple[str, list[Statement]]:
        kind = self.rng.choice(RANK)
        name = self.name("g")
        parameters = [(self.rng.choice(RANK), self.name("p")) for _ in range(self.rng.randint(1, 3))]
        scope = Scope({parameter: kind for kind, parameter in parameters}, {}, result=kind, depth=1, straight=True)
        body = self.block(scope, self.rng.randint(2, 4))
        body.append(Statement(f"return ({kind})({self.value(kind, scope, 2)});"))
        style = self.rng.choice(("static ", "static noinline ", "static inline ", ""))
        head = f"{style}{kind} {name}({', '.join(f'{kind} {parameter}' for kind, parameter in parameters)}"
        self.functions.append((name, kind, parameters))
        return f"{head}, uniform float f[], uniform int32 i[])", body

    def program(self) -> Program:
        functions = [self.helper() for _ in range(self.rng.randint(0, 3))]
        self.may_write = True
        scope = Scope({"k": "int32"}, {"n": "int32"}, fixed=frozenset(("k", "n")))
        uniforms = []
        if not self.lanes_alone:
            for _ in range(2):
                name, kind = self.name("u"), self.rng.choice(RANK)
                scope.uniform[name] = kind
                uniforms.append(Statement(f"uniform {kind} {name} = {self.literal(kind)};"))
        inner = scope.inner()
        body = [self.declaration(inner) for _ in range(3)]
        kept = list(inner.varying)[1:]
        body += self.block(inner, self.rng.randint(3, 6))
        for number, name in enumerate(kept):
            body.append(Statement(f"out[{64 * number} + k] = (double)({name} & ({inner.varying[name]})0x7fffffff);"))
        loop = Statement(heads=["foreach (k = 0 ... n)"], blocks=[body])
        finish = [] if self.lanes_alone else [Statement(FINISH)]
        head = "export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n)"
        return Program(PRELUDE, [*functions, (head, [Statement(SETUP), *uniforms, loop, *finish])])


def random_program(seed: int) -> Program:
    """Even seeds: lanes do not see each other; odd ones: they share memory and uniform variables."""
    return Generator(seed, lanes_alone=seed % 2 == 0).program()
