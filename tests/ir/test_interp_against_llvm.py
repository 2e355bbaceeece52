"""Random straight-line IR computes the same in the interpreter and as machine code."""

import ctypes
import random
from dataclasses import dataclass, field

import numpy as np
import pytest

from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.llvm import late, load_objects
from voltac.options import Options
from voltac.target_info import find_target

INTEGERS = ("i8", "i16", "i32", "i64", "<4 x i32>", "<8 x i16>", "<16 x i8>", "<2 x i64>", "i24", "<3 x i32>")
FLOATS = ("float", "double", "<4 x float>", "<2 x double>", "<8 x float>")
INPUT_BYTES, OUTPUT_BYTES = 512, 4096


def scalar_of(type_text: str) -> str:
    return type_text.split(" x ")[1][:-1] if type_text[0] == "<" else type_text


def lanes_of(type_text: str) -> int:
    return int(type_text[1:].split(" ")[0]) if type_text[0] == "<" else 1


def vector(lanes: int, scalar: str) -> str:
    return f"<{lanes} x {scalar}>" if lanes > 1 else scalar


def suffix(type_text: str) -> str:
    scalar = {"float": "f32", "double": "f64"}.get(scalar_of(type_text), scalar_of(type_text))
    return f"v{lanes_of(type_text)}{scalar}" if type_text[0] == "<" else scalar


