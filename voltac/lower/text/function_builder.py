"""The body of a function, instruction by instruction, as blocks of lines of LLVM text.

Knows the spelling of instructions and nothing of the language. Values are
:class:`IR` pairs of type and name; names are numbered, block names are meaningful
and made unique. What is emitted behind a terminator goes to a block that nobody
reaches, and is left out if nothing is emitted there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from voltac.ir import marks
from voltac.lower.text.folding import folded
from voltac.lower.text.ir_values import IR, NAME_CHARACTERS, element_type, is_constant, splat_constant, vector_type

_NEUTRAL_ZERO = ("add", "sub", "or ", "xor", "shl", "lshr", "ashr")
"""Operations that leave their left side as it is where the right one is 0."""


_LONGEST_NAME = 900
"""Of what is named after the source, in characters: LLVM cuts names off behind 1024, where two would become one."""


class FunctionBuilder:
    """The body of one function while it is written."""

    def __init__(self) -> None:
        self._blocks: list[tuple[str, list[str]]] = [("entry", [])]
        self._lines: list[str] = self._blocks[0][1]
        self.label = "entry"
        self._count = 0
        self._labels: dict[str, int] = {"entry": 1}
        self._allocas: list[str] = []
        self._prologue: list[str] = []
        self.splats: dict[str, IR] = {}
        """Name of a vector -> the value that all of its lanes have."""
        self.path = ""
        """Of the innermost foreach or coherent loop, such as ``foreach_12_5.all_on``: begins the names of blocks inside."""
        self.location = ""
        """Ends every instruction: empty, or ``, !dbg !N``."""
        self.place_of_call: Callable[[], str] = str
        """What ends a call where nothing else has a place: LLVM wants one to inline between functions that are described."""

    # --- blocks

    def inside(self, path: str) -> _Inside:
        """``with``: names of blocks begin with another ``path``."""
        return _Inside(self, path)

    @property
    def reachable(self) -> bool:
        """False right behind a terminator."""
        return bool(self.label)

    def block(self, name: str) -> str:
        """A fresh label; the block begins with :meth:`start`."""
        name = marks.inside(self.path, name[:_LONGEST_NAME])
        seen = self._labels.get(name, 0)
        self._labels[name] = seen + 1
        return f"{name}.{seen}" if seen else name

    def start(self, label: str) -> None:
        """Begin a block; the one before falls through to it if it is still open."""
        self.jump(label)
        self.label = label
        self._lines = []
        self._blocks.append((label, self._lines))

    def _close(self) -> None:
        self.label = ""
        self._lines = []
        self._blocks.append(("", self._lines))

    @property
    def _is_dead(self) -> bool:
        return not self.label and not self._lines

    def terminate(self, text: str) -> None:
        """The instruction that ends a block; left out where nothing leads here."""
        if not self._is_dead:
            self._lines.append(f"  {text}{self.location}")
            self._close()

    def jump(self, label: str) -> None:
        """Ends the block."""
        self.terminate(f"br label %{label}")

    def branch(self, condition: IR, then: str, otherwise: str) -> None:
        """Ends the block; the condition is an i1."""
        self.terminate(f"br i1 {condition.name}, label %{then}, label %{otherwise}")

    def give_back(self, value: IR) -> None:
        """Ends the block with ``ret``; the value :data:`NOTHING` for no result."""
        self.terminate("ret void" if value.type == "void" else f"ret {value}")

    # --- instructions

    def emit(self, text: str) -> None:
        """An instruction without a result."""
        self._lines.append(f"  {text}{self._place(text)}")

    def value(self, type: str, text: str) -> IR:
        """An instruction with a result of this type."""
        self._count += 1
        name = f"%v{self._count}"
        self._lines.append(f"  {name} = {text}{self._place(text)}")
        return IR(type, name)

    def _place(self, text: str) -> str:
        """Some instructions bring a place of their own."""
        if self.location:
            return self.location if ", !dbg " not in text else ""
        calls = text.startswith("call ") and "@llvm." not in text and ", !dbg " not in text
        return self.place_of_call() if calls else ""

    def debug_record(self, text: str) -> None:
        """Says where a variable is from here on; no instruction."""
        self._lines.append(f"    {text}")

    def alloca(self, type: str, alignment: int, name: str = "slot") -> IR:
        """A stack object that lives as long as the function."""
        self._count += 1
        shown = name[:_LONGEST_NAME] if NAME_CHARACTERS.issuperset(name) else "slot"
        result = f"%{shown}.{self._count}"
        self._allocas.append(f"  {result} = alloca {type}, align {alignment}")
        return IR("ptr", result)

    def at_entry(self, text: str) -> None:
        """An instruction that runs once, when the function begins."""
        self._prologue.append(f"  {text}")

    def binary(self, operation: str, left: IR, right: IR) -> IR:
        """``operation`` with its flags, for instance ``add nsw``; left out where it adds or shifts by 0."""
        # The proofs of the access analysis look for forms such as n - (n & 7), which a "- 0" would hide.
        if right.name == "0" and operation.startswith(_NEUTRAL_ZERO):
            return left
        if right.name[-1].isdecimal() and (known := folded(operation, left, right)) is not None:
            return known
        return self.value(left.type, f"{operation} {left}, {right.name}")

    def compare(self, operation: str, left: IR, right: IR) -> IR:
        """``operation`` is for instance ``icmp slt``."""
        type = left.type
        result = f"<{type[1:].split(' ', 1)[0]} x i1>" if type[0] == "<" else "i1"
        return self.value(result, f"{operation} {left}, {right.name}")

    def convert(self, operation: str, value: IR, type: str) -> IR:
        """``operation`` is for instance ``sext``; ``type`` the one to convert to."""
        return self.value(type, f"{operation} {value} to {type}")

    def select(self, test: IR, then: IR, otherwise: IR) -> IR:
        """The test is an i1, or a vector of them."""
        return self.value(then.type, f"select {test}, {then}, {otherwise}")

    def load(self, type: str, address: IR, alignment: int) -> IR:
        """The alignment is in bytes."""
        return self.value(type, f"load {type}, ptr {address.name}, align {alignment}")

    def store(self, value: IR, address: IR, alignment: int) -> None:
        """The alignment is in bytes."""
        self.emit(f"store {value}, ptr {address.name}, align {alignment}")

    def gep(self, element: str, base: IR, *indices: IR, flags: str = "") -> IR:
        """An address; a vector of addresses if the base or an index is a vector."""
        lanes = next((value.type for value in (base, *indices) if value.type[0] == "<"), "")
        type = f"<{lanes[1:].split(' ', 1)[0]} x ptr>" if lanes else "ptr"
        return self.value(type, f"getelementptr {flags}{element}, {base}, {', '.join(map(str, indices))}")

    def phi(self, arms: Sequence[tuple[IR, str]]) -> IR:
        """Pairs of a value and the block that it comes from; stands at the head of its block."""
        type = arms[0][0].type
        return self.value(type, f"phi {type} " + ", ".join(f"[ {value.name}, %{label} ]" for value, label in arms))

    def extract(self, vector: IR, index: IR) -> IR:
        """One lane of a vector."""
        return self.value(element_type(vector.type), f"extractelement {vector}, {index}")

    def insert(self, vector: IR, value: IR, index: IR) -> IR:
        """The vector with another value in one lane."""
        return self.value(vector.type, f"insertelement {vector}, {value}, {index}")

    def member(self, aggregate: IR, index: int, type: str) -> IR:
        """Member of a first-class aggregate."""
        return self.value(type, f"extractvalue {aggregate}, {index}")

    def with_member(self, aggregate: IR, value: IR, index: int) -> IR:
        """The aggregate with another value as its member."""
        return self.value(aggregate.type, f"insertvalue {aggregate}, {value}, {index}")

    def shuffle(self, left: IR, right: IR, indices: Iterable[int]) -> IR:
        """Lanes by number, -1 for any value."""
        lanes = ["i32 poison" if index < 0 else f"i32 {index}" for index in indices]
        type = vector_type(len(lanes), element_type(left.type))
        return self.value(type, f"shufflevector {left}, {right}, <{len(lanes)} x i32> <{', '.join(lanes)}>")

    def splat(self, width: int, value: IR) -> IR:
        """The value in all lanes; that of a constant is a constant."""
        if is_constant(value) and value.name[0] != "@":
            return splat_constant(width, value)
        type = vector_type(width, value.type)
        first = self.value(type, f"insertelement {type} poison, {value}, i64 0")
        result = self.value(type, f"shufflevector {first}, {type} poison, <{width} x i32> zeroinitializer")
        self.splats[result.name] = value
        return result

    # --- the end

    def body(self) -> str:
        """The text between the braces."""
        out: list[str] = []
        dead = 0
        for label, lines in self._blocks:
            if not label:
                if not lines:
                    continue
                dead += 1
                label = f"dead.{dead}"
            out.append(f"{label}:")
            if label == "entry":
                out += self._allocas
                out += self._prologue
            out += lines
        if self.label or self._lines:
            out.append("  unreachable")
        return "\n".join(out)


class _Inside:
    """What :meth:`FunctionBuilder.inside` gives."""

    __slots__ = ("_build", "_outside", "_path")

    def __init__(self, build: FunctionBuilder, path: str) -> None:
        self._build, self._path, self._outside = build, path, build.path

    def __enter__(self) -> None:
        self._build.path = self._path

    def __exit__(self, *failure: object) -> None:
        self._build.path = self._outside
