"""Random types and expressions of the whole type system for ``random_kernels.py``, which says what keeps them defined."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
BITS = {name: int(name.lstrip("uint")) for name in INTEGERS}
SCALARS = (*INTEGERS, "bool", "float", "double", "float16")
REALS = ("float", "double", "float16")


@dataclass(frozen=True)
class Record:
    name: str
    members: tuple[tuple[str, Type], ...]


@dataclass(frozen=True)
class Row:
    """An array."""

    element: Type
    count: int


@dataclass(frozen=True)
class Short:
    """A short vector."""

    element: str
    count: int


Type = str | Record | Row | Short
"""A string is a scalar."""


@dataclass(frozen=True)
class Variable:
    text: str
    type: Type
    varying: bool
    solid: bool = False
    """Declared where all lanes are on, and changed under masks only."""
    fixed: bool = False


@dataclass
class Place:
    """A scalar within a variable; ``index`` says that an index was computed, ``whole`` that it is the variable."""

    text: str
    type: str
    varying: bool
    index: bool
    setup: list[str] = field(default_factory=list)


@dataclass
class Scope:
    variables: list[Variable]
    all_on: bool = False
    """Whether the mask is known to be all on."""
    loop: bool = False
    """Whether break and continue are possible."""
    result: tuple[str, bool] | None = None
    """Type of what may be returned here, and whether it is varying."""
    depth: int = 0
    masked: bool = False
    """Within varying control flow of the function."""
    foreach: bool = False
    calls: bool = True

    def inner(self, **changes: object) -> Scope:
        values = dict(self.__dict__)
        values |= {"variables": list(self.variables), "depth": self.depth + 1}
        return Scope(**(values | changes))


@dataclass
class Function:
    name: str
    result: tuple[str, bool] | None
    parameters: list[tuple[str, Type, bool, str]]
    """Name, type, whether varying, and how: ``value``, ``reference``, ``pointer``, ``lanes`` (of pointers)."""


class Values:
    """What there is to compute with: types, variables, functions, and expressions of them."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.count = 0
        self.records: list[Record] = []
        self.functions: list[Function] = []
        self.globals: list[Variable] = []
        self.makers: list[tuple[str, Record, str, bool]] = []
        self.text: list[str] = []

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # --- types ---

    def scalar(self) -> str:
        return self.rng.choice(SCALARS if self.rng.random() < 0.6 else INTEGERS)

    def type(self, depth: int = 2) -> Type:
        choice = self.rng.random()
        if depth and choice < 0.2:
            return Row(self.type(depth - 1), self.rng.choice((2, 4)))
        if choice < 0.35:
            return Short(self.rng.choice(("int32", "uint32", "uint8", "int16", "float", "int64")), self.rng.choice((2, 3, 4)))
        if depth and self.records and choice < 0.6:
            return self.rng.choice(self.records)
        return self.scalar()

    def declarator(self, type: Type, name: str, qualifier: str) -> str:
        sizes = ""
        while isinstance(type, Row):
            sizes += f"[{type.count}]"
            type = type.element
        return f"{qualifier}{self.spelled(type)} {name}{sizes}"

    @staticmethod
    def spelled(type: Type) -> str:
        match type:
            case str():
                return type
            case Record(name, _):
                return name
            case Short(element, count):
                return f"{element}<{count}>"
        raise AssertionError

    def record(self) -> None:
        members = tuple((f"m{number}", self.type(2)) for number in range(self.rng.randint(1, 4)))
        made = Record(self.name("S"), members)
        body = " ".join(self.declarator(type, name, "") + ";" for name, type in members)
        self.text.append(f"struct {made.name} {{ {body} }};")
        self.records.append(made)

    # --- expressions ---

    def literal(self, type: str) -> str:
        if type == "bool":
            return self.rng.choice(("true", "false"))
        if type in REALS:
            return f"(({type}){self.rng.randrange(-64, 64) / 4})"
        bits = BITS[type] - (type[0] == "i")
        value = self.rng.choice((0, 1, 2, 3, 7, 100, (1 << bits) - 1, 1 << (bits - 1), self.rng.getrandbits(bits)))
        return f"(({type}){value & ((1 << bits) - 1)}{'ull' if bits > 32 else ''})"

    def index(self, scope: Scope, count: int, varying: bool, depth: int = 1) -> str:
        if self.rng.random() < 0.4:
            return str(self.rng.randrange(count))
        if depth <= 0:
            usable = [one.text for one in scope.variables if one.type in INTEGERS and (varying or not one.varying)]
            return f"{self.rng.choice(usable)} & {count - 1}" if usable else str(self.rng.randrange(count))
        kind = self.rng.choice(("int32", "uint32", "int32", "int64", "uint8", "int16"))
        return f"({self.value(kind, scope, 1, varying)}) & {count - 1}"

    def place(self, variable: Variable, scope: Scope, *, store: bool, varying: bool, depth: int = 1) -> Place:
        """Go down to a scalar; a place to be stored to has its indices in variables of their own."""
        text, type, index, setup = variable.text, variable.type, False, []
        is_varying = variable.varying
        while not isinstance(type, str):
            if isinstance(type, Record):
                member, inner = self.rng.choice(type.members)
                text, type = f"{text}.{member}", inner
                continue
            if isinstance(type, Short) and (self.rng.random() < 0.5 or type.count == 3):
                text, type = f"{text}.{'xyzw'[self.rng.randrange(type.count)]}", type.element
                continue
            wide = varying and self.rng.random() < 0.6
            at = self.index(scope, type.count, wide, depth)
            if not at.isdigit():
                is_varying, index = is_varying or wide, True
                if store:
                    name = self.name("x")
                    setup.append(f"{'' if wide else 'uniform '}int32 {name} = {at};")
                    at = name
            text, type = f"{text}[{at}]", type.element
        return Place(text, type, is_varying, index, setup)

    def leaf(self, type: str, scope: Scope, varying: bool) -> str:
        usable = [one for one in scope.variables if varying or not one.varying]
        if usable and self.rng.random() < 0.8:
            found = self.place(self.rng.choice(usable), scope, store=False, varying=varying, depth=0)
            return self.converted(found.text, found.type, type)
        return self.literal(type)

    @staticmethod
    def converted(text: str, given: str, type: str) -> str:
        """In range: floats are small, so are the integers that become floats; a double's value is exact in an int64."""
        if given == type:
            return text
        if type in REALS and given in INTEGERS:
            return f"(({type})(int32)(({text}) & 63))"
        if given in REALS:
            if type == "float16":
                return f"((float16)clamp({text}, ({given})-64, ({given})64))"
            if type == "bool":
                return f"({text} > 1)"
            if type in INTEGERS:
                return f"(({type})(int32){text})"
        return f"(({type})({text}))"

    def value(self, type: str, scope: Scope, depth: int = 2, varying: bool = True) -> str:
        if depth <= 0 or self.rng.random() < 0.2:
            return self.leaf(type, scope, varying)

        def sub(kind: str = type) -> str:
            return self.value(kind, scope, depth - 1, varying)

        choice = self.rng.randrange(12)
        if choice == 0:
            return f"({self.value('bool', scope, depth - 1, varying)} ? {sub()} : {sub()})"
        if choice == 1 and varying and scope.calls:
            return self.reduction(type, scope, depth)
        if choice == 2 and varying:
            return self.lanes(type, scope)
        if choice == 3 and self.functions and scope.calls:
            fitting = [one for one in self.functions if one.result and (varying or not one.result[1])]
            if fitting:
                function = self.rng.choice(fitting)
                call = self.call(function, scope)
                if call and function.result:
                    return self.converted(call, function.result[0], type)
        if choice == 4:
            usable = [one for one in scope.variables if varying or not one.varying]
            if usable:
                found = self.place(self.rng.choice(usable), scope, store=False, varying=varying)
                return self.converted(found.text, found.type, type)
        if choice == 5:
            other = self.rng.choice(SCALARS)
            return self.converted(self.value(other, scope, depth - 1, varying), other, type)
        if type == "bool":
            return self.condition(scope, depth, varying)
        if type in REALS:
            return self.real(type, scope, depth, varying)
        return self.integer(type, scope, depth, varying)

    def integer(self, type: str, scope: Scope, depth: int, varying: bool) -> str:
        def sub(kind: str = type) -> str:
            return f"(({kind})({self.value(kind, scope, depth - 1, varying)}))"

        unsigned, bits = type if type[0] == "u" else f"u{type}", BITS[type]
        choice = self.rng.randrange(9)
        if choice < 3:
            return f"(({type})({sub(unsigned)} {self.rng.choice('+-*')} {sub(unsigned)}))"
        if choice < 5:
            return f"({sub()} {self.rng.choice('&|^')} {sub()})"
        if choice == 5:
            count = f"({sub('int32' if self.rng.random() < 0.5 else 'uint8')} & {bits - 1})"
            if self.rng.random() < 0.3:
                count = str(self.rng.choice((bits - 1, bits - 2, bits // 2)))  # into the sign and out of it
            return f"({sub()} {self.rng.choice(('<<', '<<', '>>'))} {count})"
        if choice == 6:
            return f"({sub()} {self.rng.choice('/%')} (({sub()} & (({type})7)) + (({type})1)))"
        if choice == 7:
            return f"{self.rng.choice(('min', 'max'))}({sub()}, {sub()})"
        return f"(({type})~{sub()})"

    def condition(self, scope: Scope, depth: int, varying: bool) -> str:
        kind = self.rng.choice(("int32", "uint32", "int8", "uint64", "float", "int16", "double"))
        first, second = (f"(({kind})({self.value(kind, scope, depth - 1, varying)}))" for _ in range(2))
        test = f"({first} {self.rng.choice(('<', '>', '<=', '>=', '==', '!='))} {second})"
        match self.rng.randrange(7):
            case 0:
                return f"({test} {self.rng.choice(('&&', '||'))} {self.value('bool', scope, depth - 1, varying)})"
            case 1:
                return f"(!{self.value('bool', scope, depth - 1, varying)})"
            case 2:
                return f"({test} {self.rng.choice('&|^')} {self.value('bool', scope, depth - 1, varying)})"
        return test

    def real(self, type: str, scope: Scope, depth: int, varying: bool) -> str:
        """Small multiples of a power of two, so that nothing is rounded; what would grow is cut back."""
        first, second = (f"(({type})({self.value(type, scope, depth - 1, varying)}))" for _ in range(2))
        small = f"(({type})(int32)(({self.value('int32', scope, depth - 1, varying)}) & {15 if type == 'float16' else 63}))"
        factors = ("0.5", "3", "-1", "0.25")
        bound = 64 if type == "float16" else 4096
        forms = (
            f"clamp(({first} + {second}), ({type})-{bound}, ({type}){bound})",
            f"clamp(({first} - {second}), ({type})-{bound}, ({type}){bound})",
            f"({small} * ({type}){self.rng.choice(factors)})",
            f"min({first}, {second})",
            f"max({first}, {second})",
            f"abs({first})",
            f"floor({first})",
            f"(-{first})",
        )
        return self.rng.choice(forms)

    def reduction(self, type: str, scope: Scope, depth: int) -> str:
        kind = self.rng.choice(INTEGERS)
        inner = f"(varying {kind})({self.value(kind, scope, depth - 1)})"
        test = f"(varying bool)({self.value('bool', scope, depth - 1)})"
        unsigned = kind if kind[0] == "u" else f"u{kind}"
        forms = (
            (f"reduce_add((varying {unsigned})({inner}))", unsigned),
            (f"reduce_min({inner})", kind),
            (f"reduce_max({inner})", kind),
            (f"any({test})", "bool"),
            (f"all({test})", "bool"),
            (f"none({test})", "bool"),
            (f"popcnt({test})", "int32"),
            (f"packmask({test})", "uint64"),
            ("lanemask()", "uint64"),
            (f"exclusive_scan_add((varying {unsigned})({inner}))", unsigned),
            (f"exclusive_scan_or({inner})", kind),
            (f"reduce_equal({inner})", "bool"),
        )
        text, given = self.rng.choice(forms)
        return self.converted(text, given, type)

    def lanes(self, type: str, scope: Scope) -> str:
        """What looks at other lanes, of variables that hold something in all of them."""
        solid = [one for one in scope.variables if one.solid and one.varying and one.type in INTEGERS]
        if not solid:
            return self.converted("programIndex", "int32", type)
        one = self.rng.choice(solid)
        forms = (
            f"rotate({one.text}, {self.rng.randrange(-3, 9)})",
            f"shift({one.text}, {self.rng.randrange(-3, 4)})",
            f"broadcast({one.text}, {self.rng.randrange(4)})",
            f"shuffle({one.text}, ({self.value('int32', scope, 1)}) & (programCount - 1))",
            f"extract({one.text}, {self.rng.randrange(4)})",
        )
        assert isinstance(one.type, str)
        return self.converted(self.rng.choice(forms), one.type, type)

    def call(self, function: Function, scope: Scope) -> str:
        """Empty if there are no objects for its references."""
        arguments: list[str] = []
        taken: set[str] = set()
        for _, type, varying, how in function.parameters:
            if how == "value":
                assert isinstance(type, str)
                arguments.append(f"({'varying ' if varying else 'uniform '}{type})({self.value(type, scope, 1, varying)})")
                continue
            if how == "lanes":
                rows = [
                    one
                    for one in scope.variables
                    if isinstance(one.type, Row) and one.type.element == type and not one.varying and not one.fixed
                    if one.text not in taken and one not in self.globals
                ]
                if not rows:
                    return ""
                row = self.rng.choice(rows)
                assert isinstance(row.type, Row)
                taken.add(row.text)
                arguments.append(f"&{row.text}[({self.value('int32', scope, 1)}) & {row.type.count - 1}]")
                continue
            fitting = [
                one
                for one in scope.variables
                if one.type == type
                and one.varying == varying
                and not one.fixed
                and one.text not in taken
                # The objects of a function do not overlap, nor does it use one of the file's by its own name.
                and one not in self.globals
            ]
            if not fitting:
                return ""
            chosen = self.rng.choice(fitting)
            taken.add(chosen.text)
            arguments.append(f"&{chosen.text}" if how == "pointer" else chosen.text)
        return f"{function.name}({', '.join(arguments)})"
