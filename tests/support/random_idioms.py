"""Parts of random programs that are idioms of real ones: particles, lists, trees, stacks, matrices, bytes, counters,
compaction, histograms, state machines. The rules of ``random_features.py`` hold; ``random_applications.py`` puts them together.

Where lanes meet in one place, the order of lanes says what is there in the end.
"""

from __future__ import annotations

import re

from random_feature_values import INTEGERS, TYPES, FeatureValues, Part

UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
SIGNED = ("int8", "int16", "int32", "int64")


class Idioms(FeatureValues):
    def step(self, name: str, type: str) -> str:
        """A statement that changes an unsigned variable."""
        return self.rng.choice(
            (
                f"{name} = {name} * ({type})3 + ({type})1;", f"{name} ^= {name} >> 3;", f"{name} += {self.value(type)};",
                f"{name} <<= {self.small()} & 7;", f"{name} >>= {self.small()} & 7;",
                f"{name} %= ({type})({self.small()} + 1);",
                f"{name} /= ({type})({self.small()} + 1);", f"{name} |= ({type}){self.small()};", f"{name} -= ({type})a;",
                f"{name} = {name} > {self.value(type)} ? {name} : ({type})7;", f"{name} = ({type})-{name};", f"++{name};",
                f"{name} = ~{name};", f"{name} = ({type})(int8){name};", f"{name} = ({type})(int16)({name} + ({type})b);",
                f"if ({name} < ({type})b) {name} -= ({type})9; else {name} += ({type})2;",
            )
        )  # fmt: skip

    def apart(self, text: str) -> str:
        """A text of a function of its own, which has not the body's variables."""
        own = {"a": "(programIndex * 5 - 7)", "b": "((uint32)programIndex * 2654435761u)", "x": "1.25f"}
        return re.sub(r"(?<![.\w])[abx]\b", lambda found: own[found[0]], text)

    def leave(self) -> str:
        """Out of a loop for some lanes, or on with it."""
        return self.rng.choice(("", f"if ({self.condition()}) break;", f"if ({self.condition()}) continue;"))

    def particles(self) -> Part:
        """An array of structs, of any layout, gone through with functions that take elements by reference and pointer."""
        s, items, f, g, h = (self.name(stem) for stem in ("Item", "items", "advance", "energy", "sort"))
        kinds = [self.rng.choice(UNSIGNED) for _ in range(self.rng.randint(2, 4))]
        vector, flag = self.rng.choice(("float<3>", "int<2>", "uint8<4>", "double<3>")), self.rng.choice(("bool", "int8"))
        members = "".join(f"{kind} m{k}; " for k, kind in enumerate(kinds)) + f"{vector} v; {flag} alive;"
        width, count = self.rng.choice((0, 0, 1, 4, 8, 16)), 48
        layout = f"soa<{width}> {s}" if width else f"uniform {s}"
        declarations = f"""struct {s} {{ {members} }};
static {layout} {items}[{count}];
static inline void {f}({s} &one, const uniform int by) {{ {self.apart(self.step("one.m0", kinds[0]))} one.v.y += by;
    if (one.m1 > ({kinds[1]})9) {{ one.m1 -= ({kinds[1]})4; one.alive = one.m0 & 1; }} }}
static {"noinline " if self.rng.random() < 0.5 else ""}uint32 {g}(const {s} one) {{
    return one.alive ? (uint32)one.m0 + (uint32)(int)one.v.x : (uint32)one.m1 ^ (uint32)(int)one.v.y; }}
static {s} {h}(const {s} &one, {s} &other) {{ if (one.m0 < other.m0) return one; other.m1++; return other; }}
"""
        first = f"for (uniform int j = 0; j < {count}; j++) {{ {items}[j].m0 = j * 7 & 63; {items}[j].m1 = 40 - j;"
        first += "".join(f" {items}[j].m{k} = j + {k};" for k in range(2, len(kinds)))
        first += f" {items}[j].v.x = j; {items}[j].v.y = 50 - j; {items}[j].alive = j & 1; }}"
        k, one, total = self.name("k"), self.name("one"), self.name("total")
        start, end = self.rng.choice((0, 1, 5)), self.rng.choice((7, 16, 33, 47))
        test = self.rng.choice(("", f"if ({items}[{k}].alive) ", f"if (({k} & 3) != 1) "))
        lines = [
            f"{{ foreach ({k} = {start} ... {end}) {{ {test}{{ {s} {one} = {items}[{k}]; {f}({one}, {self.rng.randrange(9)});",
            f"{items}[{k}] = {one}; }} }}",
            f"uint32 {total} = 0; foreach ({k} = 0 ... {count}) {{ {s} o = {items}[{k}]; {total} += {g}(o);",
            f"{s} n = {items}[min({k} + 1, {count - 1})]; {s} q = {h}(o, n);",
            f"{total} = {total} * 5 + (uint32)q.m0 + (uint32)n.m1; }}",
            f"r += reduce_add({total}); }}",
            f"{{ int at = {self.small()} + (a & 15); {s} mine = {items}[at];",
            f"{f}(mine, 2); if ({self.condition()}) {items}[at] = mine;",
            f"NOTE({g}(mine)); NOTE((uint32){items}[(at + 1) & 31].m1); }}",
        ]
        return Part(declarations, "\n".join(lines), first)

    def lists(self) -> Part:
        """Nodes linked by pointers or numbers, each lane at one of its own."""
        node, nodes = self.name("Node"), self.name("nodes")
        type, where = self.rng.choice(UNSIGNED), self.rng.choice(("global", "local", "heap" if self.has("heap") else "local"))
        pad = self.rng.choice(("", "int8 pad; "))
        declarations = f"struct {node} {{ {pad}{type} value; uniform {node} * uniform next; int16 other; }};\n"
        fill = f"for (uniform int j = 0; j < 16; j++) {{ {nodes}[j].value = j * 11; {nodes}[j].other = j * 5 + 3 & 15;"
        fill += f" {nodes}[j].next = j % 7 == 6 ? NULL : &{nodes}[(j + 1) & 15]; }}"
        kind = f"uniform {node}"
        if where == "global":
            declarations += f"static {kind} {nodes}[16];\n"
        place = {"global": "", "local": f"{kind} {nodes}[16];"}.get(
            where, f"{kind} * uniform {nodes} = uniform new {kind}[16];"
        )
        p, steps = self.name("p"), self.name("n")
        lines = [
            f"{{ {kind} * {p} = &{nodes}[{self.small()}]; int {steps} = 0;",
            f"while ({p} != NULL && {steps} < {self.rng.randint(3, 20)}) {{ {steps}++; r += (uint32){p}->value; {self.leave()}",
            f"if ({self.condition()}) {p}->value += ({type})1;",
            f"{p}",
            f"= {self.rng.choice((f'{p}->next', f'&{nodes}[{p}->other]', f'(a & 1) ? {p}->next : &{nodes}[{p}->other]'))}; }}",
            f"NOTE((uint32){steps}); NOTE({p} == NULL ? 1u : (uint32){p}->value);",
            f"uniform int16 at = {self.rng.randrange(16)}; for (uniform int j = 0; j < 5; j++) {{ at = {nodes}[at].other;",
            f"r ^= (uint32){nodes}[at].value; }}",
            f"int16 mine = (int16){self.small()}; do {{ mine = {nodes}[mine].other;",
            f"if (mine == 4) break; {self.leave()} r += 3; }}",
            f"while (mine > {self.rng.choice((2, 9))} && ({self.condition()}) && {steps}++ < 9); NOTE((uint32)mine); }}",
        ]
        return Part(declarations, "\n".join(lines), f"{place} {fill}")

    def trees(self) -> Part:
        """A tree in an array, gone down by lanes, with a stack of each lane or of all."""
        tree, stack, top, at = self.name("tree"), self.name("stack"), self.name("top"), self.name("at")
        type, index = self.rng.choice(INTEGERS[2:]), self.rng.choice(("int", "int8", "uint16", "int64"))
        shared = self.rng.random() < 0.4
        first = f"uniform {type} {tree}[64]; for (uniform int j = 0; j < 64; j++) {tree}[j] = j * 37 & 63;"
        if shared:
            lines = [
                f"{{ uniform {index} {stack}[16]; uniform int {top} = 1; {stack}[0] = 1;",
                f"while ({top} > 0) {{ uniform {index} {at} = {stack}[--{top}];",
                f"bool go = {tree}[{at}] > ({type})(a & 31); r += go ? (uint32){at} : 1;",
                f"if (any(go) && {at} < {self.rng.choice((8, 16, 31))}) {{",
                f"{stack}[{top}++] = {at} * 2; {stack}[{top}++] = {at} * 2 + 1; }} }} }}",
            ]
        else:
            lines = [
                f"{{ {index} {stack}[8]; int {top} = 0; {index} {at} = 1;",
                f"{type} key = ({type})({self.value(type)} & ({type})63);",
                f"{self.rng.choice(('while', 'cwhile'))} (true) {{ if ({tree}[{at}] < key && {at} < 16) {{",
                f"if ({top} < 7) {stack}[{top}++] = {at} * 2 + 1; {at} = {at} * 2; {self.leave()} continue; }}",
                f"r = r * 3 + (uint32){at}; if ({top} == 0) break; {at} = {stack}[--{top}]; }}",
                f"NOTE((uint32){at}); NOTE((uint32){top}); }}",
            ]
        return Part("", "\n".join(lines), first)

    def matrices(self) -> Part:
        """Arrays of two dimensions, of all lanes and of each, by nested loops of every kind."""
        type, m, t, rows, columns = self.rng.choice(TYPES), self.name("m"), self.name("t"), *self.rng.sample((3, 4, 5, 7, 8), 2)
        small = f"({type})((i_ * 5 + j_ * 3) & 15)"
        head = self.rng.choice(
            (
                "foreach (i_ = 0 ... {r}, j_ = 0 ... {c})", "foreach_tiled (i_ = 0 ... {r}, j_ = 0 ... {c})",
                "for (uniform int i_ = 0; i_ < {r}; i_++) foreach (j_ = 0 ... {c})",
                "foreach (i_ = 0 ... {r}) for (uniform int j_ = 0; j_ < {c}; j_++)",
                "foreach (k_ = 0 ... 2, i_ = 0 ... {r}, j_ = 0 ... {c})",
                "foreach_tiled (k_ = 1 ... 3, i_ = 0 ... {r}, j_ = 0 ... {c})",
            )
        ).format(r=rows, c=columns)  # fmt: skip
        test = self.rng.choice(("", "if (i_ != j_) ", "if (((i_ ^ j_) & 1) == 0) ", "if (j_ > 1) "))
        first = f"uniform {type} {m}[{rows}][{columns}]; uniform {type} {t}[{columns}][{rows}];"
        first += f" for (uniform int i_ = 0; i_ < {rows}; i_++) for (uniform int j_ = 0; j_ < {columns}; j_++)"
        first += f" {{ {m}[i_][j_] = {small}; {t}[j_][i_] = 1; }}"
        acc, y = self.name("acc"), self.name("y")
        lines = [
            f"{{ {head} {{ {test}{{ {type} {y} = {m}[i_][j_]; {t}[j_][i_] = {y} + ({type})1; }} }}",
            f"{type} {acc}[{rows}][2]; for (uniform int i_ = 0; i_ < {rows};",
            f"i_++) {{ {acc}[i_][0] = 0; {acc}[i_][1] = ({type})(a & 3); }}",
            f"for (uniform int j_ = 0; j_ < {columns}; j_++) for (uniform int i_ = 0; i_ < {rows}; i_++)",
            f"{{ if ({self.condition()}) {acc}[i_][0] += {m}[i_][j_];",
            f"else {acc}[i_][{self.small()} & 1] = {t}[j_][(i_ + {self.small()}) % {rows}]; }}",
            self.note(f"{acc}[{self.small()} % {rows}][0]", type),
            self.note(f"{acc}[{self.rng.randrange(rows)}][{self.small()} & 1]", type),
            self.note(f"{t}[{self.small()} % {columns}][{self.small()} % {rows}]", type) + " }",
        ]
        return Part("", "\n".join(lines), first)

    def bytes(self) -> Part:
        """Texts and hashes: loops over bytes, blocks copied, set and moved, each lane with a part of its own."""
        text, copy, k = self.name("text"), self.name("copy"), self.name("k")
        type = self.rng.choice(("int8", "uint8"))
        first = f"uniform {type} {text}[128]; uniform {type} {copy}[128]; for (uniform int j = 0; j < 128; j++)"
        first += f" {{ {text}[j] = (uniform {type})(j * 29 + 3); {copy}[j] = 0; }}"
        moves = (
            f"memcpy({copy}, {text}, {self.rng.randrange(129)});",
            f"memset(&{copy}[{self.rng.randrange(64)}], {self.rng.randrange(256)}, {self.rng.randrange(60)});",
            f"memmove({copy} + {self.rng.randrange(40)}, {copy} + {self.rng.randrange(40)}, {self.rng.randrange(80)});",
            f"foreach_active (l) {{ memcpy(&{copy}[l & 63], &{text}[32 + (l & 31)], 4); }}",
        )
        hash_, length = self.name("h"), self.name("length")
        lines = [
            f"{{ {self.rng.choice(moves)} uint32 {hash_} = 2166136261u; int {length} = {self.small()} + 3;",
            f"for (int {k} = a & 7; {k} < {length}; {k}++) {{ {hash_}",
            f"= ({hash_} ^ (uint8){text}[{k}]) * 16777619u; {self.leave()} }}",
            f"{self.rng.choice(moves)} foreach ({k} = 0 ... {self.rng.choice((10, 61, 100))}) {{ {type} c = {text}[{k}];",
            f"if (c >= 97 && c <= 122) c -= 32; else if (c {self.rng.choice('<>')}",
            f"({type})0x50) c = c {self.rng.choice('+-^|&')} ({type}){self.rng.randrange(99)};",
            f"{copy}[{k}] = c; }}",
            f"{self.rng.choice(moves)} NOTE({hash_}); NOTE((uint32){copy}[a & 63]); uint32 sum = 0;",
            f"foreach ({k} = 0 ... 128) sum = sum * 7 + (uint32){copy}[{k}]; r += reduce_add(sum); }}",
        ]
        return Part("", "\n".join(lines), first)

    def counters(self) -> Part:
        """Loops that step from gang to gang, counters declared varying that all lanes share, searches that lanes leave."""
        type, counted = self.rng.choice((*UNSIGNED, *SIGNED)), self.rng.choice(("int", "int", "uint8", "int64", "unsigned int"))
        table, k, n, s, own, at = (self.name(stem) for stem in ("table", "k", "n", "s", "own", "at"))
        first = f"uniform {type} {table}[96]; for (uniform int j = 0; j < 96; j++) {table}[j] = j * 37 & 63;"
        start = self.rng.choice(("programIndex", "5 + programIndex", f"programIndex + {n} / 8", "programIndex * 2"))
        last = self.rng.choice((f"< {n}", f"<= {n}", f"< {n} - 1", "< 61", f"< {n} * 2 - 60"))
        element = f"{table}[{k}]"
        body = self.rng.choice(
            (
                f"{element} = {element} * ({type})3 + ({type}){k};", f"{s} += {element}; {self.leave()}",
                f"if ({self.condition()}) {element} = ({type}){k}; {s} ^= {element};",
                f"for (int q = 0; q < 3; q++) {own}[q] += {element};", f"{n} -= {self.rng.randrange(2)}; {s} += {element};",
                f"{element} += {table}[{k} + 1]; if ({element} > ({type})9) continue; {s}++;",
            )
        )  # fmt: skip
        ahead = self.rng.choice(("q++", "++q", "q += 2"))
        found = self.rng.choice((f"== ({type})({self.small()} + 20)", f"> ({type})40", f"== {s}"))
        lines = [
            f"{{ uniform int {n} = {self.rng.randrange(1, 75)}; {type} {s} = 0, {own}[4];",
            f"for (int q = 0; q < 4; q++) {own}[q] = ({type})(a + q);",
            f"for (int {k} = {start}; {k} {last}; {k} += programCount) {{ {body} }}",
            f"for ({counted} q = {self.rng.randrange(3)}; q < {n} % 9; {ahead}) {{ {own}[q & 3] += ({type})q; {self.leave()}",
            f"if (q < 2) {s} ^= {table}[(q + programIndex) & 63]; }}",
            f"int {at} = -1; for (uniform int q = 0; q < {self.rng.choice(('8', f'{n} % 9'))}; q++)",
            f"if ({table}[(a & 7) * 8 + q] {found}) {{ {at} = q; break; }}",
            f"NOTE({at}); {self.note(s, type)} {self.note(f'{own}[{self.small()} & 3]', type)}",
            self.note(f"{table}[{self.small()} + 60]", type) + " }",
        ]
        return Part("", "\n".join(lines), first)

    def compaction(self) -> Part:
        """Values of lanes stored one beside the other, and read so; offsets by scans."""
        type, kept, count = (
            self.rng.choice(("int32", "uint32", "int64", "uint64", "int16", "uint8", "float", "double")),
            self.name("kept"),
            self.name("count"),
        )
        value = f"({type})(k * 3 & 127)"
        first = f"uniform {type} {kept}[160]; uniform int {count} = 0; for (uniform int j = 0; j < 160; j++) {kept}[j] = 0;"
        test = self.rng.choice(("(k & 3) != 0", "k * 7 % 5 < 2", "i[k & 63] > 0", "f[k & 63] < 1.0f"))
        end = self.rng.choice((5, 16, 31, 64))
        wide = type in ("int32", "uint32", "int64", "uint64")
        store = (
            self.rng.choice(
                (
                    f"if ({test}) {count} += packed_store_active(&{kept}[{count}], {value});",
                    f"if ({test}) {count} += packed_store_active2(&{kept}[{count}], {value});",
                    f"{count} += packed_store_active({test}, &{kept}[{count}], {value});",
                )[: 3 if type in ("int32", "int64") else 2]
            )
            if wide
            else f"if ({test}) {{ int one = 1; int o = exclusive_scan_add(one); {kept}[{count} + o] = {value};"
            f" {count} += (uniform int)reduce_add(one); }}"
        )
        first += f" foreach (k = 0 ... {end}) {{ {store} }}"
        got = self.name("got")
        read = (
            f"{type} {got} = 0; packed_load_active({kept}, &{got});"
            if wide
            else f"{type} {got} = {kept}[exclusive_scan_add((varying int)1)];"
        )
        last = self.note(f"({count} > 0 ? {kept}[(a & 63) % max({count}, 1)] : ({type})0)", type)
        return Part("", f"{{ {read} {self.note(got, type)} NOTE((uint32){count}); {last} }}", first)

    def histograms(self) -> Part:
        """Lanes that meet: atomic operations of all kinds, on memory of the gang and of all."""
        type, bins, old = self.rng.choice(("int32", "uint32", "int64", "uint64")), self.name("bins"), self.name("old")
        reach = self.rng.choice(("local", "global"))
        ways = ("add", "subtract", "min", "max", "or", "and", "xor", "swap")
        # Of a static array LLVM knows the addresses of all lanes, where it knows their indices.
        declared = f"uniform {type} {bins}[16];"
        shared = self.rng.random() < 0.4
        first = f"{'' if shared else declared} for (uniform int j = 0; j < 16; j++) {bins}[j] = j;"
        lines = [f"{{ {type} {old} = 0;"]
        for _ in range(self.rng.randint(1, 3)):
            given = f"({type})({self.small()} + 1)"
            index = self.rng.choice((f"{self.small()} & 15", "a & 3", "programIndex & 15", "7", "programIndex % 3"))
            lines.append(
                self.rng.choice(
                    (
                        f"{old} = atomic_{self.rng.choice(ways)}_{reach}(&{bins}[{index}], {given});",
                        f"{old} = atomic_compare_exchange_{reach}(&{bins}[{index}], {given}, {given} + ({type})1);",
                        f"{old} = atomic_{self.rng.choice(ways)}_{reach}(&{bins}[{self.rng.randrange(16)}], {given});",
                        f"{{ uniform {type} was ="
                        f" atomic_{self.rng.choice(ways)}_{reach}(&{bins}[3], (uniform {type})5); {old} += was; }}",
                    )
                )
            )
            lines.append(self.note(old, type))
        lines.append(f"for (uniform int j = 0; j < 16; j++) {{ {self.note(f'{bins}[j]', type)} }} }}")
        return Part(f"static {declared}\n" if shared else "", "\n".join(lines), first)

    def networks(self) -> Part:
        """Lanes that take from others at distances that double or halve: sums, scans and sorts by hand, with all lanes on."""
        type, v = self.rng.choice((*UNSIGNED, "float", "double")), self.name("v")
        first = f"{type} {v} = ({type})((i[programIndex & 31] ^ programIndex * 5) & 63);"
        for _ in range(self.rng.randint(1, 2)):
            head = self.rng.choice(
                (
                    "int k = 1; k < programCount; k *= 2", "int k = 1; k < programCount; k <<= 1", "int k = 1; k <= 8; k += k",
                    "int k = programCount / 2; k > 0; k /= 2", "unsigned int k = programCount; k; k >>= 1",
                    "int64 k = 3; k < 50; k = k * 2 + 1", "int8 k = 1; k != 16; k = k << 1",
                )
            )  # fmt: skip
            other = self.rng.choice(
                (
                    f"shuffle({v}, (int)(programIndex ^ k) & programCount - 1)", f"rotate({v}, (int)k)",
                    f"shift({v}, -(int)k)", f"broadcast({v}, (int)k & programCount - 1)",
                )
            )  # fmt: skip
            joined = self.rng.choice((f"{v} + t", f"max({v}, t)", f"programIndex >= (int)k ? {v} + t : {v}"))
            kept = f"({type})((int){v} & 255)" if type in ("float", "double") else v
            first += f" for (uniform {head}) {{ {type} t = {other}; {v} = {joined}; {v} = {kept}; }}"
        return Part("", self.note(v, type), first)

    def machines(self) -> Part:
        """A state for each lane, by a switch in a loop, with cases that fall through."""
        e, state, steps = self.name("State"), self.name("state"), self.name("steps")
        names = [f"{e}_{k}" for k in range(5)]
        numbers = self.rng.sample(range(0, 40, 3), 5)
        declarations = f"enum {e} {{ {', '.join(f'{one} = {number}' for one, number in zip(names, numbers))} }};\n"
        arms = []
        for k, one in enumerate(names[:4]):
            go = f"{state} = {self.condition()} ? {self.rng.choice(names)} : {self.rng.choice(names)};"
            end = self.rng.choice(("break;", "break;", "", f"if ({self.condition()}) break;"))
            arms.append(f"case {one}: r = r * {k + 3} + {k}; {go} {end}")
        self.rng.shuffle(arms)
        loop = self.rng.choice(("for (uniform int w = 0; w < 5; w++) {", "while (true) {", "cwhile (true) {"))
        rate = self.rng.choice(("", "", "uniform "))
        if rate:
            arms = [
                arm.split("r =")[0] + f"r += {k + 1}; {state} = {self.rng.choice(names)}; break;" for k, arm in enumerate(arms)
            ]
        text = f"""{{ {rate}{e} {state} = {names[0]}; {rate}int {steps} = 0;
{loop} if ({steps}++ > {self.rng.randint(2, 9)}) break;
switch ({state}) {{ {chr(10).join(arms)}
default: r ^= 5; {"" if rate else self.rng.choice(("", "break;", f"if ({self.condition()}) {{ {state} = {names[1]}; }}"))} }} }}
NOTE((uint32){state}); NOTE((uint32){steps}); }}"""
        return Part(declarations, text)
