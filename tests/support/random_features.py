"""Random programs of small parts, each about one feature that the other generators have little of.

A part declares functions and gives statements of the body. These take ``a`` (int32), ``b`` (uint32) and ``x`` (float, a
multiple of 1/16 below 16), which hold something in all lanes, and change ``r``, an uint32, by ``NOTE(value)``; they may
stand under masks of any kind. Free of undefined behaviour as in ``random_kernels.py``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from random_feature_values import INTEGERS, TYPES, FeatureValues, Part


@dataclass
class Features(FeatureValues):
    # --- parts ---

    def saturating(self) -> Part:
        type = self.rng.choice(INTEGERS)
        operation = self.rng.choice(("add", "sub", "mul", "div"))
        first, second = self.value(type), self.value(type)
        if operation == "div":
            second = f"(({type})(({second} & ({type})7) + ({type})1))"
        return Part("", self.note(f"saturating_{operation}({first}, {second})", type))

    def lanes(self) -> Part:
        """What moves values between lanes; the operand holds something in all of them."""
        type, name = self.rng.choice(TYPES), self.name("v")
        other = self.name("w")
        first = f"{type} {name} = {self.value(type)}; {type} {other} = {self.value(type)};"
        source = self.rng.choice(("a", "programIndex * 3", "(int)b", "programIndex ^ 1"))
        one = f"{self.rng.randrange(4)} % programCount"
        forms = [
            f"rotate({name}, {self.rng.randrange(-5, 40)})",
            f"broadcast({name}, {one})",
            f"shuffle({name}, ({source}) & (programCount - 1))",
            f"shift({name}, {self.rng.randrange(-3, 4)})",
            f"extract({name}, {one})",
            f"insert({name}, {one}, (uniform {type})1)",
            f"shuffle({name}, {other}, (a + programIndex) & (2 * programCount - 1))",
        ]
        return Part("", self.note(self.rng.choice(forms), type), first)

    def across(self) -> Part:
        """Reductions and scans of the lanes that are on."""
        type = self.rng.choice((*INTEGERS, "float", "double"))
        given = self.value(type)
        if type[0] == "u":
            forms = [f"reduce_add({given})", f"exclusive_scan_add({given})"]
        elif type in INTEGERS:
            forms = [f"reduce_add(({type})({given} & ({type})7))"]
        else:
            forms = [f"reduce_add({given})"]
        forms += [f"reduce_min({given})", f"reduce_max({given})"]
        if type in INTEGERS:
            forms += [f"exclusive_scan_{way}({given})" for way in ("and", "or") if type[0] == "u"]
        if type in ("int32", "uint32", "int64", "uint64", "float", "double"):
            same = self.name("same")
            text = f"{{ uniform {type} {same} = 0; if (reduce_equal({given}, &{same})) {{ {self.note(same, type)} }} }}"
            if self.rng.random() < 0.3:
                return Part("", text)
        made = self.rng.choice(forms)
        wide = "int64" if made.startswith("reduce_add") and type[0] == "i" else type
        wide = "uint64" if made.startswith("reduce_add") and type[0] == "u" else wide
        return Part("", self.note(made, wide))

    def vectors(self) -> Part:
        """Short vectors of any type and length; in memory, by reference, swizzled."""
        type, count, name, f = self.rng.choice(TYPES), self.rng.choice((1, 2, 3, 4, 4, 5, 8)), self.name("v"), self.name("f")
        vector = f"{type}<{count}>"
        one = type if type in INTEGERS and type[0] == "u" else ""
        operator = self.rng.choice("+-*" if one else "+-") if type in TYPES else "+"
        step = f"p {operator} q" if one or type not in INTEGERS else "p ^ q"
        declarations = f"static {vector} {f}({vector} &p, const {vector} q) {{ p = {step}; return p; }}\n"
        values = ", ".join(self.value(type) for _ in range(count))
        lines = [f"{{ {vector} {name} = {{ {values} }}, {name}q = {self.value(type)};"]
        lines.append(f"if ({self.condition()}) {name}q = {f}({name}, {name}q);")
        if 1 < count <= 4:
            letters = "".join(self.rng.choice("xyzw"[:count]) for _ in range(self.rng.randint(2, 4)))
            to = self.name("s")
            lines.append(f"{type}<{len(letters)}> {to} = {name}.{letters}; {self.note(f'{to}.y', type)}")
        table = self.name("t")
        rate = self.rng.choice(("uniform ", ""))
        if rate:
            lines.append(f"uniform {vector} {table}[4]; for (uniform int j = 0; j < 4; j++) {table}[j] = (uniform {type})j;")
            lines.append(
                f"foreach_active (l) {{ {table}[l & 3][{self.rng.randrange(count)}] = extract({name}[0], (uniform int)l); }}"
            )
        else:
            lines.append(f"{vector} {table}[4]; for (uniform int j = 0; j < 4; j++) {table}[j] = {name};")
            lines.append(f"{table}[{self.small()} & 3] = {name}q;")
        lines.append(self.note(f"{table}[a & 3][{self.rng.randrange(count)}]", type))
        lines += [self.note(f"{variable}[{k}]", type) for variable in (name, f"{name}q") for k in range(count)]
        return Part(declarations, "\n".join(lines) + " }")

    def operators(self) -> Part:
        """Operators of structs, whose members are of any types, at both rates."""
        s, name = self.name("S"), self.name("s")
        types = [self.rng.choice(INTEGERS[1::2]) for _ in range(self.rng.randint(1, 3))]
        members = "".join(f"{type} m{k}; " for k, type in enumerate(types))
        declarations = f"struct {s} {{ {members}}};\n"
        operators = self.rng.sample(("+", "-", "*", "<<", "^", "&"), 2)
        for operator in operators:
            plain = operator if operator != "<<" else "+"
            for rate in ("", "uniform "):
                body = "".join(f"r.m{k} = p.m{k} {plain} q.m{k}; " for k in range(len(types)))
                declarations += (
                    f"static {rate}{s} operator{operator}({rate}{s} p, const {rate}{s} &q) {{ {rate}{s} r; {body}return r; }}\n"
                )
        values = ", ".join(self.value(type) for type in types)
        constants = ", ".join(str(self.rng.randrange(200)) for _ in types)
        lines = [f"{{ {s} {name} = {{ {values} }}; uniform {s} {name}u = {{ {constants} }}; {s} {name}v = {name}u;"]
        lines.append(f"if ({self.condition()}) {name} = {name} {operators[0]} {name}v;")
        lines.append(f"{name}u = {name}u {operators[1]} {name}u;")
        lines.append(f"{name}v = ({name} {operators[1]} {name}v) {operators[0]} {name};")
        for k, type in enumerate(types):
            lines += [self.note(f"{variable}.m{k}", type) for variable in (name, f"{name}u", f"{name}v")]
        return Part(declarations, "\n".join(lines) + " }")

    def templates(self) -> Part:
        """Of types and numbers, with a specialisation, deduced or not."""
        f, type, number = self.name("f"), self.rng.choice(INTEGERS[1::2]), self.rng.randint(1, 5)
        declarations = f"template <typename T, int N> static T {f}(T p, T q) {{ T s[N];\n"
        declarations += "for (uniform int j = 0; j < N; j++) s[j] = p + (T)j;\n"
        declarations += "if (p > q) s[N - 1] ^= q; return s[q & (T)(N > 1)] + (T)N; }\n"
        if self.rng.random() < 0.5:
            declarations += f"template <> static {type} {f}<{type}, {number}>({type} p, {type} q) {{ return p & q; }}\n"
        call = f"{f}<{type}, {number}>({self.value(type)}, {self.value(type)})"
        return Part(declarations, self.note(call, type))

    def overloads(self) -> Part:
        """By type, rate and reference."""
        f = self.name("f")
        chosen = self.rng.sample([type for type in TYPES if self.has(type)], 4)
        declarations = "".join(
            f"static uint32 {f}({type} p) {{ return {k + 2} * (uint32)(int)p; }}\n" for k, type in enumerate(chosen)
        )
        declarations += f"static uniform uint32 {f}(uniform {chosen[0]} p) {{ return {self.rng.randrange(99)}; }}\n"
        declarations += f"static noinline void {f}_(uint32 &p, const uint32 &q) {{ if (q > p) p = q; else p += q * 3; }}\n"
        calls = [f"NOTE({f}({self.value(type)}));" for type in chosen if type in INTEGERS]
        calls.append(f"NOTE({f}((uniform {chosen[0]})3));")
        return Part(declarations, " ".join(calls) + f" {f}_(r, b);")

    def flags(self) -> Part:
        e, name = self.name("E"), self.name("e")
        values = self.rng.sample((1, 2, 4, 8, 16, 64, 1 << 20), 3)
        words = ", ".join(f"{e}_{k} = {value}" for k, value in enumerate(values))
        operators = [self.rng.choice("|&^") for _ in range(3)]
        lines = [f"{{ {e} {name} = {e}_0 {operators[0]} ({e})(a & 7); if ({self.condition()}) {name} {operators[1]}= {e}_1;"]
        lines.append(f"switch ({name} {operators[2]} {e}_2) {{ case {e}_0: NOTE(5u); case {e}_1: NOTE(6u); break;")
        lines.append(f"default: NOTE((uint32)(~{name})); }}")
        return Part(f"enum {e} {{ {words} }};\n", "\n".join(lines) + f" NOTE((uint32){name}); }}")

    def switches(self) -> Part:
        """Nested, with labels in blocks and loops, falling through."""
        outer, inner, j = self.rng.choice(INTEGERS), self.rng.choice(INTEGERS), self.name("j")
        labels = self.rng.sample(range(8), 4)
        leave = [self.rng.choice(("break;", "", f"if ({self.condition()}) break;")) for _ in range(5)]
        return Part(
            "",
            f"""{{ int {j} = 0; switch ({self.value(outer)} & ({outer})7) {{
            case {labels[0]}: r += 3; {leave[0]}
            case {labels[1]}: switch ({self.value(inner)} & ({inner})3) {{
                case 0: r ^= b; {leave[1]} default: r *= 5; {leave[2]} case 2: r -= 7; }} {leave[3]}
            case {labels[2]}: for (; {j} < ({self.small()} & 3); {j}++) {{
                r += {j}; if ({self.condition()}) {self.rng.choice(("break", "continue"))}; r ^= 9; }} {leave[4]}
            default: if ({self.condition()}) {{ r += 11; {f"case {labels[3]}: r = r * 3 + 1;"} }} }} }}""",
        )

    def recursion(self) -> Part:
        """By lanes, of two functions, which change memory of the caller."""
        f, g = self.name("f"), self.name("g")
        declarations = f"""static uint32 {g}(uint32 n, uint32 &sum);
