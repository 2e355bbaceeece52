"""Global variables and constants of a module -> the data sections of the assembly."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Collection
from itertools import accumulate

from voltac.codegen.selection import CannotSelect, label_of
from voltac.ir.interp_constants import constant
from voltac.ir.interp_values import InstructionFault, Kind, KindTable, Value, encode, parts_of
from voltac.ir.model import Module
from voltac.ir.scan import end_of_type, end_of_value, split_list
from voltac.ir.sections import SCRATCHPAD_UNSET, in_scratchpad, in_section
from voltac.records import record

_GLOBAL = re.compile(r"\b(?P<what>global|constant) ")
_SYMBOL = re.compile(r'@("[^"]*"|[-\w$.]+)')


@record
class DataForm:
    """The directives of an assembler, and the bytes of an address."""

    pointer_bytes: int = 4
    address: str = ".word"
    word: str = ".word"
    """Of 32 bits."""
    byte: str = ".byte"
    symbol: Callable[[str], str] = str
    """What the assembler calls a symbol."""
    short_bytes: int = 0
    """The most that all variables in short sections may have, which lie around a global pointer; 0: there are none."""


_USUAL = DataForm()


def data(module: Module, form: DataForm = _USUAL) -> str:
    """Every global with a value. In the scratchpad those that have to be copied there come first."""
    kinds = KindTable(module.layout(form.pointer_bytes))
    ordered = sorted(module.globals().items(), key=lambda item: in_section(SCRATCHPAD_UNSET) in item[1])
    short = short_labels(module, form)
    found = ((name, body, _layout(kinds, name, body)) for name, body in ordered)
    return "".join(_one(kinds, name, body, layout, form, short) for name, body, layout in found if layout is not None)


def short_labels(module: Module, form: DataForm) -> frozenset[str]:
    """The labels of the variables that go to short sections: the smallest, as many as there is room for."""
    kinds = KindTable(module.layout(form.pointer_bytes))
    layouts = ((name, _layout(kinds, name, body)) for name, body in module.globals().items())
    sizes = sorted((layout.kind.size + layout.alignment, name) for name, layout in layouts if layout is not None)
    ends = accumulate(size for size, _ in sizes)
    return frozenset(label_of(name[1:]) for (_, name), end in zip(sizes, ends) if end <= form.short_bytes)


@record
class _Layout:
    """What a global variable is, if it is defined here."""

    what: str
    """``global`` or ``constant``."""
    kind: Kind
    alignment: int
    value: str


def _layout(kinds: KindTable, name: str, body: str) -> _Layout | None:
    found = _GLOBAL.search(body)
    if found is None or name.startswith("@llvm."):
        return None
    type_end = end_of_type(body, found.end())
    if not body.startswith(" ", type_end):
        return None  # defined elsewhere
    kind = kinds[body[found.end() : type_end]]
    aligned = re.search(r", align (\d+)", body)
    alignment = max(int(aligned.group(1)) if aligned else kind.alignment, 4)
    return _Layout(found.group("what"), kind, alignment, body[type_end + 1 : end_of_value(body, type_end + 1)])


def _one(kinds: KindTable, name: str, body: str, layout: _Layout, form: DataForm, short: Collection[str]) -> str:
    kind = layout.kind
    words: dict[int, str] = {}
    content, defined = bytearray(kind.size), bytearray(kind.size)
    try:
        encode(kind, _value(kinds, kind, layout.value, 0, words, form), memoryview(content), defined, 0)
    except InstructionFault as fault:
        raise CannotSelect(f"the initial value of {name}: {fault}") from fault
    if in_scratchpad(body):
        section = ".section scratchpad"
    elif label_of(name[1:]) in short:
        section = ".sdata" if any(content) or words else ".sbss"
    elif layout.what == "constant":
        section = ".rodata"
    else:
        section = ".data" if any(content) or words else ".bss"
    lines = [f"\t{section}", f"\t.align {layout.alignment}"]
    if not re.match(r"(?:internal|private) ", body):
        lines.append(f"\t.global {form.symbol(label_of(name[1:]))}")
    lines.append(f"{label_of(name[1:])}:")
    lines += [f"\t.space {kind.size}"] if section in (".bss", ".sbss") else _content(bytes(content), words, form)
    return "\n".join(lines) + "\n"


def _value(kinds: KindTable, kind: Kind, text: str, at: int, words: dict[int, str], form: DataForm) -> Value:
    """A constant; addresses in it become entries of ``words``, by their offset."""
    if kind.shape in ("vector", "array", "struct") and "@" in text:
        parts, inside = parts_of(kind), text[2:-2] if text.startswith("<{") else text[1:-1]
        items = [text[len("splat (") : -1]] * kind.count if text.startswith("splat (") else split_list(inside)
        offsets = kind.offsets or [number * part.size for number, part in enumerate(parts)]
        values = []
        for part, offset, item in zip(parts, offsets, items):
            values.append(_value(kinds, part, item[end_of_type(item, 0) + 1 :], at + offset, words, form))
        return values
    if "@" not in text:
        return constant(kinds, kind, text, lambda name: 0)
    symbol = _SYMBOL.search(text)
    if symbol is None or kind.size != form.pointer_bytes:
        raise InstructionFault(f"the constant {text} is not understood")
    offset = 0 if text[0] == "@" else int(constant(kinds, kinds["ptr"], text, lambda name: 0))
    words[at] = form.symbol(label_of(symbol.group(1))) + (f"+{offset}" if offset else "")
    return 0


def _content(content: bytes, words: dict[int, str], form: DataForm) -> list[str]:
    lines: list[str] = []
    at = 0
    end = len(content)
    while at < end:
        if at in words:
            lines.append(f"\t{form.address} {words[at]}")
            at += form.pointer_bytes
            continue
        stop = min([offset for offset in words if offset > at], default=end)
        if not any(content[at:stop]):
            lines.append(f"\t.space {stop - at}")
            at = stop
        elif stop - at >= 4:
            count = min((stop - at) // 4, 8)
            numbers = struct.unpack_from(f"<{count}I", content, at)
            lines.append(f"\t{form.word} " + ", ".join(f"0x{number:x}" for number in numbers))
            at += 4 * count
        else:
            lines.append(f"\t{form.byte} " + ", ".join(str(byte) for byte in content[at:stop]))
            at = stop
    return lines
