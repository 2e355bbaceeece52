"""The entry of each kernel: a function that reads the parameters from the launch's block, and leaves the result behind them.

    define void @_start.f(ptr %block)  ->  x = load float, ptr (%block + 4); r = call float @f(float x); store float r

The block has a word of 32 bits for the number of gangs and for each parameter, two for numbers of 64; so the host writes it.
"""

from __future__ import annotations

from voltac.codegen.kernels import exported
from voltac.ir.model import Module
from voltac.ir.read import read
from voltac.ir.types import integer_bits
from voltac.targets.device import START

_WORD = 4
"""Bytes of a word of the launch's block."""


def add_entries(module: Module) -> None:
    """For every kernel of a module, which is not legal yet."""
    for kernel in exported(module):
        name = kernel.name.strip('"')
        lines = [f'define void @"{START}.{name}"(ptr %block) nounwind {{', "entry:"]
        arguments = []
        at = _WORD
        for number, parameter in enumerate(kernel.parameters):
            made, size = _loaded(number, parameter.type, at)
            lines += made
            arguments.append(f"{parameter.type} %argument.{number}")
            at += size
        call = f"call {kernel.return_type} @{kernel.name}({', '.join(arguments)})"
        if kernel.return_type == "void":
            lines += [f"  {call}", "  ret void", "}"]
        else:
            lines += [f"  %result = {call}", *_stored(kernel.return_type, at), "  ret void", "}"]
        module.items.append(read("\n".join(lines) + "\n").functions[0])


def _loaded(number: int, type: str, at: int) -> tuple[list[str], int]:
    """The lines that load a parameter, and its bytes in the block."""
    place = f"  %place.{number} = getelementptr i8, ptr %block, i64 {at}"
    result, word = f"%argument.{number}", f"%word.{number}"
    bits = integer_bits(type)
    if type.startswith("ptr"):
        loaded = [f"{word} = load i32, ptr %place.{number}, align 4", f"{word}.wide = zext i32 {word} to i64",
                  f"{result} = inttoptr i64 {word}.wide to {type}"]  # fmt: skip
    elif bits and bits < 8 * _WORD:
        loaded = [f"{word} = load i32, ptr %place.{number}, align 4", f"{result} = trunc i32 {word} to {type}"]
    elif type == "half":
        loaded = [f"{word} = load i16, ptr %place.{number}, align 4", f"{result} = bitcast i16 {word} to half"]
    else:
        loaded = [f"{result} = load {type}, ptr %place.{number}, align 4"]
    return [place, *(f"  {line}" for line in loaded)], 2 * _WORD if bits > 8 * _WORD or type == "double" else _WORD


def _stored(type: str, at: int) -> list[str]:
    lines = [f"%place = getelementptr i8, ptr %block, i64 {at}"]
    value = f"{type} %result"
    bits = integer_bits(type)
    if bits and bits < 8 * _WORD:
        lines.append(f"%word = zext {type} %result to i32")
        value = "i32 %word"
    elif type.startswith("ptr"):
        lines += ["%wide = ptrtoint ptr %result to i64", "%word = trunc i64 %wide to i32"]
        value = "i32 %word"
    lines.append(f"store {value}, ptr %place, align 4")
    return [f"  {line}" for line in lines]
