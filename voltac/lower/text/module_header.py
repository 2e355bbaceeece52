"""Facts of the target as LLVM text: data layout, triple, attributes of functions."""

from __future__ import annotations

from voltac.ir.strings import quoted
from voltac.options import Options

_DATA_LAYOUTS = {
    "x86-64": "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    "x86": "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128",
    "aarch64": "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
    "riscv64": "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128",
    "wasm32": "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20",
    "x86-64 macos": "e-m:o-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    "aarch64 macos": "e-m:o-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-n32:64-S128-Fn32",
    "x86-64 windows": "e-m:w-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    "aarch64 windows": "e-m:w-p270:32:32-p271:32:32-p272:64:64-p:64:64-i32:32-i64:64-i128:128-n32:64-S128-Fn32",
}
"""Of an architecture, and of one on a system that has a layout of its own."""


_SVE_UNIT = 128
"""Bits by which LLVM counts the length of SVE's vectors."""
_FLUSHED_OR_NOT = '"denormal-fp-math"="dynamic,dynamic"'
"""LLVM compares no denormal constants: they are zeros where a function has set the state to flush, and numbers where others
call the functions that it calls."""
_LONGEST_SVE = 2048
"""Bits of the longest that the architecture has."""


def module_header(options: Options, file: str) -> list[str]:
    """The lines that name the source, the data layout and the triple."""
    target = options.target
    architecture = target.architecture
    own = _DATA_LAYOUTS.get(f"{architecture} {target.system}") or _DATA_LAYOUTS.get(architecture, "")
    layout = own if target.device is None else target.device.data_layout
    return [
        f"source_filename = {quoted(file or 'module')}",
        f'target datalayout = "{layout}"',
        f'target triple = "{target.triple}"',
    ]


_NO_CALLS = ('"no-builtin-strlen"', '"no-builtin-wcslen"')
"""LLVM makes calls of loops that look for a zero; programs need no more than docs/runtime.md says, and read no byte more."""


_NO_LIBRARY = '"no-builtins"'
"""LLVM makes no calls of functions like ``memcpy`` then."""


def function_attributes(options: Options) -> str:
    """What every function of the module carries."""
    target = options.target
    if target.device is not None:
        return f"nounwind {_NO_LIBRARY}" if target.device.keeps_loops else "nounwind"
    # Not the CPU it is tuned for: that name would bring that CPU's instructions.
    words = ["nounwind", f'"target-cpu"="{target.cpu}"', *_NO_CALLS]
    if target.features:
        words.append(f'"target-features"="{target.features}"')
    if target.has_avx512:
        words.append(f'"prefer-vector-width"="{target.vector_bits}"')
        words.append(f'"min-legal-vector-width"="{target.vector_bits}"')
    if target.has_sve:
        words.append(f"vscale_range({target.vector_bits // _SVE_UNIT},{_LONGEST_SVE // _SVE_UNIT})")
    if options.reset_ftz_daz:
        words.append(_FLUSHED_OR_NOT)
    return " ".join(words)