static uint32 {f}(uint32 n, uint32 &sum) {{ sum += n; if (n < 2) return n + 1;
    if (n & 1) return {g}(n / 2, sum) + n; return {f}(n - 1, sum) ^ {f}(n / 2, sum); }}
static uint32 {g}(uint32 n, uint32 &sum) {{ if (n == 0) return {self.rng.randrange(9)}; sum ^= n << 3;
    return {f}(n - 1, sum) * 3; }}
"""
        h, type, k = self.name("h"), self.rng.choice(TYPES), self.rng.randrange(1, 9)
        ways: tuple[str, ...] = ("max(p, q)", "min(p, q)", "(p > q ? p : q)", "(p < q ? p : q)", "p + q", "p - q")
        ways += ("(p & q)", "(p | q)", "(p ^ q)") if type in INTEGERS else ()
        joined = self.rng.choice((*ways, "p * q") if type.startswith("uint") else ways)
        last = self.rng.choice((joined, f"({type}){k} + {joined}", f"max({joined}, ({type})n)", f"min(({type}){k}, {joined})"))
        rest = self.rng.choice((f"{h}(n / 2)", f"{h}(n - 2)", f"({type})n", f"({type}){k}"))
        first = self.rng.choice((f"{type} p = {h}(n - 1);", f"uniform {h}_type again = {h}; {type} p = again(n - 1);"))
        declarations += f"""typedef {type} (*{h}_type)(int); static {type} {h}(int n) {{ if (n <= 0) return {k};
    {first} {type} q = {rest}; return ({type})({last}); }}
