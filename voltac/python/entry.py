"""Signatures of exported functions → LLVM text of the functions through which Python calls them.

For a kernel ``f`` there are two::

    voltac.raw.f(slots, failure)                arguments in slots of eight bytes, the result behind them
    voltac.call.f(kernel, arguments, n, names)  CPython's vectorcall: checks, releases the GIL, calls, boxes the result

``voltac.call.f`` takes the arguments it is sure of straight from the objects. In
all other cases it hands the call as it is to the Python object
``voltac.arguments.f`` (:mod:`voltac.python.arguments`), which knows every rule and
every message. No address is part of the code: Python's functions and objects are
symbols, bound when the object is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

import numpy as np

from voltac.diagnostics import InternalError
from voltac.python import interpreter_layout as layout
from voltac.python.signatures import Format, Memory, Parameter, Signature
from voltac.python.symbols import (
    ARRAY_TYPE,
    accepted_symbol,
    arguments_symbol,
    call_symbol,
    code_symbol,
    raw_symbol,
    shape_symbol,
)


@dataclass(frozen=True, slots=True)
class Convention:
    """How LLVM text passes the values of a function, as its ``define`` line has it."""

    result: str
    result_attributes: str
    parameters: tuple[tuple[str, str], ...]
    """(type, attributes of the convention)."""
    result_in_memory: bool = False
    """The address for the result, a struct, is the first, hidden argument."""


_ABI_ATTRIBUTES = re.compile(r"\b(?:signext|zeroext|inreg|noundef)\b")
_TRAILING_TYPE = re.compile(r"(\{.*\}|<[^<>]*>|\S+)\s*$")


def conventions(text: str) -> dict[str, Convention]:
    """The conventions of the functions a module's text defines."""
    found: dict[str, Convention] = {}
    for match in re.finditer(r'^define ([^@\n]*)@("[^"\n]*"|[\w.$-]+)\(', text, re.MULTILINE):
        end = closing(text, match.end())
        head = match[1]
        type_ = trailing_type(head)
        parameters = [_parameter_convention(part) for part in split(text[match.end() : end])]
        in_memory = " sret(" in text[match.end() : end].partition(",")[0]
        found[match[2].strip('"')] = Convention(
            type_,
            " ".join(_ABI_ATTRIBUTES.findall(head.strip().removesuffix(type_))),
            tuple(parameters[1:] if in_memory else parameters),
            in_memory,
        )
    return found


def trailing_type(head: str) -> str:
    """The type that stands last, behind attributes."""
    match = _TRAILING_TYPE.search(head)
    assert match is not None
    return match[1]


def closing(text: str, start: int) -> int:
    """Where the parenthesis ends that is open at ``start``."""
    depth = 1
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if not depth:
            return position
    raise InternalError("stage 'entry': the text of a function definition has no end")


def split(text: str) -> list[str]:
    """The parts between commas that are in no parentheses."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and not depth:
            parts.append(text[start:position])
            start = position + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def _parameter_convention(text: str) -> tuple[str, str]:
    type_match = re.match(r"(\{.*?\}|<[^<>]*>|\S+)", text)
    assert type_match is not None
    return type_match[1], " ".join(_ABI_ATTRIBUTES.findall(text[type_match.end() :]))


# --- the module ---------------------------------------------------------------------------------------------------

_DECLARATIONS = """\
declare ptr @PyEval_SaveThread() nonlazybind
declare void @PyEval_RestoreThread(ptr) nonlazybind
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr) nonlazybind
declare ptr @PyErr_Occurred() nonlazybind cold
declare void @PyErr_Clear() nonlazybind cold
declare i64 @PyLong_AsLongLong(ptr) nonlazybind
declare i64 @PyLong_AsUnsignedLongLong(ptr) nonlazybind
declare double @PyFloat_AsDouble(ptr) nonlazybind
declare i32 @PyFloat_Pack2(double, ptr, i32) nonlazybind
declare double @PyFloat_Unpack2(ptr, i32) nonlazybind
declare ptr @PyLong_FromLongLong(i64) nonlazybind
declare ptr @PyLong_FromUnsignedLongLong(i64) nonlazybind
declare ptr @PyFloat_FromDouble(double) nonlazybind
declare ptr @PyBool_FromLong(i64) nonlazybind
@PyFloat_Type = external global i8
@PyLong_Type = external global i8
@_Py_NoneStruct = external global i64
@_Py_TrueStruct = external global i8
@_Py_FalseStruct = external global i8
@"voltac.ndarray" = external global i8
@"voltac.plain" = external global [0 x ptr]
@"voltac.raised" = external global i64
@"voltac.raise" = external global i8