@dataclass
class Generator:
    """Writes a function that has no undefined behaviour: shift counts are masked, divisors odd, no flags."""

    rng: random.Random
    lines: list[str] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)
    loaded: dict[str, list[str]] = field(default_factory=dict)
    count: int = 0

    def emit(self, type_text: str, text: str, *, keep: bool = True) -> str:
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text}")
        if keep:
            self.values.setdefault(type_text, []).append(name)
        return name

    def load(self, type_text: str) -> str:
        size = 64
        at = self.rng.randrange(0, INPUT_BYTES // 2 - size, 8)
        if scalar_of(type_text) in ("float", "double"):
            at += INPUT_BYTES // 2
        if scalar_of(type_text) == "double":
            narrow = vector(lanes_of(type_text), "float")
            wide = self.emit(type_text, f"fpext {narrow} {self.load(narrow)} to {type_text}")
            self.loaded.setdefault(type_text, []).append(wide)
            return wide
        pointer = self.emit("ptr", f"getelementptr inbounds i8, ptr %in, i64 {at}", keep=False)
        name = self.emit(type_text, f"load {type_text}, ptr {pointer}, align 1")
        self.loaded.setdefault(type_text, []).append(name)
        return name

    def some(self, type_text: str) -> str:
        known = self.values.get(type_text)
        return self.rng.choice(known) if known and self.rng.random() < 0.8 else self.load(type_text)

    def splat(self, type_text: str, value: int) -> str:
        return f"splat ({scalar_of(type_text)} {value})" if type_text[0] == "<" else str(value)

    def intrinsic(self, type_text: str, name: str, *operands: str) -> None:
        arguments = ", ".join(f"{type_text} {operand}" for operand in operands)
        self.emit(type_text, f"call {type_text} @llvm.{name}.{suffix(type_text)}({arguments})")

    def integer_step(self) -> None:
        kind = self.rng.choice(INTEGERS)
        bits = int(scalar_of(kind)[1:])
        a, b = self.some(kind), self.some(kind)
        choice = self.rng.randrange(10)
        if choice < 3:
            self.emit(kind, f"{self.rng.choice(('add', 'sub', 'mul', 'and', 'or', 'xor'))} {kind} {a}, {b}")
        elif choice == 3:
            odd = self.emit(kind, f"or {kind} {b}, {self.splat(kind, 1)}", keep=False)
            positive = self.emit(kind, f"and {kind} {odd}, {self.splat(kind, (1 << (bits - 1)) - 1)}", keep=False)
            self.emit(kind, f"{self.rng.choice(('sdiv', 'udiv', 'srem', 'urem'))} {kind} {a}, {positive}")
        elif choice == 4:
            by = self.emit(kind, f"urem {kind} {b}, {self.splat(kind, bits)}", keep=False)
            self.emit(kind, f"{self.rng.choice(('shl', 'lshr', 'ashr'))} {kind} {a}, {by}")
        elif choice == 5:
            name = self.rng.choice(("smax", "smin", "umax", "umin", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"))
            self.intrinsic(kind, name, a, b)
        elif choice == 6:
            self.intrinsic(kind, self.rng.choice(("fshl", "fshr")), a, b, self.some(kind))
        elif choice == 7:
            self.intrinsic(kind, self.rng.choice(("ctpop", "bitreverse")), a)
        elif choice == 8:
            flag = f"call {kind} @llvm.{self.rng.choice(('ctlz', 'cttz', 'abs'))}.{suffix(kind)}({kind} {a}, i1 false)"
            self.emit(kind, flag)
        else:
            self.compare_and_select("icmp", kind, a, b, ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"))

    def float_step(self) -> None:
        kind = self.rng.choice(FLOATS)
        a, b = self.some(kind), self.some(kind)
        choice = self.rng.randrange(7)
        if choice < 3:
            self.emit(kind, f"{self.rng.choice(('fadd', 'fsub', 'fmul', 'fdiv'))} {kind} {a}, {b}")
        elif choice == 3:
            self.intrinsic(kind, self.rng.choice(("sqrt", "floor", "ceil", "trunc", "rint", "roundeven", "fabs")), a)
        elif choice == 4:
            self.intrinsic(kind, "fma", a, b, self.some(kind))
        elif choice == 5:
            self.intrinsic(kind, "copysign", a, self.rng.choice(self.loaded.get(kind) or [self.load(kind)]))
        else:
            predicates = ("oeq", "one", "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "ule", "ugt", "uge", "uno")
            self.compare_and_select("fcmp", kind, a, b, predicates)

    def compare_and_select(self, op: str, kind: str, a: str, b: str, predicates: tuple[str, ...]) -> None:
        bit = vector(lanes_of(kind), "i1")
        test = self.emit(bit, f"{op} {self.rng.choice(predicates)} {kind} {a}, {b}", keep=False)
        self.emit(kind, f"select {bit} {test}, {kind} {self.some(kind)}, {kind} {b}")

    def mixed_step(self) -> None:
        match self.rng.randrange(6):
            case 0:
                lanes, narrow, wide = self.rng.choice(((1, 8, 64), (4, 16, 32), (8, 8, 16), (2, 32, 64)))
                source, target = vector(lanes, f"i{narrow}"), vector(lanes, f"i{wide}")
                self.emit(target, f"{self.rng.choice(('sext', 'zext'))} {source} {self.some(source)} to {target}")
                self.emit(source, f"trunc {target} {self.some(target)} to {source}")
            case 1:
                lanes, integer, real = self.rng.choice(
                    ((4, "i32", "float"), (1, "i64", "double"), (1, "i64", "float"), (2, "i64", "double"))
                )
                source, target = vector(lanes, integer), vector(lanes, real)
                self.emit(target, f"{self.rng.choice(('sitofp', 'uitofp'))} {source} {self.some(source)} to {target}")
                name = f"llvm.fpto{self.rng.choice('su')}i.sat.{suffix(source)}.{suffix(target)}"
                self.emit(source, f"call {source} @{name}({target} {self.some(target)})")
            case 2:
                first, second = self.rng.choice((("<4 x i32>", "<8 x i16>"), ("<16 x i8>", "<2 x i64>"), ("i64", "<2 x i32>")))
                self.emit(second, f"bitcast {first} {self.some(first)} to {second}")
                self.emit(first, f"bitcast {second} {self.some(second)} to {first}")
            case 3:
                kind = self.rng.choice([kind for kind in (*INTEGERS, *FLOATS) if kind[0] == "<"])
                lanes = lanes_of(kind)
                picks = ", ".join(f"i32 {self.rng.randrange(2 * lanes)}" for _ in range(lanes))
                self.emit(kind, f"shufflevector {kind} {self.some(kind)}, {kind} {self.some(kind)}, <{lanes} x i32> <{picks}>")
            case 4:
                kind = self.rng.choice(("<4 x i32>", "<8 x i16>", "<16 x i8>"))
                scalar = scalar_of(kind)
                name = self.rng.choice(("add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin"))
                self.emit(scalar, f"call {scalar} @llvm.vector.reduce.{name}.{suffix(kind)}({kind} {self.some(kind)})")
                at = self.rng.randrange(lanes_of(kind))
                self.emit(kind, f"insertelement {kind} {self.some(kind)}, {scalar} {self.some(scalar)}, i32 {at}")
            case _:
                kind = self.rng.choice(("<4 x i32>", "<8 x i16>"))
                lanes = lanes_of(kind)
                bits = vector(lanes, "i1")
                test = self.emit(bits, f"icmp slt {kind} {self.some(kind)}, {self.some(kind)}", keep=False)
                packed = self.emit(f"i{lanes}", f"bitcast {bits} {test} to i{lanes}", keep=False)
                self.emit("i32", f"zext i{lanes} {packed} to i32")

    def function(self, steps: int) -> str:
        for _ in range(steps):
            self.rng.choice((self.integer_step, self.float_step, self.mixed_step))()
        at = 0
        for kind, names in self.values.items():
            for name in names[-4:]:
                pointer = self.emit("ptr", f"getelementptr inbounds i8, ptr %out, i64 {at}", keep=False)
                self.lines.append(f"  store {kind} {name}, ptr {pointer}, align 1")
                at += 32
        assert at <= OUTPUT_BYTES
        return "define void @f(ptr %in, ptr %out) {\n" + "\n".join(self.lines) + "\n  ret void\n}\n"


def declared(text: str) -> str:
    """The text with a ``declare`` line for each intrinsic it calls."""
    lines: set[str] = set()
    for line in text.split("\n"):
        if " call " in line:
            result, _, rest = line.partition(" call ")[2].partition(" @")
            name, _, arguments = rest.rstrip(")").partition("(")
            types = [part.rsplit(" ", 1)[0] for part in arguments.split(", ")]
            lines.add(f"declare {result} @{name}({', '.join(types)})")
    return "\n".join(sorted(lines)) + "\n\n" + text


def inputs(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    integers = rng.integers(0, 256, INPUT_BYTES // 2, dtype=np.uint8)
    integers[rng.integers(0, len(integers), 60)] = rng.choice([0, 1, 127, 128, 255], 60)
    reals = (rng.standard_normal(INPUT_BYTES // 8) * 10.0 ** rng.integers(-3, 6, INPUT_BYTES // 8)).astype(np.float32)
    return np.concatenate([integers, reals.view(np.uint8)])


def check(seed: int, steps: int) -> None:
    text = declared(Generator(random.Random(seed)).function(steps))
    source = inputs(seed)
    expected, found = np.zeros(OUTPUT_BYTES, np.uint8), np.zeros(OUTPUT_BYTES, np.uint8)
    optimized = late(text, Options(target=find_target("avx2-i32x8"), level=0))
    loaded = load_objects([optimized.object_code()], ["f"])
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(loaded.address("f"))(source.ctypes.data, expected.ctypes.data)
    IRInterpreter(read(text)).call("f", [source, found])
    stores = [line.removeprefix("  store ").split(" %")[0] for line in text.split("\n") if line.startswith("  store")]
    for number, kind in enumerate(stores):
        dtype = {"float": np.float32, "double": np.float64}.get(scalar_of(kind), np.uint8)
        window = slice(32 * number, 32 * (number + 1))
        np.testing.assert_array_equal(
            found[window].view(dtype), expected[window].view(dtype), err_msg=f"{kind}, value {number}\n{text}"
        )


@pytest.mark.parametrize("seed", range(25))
def test_random_instructions_agree_with_machine_code(seed: int) -> None:
    check(seed, 120)


@pytest.mark.long
def test_many_random_instructions_agree_with_machine_code() -> None:
    for seed in range(1000, 1600):
        check(seed, 150)
