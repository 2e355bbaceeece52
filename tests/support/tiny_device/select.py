"""Legal IR -> assembly: each value has a word of memory, registers hold what one instruction works on.

    %c = add i32 %a, %b    ->    load r0 (a), load r1 (b), add r0, r0, r1, store (c)

r2 is for addresses; a kernel begins with the address of its arguments in it. There are no calls.
"""

from __future__ import annotations

from voltac.codegen.not_on_device import NotOnDevice
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.read import read
from voltac.targets.device import START

_ARITHMETIC = frozenset(("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"))
_COMPARISONS = {
    # predicate: instruction, operands exchanged, result negated
    "slt": ("less", False, False), "sgt": ("less", True, False), "sle": ("less", True, True), "sge": ("less", False, True),
    "ult": ("below", False, False), "ugt": ("below", True, False), "ule": ("below", True, True), "uge": ("below", False, True),
    "eq": ("same", False, False), "ne": ("same", False, True),
}  # fmt: skip
_BYTES = {"i32": 4, "ptr": 4}


def assembly(text: str) -> str:
    """The program of a module: one kernel for each of its functions."""
    writers = [_Kernel(function) for function in read(text).functions]
    return "\n".join([" .text", *(line for writer in writers for line in writer.written()), ""])


class _Kernel:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.name = function.name.removeprefix("@")
        self.lines: list[str] = []
        self.slots: dict[str, str] = {}

    def written(self) -> list[str]:
        function = self.function
        self.lines += [f" .global {START}.{self.name}", f"{START}.{self.name}:"]
        for number, parameter in enumerate(function.parameters):
            # In front of the arguments is the number of gangs.
            self.number("r1", 4 * (number + 1))
            self.emit("add r1, r2, r1", "load r0, r1")
            self.keep(parameter.name, "r1")
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
            case "alloca" if it.parts.element_type in _BYTES:
                self.address("r0", f"memory of {it.name}")
            case "load" if it.type in _BYTES:
                self.take(operands[0], "r0")
                self.emit("load r0, r0")
            case "store" if operands[0].type in _BYTES:
                self.take(operands[0], "r0")
                self.take(operands[1], "r1")
                self.emit("store r1, r0")
            case "br":
                self.branch(it, block)
            case "ret" if not operands:
                self.emit("halt")
            case _:
                raise NotOnDevice(f"it has no way to do '{it.text.strip()}'")
        if it.name:
            self.keep(it.name)

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
        self.address(register, text)
        self.emit(f"load {register}, {register}")

    def keep(self, name: str, free: str = "r1") -> None:
        self.address(free, name)
        self.emit(f"store {free}, r0")

    def address(self, register: str, name: str) -> None:
        slot = self.slots.setdefault(name, f"slot{len(self.slots)}.{self.name}")
        self.emit(f"low {register}, {slot}", f"high {register}, {slot}")

    def number(self, register: str, value: int) -> None:
        self.emit(f"low {register}, {value & 0xFFFF}", f"high {register}, {value >> 16 & 0xFFFF}")

    def label(self, block: str) -> str:
        return f"{self.name}.b{[each.name for each in self.function.blocks].index(block)}"

    def emit(self, *lines: str) -> None:
        self.lines += [" " + line for line in lines]