define internal i1 @voltac.is_plain(ptr %type) nounwind {
  br label %look
look:
  %at = phi ptr [ @"voltac.plain", %0 ], [ %following, %more ]
  %known = load ptr, ptr %at
  %same = icmp eq ptr %known, %type
  br i1 %same, label %done, label %more
more:
  %following = getelementptr ptr, ptr %at, i64 1
  %last = icmp eq ptr %known, null
  br i1 %last, label %done, label %look
done:
  ret i1 %same
}

define internal i1 @voltac.fits(ptr %array, ptr %shape, i32 %axes, i64 %row) nounwind {
  %count.at = getelementptr i8, ptr %array, i64 DIMENSION_COUNT
  %count = load i32, ptr %count.at
  %dimensions.at = getelementptr i8, ptr %array, i64 DIMENSIONS
  %dimensions = load ptr, ptr %dimensions.at
  %enough = icmp uge i32 %count, %axes
  br i1 %enough, label %compare, label %flat
compare:
  %before = sub i32 %count, %axes
  %before.wide = zext i32 %before to i64
  %ends = getelementptr i64, ptr %dimensions, i64 %before.wide
  %axes.wide = zext i32 %axes to i64
  br label %axis
axis:
  %number = phi i64 [ 0, %compare ], [ %following, %same ]
  %extent.at = getelementptr i64, ptr %ends, i64 %number
  %extent = load i64, ptr %extent.at
  %wanted.at = getelementptr i64, ptr %shape, i64 %number
  %wanted = load i64, ptr %wanted.at
  %equal = icmp eq i64 %extent, %wanted
  br i1 %equal, label %same, label %flat
same:
  %following = add i64 %number, 1
  %more = icmp ult i64 %following, %axes.wide
  br i1 %more, label %axis, label %yes
flat:
  %none = icmp eq i32 %count, 0
  %padded = icmp eq i64 %row, 0
  %neither = or i1 %none, %padded
  br i1 %neither, label %no, label %divide
divide:
  %last = sub i32 %count, 1
  %last.wide = zext i32 %last to i64
  %length.at = getelementptr i64, ptr %dimensions, i64 %last.wide
  %length = load i64, ptr %length.at
  %rest = urem i64 %length, %row
  %whole = icmp eq i64 %rest, 0
  br i1 %whole, label %yes, label %no
yes:
  ret i1 true
no:
  ret i1 false
}

define internal i64 @voltac.elements(ptr %array) nounwind {
  %count.at = getelementptr i8, ptr %array, i64 DIMENSION_COUNT
  %count32 = load i32, ptr %count.at
  %count = zext i32 %count32 to i64
  %dimensions.at = getelementptr i8, ptr %array, i64 DIMENSIONS
  %dimensions = load ptr, ptr %dimensions.at
  br label %test
test:
  %axis = phi i64 [ 0, %0 ], [ %following, %body ]
  %product = phi i64 [ 1, %0 ], [ %grown, %body ]
  %more = icmp ult i64 %axis, %count
  br i1 %more, label %body, label %done
body:
  %extent.at = getelementptr i64, ptr %dimensions, i64 %axis
  %extent = load i64, ptr %extent.at
  %grown = mul i64 %product, %extent
  %following = add i64 %axis, 1
  br label %test
done:
  ret i64 %product
}

