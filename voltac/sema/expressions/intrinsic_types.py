"""Result types of ``@llvm.name(...)`` calls, read off the name and the arguments (language 8.10)."""

from __future__ import annotations

from collections.abc import Sequence

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.checker import Checker
from voltac.sema.types import DOUBLE, FLOAT, FLOAT16, VARYING, VOID_QUAL, Qual, Scalar, joint_rate
from voltac.system.lazy_patterns import lazy_pattern

_VOID = ("prefetch", "assume", "trap", "memcpy", "memmove", "memset", "masked.store", "masked.scatter", "donothing")
_SUFFIX = lazy_pattern(r"\.(v\d+)?(f16|f32|f64|i1|i8|i16|i32|i64)$")
_TYPES: dict[str, Scalar] = {"f16": FLOAT16, "f32": FLOAT, "f64": DOUBLE}


def intrinsic_result(checker: Checker, name: str, arguments: Sequence[tree.Value], span: Span) -> Qual:
    """Overloaded intrinsics return the type of their first argument, reductions its element."""
    plain = name.removeprefix("@").removeprefix("llvm.")
    if plain.startswith(_VOID):
        return VOID_QUAL
    rate = joint_rate([one.type for one in arguments])
    if plain.startswith("vector.reduce."):
        return Qual(arguments[0].type.type) if arguments else VOID_QUAL
    if arguments:
        return Qual(arguments[0].type.type, rate)
    suffix = _SUFFIX.search(plain)
    if suffix is not None and suffix[2] in _TYPES:
        return Qual(_TYPES[suffix[2]], VARYING if suffix[1] else rate)
    if plain.startswith("readcyclecounter"):
        return Qual(Scalar("int", 64))
    checker.reject("call", span, f"the result type of intrinsic '{name}' is not known")
