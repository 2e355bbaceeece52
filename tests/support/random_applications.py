"""Random programs as people write them: idioms of real ones (``random_idioms.py``), parts about the library and about what
surrounds a program, and those of ``random_features.py``, under masks of any kind."""

from __future__ import annotations

from collections.abc import Collection

from random_feature_values import INTEGERS, TYPES, Part
from random_features import FEATURES, Features, possible
from random_idioms import SIGNED, UNSIGNED, Idioms


class Applications(Idioms, Features):
    def numbers(self) -> Part:
        """Parts of floats, bits, averages, products of packed integers, comparisons of what is no number."""
        type, other = self.rng.choice(("float", "double")), self.rng.choice(SIGNED + UNSIGNED)
        small, bits = self.rng.choice(("int8", "uint8", "int16", "uint16")), {"float": "int32", "double": "int64"}[type]
        wrapping, wrapping_small = (f"u{name.removeprefix('u')}" for name in (other, small))
        packed, sign = self.rng.choice(
            (("dot4add_u8i8packed", "int32"), ("dot4add_u8u8packed", "uint32"), ("dot4add_i8i8packed", "int32"),
             ("dot2add_u16i16packed", "int32"), ("dot2add_u16u16packed", "uint32"), ("dot2add_i16i16packed", "int32"))
        )  # fmt: skip
        given, e = f"(({type})({self.value('int16')}) * ({type})0.37)", self.name("e")
        nan = f"({given} / (({type})(a & 1) - ({type})(a & 1)))"
        forms = [
            (f"intbits(ldexp({given}, {self.small()} - 7))", bits), (f"({bits})signbits({given})", bits),
            (f"avg_{self.rng.choice(('up', 'down'))}(({small}){self.value(small)}, ({small}){self.value(small)})", small),
            (f"{packed}({self.value('uint32')}, {self.value('uint32')}, ({sign}){self.rng.randrange(99)})", sign),
            (f"(isnan({nan}) ? 3 : isinf({nan}) ? 5 : 7)", "int32"),
            (f"({nan} < ({type})1 ? 1 : {nan} >= ({type})1 ? 2 : 3)", "int32"),
            (f"(!({nan} == {nan}) || {nan} != {given} ? 1 : 0)", "int32"),
            ("sizeof(uniform int64) + sizeof(varying int8)", "uint64"),
            ("intbits(floatbits((uint32)(b & 0x7F7FFFFF)))", "int32"),
            ("intbits(half_to_float((uint16)(b & 0x7BFF)))", "int32"),
            ("(int32)float_to_half((float)(a) * 0.0625f)", "int32"),
            (f"({other})(({wrapping}){self.value(other)} * ({wrapping})3)", other),
            (f"(uint32)(({self.value('int8')}) < ({self.value('uint8')}) ? 1 : 0)", "uint32"),
            (f"(int32)(({self.value('int16')} & 255) - ({self.value('uint16')} & 255))", "int32"),
            (f"({small})({wrapping_small})(({wrapping_small}){self.value(small)} + {self.value(small)}) / ({small})2", small),
            (f"(({self.value('uint64')} >> ({self.small()} * 4)) & 0xFFFFFFFFull)", "uint64"),
        ]  # fmt: skip
        lines = [self.note(*self.rng.choice(forms)) for _ in range(self.rng.randint(2, 4))]
        lines.append(f"{{ int {e}; {type} m = frexp({given}, &{e}); if (m != 0) {{ NOTE((uint32){e}); }} }}")
        return Part("", "\n".join(lines))

    def transposes(self) -> Part:
        """Structures of numbers read and written as one, memory passed over, and loads that do not stay in caches."""
        count = self.rng.choice((2, 3, 4))
        type, table, parts = self.rng.choice(("float", "int32", "double", "int64")), self.name("table"), self.name("v")
        names = [f"{parts}_{k}" for k in range(count)]
        first = f"uniform {type} {table}[{count} * programCount + 8]; for (uniform int j = 0; j < {count} * programCount; j++)"
        first += f" {table}[j] = j & 63; {type} {', '.join(names)};"
        first += f" aos_to_soa{count}({table}, {', '.join('&' + one for one in names)});"
        if self.rng.random() < 0.5:
            swapped = self.rng.sample(names, count)
            first += f" soa_to_aos{count}({', '.join(swapped)}, {table});"
        if self.rng.random() < 0.4:
            first += f" {type} s{parts} = streaming_load({table}); streaming_store({table}, s{parts} + ({type})1);"
            first += f" prefetch_l1({table}); uniform {type} u{parts} = streaming_load_uniform({table});"
        at = f"{table}[({self.small()}) % ({count} * programCount)]"
        return Part("", " ".join(self.note(one, type) for one in (*names, at)), first)

    def chance(self) -> Part:
        """Random numbers: the same state, the same numbers."""
        state, one = self.name("state"), self.name("z")
        seed = self.rng.choice(("(uint32)programIndex + 1", "b", "12345u"))
        first = f"RNGState {state}; seed_rng(&{state}, {seed});"
        lines = [
            f"{{ uint32 {one} = random(&{state}); NOTE({one}); float y = frandom(&{state}); NOTE((uint32)(int)(y * 65536));"
        ]
        lines.append(f"for (int j = 0; j < ({self.small()} & 3); j++) {{ {one} ^= random(&{state}); }} NOTE({one}); }}")
        return Part("", "\n".join(lines), first)

    def heaps(self) -> Part:
        """Memory of each lane, as much as it wants, and of the gang."""
        type, p, q = self.rng.choice(TYPES), self.name("p"), self.name("q")
        rate = self.rng.choice(("uniform ", ""))
        start = self.rng.choice((f"{{ {rate}{type} * {p} = NULL; if ({self.condition()}) {p} = new {rate}{type}[4];",
                                 f"{{ {rate}{type} * {p} = new {rate}{type}[({self.small()} & 3) + 4];"))  # fmt: skip
        lines = [
            start,
            f"if ({p} != NULL) {{ for (uniform int j = 0; j < 4; j++) {p}[j] = ({rate or 'varying '}{type})j;",
            f"{p}[{self.small()} & 3] = ({rate or 'varying '}{type})({'5' if rate else 'a & 7'});",
            f"{self.note(f'{p}[{self.small()} & 3]', type)}",
            f"delete {p}; }}",
            f"uniform {type} * uniform {q} = uniform new uniform {type}[9]; {q}[3] = 7; {q}[a & 1] = ({type})(r & 15);",
            f"{self.note(f'{q}[3]', type)} delete {q}; }}",
        ]
        return Part("", "\n".join(lines))

    def surroundings(self) -> Part:
        """Macros, C linkage, constants, tables, static variables, types with names, asserts."""
        c, table, counter, alias, fold, type = (
            *(self.name(s) for s in ("c_", "TABLE", "calls", "T", "fold")),
            self.rng.choice(INTEGERS[2:]),
        )
        values = ", ".join(str(self.rng.randrange(100)) for _ in range(8))
        width = self.rng.choice((4, 8, 16))
        declarations = f"""#define TWICE_{c}(v) ((v) + (v))
#if TARGET_WIDTH >= {width} && !defined(NOT_{c})
#define SOME_{c} {self.rng.randrange(50)}
#else
#define SOME_{c} TWICE_{c}({self.rng.randrange(50)})
#endif
typedef {type} {alias};
static const uniform {alias} {table}[8] = {{ {values} }};
static uniform int {counter} = {self.rng.randrange(5)};
extern "C" uniform int {c}(uniform int n) {{ {counter} += n; return {counter} * 3; }}
static inline {alias} {fold}({alias} v, const uniform {alias} * uniform t, uniform int n = {self.rng.randint(1, 8)}) {{
    {alias} s = v; for (uniform int j = 0; j < n; j++) s ^= t[j] + ({alias})SOME_{c};
    assert(n > 0 && n <= 8); return s; }}
"""
        k = self.rng.randint(1, 8)
        lines = [
            f"NOTE((uint32){c}({self.rng.randrange(9)}));" if self.rng.random() < 0.5 else "",
            self.note(f"{fold}({self.value(type)}, {table})", type),
            self.note(f"{fold}({table}[{self.small()} & 7], {table}, {k})", type),
            f"assume(n == 64); NOTE((uint32)(TWICE_{c}({self.small()}) + SOME_{c} + n));",
        ]  # fmt: skip
        return Part(declarations, "\n".join(lines), f"r += (uint32){c}(2);")

    def flags_of_lanes(self) -> Part:
        """Arrays of bool and of small integers, of the gang and of each lane; a sieve; masks as numbers."""
        seen, mine, k = self.name("seen"), self.name("mine"), self.name("k")
        type, n = self.rng.choice(("bool", "bool", "int8", "uint16")), self.rng.choice((20, 37, 50))
        first = f"uniform {type} {seen}[{n}]; for (uniform int j = 0; j < {n}; j++) {seen}[j] = j > 1;"
        first += f" for (uniform int j = 2; j * j < {n}; j++) if ({seen}[j])"
        first += f" foreach ({k} = j ... ({n} + j - 1) / j) {seen}[{k} * j] = false;"
        lines = [
            f"{{ {type} {mine}[5]; for (uniform int j = 0; j < 5; j++) {mine}[j] = (a + j) % 3 == 0;",
            "bool any_ = false, all_ = true; for (uniform int j = 0; j < 5; j++) {",
            f"any_ |= (bool){mine}[j]; all_ &= (bool){mine}[j] || {seen}[j]; }}",
            f"{mine}[{self.small()} % 5] = !{mine}[{self.small()} % 5]; r += any_ ? (all_ ? 5 : 3) : 1;",
            "r ^= (uint32)popcnt((uniform int32)packmask(any_ && !all_));",
            f"NOTE((uint32){mine}[{self.small()} % 5]); NOTE((uint32){seen}[{self.small()}",
            f"+ 2]); bool p = {self.condition()}, q = {self.condition()};",
            "NOTE((uint32)((int)(p ^ q) + (int)(p & q) * 2 + (p | !q ? 4 : 0)));",
            "if (all(p) || none(q)) r += 7; if (any(p != q)) r -= 2; }",
        ]
        return Part("", "\n".join(lines), first)

    def prints(self) -> Part:
        """Values of lanes, of any type, in the order in which they are printed."""
        type = self.rng.choice(("int32", "uint32", "int64", "uint64", "float", "double", "bool"))
        value = self.condition() if type == "bool" else self.value(type)
        text = self.rng.choice(("% %", "v % and %", "<%> % "))
        return Part("", f'print("{text}\\n", {value}, {self.rng.choice(("a", "programIndex", "n", "x"))});')

    def uses(self, part: Part) -> str:
        return part.statements if "foreach" in part.statements else self.within(part.statements)


PARTS = (
    "particles", "particles", "lists", "trees", "matrices", "bytes", "counters", "counters", "compaction", "histograms",
    "machines", "networks", "numbers", "numbers", "transposes", "chance", "heaps", "surroundings", "flags_of_lanes", "prints",
)  # fmt: skip


def random_applications(seed: int, only: str = "", missing: Collection[str] = ()) -> str:
    """Of three to six parts, two thirds of them idioms; ``only`` names all of them, ``missing`` what the machine has not."""
    made = Applications(seed, frozenset(missing))
    some = (*PARTS, *(name for name in FEATURES if made.rng.random() < 0.4))
    chosen = [only] if only else possible(some, missing)
    return made.program([getattr(made, made.rng.choice(chosen))() for _ in range(made.rng.randint(3, 6))])