!0 = !{!"branch_weights", i32 2000, i32 1}
"""


def entry_module(
    signatures: Iterable[Signature], known: dict[str, Convention], calls_back: bool, failing: Set[str] = frozenset()
) -> str:
    """The text of a module with the entries of all functions; it imports the functions themselves.

    ``calls_back``: they may call functions of Python (:mod:`voltac.python.callbacks`). ``failing`` are the names of those
    that can fail, for which the text of :mod:`voltac.python.failures` has to be added.
    """
    text = _DECLARATIONS
    for name in ("DIMENSION_COUNT", "DIMENSIONS"):
        text = re.sub(rf"\b{name}\b", str(getattr(layout, name)), text)
    return text + "".join(
        _entries(signature, known[signature.name], calls_back, signature.name in failing) for signature in signatures
    )


def _entries(signature: Signature, convention: Convention, calls_back: bool, can_fail: bool) -> str:
    parameters = [_result_address(signature)] if convention.result_in_memory else []
    declaration = ", ".join(parameters + [f"{type_} {abi}".strip() for type_, abi in convention.parameters])
    return (
        f'\ndeclare {convention.result_attributes} {convention.result} @"{signature.name}"({declaration}) nonlazybind\n'
        f'@"{arguments_symbol(signature.name)}" = external global i8\n'
        f'@"{accepted_symbol(signature.name)}" = global [{max(1, len(signature.parameters))} x ptr] zeroinitializer\n'
        + "".join(_shapes(signature))
        + _code_entry(signature, convention)
        + _raw_entry(signature, can_fail)
        + (_call_entry(signature, convention, calls_back, can_fail) if layout.direct_access() else "")
    )


def _shapes(signature: Signature) -> Iterator[str]:
    """The shapes of objects that are arrays of elements."""
    for position, parameter in enumerate(signature.parameters):
        if parameter.memory is not None and parameter.memory.shape:
            shape = parameter.memory.shape
            extents = ", ".join(f"i64 {extent}" for extent in shape)
            yield f'@"{shape_symbol(signature.name, position)}" = internal constant [{len(shape)} x i64] [{extents}]\n'


def _result_address(signature: Signature) -> str:
    """The hidden parameter for a struct that is returned in memory."""
    return f"ptr sret([{signature.result.bytes} x i8])"


def _call(signature: Signature, convention: Convention, values: list[str], memory: str) -> str:
    """The instruction that calls the kernel."""
    passed = [f"{_result_address(signature)} {memory}"] if convention.result_in_memory else []
    passed += [
        f"{type_} {abi} {value}".replace("  ", " ") for (type_, abi), value in zip(convention.parameters, values, strict=True)
    ]
    assigned = "" if convention.result == "void" else "%result = "
    return f'  {assigned}call {convention.result_attributes} {convention.result} @"{signature.name}"({", ".join(passed)})\n'


def _raw_entry(signature: Signature, can_fail: bool) -> str:
    """Python's side packs the arguments; it knows where the result is. Not zero: ``failure`` says what failed."""
    call = f'call void @"{code_symbol(signature.name)}"(ptr %slots)\n  ret i32 0'
    if can_fail:
        call = (
            f'%state = call i32 @voltac.guard.call(ptr @"{code_symbol(signature.name)}", ptr %slots, ptr %failure)\n'
            "  ret i32 %state"
        )
    return f'define i32 @"{raw_symbol(signature.name)}"(ptr %slots, ptr %failure) {{\n  {call}\n}}\n'


def _code_entry(signature: Signature, convention: Convention) -> str:
    """Calls the kernel with the arguments in the slots, and puts its result behind them."""
    lines = [f'define internal void @"{code_symbol(signature.name)}"(ptr %slots) {{\n']
    values = []
    for position, (type_, _) in enumerate(convention.parameters):
        lines.append(f"  %at{position} = getelementptr i64, ptr %slots, i64 {position}\n")
        stored = "i8" if type_ == "i1" else type_
        lines.append(f"  %v{position} = load {stored}, ptr %at{position}, align 8\n")
        if type_ == "i1":
            lines.append(f"  %b{position} = trunc i8 %v{position} to i1\n")
        values.append(f"%{'b' if type_ == 'i1' else 'v'}{position}")
    lines.append(f"  %result.at = getelementptr i64, ptr %slots, i64 {len(values)}\n")
    lines.append(_call(signature, convention, values, "%result.at"))
    if convention.result == "i1":
        lines.append("  %wide = zext i1 %result to i8\n  store i8 %wide, ptr %result.at, align 8\n")
    elif convention.result != "void":
        lines.append(f"  store {convention.result} %result, ptr %result.at, align 8\n")
    return "".join([*lines, "  ret void\n}\n"])


