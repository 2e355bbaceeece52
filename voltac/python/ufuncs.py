"""``voltac.ufunc(k.f)``: exported functions as ufuncs of numpy, made through numpy's C API.

A function of numbers is called for each element, one of arrays for each row (a generalised ufunc). What numpy calls is compiled
code (:mod:`voltac.python.ufunc_loops`); there is no Python in between, and the GIL is released.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from voltac.messages.visible import visible_value
from voltac.python.build import exported_code
from voltac.python.kernel import Kernel
from voltac.python.numpy_formats import described
from voltac.python.object_loader import Unresolved
from voltac.python.ufunc_loops import LOOP, Loop, array_loop, definition, elementwise_loop
from voltac.records import replace
from voltac.system.forking import compiling

_FROM_SIGNATURE_AND_IDENTITY = 42
"""Place of ``PyUFunc_FromFuncAndDataAndSignatureAndIdentity`` in numpy's table; part of its stable ABI since 1.16."""
_NO_IDENTITY, _IDENTITY_VALUE = -1, -3
"""``PyUFunc_None`` and ``PyUFunc_IdentityValue``."""

_kept: list[object] = []
"""What ufuncs point to: numpy keeps addresses only."""


def ufunc(*kernels: Kernel, name: str | None = None, identity: Any = None) -> np.ufunc:
    """A ufunc of numpy, with broadcasting, ``out=``, ``where=``, ``reduce``, of one exported function, or one for each type.

    Functions of numbers work element by element; those of arrays on whole rows, ``(n)->()`` with ``uniform float a[n],
    uniform int n``. ``identity`` is what ``reduce`` gives for nothing. Where several take the arguments, the first is called.
    TypeError for kernels that are no such functions.
    """
    if not kernels:
        raise TypeError("ufunc() needs a kernel, k.name")
    for kernel in kernels:
        if not isinstance(kernel, Kernel):
            raise TypeError(f"ufunc() takes kernels, k.name, not {described(kernel)}")
    title = kernels[0].__name__ if name is None else name
    if not isinstance(title, str):
        raise TypeError(f"name must be a str, not {described(name)}")
    loops = []
    with compiling():
        for kernel in kernels:
            loops.append(_compiled(kernel))
    shapes = {(len(loop.inputs), loop.signature) for loop, _, _ in loops}
    if len(shapes) > 1:
        raise TypeError(
            f"the functions of one ufunc take the same number of arguments of the same shapes: {', '.join(map(str, kernels))}"
        )
    return _made(title, loops, kernels, identity)


def _compiled(kernel: Kernel) -> tuple[Loop, Any, str]:
    """A loop with its code, and how it goes over the elements."""
    signature, source = kernel._signature, kernel._source
    try:
        if source.options.target.is_device:
            raise ValueError(f"it is for {source.options.target.name}")
        if source.options.checked:
            raise ValueError("a loop of numpy has no arrays to check against; compile it without 'checked'")
        if any(row.kind in ("pointer", "function") for row in signature.parameters):
            loop, way = array_loop(signature), "row by row"
            return loop, _code(kernel, loop), way
        # Ask what is wrong with its types before what is in it.
        plain = elementwise_loop(signature, None)
    except ValueError as error:
        raise TypeError(f"{kernel} is no ufunc: {error}") from None
    if not plain.inputs:
        raise TypeError(f"{kernel} is no ufunc: it has no parameters")
    tokens, against = _tokens(kernel)
    if tokens is not None:
        from voltac.messages.diagnostics import CompileError  # late: as for the compiler

        try:
            loop = elementwise_loop(signature, tokens)
            return loop, _code(kernel, loop), f"over {source.options.target.width} lanes"
        except CompileError:
            against = "a function for one lane"
    return plain, _code(kernel, plain), f"element by element: it has to do with '{against}', which has no copy for lanes"


def _tokens(kernel: Kernel) -> tuple[list[str] | None, str]:
    # late: a kernel is called without
    from voltac.driver import compile_source
    from voltac.messages.diagnostics import Diagnostics

    source = kernel._source
    job = compile_source(
        source.text, source.file, source.options, Diagnostics(wrap=False), end="preprocess", inputs=source.inputs()
    )
    return definition(job.preprocessed.texts, kernel.__name__)


def _code(kernel: Kernel, loop: Loop) -> Any:
    source = kernel._source
    # Lanes that are off leave marks in the floating-point state, which numpy would read as warnings.
    # What no other function calls is left out, so that it may fail as it likes.
    options = replace(source.options, reset_ftz_daz=True, defines=(*source.options.defines, ("export", "static")))
    try:
        return exported_code(replace(source, text=f"{source.text}\n#undef export\n{loop.text}\n", options=options), [LOOP])
    except Unresolved as error:
        raise TypeError(
            f"{kernel} is no ufunc: it may fail (assert, integer division), prints, launches tasks, or calls a function "
            f"of Python ('{error}'), which numpy's loops cannot; disable_assertions=True leaves asserts out"
        ) from None


def _made(title: str, loops: list[tuple[Loop, Any, str]], kernels: tuple[Kernel, ...], identity: Any) -> np.ufunc:
    first = loops[0][0]
    inputs = len(first.inputs)
    numbers = [np.dtype(format_).num for loop, _, _ in loops for format_ in (*loop.inputs, loop.output)]
    functions = (ctypes.c_void_p * len(loops))(*(code.addresses[LOOP] for _, code, _ in loops))
    data = (ctypes.c_void_p * len(loops))()
    types = ctypes.create_string_buffer(bytes(numbers), len(numbers))
    lines = [f"{kernel.signature}, {way}" for kernel, (_, _, way) in zip(kernels, loops, strict=True)]
    texts = [title.encode(), "\n".join(lines).encode()]
    if any(b"\0" in text for text in texts):
        raise ValueError(f"the name of a ufunc has no null character, {visible_value(title)} has")
    held = [functions, data, types, *texts, [code for _, code, _ in loops]]
    made: np.ufunc = _constructor()(
        functions,
        data,
        ctypes.addressof(types),
        len(loops),
        inputs,
        1,
        _NO_IDENTITY if identity is None else _IDENTITY_VALUE,
        *texts,
        0,
        first.signature.encode() or None,
        identity,
    )
    _kept.append(held)
    return made


@cache
def _constructor() -> Any:
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]  # where numpy's header looks for its C API, too

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    # A prototype of its own: others may set other types for the same function.
    prototype: Any = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    get = prototype(ctypes.cast(pointer, ctypes.c_void_p).value)
    table = get(_multiarray_umath._UFUNC_API, None)
    address = ctypes.c_void_p.from_address(table + _FROM_SIGNATURE_AND_IDENTITY * ctypes.sizeof(ctypes.c_void_p)).value
    number, text, any_ = ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object, any_, any_, any_, number, number, number, number, text, text, number, text, ctypes.py_object
    )
    return prototype(address)
