"""The start-up code of a program: an entry ``_start.NAME`` for each exported kernel, and the trap vector.

The host starts every thread at the entry of the kernel it wants (NaplesPU 1.7;
the conventions are those of the board: word 0 of the argument block is the number
of threads in all, the parameters follow, then the result). Each thread
turns all lanes on, makes itself a stack, loads the parameters and calls the
kernel; if the kernel is written for one thread only, the others skip this. Then
all meet at a barrier; the first one tells the host that it is over.
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.codegen.kernels import attribute, exported
from voltac.codegen.machine_code import Register
from voltac.codegen.selection import label_of
from voltac.ir import marks, match
from voltac.ir.model import Function, Instruction, Module
from voltac.targets.naplespu.facts import THREADS
from voltac.targets.naplespu.isa import CONTROL_REGISTERS
from voltac.targets.naplespu.scratchpad import copying, stretches
from voltac.targets.naplespu.select.calls import CONVENTION

STACKS = 0x0008_0000
STACK_BYTES = 1 << 14
THREADS_OF_CORE = 8
STACK_STEP = 256
"""A stack begins so much further down than the last thread's: else all would share the same few lines of the cache."""
USABLE_STACK = STACK_BYTES - (THREADS_OF_CORE - 1) * STACK_STEP
END_FLAG = 0xFFFF_FFC0
END_BARRIER = 511
"""The last of the hardware's barriers: programs use low numbers."""

_BLOCK, _PLACE = "s50", "s51"
"""Registers that a kernel preserves: the argument block; core * 8 + thread."""

_TRAP = f"""\
	.section .trap
volta_fail:
abort:
_trap:
	movei	s8, 3
	movei	s9, {CONTROL_REGISTERS["thread_status"]}
	write_cr	s8, s9
_trapped:
	jmp	_trapped
"""


def most_loaded(load: Instruction, definitions: dict[str, Instruction]) -> int:
    """The greatest number that a load of the argument block's first word gives, which is how many threads run; 0 for others."""
    return THREADS.most * THREADS.cores if _ARGUMENT_BLOCK.matches(load.operands[0].value, definitions) else 0


_ARGUMENT_BLOCK = match.op("inttoptr", match.call("@npu.read_control", match.number(THREADS.arguments)))


def startup(module: Module) -> str:
    """The code that each kernel's threads begin with, and what they end in, as assembly."""
    kernels = exported(module)
    parts = [_TRAP, *(_entry(module, kernel) for kernel in kernels)]
    return "".join(parts)


def _entry(module: Module, kernel: Function) -> str:
    # A name that is a register's has a dot behind it inside of the program.
    name = label_of(kernel.name).rstrip(".")
    lines = [
        ("movei", "s0, 5"),
        *_control("thread_status", "s0"),
        ("movei", "rm, 65535"),
        # A stack of its own for each thread of each core.
        *_read("tile_id", _PLACE),
        *_read("thread_id", "s1"),
        ("shli", f"{_PLACE}, {_PLACE}, {THREADS_OF_CORE.bit_length() - 1}"),
        ("add_i32", f"{_PLACE}, {_PLACE}, s1"),
        ("addi", f"s1, {_PLACE}, 1"),
        ("shli", f"s1, s1, {STACK_BYTES.bit_length() - 1}"),
        *_number("s0", STACKS),
        ("add_i32", "sp, s0, s1"),
        ("andi", f"s0, {_PLACE}, {THREADS_OF_CORE - 1}"),
        ("shli", f"s0, s0, {STACK_STEP.bit_length() - 1}"),
        ("sub_i32", "sp, sp, s0"),
        ("move_i32", "fp, sp"),
        *_read("argv", _BLOCK),
        ("movei", "s0, 1"),
        *_control("thread_status", "s0"),
    ]
    text = f"\t.text\n\t.global _start.{name}\n_start.{name}:\n" + _lines(lines)
    values = stretches(module, kernel)
    if values:
        text += _lines([
            *_read("thread_id", "s1"),
            *_read("debug_0", "s2"),
            *copying(f"_start.{name}", values, "s1", "s2"),
            ("movei", f"s0, {END_BARRIER - 1}"),
            ("load32", f"s1, 0({_BLOCK})"),
            ("subi", "s1, s1, 1"),
            ("barrier", "s0, s1"),
        ])  # fmt: skip
    if attribute(module, kernel, marks.THREADS) != "all":
        text += _lines([("bnez", f"{_PLACE}, _start.{name}.end")])
    text += _lines(_call(kernel, name))
    text += f"_start.{name}.end:\n"
    text += _lines([
        # Everybody is here before the host is told.
        ("movei", f"s0, {END_BARRIER}"),
        ("load32", f"s1, 0({_BLOCK})"),
        ("subi", "s1, s1, 1"),
        ("barrier", "s0, s1"),
        ("movei", "s0, 0"),
        *_number("s1", END_FLAG),
        ("store32", "s0, 0(s1)"),
        ("flush", "s1"),
        ("movei", "s0, 2"),
        *_control("thread_status", "s0"),
    ])  # fmt: skip
    return text + f"_start.{name}.over:\n\tjmp\t_start.{name}.over\n"