"""
        return Part(declarations, f"NOTE({f}((uint32)({self.small()} & 7), r)); {self.note(f'{h}({self.small()} & 7)', type)}")

    def pointers(self) -> Part:
        """Functions called by address, of lanes that differ, and uniform ones; also with structs and references."""
        kind, f, g, h = self.name("Fn"), self.name("f"), self.name("g"), self.name("h")
        type = self.rng.choice(INTEGERS[1::2])
        declarations = f"typedef {type} (*{kind})({type}, {type} &);\n"
        for name, body in (
            (f, "q += p; return q;"),
            (g, "if (p > q) return q; q = p; return (T)(p * 3);"),
            (h, "return p ^ q;"),
        ):
            declarations += f"static {type} {name}({type} p, {type} &q) {{ {body.replace('T', type)} }}\n"
        p, q, table = self.name("p"), self.name("q"), self.name("t")
        lines = [f"{{ {type} {q} = {self.value(type)}; {kind} {p} = {self.condition()} ? {f} : {g};"]
        lines.append(f"if ({self.condition()}) {p} = {h};")
        lines.append(self.note(f"{p}({self.value(type)}, {q})", type))
        lines.append(f"uniform {kind} {table}[3] = {{ {f}, {g}, {h} }};")
        lines.append(self.note(f"{table}[{self.small()} % 3]({self.value(type)}, {q})", type))
        return Part(declarations, "\n".join(lines) + f" {self.note(q, type)} }}")

    def jumps(self) -> Part:
        """goto under uniform conditions, forwards and backwards; in a function, where no mask changes around it."""
        f, type = self.name("f"), self.rng.choice(INTEGERS[1::2])
        declarations = f"""static noinline {type} {f}({type} p, uniform int n) {{
    uniform int j = 0; {type} s = p;
again:
    if (p > ({type})9) s += ({type})j; else s ^= ({type})3;
    if (j == 2) goto middle;
    for (uniform int k = 0; k < 3; k++) {{ s = s * ({type})3 + ({type})k; if (k + j == n) goto out; }}
middle:
    j++;
    if (j < {self.rng.randint(1, 5)}) goto again;
out:
    return s + ({type})j;
}}
"""
        return Part(declarations, self.note(f"{f}({self.value(type)}, {self.rng.randrange(6)})", type))

    def tasks(self) -> Part:
        """Launches of one to three dimensions; each task has elements of its own. Only where all lanes are on."""
        f, name = self.name("task"), self.name("m")
        sizes = [self.rng.randint(1, 4) for _ in range(self.rng.randint(1, 3))]
        total = sizes[0] * (sizes[1] if len(sizes) > 1 else 1) * (sizes[2] if len(sizes) > 2 else 1)
        declarations = f"""task void {f}(uniform uint32 m[], uint32 b) {{
    uniform int at = taskIndex0 + taskCount0 * (taskIndex1 + taskCount1 * taskIndex2);
    m[at] = (at == taskIndex ? 1000 : 0) + reduce_max(b) % 100 + taskIndex2 * 7 + taskIndex1 * 31 + taskCount;
}}
"""
        launch = f"launch[{', '.join(map(str, sizes))}] {f}({name}, b); sync;"
        first = f"uniform uint32 {name}[64]; for (uniform int j = 0; j < 64; j++) {name}[j] = j; {launch}"
        return Part(declarations, f"NOTE({name}[({self.small()}) % {total}]);", first)

    def conversions(self) -> Part:
        """Among all types: of small numbers, which all of them have."""
        types = [self.rng.choice(TYPES) for _ in range(4)]
        text = self.rng.choice(("(a & 31)", "(b & 63)", "abs((int)x)"))
        for type in types:
            text = f"({type})({text} + ({types[0]})0)" if self.rng.random() < 0.3 else f"({type}){text}"
        return Part("", self.note(f"({types[-1]})({text})", types[-1]))

    def halves(self) -> Part:
        """Arithmetic of float16, float and double that is exact; comparisons, min, max, select, rounding."""
        type, name = self.rng.choice(("float16", "float", "double")), self.name("h")
        first, second = self.value(type), self.value(type)
        forms = (
            f"{first} + {second}", f"{first} - {second}", f"({type})(a & 7) * ({type})(b & 7)", f"min({first}, {second})",
            f"max({first}, {second})", f"abs({first})", f"floor({first})", f"ceil({first})", f"round({first})",
            f"trunc({first})",
            f"select({self.condition()}, {first}, {second})", f"sqrt(({type})((a & 7) * (a & 7)))", f"({first}) / ({type})4",
            f"({first} < {second} ? {first} : {second})", f"clamp({first}, ({type})-1, ({type})3)", f"-({first})",
        )  # fmt: skip
        text = f"{{ {type} {name} = {self.rng.choice(forms)}; if ({self.condition()}) {name} = {self.rng.choice(forms)};"
        return Part("", f"{text} {self.note(name, type)} }}")

    def roundings(self) -> Part:
        """One operation or conversion that rounds, of numbers with all their bits; the result is noted bit by bit."""
        type, name = self.rng.choice(("float16", "float", "double")), self.name("h")
        any_ = {"float16": "int16", "float": "int32", "double": "int64"}[type]
        first, second = (f"(({type})(({any_})({self.value(any_)} >> ({self.small()} & 7))))" for _ in range(2))
        source = self.rng.choice(INTEGERS[4:] if type != "float16" else INTEGERS[:4])
        other = self.rng.choice(("float16", "float", "double"))
        small = f"clamp({first}, ({type})-30000, ({type})30000)"
        narrow = f"({other})(({self.value('int16')}) >> 1) * ({other})0.37"
        forms = (
            f"({type})({self.value(source)})", f"({type})({narrow})", f"{first} + {second}", f"{first} - {second}",
            f"{first} / ({second} + ({type})0.5)", f"{first} * ({type})0.1", f"sqrt(abs({first}))", 
            f"floor({first} * ({type})0.3)",
            f"round({first} / ({type})2)", f"trunc({first} * ({type})0.7)", f"({type})(int)({small} / ({type})3)",
            f"({type})(uint32)abs({small} / ({type})5)", f"({type})(int64)({first} * ({type})0.9)",
        )  # fmt: skip
        noted = self.note(f"intbits({name})", {"double": "int64"}.get(type, "int32"))
        return Part("", f"{{ {type} {name} = {self.rng.choice(forms)}; {noted} }}")

    def bits(self) -> Part:
        type = self.rng.choice(("int32", "int64"))
        given = self.value(type)
        forms = (f"popcnt({given})", f"count_leading_zeros({given})", f"count_trailing_zeros({given})", f"abs({given} >> 1)")
        small, of = self.rng.choice(INTEGERS), self.rng.choice(INTEGERS)
        one, two, count = self.value(small), self.value(small), f"({self.small()} & 7)"
        more = (
            f"min({one}, {two})", f"max({one}, ({small}){self.value(of)})", f"select({self.condition()}, {one}, {two})",
            f"({small})({one} >> {count})", f"({small})({one} << {count})", f"({small})({one} / ({small})({count} + 1))",
            f"({small})({one} % ({small}){self.rng.randint(1, 100)})", f"abs((int16)({self.value('int16')} / (int16)2))",
        )  # fmt: skip
        if self.rng.random() < 0.2:
            name = self.name("one")
            step = f"{name} {self.rng.choice('+-*^&|')}= {self.condition()};"
            return Part("", f"{{ bool {name} = {self.condition()}; if ({self.condition()}) {step} {self.note(name, 'bool')} }}")
        if self.rng.random() < 0.5:
            return Part("", self.note(self.rng.choice(forms), type))
        return Part("", self.note(self.rng.choice(more), small))

    # --- the program ---

    def within(self, text: str, depth: int = 0) -> str:
        """Under masks."""
        if depth > 2 or self.rng.random() < 0.35:
            return text
        j = self.name("j")
        form = self.rng.choice(
            (
                f"if ({self.condition()}) {{ T }}", f"if ({self.condition()}) {{ r += 1; }} else {{ T }}",
                f"cif ({self.condition()}) {{ T }}",
                f"for (int {j} = 0; {j} < ({self.small()} & 3); {j}++) {{ T }}",
                f"for (uniform int {j} = 0; {j} < 2; {j}++) {{ T if ({self.condition()}) continue; r += 5; }}",
                f"{{ int {j} = 0; while ({j} < 3) {{ {j}++; if ({self.condition()}) break; T }} }}",
                f"{{ int {j} = 0; do {{ T {j}++; }} while ({j} < ({self.small()} & 1)); }}",
                f"foreach_unique ({j} in (varying int){self.small()} & 1) {{ T }}",
                f"switch ({self.small()} & 3) {{ case 1: r ^= 77; break; default: {{ T }} case 3: r += 2; }}",
            )
        )  # fmt: skip
        return self.within(
            form.replace("T }", text + " }", 1).replace("T if", text + " if", 1).replace("T j", text + " j", 1), depth + 1
        )

    def program(self, parts: list[Part]) -> str:
        text = "#define NOTE(v) r = r * 31 + (v)\n" + "".join(part.declarations for part in parts)
        body = "\n".join(self.uses(part) for part in parts)
        return f"""{text}export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {{
int32 a = i[programIndex & 63]; uint32 b = (uint32)a * 2654435761u + programIndex; float x = f[programIndex & 63]; uint32 r = 1;
{chr(10).join(part.first for part in parts if part.first)}
{body}
out[programIndex] = r;
}}
"""

    def uses(self, part: Part) -> str:
        """A foreach needs all lanes to see the mask of its own; what it changes is of all lanes then."""
        return part.statements if "foreach (" in part.statements else self.within(part.statements)


FEATURES = {
    name: getattr(Features, name)
    for name in (
        "saturating", "lanes", "across", "vectors", "operators", "templates", "overloads", "flags", "switches", "recursion",
        "pointers", "accesses", "soa", "jumps", "tasks", "conversions", "halves", "roundings", "bits",
    )
}  # fmt: skip


NEEDS = {"tasks": "tasks", "heaps": "heap", "prints": "output"}
"""Part → what it is about, which some machines have not; ``double`` is written there, and made ``float`` of."""


def possible(names: Iterable[str], missing: Collection[str]) -> list[str]:
    """The parts that a machine can run which lacks ``missing``."""
    return [name for name in names if NEEDS.get(name) not in missing]


def random_features(seed: int, only: str = "", missing: Collection[str] = ()) -> str:
    """Of two to five parts; ``only`` names the feature of all of them, ``missing`` what the machine has not (``NEEDS``)."""
    made = Features(seed, frozenset(missing))
    chosen = [only] if only else possible((*FEATURES, "accesses", "accesses", "lanes", "vectors"), missing)
    return made.program([FEATURES[made.rng.choice(chosen)](made) for _ in range(made.rng.randint(2, 5))])
