"""The text that ``print`` writes (language 13.12)."""

from __future__ import annotations

from voltac.sema import tree
from voltac.sema.types import VARYING, Pointer, Qual, Scalar

from .values import Mask, Value

STATEMENT_BYTES = 8191
ARGUMENT_BYTES = 1023
"""Longer output is cut: the values of an argument, brackets aside, and what a statement prints."""


def printed(pieces: tuple[str, ...], arguments: list[tuple[Qual, Value]], active: Mask) -> str:
    """The pieces of a format with the values between them."""
    texts = [argument_text(qual, value, active) for qual, value in arguments]
    whole = pieces[0] + "".join(text + piece for text, piece in zip(texts, pieces[1:], strict=True))
    return whole.encode("utf-8", "surrogateescape")[:STATEMENT_BYTES].decode("utf-8", "surrogateescape")


def argument_text(qual: Qual, value: Value, active: Mask) -> str:
    """An argument of ``print``: its text, or those of the lanes in brackets."""
    if qual.rate != VARYING:
        return element_text(qual, value)[:ARGUMENT_BYTES]
    texts = [element_text(qual, element) for element in value]
    lanes = ",".join(text if on else inactive_text(qual, text) for text, on in zip(texts, active))
    return f"[{lanes[:ARGUMENT_BYTES]}]"


def inactive_text(qual: Qual, text: str) -> str:
    """How the value of a lane that is off is shown."""
    return "_________" if isinstance(qual.type, Scalar) and qual.type.kind == "bool" else f"(({text}))"


def element_text(qual: Qual, element: Value) -> str:
    """One number, bool or pointer, as C's ``printf`` writes it."""
    match qual.type:
        case Scalar("bool", _):
            return "true" if element else "false"
        case Scalar("float", _):
            text = f"{float(element):f}"
            return "-nan" if text == "nan" and _sign_bit(element) else text
        case Pointer():
            return f"{int(element):#x}" if element else "(nil)"
    return str(int(element))


def _sign_bit(element: Value) -> bool:
    return bool(element.tobytes()[-1] & 0x80)


def print_text(node: tree.Print, values: list[Value], active: Mask) -> str:
    """All that a ``print`` statement writes."""
    return printed(node.pieces, [(argument.type, value) for argument, value in zip(node.arguments, values)], active)
