"""Objects of Python → the values that a kernel's convention asks for, and its result → an object, as LLVM text.

What is not as expected goes to the block ``slow``, which leaves the call to :mod:`voltac.python.arguments`.
"""

from __future__ import annotations

import numpy as np

from voltac.python import interpreter_layout as layout
from voltac.python.signatures import Format, KernelParameter, Pointee
from voltac.python.symbols import ARRAY_TYPE, accepted_symbol, shape_symbol


class EntryWriter:
    """Text of one function, a block after the other; every check falls through or goes to ``%slow``."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.blocks = 0
        self._counted: set[int] = set()
        """Positions of arrays whose elements are counted; that stays good, as every block so far leads to the next."""

    def put(self, line: str) -> None:
        """An instruction."""
        self.lines.append(f"  {line}\n")

    def block(self, label: str) -> None:
        """From here on the block of this label is written."""
        self.lines.append(f"{label}:\n")

    def fresh(self) -> str:
        """A label that this function does not have yet."""
        self.blocks += 1
        return f"next{self.blocks}"

    def require(self, condition: str) -> None:
        """Go on if the i1 is true."""
        label = self.fresh()
        self.put(f"br i1 {condition}, label %{label}, label %slow, !prof !0")
        self.block(label)

    def element_count(self, position: int) -> str:
        """The number of the elements of the array ``%o<position>``, as an i64."""
        if position not in self._counted:
            self._counted.add(position)
            # Straight for arrays of one dimension: a call takes as long as the rest of the test.
            here, row, table, done = f"%o{position}", f"row{position}", f"table{position}", f"counted{position}"
            self.load(f"%axes{position}", "i32", here, layout.DIMENSION_COUNT)
            self.put(f"%is.row{position} = icmp eq i32 %axes{position}, 1")
            self.put(f"br i1 %is.row{position}, label %{row}, label %{table}")
            self.block(row)
            self.load(f"%extents{position}", "ptr", here, layout.DIMENSIONS)
            self.put(f"%length.of.row{position} = load i64, ptr %extents{position}")
            self.put(f"br label %{done}")
            self.block(table)
            self.put(f"%product{position} = call i64 @voltac.elements(ptr {here})")
            self.put(f"br label %{done}")
            self.block(done)
            lengths = f"[ %length.of.row{position}, %{row} ], [ %product{position}, %{table} ]"
            self.put(f"%elements{position} = phi i64 {lengths}")
        return f"%elements{position}"

    def load(self, result: str, type_: str, base: str, offset: int) -> None:
        """``result`` is what lies ``offset`` bytes behind ``base``; its address is ``result.at``."""
        self.put(f"{result}.at = getelementptr i8, ptr {base}, i64 {offset}")
        self.put(f"{result} = load {type_}, ptr {result}.at")


def number(out: EntryWriter, position: int, parameter: KernelParameter, type_: str) -> None:
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


def _float(out: EntryWriter, position: int, bits: int, type_: str) -> None:
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


def _integer(out: EntryWriter, position: int, parameter: KernelParameter, type_: str) -> None:
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
        if parameter.range_bits < bits:
            least = 1 << 31 if signed else 0
            out.put(f"%shifted{position} = add i64 %v{position}, {least}")
            out.put(f"%fits{position} = icmp ult i64 %shifted{position}, {least + (1 << 31)}")
            out.require(f"%fits{position}")
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
        out.put(f"%fits{position} = icmp ult i64 {value}, {1 << parameter.range_bits}")
    out.require(f"%fits{position}")


def _require_plain(out: EntryWriter, position: int) -> None:
    """Go on if the argument's type is one whose conversion runs nobody's code; else only the long way keeps the order."""
    out.put(f"%plain{position} = call i1 @voltac.is_plain(ptr %t{position})")
    out.require(f"%plain{position}")


def _require_value(out: EntryWriter, position: int, value: str) -> None:
    """Minus one may be a value or the sign of an error."""
    label, check = out.fresh(), f"error{position}"
    out.put(f"%maybe{position} = icmp ne i64 {value}, -1")
    out.put(f"br i1 %maybe{position}, label %{label}, label %{check}, !prof !0")
    out.block(check)
    _require_no_error(out, f"{position}")
    out.put(f"br label %{label}")
    out.block(label)


def _require_no_error(out: EntryWriter, suffix: str) -> None:
    out.put(f"%raised{suffix} = call ptr @PyErr_Occurred()")
    out.put(f"%fine{suffix} = icmp eq ptr %raised{suffix}, null")
    out.require(f"%fine{suffix}")


def array(out: EntryWriter, position: int, memory: Pointee, kernel: str) -> None:
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
        elements = out.element_count(position)
        out.put(f"%rest{position} = urem i64 {elements}, {memory.count}")
        out.put(f"%whole{position} = icmp eq i64 %rest{position}, 0")
        out.require(f"%whole{position}")
        if memory.at_least_one:
            out.put(f"%some{position} = icmp ne i64 {elements}, 0")
            out.require(f"%some{position}")


def _guaranteed_alignment(format_: Format | None) -> int:
    """What numpy's flag ALIGNED says of an array of this dtype."""
    return np.dtype(format_).alignment if isinstance(format_, str) else 1


def box(out: EntryWriter, kind: str, bits: int, type_: str) -> None:
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
