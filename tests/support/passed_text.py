"""The LLVM text that the passes make of a source."""

from functools import lru_cache

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

_KEPT = 64
"""Texts: tests ask for the same one several times, one soon after the other."""


@lru_cache(_KEPT)
def passed(source: str, target: str = "avx2-i32x8", level: int = 3) -> str:
    options = Options(find_target(target), level)
    text: str = compile_source(source, "f.ispc", options, Diagnostics(), end="passes").results["passes"]
    return text