# --- the fast way in ----------------------------------------------------------------------------------------------


class _Writer:
    """Text of one function, a block after the other; every check falls through or goes to ``%slow``."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.blocks = 0

    def put(self, line: str) -> None:
        self.lines.append(f"  {line}\n")

    def block(self, label: str) -> None:
        self.lines.append(f"{label}:\n")

    def fresh(self) -> str:
        self.blocks += 1
        return f"next{self.blocks}"

    def require(self, condition: str) -> None:
        """Go on if the i1 is true."""
        label = self.fresh()
        self.put(f"br i1 {condition}, label %{label}, label %slow, !prof !0")
        self.block(label)

    def load(self, result: str, type_: str, base: str, offset: int) -> None:
        self.put(f"{result}.at = getelementptr i8, ptr {base}, i64 {offset}")
        self.put(f"{result} = load {type_}, ptr {result}.at")


def _call_entry(signature: Signature, convention: Convention, calls_back: bool, can_fail: bool) -> str:
    out = _Writer()
    count = len(signature.parameters)
    out.put(f"%given = and i64 %n, {(1 << 63) - 1}")
    out.put(f"%enough = icmp eq i64 %given, {count}")
    out.put("%unnamed = icmp eq ptr %names, null")
    out.put("%plain = and i1 %enough, %unnamed")
    out.require("%plain")
    numbered = list(enumerate(zip(signature.parameters, convention.parameters, strict=True)))
    for position, _ in numbered:
        out.load(f"%o{position}", "ptr", "%arguments", 8 * position)
    # Numbers first, as :mod:`voltac.python.arguments` has it.
    for position, (parameter, (type_, _)) in numbered:
        if parameter.kind != "pointer":
            _number(out, position, parameter, type_)
    for position, (parameter, _) in numbered:
        if parameter.memory is not None:
            _array(out, position, parameter.memory, signature.name)
    values = [f"%v{position}" for position in range(count)]
    if signature.result.kind == "struct":
        out.put("br label %slow")
    else:
        out.put("%state = call ptr @PyEval_SaveThread()")
        if can_fail:
            _guarded_call(out, signature, convention, values)
        else:
            out.lines.append(_call(signature, convention, values, "null"))
            out.put("call void @PyEval_RestoreThread(ptr %state)")
        if calls_back:
            _raise_exceptions(out)
        _box(out, signature.result.kind, signature.result.bits, convention.result)
    out.block("slow")
    out.put("call void @PyErr_Clear()")
    out.put(
        f'%handled = call ptr @PyObject_Vectorcall(ptr @"{arguments_symbol(signature.name)}", '
        "ptr %arguments, i64 %n, ptr %names)"
    )
    out.put("ret ptr %handled")
    head = f'define ptr @"{call_symbol(signature.name)}"(ptr %kernel, ptr %arguments, i64 %n, ptr %names) {{\nentry:\n'
    # What converting a half-precision number needs; allocas have to stand first.
    space = "  %half = alloca i16\n"
    if can_fail:
        space += f"  %slots = alloca [{count + 2} x i64]\n  %failure = alloca [3 x i64]\n"
    return head + space + "".join(out.lines) + "}\n"


def _raise_exceptions(out: _Writer) -> None:
    """End the call with the exception of a function of Python that the kernel has called."""
    out.load("%raised", "i64", '@"voltac.raised"', 0)
    out.put("%quiet = icmp eq i64 %raised, 0")
    out.put("br i1 %quiet, label %finished, label %raise, !prof !0")
    out.block("raise")
    out.put('%nothing = call ptr @PyObject_Vectorcall(ptr @"voltac.raise", ptr null, i64 0, ptr null)')
    out.put("%other = icmp ne ptr %nothing, null")
    out.put("br i1 %other, label %finished, label %failed")
    out.block("failed")
    out.put("ret ptr null")
    out.block("finished")


def _guarded_call(out: _Writer, signature: Signature, convention: Convention, values: list[str]) -> None:
    """``%result`` becomes the result, or an exception is raised."""
    for position, ((type_, _), value) in enumerate(zip(convention.parameters, values, strict=True)):
        out.put(f"%slot{position} = getelementptr i64, ptr %slots, i64 {position}")
        if type_ == "i1":
            out.put(f"%stored{position} = zext i1 {value} to i8")
            type_, value = "i8", f"%stored{position}"
        out.put(f"store {type_} {value}, ptr %slot{position}, align 8")
    out.put(f'%ended = call i32 @"{raw_symbol(signature.name)}"(ptr %slots, ptr %failure)')
    out.put("call void @PyEval_RestoreThread(ptr %state)")
    out.put("%whole = icmp eq i32 %ended, 0")
    out.put("br i1 %whole, label %returned, label %left, !prof !0")
    out.block("left")
    out.put("%exception = call ptr @voltac.guard.raise(ptr %failure)")
    out.put("ret ptr %exception")
    out.block("returned")
    if convention.result != "void":
        stored = "i8" if convention.result == "i1" else convention.result
        out.put(f"%result.at = getelementptr i64, ptr %slots, i64 {len(values)}")
        out.put(f"%{'result.stored' if stored != convention.result else 'result'} = load {stored}, ptr %result.at, align 8")
        if stored != convention.result:
            out.put("%result = trunc i8 %result.stored to i1")


def _number(out: _Writer, position: int, parameter: Parameter, type_: str) -> None:
    """``%v<position>`` becomes the argument in the type of the convention."""
    match parameter.kind:
        case "float":
            _float(out, position, parameter.bits, type_)
        case "int" | "uint":
            _integer(out, position, parameter, type_)
        case "bool":
            out.put(f"%true{position} = icmp eq ptr %o{position}, @_Py_TrueStruct")
            out.put(f"%false{position} = icmp eq ptr %o{position}, @_Py_FalseStruct")
            out.put(f"%bool{position} = or i1 %true{position}, %false{position}")
            out.require(f"%bool{position}")
            out.put(f"%v{position} = select i1 %true{position}, {type_} 1, {type_} 0")
        case _:
            out.require("false")
            out.put(f"%v{position} = freeze {type_} poison")


def _float(out: _Writer, position: int, bits: int, type_: str) -> None:
    here, exact, other, done = f"%o{position}", f"exact{position}", f"other{position}", f"float{position}"
    out.load(f"%t{position}", "ptr", here, layout.TYPE)
    out.put(f"%is{position} = icmp eq ptr %t{position}, @PyFloat_Type")
    out.put(f"br i1 %is{position}, label %{exact}, label %{other}, !prof !0")
    out.block(other)
    _require_plain(out, position)
    out.put(f"%converted{position} = call double @PyFloat_AsDouble(ptr {here})")
    out.put(f"%maybe{position} = fcmp une double %converted{position}, -1.0")
    label, check = out.fresh(), f"error{position}"
    out.put(f"br i1 %maybe{position}, label %{label}, label %{check}, !prof !0")
    out.block(check)
    _require_no_error(out, f"{position}")
    out.put(f"br label %{label}")
    out.block(label)
    out.put(f"br label %{done}")
    out.block(exact)
    out.load(f"%value{position}", "double", here, layout.FLOAT_VALUE)
    out.put(f"br label %{done}")
    out.block(done)
    double = f"%v{position}" if bits == 64 else f"%double{position}"
    out.put(f"{double} = phi double [ %value{position}, %{exact} ], [ %converted{position}, %{label} ]")
    if bits == 32:
        out.put(f"%v{position} = fptrunc double {double} to float")
    elif bits == 16:
        out.put(f"%packed{position} = call i32 @PyFloat_Pack2(double {double}, ptr %half, i32 1)")
        out.put(f"%fits{position} = icmp eq i32 %packed{position}, 0")
        out.require(f"%fits{position}")
        out.put(f"%v{position} = load {type_}, ptr %half")


def _integer(out: _Writer, position: int, parameter: Parameter, type_: str) -> None:
    here, value, bits = f"%o{position}", f"%whole{position}", parameter.bits
    signed = parameter.kind == "int"
    exact, other = f"exact{position}", f"other{position}"
    out.load(f"%t{position}", "ptr", here, layout.TYPE)
    out.put(f"%is{position} = icmp eq ptr %t{position}, @PyLong_Type")
    out.put(f"br i1 %is{position}, label %{exact}, label %{other}, !prof !0")
    out.block(other)
    _require_plain(out, position)
    out.put(f"br label %{exact}")
    out.block(exact)
    if bits == 64:
        convert = "PyLong_AsLongLong" if signed else "PyLong_AsUnsignedLongLong"
        out.put(f"%v{position} = call i64 @{convert}(ptr {here})")
        _require_value(out, position, f"%v{position}")
        return
    out.put(f"{value} = call i64 @PyLong_AsLongLong(ptr {here})")
    if signed:
        _require_value(out, position, value)
        out.put(f"%v{position} = trunc i64 {value} to {type_}")
        out.put(f"%back{position} = sext {type_} %v{position} to i64")
        out.put(f"%fits{position} = icmp eq i64 %back{position}, {value}")
    else:
        # The -1 of a failed conversion is out of range as well.
        out.put(f"%v{position} = trunc i64 {value} to {type_}")
        out.put(f"%fits{position} = icmp ult i64 {value}, {1 << bits}")
    out.require(f"%fits{position}")


def _require_plain(out: _Writer, position: int) -> None:
    """Go on if the argument's type is one whose conversion runs nobody's code; else only the long way keeps the order."""
    out.put(f"%plain{position} = call i1 @voltac.is_plain(ptr %t{position})")
    out.require(f"%plain{position}")


def _require_value(out: _Writer, position: int, value: str) -> None:
    """Minus one may be a value or the sign of an error."""
    label, check = out.fresh(), f"error{position}"
    out.put(f"%maybe{position} = icmp ne i64 {value}, -1")
    out.put(f"br i1 %maybe{position}, label %{label}, label %{check}, !prof !0")
    out.block(check)
    _require_no_error(out, f"{position}")
    out.put(f"br label %{label}")
    out.block(label)


def _require_no_error(out: _Writer, suffix: str) -> None:
    out.put(f"%raised{suffix} = call ptr @PyErr_Occurred()")
    out.put(f"%fine{suffix} = icmp eq ptr %raised{suffix}, null")
    out.require(f"%fine{suffix}")


def _array(out: _Writer, position: int, memory: Memory, kernel: str) -> None:
    """``%v<position>`` becomes the address of an array that is all that ``memory`` asks for."""
    here = f"%o{position}"
    out.load(f"%t{position}", "ptr", here, layout.TYPE)
    out.put(f'%is{position} = icmp eq ptr %t{position}, @"{ARRAY_TYPE}"')
    out.require(f"%is{position}")
    needed = layout.C_CONTIGUOUS | layout.ALIGNED | (layout.WRITEABLE if memory.writable else 0)
    out.load(f"%flags{position}", "i32", here, layout.FLAGS)
    out.put(f"%has{position} = and i32 %flags{position}, {needed}")
    out.put(f"%allowed{position} = icmp eq i32 %has{position}, {needed}")
    out.require(f"%allowed{position}")
    out.load(f"%d{position}", "ptr", here, layout.DESCRIPTOR)
    checked = f"typed{position}"
    if isinstance(memory.format, str):
        unusual = f"unusual{position}"
        out.load(f"%word{position}", "i64", f"%d{position}", layout.DESCRIPTOR_KIND)
        out.put(f"%type{position} = and i64 %word{position}, {layout.DESCRIPTOR_MASK}")
        out.put(f"%known{position} = icmp eq i64 %type{position}, {layout.descriptor_word(np.dtype(memory.format))}")
        out.put(f"br i1 %known{position}, label %{checked}, label %{unusual}, !prof !0")
        out.block(unusual)
    out.put(f'%accepted{position}.at = getelementptr ptr, ptr @"{accepted_symbol(kernel)}", i64 {position}')
    out.put(f"%accepted{position} = load ptr, ptr %accepted{position}.at")
    out.put(f"%same{position} = icmp eq ptr %accepted{position}, %d{position}")
    out.put(f"br i1 %same{position}, label %{checked}, label %slow")
    out.block(checked)
    out.load(f"%v{position}", "ptr", here, layout.DATA)
    if memory.alignment > _guaranteed_alignment(memory.format):
        out.put(f"%address{position} = ptrtoint ptr %v{position} to i64")
        out.put(f"%low{position} = and i64 %address{position}, {memory.alignment - 1}")
        out.put(f"%aligned{position} = icmp eq i64 %low{position}, 0")
        out.require(f"%aligned{position}")
    if memory.shape:
        shape = f'ptr @"{shape_symbol(kernel, position)}", i32 {len(memory.shape)}'
        row = 0 if memory.unused else memory.count
        out.put(f"%fits{position} = call i1 @voltac.fits(ptr {here}, {shape}, i64 {row})")
        out.require(f"%fits{position}")
    if (memory.count > 1 and not memory.shape) or memory.at_least_one:
        out.put(f"%size{position} = call i64 @voltac.elements(ptr {here})")
        out.put(f"%rest{position} = urem i64 %size{position}, {memory.count}")
        out.put(f"%whole{position} = icmp eq i64 %rest{position}, 0")
        out.require(f"%whole{position}")
        if memory.at_least_one:
            out.put(f"%some{position} = icmp ne i64 %size{position}, 0")
            out.require(f"%some{position}")


def _guaranteed_alignment(format_: Format | None) -> int:
    """What numpy's flag ALIGNED says of an array of this dtype."""
    return np.dtype(format_).alignment if isinstance(format_, str) else 1


