"""From source to LLVM text, machine code and ctypes functions, for the tests of lowering."""

from __future__ import annotations

import ctypes
from typing import Any

from voltac.driver import compile_source
from voltac.llvm import load_objects
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import TargetInfo, find_target

AVX2 = find_target("avx2-i32x8")
AVX512 = find_target("avx512skx-x16")
SSE4 = find_target("sse4-i32x4")


def text_after(stage: str, source: str, target: TargetInfo = AVX2, **options: Any) -> str:
    """The LLVM text that a stage (``lower``, ``early``, ``passes``) gives."""
    wanted = Options(target, **({"whole_program": True} | options))
    compilation = compile_source(source, "test.ispc", wanted, Diagnostics(), end=stage)
    return str(compilation.results[stage])


def assembly(source: str, target: TargetInfo = AVX2, **options: Any) -> str:
    compilation = compile_source(source, "test.ispc", Options(target, **({"whole_program": True} | options)), Diagnostics())
    assert compilation.optimized is not None
    return compilation.optimized.assembly()


def object_code(source: str, target: TargetInfo = AVX2, **options: Any) -> bytes:
    compilation = compile_source(source, "test.ispc", Options(target, **({"whole_program": True} | options)), Diagnostics())
    assert compilation.optimized is not None
    return compilation.optimized.object_code()


class Loaded:
    """Exported functions of a compiled source, called through ctypes."""

    def __init__(self, source: str, *names: str, target: TargetInfo = AVX2, **options: Any) -> None:
        self._object = load_objects([object_code(source, target, **options)], names)

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        function: Any = ctypes.CFUNCTYPE(result, *arguments)(self._object.address(name))
        function.code = self._object  # the code lives as long as somebody can call it
        return function


def function_body(text: str, name: str) -> str:
    """The definition of one function in LLVM text."""
    for piece in text.split("\ndefine ")[1:]:
        if f"@{name}(" in piece.split("\n", 1)[0]:
            return piece[: piece.index("\n}")]
    raise AssertionError(f"no function {name} in the text")


def block(text: str, name: str) -> str:
    """The lines of one basic block."""
    lines = text.split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith(f"{name}:"))
    end = next((number for number in range(start + 1, len(lines)) if not lines[number].startswith(" ")), len(lines))
    return "\n".join(lines[start + 1 : end])
