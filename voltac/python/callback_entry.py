"""C functions a program calls → LLVM text of the functions that stand between it and those that are Python's.

``voltac.guarded.f`` has the type of the C function ``f``. It lets Python's signal
handlers run before it calls the function at ``voltac.given.f``, which is one of
ctypes: they would run at its beginning otherwise, where nobody catches what they
raise, such as the KeyboardInterrupt of a Ctrl-C that was pressed while the kernel computed.
"""

from __future__ import annotations

import re
from itertools import chain

from voltac.python.callbacks import PRINT_FUNCTION
from voltac.python.conventions import heads, trailing_type
from voltac.python.symbols import NOTE, given_symbol, guarded_symbol
from voltac.sema import tree
from voltac.sema.tree_walk import nodes, nodes_of

_SIGNALS = """\
declare i32 @PyGILState_Ensure() nonlazybind
declare void @PyGILState_Release(i32) nonlazybind
declare i32 @PyErr_CheckSignals() nonlazybind
declare void @PyErr_Fetch(ptr, ptr, ptr) nonlazybind cold
declare void @PyErr_NormalizeException(ptr, ptr, ptr) nonlazybind cold
declare i32 @PyException_SetTraceback(ptr, ptr) nonlazybind cold
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr) nonlazybind
declare void @PyErr_Clear() nonlazybind cold
declare void @Py_DecRef(ptr) nonlazybind cold
@"NOTE" = external global i8

define internal void @voltac.signals() {
  %state = call i32 @PyErr_CheckSignals()
  %fine = icmp eq i32 %state, 0
  br i1 %fine, label %done, label %raised
raised:
  %type.at = alloca ptr
  %value.at = alloca ptr
  %trace.at = alloca ptr
  call void @PyErr_Fetch(ptr %type.at, ptr %value.at, ptr %trace.at)
  call void @PyErr_NormalizeException(ptr %type.at, ptr %value.at, ptr %trace.at)
  %type = load ptr, ptr %type.at
  %value = load ptr, ptr %value.at
  %trace = load ptr, ptr %trace.at
  %traced = icmp ne ptr %trace, null
  br i1 %traced, label %attach, label %note
attach:
  %attached = call i32 @PyException_SetTraceback(ptr %value, ptr %trace)
  br label %note
note:
  %noted = call ptr @PyObject_Vectorcall(ptr @"NOTE", ptr %value.at, i64 1, ptr null)
  call void @PyErr_Clear()
  call void @Py_DecRef(ptr %noted)
  call void @Py_DecRef(ptr %type)
  call void @Py_DecRef(ptr %value)
  call void @Py_DecRef(ptr %trace)
  br label %done
done:
  ret void
}
"""


def guard_module(text: str, program: tree.Program) -> tuple[str, tuple[str, ...]]:
    """The text of a module with the guards of the C functions that a program's final text calls, and their names."""
    found = [head for head in heads(text, "declare") if not head[0].startswith("llvm.")]
    if any(name != PRINT_FUNCTION for name, _, _ in found):
        wanted = {function.name for function in c_functions(program)} | {PRINT_FUNCTION}
        found = [head for head in found if head[0] in wanted]
    if not found:
        return "", ()
    types = re.findall(r"^%\S+ = type .*\n", text, re.MULTILINE)
    guards = [_guard(*head) for head in found]
    return "".join([*types, _SIGNALS.replace("NOTE", NOTE), *guards]), tuple(name for name, _, _ in found)


def c_functions(program: tree.Program) -> set[tree.FunctionSymbol]:
    """The C functions that the program itself declares and uses."""
    bodies = (nodes_of(function) for function in program.functions if not function.library)
    initials = nodes(tuple(symbol.initial for symbol in program.globals))
    called = {node.function for node in chain(*bodies, initials) if isinstance(node, (tree.Call, tree.FunctionAddress))}
    return {function for function in called if function.c_linkage and function.body is None}


def _guard(name: str, result: str, parameters: list[str]) -> str:
    values = ", ".join(f"{parameter} %p{position}" for position, parameter in enumerate(parameters))
    type_ = trailing_type(result)
    call = f"call {result} %function({values})"
    return f"""
@"{given_symbol(name)}" = global ptr null
define {result} @"{guarded_symbol(name)}"({values}) {{
  %gil = call i32 @PyGILState_Ensure()
  call void @voltac.signals()
  %function = load ptr, ptr @"{given_symbol(name)}"
  {call if type_ == "void" else f"%result = {call}"}
  call void @PyGILState_Release(i32 %gil)
  ret {type_ if type_ == "void" else f"{type_} %result"}
}}
"""