def _box(out: _Writer, kind: str, bits: int, type_: str) -> None:
    """Return the result as a Python object."""
    match kind:
        case "void":
            if layout.COUNT_IN_NONE:
                out.put("%references = load i64, ptr @_Py_NoneStruct")
                out.put("%more = add i64 %references, 1")
                out.put("store i64 %more, ptr @_Py_NoneStruct")
            out.put("ret ptr @_Py_NoneStruct")
            return
        case "float" if bits == 16:
            out.put(f"store {type_} %result, ptr %half")
            out.put("%wide = call double @PyFloat_Unpack2(ptr %half, i32 1)")
            out.put("%boxed = call ptr @PyFloat_FromDouble(double %wide)")
        case "float" if bits == 32:
            out.put("%wide = fpext float %result to double")
            out.put("%boxed = call ptr @PyFloat_FromDouble(double %wide)")
        case "float":
            out.put("%boxed = call ptr @PyFloat_FromDouble(double %result)")
        case "pointer" | "function":
            out.put("%wide = ptrtoint ptr %result to i64")
            out.put("%boxed = call ptr @PyLong_FromUnsignedLongLong(i64 %wide)")
        case _:
            if type_ != "i64":
                out.put(f"%wide = {'s' if kind == 'int' else 'z'}ext {type_} %result to i64")
            make = {"bool": "PyBool_FromLong", "int": "PyLong_FromLongLong", "uint": "PyLong_FromUnsignedLongLong"}[kind]
            out.put(f"%boxed = call ptr @{make}(i64 {'%result' if type_ == 'i64' else '%wide'})")
    out.put("ret ptr %boxed")