def _call(kernel: Function, name: str) -> list[tuple[str, str]]:
    """Parameters from the block to where the kernel looks for them; the result behind them, and to the host."""
    places = CONVENTION.argument_places(kernel)
    frame = (places.stack + 63) // 64 * 64
    lines: list[tuple[str, str]] = []
    if frame:
        lines += [*_number("s0", frame), ("sub_i32", "sp, sp, s0")]
    # The stack first: it takes a register.
    order = sorted(enumerate(places.places), key=lambda item: isinstance(item[1], Register))
    for position, place in order:
        base, offset = _BLOCK, 4 * (position + 1)
        if offset > 255:
            lines += [*_number("tr", offset), ("add_i32", f"tr, tr, {_BLOCK}")]
            base, offset = "tr", 0
        if isinstance(place, Register):
            lines.append(("load32", f"{place}, {offset}({base})"))
        else:
            lines += [("load32", f"s0, {offset}({base})"), *_number("tr", place), ("add_i32", "tr, tr, sp")]
            lines.append(("store32", "s0, 0(tr)"))
    # By address: the kernel may be further away than a call reaches.
    label = label_of(kernel.name)
    back = f"_start.{name}.back"
    lines += [
        ("leah", f"tr, {label}"),
        ("leal", f"tr, {label}"),
        ("leah", f"ra, {back}"),
        ("leal", f"ra, {back}"),
        ("jmp", "tr"),
    ]
    lines.append((f"{back}:", ""))
    offset = 4 * (len(kernel.parameters) + 1)
    for number, place in enumerate(CONVENTION.result_places(kernel).places):
        if isinstance(place, Register):
            lines += [*_number("tr", offset + 4 * number), ("add_i32", f"tr, tr, {_BLOCK}")]
            lines += [("store32", f"{place}, 0(tr)"), ("flush", "tr")]
    return lines


def _read(control: str, register: str) -> list[tuple[str, str]]:
    return [("movei", f"tr, {CONTROL_REGISTERS[control]}"), ("read_cr", f"{register}, tr")]


def _control(control: str, register: str) -> list[tuple[str, str]]:
    return [("movei", f"tr, {CONTROL_REGISTERS[control]}"), ("write_cr", f"{register}, tr")]


def _number(register: str, value: int) -> list[tuple[str, str]]:
    low = [("movei", f"{register}, {value & 0xFFFF}")]
    return [*low, ("moveih", f"{register}, {value >> 16}")] if value >> 16 else low


def _lines(instructions: Sequence[tuple[str, str]]) -> str:
    """Labels are among them, as names with a colon."""
    return "".join(f"\t{name}\t{operands}\n" if name[-1] != ":" else f"{name}\n" for name, operands in instructions)
