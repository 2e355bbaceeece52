"""Types of ``@llvm.name(...)`` calls, read off the name and the arguments (language 8.10)."""

from __future__ import annotations

from collections.abc import Sequence

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.checker import Checker
from voltac.sema.conversions import convert
from voltac.sema.types import BOOL, DOUBLE, FLOAT, FLOAT16, INT32, VARYING, VOID_QUAL, Qual, Rate, Scalar, joint_rate
from voltac.system.lazy_patterns import lazy_pattern

_VOID = ("prefetch", "assume", "trap", "memcpy", "memmove", "memset", "masked.store", "masked.scatter", "donothing")
_SUFFIX = lazy_pattern(r"\.(v\d+)?(f16|f32|f64|i1|i8|i16|i32|i64)$")
_FAMILY = lazy_pattern(r"(?:\.(?:v\d+)?(?:f16|f32|f64|i8|i16|i32|i64))+$")
_INTEGER = lazy_pattern(r"\.(?:v\d+)?i(8|16|32|64)\.")
_TYPES: dict[str, Scalar] = {"f16": FLOAT16, "f32": FLOAT, "f64": DOUBLE}
_TYPES |= {f"i{bits}": Scalar("int", bits) for bits in (8, 16, 32, 64)}

_FLOATS, _NUMBER, _CONSTANT = "f", "n", "c"
_FORMS: dict[tuple[str, str], str] = {
    ("f", _FLOATS): """fabs sqrt floor ceil trunc rint nearbyint round roundeven canonicalize exp exp2 exp10 log log2 log10
        sin cos tan asin acos atan sinh cosh tanh""",
    ("ff", _FLOATS): "copysign minnum maxnum minimum maximum pow atan2",
    ("fff", _FLOATS): "fma fmuladd",
    ("fn", _FLOATS): "powi",
    ("i", "i"): "ctpop bswap bitreverse",
    ("ic", "i"): "ctlz cttz abs",
    ("ii", "i"): "smin smax umin umax sadd.sat uadd.sat ssub.sat usub.sat sshl.sat ushl.sat",
    ("iii", "i"): "fshl fshr",
    ("f", _FLOATS + "i"): "fptosi.sat fptoui.sat lrint llrint lround llround",
}
_PARAMETERS = {name: (parameters, kind) for (parameters, kind), names in _FORMS.items() for name in names.split()}
"""Of the intrinsics that work element by element: a letter for each parameter (one of the common type, a number, a constant
condition), and what the common type is; "fi" of those whose name says which integer they give."""


def checked_arguments(checker: Checker, name: str, arguments: tuple[tree.Value, ...], span: Span) -> tuple[tree.Value, ...]:
    """What is not known to work element by element is passed as it is; other numbers have a type in common.

    That is the type of the first argument, varying if any is; what the name says, if that is no number of the intrinsic's kind.
    """
    plain = _plain(name)
    row = _PARAMETERS.get(_FAMILY.sub("", plain))
    if row is None or not all(isinstance(one.type.type, Scalar) for one in arguments):
        return arguments
    parameters, kind = row
    if len(arguments) != len(parameters) and (len(arguments), parameters) != (1, "ic"):
        noun = "argument" if len(parameters) == 1 else "arguments"
        checker.reject("call", span, f"intrinsic '{name}' takes {len(parameters)} {noun}, {len(arguments)} are given")
    common = Qual(_common_type(checker, name, arguments[0].type.type, kind, span), _joint(arguments))
    converted = []
    for number, (argument, parameter) in enumerate(zip(arguments, parameters), 1):
        target = {_NUMBER: Qual(INT32), _CONSTANT: Qual(BOOL)}.get(parameter, common)
        place = f"argument {number} of '{name}'"
        value = convert(checker, argument, target, place)
        if parameter == _CONSTANT and not isinstance(value, tree.Constant):
            checker.reject("call", argument.span, f"{place} has to be true or false, not a value that is computed")
        converted.append(value)
    return tuple(converted)


def _common_type(checker: Checker, name: str, first: object, kind: str, span: Span) -> Scalar:
    assert isinstance(first, Scalar)
    wanted = ("int", "uint") if kind == "i" else ("float",)
    if first.kind in wanted:
        return first
    suffix = _SUFFIX.search(name)
    if suffix is not None and suffix[2] in _TYPES and _TYPES[suffix[2]].kind in wanted:
        return _TYPES[suffix[2]]
    numbers = "integers" if kind == "i" else "floating-point numbers"
    checker.reject("call", span, f"intrinsic '{name}' is for {numbers}, its first argument is '{first}'")


def _integer_result(checker: Checker, name: str, span: Span) -> Scalar:
    """``llvm.fptoui.sat.v8i32.v8f32`` gives an unsigned int32."""
    words = _INTEGER.search(name)
    if words is None:
        checker.reject(
            "call", span, f"the name of intrinsic '{name}' has to say which integer it gives: '.i32' and what it is given"
        )
    return Scalar("uint" if "fptoui" in name else "int", int(words[1]))


def _joint(arguments: Sequence[tree.Value]) -> Rate:
    return joint_rate([one.type for one in arguments])


def _plain(name: str) -> str:
    return name.removeprefix("@").removeprefix("llvm.")


def intrinsic_result(checker: Checker, name: str, arguments: Sequence[tree.Value], span: Span) -> Qual:
    """Overloaded intrinsics return the type of their first argument, reductions its element."""
    plain = _plain(name)
    if plain.startswith(_VOID):
        return VOID_QUAL
    rate = _joint(arguments)
    if plain.startswith("vector.reduce."):
        return Qual(arguments[0].type.type) if arguments else VOID_QUAL
    row = _PARAMETERS.get(_FAMILY.sub("", plain))
    if row is not None and row[1] == _FLOATS + "i":
        return Qual(_integer_result(checker, name, span), rate)
    if arguments:
        return Qual(arguments[0].type.type, rate)
    suffix = _SUFFIX.search(plain)
    if suffix is not None and suffix[2] in _TYPES:
        return Qual(_TYPES[suffix[2]], VARYING if suffix[1] else rate)
    if plain.startswith("readcyclecounter"):
        return Qual(Scalar("int", 64))
    checker.reject("call", span, f"the result type of intrinsic '{name}' is not known")
