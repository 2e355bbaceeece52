"""What a device's program says of its kernels: their signatures, as a note in the ELF file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from voltac.codegen.elf_read import BadElf
from voltac.python.describe import signature
from voltac.python.signatures import Apart, Format, KernelParameter, Needed, Signature, from_json, to_json
from voltac.sema.type_layout import Layout

if TYPE_CHECKING:
    from voltac.options import Options
    from voltac.sema.tree import Program


def signatures_note(program: Program, options: Options) -> bytes:
    """The note's text."""
    layout = Layout(options.target)
    return json.dumps([to_json(signature(function, layout)) for function in program.exports]).encode()


def signatures_of(notes: Mapping[str, bytes]) -> dict[str, Signature]:
    """Kernels by name; empty for a file that does not say."""
    try:
        rows = json.loads(notes.get("kernels", b"[]"))
        found = [from_json(item) for item in rows]
        sensible = isinstance(rows, list) and all(_makes_sense(item) for item in found)
    except Exception:  # the file is not trusted: whatever comes out of reading it
        sensible = False
    if not sensible:
        raise BadElf("what it says of its kernels makes no sense")
    return {item.name: item for item in found}


_BITS = {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (16, 32, 64), "bool": (1, 8)}
_NUMBER = re.compile(r"\?|[iu][1248]|f[248]")


def _makes_sense(signature: Signature) -> bool:
    """Whether a signature out of a file is one that a compiler may have written."""
    result = signature.result
    of_result = {**_BITS, "pointer": (64,), "function": (64,), "void": (0,), "struct": (0,)}
    texts = [signature.name, signature.documentation, *(one.name for one in signature.parameters)]
    return (
        all(isinstance(text, str) for text in texts)
        and result.bits in of_result.get(result.kind, ())
        and (result.kind == "struct") == (result.format is not None)
        and (result.format is None or _size(result.format) == result.bytes)
        and all(_is_parameter(parameter) for parameter in signature.parameters)
        and all(_is_needed(needed, signature) for needed in signature.needed)
        and all(_is_apart(apart, signature) for apart in signature.apart)
    )


def _is_needed(needed: Needed, signature: Signature) -> bool:
    kinds = dict(enumerate(parameter.kind for parameter in signature.parameters))
    products = [product for one in (needed.index, *needed.extents) for product in one]
    return (
        type(needed.parameter) is int
        and kinds.get(needed.parameter) == "pointer"
        and type(needed.below_end) is bool
        and isinstance(needed.place, str)
        and all(type(coefficient) is int for coefficient, _ in products)
        and all(type(factor) is int and kinds.get(factor) in ("int", "uint") for _, factors in products for factor in factors)
    )


def _is_apart(apart: Apart, signature: Signature) -> bool:
    arrays = [number for number, parameter in enumerate(signature.parameters) if parameter.memory is not None]
    numbers = (apart.written, apart.other)
    return all(type(number) is int and number in arrays for number in numbers) and type(apart.may_be_same) is bool


def _is_parameter(parameter: KernelParameter) -> bool:
    memory, default = parameter.memory, parameter.default
    if not isinstance(parameter.narrowed, str):
        return False
    if default is not None and (
        type(default) not in (int, float, bool) or (parameter.kind == "float") != isinstance(default, float)
    ):
        return False
    if memory is None:
        return parameter.kind == "function" or parameter.bits in _BITS.get(parameter.kind, ())
    numbers = [memory.count, memory.alignment, *memory.shape]
    return (
        parameter.kind == "pointer"
        and all(type(number) is int and number > 0 for number in numbers)
        and (memory.format is None or _size(memory.format) >= 0)
        and type(memory.unused) is int
    )


def _size(format_: Format) -> int:
    """Bytes of what a format describes; an exception where it describes nothing."""
    from voltac.python.numpy_formats import dtype_of  # brings numpy, which a compilation does not need

    if isinstance(format_, str) and not _NUMBER.fullmatch(format_):
        raise ValueError(format_)
    return dtype_of(format_).itemsize
