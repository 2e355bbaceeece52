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

from voltac.python import interpreter_layout as layout
from voltac.python.conventions import Convention
from voltac.python.entry_arrays import space_for_arrays, write_arrays
from voltac.python.entry_lengths import check_lengths, fill_in
from voltac.python.entry_names import BINDING, bind
from voltac.python.entry_overlaps import check_overlaps
from voltac.python.entry_values import EntryWriter, array, box, number
from voltac.python.failures import FAILURE_WORDS
from voltac.python.signatures import Signature
from voltac.python.symbols import (
    accepted_symbol,
    arguments_symbol,
    call_symbol,
    code_symbol,
    names_symbol,
    raw_symbol,
    shape_symbol,
)

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
    signatures: Iterable[Signature],
    known: dict[str, Convention],
    calls_back: bool,
    failing: Set[str] = frozenset(),
    checked: bool = False,
) -> str:
    """The text of a module with the entries of all functions; it imports the functions themselves.

    ``calls_back``: they may call functions of Python (:mod:`voltac.python.callbacks`). ``failing`` are the names of those
    that can fail, for which the text of :mod:`voltac.python.failures` has to be added; ``checked``: they ask for their arrays.
    """
    text = _DECLARATIONS + BINDING
    for name in ("DIMENSION_COUNT", "DIMENSIONS"):
        text = re.sub(rf"\b{name}\b", str(getattr(layout, name)), text)
    return text + "".join(
        _entries(signature, known[signature.name], calls_back, signature.name in failing, checked) for signature in signatures
    )


def raw_module(signatures: Iterable[Signature], known: dict[str, Convention], failing: Set[str] = frozenset()) -> str:
    """The text of a module with ``voltac.raw.f`` of each function: it knows nothing of Python."""
    text = "declare i32 @voltac.guard.call(ptr, ptr, ptr)\n" if failing else ""
    for signature in signatures:
        convention = known[signature.name]
        text += _declaration(signature, convention) + _code_entry(signature, convention)
        text += _raw_entry(signature, signature.name in failing)
    return text


def _declaration(signature: Signature, convention: Convention) -> str:
    parameters = [_result_address(signature)] if convention.result_in_memory else []
    given = ", ".join(parameters + [f"{type_} {abi}".strip() for type_, abi in convention.parameters])
    return f'\ndeclare {convention.result_attributes} {convention.result} @"{signature.name}"({given}) nonlazybind\n'


def _entries(signature: Signature, convention: Convention, calls_back: bool, can_fail: bool, checked: bool) -> str:
    return (
        _declaration(signature, convention) + f'@"{arguments_symbol(signature.name)}" = external global i8\n'
        f'@"{accepted_symbol(signature.name)}" = global [{max(1, len(signature.parameters))} x ptr] zeroinitializer\n'
        f'@"{names_symbol(signature.name)}" = global [{max(1, len(signature.parameters))} x [2 x ptr]] zeroinitializer\n'
        + "".join(_shapes(signature))
        + _code_entry(signature, convention)
        + _raw_entry(signature, can_fail)
        + (_call_entry(signature, convention, calls_back, can_fail, checked) if layout.direct_access() else "")
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


def _call_entry(signature: Signature, convention: Convention, calls_back: bool, can_fail: bool, checked: bool) -> str:
    out = EntryWriter()
    count = len(signature.parameters)
    bind(out, signature)
    numbered = list(enumerate(zip(signature.parameters, convention.parameters, strict=True)))
    for position, _ in numbered:
        out.load(f"%o{position}", "ptr", "%given.arguments", 8 * position)
    # Numbers first, as :mod:`voltac.python.arguments` has it.
    for position, (parameter, (type_, _)) in numbered:
        if parameter.kind != "pointer":
            number(out, position, parameter, type_)
    for position, (parameter, _) in numbered:
        if parameter.memory is not None:
            array(out, position, parameter.memory, signature.name)
    values = fill_in(out, signature, convention)
    check_lengths(out, signature, convention, values)
    check_overlaps(out, signature)
    if checked:
        write_arrays(out, signature)
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
        box(out, signature.result.kind, signature.result.bits, convention.result)
    out.block("slow")
    out.put("call void @PyErr_Clear()")
    out.put(
        f'%handled = call ptr @PyObject_Vectorcall(ptr @"{arguments_symbol(signature.name)}", '
        "ptr %arguments, i64 %n, ptr %names)"
    )
    out.put("ret ptr %handled")
    head = f'define ptr @"{call_symbol(signature.name)}"(ptr %kernel, ptr %arguments, i64 %n, ptr %names) {{\nentry:\n'
    # What converting a half-precision number needs; allocas have to stand first.
    space = f"  %half = alloca i16\n  %bound = alloca [{max(1, count)} x ptr]\n"
    if can_fail:
        space += f"  %slots = alloca [{count + 2} x i64]\n  %failure = alloca [{FAILURE_WORDS} x i64]\n"
    if checked:
        space += space_for_arrays(signature)
    return head + space + "".join(out.lines) + "}\n"


def _raise_exceptions(out: EntryWriter) -> None:
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


def _guarded_call(out: EntryWriter, signature: Signature, convention: Convention, values: list[str]) -> None:
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
