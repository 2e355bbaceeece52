"""Random kernels over the whole type system: structs, vectors, soa, pointers, templates, every statement under masks.

Where ``random_programs.py`` is about arithmetic and loops within a foreach, these are functions called by a gang under
masks, with objects of random types. They are free of undefined behaviour by construction:

* arithmetic is done in unsigned types, or on masked operands; counts, indices and divisors are masked;
* what is stored through a computed index is worked out before the store, in statements of its own;
* lanes that are off are read only of *solid* variables, those declared where all lanes are on;
* every function ends in a return of all lanes.

The result depends on the gang's width; each width is compared with the interpreter of the typed tree.
"""

from __future__ import annotations

from random_values import BITS, INTEGERS, Function, Record, Row, Scope, Short, Type, Values, Variable

UNSIGNED = tuple(name for name in INTEGERS if name[0] == "u")
"""Types whose sums may wrap."""


class Kernels(Values):
    heap = True

    # --- statements ---

    def block(self, scope: Scope, count: int, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement(scope)
        return [indent + line for line in lines]

    def body(self, scope: Scope) -> list[str]:
        return self.block(scope, self.rng.randint(1, 3), "    ")

    def statement(self, scope: Scope) -> list[str]:
        choice = self.rng.random()
        if choice < 0.15:
            return self.declare(scope)
        if choice < 0.5 or scope.depth > 4:
            return self.store(scope)
        rules = [self.branch, self.branch, self.loop, self.switch, self.leave, self.copy, self.pointer, self.effect]
        rules += [self.by_lane, self.by_value, self.unmasked, self.run_over, self.soa, self.increments, self.compact]
        rules += [self.operands, self.sums]
        return self.rng.choice(rules)(scope)

    def declare(self, scope: Scope, type: Type | None = None, varying: bool | None = None) -> list[str]:
        type = self.type() if type is None else type
        varying = self.rng.random() < 0.7 if varying is None else varying
        name = self.name("v")
        lines: list[str] = []
        qualifier = "" if varying else "uniform "
        if isinstance(type, str):
            lines.append(f"{qualifier}{type} {name} = {self.value(type, scope, 2, varying)};")
        else:
            lines.append(self.declarator(type, name, qualifier) + f" = {self.initial(type, scope, varying)};")
        scope.variables.append(Variable(name, type, varying, solid=scope.all_on))
        return lines

    def initial(self, type: Type, scope: Scope, varying: bool) -> str:
        match type:
            case str():
                return self.value(type, scope, 1, varying)
            case Short(element, count):
                return "{ " + ", ".join(self.value(element, scope, 1, varying) for _ in range(count)) + " }"
            case Row(element, count):
                return "{ " + ", ".join(self.initial(element, scope, varying) for _ in range(count)) + " }"
            case Record(_, members):
                return "{ " + ", ".join(self.initial(kind, scope, varying) for _, kind in members) + " }"
        raise AssertionError

    def store(self, scope: Scope) -> list[str]:
        usable = [one for one in scope.variables if not one.fixed]
        if not usable:
            return self.declare(scope)
        variable = self.rng.choice(usable)
        place = self.place(variable, scope, store=True, varying=True)
        if place.index or self.rng.random() < 0.3:
            name = self.name("y")
            value = self.value(place.type, scope, 2, place.varying)
            qualifier = "" if place.varying else "uniform "
            return [f"{{ {' '.join(place.setup)} {qualifier}{place.type} {name} = {value}; {place.text} = {name}; }}"]
        if place.type[0] == "u" and self.rng.random() < 0.4:
            operator = self.rng.choice(("+=", "-=", "*=", "|=", "&=", "^="))
            return [f"{place.text} {operator} {self.value(place.type, scope, 2, place.varying)};"]
        if place.type in INTEGERS and self.rng.random() < 0.15:
            count = f"({self.value('int32', scope, 1, place.varying)}) & {BITS[place.type] - 1}"
            return [f"{place.text} {self.rng.choice(('<<=', '<<=', '>>='))} {count};"]
        return [f"{place.text} = {self.value(place.type, scope, 2, place.varying)};"]

    def increments(self, scope: Scope) -> list[str]:
        usable = [one for one in scope.variables if not one.fixed and one.type in UNSIGNED]
        if not usable:
            return self.store(scope)
        one, to = self.rng.choice(usable), [v for v in usable if v.varying]
        if to and self.rng.random() < 0.5:
            other = self.rng.choice(to)
            if other != one:
                return [f"{other.text} = {self.rng.choice((f'{one.text}++', f'--{one.text}'))};"]
        return [f"{one.text}{self.rng.choice(('++', '--'))};"]

    def operands(self, scope: Scope) -> list[str]:
        """Assignments in operands of &&, || and ?:, for the lanes that evaluate them."""
        usable = [one for one in scope.variables if not one.fixed and one.varying and isinstance(one.type, str)]
        if not usable:
            return self.store(scope)
        one, within = self.rng.choice(usable), scope.inner(all_on=False, masked=True)
        assert isinstance(one.type, str)
        test, name = self.value("bool", scope, 1, True), self.name("t")
        assigned, other = (f"({one.text} = {self.value(one.type, within, 2, True)})" for _ in range(2))
        if self.rng.random() < 0.5:
            scope.variables.append(Variable(name, "bool", True))
            return [f"bool {name} = {test} {self.rng.choice(('&&', '||'))} (bool){assigned};"]
        scope.variables.append(Variable(name, one.type, True))
        arm = self.rng.choice((other, self.leaf(one.type, within, True)))
        return [f"{one.type} {name} = {test} ? {assigned} : {arm};"]

    def copy(self, scope: Scope) -> list[str]:
        """Structs and vectors as a whole, also out of arrays at a computed index."""
        pairs = [
            (to, of)
            for to in scope.variables
            for of in scope.variables
            if to != of and not to.fixed and isinstance(to.type, (Record, Short)) and (to.varying or not of.varying)
            if of.type == to.type or (isinstance(of.type, Row) and of.type.element == to.type)
        ]
        if not pairs:
            return self.store(scope)
        to, of = self.rng.choice(pairs)
        text = of.text
        makers = [one for one in self.makers if one[1] == to.type and (to.varying or not one[3])]
        if makers and scope.calls and self.rng.random() < 0.5:
            name, _, scalar, varying = self.rng.choice(makers)
            value = f"({'varying' if varying else 'uniform'} {scalar})({self.value(scalar, scope, 1, varying)})"
            if varying and to.varying and self.rng.random() < 0.4:
                return [f"{to.text} = {to.text} - {value};"]
            return [f"{to.text} = {name}({value});"]
        if isinstance(of.type, Row):
            text += f"[{self.index(scope, of.type.count, to.varying)}]"
        elif isinstance(to.type, Short) and self.rng.random() < 0.5 and to.type.element == "uint32":
            letters = "".join(self.rng.choice("xyzw"[: to.type.count]) for _ in range(to.type.count))
            return [f"{to.text} = {text}.{letters} {self.rng.choice('+*^')} {self.value('uint32', scope, 1, to.varying)};"]
        if isinstance(of.type, Row) and self.rng.random() < 0.3:
            return [f"{text} = {to.text};"] if of.varying and not of.fixed and to.varying else [f"{to.text} = {text};"]
        return [f"{to.text} = {text};"]

    def branch(self, scope: Scope) -> list[str]:
        varying = self.rng.random() < 0.75
        word = self.rng.choice(("if", "if", "cif")) if varying else "if"
        changes = {"all_on": scope.all_on and not varying, "masked": scope.masked or varying}
        lines = [f"{word} ({self.value('bool', scope, 2, varying)}) {{", *self.body(scope.inner(**changes))]
        if self.rng.random() < 0.5:
            lines += ["} else {", *self.body(scope.inner(**changes))]
        return [*lines, "}"]

    def loop(self, scope: Scope) -> list[str]:
        if scope.depth > 3:
            return self.branch(scope)
        varying = self.rng.random() < 0.6
        name, rate = self.name("j"), "" if varying else "uniform "
        inner = scope.inner(all_on=False, masked=scope.masked or varying, loop=True)
        inner.variables.append(Variable(name, "int32", varying, fixed=True))
        bound = f"(({self.value('int32', scope, 1, varying)}) & 3)"
        if self.rng.random() < 0.3:
            test = self.value("bool", inner, 1, varying)
            word = self.rng.choice(("while", "cwhile" if varying else "while"))
            head = f"{rate}int32 {name} = 0; {word} ({name} < 4 && ({test})) {{"
            return ["{ " + head, f"    {name}++;", *self.body(inner), "} }"]
        if self.rng.random() < 0.4:
            word = self.rng.choice(("do", "cdo" if varying else "do"))
            return [
                f"{{ {rate}int32 {name} = 0; {word} {{",
                f"    {name}++;",
                *self.body(inner),
                f"}} while ({name} < {bound}); }}",
            ]
        word = self.rng.choice(("for", "cfor" if varying else "for"))
        head = f"{word} ({rate}int32 {name} = 0; {name} < {bound}; {name}++) {{"
        return [head, *self.body(inner), "}"]

    def leave(self, scope: Scope) -> list[str]:
        words = ["break;", "continue;"] if scope.loop else []
        if scope.result is not None and not scope.foreach:
            type, varying = scope.result
            words.append(f"return {self.value(type, scope, 1, varying)};")
        if not words:
            return self.store(scope)
        varying = self.rng.random() < 0.8
        return [f"if ({self.value('bool', scope, 2, varying)}) {self.rng.choice(words)}"]

    def switch(self, scope: Scope) -> list[str]:
        varying = self.rng.random() < 0.7
        # In a switch, break leaves the switch and continue is not allowed.
        inner = scope.inner(all_on=False, masked=scope.masked or varying, loop=False)
        kind = self.rng.choice(("int32", "uint32", "uint8", "int64"))
        lines = [f"switch (({self.value(kind, scope, 2, varying)}) & 7) {{"]
        values = self.rng.sample(range(8), self.rng.randint(2, 4))
        for value in values:
            label = "default" if value == values[-1] and self.rng.random() < 0.6 else f"case {value}"
            lines += [f"{label}: {{", *self.body(inner.inner()), "}"]
            match self.rng.randrange(4):
                case 0:
                    lines.append(f"if ({self.value('bool', inner, 1, varying)}) break;")
                case 1 | 2:
                    lines.append("break;")
        return [*lines, "}"]

    def by_lane(self, scope: Scope) -> list[str]:
        if scope.depth > 3:
            return self.store(scope)
        name = self.name("l")
        inner = scope.inner(all_on=False, masked=True, loop=False, foreach=True)
        inner.variables.append(Variable(name, "int64", False, fixed=True))
        lines = self.body(inner)
        if self.rng.random() < 0.3:
            lines.insert(len(lines) // 2, f"    if ({self.value('bool', scope, 1)}) continue;") if len(lines) < 2 else None
        return [f"foreach_active ({name}) {{", *lines, "}"]

    def by_value(self, scope: Scope) -> list[str]:
        if scope.depth > 3:
            return self.store(scope)
        name, kind = self.name("u"), self.rng.choice(("int32", "uint8", "int64", "bool", "float"))
        inner = scope.inner(all_on=False, masked=True, loop=False, foreach=True)
        inner.variables.append(Variable(name, kind, False, fixed=True))
        value = self.value(kind, scope, 2)
        text = f"(varying {kind})({value})" if kind in ("bool", "float") else f"((varying {kind})({value})) & 3"
        return [f"foreach_unique ({name} in {text}) {{", *self.body(inner), "}"]

    def unmasked(self, scope: Scope) -> list[str]:
        """Only solid variables of whole lanes; what is stored there holds for lanes that are off, too."""
        solid = [one for one in scope.variables if not one.varying or (one.solid and isinstance(one.type, str))]
        if not any(one.varying for one in solid):
            return self.store(scope)
        inner = Scope(solid, all_on=True, depth=scope.depth + 1, calls=scope.calls, foreach=True)
        return ["unmasked {", *self.body(inner), "}"]

    def run_over(self, scope: Scope) -> list[str]:
        """A foreach: lanes that are on are a prefix, whatever the mask outside."""
        if scope.foreach or scope.depth > 2:
            return self.branch(scope)
        solid = [one for one in scope.variables if not one.varying or (one.solid and isinstance(one.type, str))]
        first = self.name("k")
        inner = Scope(solid, depth=scope.depth + 1, loop=False, foreach=True, masked=True, calls=scope.calls)
        inner.variables.append(Variable(first, "int32", True, fixed=True))
        low, size = self.rng.randrange(-3, 4), self.rng.randrange(0, 20)
        bounds = f"{first} = {low} ... {low} + (({self.value('int32', scope, 1, False)}) & 15) + {size // 4}"
        if self.rng.random() < 0.3:
            second = self.name("k")
            inner.variables.append(Variable(second, "int32", True, fixed=True))
            bounds = f"{second} = 0 ... {self.rng.randrange(4)}, {bounds}"
        lines = self.body(inner)
        if self.rng.random() < 0.3:
            lines.append(f"    if ({self.value('bool', inner, 1)}) continue;")
            lines += self.body(inner)
        return [f"{self.rng.choice(('foreach', 'foreach', 'foreach_tiled'))} ({bounds}) {{", *lines, "}"]

    def sums(self, scope: Scope) -> list[str]:
        """A loop over a row that does little else than to sum up, by any operation: copies of it have sums of their own."""
        usable = [one for one in scope.variables if one.varying and one.solid and not one.fixed and one.type in UNSIGNED]
        if scope.foreach or scope.depth > 2 or not usable:
            return self.store(scope)
        one, row, at, count = self.rng.choice(usable), self.name("w"), self.name("k"), self.rng.randrange(20, 140)
        fill = f"{row}[{at}] = ({one.type})({at} * {self.rng.randrange(1, 99)} + {self.rng.randrange(300)})"
        lines = [f"uniform {one.type} {row}[{count}];", f"for (uniform int32 {at} = 0; {at} < {count}; {at}++) {fill};"]
        step = f"{one.text} {self.rng.choice(('-=', '-=', '+=', '*=', '|=', '&=', '^='))} {row}[{at}];"
        if self.rng.random() < 0.3:
            step = f"if ({row}[{at}] > {self.rng.randrange(200)}) {step}"
        if self.rng.random() < 0.2:
            step = f"{{ {step} {one.text} {self.rng.choice(('-=', '+=', '^='))} {self.rng.randrange(9)}; }}"
        limit = self.rng.choice((str(count), f"(({self.value('int32', scope, 1, False)}) & 15)"))
        heads = [f"foreach ({at} = 0 ... {limit})", f"for (uniform int32 {at} = 0; {at} < {limit}; {at}++)"]
        head = self.rng.choice((*heads, heads[0]))
        return ["{", *("    " + line for line in lines), f"    {head} {step}", "}"]

    def pointer(self, scope: Scope) -> list[str]:
        """A pointer to a variable or into one; varying ones into arrays of uniform or of varying data."""
        rows = [one for one in scope.variables if isinstance(one.type, Row) and isinstance(one.type.element, (str, Record))]
        scalars = [one for one in scope.variables if isinstance(one.type, (str, Record)) and not one.fixed]
        name = self.name("p")
        inner = scope.inner()
        if rows and self.rng.random() < 0.7:
            one = self.rng.choice(rows)
            assert isinstance(one.type, Row)
            element = one.type.element
            spelled = self.spelled(element)
            rate = "varying" if one.varying else "uniform"
            wide = self.rng.random() < 0.6 or one.varying
            at = f"({self.value('int32', scope, 1, wide)}) & {one.type.count - 1}"
            pointer = Variable(f"(*{name})", element, one.varying or wide, fixed=True)
            head = f"{rate} {spelled} * {'varying' if wide else 'uniform'} {name} = {one.text} + ({at});"
            inner.variables.append(pointer)
            value = self.name("y")
            if isinstance(element, str) and not one.fixed:
                qualifier = "" if wide or one.varying else "uniform "
                made = self.value(element, inner, 1, bool(not qualifier))
                return [f"{{ {head}", f"    {qualifier}{element} {value} = {made};", f"    *{name} = {value};", "}"]
            return [f"{{ {head}", *self.body(inner), "}"]
        if scalars:
            one = self.rng.choice(scalars)
            rate = "varying" if one.varying else "uniform"
            inner.variables = [v for v in inner.variables if v != one]
            inner.variables.append(Variable(f"(*{name})", one.type, one.varying))
            return [f"{{ {rate} {self.spelled(one.type)} * uniform {name} = &{one.text};", *self.body(inner), "}"]
        return self.store(scope)

    def soa(self, scope: Scope) -> list[str]:
        records = [one for one in self.records if self.plain(one)]
        if not records or scope.depth > 3:
            return self.store(scope)
        record, name = self.rng.choice(records), self.name("q")
        source, width = self.name("v"), self.rng.choice((2, 4, 8))
        to = self.name("v")
        head = [f"uniform {record.name} {source} = {self.initial(record, scope, False)};"]
        fill, heap = f"for (uniform int z = 0; z < 8; z++) {name}[z] = {source};", False
        match self.rng.randrange(4):
            case 0:
                values = ", ".join(self.slots(record, scope, width) for _ in range(8 // width))
                head.append(f"soa<{width}> {record.name} {name}[] = {{ {values} }};")
            case 1 | 2 if self.heap:
                heap = True
                made = f"uniform new soa<{width}> {record.name}[{8 // width}]"
                head += [f"soa<{width}> {record.name} * uniform {name} = {made};", fill]
            case _:
                head += [f"soa<{width}> {record.name} {name}[8];", fill]
        head += [f"{record.name} {to} = {source};"]
        inner = scope.inner()
        inner.variables.append(Variable(to, record, True))
        at = self.name("x")
        lines = self.body(inner)
        lines.append(f"    int32 {at} = ({self.value('int32', inner, 1)}) & 7;")
        lines.append(f"    {name}[{at}] = {to};")
        lines.append(f"    {to} = {name}[({self.value('int32', inner, 1)}) & 7];")
        pointer = self.name("p")
        lines.append(f"    soa<{width}> {record.name} * {pointer} = &{name}[{at}];")
        member = self.rng.choice(record.members)
        lines.append(f"    {to}.{member[0]} = {pointer}->{member[0]};" if not isinstance(member[1], Row) else "    ;")
        by = self.name("x")
        lines.append(f"    int32 {by} = (({self.value('int32', inner, 1)}) & 7) - {at};")
        lines.append(f"    {to} = *({pointer} + {by});")
        lines.append(f"    {pointer} += {by}; *{pointer} = {to}; {to} = {pointer}[-{by}];")
        lines += self.block(inner, 1, "    ")
        end = [f"    delete {name};"] if heap else []
        return ["{", *("    " + line for line in head), *lines, *end, "}"]

    def slots(self, type: Type, scope: Scope, width: int) -> str:
        """The values of one block of soa data, in the order of its layout."""
        match type:
            case str():
                parts = [self.value(type, scope, 1, False) for _ in range(width)]
            case Short(element, count):
                parts = [self.slots(element, scope, width) for _ in range(count)]
            case Row(element, count):
                parts = [self.slots(element, scope, width) for _ in range(count)]
            case Record(_, members):
                parts = [self.slots(kind, scope, width) for _, kind in members]
        return "{ " + ", ".join(parts) + " }"

    def plain(self, type: Type) -> bool:
        match type:
            case Record(_, members):
                return all(self.plain(kind) for _, kind in members)
            case Row(element, _):
                return self.plain(element)
            case Short():
                return False
        return True

    def compact(self, scope: Scope) -> list[str]:
        """Packed stores and loads, atomics among the lanes."""
        name, count, kind = self.name("b"), self.name("c"), self.rng.choice(("int32", "uint32", "int64", "uint64"))
        value = f"(varying {kind})({self.value(kind, scope, 2)})"
        lines = [f"{{ uniform {kind} {name}[64]; for (uniform int z = 0; z < 64; z++) {name}[z] = z;"]
        inner = scope.inner()
        inner.variables.append(Variable(name, Row(kind, 64), False, fixed=True))
        match self.rng.randrange(3):
            case 0:
                lines.append(f"    uniform int32 {count} = packed_store_active({name}, {value});")
            case 1:
                other = self.name("v")
                lines.append(f"    {kind} {other} = {self.value(kind, scope, 1)};")
                lines.append(f"    uniform int32 {count} = packed_load_active({name}, &{other});")
                inner.variables.append(Variable(other, kind, True))
            case _:
                at = self.name("x")
                lines.append(f"    int32 {at} = ({self.value('int32', scope, 1)}) & 63;")
                operation = self.rng.choice(("add", "min", "max", "and", "or", "xor", "swap"))
                place = self.rng.choice(("local", "global"))
                made = f"(int32)(atomic_{operation}_{place}(&{name}[{at}], {value}) & 255)"
                lines.append(f"    int32 {count} = {made};")
                inner.variables.append(Variable(count, "int32", True))
                return [*lines, *self.body(inner), "}"]
        inner.variables.append(Variable(count, "int32", False))
        return [*lines, *self.body(inner), "}"]

    def effect(self, scope: Scope) -> list[str]:
        """A call for what it does, or one through a pointer to a function."""
        if not self.functions or not scope.calls:
            return self.store(scope)
        if self.rng.random() < 0.4:
            targets = [one for one in scope.variables if one.type == "uint32" and one.varying and not one.fixed]
            if targets:
                name, to = self.name("fp"), self.rng.choice(targets).text
                varying = self.rng.random() < 0.7
                choice = f"{self.value('bool', scope, 1, varying)} ? mix : {self.rng.choice(('pick', 'mix'))}"
                arguments = ", ".join(self.value("uint32", scope, 1) for _ in range(2))
                return [f"{{ {'' if varying else 'uniform '}Pair {name} = {choice}; {to} = {name}({arguments}); }}"]
        call = self.call(self.rng.choice(self.functions), scope)
        return [call + ";"] if call else self.store(scope)

    # --- the program ---

    def function(self) -> None:
        name = self.name("g")
        varying = self.rng.random() < 0.7
        result = (self.scalar(), varying) if self.rng.random() < 0.8 else None
        unmasked = self.rng.random() < 0.1
        parameters: list[tuple[str, Type, bool, str]] = []
        for _ in range(self.rng.randint(1, 3)):
            wide = self.rng.random() < 0.7
            how = self.rng.choice(("value", "value", "reference", "pointer", "lanes"))
            type = self.scalar() if how == "value" else self.type(1)
            if isinstance(type, Row) or (how == "lanes" and isinstance(type, Short)):
                how, type = "value", self.scalar()
            if how == "lanes":
                wide = True
            parameters.append((self.name("a"), type, wide, how))
        spelled, variables = [], list(self.globals)
        for parameter, type, wide, how in parameters:
            rate = "varying" if wide else "uniform"
            mark = {"value": "", "reference": "&", "pointer": "* uniform ", "lanes": "* varying "}[how]
            if how == "lanes":
                rate = "uniform"
            spelled.append(f"{rate} {self.spelled(type)} {mark}{parameter}")
            if unmasked and wide:
                continue
            # Through pointers of lanes, which may point to one object, nothing is stored that reads it in the statement.
            used = f"(*{parameter})" if how in ("pointer", "lanes") else parameter
            variables.append(Variable(used, type, wide, fixed=how == "lanes"))
        template = self.rng.random() < 0.2
        words = self.rng.choice(("static ", "static noinline ", "static inline ", "noinline "))
        if unmasked:
            words = "static unmasked "
        kind = "void" if result is None else f"{'varying' if result[1] else 'uniform'} {result[0]}"
        head = f"{words}{kind} {name}({', '.join(spelled)})"
        if template:
            head = f"template <typename T, int N> {words}{kind} {name}({', '.join(spelled)})"
        scope = Scope(variables, all_on=unmasked, result=result)
        if template:
            scope.variables.append(Variable("N", "int32", False, fixed=True))
        lines = self.statics(scope)
        lines += self.block(scope, self.rng.randint(2, 5), "    ")
        if result is not None:
            lines.append(f"    return {self.value(result[0], scope, 2, result[1])};")
        self.text.append("\n".join([head + " {", *lines, "}"]))
        called = f"{name}<{self.rng.choice(('int', 'uniform float', 'uint8'))}, {self.rng.randrange(5)}>" if template else name
        self.functions.append(Function(called, result, parameters))

    def statics(self, scope: Scope) -> list[str]:
        """Variables that outlive the calls of a function; masked calls change lanes of theirs."""
        if self.rng.random() < 0.6:
            return []
        type, varying, name = self.rng.choice(INTEGERS), self.rng.random() < 0.6, self.name("s")
        scope.variables.append(Variable(name, type, varying, solid=True))
        return [f"    static {'' if varying else 'uniform '}{type} {name} = {self.literal(type)};"]

    def maker(self) -> None:
        """A function with a struct as result, and an operator of structs."""
        record = self.rng.choice(self.records)
        name, varying = self.name("make"), self.rng.random() < 0.7
        rate = "varying" if varying else "uniform"
        scalar = self.scalar()
        scope = Scope([*self.globals, Variable("a", scalar, varying)])
        lines = [f"    {rate} {record.name} r = {self.initial(record, scope, varying)};"]
        scope.variables.append(Variable("r", record, varying))
        lines += self.block(scope, self.rng.randint(1, 3), "    ")
        if self.rng.random() < 0.5:
            lines.append(f"    if ({self.value('bool', scope, 1, varying)}) return r;")
            lines += self.block(scope, self.rng.randint(1, 2), "    ")
        head = f"static {rate} {record.name} {name}({rate} {scalar} a)"
        self.text.append("\n".join([head + " {", *lines, "    return r;", "}"]))
        self.makers.append((name, record, scalar, varying))
        if varying and not any(one[1:] == self.makers[-1][1:] for one in self.makers[:-1]):
            self.text.append(f"static {record.name} operator-(const {record.name} &x, {scalar} y) {{ return {name}(y); }}")

    def program(self) -> str:
        self.text.append("typedef uint32 (*Pair)(uint32, uint32);")
        self.text.append("static uint32 mix(uint32 a, uint32 b) { return a * 31 + b; }")
        self.text.append("static uint32 pick(uint32 a, uint32 b) { if (a & 1) return b >> 3; return a ^ b; }")
        for _ in range(self.rng.randint(1, 3)):
            self.record()
        for _ in range(self.rng.randint(1, 3)):
            type, varying, name = self.type(), self.rng.random() < 0.4, self.name("w")
            self.text.append("static " + self.declarator(type, name, "" if varying else "uniform ") + ";")
            self.globals.append(Variable(name, type, varying, solid=True))
        for _ in range(self.rng.randint(0, 2)):
            self.maker()
        for _ in range(self.rng.randint(1, 3)):
            self.function()
        scope = Scope([*self.globals, Variable("n", "int32", False, fixed=True)], all_on=True)
        lines: list[str] = ["    int32 fromInput = i[programIndex];", "    float realInput = f[programIndex];"]
        scope.variables += [Variable("fromInput", "int32", True, solid=True), Variable("realInput", "float", True, solid=True)]
        kept: list[Variable] = list(self.globals)
        for type in ("uint32", "int32", "int64", "uint8", *(self.type() for _ in range(4))):
            lines += ["    " + line for line in self.declare(scope, type)]
            kept.append(scope.variables[-1])
        lines += self.block(scope, self.rng.randint(4, 8), "    ")
        lines.append("    uniform int at = 0;")
        for variable in kept:
            for text, type in self.leaves(variable.text, variable.type):
                kept_bits = f"(double)({self.converted(text, type, 'int32')})"
                if variable.varying:
                    lines.append(f"    out[(at + programIndex) & 255] += {kept_bits}; at = (at + programCount) & 255;")
                else:
                    lines.append(f"    out[at] += {kept_bits}; at = (at + 1) & 255;")
        head = "export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {"
        self.text.append("\n".join([head, *lines, "}"]))
        return "\n".join(self.text) + "\n"

    def leaves(self, text: str, type: Type) -> list[tuple[str, str]]:
        match type:
            case str():
                return [(text, type)]
            case Record(_, members):
                return [leaf for name, kind in members for leaf in self.leaves(f"{text}.{name}", kind)]
            case Row(element, count) | Short(element, count):
                return [leaf for number in range(count) for leaf in self.leaves(f"{text}[{number}]", element)]
        raise AssertionError


def random_kernels(seed: int, heap: bool = True) -> str:
    """``heap``: with objects made by new, which devices do not have."""
    kernels = Kernels(seed)
    kernels.heap = heap
    return kernels.program()
