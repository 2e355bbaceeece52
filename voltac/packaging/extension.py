"""Sources, each compiled for every target → an extension module of Python in one file, of the stable ABI (abi3).

It has the library and the loader of :mod:`voltac.packaging.package` in itself: importing it runs the loader in a namespace of
its own, which finds the code in the very file, and puts the kernels into the module.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

from voltac.packaging.library import BuiltSource
from voltac.packaging.package import described, kernels_library, loader_text
from voltac.pipeline import InputError

SUFFIX = ".abi3.so"

API = frozenset({
    "PyDict_GetItemString", "PyDict_New", "PyDict_SetItemString", "PyDict_Update", "PyEval_EvalCode", "PyEval_GetBuiltins",
    "PyModuleDef_Init", "PyModule_GetDict", "PyUnicode_FromStringAndSize", "Py_CompileString", "Py_DecRef",
})  # fmt: skip
"""What the module uses of Python: of its stable ABI, all of them."""

_TEXT = """\
%definition = type { i64, ptr, ptr, i64, ptr, ptr, ptr, i64, ptr, ptr, ptr, ptr, ptr }
@voltac.name = internal constant [SIZE_OF_NAME x i8] c"NAME_TEXT"
@voltac.loader = internal constant [SIZE_OF_LOADER x i8] c"LOADER_TEXT"
@voltac.described = internal constant [SIZE_OF_DESCRIBED x i8] c"DESCRIBED_TEXT"
@voltac.file = internal constant [9 x i8] c"__file__\\00"
@voltac.title = internal constant [9 x i8] c"__name__\\00"
@voltac.builtins = internal constant [13 x i8] c"__builtins__\\00"
@voltac.constant = internal constant [11 x i8] c"_DESCRIBED\\00"
@voltac.kernels = internal constant [8 x i8] c"KERNELS\\00"
@voltac.slots = internal global [2 x { i32, ptr }] [{ i32, ptr } { i32 2, ptr @voltac.execute }, { i32, ptr } zeroinitializer]
@voltac.definition = internal global %definition { i64 1, ptr null, ptr null, i64 0, ptr null,
  ptr @voltac.name, ptr null, i64 0, ptr null, ptr @voltac.slots, ptr null, ptr null, ptr null }
declare ptr @PyModuleDef_Init(ptr)
declare ptr @PyModule_GetDict(ptr)
declare ptr @PyDict_New()
declare ptr @PyDict_GetItemString(ptr, ptr)
declare i32 @PyDict_SetItemString(ptr, ptr, ptr)
declare i32 @PyDict_Update(ptr, ptr)
declare ptr @PyEval_EvalCode(ptr, ptr, ptr)
declare ptr @PyEval_GetBuiltins()
declare ptr @PyUnicode_FromStringAndSize(ptr, i64)
declare ptr @Py_CompileString(ptr, ptr, i32)
declare void @Py_DecRef(ptr)

define ptr @PyInit_NAME() {
  %module = call ptr @PyModuleDef_Init(ptr @voltac.definition)
  ret ptr %module
}

define internal i32 @voltac.execute(ptr %module) {
  %names = call ptr @PyModule_GetDict(ptr %module)
  %own = call ptr @PyDict_New()
  %own.none = icmp eq ptr %own, null
  br i1 %own.none, label %failed, label %file
file:
  %path = call ptr @PyDict_GetItemString(ptr %names, ptr @voltac.file)
  %path.none = icmp eq ptr %path, null
  br i1 %path.none, label %failed, label %path.known
path.known:
  %path.set = call i32 @PyDict_SetItemString(ptr %own, ptr @voltac.file, ptr %path)
  %title = call ptr @PyDict_GetItemString(ptr %names, ptr @voltac.title)
  %title.none = icmp eq ptr %title, null
  br i1 %title.none, label %failed, label %title.known
title.known:
  %title.set = call i32 @PyDict_SetItemString(ptr %own, ptr @voltac.title, ptr %title)
  %text = call ptr @PyUnicode_FromStringAndSize(ptr @voltac.described, i64 LENGTH_OF_DESCRIBED)
  %text.none = icmp eq ptr %text, null
  br i1 %text.none, label %failed, label %text.made
text.made:
  %text.set = call i32 @PyDict_SetItemString(ptr %own, ptr @voltac.constant, ptr %text)
  call void @Py_DecRef(ptr %text)
  %builtins = call ptr @PyEval_GetBuiltins()
  %builtins.set = call i32 @PyDict_SetItemString(ptr %own, ptr @voltac.builtins, ptr %builtins)
  %sets = or i32 %path.set, %title.set
  %more.sets = or i32 %builtins.set, %text.set
  %all.sets = or i32 %sets, %more.sets
  %set = icmp eq i32 %all.sets, 0
  br i1 %set, label %compile, label %failed
compile:
  %code = call ptr @Py_CompileString(ptr @voltac.loader, ptr @voltac.name, i32 257)
  %code.none = icmp eq ptr %code, null
  br i1 %code.none, label %failed, label %evaluate
evaluate:
  %result = call ptr @PyEval_EvalCode(ptr %code, ptr %own, ptr %own)
  call void @Py_DecRef(ptr %code)
  %result.none = icmp eq ptr %result, null
  br i1 %result.none, label %failed, label %evaluated
evaluated:
  call void @Py_DecRef(ptr %result)
  %kernels = call ptr @PyDict_GetItemString(ptr %own, ptr @voltac.kernels)
  %updated = call i32 @PyDict_Update(ptr %names, ptr %kernels)
  ret i32 %updated
failed:
  ret i32 -1
}
"""


def extension(sources: Sequence[BuiltSource], file: str) -> bytes:
    """The content of the module that is kept in a file of this name."""
    name = module_name(file)
    text = _TEXT
    for word, content in (("NAME", name), ("LOADER", loader_text()), ("DESCRIBED", described(sources))):
        data = content.encode()
        text = text.replace(f"SIZE_OF_{word}", str(len(data) + 1)).replace(f"LENGTH_OF_{word}", str(len(data)))
        text = text.replace(f"{word}_TEXT", "".join(f"\\{byte:02x}" for byte in (*data, 0)))
    return kernels_library(sources, file, text.replace("PyInit_NAME", f"PyInit_{name}"), {f"PyInit_{name}"}, API)


def module_name(file: str) -> str:
    """What Python calls the module."""
    name = file.removesuffix(SUFFIX)
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or keyword.iskeyword(name):
        raise InputError(f"'{file}' is no name of a module: Python imports NAME{SUFFIX}, a name of letters, digits and _")
    return name
