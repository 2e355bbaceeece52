"""Random functions of legal IR for NaplesPU: straight code, diamonds, loops, calls over all types; no undefined behaviour."""

from __future__ import annotations

import random

_V, _B = "<16 x i32>", "<16 x i1>"
_CONDITIONS = ("eq", "ne", "sgt", "sge", "slt", "sle", "ugt", "uge", "ult", "ule")


class Generator:
    """``pressure`` is how many of the newest values operands are taken from: large ones keep many alive."""

    def __init__(self, seed: int, pressure: int = 12, calls: bool = True, scratchpad: bool = True) -> None:
        self.random = random.Random(seed)
        self.pressure = pressure
        self.calls = calls
        self.scratchpad = scratchpad
        self.lines: list[str] = []
        self.counter = 0
        self.block = "entry"
        self.values: dict[str, list[str]] = {}
        self.counters: list[str] = []
        """Of the loops around, each below 5."""

    def name(self, stem: str = "x") -> str:
        self.counter += 1
        return f"%{stem}{self.counter}"

    def emit(self, type_text: str, text: str) -> str:
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        self.values[type_text].append(name)
        return name

    def number(self) -> int:
        choice = self.random.random()
        if choice < 0.5:
            return self.random.randint(-300, 300)
        if choice < 0.7:
            return self.random.choice([0, 1, -1, 255, 256, -256, -257, 65535, 65536, 2**31 - 1, -(2**31)])
        return self.random.randint(-(2**31), 2**31 - 1)

    def constant(self, type_text: str) -> str:
        if type_text == "i32":
            return str(self.number())
        if type_text == "i1":
            return self.random.choice(["true", "false"])
        if type_text == _V:
            kind = self.random.random()
            if kind < 0.5:
                return f"splat (i32 {self.number()})"
            if kind < 0.7:
                return "zeroinitializer"
            return "<" + ", ".join(f"i32 {self.random.randint(-9, 9)}" for _ in range(16)) + ">"
        return "<" + ", ".join(f"i1 {self.random.choice(['true', 'false'])}" for _ in range(16)) + ">"

    def pick(self, type_text: str, constants: float = 0.2) -> str:
        known = self.values[type_text]
        if not known or self.random.random() < constants:
            return self.constant(type_text)
        return self.random.choice(known[-self.pressure :])

    def operation(self) -> None:
        choices = [
            self.integer, self.integer, self.vector, self.vector, self.compare, self.logic, self.select_lanes,
            self.select_lanes, self.select, self.lane, self.shift, self.floats, self.extend, self.memory, self.special,
        ]  # fmt: skip
        if self.calls:
            choices.append(self.call)
        if self.scratchpad:
            choices.append(self.staged)
        self.random.choice(choices)()

    def integer(self) -> None:
        op = self.random.choice(["add", "sub", "mul", "and", "or", "xor"])
        self.emit("i32", f"{op} i32 {self.pick('i32')}, {self.pick('i32')}")

    def vector(self) -> None:
        op = self.random.choice(["add", "sub", "mul", "and", "or", "xor"])
        left, right = self.pick(_V), self.splat() if self.random.random() < 0.3 else self.pick(_V)
        if self.random.random() < 0.3:
            left, right = right, left
        self.emit(_V, f"{op} {_V} {left}, {right}")

    def splat(self) -> str:
        one = self.name()
        self.lines.append(f"  {one} = insertelement {_V} poison, i32 {self.pick('i32')}, i64 0")
        return self.emit(_V, f"shufflevector {_V} {one}, {_V} poison, {_V} zeroinitializer")

    def shift(self) -> None:
        op = self.random.choice(["shl", "lshr", "ashr"])
        amount = self.random.randint(0, 31)
        if self.random.random() < 0.5:
            self.emit("i32", f"{op} i32 {self.pick('i32')}, {amount}")
        else:
            self.emit(_V, f"{op} {_V} {self.pick(_V)}, splat (i32 {amount})")

    def compare(self) -> None:
        condition = self.random.choice(_CONDITIONS)
        if self.random.random() < 0.4:
            self.emit("i1", f"icmp {condition} i32 {self.pick('i32')}, {self.pick('i32')}")
        else:
            right = self.splat() if self.random.random() < 0.2 else self.pick(_V)
            self.emit(_B, f"icmp {condition} {_V} {self.pick(_V)}, {right}")

    def logic(self) -> None:
        kind = self.random.choice(["i1", _B, _B])
        op = self.random.choice(["and", "or", "xor"])
        right = self.pick(kind) if self.random.random() < 0.7 else ("true" if kind == "i1" else "splat (i1 true)")
        self.emit(kind, f"{op} {kind} {self.pick(kind)}, {right}")

    def select_lanes(self) -> None:
        mask, new, old = self.pick(_B, 0.05), self.pick(_V), self.pick(_V)
        if self.random.random() < 0.5:
            # What selects one value only, under the mask, and what only that looks at.
            new, op = self.pick(_V), self.random.choice(["add", "mul", "xor"])
            for _ in range(self.random.randint(1, 3)):
                given, new = new, self.name()
                crossing = self.random.random() < 0.4
                how = f"call {_V} @npu.shuffle({_V}" if crossing else f"{op} {_V}"
                self.lines.append(f"  {new} = {how} {given}, {_V + ' ' if crossing else ''}{self.pick(_V)}{')' * crossing}")
        self.emit(_V, f"select {_B} {mask}, {_V} {new}, {_V} {old}")

    def select(self) -> None:
        kind = self.random.choice(["i32", "i1", _B, _V])
        self.emit(kind, f"select i1 {self.pick('i1', 0.05)}, {kind} {self.pick(kind)}, {kind} {self.pick(kind)}")
        if self.random.random() < 0.3:
            self.emit(_B, f"select {_B} {self.pick(_B)}, {_B} {self.pick(_B)}, {_B} {self.pick(_B)}")

    def index(self) -> str:
        if self.random.random() < 0.6:
            return str(self.random.randint(0, 15))
        return self.emit("i32", f"and i32 {self.pick('i32')}, 15")

    def lane(self) -> None:
        choice = self.random.randint(0, 4)
        index = self.index()
        if choice == 0:
            self.emit("i32", f"extractelement {_V} {self.pick(_V)}, i32 {index}")
        elif choice == 1:
            self.emit(_V, f"insertelement {_V} {self.pick(_V)}, i32 {self.pick('i32')}, i32 {index}")
        elif choice == 2:
            lanes = ", ".join(f"i32 {self.random.randint(0, 15)}" for _ in range(16))
            self.emit(_V, f"shufflevector {_V} {self.pick(_V)}, {_V} poison, {_V} <{lanes}>")
        elif choice == 3:
            self.emit("i1", f"extractelement {_B} {self.pick(_B)}, i32 {index}")
        else:
            lane = self.random.randint(0, 15)
            wanted = ", ".join([f"i32 {lane}"] * 16)
            self.emit(_V, f"shufflevector {_V} {self.pick(_V)}, {_V} poison, {_V} <{wanted}>")

    def floats(self) -> None:
        small = [self.emit(_V, f"and {_V} {self.pick(_V)}, splat (i32 1023)") for _ in range(2)]
        real = [self.name() for _ in range(6)]
        for one, source in zip(real, small):
            self.lines.append(f"  {one} = sitofp {_V} {source} to <16 x float>")
        op = self.random.choice(["fadd", "fsub", "fmul"])
        self.lines.append(f"  {real[2]} = {op} <16 x float> {real[0]}, {real[1]}")
        self.lines.append(f"  {real[3]} = fadd <16 x float> {real[1]}, splat (float 1.000000e+00)")
        self.lines.append(f"  {real[4]} = fdiv <16 x float> {real[2]}, {real[3]}")
        condition = self.random.choice(["eq", "ne", "gt", "ge", "lt", "le"])
        self.emit(_B, f"call {_B} @npu.fcmp.{condition}.v(<16 x float> {real[0]}, <16 x float> {real[1]})")
        mask = self.pick(_B)
        self.lines.append(f"  {real[5]} = select {_B} {mask}, <16 x float> {real[4]}, <16 x float> {real[2]}")
        self.emit(_V, f"fptosi <16 x float> {real[5]} to {_V}")
        scalar = [self.name() for _ in range(2)]
        self.lines.append(f"  {scalar[0]} = extractelement <16 x float> {real[0]}, i32 3")
        self.lines.append(f"  {scalar[1]} = extractelement <16 x float> {real[1]}, i32 5")
        self.emit("i1", f"call i1 @npu.fcmp.{condition}(float {scalar[0]}, float {scalar[1]})")
        self.emit("i32", f"bitcast float {scalar[0]} to i32")

    def extend(self) -> None:
        op = self.random.choice(["zext", "sext"])
        if self.random.random() < 0.5:
            self.emit("i32", f"{op} i1 {self.pick('i1')} to i32")
        elif self.random.random() < 0.5:
            self.emit(_V, f"{op} {_B} {self.pick(_B)} to {_V}")
        else:
            cast = self.name()
            self.lines.append(f"  {cast} = bitcast {_B} {self.pick(_B)} to i16")
            self.emit("i32", f"zext i16 {cast} to i32")
            low = self.name()
            self.lines.append(f"  {low} = trunc i32 {self.pick('i32')} to i16")
            self.emit(_B, f"bitcast i16 {low} to {_B}")

    def address(self, base: str, size: int, reach: int) -> str:
        place = self.name("p")
        slot = self.random.randrange(reach // size)
        if self.counters and self.random.random() < 0.6:
            # Moves on with a loop.
            factor = self.random.choice([size, size, 2 * size]) if reach >= 10 * size else size
            offset, place_of_offset = self.name(), self.random.randrange((reach - 5 * factor) // size + 1) * size
            self.lines.append(f"  {offset} = mul i32 {self.random.choice(self.counters)}, {factor}")
            moved = self.name()
            self.lines.append(f"  {moved} = getelementptr i8, ptr {base}, i32 {offset}")
            self.lines.append(f"  {place} = getelementptr i8, ptr {moved}, i32 {place_of_offset}")
        elif self.random.random() < 0.5:
            self.lines.append(f"  {place} = getelementptr i8, ptr {base}, i32 {slot * size}")
        else:
            offset = self.name()
            limit = 1 << ((reach // size).bit_length() - 1)
            self.lines.append(f"  {offset} = and i32 {self.pick('i32', 0)}, {limit - 1}")
            scaled = self.name()
            self.lines.append(f"  {scaled} = shl i32 {offset}, {size.bit_length() - 1}")
            self.lines.append(f"  {place} = getelementptr i8, ptr {base}, i32 {scaled}")
        return place

    def memory(self) -> None:
        base = self.random.choice(["%frame", "%out", "@table"])
        choice = self.random.randint(0, 6)
        if choice == 0:
            self.lines.append(f"  store i32 {self.pick('i32')}, ptr {self.address(base, 4, 2048)}, align 4")
        elif choice == 1:
            self.emit("i32", f"load i32, ptr {self.address(base, 4, 2048)}, align 4")
        elif choice == 2:
            self.lines.append(f"  store {_V} {self.pick(_V)}, ptr {self.address(base, 64, 2048)}, align 64")
        elif choice == 3:
            self.emit(_V, f"load {_V}, ptr {self.address(base, 64, 2048)}, align 64")
        elif choice == 4:
            width, size = self.random.choice([(8, 1), (16, 2)])
            narrow = self.name()
            self.lines.append(f"  {narrow} = trunc i32 {self.pick('i32')} to i{width}")
            self.lines.append(f"  store i{width} {narrow}, ptr {self.address(base, size, 512)}, align {size}")
        elif choice == 5:
            width, size = self.random.choice([(8, 1), (16, 2)])
            place = self.address(base, size, 512)
            narrow = self.name()
            self.lines.append(f"  {narrow} = load i{width}, ptr {place}, align {size}")
            self.emit("i32", f"{self.random.choice(['zext', 'sext'])} i{width} {narrow} to i32")
        else:
            width, size = self.random.choice([(8, 16), (16, 32)])
            narrow = self.name()
            self.lines.append(f"  {narrow} = trunc {_V} {self.pick(_V)} to <16 x i{width}>")
            self.lines.append(f"  store <16 x i{width}> {narrow}, ptr {self.address(base, size, 1024)}, align {size}")

    def staged(self) -> None:
        """Through the scratchpad, masked or not."""
        place = f"getelementptr (i8, ptr addrspace(68) @staging, i32 {4 * self.random.randrange(48)})"
        if self.random.random() < 0.5:
            self.lines.append(f"  store {_V} {self.pick(_V)}, ptr addrspace(68) {place}, align 4")
        where = f"ptr addrspace(68) align 4 {place}, {_B} {self.pick(_B)}"
        self.lines.append(f"  call void @llvm.masked.store.v16i32.p68({_V} {self.pick(_V)}, {where})")
        self.emit(_V, f"call {_V} @llvm.masked.load.v16i32.p68({where}, {_V} {self.pick(_V)})")

    def special(self) -> None:
        choice = self.random.randint(0, 3)
        if choice == 0:
            self.emit("i32", f"call i32 @llvm.{self.random.choice(['ctlz', 'cttz'])}.i32(i32 {self.pick('i32')}, i1 false)")
        elif choice == 1:
            self.emit("i32", f"call i32 @npu.mulh{self.random.choice('su')}(i32 {self.pick('i32')}, i32 {self.pick('i32')})")
        elif choice == 2:
            self.emit(_V, f"call {_V} @npu.mulh{self.random.choice('su')}.v({_V} {self.pick(_V)}, {_V} {self.pick(_V)})")
        else:
            self.emit(_V, f"call {_V} @npu.shuffle({_V} {self.pick(_V)}, {_V} {self.pick(_V)})")

    def call(self) -> None:
        if self.random.random() < 0.5:
            arguments = ", ".join(f"i32 {self.pick('i32')}" for _ in range(10))
            self.emit("i32", f"call i32 @many({arguments}, {_V} {self.pick(_V)})")
        else:
            pair = self.name()
            self.lines.append(f"  {pair} = call {{ {_V}, i32 }} @pair({_V} {self.pick(_V)}, i32 {self.pick('i32')})")
            self.emit(_V, f"extractvalue {{ {_V}, i32 }} {pair}, 0")
            self.emit("i32", f"extractvalue {{ {_V}, i32 }} {pair}, 1")

    # --- control flow ---

    def start(self, block: str) -> None:
        self.lines.append(f"{block}:")
        self.block = block

    def body(self, operations: int, depth: int) -> None:
        while operations > 0:
            choice = self.random.random()
            if depth < 3 and choice < 0.08:
                self.diamond(max(2, operations // 3), depth + 1)
                operations -= operations // 3 + 1
            elif depth < 2 and choice < 0.14:
                self.loop(max(2, operations // 4), depth + 1)
                operations -= operations // 4 + 1
            elif depth < 3 and choice < 0.16:
                self.switch(depth + 1)
                operations -= 4
            else:
                self.operation()
                operations -= 1

    def saved(self) -> dict[str, list[str]]:
        return {kind: list(names) for kind, names in self.values.items()}

    def diamond(self, operations: int, depth: int) -> None:
        number = self.name("d")[1:]
        condition = self.pick("i1", 0)
        self.lines.append(f"  br i1 {condition}, label %{number}.yes, label %{number}.no")
        before = self.saved()
        ends: list[tuple[str, dict[str, list[str]]]] = []
        for way in ("yes", "no"):
            self.values = {kind: list(names) for kind, names in before.items()}
            self.start(f"{number}.{way}")
            self.body(operations // 2, depth)
            ends.append((self.block, self.saved()))
            self.lines.append(f"  br label %{number}.join")
        self.values = before
        self.start(f"{number}.join")
        self.join(ends)

    def join(self, ends: list[tuple[str, dict[str, list[str]]]]) -> None:
        made: list[tuple[str, str]] = []
        for kind in self.values:
            if all(values[kind] for _, values in ends):
                for _ in range(self.random.randint(1, 3)):
                    name = self.name("phi")
                    ways = ", ".join(f"[ {self.random.choice(values[kind][-4:])}, %{block} ]" for block, values in ends)
                    self.lines.append(f"  {name} = phi {kind} {ways}")
                    made.append((kind, name))
        for kind, name in made:
            self.values[kind].append(name)

    def switch(self, depth: int) -> None:
        number = self.name("s")[1:]
        count = self.random.choice([1, 3, 9])
        value = self.emit("i32", f"and i32 {self.pick('i32', 0)}, 15")
        cases = self.random.sample(range(-2, 18), count)
        table = " ".join(f"i32 {case}, label %{number}.{case + 2}" for case in cases)
        self.lines.append(f"  switch i32 {value}, label %{number}.join [ {table} ]")
        before = self.saved()
        ends = [(self.block, before)]
        for case in cases:
            self.values = {kind: list(names) for kind, names in before.items()}
            self.start(f"{number}.{case + 2}")
            self.body(2, depth + 3)
            ends.append((self.block, self.saved()))
            self.lines.append(f"  br label %{number}.join")
        self.values = {kind: list(names) for kind, names in before.items()}
        self.start(f"{number}.join")
        self.join(ends)

    def loop(self, operations: int, depth: int) -> None:
        number = self.name("l")[1:]
        entry = self.block
        counter = self.name("i")
        phis: list[tuple[str, str, str]] = []
        first = self.random.choice(["0", "1", self.name("first")])
        if first[0] == "%":
            self.lines.append(f"  {first} = and i32 {self.pick('i32', 0)}, 1")
        self.lines.append(f"  br label %{number}")
        self.start(number)
        for kind in self.values:
            for _ in range(self.random.randint(0, 3)):
                phis.append((kind, self.name("phi"), self.pick(kind)))
        place = len(self.lines)
        outside = self.saved()
        for kind, name, _ in phis:
            self.values[kind].append(name)
        self.values["i32"].append(counter)
        self.counters.append(counter)
        self.body(operations, depth)
        self.counters.pop()
        following = self.name("next")
        lines = [f"  {counter} = phi i32 [ {first}, %{entry} ], [ {following}, %{self.block} ]"]
        swapped: dict[str, list[str]] = {}
        for kind, name, _ in phis:
            swapped.setdefault(kind, []).append(name)
        for kind, name, first in phis:
            # Half of them swap places with each other.
            others = swapped[kind] if self.random.random() < 0.5 else self.values[kind][-4:]
            lines.append(f"  {name} = phi {kind} [ {first}, %{entry} ], [ {self.random.choice(others)}, %{self.block} ]")
        self.lines[place:place] = lines
        self.lines.append(f"  {following} = add i32 {counter}, 1")
        again = self.name()
        self.lines.append(
            f"  {again} = icmp {self.random.choice(['ult', 'slt', 'ne'])} i32 {following}, {self.random.randint(2, 5)}"
        )
        self.lines.append(f"  br i1 {again}, label %{number}, label %{number}.out")
        keep = {kind: names[len(outside[kind]) :][-3:] for kind, names in self.values.items()}
        self.values = {kind: outside[kind] + keep[kind] for kind in outside}
        self.start(f"{number}.out")

    def text(self, operations: int) -> str:
        self.values = {"i32": ["%a", "%b"], "i1": [], _V: [], _B: []}
        for offset in range(0, 512, 64):
            place = self.name("p")
            self.lines.append(f"  {place} = getelementptr i8, ptr %in, i32 {offset}")
            self.emit(_V, f"load {_V}, ptr {place}, align 64")
        self.emit("i1", "icmp slt i32 %a, %b")
        self.emit(_B, f"icmp slt {_V} {self.values[_V][0]}, {self.values[_V][1]}")
        self.body(operations, 0)
        result = "%a"
        for value in self.values["i32"][-60:]:
            name = self.name("r")
            self.lines.append(f"  {name} = xor i32 {result}, {value}")
            result = name
        for number, value in enumerate(self.values[_V][-60:]):
            place = self.name("p")
            self.lines.append(f"  {place} = getelementptr i8, ptr %out, i32 {2048 + 64 * number}")
            self.lines.append(f"  store {_V} {value}, ptr {place}, align 64")
        for number, value in enumerate(self.values[_B][-20:]):
            name = self.name()
            self.lines.append(f"  {name} = zext {_B} {value} to {_V}")
            place = self.name("p")
            self.lines.append(f"  {place} = getelementptr i8, ptr %out, i32 {2048 + 64 * (60 + number)}")
            self.lines.append(f"  store {_V} {name}, ptr {place}, align 64")
        frame = f"  %frame = alloca [2048 x i8], align 64\n{_FILL}"
        body = "\n".join(self.lines)
        return f"{_HEAD}\ndefine i32 @k(ptr %in, ptr %out, i32 %a, i32 %b) {{\nentry:\n{frame}{body}\n  ret i32 {result}\n}}\n"


_FILL = "".join(
    f"  %fill{offset} = getelementptr i8, ptr %frame, i32 {offset}\n"
    f"  store {_V} splat (i32 {offset}), ptr %fill{offset}, align 64\n"
    for offset in range(0, 2048, 64)
)

_HEAD = """\
@table = internal global [512 x i32] zeroinitializer, align 64
@staging = internal addrspace(68) global [64 x i32] zeroinitializer, section "scratchpad", align 64

define internal i32 @many(i32, i32, i32, i32, i32, i32, i32, i32 %h, i32 %i, i32 %j, <16 x i32> %v) noinline {
entry:
  %x = sub i32 %0, %j
  %y = xor i32 %x, %i
  %z = add i32 %y, %h
  %w = mul i32 %z, 3
  %e = extractelement <16 x i32> %v, i32 9
  %r = add i32 %w, %e
  ret i32 %r
}

define internal { <16 x i32>, i32 } @pair(<16 x i32> %v, i32 %n) noinline {
entry:
  %done = icmp ult i32 %n, 5
  br i1 %done, label %out, label %again
again:
  %half = lshr i32 %n, 7
  %w = add <16 x i32> %v, splat (i32 7)
  %p = call { <16 x i32>, i32 } @pair(<16 x i32> %w, i32 %half)
  %pv = extractvalue { <16 x i32>, i32 } %p, 0
  %pn = extractvalue { <16 x i32>, i32 } %p, 1
  %x = xor <16 x i32> %pv, %v
  %y = add i32 %pn, %n
  br label %out
out:
  %rv = phi <16 x i32> [ %v, %entry ], [ %x, %again ]
  %rn = phi i32 [ %n, %entry ], [ %y, %again ]
  %r0 = insertvalue { <16 x i32>, i32 } poison, <16 x i32> %rv, 0
  %r1 = insertvalue { <16 x i32>, i32 } %r0, i32 %rn, 1
  ret { <16 x i32>, i32 } %r1
}

declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @npu.mulhs(i32, i32)
declare i32 @npu.mulhu(i32, i32)
declare <16 x i32> @npu.mulhs.v(<16 x i32>, <16 x i32>)
declare <16 x i32> @npu.mulhu.v(<16 x i32>, <16 x i32>)
declare <16 x i32> @npu.shuffle(<16 x i32>, <16 x i32>)
"""


def random_function(seed: int, operations: int = 40, pressure: int = 12) -> str:
    """A kernel ``i32 @k(ptr %in, ptr %out, i32 %a, i32 %b)``: 512 bytes are read, up to 8192 written."""
    return Generator(seed, pressure).text(operations)
