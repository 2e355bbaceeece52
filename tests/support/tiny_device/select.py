"""Legal IR -> assembly: each value has a word of memory, registers hold what one instruction works on.

    %c = add i32 %a, %b    ->    load r0 (a), load r1 (b), add r0, r0, r1, store (c)

r2 is for addresses; a kernel begins with the address of its arguments in it. Arguments, results and the return address of
a function have words of their own, so it cannot call itself.
"""

from __future__ import annotations

import re

from voltac.codegen.not_on_device import NotOnDevice
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.read import read
from voltac.ir.scan import split_list
from voltac.targets.device import START

_ARITHMETIC = frozenset(("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"))
_COMPARISONS = {
    # predicate: instruction, operands exchanged, result negated
    "slt": ("less", False, False), "sgt": ("less", True, False), "sle": ("less", True, True), "sge": ("less", False, True),
    "ult": ("below", False, False), "ugt": ("below", True, False), "ule": ("below", True, True), "uge": ("below", False, True),
    "eq": ("same", False, False), "ne": ("same", False, True),
}  # fmt: skip
_BYTES = {"i8": 1, "i32": 4, "ptr": 4}


def assembly(text: str) -> str:
    """The program of a module: functions that are not internal are kernels."""
    module = read(text)
    lines = [" .text", *(line for function in module.functions for line in _Function(function).written()), " .data"]
    for name, body in module.globals().items():
        found = re.search(r'constant \[(\d+) x i8\] (?:zeroinitializer|c"(.*)")', body)
        if found is None:
            raise NotOnDevice(f"it has no global variables such as {name}")
        content = re.sub(r"\\([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), found[2] or "").encode("latin-1")
        lines += [
            " .align 8",
            f"{name[1:]}:",
            *(f" .byte {byte}" for byte in content),
            f" .space {int(found[1]) - len(content)}",
        ]
    return "\n".join([*lines, ""])


def _members(type: str) -> list[str]:
    """The types of a function's results."""
    return [] if type == "void" else split_list(type[1:-1]) if type[0] == "{" else [type]


class _Function:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.name = function.name
        self.is_kernel = not function.header.startswith("define internal")
        self.lines: list[str] = []
        self.slots: dict[str, str] = {}
        self.rooms: dict[str, int] = {}
        """Memory of the function's own: label and bytes."""

    def written(self) -> list[str]:
        function = self.function
        if self.is_kernel:
            self.lines += [f" .global {START}.{self.name}", f"{START}.{self.name}:"]
            for number, parameter in enumerate(function.parameters):
                # In front of the arguments is the number of gangs.
                self.number("r1", 4 * (number + 1))
                self.emit("add r1, r2, r1", "load r0, r1")
                self.keep(parameter.name, "r1")
        else:
            self.lines.append(f"{self.name}:")
            own = [parameter.name for parameter in function.parameters]
            results = [f"result {number}" for number in range(len(_members(function.return_type)))]
            for number, name in enumerate(own):
                self.slots[name] = f"parameter{number}.{self.name}"
            for number, name in enumerate(results):
                self.slots[name] = f"result{number}.{self.name}"
            self.slots["return"] = f"return.{self.name}"
        for block in function.blocks:
            self.lines.append(f"{self.label(block.name)}:")
            for instruction in block.instructions:
                if instruction.op == "phi":
                    self.take(Operand("i32", f"in {instruction.name}"), "r0")
                    self.keep(instruction.name)
                elif not instruction.op.startswith("#"):
                    self.instruction(instruction, block.name)
        self.lines.append(" .data")
        self.lines += [f"{label}: .word 0" for label in self.slots.values()]
        self.lines += [f"{label}: .space {-(-size // 4) * 4}" for label, size in self.rooms.items()]
        return [*self.lines, " .text"]

    def instruction(self, it: Instruction, block: str) -> None:
        operands = it.operands
        match it.op:
            case op if op in _ARITHMETIC:
                self.two(op, operands[0], operands[1])
            case "icmp":
                op, exchanged, negated = _COMPARISONS[it.parts.predicate]
                self.two(op, *(operands[1::-1] if exchanged else operands))
                if negated:
                    self.number("r1", 1)
                    self.emit("xor r0, r0, r1")
            case "zext" | "trunc" | "ptrtoint" | "inttoptr" | "freeze":
                self.take(operands[0], "r0")
            case "sext" if operands[0].type == "i1":
                self.two("sub", Operand("i32", "0"), operands[0])
            case "call" if it.parts.callee.startswith("@") and not it.parts.callee.startswith("@llvm."):
                self.call(it)
                return
            case "insertvalue":
                whole, part = operands
                index = it.parts.indices[0]
                for number in range(len(_members(whole.type))):
                    if number != index and whole.value == "poison":
                        continue
                    self.take(part if number == index else Operand("i32", f"{whole.value}.{number}"), "r0")
                    self.keep(f"{it.name}.{number}")
                return
            case "extractvalue":
                self.take(Operand("i32", f"{operands[0].value}.{it.parts.indices[0]}"), "r0")
            case "getelementptr":
                if len(operands) != 2 or it.parts.element_type not in _BYTES:
                    raise NotOnDevice(f"no address is made by '{it.text.strip()}'")
                self.take(operands[1], "r0")
                self.number("r1", _BYTES[it.parts.element_type])
                self.emit("mul r0, r0, r1")
                self.take(operands[0], "r1")
                self.emit("add r0, r0, r1")
            case "select":
                # b + c * (a - b)
                self.two("sub", operands[1], operands[2])
                self.take(operands[0], "r1")
                self.emit("mul r0, r0, r1")
                self.take(operands[2], "r1")
                self.emit("add r0, r0, r1")
            case "alloca" if found := re.fullmatch(r"\[(\d+) x i8\]", it.parts.element_type):
                self.rooms[f"room{len(self.rooms)}.{self.name}"] = int(found[1])
                label = list(self.rooms)[-1]
                self.emit(f"low r0, {label}", f"high r0, {label}")
            case "load" if it.type in _BYTES:
                self.take(operands[0], "r0")
                self.emit(f"load{'b' if it.type == 'i8' else ''} r0, r0")
            case "store" if operands[0].type in _BYTES:
                self.take(operands[0], "r0")
                self.take(operands[1], "r1")
                self.emit(f"store{'b' if operands[0].type == 'i8' else ''} r1, r0")
            case "br":
                self.branch(it, block)
            case "ret":
                self.leave(operands)
            case "unreachable":
                self.emit("halt")
            case _:
                raise NotOnDevice(f"it has no way to do '{it.text.strip()}'")
        if it.name:
            self.keep(it.name)

    def call(self, it: Instruction) -> None:
        callee = it.parts.callee[1:]
        if callee == "volta_fail":
            self.emit("halt")
            return
        if callee == self.name:
            raise NotOnDevice("its functions cannot call themselves")
        for number, operand in enumerate(it.parts.operands):
            self.take(operand, "r0")
            self.emit(f"low r1, parameter{number}.{callee}", f"high r1, parameter{number}.{callee}", "store r1, r0")
        behind = f"{self.name}.behind{len(self.lines)}"
        self.emit(f"low r0, {behind}", f"high r0, {behind}")
        self.emit(f"low r1, return.{callee}", f"high r1, return.{callee}", "store r1, r0")
        self.emit(f"low r0, {callee}", f"high r0, {callee}", "jump r0")
        self.lines.append(f"{behind}:")
        count = len(_members(it.parts.type))
        for number in range(count):
            self.emit(f"low r0, result{number}.{callee}", f"high r0, result{number}.{callee}", "load r0, r0")
            self.keep(it.name if count == 1 else f"{it.name}.{number}")

    def leave(self, results: list[Operand]) -> None:
        if self.is_kernel:
            self.emit("halt")
            return
        count = len(_members(self.function.return_type))
        for number in range(count):
            self.take(results[0] if count == 1 else Operand("i32", f"{results[0].value}.{number}"), "r0")
            self.keep(f"result {number}")
        self.address("r0", "return")
        self.emit("load r0, r0", "jump r0")

    def branch(self, it: Instruction, block: str) -> None:
        labels = it.parts.labels
        if len(labels) == 2:
            self.take(it.operands[0], "r0")
            self.keep("condition")
        for number, label in enumerate(labels):
            behind = f"{self.label(block)}.{number}"
            if len(labels) == 2 and number == 0:
                self.take(Operand("i1", "condition"), "r0")
                self.number("r1", 1)
                self.emit("xor r0, r0, r1", f"branch r0, {behind}")
            # All values are found before any phi is made of them: those of a loop may be each other's.
            for phi in self.function.block(label).phis():
                self.take(phi.operands[phi.parts.labels.index(block)], "r0")
                self.keep(f"in {phi.name}")
            self.number("r0", 1)
            self.emit(f"branch r0, {self.label(label)}")
            self.lines.append(f"{behind}:")

    # --- values

    def two(self, op: str, left: Operand, right: Operand) -> None:
        self.take(left, "r0")
        self.take(right, "r1")
        self.emit(f"{op} r0, r0, r1")

    def take(self, operand: Operand, register: str) -> None:
        if operand.type.startswith(("<", "[", "{")) or operand.type in ("float", "double", "i64"):
            raise NotOnDevice(f"it has no values of type '{operand.type}'")
        text = {"true": "1", "false": "0", "null": "0", "poison": "0", "undef": "0"}.get(operand.value, operand.value)
        if text.lstrip("-").isdigit():
            self.number(register, int(text))
            return
        if text[0] == "@":
            self.emit(f"low {register}, {text[1:]}", f"high {register}, {text[1:]}")
            return
        self.address(register, text)
        self.emit(f"load {register}, {register}")

    def keep(self, name: str, free: str = "r1") -> None:
        self.address(free, name)
        self.emit(f"store {free}, r0")

    def address(self, register: str, name: str) -> None:
        slot = self.slots.setdefault(name, f"slot{len(self.slots)}.{self.name}")
        self.emit(f"low {register}, {slot}", f"high {register}, {slot}")

    def number(self, register: str, value: int) -> None:
        self.emit(f"low {register}, {value & 0xFFFFFFFF}", f"high {register}, {value & 0xFFFFFFFF}")

    def label(self, block: str) -> str:
        return f"{self.name}.b{[each.name for each in self.function.blocks].index(block)}"

    def emit(self, *lines: str) -> None:
        self.lines += [" " + line for line in lines]
